package output

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"kedge"
	"kedge/internal/text/redact"
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
			if _, err := os.Stat(k.folder); err == nil {
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

// TestT15KeptOutputsHaveNoSecrets: neither when the command has ended, nor while it
// runs, nor of one whose exec was killed; what somebody writes on is kept as well.
func TestT15KeptOutputsHaveNoSecrets(t *testing.T) {
	home := t.TempDir()
	secret := "gh" + "p_" + strings.Repeat("aB3dE5gH7j", 4)[:36]
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	keep := func(n int) *Kept {
		t.Helper()
		k, err := Keep(home, at.Add(time.Duration(n)*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := k.Output.WriteString("before\n" + secret + "\nafter\n"); err != nil {
			t.Fatal(err)
		}
		return k
	}
	read := func(k *Kept) string {
		t.Helper()
		f, err := Open(home, k.ID)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Close() }()
		b, err := io.ReadAll(f)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	const want = "before\n[redacted:github]\nafter\n"
	runs, killed := keep(1), keep(2)
	if got := read(runs); got != want {
		t.Errorf("of one that runs: %q", got)
	}
	if err := killed.Output.Close(); err != nil { // the kernel does that
		t.Fatal(err)
	}
	ended := keep(3)
	child, err := syscall.Dup(int(ended.Output.Fd())) // of a process that it left
	if err != nil {
		t.Fatal(err)
	}
	if err := ended.End(Record{Command: []string{"login", "--token=" + secret}}); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(ended.Path()); err != nil || string(text) != want {
		t.Errorf("of one that ended: %q, %v", text, err)
	}
	if _, err := syscall.Write(child, []byte("later "+secret+"\n")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Close(child); err != nil {
		t.Fatal(err)
	}
	if err := runs.End(Record{Command: []string{"x"}}); err != nil {
		t.Fatal(err)
	}
	if err := keep(4).End(Record{Command: []string{"x"}}); err != nil {
		t.Fatal(err)
	}
	if got := read(killed); got != want {
		t.Errorf("of one that was killed: %q", got)
	}
	if got := read(ended); got != want+"later [redacted:github]\n" {
		t.Errorf("of one that left a process: %q", got)
	}
	err = filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte(secret)) || d.Name() == printed {
			t.Errorf("%s holds %q", path, b)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestCleanedIsTheWholeText: however it is cut, nothing is lost, and a key that lies
// across two pieces is taken out.
func TestCleanedIsTheWholeText(t *testing.T) {
	line := strings.Repeat("x", 63) + "\n"
	key := "-----BEGIN " + "PRIVATE KEY-----\n" + strings.Repeat(strings.Repeat("Ab1", 20)+"\n", 20) + "-----END " + "PRIVATE KEY-----\n"
	token := "gh" + "p_" + strings.Repeat("aB3dE5gH7j", 4)[:36]
	const piece = 2048
	for _, text := range []string{
		"", "a", strings.Repeat("x", piece+5), strings.Repeat("x,", piece/2-5) + token + strings.Repeat(",x", piece), strings.Repeat("x", piece-9) + "," + key,
		strings.Repeat(line, piece/64*2+7),
		strings.Repeat(line, piece/64-3) + key + strings.Repeat(line, 10),
		key + strings.Repeat(line, piece/64+3),
	} {
		got, err := io.ReadAll(&cleaned{from: strings.NewReader(text), size: piece})
		if want := redact.Text(text); err != nil || string(got) != want {
			t.Errorf("of %d bytes: %d, and not %d: %v", len(text), len(got), len(want), err)
		}
	}
}

// TestKilledWhileItKept: what a killed one had begun to write goes, and what another
// is writing does not.
func TestKilledWhileItKept(t *testing.T) {
	home := t.TempDir()
	k, err := Keep(home, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	left, busy := filepath.Join(k.folder, unsettled+"1"), filepath.Join(k.folder, unsettled+"2")
	for _, name := range []string{left, busy} {
		if err := os.WriteFile(name, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Open(busy)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if err := k.End(Record{Command: []string{"x"}}); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(k.folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if got := strings.Join(names, " "); got != filepath.Base(busy)+" exec.json output" {
		t.Errorf("left are %s", got)
	}
}

// TestOldOutputsHinderNoNewOne: one that cannot be looked after is passed over, and the
// others are looked after all the same.
func TestOldOutputsHinderNoNewOne(t *testing.T) {
	home := t.TempDir()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var killed []*Kept
	for i := range 3 {
		k, err := Keep(home, at.Add(time.Duration(i)*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		killed = append(killed, k)
	}
	if err := os.MkdirAll(filepath.Join(killed[1].Path(), "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, k := range killed {
		if err := k.Output.Close(); err != nil {
			t.Fatal(err)
		}
	}
	next, err := Keep(home, at.Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	if err := next.Output.Close(); err != nil {
		t.Fatal(err)
	}
	for i, k := range killed {
		_, err := os.Stat(filepath.Join(k.folder, printed))
		if there := err == nil; there != (i == 1) {
			t.Errorf("%d: what was printed is there: %v", i, there)
		}
	}
}
