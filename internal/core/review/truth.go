package review

import (
	"slices"
	"strings"

	"kedge/internal/text/lazyre"
)

var (
	truths = lazyre.New(`(?i)^(?:true|false|null|none|nil|undefined)$`)
	equals = lazyre.New(`(?i)^(?:assert_?)?(?:equals?|same|is|strict_?equal|toBe|toEqual|toStrictEqual|eql?|deep_?equal)$`)
)

// SameTruth tells whether one claim compares with true, nil or their like, and another asks for just that by
// its name: assertEquals(true, x) and assertTrue(x).
func (c Asks) SameTruth(was Asks) bool {
	truth := ""
	for _, w := range was {
		switch {
		case slices.Contains(c, w) || w == ",":
		case truths.MatchString(w) && truth == "":
			truth = strings.ToLower(w)
		case !equals.MatchString(w):
			return false
		}
	}
	return truth != "" && slices.ContainsFunc(c, func(w string) bool {
		w = strings.ToLower(strings.ReplaceAll(w, "_", ""))
		return len(w) > len(truth) && strings.HasSuffix(w, truth) && !strings.Contains(w, "not") || w == truth
	})
}

// Readable writes the words of a claim as code is written.
func (c Asks) Readable() string {
	var b strings.Builder
	for i, w := range c {
		if arrow := w == "->" || i > 0 && c[i-1] == "->"; i > 0 && !arrow && !strings.Contains(")],.;:(", w) && !strings.Contains("([.!$@#", c[i-1]) || i > 0 && w == "(" && strings.Contains(",=&|", c[i-1]) {
			b.WriteByte(' ')
		}
		b.WriteString(w)
	}
	return b.String()
}
