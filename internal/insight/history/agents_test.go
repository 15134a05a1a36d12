package history_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite" // OpenCode keeps its sessions in it

	"kedge/internal/agents/catalog"
	"kedge/internal/insight/history"
)

// database makes one in the form of OpenCode, with two sessions.
func (m *machine) database(path string) *sql.DB {
	m.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		m.t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { _ = db.Close() })
	for _, q := range []string{
		"CREATE TABLE session (id text, directory text, time_created integer)",
		"CREATE TABLE message (id text, session_id text, time_created integer, data text)",
		"CREATE TABLE part (id text, message_id text, session_id text, time_created integer, data text, time_updated integer)",
		"INSERT INTO session VALUES ('ses_1', '/w/shop', 1), ('ses_2', '/w/other', 2)",
		`INSERT INTO message VALUES ('msg_1','ses_1',1,'{"role":"user"}'), ('msg_2','ses_2',1,'{"role":"user"}')`,
		`INSERT INTO part VALUES ('prt_1','msg_1','ses_1',1,'{"type":"text","text":"a zebra"}',1)`,
		`INSERT INTO part VALUES ('prt_2','msg_2','ses_2',1,'{"type":"text","text":"an alpaca"}',1)`,
	} {
		m.exec(db, q)
	}
	return db
}

func (m *machine) exec(db *sql.DB, q string) {
	m.t.Helper()
	if _, err := db.Exec(q); err != nil {
		m.t.Fatalf("%s: %v", q, err)
	}
}

// TestEveryAgentIsFound: of every agent, wherever its sessions worked, and each where the
// agent keeps it.
func TestEveryAgentIsFound(t *testing.T) {
	m := newMachine(t)
	project := t.TempDir()
	for path, name := range map[string]string{
		".claude/projects/-home-u-shop/s1.jsonl":     "claude.jsonl",
		".codex/sessions/2026/10/01/rollout-1.jsonl": "codex.jsonl",
		".gemini/tmp/abc/chats/session-1.jsonl":      "gemini.jsonl",
		".qwen/projects/-home-u-shop/chats/1.jsonl":  "qwen.jsonl",
		".pi/agent/sessions/--home-u-shop--/1.jsonl": "pi.jsonl",
		".copilot/session-state/c0c0/events.jsonl":   "copilot.jsonl",
	} {
		b, err := os.ReadFile(filepath.Join("..", "transcript", "testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		m.write(filepath.Join(m.home, path), strings.ReplaceAll(string(b), "fix it", "fix it, zebra"))
	}
	// Aider's file is in the project, which only another agent's transcript tells of.
	m.write(filepath.Join(project, ".aider.chat.history.md"), "# aider chat started at 2026-10-01 10:00:00\n\n#### a zebra  \n#### in two lines  \n\nYes.\n")
	m.write(m.claude("there"), strings.ReplaceAll(line("there", "user", "a zebra"), "/w/shop", project))
	m.database(filepath.Join(m.home, ".local", "share", "opencode", "opencode.db"))
	m.database(filepath.Join(m.home, ".local", "share", "kilo", "kilo.db"))
	r, err := m.lib.Search(t.Context(), m.where(), history.Parse("zebra", true), history.Filter{}, history.Options{Now: time.Now(), Apart: true})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range r.Found {
		got = append(got, f.File.Agent)
	}
	slices.Sort(got)
	want := catalog.Transcripts().Agents()
	slices.Sort(want)
	if !slices.Equal(slices.Compact(got), want) {
		t.Errorf("found of %v, want of %v", got, want)
	}
	m.finds("zebra two lines", ".aider.chat.history.md:3")
}

// TestSessionsOfADatabase: one that changed is read again, the others are not.
func TestSessionsOfADatabase(t *testing.T) {
	m := newMachine(t)
	db := m.database(filepath.Join(m.home, ".local", "share", "opencode", "opencode.db"))
	m.finds("zebra", "ses_1:1")
	m.finds("zebra", "ses_1:1")
	if m.read != nil {
		t.Errorf("nothing changed, and this was read: %+v", m.read)
	}
	m.exec(db, `INSERT INTO part VALUES ('prt_3','msg_2','ses_2',1,'{"type":"text","text":"a zebra too"}',2)`)
	m.finds("zebra", "ses_1:1", "ses_2:2")
	if last := m.read[len(m.read)-1]; last.Of != 1 {
		t.Errorf("%d sessions were read again, want one", last.Of)
	}
	m.exec(db, `UPDATE part SET data = '{"type":"text","text":"a horse"}', time_updated = 3 WHERE id = 'prt_1'`)
	m.finds("zebra", "ses_2:2")
	m.exec(db, `DELETE FROM session WHERE id = 'ses_2'`)
	m.finds("zebra")
	m.finds("horse", "ses_1:1")
}

// TestGeminiReplacesItsLines: a later line with the id of an earlier one counts.
func TestGeminiReplacesItsLines(t *testing.T) {
	m := newMachine(t)
	path := filepath.Join(m.home, ".gemini", "tmp", "abc", "chats", "session-1.jsonl")
	m.write(path, `{"sessionId":"g","projectHash":"abc"}`+"\n"+`{"id":"m1","type":"gemini","content":"half a zebra"}`+"\n")
	m.finds("zebra", "g:2")
	m.add(path, `{"id":"m1","type":"gemini","content":"a whole horse"}`+"\n")
	m.finds("zebra")
	m.finds("horse", "g:3")
}

// TestSubAgents: what a sub-agent was asked is the agent's word, and says whose it is.
func TestSubAgents(t *testing.T) {
	m := newMachine(t)
	m.write(m.claude("s1"), line("s1", "user", "look for zebras"))
	side := strings.Replace(line("s1", "user", "find the zebra files"), `{"type"`, `{"agentId":"a1","isSidechain":true,"type"`, 1)
	m.write(filepath.Join(m.home, ".claude", "projects", "-w-shop", "s1", "subagents", "agent-a1.jsonl"), side)
	r, err := m.lib.Search(t.Context(), m.where(), history.Parse("zebra files", true), history.Filter{}, history.Options{Now: time.Now()})
	if err != nil || len(r.Found) != 1 {
		t.Fatalf("%+v (%v)", r, err)
	}
	f := r.Found[0]
	if f.ID != "agent-a1" || f.Parent != "s1" || f.Matches[0].Who != history.Agent || f.Title != "find the zebra files" {
		t.Errorf("%+v", f)
	}
}

// TestOneUnreadableTranscript: the others are found, and it is told.
func TestOneUnreadableTranscript(t *testing.T) {
	m := newMachine(t)
	m.write(m.claude("a"), line("a", "user", "one zebra"))
	m.write(m.claude("b"), "\x1f\x8b broken gzip\n")
	r, err := m.lib.Search(t.Context(), m.where(), history.Parse("zebra", true), history.Filter{}, history.Options{Now: time.Now()})
	if err != nil || r.Messages != 1 || len(r.Unread) != 1 || r.Unread[0].Why == "" {
		t.Errorf("%+v (%v)", r, err)
	}
}

// TestOutputHasAnIndexOfItsOwn: what tools gave and what edits wrote is found only there.
func TestOutputHasAnIndexOfItsOwn(t *testing.T) {
	m := newMachine(t)
	m.write(m.claude("a"), line("a", "user", "one alpaca")+
		`{"type":"assistant","sessionId":"a","uuid":"u","message":{"content":[{"type":"tool_use","id":"t","name":"Edit","input":{"file_path":"/w/zoo.go","old_string":"horse","new_string":"a zebra"}}]}}`+"\n"+
		`{"type":"user","sessionId":"a","uuid":"u","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"zebra done, key sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaa"}]}}`+"\n")
	m.finds("zebra")
	m.finds("zoo.go", "a:2")
	m.lib.Output = true
	m.finds("zebra", "a:2", "a:3")
	m.finds("alpaca", "a:1")
	m.finds("sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaa")
	m.lib.Output = false
	m.finds("zebra")
}

// TestFilters: by agent, folder and time, and whose words.
func TestFilters(t *testing.T) {
	m := newMachine(t)
	m.write(m.claude("a"), line("a", "user", "one zebra")+strings.Replace(line("a", "assistant", "old zebra"), "2026-11-02", "2026-01-02", 1))
	for name, c := range map[string]struct {
		f    history.Filter
		want int
	}{
		"none":          {history.Filter{}, 2},
		"agent":         {history.Filter{Agent: "codex"}, 0},
		"folder":        {history.Filter{Project: func(dir string) bool { return dir == "/w/shop" }}, 2},
		"another":       {history.Filter{Project: func(dir string) bool { return dir == "/w" }}, 0},
		"since":         {history.Filter{Since: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)}, 1},
		"whose":         {history.Filter{Who: []history.Who{history.Agent}}, 1},
		"since, whose":  {history.Filter{Since: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), Who: []history.Who{history.Agent}}, 0},
		"in the future": {history.Filter{Since: time.Date(2027, 11, 1, 0, 0, 0, 0, time.UTC)}, 0},
	} {
		r, err := m.lib.Search(t.Context(), m.where(), history.Parse("zebra", true), c.f, history.Options{Now: time.Now()})
		if err != nil || r.Messages != c.want {
			t.Errorf("%s: %d messages, want %d (%v)", name, r.Messages, c.want, err)
		}
	}
}
