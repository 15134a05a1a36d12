package claude

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"kedge/internal/agents"
	"kedge/internal/agents/stream"
)

// failure is what is known of why a turn came to nothing.
type failure struct {
	name  string    // of the provider's error, as Claude calls it
	until time.Time // a limit's end, where the provider told it
}

// synthetic is a reply that Claude made itself, in place of one that failed.
func (f *failure) synthetic(ev *event) { f.name = ev.errorName() }

// Exit implements agents.Reader.
func (r *reader) Exit(code int, cause string) agents.Exit {
	e := r.exit(code, cause)
	e.Conversation, e.Version = r.conversation, r.version
	return e
}

func (r *reader) exit(code int, cause string) agents.Exit {
	switch {
	case r.result == nil:
		return r.withoutResult(code, cause)
	case !r.result.IsError && r.Asked != "":
		return agents.Exit{Meaning: agents.Asked, Text: r.Asked}
	case !r.result.IsError && code == 0:
		return agents.Exit{Meaning: agents.Finished}
	case !r.result.IsError:
		return agents.Exit{Meaning: agents.Failed, Text: "it ended with exit code " + strconv.Itoa(code) + " after its work"}
	default:
		return r.failure()
	}
}

// withoutResult is an end in the middle of things.
func (r *reader) withoutResult(code int, cause string) agents.Exit {
	text := stream.EndText(code, cause, "")
	if r.Other == "" {
		return agents.Exit{Meaning: agents.Failed, Text: text + " and no result"}
	}
	said := stream.OneLine(r.Other, "")
	if asksLogin(said) {
		return agents.Exit{Meaning: agents.NoLogin, Text: said}
	}
	return agents.Exit{Meaning: agents.Failed, Text: text + ": " + said}
}

func asksLogin(text string) bool {
	return strings.Contains(text, "/login") || strings.Contains(text, "Invalid API key")
}

// failure is a turn that failed. Claude calls most of them a success with an
// error, so that only the status and the names tell them apart.
func (r *reader) failure() agents.Exit {
	res := r.result
	text := stream.OneLine(cmp.Or(res.Result, strings.Join(res.Errors, "\n")), "it failed and gave no reason")
	switch {
	case res.Status == 401 || res.Status == 403 || r.failed.name == "authentication_failed" || asksLogin(text):
		return agents.Exit{Meaning: agents.NoLogin, Text: text}
	case r.limited():
		return agents.Exit{Meaning: agents.Limited, Text: text, Until: r.limitEnd(text)}
	default:
		return agents.Exit{Meaning: agents.Failed, Text: cmp.Or(res.Terminal, res.Subtype, "failed") + ": " + text}
	}
}

// limited tells whether the provider is why: it refused, was overloaded, or could
// not be reached. Another try later may do.
func (r *reader) limited() bool {
	switch s := r.result.Status; {
	case s == 429 || s >= 500:
		return true
	case s != 0:
		return false
	}
	switch r.failed.name {
	case "rate_limit", "overloaded", "server_error":
		return true
	default:
		return strings.HasPrefix(r.result.Result, "API Error: Unable to connect") || strings.Contains(r.result.Result, "usage limit reached") ||
			strings.Contains(r.result.Result, "Connection error")
	}
}

// limitEnd is when the limit ends: as the provider told it, or behind a bar in the
// text, in seconds since 1970.
func (r *reader) limitEnd(text string) time.Time {
	if !r.failed.until.IsZero() {
		return r.failed.until
	}
	_, after, ok := strings.Cut(text, "|")
	if !ok {
		return time.Time{}
	}
	return stream.Until([]byte(strings.TrimSpace(after)))
}
