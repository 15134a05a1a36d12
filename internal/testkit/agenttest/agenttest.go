// Package agenttest has the conformance tests that every adapter must pass: a start is a
// pure function with nothing of a brief in its arguments and environment; output means
// the same in whatever pieces it comes; junk neither stops a reader nor becomes an event;
// and the reader reports correctly how a session ended.
package agenttest

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"kedge/internal/agents"
	"kedge/internal/core/watch"
)

// Sample is output of the program and what it means.
type Sample struct {
	Name   string
	Output string
	Kinds  []watch.Kind // of the events, in order
	Code   int
	Cause  string
	Exit   agents.Meaning
	Text   string // part of the exit's text
	Broken int
}

// Run holds an adapter to its contract.
func Run(t *testing.T, a agents.Adapter, samples []Sample) {
	t.Run("start", func(t *testing.T) { start(t, a) })
	t.Run("open", func(t *testing.T) { open(t, a) })
	t.Run("junk", func(t *testing.T) { junk(t, a) })
	for _, s := range samples {
		t.Run(s.Name, func(t *testing.T) { sample(t, a, s) })
	}
}

// start: pure, and no secret of the brief anywhere but in its file.
func start(t *testing.T, a agents.Adapter) {
	if a.Kind() == "" {
		t.Error("the adapter has no kind")
	}
	const words = "the words of this brief are nobody's arguments"
	brief := filepath.Join(t.TempDir(), "brief.md")
	if err := os.WriteFile(brief, []byte(words), 0o600); err != nil {
		t.Fatal(err)
	}
	task := agents.Task{
		Session: "ses-00000000000000000000000001", Run: "run-00000000000000000000000001", Feature: "f1",
		Attempt: 2, Number: 3, Purpose: "repair", Dir: t.TempDir(), Brief: brief,
	}
	one, err := a.Start(task)
	if err != nil {
		t.Fatal(err)
	}
	two, _ := a.Start(task)
	if !reflect.DeepEqual(one, two) {
		t.Errorf("a second start of the same task differs: %v, %v", one, two)
	}
	for _, s := range slices.Concat(one.Command, one.Env) {
		if strings.Contains(s, words) {
			t.Errorf("the brief stands in %q", s)
		}
	}
	if len(one.Command) == 0 {
		t.Error("started as nothing")
	}
	one.Command[0], one.Env = "changed", append(one.Env[:0:0], "changed=1")
	if again, _ := a.Start(task); !reflect.DeepEqual(again, two) {
		t.Error("what a caller does to a start changes the next one")
	}
}

// open: a session starts the same way whoever asks; one whose input is ended with
// that was told its brief. Of the others the scenarios show it.
func open(t *testing.T, a agents.Adapter) {
	const words = "the words of this brief\nin two lines"
	one, two := a.Reader(agents.Task{}).Open([]byte(words)), a.Reader(agents.Task{}).Open([]byte(words))
	told := strings.Contains(strings.ReplaceAll(string(one.Text), `\n`, "\n"), words)
	if !reflect.DeepEqual(one, two) || one.None() || one.Close && !told {
		t.Errorf("it starts with %q, or %q", one.Text, two.Text)
	}
}

// junk: no event, no panic, and what follows is understood as ever.
func junk(t *testing.T, a agents.Adapter) {
	for _, text := range []string{
		"", "\n\n\n", "\x00\xff\xfe\n", "{\n", "KEDGE\n", "KEDGE {\n", "KEDGE {]}\n", "KEDGE null\n", "KEDGE {\"type\":7}\n",
		"KEDGE {\"type\":\"nothing of ours\"}\n", "\x1b[31mred\x1b[0m\r\n", strings.Repeat("x", 3<<20) + "\n",
		"KEDGE {\"type\":\"usage\",\"input_tokens\":-5}\n", "KEDGE {\"type\":\"usage\",\"usd\":1e300}\n",
	} {
		r := a.Reader(agents.Task{})
		if evs, in := r.Feed([]byte(text), time.Unix(1, 0)); len(evs) > 0 || !in.None() {
			t.Errorf("%.40q became %v, answered %q", text, evs, in.Text)
		}
		if e := r.Exit(1, "exited"); e.Meaning != agents.Failed {
			t.Errorf("exit code 1 after %.40q is %q", text, e.Meaning)
		}
	}
}

func sample(t *testing.T, a agents.Adapter, s Sample) {
	at := time.Unix(1_700_000_000, 0)
	whole := a.Reader(agents.Task{})
	evs, answer := whole.Feed([]byte(s.Output), at)
	var kinds []watch.Kind
	for _, ev := range evs {
		kinds = append(kinds, ev.Kind)
	}
	if !slices.Equal(kinds, s.Kinds) {
		t.Errorf("events %v, want %v", kinds, s.Kinds)
	}
	exit := whole.Exit(s.Code, s.Cause)
	if exit.Meaning != s.Exit || !strings.Contains(exit.Text, s.Text) {
		t.Errorf("exit %+v, want %q with %q", exit, s.Exit, s.Text)
	}
	if whole.Broken() != s.Broken {
		t.Errorf("%d broken lines, want %d", whole.Broken(), s.Broken)
	}
	for _, size := range []int{1, 3, 7, 64} {
		r := a.Reader(agents.Task{})
		got, said := inPieces(r, s.Output, size, at)
		if !same(said, answer) {
			t.Errorf("in pieces of %d it is answered %q, want %q", size, said.Text, answer.Text)
		}
		if !reflect.DeepEqual(got, evs) || r.Exit(s.Code, s.Cause) != exit || r.Broken() != whole.Broken() {
			t.Errorf("in pieces of %d it means something else: %v, want %v", size, got, evs)
		}
	}
}
