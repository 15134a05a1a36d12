package agenttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"kedge/internal/agents"
	"kedge/internal/core/watch"
)

// Meaning is everything that a reader makes of a recording, as text; in pieces it
// makes the same of it.
func Meaning(t *testing.T, a agents.Adapter, tape []byte, task agents.Task) []byte {
	t.Helper()
	whole := meaning(t, a.Reader(task), tape, len(tape))
	for _, size := range []int{1000, 4096} {
		if got := meaning(t, a.Reader(task), tape, size); !bytes.Equal(got, whole) {
			t.Errorf("in pieces of %d it means\n%s\nand whole\n%s", size, got, whole)
		}
	}
	return whole
}

func meaning(t *testing.T, r agents.Reader, tape []byte, size int) []byte {
	t.Helper()
	r.Open([]byte("the brief"))
	var out bytes.Buffer
	var typed []byte
	for piece := range slices.Chunk(tape, size) {
		evs, in := r.Feed(piece, printed())
		for _, ev := range evs {
			ev.At = time.Time{}
			line, err := json.Marshal(ev)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&out, "%s\n", line)
		}
		typed = append(typed, in.Text...)
		if in.Close {
			typed = append(typed, "(end)\n"...)
		}
	}
	fmt.Fprintf(&out, "typed:\n%sexit 0: %+v\nexit 1: %+v\nbroken: %d\n", typed, r.Exit(0, "exited"), r.Exit(1, "exited"), r.Broken())
	return out.Bytes()
}

// Pieces holds a reader to what every one promises of any output, for fuzzing:
// pieces do not matter, and what it answers is whole lines of JSON.
func Pieces(t *testing.T, a agents.Adapter, text string, size int, readOnly bool) {
	t.Helper()
	whole, split := a.Reader(agents.Task{ReadOnly: readOnly}), a.Reader(agents.Task{ReadOnly: readOnly})
	want, answer := whole.Feed([]byte(text), time.Time{})
	got, said := inPieces(split, text, max(1, size%200), time.Time{})
	if !reflect.DeepEqual(got, want) || !same(said, answer) || whole.Exit(0, "") != split.Exit(0, "") || whole.Broken() != split.Broken() {
		t.Errorf("%q means something else in pieces: %v, want %v", text, got, want)
	}
	for line := range strings.Lines(string(answer.Text)) {
		if !json.Valid([]byte(line)) {
			t.Errorf("it is answered %q", line)
		}
	}
}

// inPieces is what comes of a text that is read in pieces.
func inPieces(r agents.Reader, text string, size int, at agents.Time) (got []watch.Act, said agents.Input) {
	for piece := range slices.Chunk([]byte(text), size) {
		evs, in := r.Feed(piece, at)
		got = append(got, evs...)
		said.Text, said.Close = append(said.Text, in.Text...), said.Close || in.Close
	}
	return got, said
}

func same(a, b agents.Input) bool { return bytes.Equal(a.Text, b.Text) && a.Close == b.Close }
