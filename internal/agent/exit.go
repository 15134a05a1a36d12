package agent

import (
	"slices"
	"time"
)

// Time is when bytes were printed.
type Time = time.Time

// Exit is what the end of a session means.
type Exit struct {
	Meaning Meaning
	Text    string    // the question, or what went wrong, in one line
	Until   time.Time // of a limit; zero: unknown

	// Conversation is what the program calls the conversation, to go on with it;
	// empty: it has no such thing.
	Conversation string
	// Version is what the program says that it is; empty: it does not say.
	Version string
}

// Meaning is how a session ended.
type Meaning string

// The meanings.
const (
	Finished Meaning = "finished" // it says that it is done: a claim
	Asked    Meaning = "asked"    // it ended with a question
	Failed   Meaning = "failed"   // it ended with an error
	Limited  Meaning = "limit"    // a provider's limit
	NoLogin  Meaning = "no_login" // it cannot work: not logged in, or not there
)

// driven are the versions with which the suite of real programs is played.
var driven = map[string][]string{
	"claude":   {"2.1.197", "2.1.325"},
	"codex":    {"0.166.0"},
	"opencode": {"1.18.33"},
	"copilot":  {"1.0.102"},
	"pi":       {"0.73.1"},
	"gemini":   {"0.61.0"},
	"qwen":     {"0.15.10"},
}

// Untried says that a version of a program is none that was ever driven: it may
// work, and nobody knows. A program that does not say its version is not spoken of.
func Untried(kind, version string) bool {
	known, ok := driven[kind]
	return ok && version != "" && !slices.Contains(known, version)
}
