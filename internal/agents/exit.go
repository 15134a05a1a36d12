package agents

import "time"

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
