package memory

import (
	"context"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	docs "kedge/internal/core/memory"
	"kedge/internal/journal"
)

// RiskAddRequest opens a risk.
type RiskAddRequest struct {
	Text string `json:"text"`
}

// RiskReply is a risk after a change.
type RiskReply struct {
	Risk kedge.Risk `json:"risk"`
	ledger.Notices
}

// RiskAdd opens a risk. It is in every checkpoint and handoff until it is closed with a
// reason.
func (s *Memory) RiskAdd(ctx context.Context, who projects.Caller, in RiskAddRequest) (RiskReply, error) {
	r, err := s.ledger.Record(ctx, who, func(*projects.Project, ledger.Memory) (kedge.Event, error) {
		now := s.home.Now()
		risk := kedge.Risk{ID: kedge.RiskID(kedge.NewID("rsk", now)), Text: docs.OneLine(in.Text), OpenedAt: now, By: who.Actor}
		if err := docs.CheckRisk(risk); err != nil {
			return kedge.Event{}, err
		}
		return projects.Event(kedge.RiskOpened, who, risk)
	})
	if err != nil {
		return RiskReply{}, err
	}
	v, err := projects.Data[kedge.Risk](r.Event)
	return RiskReply{Risk: v, Notices: r.Notices}, err
}

// RiskCloseRequest closes a risk.
type RiskCloseRequest struct {
	ID     kedge.RiskID `json:"id"`
	Reason string       `json:"reason"`
}

// RiskClose closes a risk. It gives NotFound when there is none, Conflict when it is
// closed already, Invalid without a reason.
func (s *Memory) RiskClose(ctx context.Context, who projects.Caller, in RiskCloseRequest) (RiskReply, error) {
	r, err := s.ledger.Record(ctx, who, func(_ *projects.Project, m ledger.Memory) (kedge.Event, error) {
		if err := closable(m, in, docs.OneLine(in.Reason)); err != nil {
			return kedge.Event{}, err
		}
		return projects.Event(kedge.RiskClosed, who, kedge.RiskClosedData{ID: in.ID, Reason: docs.OneLine(in.Reason)})
	})
	if err != nil {
		return RiskReply{}, err
	}
	risk, ok, err := journal.Get[kedge.Risk](ctx, r.Project.Store, journal.KindRisk, string(in.ID))
	if err == nil && !ok {
		err = noRisk(in.ID)
	}
	return RiskReply{Risk: risk, Notices: r.Notices}, err
}

func closable(m ledger.Memory, in RiskCloseRequest, reason string) error {
	risk, ok := m.Risk(in.ID)
	switch {
	case !ok:
		return noRisk(in.ID)
	case risk.ClosedAt != nil:
		return kedge.Errorf(kedge.Conflict, "risk %q is closed already, for this reason: %s", in.ID, risk.Reason).WithHint("see the open risks: kedge risk ls")
	case reason == "":
		return kedge.Errorf(kedge.Invalid, "to close risk %q, you need a reason", in.ID).
			WithHint("give the reason: kedge risk close %s --reason WHY", in.ID)
	}
	at := risk.OpenedAt
	risk.ClosedAt, risk.Reason = &at, reason
	return docs.CheckRisk(risk)
}

func noRisk(id kedge.RiskID) error {
	return kedge.Errorf(kedge.NotFound, "there is no risk %q", id).WithHint("see all risks and their ids: kedge risk ls --all")
}

// RiskListRequest asks for the open risks; All for closed ones too.
type RiskListRequest struct {
	All bool `json:"all,omitempty"`
}

// RiskListReply lists risks, oldest first.
type RiskListReply struct {
	Risks []kedge.Risk         `json:"risks"`
	Edits []kedge.HandEditData `json:"edits"`
}

// RiskList gives the open risks or, with All, all of them.
func (s *Memory) RiskList(ctx context.Context, who projects.Caller, in RiskListRequest) (RiskListReply, error) {
	_, m, edits, err := s.ledger.ReadMemoryAndEdits(ctx, who)
	if err != nil {
		return RiskListReply{}, err
	}
	r := RiskListReply{Risks: []kedge.Risk{}, Edits: edits}
	for _, risk := range m.Risks {
		if in.All || risk.ClosedAt == nil {
			r.Risks = append(r.Risks, risk)
		}
	}
	return r, nil
}
