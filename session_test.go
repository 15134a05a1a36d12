package kedge_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"kedge"
)

func TestSessionOrder(t *testing.T) {
	at := func(name string, minute int, pinned bool) kedge.Session {
		return kedge.Session{Name: name, StartedAt: time.Date(2026, 1, 2, 3, minute, 0, 0, time.UTC), Pinned: pinned}
	}
	list := []kedge.Session{at("a", 1, false), at("b", 2, true), at("c", 3, false), at("d", 0, true)}
	slices.SortStableFunc(list, kedge.Session.Compare)
	var names []string
	for _, s := range list {
		names = append(names, s.Name)
	}
	if got := strings.Join(names, ""); got != "bdca" {
		t.Errorf("in the order %s", got)
	}
}

func TestSessionSummaryAndKeep(t *testing.T) {
	one := 1
	for _, c := range []struct {
		s    kedge.Session
		want string
		keep bool
	}{
		{kedge.Session{State: kedge.SessionRunning}, "running", true},
		{kedge.Session{State: kedge.SessionExited}, "exited", false},
		{kedge.Session{State: kedge.SessionExited, ExitCode: &one}, "exited (1)", false},
		{kedge.Session{State: kedge.SessionInterrupted, Cause: "lost", Pinned: true}, "interrupted (lost), pinned", true},
	} {
		if got := c.s.Summary(); got != c.want || c.s.Keep() != c.keep {
			t.Errorf("%q, kept %v; want %q, %v", got, c.s.Keep(), c.want, c.keep)
		}
	}
}

func TestSessionPinFolds(t *testing.T) {
	var s kedge.Session
	for _, c := range []struct {
		typ  kedge.EventType
		want bool
	}{{kedge.SessionPinned, true}, {kedge.SessionPinned, true}, {kedge.SessionUnpinned, false}} {
		ev, err := kedge.NewEvent(c.typ, kedge.Human("ada"), kedge.SessionMark{ID: "ses-1"})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Fold(ev); err != nil || s.Pinned != c.want {
			t.Errorf("%s: pinned %v, %v", c.typ, s.Pinned, err)
		}
	}
}
