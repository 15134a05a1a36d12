package record_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"kedge/internal/agents/catalog"
	"kedge/internal/agents/record"
	"kedge/internal/core/watch"
	"kedge/internal/insight/audit"
	"kedge/internal/insight/transcript"
)

// noPrice knows no prices.
func noPrice(string, string, audit.Usage) *float64 { return nil }

// TestActsOfEveryAgent: what is watched of a transcript is what an audit counts of it,
// for every agent that leaves one as text: each reply ends a turn, the tokens are those
// of the replies, the context the largest, and every call has its result.
func TestActsOfEveryAgent(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "insight", "transcript", "testdata", "*.*"))
	if err != nil || len(files) < 7 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			list, err := catalog.Transcripts().Open(t.Context(), path)
			if err != nil || len(list) != 1 {
				t.Fatalf("%v, %v", list, err)
			}
			got := watchedOf(t, list[0])
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = f.Close() }()
			want, _, err := catalog.Transcripts().Count(t.Context(), list[0].Agent, f, noPrice)
			if err != nil {
				t.Fatal(err)
			}
			calls, output := want.Calls, want.OutputTokens
			for _, r := range want.Replies { // what a sub-agent was told ends no turn
				if r.Nested {
					calls--
					*output -= r.Usage.Output
				}
			}
			if got.turns != calls || got.compactions != want.Compactions {
				t.Errorf("%d turns and %d compactions, the audit has %d and %d", got.turns, got.compactions, calls, want.Compactions)
			}
			if want.MaxContextTokens != nil && got.context != *want.MaxContextTokens {
				t.Errorf("a context of %d tokens, the audit has %d", got.context, *want.MaxContextTokens)
			}
			if output != nil && got.output != *output {
				t.Errorf("%d tokens of output, the audit has %d", got.output, *output)
			}
			if got.failed < want.FailedCommands || got.calls == 0 && want.Reads+want.Commands > 0 {
				t.Errorf("%+v, the audit has %d failed commands", got, want.FailedCommands)
			}
		})
	}
}

// seen is what was watched of a transcript.
type seen struct {
	turns, compactions, context, output, calls, failed int64
}

func watchedOf(t *testing.T, f transcript.File) (got seen) {
	t.Helper()
	var acts record.Acts
	var last time.Time
	_, err := catalog.Transcripts().ReadFile(t.Context(), f, transcript.Options{Text: true}, func(e *audit.Entry) {
		for _, act := range acts.Take(e) {
			if act.At.Before(last) {
				t.Errorf("%s at %s, behind %s", act.Kind, act.At, last)
			}
			last = act.At
			got.take(act)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func (s *seen) take(act watch.Act) {
	switch act.Kind {
	case watch.Turn:
		s.turns++
	case watch.Compact:
		s.compactions++
	case watch.Call:
		s.calls++
	case watch.Result:
		if act.Failed {
			s.failed++
		}
	case watch.Usage:
		s.output += *act.Used.Output
		if c := act.Used.Context; c != nil {
			s.context = max(s.context, *c)
		}
	default:
	}
}

// TestActsOfAReplyToldTwice: a reply that a program writes down as it comes is one turn,
// and what it used counts once.
func TestActsOfAReplyToldTwice(t *testing.T) {
	var acts record.Acts
	var got seen
	for _, e := range []audit.Entry{
		{Kind: audit.Reply, Reply: "a", At: "2026-01-01T00:00:00.000Z", Usage: &audit.Usage{Input: 100, Output: 1}},
		{Kind: audit.Reply, Reply: "a", Usage: &audit.Usage{Input: 100, Output: 1}},
		{Kind: audit.Reply, Reply: "a", Usage: &audit.Usage{Input: 100, Output: 9}, Window: 1000},
		{Kind: audit.Reply, Reply: "b", Usage: &audit.Usage{Input: 120, Output: 2}},
	} {
		for _, act := range acts.Take(&e) {
			got.take(act)
			if act.At.IsZero() {
				t.Errorf("%s has no time", act.Kind)
			}
			if act.Used != nil && *act.Used.Input < 0 {
				t.Errorf("%d tokens of input", *act.Used.Input)
			}
		}
	}
	if want := (seen{turns: 2, context: 120, output: 11}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
