// Package stream is the shared code of the adapters' readers: it cuts the output of a
// program into lines, stores what every reader needs of them, finds messages to Kedge in
// the output, and classifies providers' errors by their words. It owns what is the same
// for all programs and knows no program by name. Its memory is bounded, whatever a
// program prints, and the same bytes give the same events in whatever pieces they come.
// It starts nothing and reads no clock.
package stream

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"

	"kedge/internal/agents"
	"kedge/internal/core/watch"
)

// maxLine is the longest line that is understood where nothing else is set: a plan
// fits, and a program that prints without end costs no more than this.
const maxLine = 1 << 20

// LongLine is the longest line that is understood of programs that tell everything
// in lines of JSON: one may hold a whole file, before and after.
const LongLine = 16 << 20

// Stream is what a reader of any program keeps; readers embed it. The zero value
// is ready, for lines of up to a megabyte.
type Stream struct {
	Max   int    // the longest line that is understood; 0: a megabyte
	Other string // the last line that is no event: what a program says before it gives up
	Asked string // the last question that it says, in its text, that it ends with

	broken int
	part   []byte
	long   bool // the line is longer than Max and is passed over
	spoken spoken
}

// Broken implements agents.Reader.
func (s *Stream) Broken() int { return s.broken }

// Break counts a line that could not be understood.
func (s *Stream) Break() { s.broken++ }

// Told is what comes of a piece of output: events, each at the time when the piece
// was printed, and what is answered to it.
type Told struct {
	At     agents.Time
	Events []watch.Act
	Input  agents.Input
}

// Add puts in what one line gave.
func (t *Told) Add(evs []watch.Act, in agents.Input) {
	for _, ev := range evs {
		ev.At = t.At
		t.Events = append(t.Events, ev)
	}
	t.Input.Text = append(t.Input.Text, in.Text...)
	t.Input.Close = t.Input.Close || in.Close
}

// Each tells each of every line that is whole now, without its end, and puts
// together what that gave. Long says that the line was too long and is not there.
func (s *Stream) Each(b []byte, at agents.Time, each func(line []byte, long bool) ([]watch.Act, agents.Input)) ([]watch.Act, agents.Input) {
	told := Told{At: at}
	s.cut(b, func(line []byte, long bool) { told.Add(each(line, long)) })
	return told.Events, told.Input
}

// cut tells each of every whole line, however they come.
func (s *Stream) cut(b []byte, each func(line []byte, long bool)) {
	for len(b) > 0 {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			s.keep(b)
			return
		}
		if len(s.part) == 0 && !s.long && i <= s.most() {
			each(bytes.TrimSuffix(b[:i], []byte("\r")), false)
		} else {
			s.keep(b[:i])
			each(bytes.TrimSuffix(s.part, []byte("\r")), s.long)
		}
		s.part, s.long = s.part[:0], false
		b = b[i+1:]
	}
}

func (s *Stream) keep(b []byte) {
	if s.long || len(s.part)+len(b) > s.most() {
		s.part, s.long = nil, true
		return
	}
	s.part = append(s.part, b...)
}

func (s *Stream) most() int {
	if s.Max > 0 {
		return s.Max
	}
	return maxLine
}

// Decode reads a line of JSON into v; false when it is none, which is then kept as
// Other or counted as broken. A field that is something else than v has it is left
// out: programs change, and the rest counts.
func (s *Stream) Decode(line []byte, long bool, v any) bool {
	switch {
	case long:
		s.Break()
		return false
	case !bytes.HasPrefix(line, []byte("{")):
		s.Other = cmp.Or(Plain(line), s.Other)
		return false
	}
	var odd *json.UnmarshalTypeError
	if err := json.Unmarshal(line, v); err != nil && !errors.As(err, &odd) {
		s.Break()
		return false
	}
	return true
}

// Said is what a program that reports its own doings says: a text for people, and
// what of it is meant for Kedge. What it did and used is known better than it can
// tell.
func (s *Stream) Said(text string) []watch.Act {
	out := s.Quoted(text)
	for _, ev := range out {
		if ev.Kind == watch.Ask {
			s.Asked = ev.Text
		}
	}
	return out
}

// Quoted is the same of a text that is no word of the session itself: a question
// in it is none that it ends with.
func (s *Stream) Quoted(text string) []watch.Act {
	out, broken := s.spoken.text(text)
	s.broken += broken
	return out
}

// Marked is the event that a line of text holds, of a program that only prints;
// meant tells that the line is for Kedge, event or not.
func (s *Stream) Marked(line []byte, long bool) (ev watch.Act, ok, meant bool) {
	if long {
		s.Break()
		return watch.Act{}, false, true
	}
	ev, ok, broken := s.spoken.line(line)
	if broken {
		s.Break()
	}
	return ev, ok, ok || broken || s.spoken.inPlan
}

// Ended is the end of a program that tells when its work is done.
func (s *Stream) Ended(done bool, code int, cause string) agents.Exit {
	switch {
	case done && s.Asked != "":
		return agents.Exit{Meaning: agents.Asked, Text: s.Asked}
	case done && code == 0:
		return agents.Exit{Meaning: agents.Finished}
	case done:
		return agents.Exit{Meaning: agents.Failed, Text: EndText(code, cause, "")}
	default:
		return agents.Exit{Meaning: agents.Failed, Text: EndText(code, cause, s.Other)}
	}
}
