// Package redact removes secrets from text before Kedge stores it. It owns the table of
// the forms of secrets. It promises that redacting twice is redacting once, that JSON
// stays JSON, that the time is linear in the text, and that hashes, ids and ordinary
// prose stay unchanged. It never guesses by entropy: a pattern that is not specific is
// not in the table.
package redact

import (
	"strings"

	"kedge/internal/text/lazyre"
)

// token is what stands where a secret stood. Scanning never looks across one,
// which is what makes a second pass find nothing new.
var token = lazyre.New(`\[redacted:[a-z0-9-]+\]`)

// Text replaces every secret in s by "[redacted:<family>]".
//
// A replacement can bring two halves of another secret into view (a token used
// as the user name of a URL whose password was just taken out), so passes are
// made until one changes nothing. Every pass that changes something shortens
// the text outside the tokens, so the passes end; in practice there are two.
func Text(s string) string {
	for {
		t := pass(s)
		if t == s {
			return s
		}
		s = t
	}
}

// pass scans the stretches between tokens once, each with every family that can match.
func pass(s string) string {
	may := look(s)
	for i := range families {
		if may&(1<<i) == 0 {
			continue
		}
		if t := betweenTokens(s, families[i].replace); t != s {
			s, may = t, look(t)
		}
	}
	return s
}

// betweenTokens applies fn to what lies between tokens and leaves those alone.
func betweenTokens(s string, fn func(string) string) string {
	cuts := token.FindAllStringIndex(s, -1)
	if cuts == nil {
		return fn(s)
	}
	var out strings.Builder
	at := 0
	for _, c := range cuts {
		out.WriteString(fn(s[at:c[0]]))
		out.WriteString(s[c[0]:c[1]])
		at = c[1]
	}
	out.WriteString(fn(s[at:]))
	return out.String()
}

// hasStem tells whether one of the stems is in s, in letters of any case. Two letters
// outside of ASCII are others in large, too: s with one of them may have any stem.
func hasStem(s string, stems []string) bool {
	var firsts [256]bool
	for _, stem := range stems {
		firsts[stem[0]] = true
	}
	for i := range len(s) {
		c := s[i]
		if c >= 0x80 {
			if strings.HasPrefix(s[i:], "\u017f") || strings.HasPrefix(s[i:], "\u212a") {
				return true
			}
			continue
		}
		if !firsts[c|0x20] {
			continue
		}
		for _, stem := range stems {
			if c|0x20 == stem[0] && len(s)-i >= len(stem) && strings.EqualFold(s[i:i+len(stem)], stem) {
				return true
			}
		}
	}
	return false
}

// replace puts the token in the place of the secret: the whole match, or its
// first group where the match needs context that is kept.
func (f *family) replace(s string) string {
	found := f.re.FindAllStringSubmatchIndex(s, -1)
	if found == nil {
		return s
	}
	var out strings.Builder
	at := 0
	for _, m := range found {
		from, to := m[0], m[1]
		if len(m) > 2 {
			from, to = m[2], m[3]
		}
		if f.ok != nil && !f.ok(s[from:to]) {
			continue
		}
		out.WriteString(s[at:from])
		out.WriteString("[redacted:" + f.name + "]")
		at = to
	}
	out.WriteString(s[at:])
	return out.String()
}
