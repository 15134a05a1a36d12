package condense

import (
	"math"
	"strings"
	"time"
)

// token is a word, a number, a clock or a sign of a line.
type token struct {
	class byte // 'W', 'N', 'T', or the sign
	text  string
	from  int
}

// signs end a word wherever they stand, and are tokens themselves.
const signs = "=:,;()[]{}\"'`<>|"

// tokensOf cuts a line; into is memory to use.
func tokensOf(into []token, l string) []token {
	list := into[:0]
	for i := 0; i < len(l) && len(list) < oddTokens; {
		c := l[i]
		switch {
		case c == ' ' || c == '\t':
			i++
			continue
		case c >= '0' && c <= '9':
			if n := clockLength(l[i:]); n > 0 && (i == 0 || !wordByte(l[i-1])) {
				list = append(list, token{'T', l[i : i+n], i})
				i += n
				continue
			}
		case strings.IndexByte(signs, c) >= 0:
			list = append(list, token{c, l[i : i+1], i})
			i++
			continue
		}
		end := i
		for end < len(l) && l[end] != ' ' && l[end] != '\t' && strings.IndexByte(signs, l[end]) < 0 {
			end++
		}
		list = append(list, token{classOf(l[i:end]), l[i:end], i})
		i = end
	}
	return list
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}

// classOf tells words from numbers: a hash, an address, a version and a size are numbers.
func classOf(w string) byte {
	letters, digits, hex := 0, 0, true
	for i := range len(w) {
		switch c := w[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80:
			letters++
			hex = hex && c|0x20 <= 'f' && c < 0x80
		case c != '-':
			hex = false
		}
	}
	switch {
	case digits == 0 && letters == 0:
		return 'S'
	case digits == 0:
		return 'W'
	case letters == 0, hex && digits+letters >= 7:
		return 'N'
	}
	if _, ok := quantity(w); ok {
		return 'N'
	}
	return 'W'
}

// units are what a number with a unit is worth: seconds, bytes.
var units = map[string]float64{
	"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600, "d": 86400, "w": 604800,
	"B": 1, "b": 1, "k": 1e3, "K": 1e3, "kB": 1e3, "KB": 1e3, "Ki": 1 << 10, "KiB": 1 << 10, "M": 1e6, "MB": 1e6, "Mi": 1 << 20, "MiB": 1 << 20,
	"G": 1e9, "GB": 1e9, "Gi": 1 << 30, "GiB": 1 << 30, "T": 1e12, "TB": 1e12, "Ti": 1 << 40, "%": 1, "x": 1,
}

// quantity reads a number with its unit, and several of them: "1m2.5s".
func quantity(w string) (float64, bool) {
	sign := 1.0
	if len(w) > 1 && (w[0] == '-' || w[0] == '+') {
		if w[0] == '-' {
			sign = -1
		}
		w = w[1:]
	}
	if end := len(w) - 1; end > 0 && (w[end] == '.' || w[end] == '-') {
		w = w[:end] // of a sentence, of an arrow
	}
	sum := 0.0
	for part := 0; w != ""; part++ {
		v, n := leadingNumber(w)
		if n == 0 {
			return 0, false
		}
		w = w[n:]
		end := 0
		for end < len(w) && (w[end] < '0' || w[end] > '9') {
			end++
		}
		unit := 1.0
		if end > 0 {
			var known bool
			if unit, known = units[w[:end]]; !known {
				return 0, false
			}
		} else if part > 0 {
			return 0, false
		}
		sum += v * unit
		w = w[end:]
	}
	return sign * sum, true
}

// leadingNumber reads digits with at most one point.
func leadingNumber(w string) (float64, int) {
	v, scale, i := 0.0, 0.0, 0
	for ; i < len(w); i++ {
		c := w[i]
		switch {
		case c >= '0' && c <= '9':
			v = v*10 + float64(c-'0')
			scale *= 10
		case c == '.' && scale == 0 && i > 0 && i+1 < len(w) && w[i+1] >= '0' && w[i+1] <= '9':
			scale = 1
		default:
			return v / max(scale, 1), i
		}
	}
	return v / max(scale, 1), i
}

// clockLength gives the length of the clock that a text begins with, a date before it
// included: "10:00:05.123", "2026-01-02T10:00:05Z"; 0: none.
func clockLength(s string) int {
	at := 0
	if like(s, "0000-00-00") && len(s) > 10 && s[10] == 'T' {
		at = 11
	}
	if !like(s[at:], "00:00:00") {
		if at == 0 && like(s, "00:00") && (len(s) == 5 || !wordByte(s[5]) && s[5] != ':' && s[5] != '.') {
			return 5
		}
		return 0
	}
	at += len("00:00:00")
	if at < len(s) && wordByte(s[at]) && s[at] != 'Z' {
		return 0
	}
	if at+1 < len(s) && (s[at] == '.' || s[at] == ',') && s[at+1] >= '0' && s[at+1] <= '9' {
		for at++; at < len(s) && s[at] >= '0' && s[at] <= '9'; at++ {
		}
	}
	switch {
	case at < len(s) && s[at] == 'Z':
		at++
	case at < len(s) && (s[at] == '+' || s[at] == '-') && (like(s[at+1:], "00:00") || like(s[at+1:], "0000")):
		if at += 5; s[at-2] == ':' {
			at++
		}
	}
	return at
}

// like tells whether a text begins with digits where the pattern has them, and with its
// other bytes elsewhere.
func like(s, pattern string) bool {
	if len(s) < len(pattern) {
		return false
	}
	for i := range len(pattern) {
		if digit := s[i] >= '0' && s[i] <= '9'; pattern[i] == '0' && !digit || pattern[i] != '0' && s[i] != pattern[i] {
			return false
		}
	}
	return true
}

const (
	hashStart = 14695981039346656037
	hashPrime = 1099511628211
)

func mix(h, v uint64) uint64 { return (h ^ v) * hashPrime }

// hashOf is that of a text as it is.
func hashOf(h uint64, s string) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * hashPrime
	}
	return h
}

// maskedHash is that of a text in which every number is the same.
func maskedHash(h uint64, s string) uint64 {
	in := false
	for i := range len(s) {
		c := s[i]
		if c >= '0' && c <= '9' {
			if in {
				continue
			}
			in, c = true, '0'
		} else {
			in = false
		}
		h = (h ^ uint64(c)) * hashPrime
	}
	return h
}

// decade is a number's place on a logarithmic scale, ten to a power of ten.
func decade(v float64) int { return int(math.Floor(math.Log10(v) * 10)) }

// seconds is a clock as seconds, days included where it begins with a date.
func seconds(clock string) float64 {
	days := 0.0
	if len(clock) > 10 && clock[10] == 'T' {
		y, m, d := twoDigits(clock[2:]), twoDigits(clock[5:]), twoDigits(clock[8:])
		days = float64(time.Date(2000+y, time.Month(m), d, 0, 0, 0, 0, time.UTC).Unix()) / 86400
		clock = clock[11:]
	}
	s := days*86400 + float64(twoDigits(clock)*3600+twoDigits(clock[3:])*60)
	if len(clock) < len("00:00:00") {
		return s
	}
	s += float64(twoDigits(clock[6:]))
	if len(clock) > 9 && (clock[8] == '.' || clock[8] == ',') {
		part, n := leadingNumber(clock[9:])
		s += part / math.Pow10(n)
	}
	return s
}

func twoDigits(s string) int { return int(s[0]-'0')*10 + int(s[1]-'0') }
