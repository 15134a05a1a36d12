package sessions

import (
	"cmp"
	"context"
	"time"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/agents/record"
	"kedge/internal/app/projects"
	"kedge/internal/app/status"
	"kedge/internal/core/brief"
	"kedge/internal/insight/resume"
	"kedge/internal/journal"
	"kedge/internal/text/redact"
	"kedge/internal/text/words"
)

// SessionFresh asks to end a session and to start a fresh one in its place. Env is the
// caller's environment; it exists in the holder's memory only.
type SessionFresh struct {
	Name    string   `json:"name"`
	GraceMS int      `json:"grace_ms"`
	Env     []string `json:"env"`
	Cols    int      `json:"cols"`
	Rows    int      `json:"rows"`
}

// SessionFreshReply is the fresh session, and what was saved of the one before. Both ids
// are empty where the session worked in no project.
type SessionFreshReply struct {
	kedge.Session
	Handoff    kedge.CheckpointID `json:"handoff"`
	Checkpoint kedge.CheckpointID `json:"checkpoint"`
}

// SessionFresh writes a handoff and a checkpoint of a session, ends it, and starts its
// command again with the brief of the project and of what the session did. A session of
// which nothing can be saved, or whose command cannot be started again, is not ended.
func (s *Manager) SessionFresh(ctx context.Context, who projects.Caller, in SessionFresh) (SessionFreshReply, error) {
	var reply SessionFreshReply
	if err := projects.PersonOnly(who, "start a session afresh"); err != nil {
		return reply, err
	}
	p, err := s.owner(ctx, who, in.Name)
	if err != nil {
		return reply, err
	}
	again := SessionResume{Name: in.Name, Env: in.Env, Cols: in.Cols, Rows: in.Rows, asked: true}
	if _, seen, err := p.Store.Seen(ctx, who.Key); seen || err != nil { // the rest was done before
		reply.Session, err = s.again(ctx, who, p, again, "", freshWhy)
		return reply, err
	}
	old, err := s.freshable(ctx, p, again)
	if err != nil {
		return reply, err
	}
	stood := s.stoodAs(ctx, p, old, in.Env)
	if reply.Handoff, reply.Checkpoint, err = s.saveBefore(ctx, who, old, stood); err != nil {
		return reply, kedge.Errorf(kedge.KindOf(err), "Kedge did not replace session %q with a fresh one, because it cannot save the state of the work: %w", old.Name, err).WithHint("%s", kedge.HintOf(err))
	}
	if old.Live() {
		if _, err := s.SessionKill(ctx, who, SessionKill{Name: string(old.ID), GraceMS: in.GraceMS}); err != nil && !kedge.Conflict.Is(err) {
			return reply, err
		}
	}
	again.Name = string(old.ID)
	reply.Session, err = s.again(ctx, who, p, again, s.freshBrief(ctx, who, old, stood), freshWhy)
	return reply, err
}

// freshWhy is why a fresh session began.
const freshWhy = "you started it afresh"

// freshable finds a session that can be started afresh: not one that a run drives, and
// none whose command could not be started again.
func (s *Manager) freshable(ctx context.Context, p *projects.Project, in SessionResume) (kedge.Session, error) {
	old, err := s.Find(ctx, p, in.Name)
	if err != nil {
		return old, err
	}
	if old.Run != "" {
		return old, kedge.Errorf(kedge.Conflict, "session %q works for run %q, and only that run may replace this session with a fresh one", old.Name, old.Run).WithHint("see what the run does: kedge status")
	}
	if err := repeatable(old); err != nil {
		return old, err
	}
	if err := readable(old, in.of(old)); err != nil {
		return old, err
	}
	return old, checkNew(in.of(old))
}

// readable refuses a session of an agent that cannot be given a brief the way it was
// started: it would do the same again, and know nothing of what was done. A program that
// Kedge does not know finds the brief by KEDGE_BRIEF.
func readable(old kedge.Session, again SessionNew) error {
	if catalog.Of(old.Agent).New == nil || len(again.Command) == 0 {
		return nil
	}
	if _, ok := reading(old, again, "brief.md", ""); !ok {
		return kedge.Errorf(kedge.Conflict, "Kedge did not replace session %q with a fresh one, because it cannot pass a brief to the session's command", old.Name).
			WithHint("start another session whose command has no prompt: kedge new NAME -- %s", old.Command[0])
	}
	return nil
}

// stoodAs is where a session stands, by the transcript of its program; nil without one.
func (s *Manager) stoodAs(ctx context.Context, p *projects.Project, ses kedge.Session, env []string) *resume.Summary {
	f, ok := s.left(ctx, p, ses, env)
	if !ok {
		return nil
	}
	from, m, err := record.Transcript(ctx, f, 0)
	if err != nil || from.Empty() {
		return nil
	}
	b := from.Brief(m.Dir, resume.DefaultBudget)
	return &b
}

// ownHandoff is how old a handoff of the session itself may be to count: it says more
// than one that is made by rule.
const ownHandoff = 10 * time.Minute

// saveBefore saves handoff and checkpoint of a session that is to end. Outside of a
// project nothing is saved, and that is no error.
func (s *Manager) saveBefore(ctx context.Context, who projects.Caller, old kedge.Session, stood *resume.Summary) (handoff, checkpoint kedge.CheckpointID, err error) {
	mine, err := s.home.Open(ctx, projects.Caller{Dir: old.Dir})
	if kedge.NotFound.Is(err) {
		return "", "", nil
	}
	if err != nil {
		return "", "", err
	}
	as := projects.Caller{Dir: old.Dir, Actor: kedge.Agent(old.ID), Key: who.Key + "-handoff"}
	last, err := projects.Latest[kedge.Handoff](ctx, mine, journal.KindHandoff)
	if err != nil {
		return "", "", err
	}
	if last != nil && last.Session == old.ID && s.home.Now().Sub(last.At) < ownHandoff {
		handoff = last.ID
	} else {
		h, err := s.status.HandoffSave(ctx, as, s.handoffOf(ctx, as, old, stood))
		if err != nil {
			return "", "", err
		}
		handoff = h.ID
	}
	as.Key = who.Key + "-checkpoint"
	c, err := s.status.CheckpointSave(ctx, as, status.CheckpointSaveRequest{})
	return handoff, c.ID, err
}

// mostSaid bounds what a handoff by rule says of one thing, in bytes.
const mostSaid = 600

// handoffOf is the handoff of a session that says none itself: what was asked, what was
// in progress and what came next, by its transcript, and how many features are done.
func (s *Manager) handoffOf(ctx context.Context, who projects.Caller, old kedge.Session, stood *resume.Summary) status.HandoffSaveRequest {
	in := status.HandoffSaveRequest{
		State:    "session " + old.Name + " was ended to start afresh; what it did is in the files",
		Approach: "as the checkpoint says",
	}
	if r, err := s.status.Status(ctx, who, status.Request{}); err == nil && r.Features.Total > 0 {
		in.Percent = 100 * r.Features.Completed / r.Features.Total
	}
	if stood == nil {
		return in
	}
	in.State = words.ClipBytes(cmp.Or(stood.InFlight, in.State), mostSaid)
	in.Next = words.ClipBytes(stood.Next, mostSaid)
	if stood.Ask != "" {
		in.Approach = words.ClipBytes("as it was asked: "+stood.Ask, mostSaid)
	}
	return in
}

// freshBrief is what the fresh session is told: the rules, where the work stands, and
// where the session before it stood.
func (s *Manager) freshBrief(ctx context.Context, who projects.Caller, old kedge.Session, stood *resume.Summary) string {
	text := ""
	if stood != nil {
		text = stood.Text
	} else if ask := askedOf(old); ask != "" {
		text = "It was asked: " + redact.Text(ask) + "\n"
	}
	who.Dir = old.Dir
	mine, err := s.home.Open(ctx, who)
	if err != nil {
		return text
	}
	input, err := s.status.BriefInput(ctx, mine, who)
	if err != nil {
		return text
	}
	input.Stood = text
	return redact.Text(brief.Prime(input, brief.DefaultBudget).Text)
}
