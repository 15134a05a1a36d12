package runs

import (
	"context"
	"strings"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/core/plan"
	"kedge/internal/core/run"
	"kedge/internal/text/words"
)

// takeAdded lets a run that is not over know the features which the ledger has and it has
// not: what agents add waits for a person who starts or continues a run. It gives the run as
// it is then.
func (s *Runs) takeAdded(ctx context.Context, p *projects.Project, who projects.Caller, st run.State) (run.State, error) {
	if st.Run == "" || st.Run == s.RunID(who) || st.Planning() || st.Over() {
		return st, nil
	}
	l, err := ledger.ReadSnapshot(ctx, p)
	if err != nil || len(unknownTo(&st, l.Features())) == 0 {
		return st, err
	}
	specs, err := ledger.Specs(ctx, p)
	if err != nil {
		return st, err
	}
	eng, err := s.Engine(ctx, p)
	if err != nil {
		return st, err
	}
	if err := s.deliverWord(ctx, p, eng, who, st.Run, run.Input{Kind: run.Planned, Specs: specs}); err != nil {
		return st, err
	}
	st, _, err = ledger.LastRun(ctx, p)
	return st, err
}

// unknownTo are the features that a run has to be told of.
func unknownTo(st *run.State, features []kedge.Feature) []kedge.FeatureID {
	var out []kedge.FeatureID
	for _, f := range features {
		if isOpen(f.Status) && st.FeatureOf(f.ID) == nil {
			out = append(out, f.ID)
		}
	}
	return out
}

// left are the features that the ledger has as open though a run is done: added, or
// reopened, when it could not take them up any more. What the run was not to begin is none.
func left(st *run.State, features []kedge.Feature) []kedge.FeatureID {
	var out []kedge.FeatureID
	for _, f := range plan.Order(features) {
		of := st.FeatureOf(f.ID)
		if later := of != nil && st.Later(of); isOpen(f.Status) && !later {
			out = append(out, f.ID)
		}
	}
	return out
}

// withLeft says of a run that came to a good end which features are pending all the same:
// they are for the next one.
func (s *Runs) withLeft(ctx context.Context, p *projects.Project, v RunView) (RunView, error) {
	if !v.Resting || v.Kind != "" {
		return v, nil
	}
	doc, err := ledger.FindRun(ctx, p, v.ID)
	if err != nil {
		return v, err
	}
	l, err := ledger.ReadSnapshot(ctx, p)
	if err != nil {
		return v, err
	}
	ids := left(&doc.State, l.Features())
	if len(ids) == 0 {
		return v, nil
	}
	v.Kind = kedge.Blocked
	v.Reason = strings.TrimPrefix(v.Reason+"; "+words.Listed(ids, " is pending again or was added since", " are pending again or were added since"), "; ")
	return v, nil
}
