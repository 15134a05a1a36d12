package supply

import (
	"context"
	"math"
	"slices"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/core/config"

	"kedge/internal/core/run"
)

// route is the agent of a session by the kind of its work, as config.toml has it at
// the base of the work, with the model that the plan names for the phase.
func (b Writer) route(ctx context.Context, c run.Command) (kedge.Routed, error) {
	w := config.RoutedWork{Purpose: string(c.Purpose), Priority: math.MaxInt, Fallback: c.Route}
	var cfg config.Config
	var err error
	if c.Base != "" {
		if cfg, _, err = b.settings.At(ctx, c.Base); err != nil {
			return kedge.Routed{}, err
		}
	}
	if c.Feature != "" {
		l, err := ledger.ReadPlans(ctx, b.p)
		if err != nil {
			return kedge.Routed{}, err
		}
		if f, err := b.Feature(ctx, c.Feature, ""); err == nil {
			w.Category, w.Phase, w.Priority = f.Category, f.Phase, f.Priority
		}
		w.Model = modelOf(l, c.Feature)
	}
	doc, _, err := b.p.Store.Run(ctx, c.Run)
	w.Given, w.Usual = doc.State.Rules.Given.Agent, doc.State.Rules.Agent
	return config.ChooseAgent(cfg.Route, w), err
}

// modelOf is the model that the plan names for the phase of a feature.
func modelOf(l ledger.Snapshot, id kedge.FeatureID) string {
	for _, ph := range ledger.Phases(l) {
		if slices.Contains(ph.Made, id) {
			return ph.Model
		}
	}
	return ""
}
