package brief

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"kedge/internal/text/words"
)

// hidden tells whether a rune can change how the text around it is shown without
// being seen itself: controls, line and paragraph separators, bidi marks,
// byte-order marks and the tag block.
func hidden(r rune) bool {
	switch {
	case unicode.IsControl(r), r == 0x2028, r == 0x2029, r == 0xFEFF, r == 0x061C:
		return true
	case r >= 0x200E && r <= 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069:
		return true
	default:
		return r >= 0xE0000 && r <= 0xE007F
	}
}

// clean is the form in which every text is stored: valid UTF-8, one kind of line
// end, nothing blank around it.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.TrimSpace(s)
}

// escape makes one line of s that Markdown shows as text: no line break, no
// comment, no heading, no fence. unescape gives s back.
func escape(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\\', r == '!' && strings.HasSuffix(s[:i], "<"), i == 0 && leads(s):
			b.WriteByte('\\')
			b.WriteRune(r)
		case hidden(r):
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// leads tells whether the first character of s would begin a Markdown block. A
// digit cannot be escaped, and "1." inside a list item does no harm.
func leads(s string) bool { return s != "" && strings.IndexByte("#`~-+*>|=_[", s[0]) >= 0 }

const punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

// unescape reads what escape wrote. It refuses an escape it does not know.
func unescape(s string) (string, error) {
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '\\')
		if i < 0 {
			b.WriteString(s)
			return b.String(), nil
		}
		b.WriteString(s[:i])
		r, n := escaped(s[i+1:])
		if n == 0 {
			return "", fmt.Errorf("unknown escape sequence %q", words.ClipBytes(s[i:], 12))
		}
		b.WriteRune(r)
		s = s[i+1+n:]
	}
}

// escaped reads what follows a backslash: the rune meant and how many bytes it
// took, none when it is no escape.
func escaped(s string) (rune, int) {
	switch {
	case s == "":
		return 0, 0
	case s[0] == 'n':
		return '\n', 1
	case strings.IndexByte(punctuation, s[0]) >= 0:
		return rune(s[0]), 1
	case strings.HasPrefix(s, "u{"):
		return escapedRune(s)
	default:
		return 0, 0
	}
}

func escapedRune(s string) (rune, int) {
	end := strings.IndexByte(s, '}')
	if end < 0 {
		return 0, 0
	}
	n, err := strconv.ParseInt(s[len("u{"):end], 16, 32)
	if err != nil || !utf8.ValidRune(rune(n)) {
		return 0, 0
	}
	return rune(n), end + 1
}

// visible writes hidden characters out, so that nobody is shown other text than
// a machine reads. Line breaks and tabs stay.
func visible(s string) string {
	if strings.IndexFunc(s, hidden) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if hidden(r) && r != '\n' && r != '\t' {
			fmt.Fprintf(&b, `\u{%x}`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// quote frames stored text as data: every line of it starts with "> ".
func quote(s string) string {
	return "> " + strings.ReplaceAll(visible(clean(s)), "\n", "\n> ")
}

// line is stored text on one line.
func line(s string) string { return strings.Join(strings.Fields(visible(clean(s))), " ") }
