package catalog_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kedge/internal/agents"
	"kedge/internal/agents/catalog"
	"kedge/internal/core/config"
	"kedge/internal/core/watch"
	"kedge/internal/testkit/agenttest"
)

// TestRow56EveryAgent: each of the real programs was driven through the whole
// suite; it starts, tells what it does and uses, and goes on with its conversation,
// or it is written down why it cannot. The others are held to the contract by
// their own tests, and a program that nobody knows is a command.
func TestRow56EveryAgent(t *testing.T) {
	for _, p := range catalog.All() {
		kind := p.Name
		if len(p.Versions.Tried) == 0 {
			continue
		}
		dirs, err := filepath.Glob(filepath.Join("testdata", kind+"-*"))
		if err != nil || len(dirs) == 0 {
			t.Errorf("%s was never driven: %v", kind, err)
		}
		for _, dir := range dirs {
			t.Run(filepath.Base(dir), func(t *testing.T) { everyAgent(t, kind, dir) })
		}
	}
	for _, kind := range []string{"acp", "aider", "command"} {
		if a, err := catalog.New(kind, config.Agent{Kind: kind, Command: []string{"bot"}}); err != nil || a.Kind() != kind {
			t.Errorf("%s: %v, %v", kind, a, err)
		}
	}
}

func everyAgent(t *testing.T, kind, dir string) {
	var known suite
	if b, err := os.ReadFile(filepath.Join(dir, "suite.json")); err != nil {
		t.Fatal(err)
	} else if err := json.Unmarshal(b, &known); err != nil {
		t.Fatal(err)
	}
	for _, sc := range agenttest.Scenarios() {
		why, played := known[sc.Name]
		_, err := os.Stat(filepath.Join(dir, sc.Name+".jsonl"))
		if !played || (why == "") != (err == nil) && (sc.Name != "retry" || err != nil) {
			t.Errorf("%s: played %v, not because %q, and its recording is there: %v", sc.Name, played, why, err == nil)
		}
	}
	tape, err := os.ReadFile(filepath.Join(dir, "work.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	talk := reports(t, adapterOf(t, kind), tape)
	if why := known["resume"]; why == "" && !resumes(t, adapterOf(t, kind), tape, talk) {
		t.Errorf("the conversation %q is not gone on with", talk)
	}
}

// reports reads a session that worked, and gives what the program calls it.
func reports(t *testing.T, a agents.Adapter, tape []byte) string {
	t.Helper()
	r := a.Reader(agents.Task{Dir: "/kedge/tree"})
	r.Open([]byte("the brief"))
	evs, _ := r.Feed(tape, time.Unix(1_800_000_000, 0).UTC())
	for _, kind := range []watch.Kind{watch.Say, watch.Call, watch.Result, watch.Usage, watch.Turn} {
		if !slices.ContainsFunc(evs, func(ev watch.Act) bool { return ev.Kind == kind }) {
			t.Errorf("it tells no %s", kind)
		}
	}
	e := r.Exit(0, "exited")
	if e.Meaning != agents.Finished || e.Conversation == "" {
		t.Errorf("it ended as %+v", e)
	}
	return e.Conversation
}

// resumes tells whether a session that is to go on with a conversation names it to
// the program.
func resumes(t *testing.T, a agents.Adapter, tape []byte, talk string) bool {
	t.Helper()
	task := agents.Task{Session: "ses-1", Dir: "/kedge/tree", Brief: "/kedge/brief.md", Resume: talk}
	start, err := a.Start(task)
	if err != nil {
		t.Fatal(err)
	}
	r := a.Reader(task)
	typed := string(r.Open([]byte("the brief")).Text)
	_, in := r.Feed(tape, time.Unix(1_800_000_000, 0).UTC())
	return strings.Contains(strings.Join(start.Command, "\n")+typed+string(in.Text), talk)
}
