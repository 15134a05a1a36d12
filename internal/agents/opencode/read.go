package opencode

import (
	"cmp"
	"encoding/json"
	"strings"

	"kedge/internal/agents"
	"kedge/internal/agents/stream"
	"kedge/internal/core/watch"
)

// reader reads what one opencode run prints.
type reader struct {
	stream.Stream
	task agents.Task

	conversation string
	last         string // why the last step ended
	failed       *stream.Failure
	overcame     bool // a failure: its exit code tells of it all the same
	begun        bool // a step whose usage is unknown
}

// record is as much of a line as is read here.
type record struct {
	Type    string   `json:"type"`
	Session string   `json:"sessionID"`
	Part    part     `json:"part"`
	Error   *failure `json:"error"`
}

type part struct {
	Text string `json:"text"`
	Meta struct {
		Goes bool `json:"compaction_continue"` // what it tells itself after it shortened its context
	} `json:"metadata"`
	Tool   string  `json:"tool"`
	Call   string  `json:"callID"`
	State  state   `json:"state"`
	Reason string  `json:"reason"` // of the end of a step
	Tokens tokens  `json:"tokens"`
	Cost   float64 `json:"cost"`
}

// state is how a call of a tool went.
type state struct {
	Status   string          `json:"status"`
	Input    json.RawMessage `json:"input"`
	Output   string          `json:"output"`
	Error    string          `json:"error"`
	Metadata struct {
		Exit *int `json:"exit"`
	} `json:"metadata"`
}

// tokens are the figures of one reply: Input is without what a cache had,
// Output without what it thought.
type tokens struct {
	Input     int64 `json:"input"`
	Output    int64 `json:"output"`
	Reasoning int64 `json:"reasoning"`
	Cache     struct {
		Read  int64 `json:"read"`
		Write int64 `json:"write"`
	} `json:"cache"`
}

type failure struct {
	Name string `json:"name"`
	Data struct {
		Message string `json:"message"`
		Status  int    `json:"statusCode"`
	} `json:"data"`
}

// Open implements agents.Reader: the brief as it is, and nothing after it.
func (r *reader) Open(brief []byte) agents.Input { return agents.Input{Text: brief, Close: true} }

// Say implements agents.Reader: it reads nothing after its brief.
func (r *reader) Say(agents.Word) (agents.Input, bool) { return agents.Input{}, false }

// Asks implements agents.Reader: it has nothing to ask people with but its text.
func (r *reader) Asks() bool { return false }

// Feed implements agents.Reader.
func (r *reader) Feed(b []byte, at agents.Time) ([]watch.Act, agents.Input) {
	return r.Each(b, at, func(line []byte, long bool) ([]watch.Act, agents.Input) { return r.line(line, long), agents.Input{} })
}

func (r *reader) line(line []byte, long bool) []watch.Act {
	var l record
	if !r.Decode(line, long, &l) {
		return nil
	}
	if l.Type == "" {
		r.Break()
		return nil
	}
	r.conversation = cmp.Or(l.Session, r.conversation)
	return r.event(&l)
}

// event takes one event. Kinds that are not known here are passed over.
func (r *reader) event(l *record) []watch.Act {
	switch l.Type {
	case "text":
		if l.Part.Meta.Goes {
			return []watch.Act{{Kind: watch.Compact}}
		}
		return r.Said(l.Part.Text)
	case "tool_use":
		return r.tool(&l.Part)
	case "step_start":
		r.overcame = r.overcame || r.failed != nil
		r.last, r.failed = "", nil
		r.begun = true
		return stream.Used(&watch.Used{Begun: true})
	case "step_finish":
		r.last, r.begun = l.Part.Reason, false
		return append(r.used(&l.Part), watch.Act{Kind: watch.Turn})
	case "error":
		return r.fails(l.Error)
	}
	return nil
}

// tool is a call and what came of it: it is told when it is over.
func (r *reader) tool(p *part) []watch.Act {
	call := watch.Act{Kind: watch.Call, ID: p.Call, Tool: p.Tool, Input: stream.Cut(stream.InputText(p.State.Input)), Paths: r.paths(p)}
	done := watch.Act{Kind: watch.Result, ID: p.Call, Output: stream.Cut(cmp.Or(p.State.Output, p.State.Error)), Failed: p.State.Status == "error"}
	if exit := p.State.Metadata.Exit; exit != nil && *exit != 0 {
		done.Failed = true
	}
	return []watch.Act{call, done}
}

// paths are the files that a tool changes.
func (r *reader) paths(p *part) []string {
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
		if name, ok := stream.Inside(file, r.task.Dir); ok && len(out) < stream.MaxPaths {
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
func (r *reader) used(p *part) []watch.Act {
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
	return stream.Used(u)
}

// refusing is the lowest status of a response that has no reply.
const refusing = 400

// fails is an error that ends the work.
func (r *reader) fails(e *failure) []watch.Act {
	if e == nil {
		e = &failure{}
	}
	r.failed = &stream.Failure{Status: e.Data.Status, Text: cmp.Or(e.Data.Message, e.Name)}
	if r.begun && e.Data.Status >= refusing {
		r.begun = false
		return stream.Used(&watch.Used{}) // no model replied
	}
	return nil
}

// Exit implements agents.Reader.
func (r *reader) Exit(code int, cause string) agents.Exit {
	e := r.exit(code, cause)
	e.Conversation = r.conversation
	return e
}

func (r *reader) exit(code int, cause string) agents.Exit {
	ended := r.last != "" && (code == 0 || code == 1 && r.overcame)
	switch {
	case r.failed != nil:
		return r.failed.Exit()
	case ended && r.last == "tool-calls":
		return agents.Exit{Meaning: agents.Failed, Text: "it stopped in the middle of its work"}
	case ended && r.Asked != "":
		return agents.Exit{Meaning: agents.Asked, Text: r.Asked}
	case ended:
		return agents.Exit{Meaning: agents.Finished}
	default:
		return agents.Exit{Meaning: agents.Failed, Text: stream.EndText(code, cause, r.Other)}
	}
}
