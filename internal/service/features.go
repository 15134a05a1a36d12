package service

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"kedge"
	"kedge/internal/plan"
	"kedge/internal/store"
)

// ledger is the feature list as the journal has it, in its order.
type ledger struct {
	docs []store.FeatureDoc
	plan *kedge.PlanData // the plan that was approved last; nil when there is none
}

func readLedger(ctx context.Context, p *project) (ledger, error) {
	docs, err := all[store.FeatureDoc](ctx, p, store.KindFeature)
	if err != nil {
		return ledger{}, err
	}
	plans, err := all[kedge.PlanData](ctx, p, store.KindPlan)
	if err != nil {
		return ledger{}, err
	}
	l := ledger{docs: docs}
	for i := range plans {
		if plans[i].Status == kedge.PlanApproved || plans[i].Status == kedge.PlanDone {
			l.plan = &plans[i]
		}
	}
	return l, nil
}

func (l ledger) features() []kedge.Feature {
	out := make([]kedge.Feature, len(l.docs))
	for i, d := range l.docs {
		out[i] = d.Feature
	}
	return out
}

func (l ledger) find(id kedge.FeatureID) (*store.FeatureDoc, error) {
	for i := range l.docs {
		if l.docs[i].ID == id {
			return &l.docs[i], nil
		}
	}
	return nil, kedge.Errorf(kedge.NotFound, "no feature %q", id).WithHint("see the list: kedge features")
}

// file is features.json as it should be.
func (l ledger) file(p *project) plan.FeatureFile {
	return plan.FeatureFile{Version: plan.FileVersion, Project: p.Name, Features: l.features()}
}

// FeaturesRequest asks for the feature list.
type FeaturesRequest struct{}

// FeaturesReply is a list of features as in features.json. Why says why nothing
// is ready.
type FeaturesReply struct {
	Features []kedge.Feature `json:"features"`
	Why      string          `json:"why,omitempty"`
}

// Features gives every feature in the order of the ledger.
func (s *Service) Features(ctx context.Context, who Caller, _ FeaturesRequest) (FeaturesReply, error) {
	l, _, err := s.readFeatures(ctx, who)
	return FeaturesReply{Features: l.features()}, err
}

func (s *Service) readFeatures(ctx context.Context, who Caller) (ledger, *project, error) {
	p, err := s.project(ctx, who)
	if err != nil {
		return ledger{}, nil, err
	}
	l, err := readLedger(ctx, p)
	return l, p, err
}

// ReadyRequest asks what can be worked on; with an ID, whether that can.
type ReadyRequest struct {
	ID kedge.FeatureID `json:"id,omitempty"`
}

// Ready gives the features whose dependencies are completed, the next one first.
// Asked for one that is not ready it says what is in its way, as Blocked.
func (s *Service) Ready(ctx context.Context, who Caller, in ReadyRequest) (FeaturesReply, error) {
	l, _, err := s.readFeatures(ctx, who)
	if err != nil {
		return FeaturesReply{}, err
	}
	if in.ID == "" {
		reply := FeaturesReply{Features: plan.Ready(l.features())}
		if len(reply.Features) == 0 {
			reply.Why = plan.WhyNothing(l.features())
		}
		return reply, nil
	}
	at, err := plan.WhyNotReady(l.features(), in.ID)
	if err != nil {
		return FeaturesReply{}, err
	}
	if at.Why != "" {
		return FeaturesReply{}, notReady(at)
	}
	return FeaturesReply{Features: []kedge.Feature{at.Feature}}, nil
}

func notReady(at plan.Standing) error {
	e := kedge.Errorf(kedge.Blocked, "%s", at.Why)
	if len(at.Blockers) > 0 {
		return e.WithHint("kedge feature show %s", at.Blockers[0].ID)
	}
	return e.WithHint("kedge feature show %s", at.Feature.ID)
}

// NextRequest asks for the resume point.
type NextRequest struct{}

// Next gives the one feature to work on now, and why.
func (s *Service) Next(ctx context.Context, who Caller, _ NextRequest) (kedge.Next, error) {
	l, p, err := s.readFeatures(ctx, who)
	if err != nil {
		return kedge.Next{}, err
	}
	return s.next(ctx, p, l), nil
}

// next is deterministic but for the branch and commit, which are the caller's
// and empty where they are not known.
func (s *Service) next(ctx context.Context, p *project, l ledger) kedge.Next {
	n := kedge.Next{Why: plan.WhyNothing(l.features())}
	n.Branch, n.Commit = s.head(ctx, p)
	f, ok := plan.Next(l.features())
	if !ok {
		return n
	}
	n.Feature, n.Phase, n.Item, n.Command = &f, f.Phase, l.itemOf(f.ID), firstCommand(f)
	switch k := len(f.Dependencies); k {
	case 0:
		n.Why = fmt.Sprintf("priority %d, no dependencies", f.Priority)
	case 1:
		n.Why = fmt.Sprintf("priority %d, its one dependency is completed", f.Priority)
	default:
		n.Why = fmt.Sprintf("priority %d, all %d dependencies are completed", f.Priority, k)
	}
	return n
}

// firstCommand is what to do first: run the feature's own check, which should be
// red before the work and must be green after it; without one, its first step.
func firstCommand(f kedge.Feature) string {
	for _, c := range f.Checks {
		if c.Run != "" {
			return c.Run
		}
	}
	if len(f.Checks) > 0 {
		return "kedge feature submit " + string(f.ID) // a request needs the gate's service
	}
	for _, step := range f.Steps {
		if step = strings.TrimSpace(step); step != "" {
			return step
		}
	}
	return "do the work, then: kedge feature submit " + string(f.ID)
}

// FeatureShowRequest asks for one feature.
type FeatureShowRequest struct {
	ID kedge.FeatureID `json:"id"`
}

// FeatureShowReply is a feature with what the journal knows beside it.
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
	Verdict  *kedge.Evidence `json:"verdict"` // what its evidence says; nil when it has none

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
}

func sessionsOn(ctx context.Context, p *project, id kedge.FeatureID) ([]FeatureSession, error) {
	out := []FeatureSession{}
	docs, err := all[kedge.Session](ctx, p, store.KindSession)
	for _, ses := range docs {
		if ses.Feature == id {
			out = append(out, FeatureSession{
				ID: ses.ID, Agent: ses.Agent, Model: ses.Model, State: ses.State, Cause: ses.Cause, StartedAt: ses.StartedAt,
				Tokens: ses.Tokens, FirstEdit: ses.FirstEdit,
			})
		}
	}
	return out, err
}

// FeatureShow gives one feature and where it stands.
func (s *Service) FeatureShow(ctx context.Context, who Caller, in FeatureShowRequest) (FeatureShowReply, error) {
	l, p, err := s.readFeatures(ctx, who)
	if err != nil {
		return FeatureShowReply{}, err
	}
	d, err := l.find(in.ID)
	if err != nil {
		return FeatureShowReply{}, err
	}
	at, err := plan.WhyNotReady(l.features(), in.ID)
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
	if reply.Findings, err = findingsOn(ctx, p, in.ID); err != nil || d.Evidence == nil {
		return reply, err
	}
	ev, ok, err := store.Get[kedge.Evidence](ctx, p.Store, store.KindEvidence, string(*d.Evidence))
	if ok {
		reply.Verdict = &ev
	}
	return reply, err
}

// findingsOn collects what was found in the work on a feature, each thing once.
func findingsOn(ctx context.Context, p *project, id kedge.FeatureID) ([]kedge.Finding, error) {
	out := []kedge.Finding{}
	add := func(found []kedge.Finding) {
		for _, f := range found {
			if !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	verdicts, err := store.About[kedge.Evidence](ctx, p.Store, store.KindEvidence, string(id))
	if err != nil {
		return nil, err
	}
	for _, ev := range verdicts {
		add(ev.Verdict.Findings)
	}
	inspections, err := store.About[kedge.Inspection](ctx, p.Store, store.KindInspection, string(id))
	for _, in := range inspections {
		add(in.Findings)
	}
	return out, err
}

// FeaturesExportRequest asks for the list in another program's format.
type FeaturesExportRequest struct {
	Format string `json:"format"`
}

// FeaturesExportReply holds the file's text.
type FeaturesExportReply struct {
	Text string `json:"text"`
}

// FeaturesExport writes the feature list in the given format.
func (s *Service) FeaturesExport(ctx context.Context, who Caller, in FeaturesExportRequest) (FeaturesExportReply, error) {
	l, p, err := s.readFeatures(ctx, who)
	if err != nil {
		return FeaturesExportReply{}, err
	}
	b, err := plan.Export(in.Format, l.file(p))
	return FeaturesExportReply{Text: string(b)}, err
}
