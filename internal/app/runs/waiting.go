package runs

import (
	"context"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/core/run"
	"kedge/internal/journal"
)

// RunWait is a file that work waits for your approval because of, and why.
type RunWait struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// waitsOf are the files because of which the work of a job waits for you, as they were
// found last.
func waitsOf(ctx context.Context, p *projects.Project, st *run.State, j *run.Job) ([]RunWait, error) {
	if j.Phase != run.Reviewing || j.Feature < 0 || j.Feature >= len(st.Features) {
		return nil, nil
	}
	looks, err := journal.About[kedge.Inspection](ctx, p.Store, journal.KindInspection, string(st.Features[j.Feature].ID))
	if err != nil {
		return nil, err
	}
	var last kedge.Inspection
	for _, in := range looks {
		if in.Run == st.Run && !in.At.Before(last.At) {
			last = in
		}
	}
	var out []RunWait
	named := map[string]bool{}
	for _, f := range last.Findings {
		if f.Waits {
			named[f.Where] = true
			out = append(out, RunWait{Path: f.Where, Why: f.What})
		}
	}
	for _, t := range last.Brings {
		switch {
		case t.Name != "":
			out = append(out, RunWait{Path: t.Path, Why: "it sets " + t.Name})
		case !named[t.Path]:
			out = append(out, RunWait{Path: t.Path, Why: "it runs code or steers agents"})
		}
	}
	return out, nil
}
