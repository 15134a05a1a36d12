package run_test

import (
	"testing"

	"kedge"
	"kedge/internal/core/config"
	"kedge/internal/core/run"
)

func planned(t *testing.T) *drive {
	t.Helper()
	d := &drive{T: t, at: noon}
	d.do(run.Input{Kind: run.Begun, Run: "run-1", Goal: "a shop", Commit: "c0", Rules: &config.Rules{}})
	return d
}

// A plan with faults is told to one more session, and to no third.
func TestFaultyPlanIsToldOnce(t *testing.T) {
	d := planned(t)
	d.until(run.Inspect)
	d.answer(run.Inspect, run.Red, func(ev *run.Input) { ev.Failure = "no risks" })
	if c := d.outstanding(run.Brief); c.Purpose != run.MakePlan || c.Failure != "no risks" {
		t.Fatalf("the next brief is %+v", c)
	}
	d.until(run.Inspect)
	d.answer(run.Inspect, run.Red, func(ev *run.Input) { ev.Failure = "no risks" })
	d.until("")
	if d.s.Sessions != 2 || d.s.Status != run.StatusWaiting || len(d.s.Jobs) != 0 {
		t.Errorf("%d sessions, %s: %s", d.s.Sessions, d.s.Status, d.s.Reason)
	}
}

// An answer lets the next planning session start by itself; an approved plan
// lets the work begin.
func TestRow9AnswerThenApproval(t *testing.T) {
	d := planned(t)
	d.until("")
	if d.s.Status != run.StatusWaiting || d.s.Sessions != 1 {
		t.Fatalf("%s after %d sessions", d.s.Status, d.s.Sessions)
	}
	d.person(run.Answered, "")
	d.until("")
	if d.s.Status != run.StatusWaiting || d.s.Sessions != 2 {
		t.Fatalf("%s after %d sessions", d.s.Status, d.s.Sessions)
	}
	d.do(run.Input{Kind: run.Planned, Specs: []run.Spec{{ID: "a", Hash: "h-a"}}, Actor: kedge.Human("ann")})
	d.until("")
	if d.s.Status != run.StatusDone || d.s.Sessions != 3 {
		t.Errorf("%s after %d sessions: %s", d.s.Status, d.s.Sessions, d.s.Reason)
	}
}
