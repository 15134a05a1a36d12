// Package resume finds in a transcript what a fresh session needs to continue the work
// from any line on. It owns the current request, the work in progress, the last command,
// the order of the files that are needed next, and what was decided, ruled out and left
// open, as far as the transcript says so.
//
// It promises that the same entries give the same brief. Nothing in the brief is made up:
// every text is from the transcript, and every shortened text is marked. The brief keeps
// to its budget by whole items. Memory is bounded by the number of files, not by the
// length of the transcript. The package never asks a model, never reads a file or a
// clock, and never obeys the text of a transcript.
package resume

import (
	"encoding/json"
	"strings"

	"kedge/internal/core/check"
	"kedge/internal/insight/audit"
	"kedge/internal/text/plain"
	"kedge/internal/text/redact"
	"kedge/internal/text/words"
)

// DefaultBudget is how many tokens a brief takes at most, by estimate.
const DefaultBudget = 1500

// Picker takes the entries of one session, in their order. Its briefs are of what
// it was given so far, so that one Picker gives the briefs of many cuts.
type Picker struct {
	entries  int  // so far
	n        int  // actions so far
	line     int  // of the last entry; 0 where entries have none
	askedAt  int  // action before which the ask in force was said
	reads    bool // there is a tool that reads files
	files    files
	mentions mentions
	asks     asks
	todo     todo
	memory   memory
	step     step
	place    whereabouts
	reds     []*redCheck      // checks that were red when they last ran, the newest last
	calls    map[string]*call // that have no result yet
}

// call is a tool call that waits for its result: what is needed of it, no more.
type call struct {
	n       int
	line    int
	tool    string
	act     audit.Act
	path    string
	command string
	about   string // what its input says it is for
	sum     uint64 // of its whole input
}

const (
	maxCalls   = 256      // that wait; many never get a result
	maxCommand = 16 << 10 // bytes of one
	maxPath    = 4 << 10  // bytes; what is longer names no file
)

// New gives a Picker of a session that has said nothing yet.
func New() *Picker { return tuned(&fitted) }

func tuned(t *tuning) *Picker {
	return &Picker{files: newFiles(t), calls: map[string]*call{}}
}

// WorksIn says in which folder the session works, before anything is added: short names
// are of files below it. Without it they are of no folder that a command names.
func (p *Picker) WorksIn(dir string) { p.files.base = strings.TrimRight(slashed(dir), "/") }

// Add takes one entry, with its text. It keeps nothing of the entry itself, and
// no secret of it: they are taken out before anything is cut, since half of one
// looks like none.
func (p *Picker) Add(whole *audit.Entry) {
	e := p.clean(whole)
	p.entries++
	p.line = e.Line
	switch e.Kind {
	case audit.UserText:
		p.user(e)
	case audit.Queued:
		if s := heard(e); s.kind == saidAsk || s.kind == saidSteering {
			s.inside = true
			p.hear(s)
		}
	case audit.AssistantText:
		p.mentions.add(voiceSaid, p.n, e.Text, nil)
		p.memory.said(e.Line, e.Text)
		p.step.said(e.Line, e.Text)
	case audit.Thinking:
		p.memory.thought(e.Line, e.Text)
		p.step.thoughtOf(e.Line, e.Text)
	case audit.ToolCall:
		p.toolCall(e)
	case audit.ToolResult:
		p.toolResult(e)
	case audit.Moment:
		p.place.told(e)
	case audit.Compaction, audit.Reply, audit.Offered, audit.Refused, audit.Title, audit.Prompt, audit.Given:
	}
}

// clean gives an entry without secrets, as far as its text is used.
func (p *Picker) clean(whole *audit.Entry) *audit.Entry {
	e := *whole
	e.Text = plain.Settled(e.Text, e.Kind == audit.ToolResult)
	e.Command = redact.Text(plain.Settled(e.Command, false))
	switch e.Kind {
	case audit.ToolCall:
		if e.Act == audit.Other || e.Path == "" {
			e.Text = string(redact.JSON([]byte(e.Text)))
		}
	case audit.ToolResult:
		if c := p.calls[e.Call]; c != nil && (e.Failed || c.act == audit.Shell || c.act == audit.Other || strings.HasPrefix(e.Text, refusal)) {
			e.Text = redact.Text(e.Text)
		}
	case audit.UserText, audit.Queued, audit.AssistantText, audit.Thinking:
		e.Text = redact.Text(e.Text)
	case audit.Compaction, audit.Reply, audit.Moment, audit.Offered, audit.Refused, audit.Title, audit.Prompt, audit.Given:
	}
	return &e
}

// maxSaid bounds what is kept of one text of the user's side, in bytes: some
// paste whole logs.
const maxSaid = 64 << 10

// heard gives what a text of the user's side is, and as much of it as is kept.
func heard(e *audit.Entry) said {
	s := sorted(e)
	s.text = strings.Clone(cut(s.text, maxSaid))
	return s
}

// user takes what a person, or the program in their place, said.
func (p *Picker) user(e *audit.Entry) {
	s := heard(e)
	switch s.kind {
	case saidNothing:
		return
	case saidShell:
		p.step.ranByHand(s.text)
		p.mentions.add(voiceOutput, p.n, s.text, nil)
		return
	case saidAsk, saidSteering, saidStop, saidSummary:
		p.hear(s)
	}
}

// hear takes what a person said, and what stands in its place.
func (p *Picker) hear(s said) {
	if q := questions(p.step.text.text); s.kind == saidSteering && p.step.spoke && len(q) > 0 {
		s.to = q[len(q)-1]
	}
	if p.step.spoke {
		s.ref, s.against = meant(s.text, p.step.text.text), p.report()
	}
	if p.asks.take(s) {
		p.askedAt = p.n
	}
	p.memory.told(s)
	p.step.heard(s, p.n)
}

func (p *Picker) toolCall(e *audit.Entry) {
	p.n++
	p.memory.acts++
	if len(e.Path) > maxPath {
		e.Path = ""
	}
	c := &call{n: p.n, line: e.Line, tool: e.Tool, act: e.Act, path: e.Path, command: cut(e.Command, maxCommand), sum: hashed(e.Text)}
	if e.Act == audit.Other || e.Path == "" {
		c.about = purpose(e.Text)
	}
	p.wait(e.Call, c)
	p.step.called(c)
	switch e.Act {
	case audit.Read:
		p.reads = true
		p.touch(e.Path, actRead)
	case audit.Edit:
		p.touch(e.Path, actEdit)
		p.memory.edited(e.Line, e.Path, e.Text)
		if e.Path == "" || e.Tool == patchTool {
			p.patch(e.Text)
		}
	case audit.Shell:
		p.shell(e.Command)
	case audit.Other:
		p.other(c, e.Text)
	}
}

// wait keeps a call until its result comes, and drops the oldest when many wait.
func (p *Picker) wait(id string, c *call) {
	p.calls[id] = c
	if len(p.calls) <= maxCalls {
		return
	}
	oldest, n := "", p.n+1
	for id, c := range p.calls {
		if c.n < n {
			oldest, n = id, c.n
		}
	}
	delete(p.calls, oldest)
}

func (p *Picker) touch(path string, a act) {
	if path != "" {
		p.files.touch(path, a, p.n)
	}
}

// patchTool is the tool that changes files, several at once, by a patch.
const patchTool = "apply_patch"

// patch takes the files that a patch in the form of apply_patch changes, once each.
func (p *Picker) patch(text string) {
	if !strings.Contains(text, "*** ") {
		return
	}
	last := ""
	for l := range strings.Lines(strings.ReplaceAll(text, `\n`, "\n")) {
		if _, path, ok := strings.Cut(l, "*** Delete File: "); ok {
			p.files.lose(check.Place{}, strings.Trim(path, " \r\n\""))
		}
		if strings.Contains(l, "*** Move to: ") {
			p.files.lose(check.Place{}, last)
		}
		for _, mark := range []string{"*** Update File: ", "*** Add File: ", "*** Move to: "} {
			if _, path, ok := strings.Cut(l, mark); ok && len(path) <= maxPath {
				last = strings.Trim(path, " \r\n\"")
				p.alsoEdits(last)
			}
		}
	}
}

// shell takes the files that a command names. A command may change files by a patch or
// write them; and where a program has no tool that reads files, it reads them by commands.
func (p *Picker) shell(command string) {
	if strings.Contains(command, "*** Begin Patch") {
		p.patch(command)
		return
	}
	done := map[string]bool{}
	for _, w := range check.Written(command, p.files.base) {
		if p.files.ofWork(w) {
			done[w], done[baseOf(w)] = true, true
			p.alsoEdits(w)
		}
	}
	if !p.reads {
		for _, w := range check.Printed(command) {
			done[w] = true
			p.touch(w, actPrint)
		}
	}
	for _, w := range words.Paths(command) {
		if !done[w] && (len(p.files.named(w)) > 0 || words.SurelyFile(w)) {
			p.touch(w, actShell)
		}
	}
}

// otherInput is the fields of other tools that matter.
type otherInput struct {
	Path string `json:"path"`
	Plan string `json:"plan"`
}

// other takes a call of a tool that neither reads, edits nor runs: searches,
// lists of what is to do, plans.
func (p *Picker) other(c *call, input string) {
	if p.todo.called(c.tool, input) {
		return
	}
	var in otherInput
	_ = json.Unmarshal([]byte(input), &in) // what has another form has none of these
	if words.NamesFile(in.Path) {
		c.path = in.Path
		p.touch(in.Path, actLook)
		if low := strings.ToLower(c.tool); strings.Contains(low, "delete") || strings.Contains(low, "remove") {
			p.files.lose(check.Place{}, in.Path)
		}
	}
	if in.Plan != "" {
		p.asks.planned(in.Plan)
		p.mentions.add(voiceSaid, p.n, in.Plan, nil)
	}
}

func (p *Picker) toolResult(e *audit.Entry) {
	c := p.calls[e.Call]
	if c == nil {
		return
	}
	delete(p.calls, e.Call)
	p.step.answered(c, e)
	p.memory.answered(c, e)
	p.place.answered(c, e, p.files.ofWork(c.path))
	p.todo.answered(c, e.Text)
	if words := wordsOfRefusal(e); words != "" {
		p.asks.take(said{kind: saidAsk, line: e.Line, text: strings.Clone(cut(words, maxSaid)), refuse: true})
	}
	bad := e.Failed || c.act == audit.Shell && red(c.command, e.Text)
	var r *redCheck
	if c.act == audit.Shell && !strings.HasPrefix(e.Text, refusal) {
		r = p.checked(c, bad)
		p.files.notFound(e.Text)
	}
	if e.Failed {
		p.failed(c, e, r)
		return
	}
	switch {
	case c.act == audit.Shell:
		p.settle(c.command, e.Text)
		p.removed(c.command)
		by := voiceOutput
		if bad {
			by = voiceRed
		}
		p.mentions.add(by, p.n, e.Text, r)
	case c.act == audit.Other:
		p.mentions.add(voiceOutput, p.n, e.Text, nil)
	}
}

// failed takes the result of a call that failed.
func (p *Picker) failed(c *call, e *audit.Entry, r *redCheck) {
	if c.act == audit.Shell || c.act == audit.Other {
		p.mentions.add(voiceRed, p.n, e.Text, r)
		return
	}
	f := p.files.byKey[slashed(c.path)]
	if f == nil {
		return
	}
	f.failed = true
	if c.act == audit.Read && f.uses == 1 && (strings.Contains(e.Text, "does not exist") || strings.Contains(e.Text, "EISDIR")) {
		f.gone = true
	}
}

// Empty tells whether nothing was added yet.
func (p *Picker) Empty() bool { return p.entries == 0 }
