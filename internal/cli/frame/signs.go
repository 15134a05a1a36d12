package frame

import "strings"

// UTF8 tells whether the person's terminal shows more than ASCII: the locale says so, or
// says nothing.
func (env *Env) UTF8() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToUpper(env.Getenv(name)); v != "" {
			return strings.Contains(v, "UTF-8") || strings.Contains(v, "UTF8")
		}
	}
	return true
}

// The signs of states. A word beside a sign says the same.
const (
	SignRuns     = "●"
	SignWaits    = "◐"
	SignVerified = "✓"
	SignFailed   = "✗"
	SignOver     = "○"
	SignMore     = "·"
)

// asciiSigns are Kedge's own signs, and what stands for each where the terminal shows
// only ASCII: as many cells.
var asciiSigns = []string{
	SignRuns, "*", SignWaits, "?", SignVerified, "+", SignFailed, "x", SignOver, "-", SignMore, "-",
	"…", "~", "×", "x", "→", ">", "▆", "#", "▁", ".",
}

func inASCII(text string) string { return strings.NewReplacer(asciiSigns...).Replace(text) }

// Signs is a text of Kedge as the terminal can show it.
func (env *Env) Signs(text string) string {
	if env.UTF8() {
		return text
	}
	return inASCII(text)
}

// Gauge draws a part of a whole as so many cells, full and empty ones.
func Gauge(part, whole int64, cells int) string {
	full := 0
	if whole > 0 {
		full = int(min(max(part*int64(cells)/whole, 0), int64(cells)))
		if part > 0 {
			full = min(max(full, 1), cells)
		}
	}
	return strings.Repeat("▆", full) + strings.Repeat("▁", cells-full)
}

// The signs of pictures that are one line high, from low to high and from narrow to wide.
var (
	levels      = []rune("▁▂▃▄▅▆▇█")
	plainLevels = []rune("_.,-=+*#")
	eighths     = []rune("▏▎▍▌▋▊▉█")
)

// Spark draws figures as a line of signs, each as high as its part of most. What is more
// than nothing is never drawn as nothing.
func Spark(figures []int64, most int64, utf8 bool) string {
	signs := plainLevels
	if utf8 {
		signs = levels
	}
	n := int64(len(signs))
	var b strings.Builder
	for _, f := range figures {
		b.WriteRune(signs[min(max((f*n-1)/max(most, 1), 0), n-1)])
	}
	return b.String()
}

// Bar draws a part of a whole, of at most so many cells. What is more than nothing has a
// sign.
func Bar(part, whole int64, cells int, utf8 bool) string {
	if part <= 0 || whole <= 0 {
		return ""
	}
	if !utf8 {
		return strings.Repeat("#", max(int(Nearest(min(part, whole)*int64(cells), whole)), 1))
	}
	n := max(int(Nearest(min(part, whole)*int64(cells)*8, whole)), 1)
	b := strings.Repeat("█", n/8)
	if n%8 > 0 {
		b += string(eighths[n%8-1])
	}
	return b
}
