// Package audit computes what filled the context of a session, what repeated, and what it
// cost. It owns the entry (one thing that a transcript says happened), the figures that
// are counted from entries, their sum over sessions, and the advice that follows from
// them.
//
// It promises that the same entries give the same figures, that the sources of a context
// and its composition have the same sum, and that memory grows with the number of calls,
// files and commands, not with their text. A figure that nobody reported is unknown,
// never 0. It never reads a file or a clock.
package audit

// Kind says what an entry is.
type Kind uint8

// The kinds of entries.
const (
	UserText      Kind = iota + 1 // what a person, or the program in their place, said
	AssistantText                 // what the model said
	Thinking                      // what it thought
	ToolCall                      // a tool that it called; Chars are those of the input
	ToolResult                    // what the tool gave
	Reply                         // one model reply, with its usage; said again, it replaces
	Compaction                    // the context was replaced by a summary
	Moment                        // nothing but a time, and where the work is as far as that is told there
	Offered                       // a tool that the model could call; Chars are those of its schema, NoSchema where only its name is there
	Refused                       // a request that the provider refused, in the program's words
	Prompt                        // the system prompt; said again, the longest counts
	Given                         // text that the program put into the context by itself: skills, agents, what hooks added
	Queued                        // what a person typed while the model worked; it may come as UserText later, too
	Title                         // what the program calls the session
)

// PlanMode is the mode in which a model plans and changes nothing, as all programs call it.
const PlanMode = "plan"

// NoSchema is the length of a schema that nobody wrote down.
const NoSchema = -1

// Act is what a tool call does, as far as the figures tell calls apart.
type Act uint8

// The acts of tools.
const (
	Other Act = iota
	Read      // reads the file Path
	Edit      // writes the file Path
	Shell     // runs Command
)

// Usage is what one model reply used. Input has neither cache reads nor writes. Hour is
// the part of CacheWrite that the provider keeps for an hour, which costs more.
type Usage struct {
	Input, CacheRead, CacheWrite, Output int64
	Hour                                 int64
}

// Context is how many tokens the model was given.
func (u Usage) Context() int64 { return u.Input + u.CacheRead + u.CacheWrite }

// Plus adds two counts.
func (u Usage) Plus(v Usage) Usage {
	return Usage{u.Input + v.Input, u.CacheRead + v.CacheRead, u.CacheWrite + v.CacheWrite, u.Output + v.Output, u.Hour + v.Hour}
}

// Minus takes a count out of another.
func (u Usage) Minus(v Usage) Usage {
	return Usage{u.Input - v.Input, u.CacheRead - v.CacheRead, u.CacheWrite - v.CacheWrite, u.Output - v.Output, u.Hour - v.Hour}
}

// Entry is one thing that a transcript says happened.
type Entry struct {
	Kind  Kind
	Line  int    // of the transcript, from 1
	At    string // RFC 3339 in UTC with milliseconds; empty is unknown
	Chars int    // Unicode code points
	Text  string // the text itself, where the reader was asked for it

	Rules   bool // text that the program put in by itself: instructions, skills, reminders
	Summary bool // text that stands for what a compaction dropped

	Call    string // which tool call, of a call and of its result
	Tool    string // of a call
	Act     Act    // of a call
	Path    string // of a Read or an Edit
	Command string // of a Shell
	Failed  bool   // of a result

	Reply  string   // which model reply
	Asked  string   // the request that it answers, by the provider; empty is unknown
	Nested bool     // a reply to a sub-agent, or one copied from another session: it fills no context of this one
	Model  string   // that gave it
	Usage  *Usage   // nil is unknown
	Window int64    // of a reply: how many tokens its model can be given; 0 is unknown
	USD    *float64 // what the program itself says that the reply cost; nil is unknown

	Mode   string // of a Moment: what the program lets the model do from here on; PlanMode, or the program's word; empty: as before
	Branch string // of a Moment: on which the work is from here on; empty: as before
	Pull   string // of a Moment: the address of the session's pull request; empty: as before
}
