package codex

import (
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"kedge/internal/insight/audit"
	"kedge/internal/insight/transcript"
)

// kept is how it keeps what its sessions did.
func kept() transcript.Format {
	return transcript.Format{
		Agent: name, Place: "~/.codex, or CODEX_HOME", Variables: []string{"CODEX_HOME"}, Find: findKept, Read: readKept, Added: true, Early: early,
		Is: func(h transcript.Head) bool { return h.Payload != nil },
	}
}

var keptActs = map[string]audit.Act{
	"shell": audit.Shell, "shell_command": audit.Shell, "exec_command": audit.Shell, "local_shell": audit.Shell, "apply_patch": audit.Edit,
}

// readKept reads the rollouts of Codex. Files are read by shell commands there, so
// that no reads can be told; what its tools are is not in them.
func readKept(ctx context.Context, r io.Reader, o transcript.Options, emit transcript.Emit) (transcript.Meta, error) {
	c := &keptReader{Teller: transcript.Teller{Options: o, Emit: emit}}
	skipped, err := transcript.EachLine(ctx, r, c.line)
	c.meta.Skipped = skipped
	c.meta.Unseen = []string{"tool_schemas"}
	return c.meta, err
}

type keptReader struct {
	transcript.Teller
	meta  transcript.Meta
	model string

	forked bool      // it began as a copy of another session
	copied bool      // what comes now is that copy, written anew
	last   time.Time // of a line, while it is

	waits  []keptReply      // written down, and not yet counted
	counts map[int64]string // replies by the sum after them
}

// keptReply is a reply that was written down as soon as it was there.
type keptReply struct {
	name string
	used keptUsage
}

type keptLine struct {
	At      string      `json:"timestamp"`
	Type    string      `json:"type"`
	Payload keptPayload `json:"payload"`
}

// keptPayload has the fields of all kinds of lines.
type keptPayload struct {
	Type   string `json:"type"`
	ID     string `json:"id"`
	Dir    string `json:"cwd"`
	Forked string `json:"forked_from_id"`
	Mode   string `json:"collaboration_mode_kind"`
	Git    struct {
		Branch string `json:"branch"`
	} `json:"git"`
	Model     string          `json:"model"`
	Message   json.RawMessage `json:"message"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	Summary   json.RawMessage `json:"summary"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Input     string          `json:"input"`
	Action    json.RawMessage `json:"action"`
	Call      string          `json:"call_id"`
	Output    json.RawMessage `json:"output"`
	Info      *keptInfo       `json:"info"`
	Usage     *keptUsage      `json:"usage"`              // of one reply, written down as soon as it is there
	Thread    keptUsage       `json:"thread_token_usage"` // likewise: the sum so far
	Response  string          `json:"response_id"`        // likewise
	Tools     []keptTool      `json:"dynamic_tools"`
}

// keptTool is a tool that a client gave to a session, with its schema. Those of
// Codex itself are not written down.
type keptTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"inputSchema"`
}

type keptInfo struct {
	Total keptUsage `json:"total_token_usage"`
	Last  keptUsage `json:"last_token_usage"`

	Window int64 `json:"model_context_window"`
}

// keptUsage counts tokens that were read from a cache, or written to one, as part of the
// input.
type keptUsage struct {
	Input  int64 `json:"input_tokens"`
	Cached int64 `json:"cached_input_tokens"`
	Write  int64 `json:"cache_write_input_tokens"`
	Output int64 `json:"output_tokens"`
	Total  int64 `json:"total_tokens"`
}

func (c *keptReader) line(n int, b []byte) bool {
	var l keptLine
	if c.Passes(b, `"session_meta"`, `"turn_context"`, `"token_count"`, `"token_usage_record"`) {
		return true
	}
	if !transcript.Decode(b, &l) {
		return false
	}
	c.N, c.At = n, transcript.Stamp(l.At)
	p := l.Payload
	c.Give(audit.Entry{Kind: audit.Moment, Mode: p.Mode, Branch: p.Git.Branch})
	c.copies(l)
	switch l.Type {
	case "session_meta":
		c.meta.ID, c.meta.Dir = transcript.First(c.meta.ID, p.ID), transcript.First(c.meta.Dir, p.Dir)
		for _, t := range p.Tools {
			c.Give(audit.Entry{Kind: audit.Offered, Tool: t.Name, Chars: utf8.RuneCountInString(t.Description) + transcript.Compact(t.Schema)})
		}
	case "turn_context":
		c.model = transcript.First(p.Model, c.model)
	case "compacted":
		c.Give(audit.Entry{Kind: audit.Compaction})
		c.Tell(audit.Entry{Kind: audit.UserText, Summary: true}, transcript.Words(p.Message))
	case "response_item":
		c.item(p)
	case "token_usage_record":
		if p.Usage != nil {
			c.wrote(p)
		}
	case "event_msg":
		switch {
		case p.Type == "token_count" && p.Info != nil:
			c.counted(*p.Info)
		case p.Type == "error":
			c.Tell(audit.Entry{Kind: audit.Refused}, transcript.Words(p.Message))
		}
	}
	return true
}

// wrote gives a reply that was just given. The count of it comes when its tools are over;
// of a session that was killed before, never.
func (c *keptReader) wrote(p keptPayload) {
	r := keptReply{name: transcript.First(p.Response, "given "+strconv.FormatInt(p.Thread.Total, 10)), used: *p.Usage}
	c.waits = append(c.waits, r)
	c.used(r.name, keptInfo{Last: r.used})
}

// counted gives a reply that is counted. The same count comes again with news about
// limits, so that the sum so far names the reply. The reply may be one that was written
// down before: then the last that used as much, for a session that was killed goes on with
// sums that lack what was not counted.
func (c *keptReader) counted(i keptInfo) {
	name, again := c.counts[i.Total.Total]
	if !again {
		name = strconv.FormatInt(i.Total.Total, 10)
		for at, r := range slices.Backward(c.waits) {
			if r.used == i.Last {
				name, c.waits = r.name, slices.Delete(c.waits, at, at+1)
				break
			}
		}
		if c.counts == nil {
			c.counts = map[int64]string{}
		}
		c.counts[i.Total.Total] = name
	}
	c.used(name, i)
}

// used gives what a reply used.
func (c *keptReader) used(name string, i keptInfo) {
	if c.copied {
		return // it is counted where it was given
	}
	cached := min(i.Last.Cached, i.Last.Input)
	write := min(i.Last.Write, i.Last.Input-cached)
	c.Give(audit.Entry{
		Kind: audit.Reply, Reply: name, Model: c.model,
		Usage: &audit.Usage{Input: i.Last.Input - cached - write, CacheRead: cached, CacheWrite: write, Output: i.Last.Output}, Window: i.Window,
	})
}

// atOnce is how long after each other the lines of a copy are written at most.
const atOnce = 500 * time.Millisecond

// copies notices the copy of another session with which older versions began a fork, or a
// sub-agent's session: it begins with that session's own first line, and all its lines are
// written at once.
func (c *keptReader) copies(l keptLine) {
	if l.Type == "session_meta" {
		c.copied = c.forked && l.Payload.ID != c.meta.ID
		c.forked = c.forked || l.Payload.Forked != ""
	}
	if !c.copied {
		return
	}
	at, err := time.Parse(time.RFC3339Nano, l.At)
	if err != nil {
		return
	}
	if l.Type != "session_meta" && at.Sub(c.last) > atOnce {
		c.copied = false
	}
	c.last = at
}

func (c *keptReader) item(p keptPayload) {
	switch p.Type {
	case "message":
		c.message(p)
	case "reasoning":
		c.Tell(audit.Entry{Kind: audit.Thinking}, transcript.Texts(p.Summary)+transcript.Texts(p.Content))
	case "function_call":
		c.Call(audit.Entry{Call: p.Call, Tool: p.Name, Act: keptActs[p.Name]}, []byte(p.Arguments))
	case "local_shell_call":
		c.Call(audit.Entry{Call: p.Call, Tool: "local_shell", Act: audit.Shell}, p.Action)
	case "custom_tool_call":
		c.Tell(audit.Entry{Kind: audit.ToolCall, Call: p.Call, Tool: p.Name, Act: keptActs[p.Name], Path: patched(p.Input)}, p.Input)
	case "function_call_output", "custom_tool_call_output":
		text, failed := keptOutput(p.Output)
		c.Tell(audit.Entry{Kind: audit.ToolResult, Call: p.Call, Failed: failed}, text)
	}
}

func (c *keptReader) message(p keptPayload) {
	s := transcript.Texts(p.Content)
	if p.Role == "assistant" {
		c.Tell(audit.Entry{Kind: audit.AssistantText}, s)
		return
	}
	rules := p.Role != "user" || strings.HasPrefix(s, "<user_instructions>") || strings.HasPrefix(s, "# AGENTS.md instructions") ||
		strings.HasPrefix(s, "<environment_context>")
	c.Tell(audit.Entry{Kind: audit.UserText, Rules: rules}, s)
}

// patched gives the first file of a patch.
func patched(patch string) string {
	for line := range strings.Lines(patch) {
		for _, head := range []string{"*** Update File: ", "*** Add File: ", "*** Delete File: "} {
			if path, ok := strings.CutPrefix(line, head); ok {
				return strings.TrimSpace(path)
			}
		}
	}
	return ""
}

// keptOutput gives what a tool gave, and whether its command failed. Versions
// differ: a text that starts with the exit code, or JSON in a text.
func keptOutput(raw json.RawMessage) (text string, failed bool) {
	text = transcript.Texts(raw)
	var wrapped struct {
		Output   *string `json:"output"`
		Metadata struct {
			ExitCode int `json:"exit_code"`
		} `json:"metadata"`
	}
	if json.Unmarshal([]byte(text), &wrapped) == nil && wrapped.Output != nil {
		return *wrapped.Output, wrapped.Metadata.ExitCode != 0
	}
	for _, head := range []string{"Exit code: ", "Process exited with code "} {
		if _, rest, ok := strings.Cut(cutAt(text, 400), head); ok {
			return text, !strings.HasPrefix(rest, "0")
		}
	}
	return text, false
}

func cutAt(s string, n int) string { return s[:min(n, len(s))] }

// findKept looks into the first line of every rollout: they are kept by date.
func findKept(ctx context.Context, w transcript.Where) []transcript.File {
	home := transcript.Quoted(w.Home("CODEX_HOME", ".codex"))
	list := transcript.Files(name, filepath.Join(home, "sessions", "*", "*", "*", "rollout-*.jsonl"), filepath.Join(home, "archived_sessions", "rollout-*.jsonl"))
	return slices.DeleteFunc(list, func(f transcript.File) bool { return !w.Worked(ctx, readKept, f.Path) })
}

// early are the rollouts of one session: a reply stands there before it is told.
func early(w transcript.Where, id string) []transcript.File {
	home := transcript.Quoted(w.Home("CODEX_HOME", ".codex"))
	return transcript.Files(name, filepath.Join(home, "sessions", "*", "*", "*", "rollout-*-"+transcript.Quoted(id)+".jsonl"))
}
