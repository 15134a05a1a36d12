package gate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/check"
)

// TestEveryFormHasARunner, and every runner a form.
func TestEveryFormHasARunner(t *testing.T) {
	known := map[string]bool{}
	for _, f := range check.Forms() {
		known[f.Name] = true
		if runners[f.Name] == nil {
			t.Errorf("checks of the form %q have no runner", f.Name)
		}
	}
	for name := range runners {
		if !known[name] {
			t.Errorf("the runner %q is of no form", name)
		}
	}
}

// TestLockNamesArePlain: whatever asks for a lock, no file appears elsewhere.
func TestLockNamesArePlain(t *testing.T) {
	home := t.TempDir()
	g := &gate{Request: Request{LockDir: filepath.Join(home, "a", "locks")}}
	if err := os.MkdirAll(g.LockDir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"../../x", "..", "a/b", "/tmp/x", ".x", "x\x00", strings.Repeat("x", 65)} {
		if _, err := g.lockExclusive(t.Context(), name); !kedge.Invalid.Is(err) {
			t.Errorf("%q: %v", name, err)
		}
	}
	unlock, err := g.lockExclusive(t.Context(), "db")
	if err != nil {
		t.Fatal(err)
	}
	unlock()
	var files []string
	err = filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) != 1 || files[0] != filepath.Join(g.LockDir, "db.lock") {
		t.Errorf("files %v, %v", files, err)
	}
}

// TestInvalidChecksDoNotRun: an old journal may hold one.
func TestInvalidChecksDoNotRun(t *testing.T) {
	for _, tt := range []struct {
		check kedge.Check
		want  string
	}{
		{kedge.Check{Name: "own", Run: "touch ran", Exclusive: "../../x"}, `the checks cannot run: check "own": exclusive "../../x" is not a name`},
		{kedge.Check{Name: "../own", Run: "touch ran"}, `the checks cannot run: check "../own": its name must be`},
		{kedge.Check{Name: "own", Run: "touch ran", Timeout: "200h"}, `the checks cannot run: check "own": timeout "200h"`},
		{kedge.Check{Name: "own", Kind: kedge.CheckHTTP, Run: "touch ran"}, `the checks cannot run: check "own": kind "http"`},
		{kedge.Check{Name: "own"}, `the checks cannot run: check "own": it needs run`},
	} {
		home := t.TempDir()
		dir := filepath.Join(home, "p", "tree")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, own := range []bool{true, false} {
			q := Request{Dir: dir, LogDir: filepath.Join(home, "p", "logs"), LockDir: filepath.Join(home, "p", "locks")}
			hint := "edit .kedge/gate.toml: "
			if q.Checks = []kedge.Check{tt.check}; own {
				q.Checks, q.Own, hint = nil, q.Checks, "correct the feature's check: kedge feature amend "
			}
			_, err := Run(t.Context(), q)
			if !kedge.Invalid.Is(err) || !strings.HasPrefix(err.Error(), tt.want) || !strings.HasPrefix(kedge.HintOf(err), hint) {
				t.Errorf("%+v: %v (%s)", tt.check, err, kedge.HintOf(err))
			}
		}
		if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
			t.Errorf("%+v ran", tt.check)
		}
		if found, _ := filepath.Glob(filepath.Join(home, "*.lock")); len(found) > 0 {
			t.Errorf("%+v made %v", tt.check, found)
		}
	}
}
