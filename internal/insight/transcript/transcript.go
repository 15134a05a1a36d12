// Package transcript finds and reads the transcripts that coding programs leave on disk.
// It owns what all formats share: lines, times, the kinds of files. The Format of each
// agent, with the folders in which it keeps its files, is part of that agent's profile.
//
// It promises to return everything that it understands, in the order of the file, as
// entries of package audit. It counts a line that it does not understand, and continues
// after it. It needs memory for one line, not for the file. It never writes, never obeys
// the text of a transcript, and never uses a network.
package transcript

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"kedge/internal/insight/audit"
)

// Meta is what a transcript says about itself.
type Meta struct {
	ID      string   // of the session, by the program; empty is unknown
	Parent  string   // of the session whose sub-agent it is; empty where it is none's
	Dir     string   // where it worked; empty is unknown
	Skipped int64    // lines that could not be understood
	Lines   int      // how many were read, where Options.Before was given
	Unseen  []string // sources of a context that such a transcript does not have, or not all
	Untold  []string // sub-agents that it began and of whose replies it tells nothing: as Format.Lacks takes them
	Partial bool     // the program asks models for things that it does not write down: what it used is more, or may be
}

// Emit is given every entry; it must not keep it.
type Emit func(*audit.Entry)

// Options say how to read.
type Options struct {
	Text   bool  // entries carry their text
	Asks   bool  // what the user said, and what calls that failed gave, carry theirs
	Side   bool  // it is a sub-agent's own transcript, which is a side chain throughout
	Said   bool  // of tools, only what they were asked: results have no text, no length is counted, and lines with nothing else may be passed over
	Spent  bool  // only who the session is and what its replies used: lines with nothing of it may be passed over
	Before int   // only the lines before this one are read, from 1; 0 is all
	Room   *Room // that reading a file takes; nil: its own
}

// Wants tells whether an entry carries its text.
func (o Options) Wants(e *audit.Entry) bool {
	return o.Text && !(o.Said && e.Kind == audit.ToolResult) || o.Asks && (e.Kind == audit.UserText || e.Failed)
}

// Passes tells whether a line may be passed over: only what was used matters, and the line
// has none of the words with which that is told.
func (o Options) Passes(line []byte, words ...string) bool {
	return o.Spent && !slices.ContainsFunc(words, func(w string) bool { return bytes.Contains(line, []byte(w)) })
}

// Teller gives entries with where they stand.
type Teller struct {
	Options
	Emit Emit
	N    int         // line
	At   string      // time
	told audit.Entry // the last one: its place is used again
}

// Give gives an entry.
func (t *Teller) Give(e audit.Entry) {
	e.Line, e.At = t.N, t.At
	t.told = e
	t.Emit(&t.told)
}

// Tell gives an entry with its text.
func (t *Teller) Tell(e audit.Entry, s string) {
	e.Chars = utf8.RuneCountInString(s)
	if t.Wants(&e) {
		e.Text = s
	}
	t.Give(e)
}

// Call gives a tool call with its input, which is JSON.
func (t *Teller) Call(e audit.Entry, input []byte) {
	e.Kind = audit.ToolCall
	if !t.Said {
		e.Chars = Compact(input)
	}
	if t.Text && !(t.Said && e.Act != audit.Other) {
		e.Text = string(input)
	}
	var in toolInput
	_ = json.Unmarshal(input, &in) // what has another form has none of these
	switch e.Act {
	case audit.Read, audit.Edit:
		e.Path = First(in.FilePath, in.AbsolutePath, in.Path, in.CamelPath)
	case audit.Shell:
		e.Command = First(Words(in.Command), Words(in.Cmd))
	case audit.Other:
	}
	t.Give(e)
}

// toolInput is the fields of a tool's input that matter, by their names in all
// programs.
type toolInput struct {
	FilePath     string          `json:"file_path"`
	AbsolutePath string          `json:"absolute_path"`
	Path         string          `json:"path"`
	CamelPath    string          `json:"filePath"`
	Command      json.RawMessage `json:"command"`
	Cmd          json.RawMessage `json:"cmd"`
}

// Words gives a command: a line, or a list of words.
func Words(raw json.RawMessage) string {
	var line string
	var list []string
	switch {
	case json.Unmarshal(raw, &line) == nil:
		return line
	case json.Unmarshal(raw, &list) == nil:
		return strings.Join(list, " ")
	default:
		return ""
	}
}

// First gives the first text that is not empty.
func First(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}

// Decode reads a whole line into v. Fields of another form than expected make
// it a line that is not understood.
func Decode(line []byte, v any) bool {
	return len(line) > 0 && line[0] == '{' && json.Unmarshal(line, v) == nil
}

// Stamp brings a time into the one form of entries; empty where it is none.
func Stamp(s string) string {
	const form = "2006-01-02T15:04:05.000Z"
	if isStamp(s) {
		return s
	}
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return ""
	}
	return at.UTC().Format(form)
}

// isStamp tells whether a time has that form already. It does not know how long
// the months are, and leaves their last days to others.
func isStamp(s string) bool {
	const least, most = "0000-00-00T00:00:00.000Z", "9999-19-29T29:59:59.999Z"
	if len(s) != len(least) {
		return false
	}
	for i := range len(s) {
		if s[i] < least[i] || s[i] > most[i] {
			return false
		}
	}
	return s[5:7] <= "12" && s[5:7] >= "01" && s[8:10] >= "01" && s[8:10] <= "28" && s[11:13] <= "23"
}

// StampMilli is stamp of a number of milliseconds since 1970.
func StampMilli(ms int64) string {
	if ms <= 0 {
		return ""
	}
	return Stamp(time.UnixMilli(ms).UTC().Format(time.RFC3339Nano))
}

// Texts gives a string, or the texts of a list of parts, joined.
func Texts(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return ""
	}
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// Within tells whether dir is one of the folders, or lies in one.
func Within(dirs []string, dir string) bool {
	for _, d := range dirs {
		if dir == d || strings.HasPrefix(dir, strings.TrimSuffix(d, "/")+"/") {
			return true
		}
	}
	return false
}
