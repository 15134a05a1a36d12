package outputs

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"kedge"
)

// TestExecsAreBounded: the oldest outputs go, but none that a command still has
// open.
func TestExecsAreBounded(t *testing.T) {
	home := t.TempDir()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var kept []*Kept
	for i := range 6 {
		k, err := Keep(home, at.Add(time.Duration(i)*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := k.Output.WriteString("0123456789"); err != nil {
			t.Fatal(err)
		}
		kept = append(kept, k)
	}
	for _, k := range kept[1:] { // the first one goes on
		if err := k.End(Record{Command: []string{"x"}}); err != nil {
			t.Fatal(err)
		}
	}
	all := filepath.Join(home, folder)
	there := func() (left []int) {
		for i, k := range kept {
			if _, err := os.Stat(k.Path()); err == nil {
				left = append(left, i)
			}
		}
		return left
	}
	if err := prune(all, 4, 1<<20); err != nil {
		t.Fatal(err)
	}
	if left := there(); len(left) != 5 || left[0] != 0 || left[1] != 2 {
		t.Errorf("by number: left are %v", left)
	}
	if err := prune(all, 10, 25); err != nil {
		t.Fatal(err)
	}
	if left := there(); len(left) != 3 || left[0] != 0 || left[1] != 4 {
		t.Errorf("by size: left are %v", left)
	}
	if err := kept[0].End(Record{Command: []string{"x"}}); err != nil {
		t.Fatal(err)
	}
	if err := prune(all, 1, 1); err != nil {
		t.Fatal(err)
	}
	if left := there(); len(left) != 1 || left[0] != 5 {
		t.Errorf("the newest stays: left are %v", left)
	}
	if f, err := Open(home, kept[5].ID); err != nil {
		t.Error(err)
	} else {
		_ = f.Close()
	}
	if _, err := Open(home, "../../etc"); err == nil {
		t.Error("a path is no id")
	}
}

// TestSessionOfAnOutput: what is no id of a session is none, when it is kept and when
// it is read.
func TestSessionOfAnOutput(t *testing.T) {
	home := t.TempDir()
	const good = "ses-01h00000000000000000000000"
	for i, id := range []string{good, "../../etc", "ses-x\x1b[2J"} {
		k, err := Keep(home, time.Date(2026, 1, 2, 3, 4, i, 0, time.UTC))
		if err != nil {
			t.Fatal(err)
		}
		if err := k.End(Record{Command: []string{"x"}, Session: kedge.SessionID(id)}); err != nil {
			t.Fatal(err)
		}
		if i != 1 {
			continue
		}
		forged := fmt.Sprintf(`{"version":1,"id":%q,"session":"../../etc"}`, k.ID)
		if err := os.WriteFile(filepath.Join(k.folder, record), []byte(forged), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all, err := List(home)
	if err != nil || len(all) != 3 || all[0].Session != "" || all[1].Session != "" || all[2].Session != good {
		t.Errorf("%+v, %v", all, err)
	}
}
