// Package brief owns the texts with which a session starts and ends: the checkpoint, the
// handoff and the brief itself.
//
// It promises that it reads what it writes back to the same value, that parsing is strict
// and names file and line, that text from people or agents can neither end a document
// early nor add a section to it, and that the same input always gives the same bytes. It
// never reads a file, a clock or a repository: contents, hashes and times come in as
// arguments.
package brief

// The limits of the documents.
const (
	MaxCheckpoint = 8 << 10 // bytes of checkpoint.md, people's text included
	MaxFence      = 20      // lines inside one fenced block
	MaxHandoff    = 600     // estimated tokens of a handoff, people's text excluded
	DefaultBudget = 8000    // estimated tokens of a brief
)

// CheckpointSections are the headings of a checkpoint, in their order.
var CheckpointSections = []string{
	"Current status", "Decisions locked", "Open risks", "Ruled out", "Files to re-read", "Resume instruction",
}

// HandoffSections are the headings of a handoff, in their order.
var HandoffSections = []string{
	"State", "Files modified", "Approach", "Constraints", "Ruled out", "Next step", "Blocked on",
}
