package agent

import (
	"bytes"
	"path"
	"strings"

	"kedge/internal/ansi"
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

// text takes what a program that reports its own doings says: something for
// people, and what of that is meant for Kedge. What it did and used is known
// better than it can tell.
func (s *spoken) text(text string) (evs []watch.Event, broken int) {
	evs = []watch.Event{{Kind: watch.Say, Text: cut(text, maxText)}}
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

// askedIn is the last question that a program says it ends with.
func askedIn(evs []watch.Event, before string) string {
	for _, ev := range evs {
		if ev.Kind == watch.Ask {
			before = ev.Text
		}
	}
	return before
}

// inside is a file's path from the root of the work tree, which is one of dirs;
// false for one that lies elsewhere.
func inside(file string, dirs ...string) (string, bool) {
	if file == "" {
		return "", false
	}
	if !path.IsAbs(file) {
		return path.Clean(file), true
	}
	for _, dir := range dirs {
		if rest, ok := strings.CutPrefix(path.Clean(file), dir+"/"); ok && dir != "" {
			return rest, true
		}
	}
	return "", false
}

// otherLine is a line that is no event, as text: often what a program says before
// it gives up.
func otherLine(line []byte) string {
	return cut(strings.TrimSpace(strings.ToValidUTF8(string(ansi.Text(line)), "\uFFFD")), maxText)
}
