package runs

import (
	"kedge"
	"kedge/internal/core/run"
)

// RunDone is a feature that the run completed.
type RunDone struct {
	Feature  kedge.FeatureID `json:"feature"`
	Sessions int             `json:"sessions"`
	USD      *float64        `json:"usd"`
}

// doneIn are the features that a run completed, in their order.
func doneIn(st *run.State) (out []RunDone) {
	for _, f := range st.Features {
		if f.Status != kedge.Completed || f.Before {
			continue
		}
		d := RunDone{Feature: f.ID, Sessions: f.Sessions}
		if usd := f.Spent.USD; usd > 0 {
			d.USD = &usd
		}
		out = append(out, d)
	}
	return out
}
