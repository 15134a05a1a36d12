package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"kedge/internal/watch"
)

// The names of what is asked of Pi.
const (
	piState = "kedge-state"
	piBrief = "kedge-brief"
	piEnd   = "kedge-end-" // and the number of the stop
)

// piPhase is where a session stands.
type piPhase int

const (
	piBegins piPhase = iota
	piWorks          // a turn runs
	piPauses         // a turn is over, and it was asked whether another follows
	piWaits          // to try again, or for a shorter context
	piHeld           // somebody stopped it: who did that says what comes next
	piOver
)

// piReader reads what one Pi says.
type piReader struct {
	task   Task
	lines  lines
	broken int
	other  string // the last line that is none of the protocol's
	spoken spoken

	phase        piPhase
	stops        int // turns that are over
	conversation string
	window       int64
	asked        string
	last         string // why the last reply ended
	failed       *failed
}

// Open implements Reader.
func (r *piReader) Open(brief []byte) Input {
	return Input{Text: append(piCommand(piState, "get_state", nil), piCommand(piBrief, "prompt", map[string]any{"message": string(brief)})...)}
}

// piCommand is a line that asks something of Pi.
func piCommand(id, name string, more map[string]any) []byte {
	line := map[string]any{"id": id, "type": name}
	for k, v := range more {
		line[k] = v
	}
	return jsonLine(line)
}

// Say implements Reader.
func (r *piReader) Say(w Word) (Input, bool) {
	switch {
	case w.Kind == Close:
		return Input{Close: true}, true
	case r.phase == piOver || w.Kind == Shorten:
		return Input{}, false
	case w.Kind == Interrupt:
		return Input{Text: piCommand(w.ID, "abort", nil)}, true
	default: // a steer while a turn runs, else a turn of its own
		return Input{Text: piCommand(w.ID, "prompt", map[string]any{"message": w.Text, "streamingBehavior": "steer"})}, true
	}
}

// Asks implements Reader: it has nothing to ask people with but its text.
func (r *piReader) Asks() bool { return false }

// Broken implements Reader.
func (r *piReader) Broken() int { return r.broken }

// Feed implements Reader.
func (r *piReader) Feed(b []byte, at Time) ([]watch.Event, Input) {
	return feedLines(&r.lines, b, at, func(line []byte, long bool) ([]watch.Event, Input) { return r.line(line, long, at) })
}

// piPartial begins the many lines of a reply that is being streamed: each has all
// of it that is there.
var piPartial = []byte(`{"type":"message_update"`)

func (r *piReader) line(line []byte, long bool, at Time) ([]watch.Event, Input) {
	switch {
	case bytes.HasPrefix(line, piPartial):
		return nil, Input{}
	case long:
		r.broken++
		return nil, Input{}
	case !bytes.HasPrefix(line, []byte("{")):
		r.other = first(otherLine(line), r.other)
		return nil, Input{}
	}
	var l piLine
	var odd *json.UnmarshalTypeError
	if err := json.Unmarshal(line, &l); err != nil && !errors.As(err, &odd) || l.Type == "" {
		r.broken++
		return nil, Input{}
	}
	if l.Type == "response" {
		return nil, r.answered(&l)
	}
	return r.event(&l, at)
}

// event takes what happened. Kinds that are not known here are passed over.
func (r *piReader) event(l *piLine, at Time) ([]watch.Event, Input) {
	switch l.Type {
	case "agent_start":
		r.phase = piWorks
	case "message_end":
		return r.message(&l.Message), Input{}
	case "tool_execution_start":
		return []watch.Event{r.call(l)}, Input{}
	case "tool_execution_end":
		return []watch.Event{{Kind: watch.Result, ID: l.Call, Output: cut(l.Result.text(), maxText), Failed: l.Failed}}, Input{}
	case "agent_end":
		return nil, r.ended()
	case "auto_retry_start":
		return r.waits(l, at), Input{}
	case "compaction_start", "auto_compaction_start":
		if r.phase != piWorks {
			r.phase = piWaits
		}
	case "compaction_end", "auto_compaction_end":
		return r.compacted(l)
	case "auto_retry_end":
		return nil, r.waited(l)
	case "extension_ui_request":
		return nil, piDecline(l)
	}
	return nil, Input{}
}

// answered is the answer to what was asked of it.
func (r *piReader) answered(l *piLine) Input {
	switch {
	case l.ID == piState && l.Success:
		r.conversation, r.window = l.Data.Session, l.Data.Model.Window
	case l.ID == piBrief && !l.Success:
		r.failed, r.phase = &failed{text: l.Error}, piOver
		return Input{Close: true}
	case l.ID == piEnd+strconv.Itoa(r.stops) && r.phase == piPauses && !l.Data.Streams && !l.Data.Compacts:
		r.phase = piOver
		return Input{Close: true}
	}
	return Input{}
}

// ended is the end of a turn. Whether it tries again, or goes on, is known when
// it answers after it: what it does then it does at once.
func (r *piReader) ended() Input {
	if r.last == "aborted" {
		r.phase = piHeld
		return Input{}
	}
	r.phase = piPauses
	return r.goesOn()
}

func (r *piReader) goesOn() Input {
	r.stops++
	return Input{Text: piCommand(piEnd+strconv.Itoa(r.stops), "get_state", nil)}
}

// waits is a reply that failed and is asked for again.
func (r *piReader) waits(l *piLine, at Time) []watch.Event {
	r.phase = piWaits
	f := failed{text: l.Why}
	switch f.meaning() {
	case NoLogin:
		return []watch.Event{{Kind: watch.NoLogin, Text: oneLine(l.Why, "")}}
	case Limited:
		until := at.Add(time.Duration(l.DelayMS) * time.Millisecond).UTC()
		return []watch.Event{{Kind: watch.Limit, Text: oneLine(l.Why, ""), Until: until}}
	default:
		return nil
	}
}

func (r *piReader) compacted(l *piLine) ([]watch.Event, Input) {
	var out []watch.Event
	if !l.Aborted && l.Why == "" {
		out = []watch.Event{{Kind: watch.Compact, Text: l.Reason}}
	}
	return out, r.waited(l)
}

// waited is the end of a wait between two turns.
func (r *piReader) waited(l *piLine) Input {
	if r.phase != piWaits || l.Again {
		return Input{}
	}
	r.phase = piPauses
	return r.goesOn()
}

// message is something that was said. Only what the model says is told.
func (r *piReader) message(m *piMessage) []watch.Event {
	if m.Role != "assistant" {
		return nil
	}
	r.last, r.failed = m.Stop, nil
	if m.Stop == "error" {
		r.failed = &failed{text: m.Error}
	}
	var out []watch.Event
	if text := m.text(); text != "" {
		said, broken := r.spoken.text(text)
		r.broken += broken
		r.asked = askedIn(said, r.asked)
		out = said
	}
	out = append(out, r.used(m)...)
	if m.Stop != "error" && m.Stop != "aborted" {
		out = append(out, watch.Event{Kind: watch.Turn})
	}
	return out
}

// used is what a reply used. One that failed has no figures; a price that is not
// known is 0 here.
func (r *piReader) used(m *piMessage) []watch.Event {
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
	return used(u)
}

// call is a tool that it is about to use.
func (r *piReader) call(l *piLine) watch.Event {
	ev := watch.Event{Kind: watch.Call, ID: l.Call, Tool: l.Tool, Input: cut(inputText(l.Args), maxText)}
	if l.Tool != "write" && l.Tool != "edit" {
		return ev
	}
	var in struct {
		Path string `json:"path"`
	}
	_ = json.Unmarshal(l.Args, &in) // without a path it changes nothing that is named
	if p, ok := inside(in.Path, r.task.Dir); ok {
		ev.Paths = []string{p}
	}
	return ev
}

// piDecline answers an extension that wants to ask people: nobody sits here. What
// it only shows needs no answer.
func piDecline(l *piLine) Input {
	switch l.Method {
	case "select", "confirm", "input", "editor":
		return Input{Text: jsonLine(map[string]any{"type": "extension_ui_response", "id": l.ID, "cancelled": true})}
	default:
		return Input{}
	}
}

// Exit implements Reader.
func (r *piReader) Exit(code int, cause string) Exit {
	e := r.exit(code, cause)
	e.Conversation = r.conversation
	return e
}

func (r *piReader) exit(code int, cause string) Exit {
	switch {
	case r.failed != nil:
		return r.failed.exit()
	case r.phase == piOver && r.asked != "":
		return Exit{Meaning: Asked, Text: r.asked}
	case r.phase == piOver && code == 0:
		return Exit{Meaning: Finished}
	default:
		return Exit{Meaning: Failed, Text: endText(code, cause, r.other)}
	}
}
