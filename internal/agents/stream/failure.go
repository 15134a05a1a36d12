package stream

import (
	"strconv"
	"strings"

	"kedge/internal/agents"
)

// Failure is what a program said of why its work came to nothing: the provider's
// status where it told one, and its words.
type Failure struct {
	Status int // of HTTP; 0: unknown
	Text   string
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

// Meaning is what it means for the session that it ends. A provider that
// refuses, is overloaded or cannot be reached is a limit: another try may do.
func (f Failure) Meaning() agents.Meaning {
	status := f.Status
	if status == 0 {
		status = StatusIn(f.Text)
	}
	switch {
	case status == 401 || status == 403:
		return agents.NoLogin
	case status == 429 || status >= 500:
		return agents.Limited
	case status != 0:
		return agents.Failed
	}
	text := strings.ToLower(f.Text)
	switch {
	case hasAny(text, loginWords):
		return agents.NoLogin
	case hasAny(text, limitWords):
		return agents.Limited
	default:
		return agents.Failed
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

// StatusIn is the status that begins the text of an error, as in "429 too many";
// 0 when none does.
func StatusIn(text string) int {
	text = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(text), "Error:"))
	head, _, _ := strings.Cut(text, " ")
	n, err := strconv.Atoi(strings.TrimRight(head, ":,"))
	if err != nil || n < 400 || n > 599 {
		return 0
	}
	return n
}

// EndText says how a program ended of which nothing else is known.
func EndText(code int, cause, said string) string {
	text := "it ended with exit code " + strconv.Itoa(code)
	if cause != "" && cause != "exited" {
		text = "it ended with " + strconv.Itoa(code) + " (" + cause + ")"
	}
	if said != "" {
		text += ": " + OneLine(said, "")
	}
	return text
}

// Exit is the end of a session that came to nothing by it.
func (f Failure) Exit() agents.Exit {
	return agents.Exit{Meaning: f.Meaning(), Text: OneLine(f.Text, "it failed and gave no reason")}
}
