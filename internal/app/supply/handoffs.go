package supply

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/app/status"
	"kedge/internal/core/brief"
	docs "kedge/internal/core/memory"
	"kedge/internal/core/run"
	"kedge/internal/engine"
	"kedge/internal/journal"
	"kedge/internal/text/words"
)

// Handoff saves what the next session has to know of one that ended, or is about to be
// ended, before its work was done.
func (b Writer) Handoff(ctx context.Context, c run.Command, at engine.Position) error {
	_, err := b.saveHandoff(ctx, c, at)
	return err
}

// saveHandoff gives what it saved. A session has one handoff of Kedge's: what is known
// later replaces it.
func (b Writer) saveHandoff(ctx context.Context, c run.Command, at engine.Position) (*kedge.Handoff, error) {
	who := b.caller(runKey(c, "handoff"), kedge.ActorDaemon)
	evs, err := b.s.home.Write(ctx, b.p, who, func() ([]kedge.Event, error) {
		e, err := b.ending(ctx, c, at)
		if err != nil {
			return nil, err
		}
		h, err := status.Redacted(brief.HandoffOf(e))
		if err != nil {
			return nil, err
		}
		return projects.One(projects.Event(kedge.HandoffSaved, who, h))
	})
	if err != nil {
		return nil, err
	}
	h, err := projects.DataOf[kedge.Handoff](evs, kedge.HandoffSaved)
	return &h, err
}

// madeID is the id of Kedge's own handoff of a session.
func madeID(ses kedge.Session) kedge.CheckpointID {
	return kedge.CheckpointID(kedge.DeriveID("ckp", ses.StartedAt, string(ses.ID)+"-handoff"))
}

// ending gathers what is known of the job's latest session.
func (b Writer) ending(ctx context.Context, c run.Command, at engine.Position) (brief.Ending, error) {
	ses, _, err := journal.Get[kedge.Session](ctx, b.p.Store, journal.KindSession, string(at.Session))
	if err != nil {
		return brief.Ending{}, err
	}
	ses.ID = at.Session
	st, err := b.State(ctx)
	if err != nil {
		return brief.Ending{}, err
	}
	stood := at.Trail.Stood
	e := brief.Ending{
		ID: madeID(ses), Session: ses.ID, Feature: c.Feature, At: c.At, Task: b.taskOf(c, st), Why: whyEnded(c, ses),
		Closing: cmp.Or(ses.Closing, at.Trail.Said), SetAside: c.Kind == run.Revert, InFlight: stood.InFlight, Next: stood.Next,
		Question: questionOf(c), Risks: st.RiskTexts(), Failure: c.Failure,
	}
	if strings.HasPrefix(e.Failure, run.ConflictsWith) {
		e.Conflict, e.Failure = e.Failure, ""
	}
	if stood.LastFailed {
		e.Tried = stood.LastCommand + ": " + stood.LastResult
	}
	for _, what := range stood.RuledOut {
		e.RuledOut = append(e.RuledOut, kedge.Rejected{What: what, Reason: "the previous session ruled it out"})
	}
	for _, f := range at.Files {
		e.Changed = append(e.Changed, f.Path)
	}
	if d, err := st.Ledger.Find(c.Feature); err == nil {
		e.Command = ledger.FirstCommand(d.Feature)
	}
	if e.Own, err = b.ownHandoff(ctx, ses); err != nil {
		return e, err
	}
	return e, b.judged(ctx, c, ses, &e)
}

// questionOf is what a session that is saved waits for.
func questionOf(c run.Command) string {
	if c.Kind == run.Checkpoint {
		return c.Text
	}
	return ""
}

// whyEnded says why the session of a command ended, or is about to be.
func whyEnded(c run.Command, ses kedge.Session) string {
	switch {
	case c.Kind == run.Brief && strings.HasPrefix(c.Failure, run.ConflictsWith):
		return "the agent said that it was done"
	case c.Kind == run.Brief && c.Failure != "":
		return "the agent said that it was done, and the checks are red"
	case c.Text != "" && c.Kind == run.Checkpoint:
		return "it asked you a question"
	case ses.Live():
		return cmp.Or(c.Reason, "Kedge ended it")
	}
	return cmp.Or(c.Reason, cutBy(ses))
}

// ownHandoff is the last that the agent of a session saved itself.
func (b Writer) ownHandoff(ctx context.Context, ses kedge.Session) (*kedge.Handoff, error) {
	list, err := journal.About[kedge.Handoff](ctx, b.p.Store, journal.KindHandoff, string(ses.ID))
	list = slices.DeleteFunc(list, func(h kedge.Handoff) bool { return h.ID == madeID(ses) })
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[len(list)-1], nil
}

// judged fills in what the checks said about the work: after the session or, for a
// repair, before it.
func (b Writer) judged(ctx context.Context, c run.Command, ses kedge.Session, e *brief.Ending) error {
	list, err := journal.About[kedge.Evidence](ctx, b.p.Store, journal.KindEvidence, string(c.Feature))
	for _, ev := range slices.Backward(list) {
		if !ev.JudgesWork() {
			continue
		}
		if ev.At.Before(ses.StartedAt) && c.Purpose != run.Repair {
			break
		}
		for _, r := range ev.Verdict.Checks {
			if r.Skipped == "" {
				e.Checks++
				if r.FirstFailure == nil && r.Exit == 0 {
					e.Green++
				}
			}
		}
		if !ev.Verdict.Green() {
			e.Failure = cmp.Or(e.Failure, brief.FailureText(ev.Verdict))
		}
		break
	}
	return err
}

// handoffFor is what the brief of a command begins with: the handoff of the job's latest
// session or, in a new job, of the latest session at the feature. A session that said it
// was done has one only because its checks are red.
func (b Writer) handoffFor(ctx context.Context, c run.Command, at engine.Position) (*kedge.Handoff, error) {
	ses, err := b.sessionBefore(ctx, c, at)
	if err != nil || ses.ID == "" {
		return nil, err
	}
	if ses.ID == at.Session && finished(ses) && c.Purpose == run.Repair {
		return b.saveHandoff(ctx, c, at)
	}
	made, ok, err := journal.Get[kedge.Handoff](ctx, b.p.Store, journal.KindHandoff, string(madeID(ses)))
	switch {
	case err != nil:
		return nil, err
	case ok:
		return &made, nil
	}
	own, err := b.ownHandoff(ctx, ses)
	if err != nil || own != nil || ses.ID != at.Session {
		return own, err
	}
	return b.saveHandoff(ctx, c, at)
}

// sessionBefore is the session that worked on this before; zero when none did.
func (b Writer) sessionBefore(ctx context.Context, c run.Command, at engine.Position) (kedge.Session, error) {
	if at.Session != "" {
		ses, _, err := journal.Get[kedge.Session](ctx, b.p.Store, journal.KindSession, string(at.Session))
		ses.ID = at.Session
		return ses, err
	}
	list, err := journal.About[kedge.Session](ctx, b.p.Store, journal.KindSession, string(c.Feature))
	for _, ses := range slices.Backward(list) {
		if ses.Feature == c.Feature && c.Feature != "" {
			return ses, err
		}
	}
	return kedge.Session{}, err
}

// settleHandoff says in the latest handoff, where that is about work that is done now,
// that nothing of it is left.
func (b Writer) settleHandoff(ctx context.Context, c run.Command) error {
	if c.Status != "" && c.Status != kedge.Completed {
		return nil // it waits for your review
	}
	h, err := projects.Latest[kedge.Handoff](ctx, b.p, journal.KindHandoff)
	if err != nil || h == nil || h.Feature == "" || h.Feature != c.Feature {
		return err
	}
	st, err := b.State(ctx)
	if err != nil {
		return err
	}
	h.Percent, h.State, h.BlockedOn = 100, b.taskOf(c, st)+". It is done: commit "+words.Hash(c.Commit), ""
	h.Next = status.ResumeText("", b.nextOf(c, soon(c, st.Ledger)), false)
	return b.add(ctx, runKey(c, "handoff"), kedge.ActorDaemon, kedge.HandoffSaved, brief.NormalHandoff(*h))
}

// stillRejected leaves out of a handoff what a later decision allows.
func stillRejected(h *kedge.Handoff, decisions []kedge.Decision) *kedge.Handoff {
	if h != nil {
		h.RuledOut = docs.StillRejected(decisions, h.RuledOut)
	}
	return h
}
