package agent

import (
	"crypto/sha1" //nolint:gosec // of names: what RFC 4122 makes an id of
	"fmt"
	"slices"

	"kedge"
)

// Claude drives Claude Code without a terminal: its events come as lines of JSON,
// and what it asks, before a tool runs and of people, is answered on its input.
// It was made with 2.1.197 and 2.1.325.
type Claude struct{ argv []string }

// NewClaude is the adapter; argv is the program with arguments of its own, empty
// where it is simply claude.
func NewClaude(argv []string) *Claude {
	if len(argv) == 0 {
		argv = []string{"claude"}
	}
	return &Claude{argv: slices.Clone(argv)}
}

// Kind implements Adapter.
func (c *Claude) Kind() string { return "claude" }

// Program implements Adapter.
func (c *Claude) Program() string { return c.argv[0] }

// Start implements Adapter. Every tool that is not harmless is asked for, and the
// reader answers: so it needs none of the switches that let it do anything, which
// it refuses to root.
func (c *Claude) Start(t Task) (Start, error) {
	s := Start{Command: slices.Clone(c.argv), Env: []string{"DISABLE_AUTOUPDATER=1"}}
	add := func(words ...string) { s.Command = append(s.Command, words...) }
	add(claudeTools(t.Tools)...) // never last: it takes every word up to the next switch
	if t.Resume != "" {
		add("--resume", t.Resume)
	} else {
		add("--session-id", claudeID(t.Session))
	}
	if t.Model != "" {
		add("--model", t.Model)
	}
	if t.Attended {
		add("Read " + t.Brief + ": it says where the work stands. Then go on from there.")
		return s, nil
	}
	mode := "acceptEdits"
	if t.ReadOnly {
		mode = "plan"
	}
	add("-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose", "--include-partial-messages",
		"--permission-prompt-tool", "stdio", "--permission-mode", mode)
	// Its end is the claim to be finished: nothing of it goes on behind that.
	s.Env = append(s.Env, "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1")
	s.Pipes = true
	return s, nil
}

// Shortens tells that it can be told to compact its context: Shorten.
func (c *Claude) Shortens() bool { return true }

// Reader implements Adapter.
func (c *Claude) Reader(t Task) Reader {
	return &claudeReader{task: t, lines: lines{max: claudeLine}}
}

// claudeID is the conversation of a session: a UUID, because Claude takes nothing
// else, and the same for whoever asks.
func claudeID(id kedge.SessionID) string {
	b := sha1.Sum([]byte("kedge: session " + string(id))) //nolint:gosec // as above
	b[6], b[8] = b[6]&0x0f|0x50, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:16])
}
