package gemini

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kedge/internal/insight/audit"
	"kedge/internal/insight/transcript"
)

// kept is how it keeps what its sessions did.
func kept() transcript.Format {
	return transcript.Format{
		Agent: name, Place: "~/.gemini, or .gemini in GEMINI_CLI_HOME", Variables: []string{"GEMINI_CLI_HOME"}, Find: findKept, Read: readKept,
		Is: func(h transcript.Head) bool {
			return h.ProjectHash != "" || isWhole(h.File) && bytes.Contains(h.Line, []byte(`"sessionId"`))
		},
	}
}

// Acts are the tools of Gemini CLI, and of Qwen Code, which grew from it.
var Acts = map[string]audit.Act{
	"read_file": audit.Read, "write_file": audit.Edit, "replace": audit.Edit, "edit": audit.Edit, "run_shell_command": audit.Shell,
}

// readKept reads the sessions of Gemini CLI. A later line with the id of an
// earlier one replaces it, so that entries are given at the end; they are kept
// without their texts unless those are asked for.
func readKept(ctx context.Context, r io.Reader, o transcript.Options, emit transcript.Emit) (transcript.Meta, error) {
	g := &keptReader{said: map[string][]audit.Entry{}}
	g.Teller = transcript.Teller{Options: o, Emit: func(e *audit.Entry) { g.now = append(g.now, *e) }}
	in := bufio.NewReader(r)
	var skipped int64
	var err error
	if begun, _ := in.Peek(peeked); wholeBegun(begun) {
		skipped = g.whole(in)
	} else {
		skipped, err = transcript.EachLine(ctx, in, g.line)
	}
	g.meta.Skipped = skipped
	g.meta.Unseen = []string{"rules", "tool_schemas"}
	for _, id := range g.order {
		for i := range g.said[id] {
			emit(&g.said[id][i])
		}
	}
	return g.meta, err
}

type keptReader struct {
	transcript.Teller
	meta  transcript.Meta
	now   []audit.Entry
	said  map[string][]audit.Entry
	order []string
}

type keptLine struct {
	Session  string          `json:"sessionId"`
	Start    string          `json:"startTime"`
	ID       string          `json:"id"`
	At       string          `json:"timestamp"`
	Type     string          `json:"type"`
	Content  json.RawMessage `json:"content"`
	Model    string          `json:"model"`
	Thoughts []struct {
		Subject     string `json:"subject"`
		Description string `json:"description"`
	} `json:"thoughts"`
	Tokens *keptTokens `json:"tokens"`
	Calls  []keptCall  `json:"toolCalls"`
}

// keptTokens counts cached tokens as part of the input.
type keptTokens struct {
	Input    int64 `json:"input"`
	Output   int64 `json:"output"`
	Cached   int64 `json:"cached"`
	Thoughts int64 `json:"thoughts"`
}

type keptCall struct {
	ID     string          `json:"id"`
	Name   string          `json:"name"`
	Args   json.RawMessage `json:"args"`
	Result json.RawMessage `json:"result"`
	Status string          `json:"status"`
}

func (g *keptReader) line(n int, b []byte) bool {
	var l keptLine
	if !transcript.Decode(b, &l) {
		return false
	}
	g.meta.ID = transcript.First(g.meta.ID, l.Session)
	g.N, g.At, g.now = n, transcript.Stamp(transcript.First(l.At, l.Start)), nil
	g.message(l)
	if _, again := g.said[l.ID]; !again {
		g.order = append(g.order, l.ID)
	}
	if l.ID == "" {
		g.now = append(g.said[""], g.now...) // headers and patches replace nothing
	}
	g.said[l.ID] = g.now
	return true
}

// peeked is how much is looked at to tell whether a session is one JSON text, as older
// versions wrote it.
const peeked = 4 << 10

// isWhole tells whether a file is called as older versions call a session's.
func isWhole(name string) bool {
	return strings.HasPrefix(name, "session-") && strings.HasSuffix(name, ".json")
}

// wholeBegun tells whether a text begins like a session of an older version: an object over
// several lines, or one that has the messages in it.
func wholeBegun(b []byte) bool {
	rest, ok := bytes.CutPrefix(bytes.TrimSpace(b), []byte("{"))
	if !ok {
		return false
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	return len(bytes.TrimSpace(line)) == 0 || bytes.Contains(line, []byte(`"messages":[`))
}

// whole reads a session of an older version.
func (g *keptReader) whole(r io.Reader) (skipped int64) {
	var s struct {
		Session  string            `json:"sessionId"`
		Start    string            `json:"startTime"`
		Messages []json.RawMessage `json:"messages"`
	}
	b, err := io.ReadAll(io.LimitReader(r, transcript.MaxLine))
	if err != nil || !transcript.Decode(bytes.TrimSpace(b), &s) {
		return 1
	}
	g.meta.ID = s.Session
	for i, m := range s.Messages {
		if !g.line(i+1, m) {
			skipped++
		}
	}
	return skipped
}

func (g *keptReader) message(l keptLine) {
	g.Give(audit.Entry{Kind: audit.Moment})
	switch l.Type {
	case "user":
		g.Tell(audit.Entry{Kind: audit.UserText}, transcript.Texts(l.Content))
	case "gemini":
		g.reply(l)
		for _, t := range l.Thoughts {
			g.Tell(audit.Entry{Kind: audit.Thinking}, t.Subject+t.Description)
		}
		g.Tell(audit.Entry{Kind: audit.AssistantText}, transcript.Texts(l.Content))
		for _, c := range l.Calls {
			g.Call(audit.Entry{Call: c.ID, Tool: c.Name, Act: Acts[c.Name]}, c.Args)
			if len(c.Result) > 0 {
				g.Tell(audit.Entry{Kind: audit.ToolResult, Call: c.ID, Failed: c.Status == "error"}, responses(c.Result))
			}
		}
	}
}

func (g *keptReader) reply(l keptLine) {
	e := audit.Entry{Kind: audit.Reply, Reply: l.ID, Model: l.Model}
	if t := l.Tokens; t != nil {
		cached := min(t.Cached, t.Input)
		e.Usage = &audit.Usage{Input: t.Input - cached, CacheRead: cached, Output: t.Output + t.Thoughts}
	}
	g.Give(e)
}

// Part is one part of a message in the form of Google's models.
type Part struct {
	Text     string `json:"text"`
	Thought  bool   `json:"thought"`
	Function *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	Response *struct {
		ID       string          `json:"id"`
		Response json.RawMessage `json:"response"`
	} `json:"functionResponse"`
}

// responses gives the texts of the results of a call, joined.
func responses(raw json.RawMessage) string {
	var parts []Part
	if json.Unmarshal(raw, &parts) != nil {
		return transcript.Texts(raw)
	}
	all := ""
	for _, p := range parts {
		all += p.Text
		if p.Response != nil {
			text, _ := Outcome(p.Response.Response)
			all += text
		}
	}
	return all
}

// Outcome is what a function answered: its output or its error, else all of it.
func Outcome(raw json.RawMessage) (text string, failed bool) {
	var r struct {
		Output *string `json:"output"`
		Error  *string `json:"error"`
	}
	switch err := json.Unmarshal(raw, &r); {
	case err == nil && r.Error != nil:
		return *r.Error, true
	case err == nil && r.Output != nil:
		return *r.Output, false
	default:
		return string(raw), false
	}
}

// findKept knows folders by the hash of the project's path.
func findKept(_ context.Context, w transcript.Where) []transcript.File {
	root := w.Home("GEMINI_CLI_HOME")
	if root == "" {
		return nil
	}
	var hashes, patterns []string
	for _, dir := range w.Dirs {
		sum := sha256.Sum256([]byte(dir))
		hashes = append(hashes, hex.EncodeToString(sum[:]))
	}
	tmp := filepath.Join(transcript.Quoted(root), ".gemini", "tmp")
	patterns = append(patterns, filepath.Join(tmp, "*", "chats", "session-*.jsonl"), filepath.Join(tmp, "*", "chats", "session-*.json"))
	return slices.DeleteFunc(transcript.Files(name, patterns...), func(f transcript.File) bool { return !w.All && !hashIn(f.Path, hashes) })
}

// hashIn looks at the folder's name and the header of the file.
func hashIn(path string, hashes []string) bool {
	if slices.Contains(hashes, filepath.Base(filepath.Dir(filepath.Dir(path)))) {
		return true
	}
	r, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = r.Close() }() // it was only read
	l, err := transcript.FirstLines(r)
	if err != nil {
		return false
	}
	line, err := l.Next()
	var header struct {
		Hash string `json:"projectHash"`
	}
	return err == nil && transcript.Decode(line, &header) && slices.Contains(hashes, header.Hash)
}
