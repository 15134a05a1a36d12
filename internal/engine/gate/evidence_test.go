package gate_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/engine/gate"
)

// TestBrowserFilesAreKept: an e2e check keeps what browser tests leave without being told,
// wherever in the project it is, and not what dependencies have.
func TestBrowserFilesAreKept(t *testing.T) {
	shot := kedge.Check{Name: "e2e", Run: `for d in . apps/web node_modules/pkg; do mkdir -p $d/test-results/a; printf '\211PNG\n\032' >$d/test-results/a/shot.png; done; echo x >other.txt; echo "key ghp_abcdefghijklmnopqrstuvwxyz0123456789" >test-results/log.txt; exit 1`}
	q := request(t, shot)
	write(t, filepath.Join(q.Dir, "test-results", "old.png"), "old")
	r := mustRun(t, q).Checks[0]
	into := filepath.Join(q.LogDir, "01-e2e") + "/"
	if got := strings.ReplaceAll(strings.Join(r.Evidence, " "), into, ""); got != "apps/web/test-results/a/shot.png test-results/a/shot.png test-results/log.txt" {
		t.Errorf("kept %s", got)
	}
	if got := read(t, into+"test-results/a/shot.png"); got != "\x89PNG\n\x1a" {
		t.Errorf("the picture is %q", got)
	}
	if got := read(t, into+"test-results/log.txt"); strings.Contains(got, "ghp_") || !strings.HasPrefix(got, "key ") {
		t.Errorf("the text is %q", got)
	}
	if got := gate.KeptIn(q.LogDir); len(got) != 1 || got[0]+"/" != into {
		t.Errorf("kept in %v", got)
	}
	if _, err := os.Stat(filepath.Join(q.Dir, "test-results", "a", "shot.png")); err != nil {
		t.Errorf("it is gone from your own checkout: %v", err)
	}
}

// TestFilesOfChecksAreNoWork: in a worktree of Kedge's own a check's files go, those
// that were there stay.
func TestFilesOfChecksAreNoWork(t *testing.T) {
	q := request(t, kedge.Check{Name: "e2e", Run: "mkdir -p test-results; echo new >test-results/new.png; echo more >>test-results/old.png; echo x >other.txt"},
		kedge.Check{Name: "e2e-more", Kind: kedge.CheckE2E, Run: "test -f test-results/new.png"})
	q.Slot = "1"
	write(t, filepath.Join(q.Dir, "test-results", "old.png"), "old")
	v := mustRun(t, q)
	if len(v.Checks[0].Evidence) != 2 || !v.Green() {
		t.Errorf("kept %v, %s: the next check reads what is left", v.Checks[0].Evidence, v.Verdict)
	}
	for name, stays := range map[string]bool{"test-results/new.png": false, "test-results/old.png": true, "other.txt": true} {
		if _, err := os.Stat(filepath.Join(q.Dir, name)); (err == nil) != stays {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEvidenceIsBounded(t *testing.T) {
	q := request(t, kedge.Check{Name: "e2e", Run: "mkdir test-results; for i in $(seq 130); do echo $i >test-results/$i.png; done"})
	q.Slot = "1"
	v := mustRun(t, q)
	if got := len(v.Checks[0].Evidence); got != 100 {
		t.Errorf("%d files are kept", got)
	}
	if len(v.Findings) != 1 || v.Findings[0].What != "the check left more evidence than Kedge keeps" {
		t.Errorf("findings %+v", v.Findings)
	}
	left, err := filepath.Glob(filepath.Join(q.Dir, "test-results", "*"))
	if err != nil || len(left) > 0 {
		t.Error(fmt.Sprint(err, len(left), " files are left"))
	}
}

func TestPathGoesToTheService(t *testing.T) {
	q := request(t, kedge.Check{Name: "users", HTTP: &kedge.HTTPCheck{URL: "/users", Status: 200}})
	if _, err := gate.Run(t.Context(), q); err == nil || !strings.Contains(err.Error(), `"http://127.0.0.1:{port}/users" contains {port}, which stands for the port of a service, but the project has no service`) {
		t.Errorf("without a service: %v", err)
	}
}
