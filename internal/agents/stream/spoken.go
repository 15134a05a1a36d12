package stream

import (
	"bytes"
	"strings"

	"kedge/internal/core/watch"
)

// marker begins a line that is an event.
const marker = "KEDGE {"

// maxPlan is the longest plan that is taken from a fenced block.
const maxPlan = 1 << 20

// spoken reads lines for what is meant for Kedge in them: events after a marker,
// and plans between fences, for programs that only print.
type spoken struct {
	plan   []byte
	inPlan bool
}

// line takes one line; broken says that it was meant for Kedge and cannot be
// understood.
func (s *spoken) line(line []byte) (ev watch.Act, ok, broken bool) {
	switch {
	case s.inPlan || string(line) == "```kedge-plan":
		return s.planLine(line)
	case !bytes.HasPrefix(line, []byte(marker)):
		return watch.Act{}, false, false // what it prints for people
	}
	ev, ok = parseEvent(line[len(marker)-1:])
	return ev, ok, !ok
}

func (s *spoken) planLine(line []byte) (ev watch.Act, ok, broken bool) {
	switch {
	case !s.inPlan:
		s.inPlan, s.plan = true, nil
		return watch.Act{}, false, false
	case string(line) != "```":
		if len(s.plan)+len(line) >= maxPlan {
			return watch.Act{}, false, true
		}
		s.plan = append(append(s.plan, line...), '\n')
		return watch.Act{}, false, false
	}
	ev = watch.Act{Kind: watch.PlanText, Text: strings.ToValidUTF8(string(s.plan), "\uFFFD")}
	s.inPlan, s.plan = false, nil
	return ev, true, false
}

// text takes what a program that reports its own doings says: something for
// people, and what of that is meant for Kedge.
func (s *spoken) text(text string) (evs []watch.Act, broken int) {
	evs = []watch.Act{{Kind: watch.Say, Text: Cut(text)}}
	for line := range strings.Lines(text) {
		ev, ok, bad := s.line([]byte(strings.TrimRight(line, "\r\n")))
		if bad {
			broken++
		}
		if ok && (ev.Kind == watch.Ask || ev.Kind == watch.Question || ev.Kind == watch.PlanText || ev.Kind == watch.Step) {
			evs = append(evs, ev)
		}
	}
	return evs, broken
}

// HandedIn is what counts of a plan that a program hands in by its own means: the
// plans and the questions in what it says; else the text is the plan.
func HandedIn(said []watch.Act, text string) []watch.Act {
	var out []watch.Act
	for _, ev := range said {
		if ev.Kind == watch.PlanText || ev.Kind == watch.Question {
			out = append(out, ev)
		}
	}
	if len(out) == 0 {
		out = append(out, watch.Act{Kind: watch.PlanText, Text: text})
	}
	return out
}
