package brief

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"kedge"
	"kedge/internal/text/words"
)

// A document is a marker line with attributes, its sections, an end marker with
// the hash of everything before it, and below that whatever people wrote.
const (
	openPrefix = "<!-- kedge:"
	endPrefix  = "<!-- kedge:end "
	markerEnd  = " -->"
	none       = "none"    // an attribute that is empty
	unknown    = "unknown" // a figure nobody reported
)

type attr struct{ key, value string }

// marker writes the opening line of a document.
func marker(kind string, attrs []attr) string {
	var b strings.Builder
	b.WriteString(openPrefix + kind + " v1")
	for _, a := range attrs {
		b.WriteString(" " + a.key + "=" + attrValue(a.value))
	}
	return b.String() + markerEnd + "\n"
}

// attrValue writes a value bare where it is plain, else quoted so that it can
// not end the comment it stands in.
func attrValue(s string) string {
	switch {
	case s == "":
		return none
	case s != none && plain(s):
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	for i, r := range s {
		switch {
		case r == '"', r == '\\':
			b.WriteString(`\` + string(r))
		case r == '\n':
			b.WriteString(`\n`)
		case hidden(r), r == '<', r == '>', r == '-' && strings.HasSuffix(s[:i], "-"):
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}

// plain tells whether s can stand unquoted in a marker.
func plain(s string) bool {
	for _, c := range []byte(s) {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && strings.IndexByte("._:+-", c) < 0 {
			return false
		}
	}
	return !strings.Contains(s, "--")
}

// parseMarker reads the opening line of a document of the given kind, whose
// attributes are exactly keys, in that order.
func parseMarker(text, kind string, keys []string) (map[string]string, error) {
	rest, ok := strings.CutPrefix(text, openPrefix+kind+" v1 ")
	if !ok {
		return nil, fmt.Errorf("the line does not start with %q", openPrefix+kind+" v1")
	}
	rest, ok = strings.CutSuffix(rest, markerEnd)
	if !ok {
		return nil, fmt.Errorf("the line does not end with %q", strings.TrimSpace(markerEnd))
	}
	vals := make(map[string]string, len(keys))
	for i, key := range keys {
		if i > 0 {
			if rest, ok = strings.CutPrefix(rest, " "); !ok {
				return nil, fmt.Errorf("the first line has no attribute %q", key)
			}
		}
		if rest, ok = strings.CutPrefix(rest, key+"="); !ok {
			return nil, fmt.Errorf("attribute %q is missing in the first line, or is in the wrong place", key)
		}
		var err error
		if vals[key], rest, err = attrRead(rest); err != nil {
			return nil, fmt.Errorf("attribute %q: %w", key, err)
		}
	}
	if rest != "" {
		return nil, fmt.Errorf("the first line has the unknown attribute %q", words.ClipBytes(strings.TrimSpace(rest), 40))
	}
	return vals, nil
}

// attrRead takes one value off the front of s.
func attrRead(s string) (value, rest string, err error) {
	if !strings.HasPrefix(s, `"`) {
		value, _, _ = strings.Cut(s, " ")
		rest = s[len(value):]
		if value == none {
			value = ""
		}
		return value, rest, nil
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			value, err = unescape(s[1:i])
			return value, s[i+1:], err
		}
	}
	return "", "", fmt.Errorf("a closing quote is missing")
}

// seal ends a document: the hash of the body, then what people wrote.
func seal(body, notes string) []byte {
	return []byte(body + endPrefix + "sha256=" + hash(body) + markerEnd + "\n" + notes)
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// parts is a document taken apart at its end marker. end is that line, or
// empty when there is none; endLine is its number.
type parts struct {
	body, end, notes string
	endLine          int
}

// split finds the first end marker. Nothing Kedge writes above it can look like
// one, so what is below is people's.
func split(b []byte) parts {
	text, pos, n := string(b), 0, 1
	for pos < len(text) {
		cur, _, _ := strings.Cut(text[pos:], "\n")
		next := min(pos+len(cur)+1, len(text))
		if strings.HasPrefix(cur, endPrefix) {
			return parts{body: text[:pos], end: cur, notes: text[next:], endLine: n}
		}
		pos, n = next, n+1
	}
	return parts{body: text, endLine: n}
}

// checkEnd tells what is wrong with the end marker.
func (p parts) checkEnd() error {
	if p.end == "" {
		return fmt.Errorf("the marker line that ends Kedge's text is missing: %q", strings.TrimSpace(endPrefix))
	}
	if want := endPrefix + "sha256=" + hash(p.body) + markerEnd; p.end != want {
		return fmt.Errorf("the text above this marker line was changed by hand: its hash is now sha256=%s", hash(p.body))
	}
	return nil
}

// HumanNotes gives what people wrote below the end marker, whatever state the
// rest of the document is in. A text without an end marker is theirs whole.
func HumanNotes(b []byte) string {
	p := split(b)
	if p.end == "" {
		return string(bytes.ToValidUTF8(b, []byte("\uFFFD")))
	}
	return strings.ToValidUTF8(p.notes, "\uFFFD")
}

// bad is the error for a place in a document.
func bad(file string, n int, format string, args ...any) *kedge.Error {
	return kedge.Errorf(kedge.Invalid, "%s:%d: %s", file, n, fmt.Sprintf(format, args...))
}

// at is the place of a finding.
func at(file string, n int) string { return file + ":" + strconv.Itoa(n) }
