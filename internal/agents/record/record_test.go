package record_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/agents"
	"kedge/internal/agents/command"
	"kedge/internal/agents/record"
	"kedge/internal/core/watch"
	"kedge/internal/insight/resume"
	"kedge/internal/insight/transcript"
	"kedge/internal/process/tape"
)

// TestRow26OutputOfASession: what a session printed gives where it stood, in whatever
// pieces it was kept; one that printed nothing left nothing.
func TestRow26OutputOfASession(t *testing.T) {
	bot, err := command.New([]string{"bot"})
	if err != nil {
		t.Fatal(err)
	}
	events := 0
	read := func(dir string) *resume.Picker {
		t.Helper()
		p, err := record.Output(dir, "/work", bot.Reader(agents.Task{}), func(watch.Act) { events++ })
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if p := read(filepath.Join(t.TempDir(), "none")); !p.Empty() {
		t.Error("a session without output left something")
	}
	dir := t.TempDir()
	w, err := tape.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	printed := `noise
KEDGE {"type":"call","id":"1","tool":"Edit","input":"x","paths":["a.go"]}
KEDGE {"type":"result","id":"1"}
KEDGE {"type":"usage","input_tokens":5}
KEDGE {"type":"call","id":"2","tool":"Bash","input":"make"}
`
	for _, part := range strings.SplitAfter(printed, "o") {
		w.Append([]byte(part), time.Time{})
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	b := read(dir).Brief("/work", resume.DefaultBudget)
	if events != 4 || len(b.Files) != 1 || b.Files[0] != "a.go" || b.Next != "Finish what was cut off: Bash: make" {
		t.Errorf("%d events, %+v", events, b)
	}
}

// TestLeft: the transcript of a session is the first of its program in its folder
// that began no earlier than the session.
func TestLeft(t *testing.T) {
	home, work := t.TempDir(), t.TempDir()
	real, err := filepath.EvalSymlinks(work)
	if err != nil {
		t.Fatal(err)
	}
	slug := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, real)
	dir := filepath.Join(home, ".claude", "projects", slug)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, at := range map[string]string{"before": "2026-03-01T09:00:00.000Z", "mine": "2026-03-01T10:00:05.000Z", "later": "2026-03-01T11:00:00.000Z"} {
		line := `{"type":"user","sessionId":"` + name + `","uuid":"u","cwd":"` + real + `","timestamp":"` + at + `","message":{"role":"user","content":"hello"}}` + "\n"
		if err := os.WriteFile(filepath.Join(dir, name+".jsonl"), []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	where := transcript.Where{Getenv: func(name string) string { return map[string]string{"HOME": home}[name] }}
	ses := kedge.Session{Agent: "claude", Dir: work, StartedAt: time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)}
	if f, ok := record.Left(t.Context(), ses, time.Time{}, where); !ok || filepath.Base(f.Path) != "mine.jsonl" {
		t.Errorf("%+v, %v", f, ok)
	}
	ses.Conversation = "before"
	if f, ok := record.Left(t.Context(), ses, time.Time{}, where); !ok || filepath.Base(f.Path) != "before.jsonl" {
		t.Errorf("a conversation that goes on in its old file: %+v, %v", f, ok)
	}
	ses.Conversation = "none of these"
	if f, ok := record.Left(t.Context(), ses, time.Time{}, where); !ok || filepath.Base(f.Path) != "mine.jsonl" {
		t.Errorf("a conversation without a file: %+v, %v", f, ok)
	}
	old := ses.StartedAt.Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "mine.jsonl"), old, old); err != nil {
		t.Fatal(err)
	}
	if f, ok := record.Left(t.Context(), ses, time.Time{}, where); !ok || filepath.Base(f.Path) != "later.jsonl" {
		t.Errorf("a file that was last written before: %+v, %v", f, ok)
	}
	for at, want := range map[time.Duration]bool{time.Second: false, 59 * time.Minute: false, time.Hour: true, 2 * time.Hour: true} {
		if f, ok := record.Left(t.Context(), ses, ses.StartedAt.Add(at), where); ok != want {
			t.Errorf("of a session that took %v: %+v, %v", at, f, ok)
		}
	}
	ses.Agent = "codex"
	if f, ok := record.Left(t.Context(), ses, time.Time{}, where); ok || record.Known(kedge.Session{Agent: "sh"}) {
		t.Errorf("another program's: %+v", f)
	}
}

// TestCommitsElsewhere: a session whose program names files below its folder has
// committed what it did there, and nothing by a commit in another folder.
func TestCommitsElsewhere(t *testing.T) {
	for folder, want := range map[string]string{"/tmp/x": "1 file edited", "/home/u/shop": "last commit: first"} {
		path := filepath.Join(t.TempDir(), "rollout-1.jsonl")
		lines := `{"timestamp":"2026-10-01T10:00:00.000Z","type":"session_meta","payload":{"id":"1","cwd":"/home/u/shop"}}
{"timestamp":"2026-10-01T10:00:06.000Z","type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch\n*** Update File: a.go\n*** End Patch","call_id":"c1"}}
{"timestamp":"2026-10-01T10:00:07.000Z","type":"response_item","payload":{"type":"function_call","name":"shell_command","arguments":"{\"command\":\"cd ` + folder + ` && git commit -m first\"}","call_id":"c2"}}
{"timestamp":"2026-10-01T10:00:08.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c2","output":"[main 1a2b3c4] first"}}
`
		if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
			t.Fatal(err)
		}
		p, m, err := record.Transcript(t.Context(), transcript.File{Agent: "codex", Path: path}, 0)
		if err != nil {
			t.Fatal(err)
		}
		flight := p.Brief(m.Dir, resume.DefaultBudget).InFlight
		if !strings.Contains(flight, want) || strings.Contains(flight, "edited since") == strings.Contains(flight, "commit: ") {
			t.Errorf("after a commit in %s: %q", folder, flight)
		}
	}
}
