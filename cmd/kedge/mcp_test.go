package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"kedge"
	"kedge/internal/app/memory"
	"kedge/internal/journal"
)

// project makes the box's folder a project with one feature and one check.
func (b *box) project() {
	b.t.Helper()
	b.git("init", "-q", "-b", "main")
	b.git("commit", "-q", "--allow-empty", "-m", "start")
	b.run("init", "--yes")
	gate := "version = 1\n[[check]]\nname = \"unit\"\nrun = \"test -d .kedge\"\n"
	if err := os.WriteFile(filepath.Join(b.dir, ".kedge", "gate.toml"), []byte(gate), 0o644); err != nil {
		b.t.Fatal(err)
	}
	b.git("commit", "-q", "-am", "the check")
	b.run("gate") // from here on an agent is measured by it
	b.run("feature", "add", "look", "--name", "A look", "--check", "test -f done.txt")
}

func (b *box) git(args ...string) {
	b.t.Helper()
	c := exec.Command("git", args...)
	c.Dir, c.Env = b.dir, b.env
	if out, err := c.CombinedOutput(); err != nil {
		b.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

// holdsToken starts a session that keeps its token where the test finds it, as an
// agent hands it to the server that it starts.
func (b *box) holdsToken(name string) (kedge.Session, string) {
	b.t.Helper()
	file := filepath.Join(filepath.Dir(b.dir), name+".token")
	s := b.start(name, "sh", "-c", `printf %s "$KEDGE_TOKEN" >"$1.part"; mv "$1.part" "$1"; exec cat`, "sh", file)
	var token []byte
	b.until(name+" has its token", func() bool {
		var err error
		token, err = os.ReadFile(file)
		return err == nil
	})
	return s, string(token)
}

// stock is a client of the official SDK, with the server for a session.
func (b *box) stock(session kedge.SessionID, token string) *mcp.ClientSession {
	b.t.Helper()
	c := b.command("mcp")
	c.Env = append(slices.Clone(b.env), "KEDGE_SESSION="+string(session), "KEDGE_TOKEN="+token)
	c.Stderr = os.Stderr
	cl, err := mcp.NewClient(&mcp.Implementation{Name: "stock", Version: "1"}, nil).
		Connect(b.t.Context(), &mcp.CommandTransport{Command: c, TerminateDuration: patience}, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		if err := cl.Close(); err != nil {
			b.t.Errorf("the server did not end in order: %v", err)
		}
	})
	return cl
}

// toolCall calls a tool, and gives its text and what it means.
func toolCall(t *testing.T, cl *mcp.ClientSession, name string, args map[string]any) (*mcp.CallToolResult, string) {
	t.Helper()
	res, err := cl.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if len(res.Content) != 1 {
		t.Fatalf("%s: %d contents", name, len(res.Content))
	}
	text, ok := res.Content[0].(*mcp.TextContent)
	if !ok {
		t.Fatalf("%s: a %T", name, res.Content[0])
	}
	return res, text.Text
}

// fits tells whether an answer is what the tool's published schema says.
func fits(tool *mcp.Tool, answer any) error {
	b, err := json.Marshal(tool.OutputSchema)
	if err != nil {
		return err
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	r, err := s.Resolve(nil)
	if err != nil {
		return err
	}
	return r.Validate(answer)
}

// TestRow2And45StockClient: a client of the official SDK lists every tool and calls it;
// the answers fit the published schemas, are those of the commands, and are the
// session's doing in the journal.
func TestRow2And45StockClient(t *testing.T) {
	b := newBox(t)
	b.project()
	ses, token := b.holdsToken("agent")
	cl := b.stock(ses.ID, token)
	list, err := cl.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	tools := map[string]*mcp.Tool{}
	for _, tool := range list.Tools {
		tools[tool.Name] = tool
	}
	calls := []struct {
		tool string
		args map[string]any
		want string
	}{
		{"feature_next", nil, `"id":"look"`},
		{"feature_get", map[string]any{"id": "look"}, `"ready":true`},
		{"feature_submit", map[string]any{"id": "look"}, `"status":"pending"`},
		{"gate_run", nil, `"verdict":"VALIDATION_OK"`},
		{"checkpoint_save", map[string]any{"task": "look around", "resume": "Go on with item look."}, `"task":"look around"`},
		{"decision_propose", map[string]any{"title": "Files are empty", "why": "They are looked for, not read."}, `"status":"locked"`},
		{"note_add", map[string]any{"text": "`test -f done.txt` is all that is asked for."}, `"file":".kedge/notes/`},
		{"recall", map[string]any{"query": "empty"}, `"title":"Files are empty"`},
		{"context_status", nil, `"context_tokens":null`},
	}
	if len(tools) != len(calls)+1 || tools["question_ask"] == nil {
		t.Errorf("%d tools are listed", len(tools))
	}
	for _, c := range calls {
		res, text := toolCall(t, cl, c.tool, c.args)
		if res.IsError || !strings.Contains(text, c.want) {
			t.Errorf("%s: %s", c.tool, text)
			continue
		}
		if err := fits(tools[c.tool], res.StructuredContent); err != nil {
			t.Errorf("%s does not fit its schema: %v\n%s", c.tool, err, text)
		}
	}
	if res, text := toolCall(t, cl, "question_ask", map[string]any{"question": "Which?"}); !res.IsError || !strings.Contains(text, "does not work on a feature of a run") {
		t.Errorf("question_ask outside of a run: %s", text)
	}
	if res, text := toolCall(t, cl, "feature_get", map[string]any{"id": "none"}); !res.IsError || !strings.Contains(text, "next: ") {
		t.Errorf("a feature that is not there: %s", text)
	}
	b.sameAsNext(cl)
	b.run("down")
	for typ, want := range map[kedge.EventType]int{kedge.NoteAdded: 1, kedge.DecisionSaved: 1, kedge.CheckpointSaved: 2, kedge.GateFinished: 2} { // a decision saves a checkpoint, too
		evs := slices.DeleteFunc(b.events(typ), func(e kedge.Event) bool { return e.Actor != kedge.Agent(ses.ID) })
		if len(evs) != want {
			t.Errorf("%s: %d by the session", typ, len(evs))
		}
	}
}

// sameAsNext: the resume point is the same over MCP as on the command line.
func (b *box) sameAsNext(cl *mcp.ClientSession) {
	b.t.Helper()
	_, text := toolCall(b.t, cl, "feature_next", nil)
	var there, here any
	b.json(&here, "next")
	if err := json.Unmarshal([]byte(text), &there); err != nil || fmt.Sprint(there) != fmt.Sprint(here) {
		b.t.Errorf("over MCP %v, on the command line %v (%v)", there, here, err)
	}
}

// events are the journal's of a type; the daemon is down.
func (b *box) events(typ kedge.EventType) (out []kedge.Event) {
	b.t.Helper()
	dirs, err := filepath.Glob(filepath.Join(b.home, "projects", "prj-*"))
	if err != nil {
		b.t.Fatal(err)
	}
	for _, dir := range dirs {
		s, err := journal.Open(dir, journal.Options{ReadOnly: true})
		if err != nil {
			b.t.Fatal(err)
		}
		evs, err := s.Events(b.t.Context(), 0)
		if err := errors.Join(err, s.Close()); err != nil {
			b.t.Fatal(err)
		}
		out = append(out, slices.DeleteFunc(evs, func(e kedge.Event) bool { return e.Type != typ })...)
	}
	return out
}

// TestT18TokenOfAnotherSession: a token acts for its own living session only, and
// from nowhere inside another one. What is tried is refused and journaled, and
// has no effect.
func TestT18TokenOfAnotherSession(t *testing.T) {
	b := newBox(t)
	b.project()
	mine, token := b.holdsToken("mine")
	other, foreign := b.holdsToken("other")
	ended, old := b.holdsToken("ended")
	b.run("kill", "ended", "--grace", "10ms")
	note := map[string]any{"text": "`kedge gate` was here."}
	for _, c := range []struct {
		name    string
		session kedge.SessionID
		token   string
		tool    string
		args    map[string]any
		want    string
	}{
		{"another's token, to write", mine.ID, foreign, "note_add", note, "the token in KEDGE_TOKEN is not the token of this session"},
		{"another's token, to read", mine.ID, foreign, "feature_next", nil, "the token in KEDGE_TOKEN is not the token of this session"},
		{"a made-up token", mine.ID, "kedge-token-" + strings.Repeat("A", 52), "note_add", note, "the token in KEDGE_TOKEN is not the token of this session"},
		{"a session that is not there", "ses-00000000000000000000000009", token, "note_add", note, "this project has no such session"},
		{"a session that has ended", ended.ID, old, "note_add", note, "the session has ended"},
		{"no id at all", "../../etc", token, "note_add", note, "this project has no such session"},
	} {
		res, text := toolCall(t, b.stock(c.session, c.token), c.tool, c.args)
		if !res.IsError || !strings.Contains(text, "Kedge does not let this program act") || !strings.Contains(text, c.want) {
			t.Errorf("%s: %s", c.name, text)
		}
	}
	b.steal(other.ID, foreign)
	b.run("down")
	refused := b.events(kedge.SessionRefused)
	if len(refused) != 7 {
		t.Errorf("%d refusals are in the journal", len(refused))
	}
	var last kedge.SessionRefusedData
	if err := json.Unmarshal(refused[len(refused)-1].Data, &last); err != nil || last.ID != other.ID || last.Act != "note.add" || last.By == "" || last.By == other.ID {
		t.Errorf("the last one: %+v (%v)", last, err)
	}
	if n := len(b.events(kedge.NoteAdded)); n != 0 {
		t.Errorf("%d notes were made", n)
	}
}

// steal tries, inside a session, what another's token would allow.
func (b *box) steal(other kedge.SessionID, token string) {
	b.t.Helper()
	line := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"note_add","arguments":{"text":"mine: kedge gate"}}}`
	out := filepath.Join(filepath.Dir(b.dir), "stolen")
	script := `{ echo "$1"; until [ -s "$4.part" ]; do sleep 0.05; done; } | KEDGE_SESSION="$2" KEDGE_TOKEN="$3" kedge mcp >"$4.part"; mv "$4.part" "$4"; exec cat`
	b.start("thief", "sh", "-c", script, "sh", line, string(other), token, out)
	var said []byte
	b.until("the thief was answered", func() bool {
		var err error
		said, err = os.ReadFile(out)
		return err == nil
	})
	if !strings.Contains(string(said), "the program runs inside another session") {
		b.t.Errorf("the thief got %s", said)
	}
}

// TestF28SilentDaemon: a daemon that is stopped takes connections and answers
// nothing; a call in the name of a session ends with an error that says so.
func TestF28SilentDaemon(t *testing.T) {
	b := newBox(t)
	b.project()
	ses, token := b.holdsToken("agent")
	pid := b.daemonPID()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
	c := &caller{home: b.home, dir: b.dir, environ: b.env, session: ses.ID, token: token, patience: 50 * time.Millisecond}
	var out memory.NoteReply
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	err := scoped{c}.Call(ctx, "note.add", memory.NoteAddRequest{Text: "kedge gate"}, &out, nil)
	if !errors.Is(err, errSilent) || !kedge.Interrupted.Is(err) || kedge.HintOf(err) == "" {
		t.Errorf("it says %v", err)
	}
}
