package cli

import "strconv"

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
