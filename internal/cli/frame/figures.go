package frame

import (
	"fmt"
	"strconv"
	"time"

	"kedge"
)

// Share is a part of a whole in percent, to the nearest; every share on a screen is
// written by it, so that the same figure looks the same wherever it stands.
func Share(n, of int64) int64 {
	if of <= 0 {
		return 0
	}
	return Nearest(n*100, of)
}

// Nearest divides to the nearest, halves up.
func Nearest(n, by int64) int64 { return (2*n + by) / (2 * by) }

// Percent is share as people read it. What is there is never shown as nothing.
func Percent(n, of int64) string {
	if s := Share(n, of); s > 0 || n <= 0 || of <= 0 {
		return strconv.FormatInt(s, 10) + "%"
	}
	return "<1%"
}

// charsPerToken is how many characters make a token, where nobody counted tokens.
const charsPerToken = 4

// AboutTokens is how many tokens a text of so many characters takes, as an estimate is
// written: three digits, for it has no more.
func AboutTokens(chars int64) string {
	n, unit := Nearest(chars, charsPerToken), int64(1)
	for n/unit >= 1000 {
		unit *= 10
	}
	return "~" + Thousands(Nearest(n, unit)*unit)
}

// Thousands writes a number with its thousands apart.
func Thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Counted is a number, its thousands apart, with its noun: 1 call, 1,200 calls.
func Counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return Thousands(int64(n)) + " " + what
}

// ShortNumber writes a large number short.
func ShortNumber(n int64) string {
	switch {
	case n >= 1_000_000:
		return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + "M"
	case n >= 10_000:
		return strconv.FormatInt(n/1000, 10) + "k"
	default:
		return strconv.FormatInt(n, 10)
	}
}

// Span is a length of time in one unit, or two from an hour on: 12s, 5m, 1h30m.
func Span(d time.Duration) string {
	switch d = d.Round(time.Second); {
	case d < 0:
		return "0s"
	case d < time.Minute:
		return d.String()
	case d < time.Hour:
		return strconv.Itoa(int(d.Minutes())) + "m"
	default:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	}
}

// Seconds is how long something took, to ten milliseconds.
func Seconds(ms int64) string {
	return (time.Duration(ms) * time.Millisecond).Round(10 * time.Millisecond).String()
}

// ReusedFrom says of a check that did not run for its verdict in which evidence it ran on
// the same tree.
func ReusedFrom(c kedge.CheckResult) string {
	if c.Reused == "" {
		return ""
	}
	return ", reused from " + c.Reused
}

// USD is an amount of USD: of little, as many digits as show that it is not
// nothing.
func USD(v float64) string {
	switch {
	case v <= 0 || v >= 0.1:
		return fmt.Sprintf("%.2f", v)
	case v < 0.0001:
		return "<0.0001"
	default:
		return fmt.Sprintf("%.4f", v)
	}
}

// Bytes is a size in the largest unit that fits: 12 B, 4.5 KB.
func Bytes(n int64) string {
	const unit = 1024
	if n < unit {
		return strconv.FormatInt(n, 10) + " B"
	}
	value, suffix := float64(n)/unit, "KMGT"
	for value >= unit && len(suffix) > 1 {
		value, suffix = value/unit, suffix[1:]
	}
	return fmt.Sprintf("%.1f %cB", value, suffix[0])
}
