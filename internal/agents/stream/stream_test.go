package stream_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"kedge/internal/agents"
	"kedge/internal/agents/stream"
	"kedge/internal/core/watch"
)

// Lines are told whole, in whatever pieces they come; one that is too long is
// passed over, and what follows it is not.
func TestEach(t *testing.T) {
	text := "one\r\n\n" + strings.Repeat("x", 11) + "\n" + strings.Repeat("y", 10) + "\nlast"
	want := []string{"one", "", "(long)", "yyyyyyyyyy"}
	for _, size := range []int{1, 4, len(text)} {
		s := stream.Stream{Max: 10}
		var got []string
		for piece := range slices.Chunk([]byte(text), size) {
			evs, in := s.Each(piece, time.Unix(5, 0), func(line []byte, long bool) ([]watch.Act, agents.Input) {
				if long {
					line = []byte("(long)")
				}
				got = append(got, string(line))
				return []watch.Act{{Kind: watch.Turn}}, agents.Input{Text: []byte("a"), Close: long}
			})
			if len(evs) != len(in.Text) || len(evs) > 0 && !evs[0].At.Equal(time.Unix(5, 0)) {
				t.Errorf("events %+v, answers %q", evs, in.Text)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("in pieces of %d the lines are %q", size, got)
		}
	}
}

// A line that is no JSON is kept for the end or counted; a field of another form
// costs nothing but itself.
func TestDecode(t *testing.T) {
	var s stream.Stream
	var v struct {
		A int
		B string
	}
	for line, want := range map[string]bool{`{"a":1,"b":"x"}`: true, `{"a":"one","b":"x"}`: true, `{"a":`: false, "\x1b[31mno\x1b[0m json": false} {
		v.B = ""
		if ok := s.Decode([]byte(line), false, &v); ok != want || ok && v.B != "x" {
			t.Errorf("%s: %v, %+v", line, ok, v)
		}
	}
	if s.Decode(nil, true, &v) || s.Broken() != 2 || s.Other != "no json" {
		t.Errorf("%d broken, and %q", s.Broken(), s.Other)
	}
}

// A question that a session says is one that it ends with; one that stands in a
// plan is not.
func TestSaidAndQuoted(t *testing.T) {
	var s stream.Stream
	const ask = "well\nKEDGE {\"type\":\"ask\",\"question\":\"which?\"}\nKEDGE {]\n"
	if evs := s.Quoted(ask); len(evs) != 2 || s.Asked != "" || s.Broken() != 1 {
		t.Errorf("quoted: %+v, asked %q", evs, s.Asked)
	}
	evs := s.Said(ask)
	if len(evs) != 2 || s.Asked != "which?" {
		t.Errorf("said: %+v, asked %q", evs, s.Asked)
	}
	if got := stream.HandedIn(evs, "# A plan"); len(got) != 1 || got[0].Text != "# A plan" {
		t.Errorf("handed in: %+v", got)
	}
	if got := stream.HandedIn(s.Said("see\n```kedge-plan\n# B\n```\n"), "all"); len(got) != 1 || got[0].Text != "# B\n" {
		t.Errorf("handed in between fences: %+v", got)
	}
}

func TestEnded(t *testing.T) {
	for _, tt := range []struct {
		s     stream.Stream
		done  bool
		code  int
		cause string
		want  agents.Exit
	}{
		{stream.Stream{}, true, 0, "exited", agents.Exit{Meaning: agents.Finished}},
		{stream.Stream{Asked: "q?"}, true, 0, "", agents.Exit{Meaning: agents.Asked, Text: "q?"}},
		{stream.Stream{Other: "oh\nno"}, true, 3, "", agents.Exit{Meaning: agents.Failed, Text: "it ended with exit code 3"}},
		{stream.Stream{Other: "oh\nno"}, false, 0, "exited", agents.Exit{Meaning: agents.Failed, Text: "it ended with exit code 0: oh"}},
		{stream.Stream{Asked: "q?"}, false, 137, "killed", agents.Exit{Meaning: agents.Failed, Text: "it ended with 137 (killed)"}},
	} {
		if got := tt.s.Ended(tt.done, tt.code, tt.cause); got != tt.want {
			t.Errorf("%+v ended as %+v", tt, got)
		}
	}
}

// A status counts more than words, and a number in the middle is no status.
func TestFailure(t *testing.T) {
	for _, tt := range []struct {
		f    stream.Failure
		want agents.Meaning
	}{
		{stream.Failure{Status: 401}, agents.NoLogin},
		{stream.Failure{Status: 529}, agents.Limited},
		{stream.Failure{Status: 400, Text: "the overloaded operator"}, agents.Failed},
		{stream.Failure{Text: "Error: 429: slow down"}, agents.Limited},
		{stream.Failure{Text: "line 429 is too long"}, agents.Failed},
		{stream.Failure{Text: "Connection refused"}, agents.Limited},
		{stream.Failure{Text: "No API key found"}, agents.NoLogin},
		{stream.Failure{}, agents.Failed},
	} {
		if e := tt.f.Exit(); e.Meaning != tt.want || e.Text == "" {
			t.Errorf("%+v is %+v", tt.f, e)
		}
	}
}

func TestQuestions(t *testing.T) {
	var all stream.Questions
	if err := json.Unmarshal([]byte(`[{"question":"Which?","options":[{"label":"Blue"},{"label":"Red"}]},{"question":"How many?"}]`), &all); err != nil {
		t.Fatal(err)
	}
	if evs := all.Ask("c"); len(evs) != 1 || evs[0].ID != "c" || evs[0].Text != "1. Which? (Blue / Red)\n2. How many?" {
		t.Errorf("asked as %+v", evs)
	}
	if evs := all.Later(); len(evs) != 2 || evs[0].Kind != watch.Question || evs[1].Text != "How many?" {
		t.Errorf("asked later as %+v", evs)
	}
	if got := all.Answers(" 1. blue\n2. 3.5"); !slices.Equal(got, []string{"Blue", "3.5"}) {
		t.Errorf("answers %q", got)
	}
	if got := all[:1].Answers("1. no"); !slices.Equal(got, []string{"1. no"}) {
		t.Errorf("the answer to one %q", got)
	}
}

func TestInside(t *testing.T) {
	for file, want := range map[string]string{"a/../b": "b", "/w/x.go": "x.go", "/v//y.go": "y.go", "/w": "", "/elsewhere/x": "", "": ""} {
		if got, ok := stream.Inside(file, "", "/w", "/v"); got != want || ok != (want != "") {
			t.Errorf("%q is %q, %v", file, got, ok)
		}
	}
}

func TestUntil(t *testing.T) {
	at := time.Unix(1_800_000_000, 0).UTC()
	for raw, want := range map[string]time.Time{`1800000000`: at, `"2027-01-15T08:00:00Z"`: at, `"soon"`: {}, `-5`: {}, `1e300`: {}, `{}`: {}, ``: {}} {
		if got := stream.Until(json.RawMessage(raw)); !got.Equal(want) {
			t.Errorf("%s is %s", raw, got)
		}
	}
}

// FuzzMarked: what a program prints for people never stops a reader, and means the
// same in pieces.
func FuzzMarked(f *testing.F) {
	f.Add("KEDGE {\"type\":\"say\",\"text\":\"x\"}\n```kedge-plan\n# p\n```\n", 3)
	f.Add("KEDGE {\"type\":\"usage\",\"usd\":-1}\nKEDGE {\r\n", 1)
	f.Fuzz(func(t *testing.T, text string, size int) {
		read := func(size int) (out []watch.Act, broken int) {
			var s stream.Stream
			for piece := range slices.Chunk([]byte(text), size) {
				evs, _ := s.Each(piece, time.Time{}, func(line []byte, long bool) ([]watch.Act, agents.Input) {
					ev, ok, meant := s.Marked(line, long)
					if ok && !meant {
						t.Errorf("%q is an event that nobody meant", line)
					}
					if !ok {
						return nil, agents.Input{}
					}
					return []watch.Act{ev}, agents.Input{}
				})
				out = append(out, evs...)
			}
			return out, s.Broken()
		}
		whole, broken := read(max(1, len(text)))
		if got, n := read(max(1, size%100)); !reflect.DeepEqual(got, whole) || n != broken {
			t.Errorf("%q means something else in pieces: %v, want %v", text, got, whole)
		}
	})
}
