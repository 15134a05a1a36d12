package planning

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/app/runs"
	"kedge/internal/core/delta"
	"kedge/internal/core/plan"
	"kedge/internal/core/run"
	"kedge/internal/engine/local"
	"kedge/internal/journal"
)

// missing is a project with a run that has come to rest over features of every
// status, and whose daemon is dead.
type missing struct{ *works }

func newMissing(t *testing.T, status map[kedge.FeatureID]kedge.Status, halt run.Halt) missing {
	t.Helper()
	m := missing{newWorks(t)}
	m.engine = func(_ context.Context, p kedge.Project, st *journal.Store) (runs.RunEngine, error) {
		return local.New(local.Config{Project: p.ID, Store: st, Executor: leaves{}, Now: m.s.projects.Now}), nil
	}
	begun := run.Input{Kind: run.Begun, Run: m.Run, Commit: "c0", At: m.Now}
	for _, id := range slices.Sorted(maps.Keys(status)) {
		d := orders
		d.ID = id
		m.feature(d)
		begun.Specs = append(begun.Specs, run.Spec{ID: id, Hash: m.hash(id), Status: status[id]})
		if status[id] != kedge.Pending {
			m.add(kedge.FeatureStatus, kedge.FeatureStatusData{ID: id, Status: status[id]})
		}
	}
	state, _ := run.Step(run.State{}, begun)
	if halt != "" {
		state.Halt, state.Status, state.Jobs, state.Outbox = halt, run.StatusStopped, nil, nil
	}
	m.add(kedge.RunStepped, delta.Stepped{Run: m.Run, N: 1, Version: run.Version, Event: begun, Delta: delta.Diff(run.State{}, state)})
	return m
}

// human writes what a command of a person writes, and dies before the run is told.
func (m missing) human(key string, typ kedge.EventType, data any) {
	m.t.Helper()
	_, _, err := m.p.Store.Append(m.t.Context(), key, m.fact(typ, data))
	m.ok(err)
}

// fact is one of the facts that a person's command writes.
func (m missing) fact(typ kedge.EventType, data any) kedge.Event {
	m.t.Helper()
	ev, err := kedge.NewEvent(typ, kedge.Human("ada"), data)
	m.ok(err)
	ev.Project = m.p.ID
	return ev
}

// told are the words that the run was told since a step, in order.
func (m missing) told(after int64) (words []string, steps int64) {
	m.t.Helper()
	evs, err := m.p.Store.Events(m.t.Context(), 0)
	m.ok(err)
	for _, ev := range evs {
		var d delta.Stepped
		if ev.Type != kedge.RunStepped || json.Unmarshal(ev.Data, &d) != nil {
			continue
		}
		if steps = d.N; d.N > after && d.Event.Kind != run.TakenOver {
			words = append(words, string(d.Event.Kind)+" "+string(d.Event.Feature)+" by "+string(d.Event.Actor))
		}
	}
	slices.Sort(words)
	return words, steps
}

func (m missing) adopt() {
	m.t.Helper()
	m.ok(m.s.AdoptRuns(m.t.Context()))
}

// TestF1WordsThatTheRunWasNotTold: the daemon died between the ledger and the
// run; the next one tells it, once, and only what people did.
func TestF1WordsThatTheRunWasNotTold(t *testing.T) {
	for _, halt := range []run.Halt{"", run.Stopped} {
		t.Run("halt "+string(halt), func(t *testing.T) { wordsNotTold(t, halt) })
	}
}

func wordsNotTold(t *testing.T, halt run.Halt) {
	m := newMissing(t, map[kedge.FeatureID]kedge.Status{
		"skip": kedge.BlockedWork, "block": kedge.NeedsReview, "amend": kedge.BlockedWork, "same": kedge.BlockedWork, "own": kedge.Completed,
		"reopen": kedge.BlockedWork, "redo": kedge.Completed, "both": kedge.BlockedWork, "busy": kedge.Pending,
		"many-1": kedge.BlockedWork, "many-2": kedge.BlockedWork, "many-3": kedge.BlockedWork,
	}, halt)
	m.adopt()
	words, steps := m.told(1)
	if len(words) > 0 {
		t.Errorf("nobody did anything, and it is told %v", words)
	}
	m.human("req-1", kedge.FeatureStatus, kedge.FeatureStatusData{ID: "skip", Status: kedge.Skipped, Reason: "no"})
	m.human("req-2", kedge.FeatureStatus, kedge.FeatureStatusData{ID: "block", Status: kedge.BlockedWork, Reason: "wait"})
	m.human("req-3", kedge.FeatureStatus, kedge.FeatureStatusData{ID: "reopen", Status: kedge.Pending})
	m.human("", kedge.FeatureStatus, kedge.FeatureStatusData{ID: "redo", Status: kedge.Pending, Reason: "again"})
	m.add(kedge.FeatureStatus, kedge.FeatureStatusData{ID: "own", Status: kedge.BlockedWork, Reason: "the run's own"})
	amended := func(id kedge.FeatureID) kedge.FeatureAmendedData {
		d := orders
		d.ID, d.Name = id, "another"
		text, hash := plan.Canonical(d)
		return kedge.FeatureAmendedData{ID: d.ID, Definition: text, Hash: hash, Was: m.hash(id), Reason: "other"}
	}
	m.human("req-4", kedge.FeatureAmended, amended("amend"))
	m.human("req-5", kedge.FeatureAmended, amended("both"))
	m.human("req-6", kedge.FeatureStatus, kedge.FeatureStatusData{ID: "both", Status: kedge.Skipped, Reason: "no"})
	for i, id := range []kedge.FeatureID{"new", "newer"} {
		d := orders
		d.ID = id
		text, hash := plan.Canonical(d)
		m.human("req-new-"+string(id), kedge.FeatureAdded, kedge.FeatureAddedData{Definition: text, Hash: hash, Order: 100 + i})
	}
	newest := orders
	newest.ID = "newest"
	text, hash := plan.Canonical(newest)
	_, _, err := m.p.Store.Append(t.Context(), "req-many", // as an amendment of the plan writes them
		m.fact(kedge.FeatureAdded, kedge.FeatureAddedData{Definition: text, Hash: hash, Order: 200}),
		m.fact(kedge.FeatureAmended, amended("many-1")), m.fact(kedge.FeatureAmended, amended("many-2")),
		m.fact(kedge.FeatureStatus, kedge.FeatureStatusData{ID: "many-3", Status: kedge.Skipped, Reason: "no"}))
	m.ok(err)
	m.next()
	words, now := m.told(steps)
	want := []string{
		"amended amend by human:ada", "amended both by human:ada", "amended many-1 by human:ada", "amended many-2 by human:ada",
		"barred block by human:ada", "planned  by human:ada", "reopened redo by human:ada", "reopened reopen by human:ada",
		"skipped both by human:ada", "skipped many-3 by human:ada", "skipped skip by human:ada",
	}
	if !slices.Equal(words, want) {
		t.Errorf("it is told\n%s\nwant\n%s", strings.Join(words, "\n"), strings.Join(want, "\n"))
	}
	doc, _, err := m.p.Store.Run(t.Context(), m.Run)
	m.ok(err)
	for id, status := range map[kedge.FeatureID]kedge.Status{
		"skip": kedge.Skipped, "block": kedge.BlockedWork, "both": kedge.Skipped, "own": kedge.Completed, "same": kedge.BlockedWork,
	} {
		if f := doc.State.FeatureOf(id); f.Status != status {
			t.Errorf("%s is %s in the run", id, f.Status)
		}
	}
	for _, id := range []kedge.FeatureID{"reopen", "redo", "amend", "new", "newer", "newest", "many-1", "many-2"} {
		if f := doc.State.FeatureOf(id); f == nil || f.Status != kedge.Pending && f.Status != kedge.InProgress {
			t.Errorf("%s is %+v in the run", id, f)
		}
	}

	// The caller, who lost the daemon, asks again; and so does another daemon.
	who := projects.Caller{Dir: m.dir, Actor: kedge.Human("ada"), Key: "req-3"}
	m.ok(m.s.ForFeatures().Tell(t.Context(), m.p, who, run.Input{Kind: run.Reopened, Feature: "reopen"}))
	who.Key = "req-many"
	m.ok(m.s.ForFeatures().Tell(t.Context(), m.p, who, run.Input{Kind: run.Skipped, Feature: "many-3", Reason: "no"}))
	m.ok(m.s.ForFeatures().Tell(t.Context(), m.p, who, run.Input{Kind: run.Planned}))
	m.next()
	if words, _ := m.told(now); len(words) > 0 {
		t.Errorf("it is told again: %v", words)
	}
}

// TestF1WordsThatAnEarlierKedgeTold: one name for all words of a request, or a number for
// each, is a word that the run received; the others of the request it did not.
func TestF1WordsThatAnEarlierKedgeTold(t *testing.T) {
	for _, name := range []string{"run-req-1", "run-req-1-amend-1"} {
		t.Run(name, func(t *testing.T) {
			m := newMissing(t, map[kedge.FeatureID]kedge.Status{"one": kedge.BlockedWork, "two": kedge.BlockedWork, "own": kedge.BlockedWork}, run.Stopped)
			m.adopt()
			deliver := func(id kedge.EventID, feature kedge.FeatureID) {
				eng, err := m.s.Engine(t.Context(), m.p)
				m.ok(err)
				m.ok(eng.Deliver(t.Context(), m.Run, run.Input{ID: id, Kind: run.Skipped, Feature: feature, Reason: "no", At: m.Now, Actor: kedge.Human("ada")}))
			}
			deliver("run-req-1-amend-0", "own")
			deliver(kedge.EventID(name), "one")
			_, steps := m.told(1)
			who := projects.Caller{Dir: m.dir, Actor: kedge.Human("ada"), Key: "req-1"}
			for _, id := range []kedge.FeatureID{"one", "two", "two"} {
				m.ok(m.s.ForFeatures().Tell(t.Context(), m.p, who, run.Input{Kind: run.Skipped, Feature: id, Reason: "no"}))
			}
			if words, _ := m.told(steps); !slices.Equal(words, []string{"skipped two by human:ada"}) {
				t.Errorf("it is told %v", words)
			}
		})
	}
}

// next lets the runs go and takes them up as the next daemon does.
func (m missing) next() {
	m.t.Helper()
	m.ok(m.s.Close())
	m.serve()
	m.open()
	m.adopt()
}

// deadEngine dies before a run is told anything.
type deadEngine struct{ runs.RunEngine }

func (deadEngine) Deliver(context.Context, kedge.RunID, run.Input) error { return errKilled }

var errKilled = errors.New("killed")

// TestF1ApprovalThatTheRunWasNotTold: a plan was approved, and the daemon died
// before the run that made it began the work.
func TestF1ApprovalThatTheRunWasNotTold(t *testing.T) {
	w := newWorks(t)
	dying := true
	w.engine = func(_ context.Context, p kedge.Project, st *journal.Store) (runs.RunEngine, error) {
		e := local.New(local.Config{Project: p.ID, Store: st, Executor: leaves{}, Now: w.s.projects.Now})
		if dying {
			return deadEngine{e}, nil
		}
		return e, nil
	}
	begun := run.Input{Kind: run.Begun, Run: w.Run, Commit: w.Git("rev-parse", "HEAD"), At: w.Now, Goal: "Orders"}
	state, _ := run.Step(run.State{}, begun)
	w.add(kedge.RunStepped, delta.Stepped{Run: w.Run, N: 1, Version: run.Version, Event: begun, Delta: delta.Diff(run.State{}, state)})
	w.planning()
	w.says("ses-1", planText(givenPlan))
	if _, err := w.s.PlanApprove(t.Context(), w.who(), PlanApproveRequest{}); !errors.Is(err, errKilled) {
		t.Fatalf("approved: %v", err)
	}
	m := missing{w}
	dying = false
	m.next()
	for range 2 {
		doc, _, err := w.p.Store.Run(t.Context(), w.Run)
		w.ok(err)
		if len(doc.State.Features) != 2 || doc.State.Tip != w.Git("rev-parse", "HEAD") {
			t.Errorf("the run has %+v at %s", doc.State.Features, doc.State.Tip)
		}
		m.next()
	}
	if words, _ := m.told(1); len(words) != 2 {
		t.Errorf("it is told %v", words)
	}
}
