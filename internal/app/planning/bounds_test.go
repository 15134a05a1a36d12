package planning

import (
	"errors"
	"os"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/core/run"
	"kedge/internal/core/watch"
	"kedge/internal/journal"
)

// What was decided, ruled out and forbidden is what a session must not go
// against; the rules count as they stand at the base.
func TestBoundsOfARunsSession(t *testing.T) {
	w := newWorks(t)
	w.Put(".kedge/rules.md", "# Rules\n\n1. Never edit `db/**`.\n")
	w.Git("commit", "-aqm", "rules")
	base := w.Git("rev-parse", "HEAD")
	w.Put(".kedge/rules.md", "nothing\n")
	add := func(typ kedge.EventType, data any) {
		t.Helper()
		ev, err := kedge.NewEvent(typ, kedge.Human("ada"), data)
		w.ok(err)
		ev.Project = w.p.ID
		_, _, err = w.p.Store.Append(t.Context(), "", ev)
		w.ok(err)
	}
	add(kedge.DecisionSaved, kedge.DecisionData{Decision: kedge.Decision{
		ID: "dec-00000000000000000000000001", Status: kedge.DecisionLocked, Title: "flags are required", AppliesTo: []string{"cmd/**"},
		Rejected: []kedge.Rejected{{What: "positional arguments", Reason: "unclear"}},
	}})
	add(kedge.DecisionSaved, kedge.DecisionData{Decision: kedge.Decision{
		ID: "dec-00000000000000000000000002", Status: kedge.DecisionProposed, Title: "maybe", Rejected: []kedge.Rejected{{What: "proposed only"}},
	}})
	add(kedge.HandoffSaved, kedge.Handoff{
		ID: "ckp-00000000000000000000000001", Constraints: []string{"Do not run `git push`."}, RuledOut: []kedge.Rejected{{What: "legacy/**"}},
	})
	b, err := w.cfg.Bounds(t.Context(), run.Command{Run: w.Run, Feature: "user", Purpose: run.Implement, Base: base})
	w.ok(err)
	if !strings.Contains(b.Focus, "implement user") || !strings.Contains(b.Focus, "flags are required") || strings.Contains(b.Focus, "maybe") {
		t.Errorf("focus %q", b.Focus)
	}
	l := watch.Usual()
	l.Bounds = b
	for _, c := range []struct {
		name   string
		ev     watch.Act
		drifts bool
	}{
		{"a rejected way", watch.Act{Input: "use positional arguments", Paths: []string{"cmd/a.go"}}, true},
		{"a way that was only proposed", watch.Act{Input: "proposed only", Paths: []string{"cmd/a.go"}}, false},
		{"a forbidden command", watch.Act{Input: "git push"}, true},
		{"a ruled-out path", watch.Act{Paths: []string{"legacy/a"}}, true},
		{"a forbidden path", watch.Act{Paths: []string{"db/x.sql"}}, true},
		{"work", watch.Act{Paths: []string{"cmd/a.go"}}, false},
	} {
		c.ev.Kind, c.ev.At = watch.Call, w.Now
		drifts := false
		for _, s := range watch.New(l).Feed(c.ev) {
			drifts = drifts || s.Kind == watch.Drift
		}
		if drifts != c.drifts {
			t.Errorf("%s: drifts %v", c.name, drifts)
		}
	}
}

// What descends from the holder of a run's session is known as the session's,
// for as long as it is followed.
func TestHoldingMakesASessionKnown(t *testing.T) {
	w := newWorks(t)
	const id = kedge.SessionID("ses-00000000000000000000000001")
	forget, err := w.s.Manager.Holding(id, func() (int, error) { return os.Getpid(), nil })
	w.ok(err)
	if got := w.s.SessionOf(os.Getpid()); got != id {
		t.Errorf("this process is in session %q", got)
	}
	forget()
	if got := w.s.SessionOf(os.Getpid()); got != "" {
		t.Errorf("afterwards it is in session %q", got)
	}
	if _, err := w.s.Manager.Holding(id, func() (int, error) { return 0, errors.New("no") }); err == nil || w.s.SessionOf(os.Getpid()) != "" {
		t.Errorf("a session that did not start is known: %v", err)
	}
}

// A session of a run that the journal calls living and that has no holder is left
// to its run: it may only be about to start.
func TestAdoptLeavesSessionsToTheirRun(t *testing.T) {
	w := newWorks(t)
	for _, ses := range []kedge.Session{
		{ID: "ses-00000000000000000000000001", Name: "a", State: kedge.SessionRunning, Run: w.Run},
		{ID: "ses-00000000000000000000000002", Name: "b", State: kedge.SessionRunning},
	} {
		ev, err := kedge.NewEvent(kedge.SessionStarted, kedge.ActorDaemon, ses)
		w.ok(err)
		ev.Project = w.p.ID
		_, _, err = w.p.Store.Append(t.Context(), "", ev)
		w.ok(err)
	}
	w.ok(w.s.Manager.AdoptProject(t.Context(), w.p, nil))
	docs, err := projects.All[kedge.Session](t.Context(), w.p, journal.KindSession)
	w.ok(err)
	if len(docs) != 2 || docs[0].State != kedge.SessionRunning || docs[1].State != kedge.SessionInterrupted {
		t.Errorf("sessions %+v", docs)
	}
}
