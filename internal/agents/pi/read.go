package pi

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"

	"kedge/internal/agents"
	"kedge/internal/agents/stream"
	"kedge/internal/core/watch"
)

// The names of what is asked of Pi.
const (
	stateID = "kedge-state"
	briefID = "kedge-brief"
	endID   = "kedge-end-" // and the number of the stop
)

// phase is where a session stands.
type phase int

const (
	begins   phase = iota
	works          // a turn runs
	pauses         // a turn is over, and it was asked whether another follows
	waits          // to try again, or for a shorter context
	shortens       // its context, because it was told to; its turn was stopped for that
	held           // somebody stopped it: who did that says what comes next
	over
)

// reader reads what one Pi says.
type reader struct {
	stream.Stream
	task agents.Task

	phase        phase
	stops        int // turns that are over
	conversation string
	window       int64
	last         string // why the last reply ended
	failed       *stream.Failure
}

// Open implements agents.Reader.
func (r *reader) Open(brief []byte) agents.Input {
	return agents.Input{Text: append(command(stateID, "get_state", nil), command(briefID, "prompt", map[string]any{"message": string(brief)})...)}
}

// command is a line that asks something of Pi.
func command(id, name string, more map[string]any) []byte {
	line := map[string]any{"id": id, "type": name}
	for k, v := range more {
		line[k] = v
	}
	return stream.JSONLine(line)
}

// Say implements agents.Reader.
func (r *reader) Say(w agents.Word) (agents.Input, bool) {
	switch {
	case w.Kind == agents.Close:
		return agents.Input{Close: true}, true
	case r.phase == over:
		return agents.Input{}, false
	case w.Kind == agents.Shorten: // it stops the turn for that by itself
		return agents.Input{Text: command(w.ID, "compact", map[string]any{"customInstructions": w.Text})}, r.phase == works
	case w.Kind == agents.Interrupt:
		return agents.Input{Text: command(w.ID, "abort", nil)}, true
	case r.phase == shortens:
		return agents.Input{}, false
	default: // a steer while a turn runs, else a turn of its own
		return agents.Input{Text: command(w.ID, "prompt", map[string]any{"message": w.Text, "streamingBehavior": "steer"})}, true
	}
}

// Asks implements agents.Reader: it has nothing to ask people with but its text.
func (r *reader) Asks() bool { return false }

// Feed implements agents.Reader.
func (r *reader) Feed(b []byte, at agents.Time) ([]watch.Act, agents.Input) {
	return r.Each(b, at, func(line []byte, long bool) ([]watch.Act, agents.Input) { return r.line(line, long, at) })
}

// partial begins the many lines of a reply that is being streamed: each has all
// of it that is there.
var partial = []byte(`{"type":"message_update"`)

func (r *reader) line(line []byte, long bool, at agents.Time) ([]watch.Act, agents.Input) {
	if bytes.HasPrefix(line, partial) {
		return nil, agents.Input{}
	}
	var l record
	if !r.Decode(line, long, &l) {
		return nil, agents.Input{}
	}
	if l.Type == "" {
		r.Break()
		return nil, agents.Input{}
	}
	switch {
	case l.Type == "response" && l.Command == "compact":
		return r.tookShorten(&l), agents.Input{}
	case l.Type == "response":
		return nil, r.answered(&l)
	default:
		return r.event(&l, at)
	}
}

// event takes what happened. Kinds that are not known here are passed over.
func (r *reader) event(l *record, at agents.Time) ([]watch.Act, agents.Input) {
	switch l.Type {
	case "agent_start":
		r.phase = works
	case "message_end":
		return r.message(&l.Message), agents.Input{}
	case "tool_execution_start":
		return []watch.Act{r.call(l)}, agents.Input{}
	case "tool_execution_end":
		return []watch.Act{{Kind: watch.Result, ID: l.Call, Output: stream.Cut(l.Result.text()), Failed: l.Failed}}, agents.Input{}
	case "agent_end":
		return nil, r.ended()
	case "auto_retry_start":
		return r.waits(l, at), agents.Input{}
	case "compaction_start", "auto_compaction_start":
		switch {
		case l.Reason == manual && r.phase != over:
			r.phase = shortens
		case r.phase != works:
			r.phase = waits
		}
	case "compaction_end", "auto_compaction_end":
		return r.compacted(l)
	case "auto_retry_end":
		return nil, r.waited(l)
	case "extension_ui_request":
		return nil, decline(l)
	}
	return nil, agents.Input{}
}

// answered is the answer to what was asked of it.
func (r *reader) answered(l *record) agents.Input {
	switch {
	case l.ID == stateID && l.Success:
		r.conversation, r.window = l.Data.Session, l.Data.Model.Window
	case l.ID == briefID && !l.Success:
		r.failed, r.phase = &stream.Failure{Text: l.Error}, over
		return agents.Input{Close: true}
	case l.ID == endID+strconv.Itoa(r.stops) && r.phase == pauses && !l.Data.Streams && !l.Data.Compacts:
		r.phase = over
		return agents.Input{Close: true}
	}
	return agents.Input{}
}

// ended is the end of a turn. Whether it tries again, or goes on, is known when
// it answers after it: what it does then it does at once.
func (r *reader) ended() agents.Input {
	switch {
	case r.phase == shortens:
		return agents.Input{}
	case r.last == "aborted":
		r.phase = held
		return agents.Input{}
	}
	r.phase = pauses
	return r.goesOn()
}

func (r *reader) goesOn() agents.Input {
	r.stops++
	return agents.Input{Text: command(endID+strconv.Itoa(r.stops), "get_state", nil)}
}

// waits is a reply that failed and is asked for again.
func (r *reader) waits(l *record, at agents.Time) []watch.Act {
	r.phase = waits
	f := stream.Failure{Text: l.Why}
	until := at.Add(time.Duration(l.DelayMS) * time.Millisecond).UTC()
	switch f.Meaning() {
	case agents.NoLogin:
		return []watch.Act{{Kind: watch.NoLogin, Text: stream.OneLine(l.Why, "")}}
	case agents.Limited:
		return []watch.Act{{Kind: watch.Limit, Text: stream.OneLine(l.Why, ""), Until: until}}
	default:
		return []watch.Act{{Kind: watch.Retry, Text: stream.OneLine(l.Why, ""), Until: until}}
	}
}

// manual is why a context was shortened that somebody wanted so.
const manual = "manual"

// tookShorten is the answer to the wish for a shorter context, after the end of the
// compaction; one that it never began has no other.
func (r *reader) tookShorten(l *record) []watch.Act {
	if l.Success || r.phase != works {
		return nil
	}
	return []watch.Act{{Kind: watch.Spared, Asked: true, Text: stream.OneLine(l.Error, "")}}
}

// compacted is the end of a compaction. Of one that somebody wanted it waits for what
// comes next, also where it came to nothing: its turn was stopped for it, and of that
// it does not tell.
func (r *reader) compacted(l *record) ([]watch.Act, agents.Input) {
	var out []watch.Act
	switch {
	case !l.Aborted && l.Why == "":
		out = []watch.Act{{Kind: watch.Compact, Asked: l.Reason == manual, Text: l.Reason}}
	case l.Reason == manual:
		out = []watch.Act{{Kind: watch.Spared, Asked: true, Text: stream.OneLine(l.Why, "it was stopped")}}
	}
	if l.Reason == manual && r.phase != over {
		r.phase = held
		return out, agents.Input{}
	}
	return out, r.waited(l)
}

// waited is the end of a wait between two turns.
func (r *reader) waited(l *record) agents.Input {
	if r.phase != waits || l.Again {
		return agents.Input{}
	}
	r.phase = pauses
	return r.goesOn()
}

// message is something that was said. Only what the model says is told.
func (r *reader) message(m *message) []watch.Act {
	if m.Role != "assistant" {
		return nil
	}
	r.last, r.failed = m.Stop, nil
	if m.Stop == "error" {
		r.failed = &stream.Failure{Text: m.Error}
	}
	var out []watch.Act
	if text := m.text(); text != "" {
		out = r.Said(text)
	}
	out = append(out, r.used(m)...)
	if m.Stop != "error" && m.Stop != "aborted" {
		out = append(out, watch.Act{Kind: watch.Turn})
	}
	return out
}

// used is what a reply used. One that failed has no figures; a price that is not
// known is 0 here.
func (r *reader) used(m *message) []watch.Act {
	t := m.Usage
	all := t.all()
	if all == 0 {
		return nil
	}
	u := &watch.Used{Input: &t.Input, CacheRead: &t.CacheRead, CacheWrite: &t.CacheWrite, Output: &t.Output, Context: &all, Model: m.Model}
	if size := r.window; size > 0 {
		u.Window = &size
	}
	if usd := t.Cost.Total; usd > 0 {
		u.USD = &usd
	}
	return stream.Used(u)
}

// call is a tool that it is about to use.
func (r *reader) call(l *record) watch.Act {
	ev := watch.Act{Kind: watch.Call, ID: l.Call, Tool: l.Tool, Input: stream.Cut(stream.InputText(l.Args))}
	if l.Tool != "write" && l.Tool != "edit" {
		return ev
	}
	var in struct {
		Path string `json:"path"`
	}
	_ = json.Unmarshal(l.Args, &in) // without a path it changes nothing that is named
	if p, ok := stream.Inside(in.Path, r.task.Dir); ok {
		ev.Paths = []string{p}
	}
	return ev
}

// decline answers an extension that wants to ask people: nobody sits here. What
// it only shows needs no answer.
func decline(l *record) agents.Input {
	switch l.Method {
	case "select", "confirm", "input", "editor":
		return agents.Input{Text: stream.JSONLine(map[string]any{"type": "extension_ui_response", "id": l.ID, "cancelled": true})}
	default:
		return agents.Input{}
	}
}

// Exit implements agents.Reader.
func (r *reader) Exit(code int, cause string) agents.Exit {
	e := r.exit(code, cause)
	e.Conversation = r.conversation
	return e
}

func (r *reader) exit(code int, cause string) agents.Exit {
	switch {
	case r.failed != nil:
		return r.failed.Exit()
	case r.phase == over && r.Asked != "":
		return agents.Exit{Meaning: agents.Asked, Text: r.Asked}
	case r.phase == over && code == 0:
		return agents.Exit{Meaning: agents.Finished}
	default:
		return agents.Exit{Meaning: agents.Failed, Text: stream.EndText(code, cause, r.Other)}
	}
}
