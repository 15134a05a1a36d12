package planning

import (
	"context"
	"slices"
	"testing"
	"time"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/app/runs"
	"kedge/internal/core/delta"
	"kedge/internal/core/plan"
	"kedge/internal/core/run"
	"kedge/internal/engine/local"
	"kedge/internal/journal"
)

// began is a run of one feature whose beginning is in the journal under its name.
func began(t *testing.T) missing {
	t.Helper()
	m := missing{newWorks(t)}
	m.engine = func(_ context.Context, p kedge.Project, st *journal.Store) (runs.RunEngine, error) {
		return local.New(local.Config{Project: p.ID, Store: st, Executor: leaves{}, Now: m.s.projects.Now}), nil
	}
	m.feature(orders)
	begun := run.Input{Kind: run.Begun, Run: m.Run, Commit: "c0", At: m.Now, Specs: []run.Spec{{ID: orders.ID, Hash: m.hash(orders.ID)}}}
	state, _ := run.Step(run.State{}, begun)
	step := delta.Stepped{Run: m.Run, N: 1, Version: run.Version, Event: begun, Delta: delta.Diff(run.State{}, state)}
	ev, err := kedge.NewEvent(kedge.RunStepped, kedge.ActorDaemon, step)
	m.ok(err)
	ev.Project = m.p.ID
	_, _, err = m.p.Store.Append(t.Context(), "run/"+string(m.Run)+"/begun", ev)
	m.ok(err)
	return m
}

func (m missing) status() kedge.Status {
	m.t.Helper()
	d, _, err := journal.Get[journal.FeatureDoc](m.t.Context(), m.p.Store, journal.KindFeature, string(orders.ID))
	m.ok(err)
	return d.Status
}

// TestAWordIsNotWrittenOver: what a run decided before it heard of what a person said does not
// undo that: the run may be over when they come to tell it. What it decided since does.
func TestAWordIsNotWrittenOver(t *testing.T) {
	m := began(t)
	mark := func(n string, to kedge.Status) {
		t.Helper()
		m.ok(m.cfg.Ledger.Mark(t.Context(), string(m.Run)+"-"+n+"-status", kedge.ActorDaemon, kedge.FeatureStatusData{ID: orders.ID, Status: to}))
	}
	mark("1", kedge.InProgress)
	m.human("req-1", kedge.FeatureStatus, kedge.FeatureStatusData{ID: orders.ID, Status: kedge.Pending, Reason: "again"})
	mark("2", kedge.BlockedWork)
	if got := m.status(); got != kedge.Pending {
		t.Errorf("reopened, and the run that did not hear of it makes it %s", got)
	}
	eng, err := m.s.Engine(t.Context(), m.p)
	m.ok(err)
	m.ok(eng.Deliver(t.Context(), m.Run, run.Input{ID: "run-req-1-reopened-" + kedge.EventID(orders.ID), Kind: run.Reopened, Feature: orders.ID, At: m.Now, Actor: kedge.Human("ada")}))
	mark("3", kedge.BlockedWork)
	if got := m.status(); got != kedge.BlockedWork {
		t.Errorf("the run heard of it, and what it decides now leaves it %s", got)
	}
	m.ok(m.cfg.Ledger.Mark(t.Context(), string(m.Run)+"-4-mark", kedge.Human("ada"), kedge.FeatureStatusData{ID: orders.ID, Status: kedge.Pending})) // by the run, at her wish
	mark("5", kedge.InProgress)
	if got := m.status(); got != kedge.InProgress {
		t.Errorf("nobody said anything since, and it is %s", got)
	}
}

// TestF1AWordAboutWhatTheRunWasAt: the daemon died between the ledger and the run, while a job had
// the feature: the next daemon tells the run, once.
func TestF1AWordAboutWhatTheRunWasAt(t *testing.T) {
	for word, to := range map[run.InputKind]kedge.Status{run.Reopened: kedge.Pending, run.Skipped: kedge.Skipped, run.Barred: kedge.BlockedWork} {
		t.Run(string(word), func(t *testing.T) {
			m := began(t)
			m.human("req-1", kedge.FeatureStatus, kedge.FeatureStatusData{ID: orders.ID, Status: to, Reason: "because"})
			_, steps := m.told(0)
			m.next()
			m.next()
			want := []string{string(word) + " " + string(orders.ID) + " by human:ada"}
			words, _ := m.told(steps)
			words = slices.DeleteFunc(words, func(w string) bool { return w[:3] != string(word)[:3] })
			if !slices.Equal(words, want) {
				t.Errorf("it is told %v, want %v", words, want)
			}
		})
	}
}

// mark is a status that the run decided in one of its commands.
func (m missing) mark(n string, data kedge.FeatureStatusData) {
	m.t.Helper()
	data.ID = orders.ID
	m.ok(m.cfg.Ledger.Mark(m.t.Context(), string(m.Run)+"-"+n+"-status", kedge.ActorDaemon, data))
}

// complete is the end of work that its checks proved.
func (m missing) complete(n string) {
	m.t.Helper()
	green, now := m.evidence(orders.ID, m.Git("rev-parse", "HEAD^{tree}"), kedge.ValidationOK, nil), m.Now
	m.mark(n, kedge.FeatureStatusData{Status: kedge.Completed, Evidence: &green, CompletedAt: &now})
}

func (m missing) doc() journal.FeatureDoc {
	m.t.Helper()
	d, _, err := journal.Get[journal.FeatureDoc](m.t.Context(), m.p.Store, journal.KindFeature, string(orders.ID))
	m.ok(err)
	return d
}

// TestAWordThatStopsAMarkReachesTheRun: where Kedge does not write what the run decided over what
// a person said, the run hears that, once: neither is lost.
func TestAWordThatStopsAMarkReachesTheRun(t *testing.T) {
	task := "with a total"
	for word, said := range map[run.InputKind]kedge.FeatureStatusData{
		run.Reopened: {Status: kedge.Pending, Wanted: &task}, run.Skipped: {Status: kedge.Skipped}, run.Barred: {Status: kedge.BlockedWork},
	} {
		t.Run(string(word), func(t *testing.T) {
			m := began(t)
			m.mark("1", kedge.FeatureStatusData{Status: kedge.InProgress})
			said.ID, said.Reason = orders.ID, "because"
			m.human("req-1", kedge.FeatureStatus, said)
			if ev, unheard, err := ledger.Unheard(t.Context(), m.p, m.Run, m.doc()); err != nil || !unheard || ev.Kind != word || ev.Actor != kedge.Human("ada") {
				t.Errorf("unheard is %v: %+v (%v)", unheard, ev, err)
			}
			_, steps := m.told(0)
			m.complete("2")
			if got := m.status(); got != said.Status {
				t.Errorf("the run that did not hear of it makes it %s", got)
			}
			who := projects.Caller{Dir: m.dir, Actor: kedge.Human("ada"), Key: "req-1"} // who comes to tell it now
			m.ok(m.s.ForFeatures().Tell(t.Context(), m.p, who, run.Input{Kind: word, Feature: orders.ID, Reason: "because"}))
			words, _ := m.told(steps)
			words = slices.DeleteFunc(words, func(w string) bool { return w[:3] != string(word)[:3] })
			if want := []string{string(word) + " " + string(orders.ID) + " by human:ada"}; !slices.Equal(words, want) {
				t.Errorf("it is told %v, want %v", words, want)
			}
			if _, unheard, err := ledger.Unheard(t.Context(), m.p, m.Run, m.doc()); err != nil || unheard {
				t.Errorf("it was told, and the word is unheard (%v)", err)
			}
			m.complete("3")
			if got := m.status(); got != kedge.Completed {
				t.Errorf("the run heard of it, and completes it: %s", got)
			}
		})
	}
}

// TestAWordBeforeTheWork: a person wants the work on a feature done, and a session begins it after
// that: what comes of it counts. Of a session that began before, or of a task, it does not.
func TestAWordBeforeTheWork(t *testing.T) {
	task := "with a total"
	for name, c := range map[string]struct {
		after  time.Duration
		wanted *string
		want   kedge.Status
	}{
		"begun after": {time.Minute, nil, kedge.Completed}, "begun before": {-time.Minute, nil, kedge.Pending}, "a task": {time.Minute, &task, kedge.Pending},
	} {
		t.Run(name, func(t *testing.T) {
			m := began(t)
			m.mark("1", kedge.FeatureStatusData{Status: kedge.InProgress})
			word := m.fact(kedge.FeatureStatus, kedge.FeatureStatusData{ID: orders.ID, Status: kedge.Pending, Wanted: c.wanted})
			_, _, err := m.p.Store.Append(t.Context(), "req-1", word)
			m.ok(err)
			evs, _, err := m.p.Store.Seen(t.Context(), "req-1")
			m.ok(err)
			m.add(kedge.SessionStarted, kedge.Session{ID: "ses-1", Name: "one", State: kedge.SessionRunning, Run: m.Run, Feature: orders.ID, StartedAt: evs[0].At.Add(c.after)})
			m.complete("2")
			if got := m.status(); got != c.want {
				t.Errorf("it is %s, want %s", got, c.want)
			}
		})
	}
}

// TestAListThatTheRunTookUpIsHeard: the run is told of new features with a list, by whichever
// request: what that says of a feature it knows.
func TestAListThatTheRunTookUpIsHeard(t *testing.T) {
	m := began(t)
	added := orders
	added.ID = "added"
	text, hash := plan.Canonical(added)
	_, _, err := m.p.Store.Append(t.Context(), "req-list",
		m.fact(kedge.FeatureAdded, kedge.FeatureAddedData{Definition: text, Hash: hash, Order: 100}),
		m.fact(kedge.FeatureStatus, kedge.FeatureStatusData{ID: "added", Status: kedge.Pending, Files: []string{"a.txt"}}))
	m.ok(err)
	unheard := func() bool {
		t.Helper()
		d, _, err := journal.Get[journal.FeatureDoc](t.Context(), m.p.Store, journal.KindFeature, "added")
		m.ok(err)
		_, unheard, err := ledger.Unheard(t.Context(), m.p, m.Run, d)
		m.ok(err)
		return unheard
	}
	if unheard() {
		t.Error("a status that the feature had, with files, is a word that the run has to hear")
	}
	m.human("req-skip", kedge.FeatureStatus, kedge.FeatureStatusData{ID: "added", Status: kedge.Skipped, Reason: "skipped in list.json"})
	if !unheard() {
		t.Error("the run knows of a skip that nobody told it")
	}
	who := projects.Caller{Dir: m.dir, Actor: kedge.Human("ada"), Key: "req-other"}
	m.ok(m.s.ForFeatures().Tell(t.Context(), m.p, who, run.Input{Kind: run.Planned}))
	if unheard() {
		t.Error("the run took the feature up as skipped, and that is unheard")
	}
	m.human("req-again", kedge.FeatureStatus, kedge.FeatureStatusData{ID: "added", Status: kedge.Pending})
	who.Key = "req-more" // a list says nothing of what the run has
	m.ok(m.s.ForFeatures().Tell(t.Context(), m.p, who, run.Input{Kind: run.Planned}))
	if !unheard() {
		t.Error("a list told the run of a feature that it has")
	}
}
