package agent

import (
	"bytes"

	"kedge/internal/watch"
)

// maxLine is the longest line that is understood where nothing else is set: a plan
// fits, and a program that prints without end costs no more than this.
const maxLine = 1 << 20

// lines cuts output into lines, however it comes.
type lines struct {
	max  int // 0: maxLine
	part []byte
	long bool // the line is longer than max and is passed over
}

// feed tells each of every whole line, without its end; long says that the line
// was too long and is not there.
func (l *lines) feed(b []byte, each func(line []byte, long bool)) {
	for len(b) > 0 {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			l.keep(b)
			return
		}
		if len(l.part) == 0 && !l.long && i <= l.most() {
			each(bytes.TrimSuffix(b[:i], []byte("\r")), false)
		} else {
			l.keep(b[:i])
			each(bytes.TrimSuffix(l.part, []byte("\r")), l.long)
		}
		l.part, l.long = l.part[:0], false
		b = b[i+1:]
	}
}

func (l *lines) keep(b []byte) {
	if l.long || len(l.part)+len(b) > l.most() {
		l.part, l.long = nil, true
		return
	}
	l.part = append(l.part, b...)
}

func (l *lines) most() int {
	if l.max > 0 {
		return l.max
	}
	return maxLine
}

// feedLines takes output line by line, and puts together what each of them gave.
func feedLines(l *lines, b []byte, at Time, each func(line []byte, long bool) ([]watch.Event, Input)) ([]watch.Event, Input) {
	var evs []watch.Event
	var in Input
	l.feed(b, func(line []byte, long bool) {
		got, reply := each(line, long)
		for _, ev := range got {
			ev.At = at
			evs = append(evs, ev)
		}
		in.Text = append(in.Text, reply.Text...)
		in.Close = in.Close || reply.Close
	})
	return evs, in
}
