package words

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// hashDigits is how much of a commit or a tree is shown. Twelve digits are unique in
// every repository that people work on, and git accepts them wherever it takes a commit.
const hashDigits = 12

// Hash is a commit or a tree as Kedge shows it: its first 12 digits.
func Hash(sha string) string { return sha[:min(len(sha), hashDigits)] }

// Count is a number with its noun: 1 file, 3 files.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// mark stands for what was cut off.
const mark = "…"

// Clip shortens a text to at most n characters. Where it cut something, the last one
// is "…".
func Clip(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	at := 0
	for range max(n-1, 0) {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return strings.TrimRightFunc(s[:at], unicode.IsSpace) + mark
}

// ClipBytes is Clip for a limit in bytes: a character that does not fit whole is left
// out, and "…" is part of the n.
func ClipBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	at := max(n-len(mark), 0)
	for at > 0 && !utf8.RuneStart(s[at]) {
		at--
	}
	return strings.TrimRightFunc(s[:at], unicode.IsSpace) + mark
}

// Age is how long something has been there, in the largest unit that fits: 40s, 5m, 3h,
// 12d.
func Age(d time.Duration) string {
	for _, u := range []struct {
		in   time.Duration
		unit string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "m"}} {
		if d >= u.in {
			return strconv.FormatInt(int64(d/u.in), 10) + u.unit
		}
	}
	return strconv.FormatInt(int64(max(d, 0)/time.Second), 10) + "s"
}
