package cli

import (
	"fmt"
	"strconv"
	"time"
)

// share is a part of a whole in percent, to the nearest; every share on a screen is
// written by it, so that the same figure looks the same wherever it stands.
func share(n, of int64) int64 {
	if of <= 0 {
		return 0
	}
	return half(n*100, of)
}

// half divides to the nearest, halves up.
func half(n, by int64) int64 { return (2*n + by) / (2 * by) }

// percent is share as people read it. What is there is never shown as nothing.
func percent(n, of int64) string {
	if s := share(n, of); s > 0 || n <= 0 || of <= 0 {
		return strconv.FormatInt(s, 10) + "%"
	}
	return "<1%"
}

// charsPerToken is how many characters make a token, where nobody counted tokens.
const charsPerToken = 4

// about is how many tokens a text of so many characters takes, as an estimate is
// written: three digits, for it has no more.
func about(chars int64) string {
	n, unit := half(chars, charsPerToken), int64(1)
	for n/unit >= 1000 {
		unit *= 10
	}
	return "~" + big(half(n, unit)*unit)
}

// big writes a number with its thousands apart.
func big(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func counting(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return big(int64(n)) + " " + what
}

// count writes a large number short.
func count(n int64) string {
	switch {
	case n >= 1_000_000:
		return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + "M"
	case n >= 10_000:
		return strconv.FormatInt(n/1000, 10) + "k"
	default:
		return strconv.FormatInt(n, 10)
	}
}

func span(d time.Duration) string {
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

func seconds(ms int64) string {
	return (time.Duration(ms) * time.Millisecond).Round(10 * time.Millisecond).String()
}

// money is an amount of USD: of little, as many digits as show that it is not
// nothing.
func money(v float64) string {
	switch {
	case v <= 0 || v >= 0.1:
		return fmt.Sprintf("%.2f", v)
	case v < 0.0001:
		return "<0.0001"
	default:
		return fmt.Sprintf("%.4f", v)
	}
}

func bytesText(n int64) string {
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

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
