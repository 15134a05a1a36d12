package agent

import (
	"bytes"
	"strings"

	"kedge/internal/watch"
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
func (s *spoken) line(line []byte) (ev watch.Event, ok, broken bool) {
	switch {
	case s.inPlan || string(line) == "```kedge-plan":
		return s.planLine(line)
	case !bytes.HasPrefix(line, []byte(marker)):
		return watch.Event{}, false, false // what it prints for people
	}
	ev, ok = parseEvent(line[len(marker)-1:])
	return ev, ok, !ok
}

func (s *spoken) planLine(line []byte) (ev watch.Event, ok, broken bool) {
	switch {
	case !s.inPlan:
		s.inPlan, s.plan = true, nil
		return watch.Event{}, false, false
	case string(line) != "```":
		if len(s.plan)+len(line) >= maxPlan {
			return watch.Event{}, false, true
		}
		s.plan = append(append(s.plan, line...), '\n')
		return watch.Event{}, false, false
	}
	ev = watch.Event{Kind: watch.PlanText, Text: strings.ToValidUTF8(string(s.plan), "\uFFFD")}
	s.inPlan, s.plan = false, nil
	return ev, true, false
}
