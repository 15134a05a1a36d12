package term

import "bytes"

// Screens follows what is printed to a terminal and tells which of its screens
// is shown. The zero value is on the first.
type Screens struct {
	second bool
	tail   []byte // the end of what came last: a code may be cut
}

// codes are those that switch screens, without their last byte: h for the second
// one, l for the first.
var codes = [][]byte{[]byte("\x1b[?1049"), []byte("\x1b[?1047"), []byte("\x1b[?47")}

const longestCode = 8

// Saw takes what is printed next.
func (s *Screens) Saw(b []byte) {
	if len(s.tail) == 0 && bytes.IndexByte(b, 0x1b) < 0 {
		return
	}
	all := append(s.tail, b...)
	last := -1
	for _, code := range codes {
		for end := len(all); ; {
			i := bytes.LastIndex(all[:end], code)
			if i < 0 || i < last {
				break
			}
			if at := i + len(code); at < len(all) && (all[at] == 'h' || all[at] == 'l') {
				last, s.second = i, all[at] == 'h'
				break
			}
			end = i
		}
	}
	s.tail = append(s.tail[:0], unfinished(all)...)
}

// unfinished is what may be the beginning of a code at the end of b.
func unfinished(b []byte) []byte {
	b = b[max(0, len(b)-longestCode):]
	if i := bytes.LastIndexByte(b, 0x1b); i >= 0 {
		return b[i:]
	}
	return nil
}

// Second tells whether the second screen is shown.
func (s *Screens) Second() bool { return s.second }
