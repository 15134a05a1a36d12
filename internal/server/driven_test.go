package server_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/app"
	"kedge/internal/journal"
	"kedge/internal/server"
)

// forDriven are the writing calls that a session of a run may make: whoever adds one
// has thought about what a session could make of it.
var forDriven = []string{
	"checkpoint.save", "decision.add", "feature.submit", "gate", "handoff.save", "hook.stop", "hook.take", "note.add", "question.ask",
	"risk.add", "risk.close", "run.watch", "session.kill", "session.new", "session.rename", "session.resume", "session.send",
}

// The sessions of the tests: of a run, started by it, and a person's own.
const (
	ofRun   = kedge.SessionID("ses-00000000000000000000000001")
	grown   = kedge.SessionID("ses-00000000000000000000000002")
	peoples = kedge.SessionID("ses-00000000000000000000000003")
)

// driving is a service with a project that has these sessions.
func driving(t *testing.T) (s *app.Service, dir, state string) {
	t.Helper()
	dir, home := t.TempDir(), t.TempDir()
	id := kedge.NewID("prj", time.Now())
	state = filepath.Join(home, "projects", id)
	for _, d := range []string{filepath.Join(dir, ".kedge"), state} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, ".kedge", "id"), []byte(id+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	st, err := journal.Open(state, journal.Options{Now: time.Now, Key: keyOf(t, home)})
	if err != nil {
		t.Fatal(err)
	}
	for _, ses := range []kedge.Session{
		{ID: ofRun, Name: "a", Run: "run-1", Feature: "a"}, {ID: grown, Name: "helper", Parent: ofRun}, {ID: peoples, Name: "mine"},
	} {
		ev, err := kedge.NewEvent(kedge.SessionStarted, kedge.ActorDaemon, ses)
		if err != nil {
			t.Fatal(err)
		}
		ev.Project = kedge.ProjectID(id)
		if _, _, err := st.Append(t.Context(), "", ev); err != nil {
			t.Fatal(err)
		}
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	s = app.New(app.Config{Home: home})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, dir, state
}

// newJournal makes the journal of a project.
func newJournal(t *testing.T, home, id string) {
	t.Helper()
	st, err := journal.Open(filepath.Join(home, "projects", id), journal.Options{Key: keyOf(t, home)})
	if err == nil {
		err = st.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// keyOf is the key of the journals in home.
func keyOf(t *testing.T, home string) []byte {
	t.Helper()
	key, err := journal.OpenKey(home, false)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// TestRow85SessionsOfRunsSetNoStatus: of the calls that write, a session of a run and
// what it started may make those of the list alone, from whichever folder; each other
// try is in the journal. A session of a person's own is not held to it.
func TestRow85SessionsOfRunsSetNoStatus(t *testing.T) {
	s, dir, state := driving(t)
	elsewhere := t.TempDir()
	refused := func(c server.Call, by kedge.SessionID, from string) bool {
		_, err := c.Run(t.Context(), s, server.Envelope{Dir: from, Session: by, Key: c.Name + string(by) + from}, nil)
		return kedge.Blocked.Is(err) && strings.Contains(err.Error(), "this session belongs to a run, so its agent may not use")
	}
	var may, tried []string
	for _, c := range server.Calls() {
		switch {
		case c.Mode != server.Writing:
			if c.ForRuns {
				t.Errorf("%s writes nothing and is marked", c.Name)
			}
		case c.ForRuns:
			may = append(may, c.Name)
		default:
			tried = append(tried, c.Name)
			if !refused(c, ofRun, dir) || !refused(c, grown, dir) || !refused(c, ofRun, elsewhere) {
				t.Errorf("%s is not refused to a session of a run", c.Name)
			}
			if c.Name == "feature.block" && refused(c, peoples, dir) {
				t.Errorf("%s is refused to a session that is of no run", c.Name)
			}
		}
	}
	if slices.Sort(may); !slices.Equal(may, forDriven) {
		t.Errorf("sessions of runs may make %q", may)
	}
	if got := refusals(t, state); len(got) != 3*len(tried) || got[0].ID != ofRun || got[0].By != ofRun || got[1].By != grown || got[1].ID != ofRun || got[0].Act != tried[0] {
		t.Errorf("%d tries are in the journal of %d: %+v", len(got), 3*len(tried), got[:min(3, len(got))])
	}
}

// TestRow88OnlyItsOwnFeatureIsSubmitted: a session of a run claims no other feature
// than the one that it works on.
func TestRow88OnlyItsOwnFeatureIsSubmitted(t *testing.T) {
	s, dir, state := driving(t)
	c, err := server.Find("feature.submit")
	if err != nil {
		t.Fatal(err)
	}
	submit := func(id string) error {
		_, err := c.Run(t.Context(), s, server.Envelope{Dir: dir, Session: ofRun, Key: "k" + id, In: json.RawMessage(`{"id":"` + id + `"}`)}, nil)
		return err
	}
	if err := submit("b"); !kedge.Blocked.Is(err) || kedge.HintOf(err) != "submit the feature of this session: kedge feature submit a" {
		t.Errorf("another feature: %v (%s)", err, kedge.HintOf(err))
	}
	if err := submit("a"); !kedge.NotFound.Is(err) { // it is let through, and the ledger is empty
		t.Errorf("its own: %v", err)
	}
	if got := refusals(t, state); len(got) != 1 || got[0].Act != "feature.submit" {
		t.Errorf("the journal has %+v", got)
	}
}

// refusals are the tries that the journal has.
func refusals(t *testing.T, state string) (out []kedge.SessionRefusedData) {
	t.Helper()
	st, err := journal.Open(state, journal.Options{Now: time.Now, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	evs, err := st.Events(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, ev := range evs {
		if ev.Type != kedge.SessionRefused {
			continue
		}
		var d kedge.SessionRefusedData
		if err := json.Unmarshal(ev.Data, &d); err != nil {
			t.Fatal(err)
		}
		out = append(out, d)
	}
	return out
}
