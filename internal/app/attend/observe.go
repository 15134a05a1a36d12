package attend

import (
	"context"
	"strings"

	"kedge"
	"kedge/internal/agents/record"
	"kedge/internal/app/projects"
	"kedge/internal/core/watch"
	"kedge/internal/insight/transcript"
)

// observe takes in what a hook told of a conversation. Of one whose transcript is read
// only the figures of its status line count: the rest stands in the transcript.
func (s *Attendant) observe(ctx context.Context, who projects.Caller, id string, r Record) {
	w := s.conversation(ctx, who, r)
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if r.Used == nil && w.identify(r.Data) {
		s.anew(ctx, w, w.key+"-"+id)
	}
	s.watching.claim(w.native, w.key)
	if !w.speaksOf(r.Data) {
		return
	}
	acts := hookActs(r)
	if w.page.file.Path != "" && r.Used == nil {
		return
	}
	s.tell(ctx, w, w.feed(w.key+"-"+id, acts))
}

// conversation gives what is known of the conversation that a hook speaks of; nil where
// it is not known which one that is, and for a session that ended.
func (s *Attendant) conversation(ctx context.Context, who projects.Caller, r Record) *watched {
	if id, _ := who.Session(); id != someAgent {
		f, ok := s.sessions.FollowedAs(id)
		if !ok {
			return nil
		}
		w, err := s.watchedAs(ctx, f)
		if err != nil {
			s.home.Log.Error("cannot watch a session", "session", string(id), "error", err.Error())
		}
		return w
	}
	if r.Data.Native == "" {
		return nil
	}
	s.watching.mu.Lock()
	defer s.watching.mu.Unlock()
	key := "native:" + r.Data.Native // an agent chooses the name: it must not be that of a session
	if w, ok := s.watching.known[key]; ok {
		return w
	}
	w := &watched{dir: r.Dir, key: "watch-" + r.Data.Native, limits: s.limitsIn(ctx, r.Dir, s.watching.environ)}
	w.afresh()
	w.eye.Since(r.Data.At)
	return s.watching.put(key, w)
}

// identify takes in what the agent calls its conversation, and tells whether that is
// another one than was watched so far.
func (w *watched) identify(d kedge.HookData) (another bool) {
	if d.Native != "" && d.Native != w.native && w.moves(d) {
		another = w.native != "" || w.page.file.Path != "" && !transcript.Names(w.page.file.Name(), d.Native)
		w.agent, w.native, w.at = d.Agent, d.Native, resting
	}
	if d.Native == w.native {
		w.at = w.at.after(d.Event)
	}
	return another
}

// moves tells whether an event of another conversation means that the session has that
// one now. An agent that was started by the session's agent has hooks as well: it begins
// in the middle of a turn, clears nothing, and goes while the other stays. An agent that
// is the session's own program begins once.
func (w *watched) moves(d kedge.HookData) bool {
	switch {
	case w.native == "":
		return true
	case d.Event != kedge.HookStart:
		return false
	case w.at == over:
		return true
	case d.Source == "clear":
		return d.Agent == w.agent
	case d.Source == "resume":
		return w.at == resting && d.Agent == w.agent
	default:
		return w.at == resting && !record.Known(w.ses)
	}
}

// stage is where a conversation is, as its hooks say.
type stage string

const (
	resting stage = "resting" // between two turns
	working stage = "working"
	over    stage = "over"
)

// after is the stage after an event.
func (s stage) after(ev kedge.HookEvent) stage {
	switch ev {
	case kedge.HookTool, kedge.HookCompact:
		return working
	case kedge.HookStart, kedge.HookStop:
		return resting
	case kedge.HookEnd:
		return over
	default:
		return s
	}
}

// speaksOf tells whether an event is of the conversation that is watched.
func (w *watched) speaksOf(d kedge.HookData) bool {
	return d.Native == "" || w.native == "" || d.Native == w.native
}

// anew begins to watch another conversation, as after /clear: it has an empty context
// and a transcript of its own, and what was said of the one before is not true of it.
func (s *Attendant) anew(ctx context.Context, w *watched, key string) {
	w.page, w.limited = page{}, false
	w.afresh()
	if s.note(ctx, w, key+"-anew", kedge.SessionAnew, kedge.SessionAnewData{ID: w.ses.ID, Conversation: w.native}) {
		s.showWarnings(ctx, w)
	}
}

// hookActs are what a hook's event says that the session did.
func hookActs(r Record) []watch.Act {
	d := r.Data
	acts := eventActs(d)
	if u := r.Used; u != nil {
		acts = []watch.Act{{Kind: watch.Usage, Used: &watch.Used{Context: u.ContextTokens, Window: u.ContextWindow, Model: u.Model}}}
	}
	for i := range acts {
		acts[i].At = d.At
	}
	return acts
}

// eventActs are those of an event that is no status line. What comes after the end of a
// turn, you have asked for.
func eventActs(d kedge.HookData) []watch.Act {
	switch d.Event {
	case kedge.HookTool:
		call := watch.Act{Kind: watch.Call, ID: d.Call, Tool: d.Tool, Input: d.Input}
		if edits(d) {
			call.Paths = []string{d.Input}
		}
		return []watch.Act{call, {Kind: watch.Result, ID: d.Call, Output: d.Sum, Failed: d.Failed}}
	case kedge.HookStop:
		return []watch.Act{{Kind: watch.Turn}, {Kind: watch.Told}}
	case kedge.HookCompacted:
		return []watch.Act{{Kind: watch.Compact}}
	default:
		return nil
	}
}

// edits tells whether a tool may have written a file: it neither only reads, nor runs a
// command, whose line stands as it is in the place of the input.
func edits(d kedge.HookData) bool { return !reads(d.Tool) && strings.HasPrefix(d.Input, "{") }
