package memory

import (
	"context"
	"slices"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	docs "kedge/internal/core/memory"
)

// DecisionAddRequest locks a decision. An empty Reversibility is easy.
type DecisionAddRequest struct {
	Title         string           `json:"title"`
	Why           string           `json:"why"`
	Rejected      []kedge.Rejected `json:"rejected,omitempty"`
	AppliesTo     []string         `json:"applies_to,omitempty"`
	Supersedes    kedge.DecisionID `json:"supersedes,omitempty"`
	Reason        string           `json:"reason,omitempty"`
	Reversibility string           `json:"reversibility,omitempty"`
}

// DecisionReply is a decision and where it stands. Edits are hand edits that
// were found and answered on the way.
type DecisionReply struct {
	Decision kedge.Decision `json:"decision"`
	File     string         `json:"file"`
	ledger.Notices
}

// DecisionAdd locks a decision. Conflict when a locked one has the same title or
// an overlapping scope and is not superseded by it.
func (s *Memory) DecisionAdd(ctx context.Context, who projects.Caller, in DecisionAddRequest) (DecisionReply, error) {
	r, err := s.ledger.Record(ctx, who, func(_ *projects.Project, m ledger.Memory) (kedge.Event, error) {
		d, err := s.newDecision(who, m, in)
		if err != nil {
			return kedge.Event{}, err
		}
		return projects.Event(kedge.DecisionSaved, who, kedge.DecisionData{Decision: d, Reason: d.Reason})
	})
	if err != nil {
		return DecisionReply{}, err
	}
	v, err := projects.Data[kedge.DecisionData](r.Event)
	s.runs.Save(ctx, who, "a decision was locked: "+v.Decision.Title)
	return s.decisionReply(ctx, r, v.Decision), err
}

func (s *Memory) decisionReply(ctx context.Context, r ledger.Recorded, d kedge.Decision) DecisionReply {
	r.Notices.Unlanded = s.ledger.Unlanded(ctx, r.Project, decisionPath(d), docs.WriteDecision(d))
	return DecisionReply{Decision: d, File: decisionPath(d), Notices: r.Notices}
}

func decisionPath(d kedge.Decision) string { return ledger.DecisionsDir + "/" + docs.DecisionFile(d) }

func (s *Memory) newDecision(who projects.Caller, m ledger.Memory, in DecisionAddRequest) (kedge.Decision, error) {
	now := s.home.Now()
	d := kedge.Decision{
		ID: kedge.DecisionID(kedge.NewID("dec", now)), Status: kedge.DecisionLocked,
		Title: docs.OneLine(in.Title), Why: docs.Clean(in.Why), Rejected: []kedge.Rejected{},
		Reversibility: in.Reversibility, Supersedes: in.Supersedes, Reason: docs.Clean(in.Reason),
		By: who.Actor, Date: now, AppliesTo: []string{},
	}
	if d.Reversibility == "" {
		d.Reversibility = "easy"
	}
	for _, r := range in.Rejected {
		d.Rejected = append(d.Rejected, kedge.Rejected{What: docs.OneLine(r.What), Reason: docs.OneLine(r.Reason)})
	}
	for _, a := range in.AppliesTo {
		d.AppliesTo = append(d.AppliesTo, docs.OneLine(a))
	}
	if err := docs.CheckDecision(d); err != nil {
		return d, err
	}
	if err := superseded(m, d); err != nil {
		return d, err
	}
	if c := docs.Conflicts(m.Decisions, d); len(c) > 0 {
		return d, kedge.Errorf(kedge.Conflict, "your new decision covers the same subject as the locked decision %q (%q), so Kedge did not store it", c[0].ID, c[0].Title).
			WithHint("follow the locked decision; or replace it: repeat your command with --supersedes %s --reason WHY", c[0].ID)
	}
	return d, nil
}

// superseded checks the decision that d replaces: there, and locked.
func superseded(m ledger.Memory, d kedge.Decision) error {
	if d.Supersedes == "" {
		return nil
	}
	old, ok := m.Decision(d.Supersedes)
	switch {
	case !ok:
		return noDecision(d.Supersedes)
	case old.Withdrawn != "":
		return withdrawnAlready(old)
	case old.Status == kedge.DecisionSuperseded:
		return kedge.Errorf(kedge.Conflict, "decision %q is not valid any more: decision %q replaced it", old.ID, successor(m, old.ID)).
			WithHint("replace the newer decision instead: repeat your command with --supersedes %s", successor(m, old.ID))
	}
	return nil
}

func withdrawnAlready(d kedge.Decision) error {
	return kedge.Errorf(kedge.Conflict, "decision %q was withdrawn already, for this reason: %s", d.ID, docs.OneLine(d.Withdrawn)).
		WithHint("see the valid decisions: kedge decide ls")
}

// DecisionWithdrawRequest takes a decision back.
type DecisionWithdrawRequest struct {
	ID     kedge.DecisionID `json:"id"`
	Reason string           `json:"reason"`
}

// DecisionWithdraw takes a decision back that nothing replaces: one that was
// locked by mistake. Only a person may; what it superseded stays superseded.
func (s *Memory) DecisionWithdraw(ctx context.Context, who projects.Caller, in DecisionWithdrawRequest) (DecisionReply, error) {
	if err := projects.PersonOnly(who, "withdraw a decision"); err != nil {
		return DecisionReply{}, err
	}
	r, err := s.ledger.Record(ctx, who, func(_ *projects.Project, m ledger.Memory) (kedge.Event, error) {
		d, err := withdrawn(m, in)
		if err != nil {
			return kedge.Event{}, err
		}
		return projects.Event(kedge.DecisionSaved, who, kedge.DecisionData{Decision: d, Reason: d.Reason})
	})
	if err != nil {
		return DecisionReply{}, err
	}
	v, err := projects.Data[kedge.DecisionData](r.Event)
	return s.decisionReply(ctx, r, v.Decision), err
}

// withdrawn is the decision as it is after it was taken back.
func withdrawn(m ledger.Memory, in DecisionWithdrawRequest) (kedge.Decision, error) {
	d, ok := m.Decision(in.ID)
	switch {
	case !ok:
		return d, noDecision(in.ID)
	case d.Withdrawn != "":
		return d, withdrawnAlready(d)
	case d.Status == kedge.DecisionSuperseded:
		return d, kedge.Errorf(kedge.Conflict, "decision %q is not valid any more: decision %q replaced it", d.ID, successor(m, d.ID)).
			WithHint("see the decision's history: kedge decide show %s", d.ID)
	case docs.Clean(in.Reason) == "":
		return d, kedge.Errorf(kedge.Invalid, "to withdraw decision %q, you need a reason", d.ID).
			WithHint("give the reason: kedge decide withdraw %s --reason WHY", d.ID)
	}
	d.Status, d.Withdrawn = kedge.DecisionSuperseded, docs.Clean(in.Reason)
	return d, docs.CheckDecision(d)
}

func noDecision(id kedge.DecisionID) error {
	return kedge.Errorf(kedge.NotFound, "there is no decision %q", id).WithHint("see all decisions and their ids: kedge decide ls --all")
}

// successor is the decision that replaced another; empty when none did.
func successor(m ledger.Memory, id kedge.DecisionID) kedge.DecisionID {
	for _, d := range m.Decisions {
		if d.Supersedes == id {
			return d.ID
		}
	}
	return ""
}

// DecisionListRequest asks for the decisions; All for superseded ones too.
type DecisionListRequest struct {
	All bool `json:"all,omitempty"`
}

// DecisionListReply lists decisions, oldest first. Edits are hand edits of any
// document of memory that the next writing command will answer.
type DecisionListReply struct {
	Decisions []kedge.Decision     `json:"decisions"`
	Edits     []kedge.HandEditData `json:"edits"`
}

// DecisionList gives the decisions that hold, or all there ever were.
func (s *Memory) DecisionList(ctx context.Context, who projects.Caller, in DecisionListRequest) (DecisionListReply, error) {
	p, m, edits, err := s.ledger.ReadMemoryAndEdits(ctx, who)
	if err != nil || p == nil {
		return DecisionListReply{}, err
	}
	list := slices.DeleteFunc(slices.Clone(m.Decisions), func(d kedge.Decision) bool {
		return !in.All && d.Status == kedge.DecisionSuperseded
	})
	return DecisionListReply{Decisions: append([]kedge.Decision{}, list...), Edits: edits}, nil
}

// DecisionShowRequest names a decision.
type DecisionShowRequest struct {
	ID kedge.DecisionID `json:"id"`
}

// DecisionShowReply is a decision with its history: the chain of decisions of
// which each superseded the one before it, oldest first, itself included.
type DecisionShowReply struct {
	Decision     kedge.Decision        `json:"decision"`
	File         string                `json:"file"`
	SupersededBy kedge.DecisionID      `json:"superseded_by,omitempty"`
	History      []kedge.Decision      `json:"history"`
	Held         []ledger.UnlandedFile `json:"held,omitempty"`
}

// DecisionShow gives one decision; NotFound when there is none.
func (s *Memory) DecisionShow(ctx context.Context, who projects.Caller, in DecisionShowRequest) (DecisionShowReply, error) {
	p, err := s.home.Open(ctx, who)
	if err != nil {
		return DecisionShowReply{}, err
	}
	m, err := ledger.ReadMemory(ctx, p)
	if err != nil {
		return DecisionShowReply{}, err
	}
	d, ok := m.Decision(in.ID)
	if !ok {
		return DecisionShowReply{}, noDecision(in.ID)
	}
	return DecisionShowReply{
		Decision: d, File: decisionPath(d), SupersededBy: successor(m, d.ID), History: history(m, d),
		Held: s.ledger.Unlanded(ctx, p, decisionPath(d), docs.WriteDecision(d)),
	}, nil
}

// history follows the chain both ways. A decision stands in it once, so that a
// chain which imports have bent into a circle ends too.
func history(m ledger.Memory, d kedge.Decision) []kedge.Decision {
	out := []kedge.Decision{d}
	seen := map[kedge.DecisionID]bool{d.ID: true}
	for at := d; at.Supersedes != "" && !seen[at.Supersedes]; {
		old, ok := m.Decision(at.Supersedes)
		if !ok {
			break
		}
		seen[old.ID], at = true, old
		out = append([]kedge.Decision{old}, out...)
	}
	for id := successor(m, d.ID); id != "" && !seen[id]; id = successor(m, id) {
		next, _ := m.Decision(id)
		seen[id] = true
		out = append(out, next)
	}
	return out
}
