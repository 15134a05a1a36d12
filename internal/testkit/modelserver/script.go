// Package modelserver is a scripted model, for tests of real agents: a server on the
// loopback interface that speaks the protocols of the providers (Anthropic Messages,
// OpenAI Responses and Chat Completions, Gemini). It owns the scripts, the received
// requests, and the count of what each conversation used, so that a test can compare an
// agent's figures with what was really served. It stores every request unchanged, with
// its keys. So it is never part of the product, and never listens beyond loopback.
package modelserver

import "encoding/json"

// Script is what the model does in one conversation, turn by turn. After the
// last turn it says that it is done, however often it is asked.
type Script struct {
	Turns []Turn `json:"turns"`
}

// Turn is one reply of the model.
type Turn struct {
	Thinking string  `json:"thinking,omitempty"`
	Text     string  `json:"text,omitempty"`
	Calls    []Call  `json:"calls,omitempty"`
	Usage    *Usage  `json:"usage,omitempty"`  // nil: counted from the request
	Faults   []Fault `json:"faults,omitempty"` // met first, one request each
}

// Call is a tool call by what it does. Each protocol and each agent gets it as a
// call of the tool that it offered for this.
type Call struct {
	Do      Deed            `json:"do"`
	Path    string          `json:"path,omitempty"`
	Text    string          `json:"text,omitempty"` // what is written, asked, planned, or given to a sub-agent
	Old     string          `json:"old,omitempty"`  // what an edit replaces
	Line    string          `json:"line,omitempty"` // what a shell runs
	Options []string        `json:"options,omitempty"`
	Server  string          `json:"server,omitempty"` // of MCP
	Name    string          `json:"name,omitempty"`   // of Raw and MCP: the tool
	Args    json.RawMessage `json:"args,omitempty"`   // of Raw and MCP
}

// Deed names what a call does.
type Deed string

// The deeds.
const (
	Write Deed = "write"
	Edit  Deed = "edit"
	Read  Deed = "read"
	Run   Deed = "run"
	Ask   Deed = "ask"
	Plan  Deed = "plan"  // hand in a plan
	Agent Deed = "agent" // start a sub-agent with Text
	Raw   Deed = "raw"   // Name and Args as they are
	MCP   Deed = "mcp"   // a tool of an MCP server: Server, Name and Args
)

// Usage counts tokens: Input without what was read from or written to a cache.
type Usage struct {
	Input      int64 `json:"input"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
	Output     int64 `json:"output"`
}

// Add sums two counts.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.Input + v.Input, u.CacheRead + v.CacheRead, u.CacheWrite + v.CacheWrite, u.Output + v.Output}
}

// Sub takes a count out of another.
func (u Usage) Sub(v Usage) Usage {
	return Usage{u.Input - v.Input, u.CacheRead - v.CacheRead, u.CacheWrite - v.CacheWrite, u.Output - v.Output}
}

// All is the whole input of a request.
func (u Usage) All() int64 { return u.Input + u.CacheRead + u.CacheWrite }

// Fault is something that goes wrong with one request.
type Fault struct {
	Kind       FaultKind `json:"kind"`
	RetryAfter int       `json:"retry_after,omitempty"` // seconds, of RateLimit
	Text       string    `json:"text,omitempty"`        // instead of the usual message
	Unless     string    `json:"unless,omitempty"`      // a request in which somebody said this (or that: this|that) does not meet it
}

// FaultKind names a fault.
type FaultKind string

// The faults.
const (
	RateLimit    FaultKind = "rate_limit"   // 429
	Overloaded   FaultKind = "overloaded"   // 529; 503 where 529 is not spoken
	ServerError  FaultKind = "server_error" // 500
	TooLong      FaultKind = "too_long"     // 400: the prompt does not fit
	Unauthorized FaultKind = "unauthorized" // 401
	Stall        FaultKind = "stall"        // the reply stops in the middle, and the connection stays, until Cut
)

// status is the HTTP status of a fault; 0 when the reply begins as if all was
// well.
func (f Fault) status() int {
	switch f.Kind {
	case RateLimit:
		return 429
	case Overloaded:
		return 529
	case ServerError:
		return 500
	case TooLong:
		return 400
	case Unauthorized:
		return 401
	default:
		return 0
	}
}

// message is what the provider says to a fault.
func (f Fault) message() string {
	if f.Text != "" {
		return f.Text
	}
	switch f.Kind {
	case RateLimit:
		return "this request would exceed the rate limit"
	case Overloaded:
		return "Overloaded"
	case TooLong:
		return "prompt is too long: 210000 tokens > 200000 maximum"
	case Unauthorized:
		return "invalid x-api-key"
	default:
		return "internal error"
	}
}
