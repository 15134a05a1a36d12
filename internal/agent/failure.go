package agent

import (
	"strconv"
	"strings"
)

// failed is what a program said of why its work came to nothing: the provider's
// status where it told one, and its words.
type failed struct {
	status int // of HTTP; 0: unknown
	text   string
}

// The words by which errors that carry no status are told apart, in lower case.
var (
	loginWords = []string{"no api key", "invalid api key", "unauthorized", "not authenticated", "authentication failed", "not able to authenticate", "please log in"}
	limitWords = []string{
		"rate limit", "rate_limit", "too many requests", "overloaded", "usage limit", "quota", "service unavailable", "internal server error",
		"connection error", "connection refused", "connection reset", "econnrefused", "econnreset", "unable to connect", "fetch failed", "socket hang up",
		"network error", "timed out", "terminated", "premature close", "ratelimiterror", "apiconnectionerror", "internalservererror", "serviceunavailable",
	}
)

// meaning is what it means for the session that it ends. A provider that
// refuses, is overloaded or cannot be reached is a limit: another try may do.
func (f failed) meaning() Meaning {
	status := f.status
	if status == 0 {
		status = statusIn(f.text)
	}
	switch {
	case status == 401 || status == 403:
		return NoLogin
	case status == 429 || status >= 500:
		return Limited
	case status != 0:
		return Failed
	}
	text := strings.ToLower(f.text)
	switch {
	case hasAny(text, loginWords):
		return NoLogin
	case hasAny(text, limitWords):
		return Limited
	default:
		return Failed
	}
}

func hasAny(text string, words []string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// statusIn is the status that begins the text of an error, as in "429 too many";
// 0 when none does.
func statusIn(text string) int {
	text = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(text), "Error:"))
	head, _, _ := strings.Cut(text, " ")
	n, err := strconv.Atoi(strings.TrimRight(head, ":,"))
	if err != nil || n < 400 || n > 599 {
		return 0
	}
	return n
}

// endText says how a program ended of which nothing else is known.
func endText(code int, cause, said string) string {
	text := "it ended with exit code " + strconv.Itoa(code)
	if cause != "" && cause != "exited" {
		text = "it ended with " + strconv.Itoa(code) + " (" + cause + ")"
	}
	if said != "" {
		text += ": " + oneLine(said, "")
	}
	return text
}

// exit is the end of a session that came to nothing by it.
func (f failed) exit() Exit {
	return Exit{Meaning: f.meaning(), Text: oneLine(f.text, "it failed without a word")}
}
