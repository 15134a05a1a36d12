package attend

import (
	"context"
	"encoding/json"
	"errors"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/app/status"
	"kedge/internal/git"
	"kedge/internal/journal"
	"kedge/internal/journal/spool"
	"kedge/internal/process"
)

// Record is what a hook leaves in the spool.
type Record struct {
	Version int                    `json:"version"`
	Dir     string                 `json:"dir"`
	Data    kedge.HookData         `json:"data"`
	Used    *kedge.SessionUsedData `json:"used,omitempty"`  // of a status line
	Proof   string                 `json:"proof,omitempty"` // that it comes from the session it names: process.TokenProof
}

// HookTakeRequest asks to record what hooks left.
type HookTakeRequest struct{}

// HookTakeReply says how many events there were.
type HookTakeReply struct {
	Events int `json:"events"`
}

// HookTake records what hooks left. It finishes even if the caller leaves.
func (s *Attendant) HookTake(ctx context.Context, _ projects.Caller, _ HookTakeRequest) (HookTakeReply, error) {
	n, err := s.take(context.WithoutCancel(ctx))
	return HookTakeReply{Events: n}, err
}

// take empties the spool into the journals. A project that cannot be written to
// keeps what is its own, in order, and holds up no other.
func (s *Attendant) take(ctx context.Context) (int, error) {
	if s.home.ReadOnly {
		return 0, projects.ErrReadOnly()
	}
	s.taking.Lock()
	defer s.taking.Unlock()
	held := map[string]error{}
	return spool.Take(s.home.Dir, func(id string, b []byte) error {
		r, err := parseRecord(b)
		if err != nil {
			s.home.Log.Error("Kedge does not understand the event of an agent's hook, and set it aside", "event", id, "error", err.Error())
			return err
		}
		of := ownerOf(r.Dir)
		if err := held[of]; err != nil {
			return err
		}
		held[of] = s.takeOne(ctx, id, r)
		return held[of]
	})
}

// ownerOf names what the events of a folder are kept in order for.
func ownerOf(dir string) string {
	pl, ok := git.Locate(dir)
	if !ok {
		return string(projects.Elsewhere)
	}
	id, err := git.ReadID(pl)
	switch {
	case kedge.NotFound.Is(err):
		return string(projects.Elsewhere)
	case err != nil:
		return pl.Root
	default:
		return string(id)
	}
}

func parseRecord(b []byte) (r Record, err error) {
	if err := json.Unmarshal(b, &r); err != nil {
		return r, kedge.Errorf(kedge.Invalid, "%w", errors.Join(spool.ErrSpoilt, err))
	}
	if r.Version != 1 {
		return r, kedge.Errorf(kedge.Invalid, "%w: the event has format %d, and this version of Kedge reads only format 1", spool.ErrSpoilt, r.Version)
	}
	return r, nil
}

// Unproven is the reason why an event is not recorded under the session that it names.
const Unproven = "an agent's hook sent the event without the session's token"

func (s *Attendant) takeOne(ctx context.Context, id string, r Record) error {
	who := projects.Caller{Dir: r.Dir, Actor: kedge.Agent(someAgent), Key: id}
	var refused *refusal
	if s.proven(r) {
		who.Actor = kedge.Agent(r.Data.Session)
	} else if r.Data.Session != "" || r.Used != nil {
		s.home.Log.Warn("Kedge did not record an event for a session: "+Unproven, "event", id, "session", string(r.Data.Session))
		refused = s.refuse(&r)
		if r.Used != nil && refused == nil {
			return nil // figures of nobody
		}
	}
	p, err := s.home.OfSessions(ctx, who)
	if err != nil {
		return err
	}
	if of, err := inRun(ctx, p, who); of || err != nil {
		return err
	}
	if err := s.write(ctx, p, who, r, refused); err != nil {
		return err
	}
	s.rememberRefused(refused)
	s.follow(r.Data)
	s.observe(ctx, who, id, r)
	if r.Data.Event == kedge.HookCompact {
		s.checkpoint(ctx, who)
	}
	return nil
}

// refusal is what is written down of an event that named a session it is not of.
type refusal struct {
	kedge.SessionRefusedData
	of string // the conversation and the session: every tool that it uses has an event
}

// refuse makes a record nobody's; nil where that was written down of its conversation
// before.
func (s *Attendant) refuse(r *Record) *refusal {
	d := &refusal{SessionRefusedData: kedge.SessionRefusedData{Act: "hook", Reason: Unproven}}
	if kedge.ValidID("ses", string(r.Data.Session)) {
		d.ID = r.Data.Session
	}
	d.of = r.Data.Native + " " + string(d.ID)
	r.Data.Session = ""
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refused[d.of] {
		return nil
	}
	return d
}

func (s *Attendant) rememberRefused(d *refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.refused) >= mostKnown {
		clear(s.refused)
	}
	if d != nil {
		s.refused[d.of] = true
	}
}

// proven tells whether a record comes from the session in whose name it speaks: a
// variable of the environment can be set by anybody.
func (s *Attendant) proven(r Record) bool {
	id := r.Data.Session
	return kedge.ValidID("ses", string(id)) && (r.Used == nil || r.Used.ID == id) && process.TokenProves(s.sessions.SessionDir(id), r.Proof)
}

// write enters what a record says, once, and that it was refused.
func (s *Attendant) write(ctx context.Context, p *projects.Project, who projects.Caller, r Record, refused *refusal) error {
	_, err := s.home.Write(ctx, p, who, func() (out []kedge.Event, err error) {
		switch {
		case r.Used == nil:
			out, err = projects.One(projects.Event(kedge.HookSeen, who, r.Data))
		case refused == nil:
			out, err = s.used(ctx, p, who, *r.Used, false)
		}
		if err != nil || refused == nil {
			return out, err
		}
		ev, err := projects.Event(kedge.SessionRefused, who, refused.SessionRefusedData)
		return append(out, ev), err
	})
	return err
}

// used is what a session says that it used, where it is news. The window by which the
// session is watched stays, whatever its status line says.
func (s *Attendant) used(ctx context.Context, p *projects.Project, who projects.Caller, d kedge.SessionUsedData, watched bool) ([]kedge.Event, error) {
	ses, ok, err := journal.Get[kedge.Session](ctx, p.Store, journal.KindSession, string(d.ID))
	if err != nil || !ok {
		return nil, err // a session of another project, or of none
	}
	if !watched && ses.ContextWindow != nil {
		d.ContextWindow = nil
	}
	if same(ses.ContextTokens, d.ContextTokens) && same(ses.ContextWindow, d.ContextWindow) && same(ses.USD, d.USD) {
		return nil, nil
	}
	return projects.One(projects.Event(kedge.SessionUsed, who, d))
}

// same tells whether a figure says nothing new.
func same[T comparable](was, now *T) bool { return now == nil || was != nil && *was == *now }

// follow remembers which conversations have done something.
func (s *Attendant) follow(d kedge.HookData) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.worked) >= mostKnown {
		clear(s.worked) // of nobody anything is known: their work is looked at
	}
	_, known := s.worked[d.Native]
	switch d.Event {
	case kedge.HookStart:
		if !known && d.Source == "startup" {
			s.worked[d.Native] = false
		}
	case kedge.HookTool:
		if known && !reads(d.Tool) {
			s.worked[d.Native] = true
		}
	case kedge.HookEnd:
		delete(s.worked, d.Native)
	default:
	}
}

// mostKnown bounds how many conversations are remembered.
const mostKnown = 1000

// reads tells of tools that change nothing, under the names that agents have for
// them.
func reads(tool string) bool {
	switch tool {
	case "Read", "Grep", "Glob", "LS", "WebFetch", "WebSearch", "ToolSearch", "TodoWrite", "read_file", "list_directory", "search_file_content", "glob":
		return true
	default:
		return false
	}
}

// checkpoint writes down where the work stands before a context is compacted. What
// goes wrong is logged: the conversation goes on all the same.
func (s *Attendant) checkpoint(ctx context.Context, who projects.Caller) {
	who.Key += "-checkpoint"
	if id, _ := who.Session(); id == someAgent {
		who.Actor = kedge.ActorDaemon // it has no name of its own
	}
	_, err := s.status.CheckpointSave(ctx, who, status.CheckpointSaveRequest{})
	if err != nil && !kedge.NotFound.Is(err) {
		s.home.Log.Error("cannot save a checkpoint before a compaction", "error", err.Error())
	}
}
