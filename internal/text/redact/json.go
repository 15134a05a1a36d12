package redact

import (
	"bytes"
	"encoding/json"

	"kedge/internal/text/lazyre"
)

// secretName is a key of an object whose string value is a secret whatever it
// looks like.
var secretName = lazyre.New(
	`(?i)^(?:.*[_.-])?(?:secret|secret_?key|client_?secret|token|access_?token|refresh_?token|auth_?token|passw(?:or)?d|api_?key|access_?key|secret_?access_?key|private_?key)$`)

// secretStems are the words of which each such key has one.
var secretStems = []string{"secret", "token", "passw", "key"}

// namesSecret tells whether a key is such a one; most keys never meet the regular
// expression.
func namesSecret(key string) bool { return hasStem(key, secretStems) && secretName.MatchString(key) }

// JSON redacts inside the strings of b, keys included, as they read when
// unescaped. What holds no secret comes back byte for byte, so that a hash made
// over it before still fits. Bytes that are not JSON are treated as text.
func JSON(b []byte) []byte {
	if !json.Valid(b) {
		b = []byte(Text(string(b)))
		if !json.Valid(b) { // taking out a raw key may have made it JSON
			return b
		}
	}
	w := walker{in: b}
	w.walk()
	if w.out.Len() == 0 {
		return b
	}
	w.out.Write(b[w.kept:])
	return w.out.Bytes()
}

// walker copies JSON through, string by string. kept is the end of what has
// been written to out; out stays empty while nothing has changed.
type walker struct {
	in   []byte
	out  bytes.Buffer
	kept int
}

// walk visits every string. A string followed by a colon is a key, and the
// string straight after that colon is its value.
func (w *walker) walk() {
	secret := false
	for i := 0; i < len(w.in); {
		switch c := w.in[i]; {
		case c == '"':
			end := stringEnd(w.in, i)
			var s string
			_ = json.Unmarshal(w.in[i:end], &s) // valid: the whole of it is
			s = w.visit(i, end, s, secret)
			next := skipSpace(w.in, end)
			secret = next < len(w.in) && w.in[next] == ':' && namesSecret(s)
			i = end
		case c == ':' || c == ' ' || c == '\n' || c == '\t' || c == '\r':
			i++
		default:
			secret = false
			i++
		}
	}
}

// visit replaces the string in[from:to], whose meaning is s, where it must, and
// gives what stands there now.
func (w *walker) visit(from, to int, s string, secret bool) string {
	t := Text(s)
	if secret && len(t) >= 6 && literal(t) && !token.MatchString(t) {
		t = "[redacted:field]"
	}
	if t == s {
		return t
	}
	quoted, _ := json.Marshal(t) // a string always encodes
	w.out.Write(w.in[w.kept:from])
	w.out.Write(quoted)
	w.kept = to
	return t
}

// stringEnd gives the index after the string that opens at i.
func stringEnd(b []byte, i int) int {
	for i++; i < len(b) && b[i] != '"'; i++ {
		if b[i] == '\\' {
			i++
		}
	}
	return i + 1
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}
