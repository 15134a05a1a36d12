package redact

import (
	"strings"
	"sync"
)

// look tells which families may match, a bit for each. It goes over the text once: where
// three bytes begin no hint and no stem, and almost nowhere they do, it does nothing else.
func look(s string) (may uint64) {
	t := looks()
	for i := 0; i+start <= len(s); i++ {
		at := hash(s[i], s[i+1], s[i+2])
		if t.begins[at>>6]&(1<<(at&63)) == 0 {
			continue
		}
		for _, c := range t.clues[at] {
			if may&c.may != c.may && c.at(s[i:]) {
				may |= c.may
			}
		}
	}
	return may
}

// start is how many bytes of a hint or a stem are looked up.
const start = 3

// hash mixes three bytes.
func hash(a, b, c byte) uint16 { return uint16(a)*0x9e35 ^ uint16(b)*0x5bd1<<3 ^ uint16(c)*0x27d5 }

// clue is a text that begins what some families match.
type clue struct {
	text string
	fold bool // in letters of any case
	near func(rest string) bool
	may  uint64
}

// at tells whether a text begins with the clue.
func (c *clue) at(s string) bool {
	if len(s) < len(c.text) {
		return false
	}
	head := s[:len(c.text)]
	if head != c.text && !(c.fold && strings.EqualFold(head, c.text)) {
		return false
	}
	return c.near == nil || c.near(s[len(c.text):])
}

// lookup finds the clues that begin with three bytes.
type lookup struct {
	begins [1 << 16 / 64]uint64
	clues  map[uint16][]clue
}

// looks makes the lookup of the table, when it is first used.
var looks = sync.OnceValue(func() *lookup {
	t := &lookup{clues: map[uint16][]clue{}}
	var folding uint64 // the families with stems
	for i := range families {
		f, may := &families[i], uint64(1)<<i
		for _, h := range f.hints {
			t.add(h[:start], clue{text: h, near: f.near, may: may})
		}
		for _, stem := range f.stems {
			folding |= may
			for _, head := range cases(stem[:start]) {
				t.add(head, clue{text: stem, fold: true, near: f.near, may: may})
			}
		}
	}
	// Two letters outside of ASCII are others in large: a text with one of them may have any stem.
	for _, odd := range []string{"\u017f", "\u212a"} {
		for c := range 256 {
			t.add((odd + string([]byte{byte(c)}))[:start], clue{text: odd, may: folding})
		}
	}
	return t
})

// add puts a clue where its first bytes are looked up, once.
func (t *lookup) add(head string, c clue) {
	at := hash(head[0], head[1], head[2])
	t.begins[at>>6] |= 1 << (at & 63)
	for _, have := range t.clues[at] {
		if have.text == c.text && have.may == c.may {
			return
		}
	}
	t.clues[at] = append(t.clues[at], c)
}

// cases gives a text in all combinations of small and capital letters.
func cases(s string) []string {
	out := []string{""}
	for i := range len(s) {
		small, large := strings.ToLower(s[i:i+1]), strings.ToUpper(s[i:i+1])
		var next []string
		for _, head := range out {
			next = append(next, head+small)
			if large != small {
				next = append(next, head+large)
			}
		}
		out = next
	}
	return out
}

// hasPassword tells whether a colon and then an @ follow in the same part of a URL.
func hasPassword(rest string) bool {
	colon := false
	for i := range len(rest) {
		switch rest[i] {
		case '/', '"', '\'', '<', '>', ' ', '\t', '\n', '\f', '\r':
			return false
		case ':':
			colon = true
		case '@':
			return colon
		}
	}
	return false
}

// afterName passes what may stand between a name and its sign: a quote, escaped or not,
// and space.
func afterName(rest string) string {
	rest = strings.TrimPrefix(rest, `\`)
	if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		rest = rest[1:]
	}
	return strings.TrimLeft(rest, " \t\n\f\r")
}

// hasValue tells whether a name is followed by a sign that gives it a value.
func hasValue(rest string) bool {
	rest = afterName(rest)
	return rest != "" && (rest[0] == '=' || rest[0] == ':')
}

// isQuoted tells whether a name is given a value in quotes.
func isQuoted(rest string) bool {
	if !hasValue(rest) {
		return false
	}
	rest = strings.TrimPrefix(strings.TrimLeft(strings.TrimLeft(afterName(rest), ":=>"), " \t\n\f\r"), `\`)
	return rest != "" && (rest[0] == '"' || rest[0] == '\'')
}

// bears tells whether something long enough to be a token follows.
func bears(rest string) bool {
	const least = 20
	if len(rest) < least {
		return false
	}
	for i := range least {
		c := rest[i]
		if !(c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("._~+/=-", c) >= 0) {
			return false
		}
	}
	return true
}
