package status

import (
	"context"
	"time"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/journal"
)

// GateInfo is the last verdict of a gate. Changed tells whether files other than
// generated ones changed since; nil is unknown.
type GateInfo struct {
	Verdict kedge.Marker    `json:"verdict"`
	Partial bool            `json:"partial"`
	Feature kedge.FeatureID `json:"feature,omitempty"` // whose checks they were, too
	At      time.Time       `json:"at"`
	Changed *bool           `json:"changed"`
	Again   string          `json:"again,omitempty"` // the command that judges the present files; empty: there is none
}

// HandoffInfo is the latest handoff.
type HandoffInfo struct {
	ID      kedge.CheckpointID `json:"id"`
	Percent int                `json:"percent"`
	At      time.Time          `json:"at"`
}

// lastThings fills in what was said last: the verdict, the handoff, the risks.
func (s *Reporter) lastThings(ctx context.Context, p *projects.Project, st State, r *Reply) error {
	r.OpenRisks = len(st.Risks)
	if st.handoff != nil {
		r.Handoff = &HandoffInfo{ID: st.handoff.ID, Percent: st.handoff.Percent, At: st.handoff.At}
	}
	last, err := LastVerdict(ctx, p)
	if err != nil || last == nil {
		return err
	}
	v := last.Verdict
	r.Gate = &GateInfo{Verdict: v.Verdict, Partial: v.Partial, Feature: last.Feature, At: last.At, Changed: s.changedSince(ctx, p, st, v.Tree), Again: judgeAgain(ctx, p, st, last.Feature)}
	return nil
}

// judgeAgain is the command that gives the next verdict: the project's checks or, where it
// has none, those of the feature that was judged, if it can be submitted.
func judgeAgain(ctx context.Context, p *projects.Project, st State, id kedge.FeatureID) string {
	if g, err := (projects.Source{Project: p}).Gate(ctx); err != nil || len(g.Checks) > 0 {
		return "kedge gate"
	}
	d, err := st.Ledger.Find(id)
	if err != nil || len(d.Checks) == 0 || d.Status == kedge.BlockedWork || d.Status == kedge.Skipped {
		return ""
	}
	return kedge.Step("kedge", "feature", "submit", string(id)).String()
}

// LastVerdict gives the newest verdict on work. A feature's checks that ran before its
// work do not count: they must be red.
func LastVerdict(ctx context.Context, p *projects.Project) (*kedge.Evidence, error) {
	last, found, err := journal.NewestThat(ctx, p.Store, journal.KindEvidence, kedge.Evidence.JudgesWork)
	if err != nil || !found {
		return nil, err
	}
	return &last, nil
}

// changedSince compares the folder with an earlier tree of it; nil when that
// cannot be told, as when git no longer has the tree.
func (s *Reporter) changedSince(ctx context.Context, p *projects.Project, st State, tree string) *bool {
	if st.tree == "" || tree == "" {
		return nil
	}
	changes, err := s.Diff(ctx, p, tree, st.tree)
	if err != nil {
		return nil
	}
	changed := len(changes) > 0
	return &changed
}
