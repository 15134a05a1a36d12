package transcript

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"

	"kedge"
	"kedge/internal/insight/audit"
)

// formats are the programs whose transcripts are text, by the names that agents
// have in Kedge.
var formats = map[string]format{
	"claude": claude, "codex": codex, "gemini": gemini, "qwen": qwen, "pi": pi, "copilot": copilot, "aider": aider,
}

// Agents are the programs whose transcripts can be read.
func Agents() []string {
	return []string{"claude", "codex", "gemini", "opencode", "qwen", "pi", "copilot", "aider"}
}

// File is one transcript.
type File struct {
	Agent   string
	Path    string
	Session string // which one of a database; empty elsewhere
	Side    bool   // it is a sub-agent's, and no session that a person began
	Size    int64
}

// Read reads the transcript of an agent from r.
func Read(ctx context.Context, agent string, r io.Reader, o Options, emit Emit) (Meta, error) {
	f, ok := formats[agent]
	if !ok {
		return Meta{}, kedge.Errorf(kedge.Invalid, "no transcript of agent %q can be read from a stream", agent).
			WithHint("agents: %s", strings.Join(Agents(), ", "))
	}
	if o.Before <= 0 {
		return f(ctx, r, o, emit)
	}
	head, err := newFirstLines(r, o.Before-1)
	if err != nil {
		return Meta{}, err
	}
	m, err := f(ctx, head, o, emit)
	m.Lines = head.n
	return m, err
}

// ReadFile reads a transcript.
func ReadFile(ctx context.Context, f File, o Options, emit Emit) (Meta, error) {
	if f.Agent == "opencode" {
		return openCode(ctx, f.Path, f.Session, o, emit)
	}
	r, err := os.Open(f.Path)
	if err != nil {
		return Meta{}, kedge.Errorf(kedge.NotFound, "open the transcript %q: %w", f.Path, err)
	}
	defer func() { _ = r.Close() }() // it was only read
	o.Side = f.Side
	m, err := Read(ctx, f.Agent, r, o, emit)
	if err != nil {
		return m, err
	}
	if m.ID == "" || m.ID == "aider" {
		m.ID = strings.TrimSuffix(strings.TrimSuffix(filepath.Base(f.Path), ".gz"), ".jsonl")
	}
	return m, nil
}

// Name is what a session is called by where its transcript lies: its id, in most
// programs, or a name that ends in it.
func (f File) Name() string {
	if f.Session != "" {
		return f.Session
	}
	name := strings.TrimSuffix(filepath.Base(f.Path), ".jsonl")
	if name == "events" { // of a folder for each session
		name = filepath.Base(filepath.Dir(f.Path))
	}
	return name
}

// Began is the first time that a transcript tells of; empty is unknown. Little more
// is read than what comes before it.
func Began(ctx context.Context, f File) string {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	at := ""
	_, _ = ReadFile(ctx, f, Options{}, func(e *audit.Entry) { // what was not understood has no time, and the end is ours
		if at == "" && e.At != "" {
			at = e.At
			stop()
		}
	})
	return at
}

// Folder is where the session of a transcript worked, as far as its first lines say;
// empty is unknown.
func Folder(ctx context.Context, f File) string {
	if f.Agent == "opencode" { // whose database does not say
		return ""
	}
	m, _ := ReadFile(ctx, f, Options{Before: sniffed}, func(*audit.Entry) {}) // what cannot be read says nothing
	return m.Dir
}

// Count reads a transcript from r and counts it.
func Count(ctx context.Context, agent string, r io.Reader, price audit.Price) (audit.Figures, Meta, error) {
	c := audit.NewCounter(agent)
	m, err := Read(ctx, agent, r, Options{}, c.Add)
	return figures(c, m, price), m, err
}

// CountFile counts the transcript in a file.
func CountFile(ctx context.Context, f File, price audit.Price) (audit.Figures, error) {
	c := audit.NewCounter(f.Agent)
	m, err := ReadFile(ctx, f, Options{}, c.Add)
	out := figures(c, m, price)
	out.File = f.Path
	return out, err
}

func figures(c *audit.Counter, m Meta, price audit.Price) audit.Figures {
	f := c.Figures(price, m.Unseen...)
	f.ID, f.Parent, f.SkippedLines = m.ID, m.Parent, m.Skipped
	return f
}

// Open says whose transcripts a file holds: one, or all sessions of a database.
func Open(ctx context.Context, path string) ([]File, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return nil, kedge.Errorf(kedge.NotFound, "open the transcript %q: %w", path, err)
	}
	if !fi.Mode().IsRegular() {
		return nil, kedge.Errorf(kedge.Invalid, "%q is not a file", path)
	}
	agent, err := detect(path)
	if err != nil {
		return nil, err
	}
	if agent == "opencode" {
		return ofDatabase(ctx, path, nil)
	}
	return []File{{Agent: agent, Path: path, Size: fi.Size(), Side: agent == "claude" && isSide(path)}}, nil
}

// sidePrefix begins the names of the transcripts of Claude Code's sub-agents.
const sidePrefix = "agent-"

// isSide tells whether a transcript of Claude Code is a sub-agent's: its name
// says so, and the first line that tells.
func isSide(path string) bool {
	if !strings.HasPrefix(filepath.Base(path), sidePrefix) {
		return false
	}
	r, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = r.Close() }() // it was only read
	l, err := newLines(r)
	for err == nil && l.n < sniffed {
		var b []byte
		var line claudeLine
		if b, err = l.next(); err == nil && line.parse(bytes.TrimSpace(b)) && len(line.agent) > 0 {
			return line.side
		}
	}
	return false
}

func ofDatabase(ctx context.Context, path string, dirs []string) ([]File, error) {
	ids, err := openCodeSessions(ctx, path, dirs)
	var list []File
	for _, id := range ids {
		list = append(list, File{Agent: "opencode", Path: path, Session: id})
	}
	return list, err
}

// sniffed is how many lines are looked at to tell whose a transcript is.
const sniffed = 50

// detect looks at the first lines.
func detect(path string) (string, error) {
	r, err := os.Open(path)
	if err != nil {
		return "", kedge.Errorf(kedge.NotFound, "open the transcript %q: %w", path, err)
	}
	defer func() { _ = r.Close() }() // it was only read
	l, err := newLines(r)
	if err != nil {
		return "", err
	}
	for l.n < sniffed {
		line, err := l.next()
		if err != nil {
			break
		}
		if agent := agentOf(line); agent != "" {
			return agent, nil
		}
	}
	if strings.HasSuffix(path, ".jsonl") || strings.HasSuffix(path, ".jsonl.gz") {
		return "claude", nil // one without a line that tells: its lines will be counted as skipped
	}
	return "", kedge.Errorf(kedge.Invalid, "%q is not a transcript that can be read", path).
		WithHint("transcripts of %s can be read", strings.Join(Agents(), ", "))
}

// agentOf tells whose line it is; empty where that cannot be said.
func agentOf(line []byte) string {
	switch {
	case bytes.HasPrefix(line, []byte("SQLite format 3\x00")):
		return "opencode"
	case bytes.HasPrefix(line, []byte("# aider chat started at ")):
		return "aider"
	}
	var l struct {
		Type        string          `json:"type"`
		Payload     json.RawMessage `json:"payload"`
		ProjectHash string          `json:"projectHash"`
		Data        json.RawMessage `json:"data"`
		UUID        string          `json:"uuid"`
		Session     string          `json:"sessionId"`
		Leaf        string          `json:"leafUuid"`
		Snapshot    json.RawMessage `json:"snapshot"`
		Usage       json.RawMessage `json:"usageMetadata"`
		Dir         string          `json:"cwd"`
		Message     struct {
			Parts json.RawMessage `json:"parts"`
		} `json:"message"`
	}
	if !decode(line, &l) {
		return ""
	}
	switch {
	case l.Payload != nil:
		return "codex"
	case l.ProjectHash != "":
		return "gemini"
	case l.Message.Parts != nil || l.Usage != nil:
		return "qwen"
	case l.Type == "session" && l.Dir != "":
		return "pi"
	case l.Data != nil && strings.Contains(l.Type, "."):
		return "copilot"
	case l.Leaf != "" || l.Snapshot != nil || (l.Type == "user" || l.Type == "assistant") && l.UUID != "":
		return "claude"
	default:
		return ""
	}
}
