// Package history finds past conversations in the transcripts that agents left on this
// machine. It owns the index of their messages (what people and agents wrote, and which
// tools were called with what), the search for words in it, and the order of the results.
//
// It promises that a search finds exactly the messages that have the words, in the
// transcripts as they are on disk at that moment: it first updates the index, and reads
// only what changed. No secret that package redact knows enters the index. The index is a
// cache in one folder, readable only by its owner. You may remove it at any time. The
// package detects an incomplete or damaged index, and makes it again. Memory does not
// grow with the transcripts. It never writes outside its folder, starts no program, and
// leaves nothing running.
package history

import (
	"slices"
	"time"

	"kedge/internal/insight/transcript"
)

// Who says where a message comes from.
type Who uint8

// Whose words a message has.
const (
	You      Who = iota + 1 // what a person wrote
	Agent                   // what the model wrote; of a sub-agent, also what it was asked
	Thinking                // what the model thought
	Tool                    // a tool call: the tool, with its command, its file, or the texts of its input
	Summary                 // what a compaction left of a conversation
	Title                   // what the program calls the conversation
	Program                 // what the program wrote in the person's place
	Output                  // what a tool gave, and what an edit wrote; only in an index with Library.Output
)

var names = [...]string{You: "you", Agent: "agent", Thinking: "thinking", Tool: "tool", Summary: "summary", Title: "title", Program: "program", Output: "output"}

func (w Who) String() string {
	if int(w) < len(names) {
		return names[w]
	}
	return ""
}

// MarshalText writes it by its name.
func (w Who) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// UnmarshalText reads it again; a name that is none is nobody's.
func (w *Who) UnmarshalText(b []byte) error {
	*w = Who(max(slices.Index(names[:], string(b)), 0))
	return nil
}

// Library is the index of the transcripts of this machine.
type Library struct {
	Dir     string // of the index; made when it is needed
	Formats transcript.Formats
	Output  bool           // the index has what tools gave, too; it is another one, which takes much more room and time
	Tell    func(Progress) // nil: nobody listens
}

// Progress tells how much of the transcripts that changed was read.
type Progress struct {
	Files int   `json:"files"`
	Of    int   `json:"of"`
	Bytes int64 `json:"bytes"`
	Total int64 `json:"total"`
	Waits bool  `json:"waits,omitempty"` // another process brings the index up to date
}

// Conversation is one transcript that was found.
type Conversation struct {
	File   transcript.File
	ID     string // of the session, by the program
	Parent string // of the session whose sub-agent it is
	Dir    string // where it worked; empty is unknown
	Title  string // what it is about: what the program calls it, else the first thing that was asked
	Began  time.Time
	Ended  time.Time
	Why    string // it could not be read; empty elsewhere
}

// Match is one message that has the words.
type Match struct {
	Line    int
	At      time.Time
	Who     Who
	Passage string // the part of the message with the words; empty where it was not asked for
	Marks   []Mark // where they stand in the passage
}

// Mark is a part of a passage, in bytes.
type Mark struct{ From, To int }

// Found is a conversation with the messages of it that have the words, the best first.
type Found struct {
	Conversation
	Matches []Match
	Same    int // of the conversations that rank below, so many have the same passage
	score   float64
	text    uint64 // of the best message, by its checksum and length
}

// Result is what a search found.
type Result struct {
	Words    []string // that were looked for
	Missing  []string // words that no message has together with the others; the messages have all but these
	Found    []Found  // as many as were asked for
	Messages int      // that have the words
	Sessions int      // in which they are
	Searched int      // conversations that were searched
	Unread   []Conversation
}
