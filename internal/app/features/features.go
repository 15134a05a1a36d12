// Package features answers the commands about the feature list: show it, change it,
// import and export it. Only a user changes a locked definition, and gives a reason. A
// working run receives every change that you make. The package never judges work; package
// verify does.
package features

import (
	"context"
	"time"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/core/brief"
	"kedge/internal/core/plan"
	"kedge/internal/core/run"
	"kedge/internal/journal"
)

// Runs is what this package needs from the runs of a project.
type Runs interface {
	// Tell informs the run that is going on about a change of the feature list.
	Tell(ctx context.Context, p *projects.Project, who projects.Caller, ev run.Input) error
	// Accept accepts a feature of the run that is going on. Done is false when no run
	// has the feature.
	Accept(ctx context.Context, who projects.Caller, in FeatureStatusRequest) (reply FeatureReply, done bool, err error)
	// Holds tells whether a run has unaccepted, unlanded work on a feature. The
	// feature's status does not matter.
	Holds(ctx context.Context, who projects.Caller, id kedge.FeatureID) (bool, error)
}

// FeatureList answers for the projects of one KEDGE_HOME.
type FeatureList struct {
	home   *projects.Home
	ledger *ledger.Ledger
	runs   Runs
}

// New makes a FeatureList. It reads nothing before the first call.
func New(home *projects.Home, l *ledger.Ledger, runs Runs) *FeatureList {
	return &FeatureList{home: home, ledger: l, runs: runs}
}

// ListRequest asks for the feature list.
type ListRequest struct{}

// ListReply is a list of features as in features.json. Why is the reason when
// nothing is ready.
type ListReply struct {
	Features []kedge.Feature `json:"features"`
	Why      string          `json:"why,omitempty"`
}

// Features gives every feature in the order of the list.
func (s *FeatureList) Features(ctx context.Context, who projects.Caller, _ ListRequest) (ListReply, error) {
	l, _, err := s.ledger.ReadFeatures(ctx, who)
	return ListReply{Features: l.Features()}, err
}

// ReadyRequest asks what can be worked on; with an ID, whether that can.
type ReadyRequest struct {
	ID kedge.FeatureID `json:"id,omitempty"`
}

// Ready gives the features whose dependencies are completed, the next one first. Asked
// for one that is not ready, it gives Blocked with the reason.
func (s *FeatureList) Ready(ctx context.Context, who projects.Caller, in ReadyRequest) (ListReply, error) {
	l, _, err := s.ledger.ReadFeatures(ctx, who)
	if err != nil {
		return ListReply{}, err
	}
	if in.ID == "" {
		reply := ListReply{Features: plan.Ready(l.Features())}
		if len(reply.Features) == 0 {
			reply.Why = plan.WhyNothing(l.Features())
		}
		return reply, nil
	}
	at, err := plan.WhyNotReady(l.Features(), in.ID)
	if err != nil {
		return ListReply{}, err
	}
	if at.Why != "" {
		return ListReply{}, ledger.NotReady(at)
	}
	return ListReply{Features: []kedge.Feature{at.Feature}}, nil
}

// NextRequest asks for the feature to work on now.
type NextRequest struct{}

// Next gives the one feature to work on now, and why.
func (s *FeatureList) Next(ctx context.Context, who projects.Caller, _ NextRequest) (kedge.Next, error) {
	l, p, err := s.ledger.ReadFeatures(ctx, who)
	if err != nil {
		return kedge.Next{}, err
	}
	return s.ledger.Next(ctx, p, l), nil
}

// FeatureShowRequest asks for one feature.
type FeatureShowRequest struct {
	ID kedge.FeatureID `json:"id"`
}

// FeatureShowReply is a feature with what else the journal knows of it.
type FeatureShowReply struct {
	Feature  kedge.Feature  `json:"feature"`
	Ready    bool           `json:"ready"`
	Why      string         `json:"why"` // why it is not ready; empty when it is
	Blockers []plan.Blocker `json:"blockers"`
	Claim    kedge.Status   `json:"claim"`  // what an import asserted; empty for nothing
	Source   string         `json:"source"` // where it came from
	Reason   string         `json:"reason"` // of its last change
	Hash     string         `json:"hash"`   // of the locked definition

	// Findings are what verdicts and inspections had to say about the work on
	// it so far: what an agent tried, too.
	Findings []kedge.Finding `json:"findings"`
	Verdict  *kedge.Evidence `json:"verdict"` // what its evidence says, else the last verdict on it; nil when there is none

	Sessions []FeatureSession `json:"sessions"` // that worked on it, as they started
}

// FeatureSession is a session that worked on a feature, and what it read before
// its first edit.
type FeatureSession struct {
	ID        kedge.SessionID    `json:"id"`
	Agent     string             `json:"agent"`
	Model     string             `json:"model"`
	State     kedge.SessionState `json:"state"`
	Cause     string             `json:"cause"`
	StartedAt time.Time          `json:"started_at"`
	Tokens    *int64             `json:"tokens"`
	FirstEdit *kedge.FirstAct    `json:"first_edit"` // nil: none, or the session does not tell what it does

	Closing     string `json:"closing,omitempty"`      // the last that its agent said
	StatedCause string `json:"stated_cause,omitempty"` // of the failure that it was to repair, as its agent says
}

func sessionsOn(ctx context.Context, p *projects.Project, id kedge.FeatureID) ([]FeatureSession, error) {
	out := []FeatureSession{}
	docs, err := projects.All[kedge.Session](ctx, p, journal.KindSession)
	for _, ses := range docs {
		if ses.Feature == id {
			out = append(out, FeatureSession{
				ID: ses.ID, Agent: ses.Agent, Model: ses.Model, State: ses.State, Cause: ses.Cause, StartedAt: ses.StartedAt,
				Tokens: ses.Tokens, FirstEdit: ses.FirstEdit, Closing: ses.Closing, StatedCause: brief.StatedCause(ses.Closing),
			})
		}
	}
	return out, err
}

// FeatureShow gives one feature, whether it is ready, its findings, verdict and
// sessions.
func (s *FeatureList) FeatureShow(ctx context.Context, who projects.Caller, in FeatureShowRequest) (FeatureShowReply, error) {
	l, p, err := s.ledger.ReadFeatures(ctx, who)
	if err != nil {
		return FeatureShowReply{}, err
	}
	d, err := l.Find(in.ID)
	if err != nil {
		return FeatureShowReply{}, err
	}
	at, err := plan.WhyNotReady(l.Features(), in.ID)
	if err != nil {
		return FeatureShowReply{}, err
	}
	reply := FeatureShowReply{
		Feature: d.Feature, Ready: at.Why == "", Why: at.Why, Blockers: at.Blockers,
		Claim: d.Claim, Source: d.Source, Reason: d.Reason, Hash: d.Hash,
	}
	if reply.Blockers == nil {
		reply.Blockers = []plan.Blocker{}
	}
	if reply.Sessions, err = sessionsOn(ctx, p, in.ID); err != nil {
		return reply, err
	}
	if reply.Findings, err = ledger.FindingsOn(ctx, p, in.ID); err != nil {
		return reply, err
	}
	reply.Verdict, err = ledger.VerdictOn(ctx, p, d.Feature)
	return reply, err
}

// ExportRequest asks for the list in another program's format.
type ExportRequest struct {
	Format string `json:"format"`
}

// ExportReply holds the file's text.
type ExportReply struct {
	Text string `json:"text"`
}

// FeaturesExport writes the feature list in the given format.
func (s *FeatureList) FeaturesExport(ctx context.Context, who projects.Caller, in ExportRequest) (ExportReply, error) {
	l, p, err := s.ledger.ReadFeatures(ctx, who)
	if err != nil {
		return ExportReply{}, err
	}
	b, err := plan.Export(in.Format, l.File(p))
	return ExportReply{Text: string(b)}, err
}
