package agent

import "bytes"

// maxLine is the longest line that is understood: a plan fits, and a program
// that prints without end costs no more than this.
const maxLine = 1 << 20

// lines cuts output into lines, however it comes.
type lines struct {
	part []byte
	long bool // the line is longer than maxLine and is passed over
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
		if len(l.part) == 0 && !l.long && i <= maxLine {
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
	if l.long || len(l.part)+len(b) > maxLine {
		l.part, l.long = nil, true
		return
	}
	l.part = append(l.part, b...)
}
