package plain

import (
	"bytes"
	"slices"
	"strconv"
)

// Asks tells whether a terminal answers a whole escape sequence, or what looks like one: it
// then types as if somebody did.
func Asks(seq []byte) bool {
	if len(seq) < 2 {
		return false
	}
	kind, body := byte(0), seq[2:]
	if seq[0] == 0xc2 {
		kind = seq[1] - 0x40
	} else if kind, body = afterControls(seq[1:]); seq[0] != 0x1b {
		return false
	}
	switch kind {
	case 'Z':
		return true
	case '[':
		return asksCSI(body)
	case ']':
		return asksOSC(body)
	case 'P':
		body = bytes.TrimLeft(body, "0123456789;")
		return bytes.HasPrefix(body, []byte("+q")) || bytes.HasPrefix(body, []byte("$q"))
	case '_':
		return bytes.HasPrefix(body, []byte("G")) && bytes.Contains(body, []byte("a=q"))
	}
	return false
}

// afterControls is what comes first and is no control character, and the rest.
func afterControls(b []byte) (first byte, rest []byte) {
	for len(b) > 0 && isControl(b[0]) {
		b = b[1:]
	}
	if len(b) == 0 {
		return 0, nil
	}
	return b[0], b[1:]
}

// isControl tells of characters that act within a sequence, and are no part of it.
func isControl(c byte) bool { return c < 0x20 || c >= 0x7f }

// csiQueries are the sequences that ask, by what they begin with, what stands before
// their last byte, and that byte.
var csiQueries = map[string]bool{
	"c": true, ">c": true, "=c": true, // who are you
	"n": true, "?n": true, // how are you, and where is the cursor
	"$p": true, "?$p": true, // is a mode set
	"?u": true, "?m": true, // of keys
	">q": true, "&u": true, "$w": true, "*y": true, "?S": true, "x": true,
}

func asksCSI(body []byte) bool {
	if bytes.IndexFunc(body, func(r rune) bool { return isControl(byte(min(r, 0xff))) }) >= 0 {
		body = slices.DeleteFunc(bytes.Clone(body), isControl)
	}
	if len(body) == 0 {
		return false
	}
	final := body[len(body)-1]
	var name []byte
	if c := body[0]; c >= '<' && c <= '?' {
		name = append(name, c)
	}
	for _, c := range body[:len(body)-1] {
		if c >= 0x20 && c <= 0x2f {
			name = append(name, c)
		}
	}
	name = append(name, final)
	switch string(name) {
	case "t":
		first, _, _ := bytes.Cut(body[:len(body)-1], []byte(";"))
		n, err := strconv.Atoi(string(first))
		return err == nil && (n == 11 || n >= 13 && n <= 16 || n >= 18 && n <= 21)
	case "?h":
		for _, n := range bytes.Split(body[1:len(body)-1], []byte(";")) {
			if string(n) == "2048" { // reports its size when it is set
				return true
			}
		}
		return false
	}
	return csiQueries[string(name)]
}

// silent are the OSC whose text is for people, or a link: a ? in it asks nothing.
var silent = map[string]bool{"0": true, "1": true, "2": true, "7": true, "8": true, "9": true, "133": true, "777": true, "1337": true}

func asksOSC(body []byte) bool {
	number, rest, _ := bytes.Cut(body, []byte(";"))
	return !silent[string(number)] && (bytes.HasPrefix(rest, []byte("?")) || bytes.Contains(rest, []byte(";?")))
}
