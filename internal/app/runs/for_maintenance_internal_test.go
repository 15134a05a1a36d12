package runs

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"kedge"

	"kedge/internal/app/projects"
	"kedge/internal/engine"
	"kedge/internal/engine/local"
	"kedge/internal/journal"
)

// limping is an engine of which one run does not go on.
type limping struct{ engine.Engine }

func (limping) Open(context.Context) error { return stuck() }
func (limping) Leave()                     {}
func (limping) Troubles() []local.Trouble  { return []local.Trouble{{Run: "run-1", Err: stuck()}} }

func stuck() error {
	return kedge.Errorf(kedge.Internal, "no space left").WithHint("free some space")
}

// TestDoctorNamesRunsThatAreHalted: a run that does not go on keeps the engine
// from nothing else, and is no secret.
func TestDoctorNamesRunsThatAreHalted(t *testing.T) {
	home := &projects.Home{Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
	s := New(home, projects.NewLife(), Config{Engine: func(context.Context, kedge.Project, *journal.Store) (RunEngine, error) {
		return limping{}, nil
	}})
	st, err := journal.Open(t.TempDir(), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	p := &projects.Project{Project: kedge.Project{ID: "prj-1"}, Opened: &projects.Opened{Store: st}}
	if found := s.checkRuns(t.Context(), p); len(found) != 0 {
		t.Errorf("without an engine: %+v", found)
	}
	if _, err := s.Engine(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	found := s.checkRuns(t.Context(), p)
	if len(found) != 1 || found[0].Level != kedge.LevelError || found[0].Where != "run-1" || found[0].Fix != "free some space" ||
		!strings.Contains(found[0].What, "halted: no space left") {
		t.Errorf("%+v", found)
	}
}
