// Package watch detects problems of a session: a context that fills up, calls that go in
// circles, a stall, a spent budget, a provider's limit, work outside the feature, edits
// against a decision. It owns the thresholds of these signals and nothing else: events
// in, signals out. It is pure; every event carries its time. It never ends a session: the
// run decides that.
package watch

import "time"

// Kind names what a session did.
type Kind string

// What sessions do, as far as their own output tells it. What is not reported
// is unknown, never nothing.
const (
	Usage   Kind = "usage"         // Usage is what was used since the last report
	Say     Kind = "say"           // Text, to people
	Ask     Kind = "ask"           // Text is a question; the session waits for the answer to the call ID, or ends with it
	Call    Kind = "call"          // Tool was called with Input; Paths are what it is about to change
	Result  Kind = "result"        // of the call ID: Output, Failed
	Turn    Kind = "turn"          // a turn of the model is over
	Compact Kind = "compacted"     // the session shortened its own context
	Spared  Kind = "not_compacted" // it was told to shorten its context and could not: Text says why
	Limit   Kind = "limit"         // the provider refuses until Until; zero: unknown
	Retry   Kind = "retry"         // a request to the provider failed with Text; it is made again at Until, zero: unknown
	NoLogin Kind = "no_login"      // the agent is not logged in: Text says what it said
	Step    Kind = "step"          // a recorded step of the work: Text is its name
	Talk    Kind = "conversation"  // ID is what the program calls its conversation
	Told    Kind = "told"          // you said something to it: what comes is another matter

	Question Kind = "question" // of a planning session: Text is one numbered question to people
	PlanText Kind = "plan"     // of a planning session: Text is the plan, as plan.md
)

// Act is one thing that a session did.
type Act struct {
	Kind   Kind      `json:"type"`
	At     time.Time `json:"at"`
	ID     string    `json:"id,omitempty"` // of a call; its result has the same
	Text   string    `json:"text,omitempty"`
	Tool   string    `json:"tool,omitempty"`
	Input  string    `json:"input,omitempty"`
	Output string    `json:"output,omitempty"`
	Failed bool      `json:"failed,omitempty"`
	Asked  bool      `json:"asked,omitempty"` // of Compact and Spared: it was told to, and its turn is nothing but that
	Paths  []string  `json:"paths,omitempty"` // slash paths from the root of the worktree
	Until  time.Time `json:"until,omitzero"`
	Used   *Used     `json:"used,omitempty"`
}

// Used is what one report of usage says. Deltas, except what says context: that
// is how full the context is now. A nil figure is unknown.
type Used struct {
	Input      *int64   `json:"input_tokens,omitempty"` // uncached
	CacheRead  *int64   `json:"cache_read_tokens,omitempty"`
	CacheWrite *int64   `json:"cache_write_tokens,omitempty"`
	Output     *int64   `json:"output_tokens,omitempty"`
	Context    *int64   `json:"context_tokens,omitempty"`
	Window     *int64   `json:"context_window,omitempty"`
	USD        *float64 `json:"usd,omitempty"`
	Model      string   `json:"model,omitempty"`
	Partial    bool     `json:"partial,omitempty"` // the program asks models for things that it does not tell of, too

	CacheWriteHour *int64 `json:"cache_write_hour_tokens,omitempty"` // of CacheWrite, what is kept for an hour

	Begun bool `json:"begun,omitempty"` // a reply began of which the program tells what it used when its tools are over: in the next report
}
