package app_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/app"
	"kedge/internal/app/projects"
	"kedge/internal/app/reports"
)

// auditor is a service, a home with transcripts, and a project's folder.
type auditor struct {
	t    *testing.T
	s    *app.Service
	home string
	dir  string
}

func newAuditor(t *testing.T) *auditor {
	t.Helper()
	now := func() time.Time { return time.Date(2026, 2, 10, 0, 0, 0, 0, time.UTC) }
	s := app.New(app.Config{Home: t.TempDir(), ReadOnly: true, Now: now})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &auditor{t: t, s: s, home: t.TempDir(), dir: dir}
}

// leave puts the sample where Claude Code would for a session in dir.
func (a *auditor) leave(dir, name string) string {
	a.t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "insight", "transcript", "testdata", "claude.jsonl"))
	if err != nil {
		a.t.Fatal(err)
	}
	slug := strings.Map(func(r rune) rune {
		if strings.ContainsRune("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", r) {
			return r
		}
		return '-'
	}, dir)
	path := filepath.Join(a.home, ".claude", "projects", slug, name+".jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		a.t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		a.t.Fatal(err)
	}
	return path
}

func (a *auditor) audit(in reports.AuditRequest) (reports.AuditReply, error) {
	in.Env = map[string]string{"HOME": a.home}
	return a.s.Audit(a.t.Context(), projects.Caller{Dir: a.dir, Actor: "human:ada"}, in)
}

// TestRow22AuditFindsTheProject: with no arguments the transcripts of the
// project and of its worktrees are found, and no others.
func TestRow22AuditFindsTheProject(t *testing.T) {
	a := newAuditor(t)
	tree := filepath.Join(t.TempDir(), "tree")
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"-c", "user.name=Ada", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "first"},
		{"worktree", "add", "-q", tree},
	} {
		cmd := exec.Command("git", append([]string{"-C", a.dir}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	real, err := filepath.EvalSymlinks(tree)
	if err != nil {
		t.Fatal(err)
	}
	a.leave(a.dir, "0ne-00001")
	a.leave(real, "two-00002")
	a.leave("/somewhere/else", "three-0003")
	r, err := a.audit(reports.AuditRequest{})
	if err != nil || len(r.Sessions) != 2 {
		t.Fatalf("%d sessions, %v", len(r.Sessions), err)
	}
	if r.Total.Calls != 6 || r.Total.CopiedCalls != 6 || r.Total.Sources.Sum() != r.Total.Composition.Sum() || len(r.Changes) != 3 {
		t.Errorf("total %+v, changes %+v", r.Total, r.Changes)
	}
	if r, err := a.audit(reports.AuditRequest{What: []string{"two-00"}}); err != nil || len(r.Sessions) != 1 {
		t.Errorf("by the start of an id: %d sessions, %v", len(r.Sessions), err)
	}
	if r, err := a.audit(reports.AuditRequest{Agent: "pi"}); err != nil || len(r.Sessions) != 0 || r.Sessions == nil {
		t.Errorf("of another agent: %+v, %v", r.Sessions, err)
	}
}

func TestAuditSince(t *testing.T) {
	a := newAuditor(t)
	path := a.leave(a.dir, "one")
	for since, want := range map[string]int{"": 1, "7d": 1, "5d": 0, "2026-02-04": 1, "2026-02-05": 0} {
		r, err := a.audit(reports.AuditRequest{What: []string{path}, Since: since})
		if err != nil || len(r.Sessions) != want {
			t.Errorf("since %q: %d sessions, %v", since, len(r.Sessions), err)
		}
	}
	if _, err := a.audit(reports.AuditRequest{Since: "soon"}); !kedge.Invalid.Is(err) {
		t.Errorf("since soon: %v", err)
	}
}

func TestAuditRefuses(t *testing.T) {
	a := newAuditor(t)
	if _, err := a.audit(reports.AuditRequest{What: []string{"nothing"}}); !kedge.NotFound.Is(err) {
		t.Errorf("what is not there: %v", err)
	}
	if _, err := a.audit(reports.AuditRequest{Agent: "nobody"}); !kedge.Invalid.Is(err) {
		t.Errorf("an unknown agent: %v", err)
	}
	notes := filepath.Join(a.dir, "notes.txt")
	if err := os.WriteFile(notes, []byte("hello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := a.audit(reports.AuditRequest{What: []string{"notes.txt"}}); !kedge.Invalid.Is(err) {
		t.Errorf("a file that is no transcript: %v", err)
	}
}
