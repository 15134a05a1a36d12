package runs

import (
	"context"
	"slices"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/core/run"
	"kedge/internal/journal"
)

// GoingRequest asks which runs have something to do.
type GoingRequest struct{}

// GoingReply lists them, of all project.
type GoingReply struct {
	Runs []RunGoing `json:"runs"`
}

// RunGoing is a run that would do something by itself, were there a daemon.
type RunGoing struct {
	ID       kedge.RunID `json:"id"`
	Project  string      `json:"project"` // its name
	Dir      string      `json:"dir"`
	State    run.Status  `json:"state"`
	Sessions int         `json:"sessions"` // that live
}

// RunsGoing lists the runs that have something to do, whether or not a daemon is
// there to do it. A journal that cannot be read is left out.
func (s *Runs) RunsGoing(ctx context.Context, _ projects.Caller, _ GoingRequest) (GoingReply, error) {
	out := GoingReply{Runs: []RunGoing{}}
	ids, err := s.home.IDs()
	for _, id := range ids {
		o, err := s.home.Opened(id)
		if err != nil {
			continue
		}
		runs, err := o.Store.Runs(ctx)
		busy := slices.DeleteFunc(runs, func(d journal.RunDoc) bool { return d.State.Resting() })
		if err != nil || len(busy) == 0 {
			continue
		}
		known, err := projects.Known(ctx, o.Store, id)
		if err != nil {
			continue
		}
		for _, d := range busy {
			out.Runs = append(out.Runs, going(known, &d.State))
		}
	}
	return out, err
}

func going(p kedge.Project, st *run.State) RunGoing {
	g := RunGoing{ID: st.Run, Project: p.Name, Dir: p.Dir, State: st.Status}
	for i := range st.Jobs {
		if st.Live(st.Jobs[i].ID) {
			g.Sessions++
		}
	}
	return g
}
