package planning

import (
	"context"
	"slices"
	"testing"

	"kedge"
	"kedge/internal/app/runs"
	"kedge/internal/core/delta"
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
