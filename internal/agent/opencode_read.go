package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"kedge/internal/watch"
)

// opencodeReader reads what one opencode run prints.
type opencodeReader struct {
	task   Task
	lines  lines
	broken int
	other  string // the last line that is no event: what it says before it gives up
	spoken spoken

	conversation string
	last         string // why the last step ended
	asked        string
	failed       *failed
	overcame     bool // a failure: its exit code tells of it all the same
}

// opencodeLine is as much of a line as is read here.
type opencodeLine struct {
	Type    string         `json:"type"`
	Session string         `json:"sessionID"`
	Part    opencodePart   `json:"part"`
	Error   *opencodeError `json:"error"`
}

type opencodePart struct {
	Text string `json:"text"`
	Meta struct {
		Goes bool `json:"compaction_continue"` // what it tells itself after it shortened its context
	} `json:"metadata"`
	Tool   string         `json:"tool"`
	Call   string         `json:"callID"`
	State  opencodeState  `json:"state"`
	Reason string         `json:"reason"` // of the end of a step
	Tokens opencodeTokens `json:"tokens"`
	Cost   float64        `json:"cost"`
}

// opencodeState is how a call of a tool went.
type opencodeState struct {
	Status   string          `json:"status"`
	Input    json.RawMessage `json:"input"`
	Output   string          `json:"output"`
	Error    string          `json:"error"`
	Metadata struct {
		Exit *int `json:"exit"`
	} `json:"metadata"`
}

// opencodeTokens are the figures of one reply: Input is without what a cache had,
// Output without what it thought.
type opencodeTokens struct {
	Input     int64 `json:"input"`
	Output    int64 `json:"output"`
	Reasoning int64 `json:"reasoning"`
	Cache     struct {
		Read  int64 `json:"read"`
		Write int64 `json:"write"`
	} `json:"cache"`
}

type opencodeError struct {
	Name string `json:"name"`
	Data struct {
		Message string `json:"message"`
		Status  int    `json:"statusCode"`
	} `json:"data"`
}

// Open implements Reader: the brief as it is, and nothing after it.
func (r *opencodeReader) Open(brief []byte) Input { return Input{Text: brief, Close: true} }

// Say implements Reader: it reads nothing after its brief.
func (r *opencodeReader) Say(Word) (Input, bool) { return Input{}, false }

// Asks implements Reader: it has nothing to ask people with but its text.
func (r *opencodeReader) Asks() bool { return false }

// Broken implements Reader.
func (r *opencodeReader) Broken() int { return r.broken }

// Feed implements Reader.
func (r *opencodeReader) Feed(b []byte, at Time) ([]watch.Event, Input) {
	return feedLines(&r.lines, b, at, func(line []byte, long bool) ([]watch.Event, Input) { return r.line(line, long), Input{} })
}

func (r *opencodeReader) line(line []byte, long bool) []watch.Event {
	switch {
	case long:
		r.broken++
		return nil
	case !bytes.HasPrefix(line, []byte("{")):
		r.other = first(otherLine(line), r.other)
		return nil
	}
	var l opencodeLine
	var odd *json.UnmarshalTypeError
	if err := json.Unmarshal(line, &l); err != nil && !errors.As(err, &odd) || l.Type == "" {
		r.broken++
		return nil
	}
	r.conversation = first(l.Session, r.conversation)
	return r.event(&l)
}

// event takes one event. Kinds that are not known here are passed over.
func (r *opencodeReader) event(l *opencodeLine) []watch.Event {
	switch l.Type {
	case "text":
		if l.Part.Meta.Goes {
			return []watch.Event{{Kind: watch.Compact}}
		}
		return r.text(l.Part.Text)
	case "tool_use":
		return r.tool(&l.Part)
	case "step_start":
		r.overcame = r.overcame || r.failed != nil
		r.last, r.failed = "", nil
	case "step_finish":
		r.last = l.Part.Reason
		return append(r.used(&l.Part), watch.Event{Kind: watch.Turn})
	case "error":
		return r.fails(l.Error)
	}
	return nil
}

func (r *opencodeReader) text(text string) []watch.Event {
	out, broken := r.spoken.text(text)
	r.broken += broken
	r.asked = askedIn(out, r.asked)
	return out
}

// tool is a call and what came of it: it is told when it is over.
func (r *opencodeReader) tool(p *opencodePart) []watch.Event {
	call := watch.Event{Kind: watch.Call, ID: p.Call, Tool: p.Tool, Input: cut(inputText(p.State.Input), maxText), Paths: r.paths(p)}
	done := watch.Event{Kind: watch.Result, ID: p.Call, Output: cut(first(p.State.Output, p.State.Error), maxText), Failed: p.State.Status == "error"}
	if exit := p.State.Metadata.Exit; exit != nil && *exit != 0 {
		done.Failed = true
	}
	return []watch.Event{call, done}
}

// paths are the files that a tool changes.
func (r *opencodeReader) paths(p *opencodePart) []string {
	var in struct {
		File  string `json:"filePath"`
		Patch string `json:"patchText"`
	}
	_ = json.Unmarshal(p.State.Input, &in) // a tool with other arguments changes no file that is named
	var files []string
	switch p.Tool {
	case "write", "edit", "multiedit":
		files = []string{in.File}
	case "apply_patch", "patch":
		files = patched(in.Patch)
	}
	var out []string
	for _, file := range files {
		if name, ok := inside(file, r.task.Dir); ok && len(out) < maxPaths {
			out = append(out, name)
		}
	}
	return out
}

// patched are the files that a patch names.
func patched(patch string) []string {
	var out []string
	for line := range strings.Lines(patch) {
		for _, head := range []string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "} {
			if name, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), head); ok {
				out = append(out, name)
			}
		}
	}
	return out
}

// used is what a reply used. A price that is not known is 0 here.
func (r *opencodeReader) used(p *opencodePart) []watch.Event {
	t := p.Tokens
	output := t.Output + t.Reasoning
	all := t.Input + t.Cache.Read + t.Cache.Write + output
	if all == 0 {
		return nil
	}
	_, model, _ := strings.Cut(r.task.Model, "/")
	u := &watch.Used{Input: &t.Input, CacheRead: &t.Cache.Read, CacheWrite: &t.Cache.Write, Output: &output, Context: &all, Model: model}
	if usd := p.Cost; usd > 0 {
		u.USD = &usd
	}
	return used(u)
}

// fails is an error that ends the work.
func (r *opencodeReader) fails(e *opencodeError) []watch.Event {
	if e == nil {
		e = &opencodeError{}
	}
	r.failed = &failed{status: e.Data.Status, text: first(e.Data.Message, e.Name)}
	return nil
}

// Exit implements Reader.
func (r *opencodeReader) Exit(code int, cause string) Exit {
	e := r.exit(code, cause)
	e.Conversation = r.conversation
	return e
}

func (r *opencodeReader) exit(code int, cause string) Exit {
	ended := r.last != "" && (code == 0 || code == 1 && r.overcame)
	switch {
	case r.failed != nil:
		return r.failed.exit()
	case ended && r.last == "tool-calls":
		return Exit{Meaning: Failed, Text: "it stopped in the middle of its work"}
	case ended && r.asked != "":
		return Exit{Meaning: Asked, Text: r.asked}
	case ended:
		return Exit{Meaning: Finished}
	default:
		return Exit{Meaning: Failed, Text: endText(code, cause, r.other)}
	}
}
