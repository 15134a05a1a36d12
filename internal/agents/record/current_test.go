package record_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
	"time"

	"kedge"
	"kedge/internal/agents/record"
	"kedge/internal/insight/transcript"
)

// TestCurrent: a conversation whose name is known has the transcript of that name or
// none; another one is looked for in the session's own folder, and is nobody else's.
func TestCurrent(t *testing.T) {
	home, work := t.TempDir(), t.TempDir()
	real, err := filepath.EvalSymlinks(work)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(filepath.Dir(real), "elsewhere")
	write := func(of, name, at string) {
		t.Helper()
		dir := filepath.Join(home, ".claude", "projects", transcript.Slug(of))
		line := `{"type":"user","sessionId":"` + name + `","uuid":"u","cwd":"` + of + `","timestamp":"` + at + `","message":{"role":"user","content":"hello"}}` + "\n"
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".jsonl"), []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(real, "first", "2026-03-01T10:00:05.000Z")
	write(real, "second", "2026-03-01T11:00:00.000Z")
	write(elsewhere, "not-here", "2026-03-01T10:00:01.000Z")
	where := transcript.Where{Getenv: func(name string) string { return map[string]string{"HOME": home}[name] }}
	for _, c := range []struct{ native, before, others, want string }{
		{"", "", "", "first"},
		{"", "", "first", "second"},
		{"second", "", "", "second"},
		{"second", "first", "", "second"},
		{"none of these", "", "", ""},
		{"none of these", "first", "", ""},
		{"", "second", "", "second"},
		{"", "forked", "", "first"},
	} {
		ses := kedge.Session{Agent: "claude", Dir: work, Conversation: c.before, StartedAt: time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)}
		f, ok := record.Current(t.Context(), ses, c.native, func(name string) bool { return name == c.others }, where)
		if got := f.Name(); ok != (c.want != "") || ok && got != c.want {
			t.Errorf("%+v: %q, %v", c, got, ok)
		}
	}
}

// TestCurrentNotOfAnotherWorktree: the sessions of other worktrees of a project are not
// taken for one that runs here.
func TestCurrentNotOfAnotherWorktree(t *testing.T) {
	home, root := t.TempDir(), t.TempDir()
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatal(err)
	}
	main, tree := filepath.Join(root, "main"), filepath.Join(root, "tree")
	of := filepath.Join(main, ".git", "worktrees", "tree")
	projects := filepath.Join(home, ".claude", "projects", transcript.Slug(main))
	for path, text := range map[string]string{
		filepath.Join(of, "gitdir"):           filepath.Join(tree, ".git") + "\n",
		filepath.Join(of, "commondir"):        "../..\n",
		filepath.Join(of, "HEAD"):             "ref: refs/heads/x\n",
		filepath.Join(main, ".git", "HEAD"):   "ref: refs/heads/main\n",
		filepath.Join(tree, ".git"):           "gitdir: " + of + "\n",
		filepath.Join(projects, "main.jsonl"): `{"type":"user","sessionId":"main","uuid":"u","cwd":"` + main + `","timestamp":"2026-03-01T10:00:05.000Z","message":{"role":"user","content":"hello"}}` + "\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	where := transcript.Where{Getenv: func(name string) string { return map[string]string{"HOME": home}[name] }}
	ses := kedge.Session{Agent: "claude", Dir: tree, StartedAt: time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)}
	if f, ok := record.Current(t.Context(), ses, "", func(string) bool { return false }, where); ok {
		t.Errorf("%s is taken for the session in %s", f.Path, tree)
	}
	if f, ok := record.Left(t.Context(), ses, time.Time{}, where); !ok || f.Name() != "main" {
		t.Errorf("the worktrees of the test are none: %+v", f)
	}
}

// TestCurrentByTheBeginningOfAnID: Gemini names a file by the first digits of the id that
// its hooks tell.
func TestCurrentByTheBeginningOfAnID(t *testing.T) {
	home, work := t.TempDir(), t.TempDir()
	sum := sha256.Sum256([]byte(work))
	dir := filepath.Join(home, ".gemini", "tmp", hex.EncodeToString(sum[:]), "chats")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"session-2026-03-01T10-00-3b44bc68.jsonl", "session-2026-03-01T10-01-129ba8ee.jsonl"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(`{"startTime":"2026-03-01T10:00:05.000Z"}`+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	where := transcript.Where{Getenv: func(name string) string { return map[string]string{"HOME": home}[name] }}
	ses := kedge.Session{Agent: "gemini", Dir: work, StartedAt: time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)}
	nobody := func(string) bool { return false }
	f, ok := record.Current(t.Context(), ses, "129ba8ee-e840-4a0c-b7f8-0cfcdc4d552a", nobody, where)
	if !ok || f.Name() != "session-2026-03-01T10-01-129ba8ee" {
		t.Errorf("%q, %v", f.Path, ok)
	}
	if f, ok := record.Current(t.Context(), ses, "229ba8ee-e840-4a0c-b7f8-0cfcdc4d552a", nobody, where); ok {
		t.Errorf("the transcript of another conversation: %q", f.Path)
	}
}
