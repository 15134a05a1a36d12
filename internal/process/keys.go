package process

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Keys tells what is typed for the session from what is typed for Kedge, wherever the
// reads cut it, and however the terminal writes the keys down.
type Keys struct {
	prefixed bool
	cut      []byte // the beginning of a key
	pasting  bool   // what comes was not typed, so nothing in it is for Kedge
	mark     int    // how much of the mark came that begins, or ends, what is pasted
}

// Press is something that was typed: a text for the session, or, after Ctrl-], a key for
// Kedge, which is empty where it is no key that Kedge knows.
type Press struct {
	Text   []byte
	Key    string
	Prefix bool // Ctrl-] came before it
}

// Take gives what was typed, in order.
func (k *Keys) Take(in []byte) (out []Press) {
	in = append(k.cut, in...)
	k.cut = nil
	var text []byte
	flush := func() {
		if len(text) > 0 {
			out = append(out, Press{Text: text})
			text = nil
		}
	}
	for len(in) > 0 {
		if k.pasting {
			n := k.pasted(in)
			text, in = append(text, in[:n]...), in[n:]
			continue
		}
		if cutPrefix(in) {
			k.cut = append([]byte(nil), in...)
			break
		}
		key, n := KeyAt(in)
		one := in[:n]
		in = in[n:]
		if k.pasted(one); k.pasting {
			k.prefixed = false
		}
		switch {
		case !k.prefixed && key == "ctrl-]":
			k.prefixed = true
		case key == "ctrl-] up", k.prefixed && strings.HasSuffix(key, " up"):
		case !k.prefixed:
			text = append(text, one...)
		case key == "ctrl-]":
			k.prefixed = false
			text = append(text, one...)
		default:
			k.prefixed = false
			flush()
			out = append(out, Press{Text: one, Key: key, Prefix: true})
		}
	}
	flush()
	return out
}

// The marks around what is pasted.
const (
	pasteBegins = "\x1b[200~"
	pasteEnds   = "\x1b[201~"
)

// pasted looks for the next mark, wherever the reads cut it, and gives how many bytes of b
// lead up to its end.
func (k *Keys) pasted(b []byte) (n int) {
	mark := pasteBegins
	if k.pasting {
		mark = pasteEnds
	}
	for i, c := range b {
		switch {
		case c == mark[k.mark]:
			k.mark++
		case c == mark[0]:
			k.mark = 1
		default:
			k.mark = 0
		}
		if k.mark == len(mark) {
			k.pasting, k.mark = !k.pasting, 0
			return i + 1
		}
	}
	return len(b)
}

// cutPrefix tells whether the read ended within the long form of the prefix key.
func cutPrefix(in []byte) bool {
	return len(in) >= 3 && len(in) < 8 && (bytes.HasPrefix([]byte("\x1b[93;5:1"), in) || bytes.HasPrefix([]byte("\x1b[27;5;93~"), in)) && in[len(in)-1] != 'u'
}

// keyNames are the keys that terminals write as sequences.
var keyNames = map[string]string{
	"\x1b[A": "up", "\x1b[B": "down", "\x1bOA": "up", "\x1bOB": "down", "\x1b[5~": "pgup", "\x1b[6~": "pgdn",
	"\x1b[H": "home", "\x1b[F": "end", "\x1b[1~": "home", "\x1b[4~": "end", "\x1bOH": "home", "\x1bOF": "end",
	"\r": "enter", "\n": "enter", "\x7f": "backspace", "\b": "backspace", "\x1b": "esc", "\x1d": "ctrl-]", "\x03": "ctrl-c", "\x15": "ctrl-u",
	"\x04": "ctrl-d", "\x06": "ctrl-f", "\x02": "ctrl-b", "\x0e": "down", "\x10": "up",
}

// KeyAt is the first key in b, and how many bytes it takes. What is no key of Kedge's is
// empty, or the character itself.
func KeyAt(b []byte) (key string, n int) {
	if b[0] != 0x1b {
		if name, ok := keyNames[string(b[:1])]; ok {
			return name, 1
		}
		r, n := utf8.DecodeRune(b)
		if r < ' ' || r == utf8.RuneError {
			return "", max(n, 1)
		}
		return string(r), n
	}
	n = sequence(b)
	if name, ok := keyNames[string(b[:n])]; ok {
		return name, n
	}
	if code, mods, up := longKey(b[:n]); code > 0 {
		return longName(code, mods, up), n
	}
	return "", n
}

// sequence is the length of the escape sequence at the beginning of b.
func sequence(b []byte) int {
	if len(b) < 2 {
		return len(b)
	}
	switch b[1] {
	case '[':
		for i := 2; i < len(b); i++ {
			if b[i] >= 0x40 && b[i] <= 0x7e {
				return i + 1
			}
		}
		return len(b)
	case 'O':
		return min(3, len(b))
	case ']', 'P', '_', '^', 'X':
		if i := bytes.Index(b, []byte("\x1b\\")); i > 0 {
			return i + 2
		}
		if i := bytes.IndexByte(b, 0x07); i > 0 {
			return i + 1
		}
		return len(b)
	case 0x1b:
		return 1
	}
	return 2
}

// longKey reads the two long forms of keys: CSI code ; modifiers : event u, and
// CSI 27 ; modifiers ; code ~.
func longKey(b []byte) (code, mods int, up bool) {
	if len(b) < 4 || b[1] != '[' {
		return 0, 0, false
	}
	fields := strings.Split(string(b[2:len(b)-1]), ";")
	first := func(i int) (n int, rest string) {
		if i >= len(fields) {
			return 0, ""
		}
		head, rest, _ := strings.Cut(fields[i], ":")
		n, _ = strconv.Atoi(head)
		return n, rest
	}
	switch b[len(b)-1] {
	case 'u':
		code, _ = first(0)
		m, event := first(1)
		return code, m, event == "3"
	case '~':
		if n, _ := first(0); n == 27 && len(fields) == 3 {
			mods, _ = first(1)
			code, _ = first(2)
			return code, mods, false
		}
	}
	return 0, 0, false
}

func longName(code, mods int, up bool) string {
	name := ""
	switch ctrl := mods > 0 && (mods-1)&4 != 0; {
	case code == ']' && ctrl:
		name = "ctrl-]"
	case code >= 57441 && code <= 57454: // a modifier by itself
		return " up"
	case code == 27:
		name = "esc"
	case code == 13:
		name = "enter"
	case code == 127:
		name = "backspace"
	case ctrl:
		name = "ctrl-" + string(rune(code))
	case mods > 1 && (mods-1)&1 != 0 && code == '/':
		name = "?"
	default:
		name = string(rune(code))
	}
	if up {
		name += " up"
	}
	return name
}

// ByHand tells whether somebody typed this: a terminal also writes what it was asked, that
// it was looked at, and where the mouse moves.
func ByHand(b []byte) bool {
	for len(b) > 0 {
		_, n := KeyAt(b)
		if !written(b[:n]) {
			return true
		}
		b = b[n:]
	}
	return false
}

// written tells of a sequence that a terminal writes by itself.
func written(seq []byte) bool {
	if len(seq) < 3 || seq[0] != 0x1b {
		return false
	}
	switch last := seq[len(seq)-1]; seq[1] {
	case '[':
		if seq[2] == '?' || seq[2] == '>' || seq[2] == 'I' || seq[2] == 'O' {
			return true
		}
		motion := seq[2] == '<' && (bytes.HasPrefix(seq, []byte("\x1b[<35;")) || last == 'm')
		return motion || last == 'R' && bytes.IndexByte(seq, ';') > 0 || last == 'n' || last == 'y' || last == 't'
	case ']', 'P', '_':
		return true
	}
	return false
}
