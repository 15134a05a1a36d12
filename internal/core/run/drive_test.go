package run_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"kedge"
	"kedge/internal/core/config"
	"kedge/internal/core/run"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// drive plays a run by hand: it answers commands, and keeps all that were asked
// for.
type drive struct {
	*testing.T
	s    run.State
	all  []run.Command
	at   time.Time
	tree int
}

func begin(t *testing.T, rules config.Rules, specs ...run.Spec) *drive {
	t.Helper()
	d := &drive{T: t, at: noon}
	for i := range specs {
		specs[i].Hash = "h-" + string(specs[i].ID)
	}
	d.do(run.Input{Kind: run.Begun, Run: "run-1", Rules: &rules, Specs: specs, Commit: "c0"})
	return d
}

func feature(id string, needs ...kedge.FeatureID) run.Spec {
	return run.Spec{ID: kedge.FeatureID(id), Needs: needs}
}

// do is one step; it gives what the step asks for.
func (d *drive) do(ev run.Input) []run.Command {
	d.Helper()
	d.at = d.at.Add(time.Second)
	if ev.At.IsZero() {
		ev.At = d.at
	}
	var out []run.Command
	d.s, out = run.Step(d.s, ev)
	d.all = append(d.all, out...)
	return out
}

// person is an event by a person.
func (d *drive) person(kind run.InputKind, id kedge.FeatureID) []run.Command {
	d.Helper()
	return d.do(run.Input{Kind: kind, Feature: id, Actor: kedge.Human("ann"), Reason: "because", Text: "a word", Hash: "h-new"})
}

// outstanding is the newest unanswered command of the kind; the test ends where
// there is none.
func (d *drive) outstanding(kind run.CommandKind) run.Command {
	d.Helper()
	for _, c := range slices.Backward(d.s.Outbox) {
		if c.Kind == kind {
			return c
		}
	}
	d.Fatalf("no %s is outstanding: %s %s, %+v", kind, d.s.Status, d.s.Reason, d.s.Jobs)
	return run.Command{}
}

// answer answers the newest command of the kind.
func (d *drive) answer(kind run.CommandKind, o run.Outcome, change ...func(*run.Input)) []run.Command {
	d.Helper()
	ev := d.happy(d.outstanding(kind))
	ev.Outcome = o
	for _, f := range change {
		f(&ev)
	}
	return d.do(ev)
}

// happy is the answer of a world in which everything works.
func (d *drive) happy(c run.Command) run.Input {
	ev := run.Input{Kind: c.Kind.Answer(), Epoch: c.Epoch, Outcome: run.OK, Environment: "e"}
	switch c.Kind {
	case run.Prepare:
		ev.Commit, ev.Tree = c.Base, "tree-of-"+c.Base
	case run.Gate:
		d.tree++
		ev.Outcome, ev.Tree, ev.Failure = run.Green, "t"+strconv.Itoa(d.tree), "TestX: red"
		if c.Tree != "" {
			ev.Tree = c.Tree
		}
	case run.Brief:
		ev.Conversation = c.Resume
	case run.Prove:
		ev.Outcome = run.Fails
	case run.StartSession:
		ev.Outcome = run.Finished
	case run.Inspect:
		ev.Outcome = run.Clean
	case run.Integrate:
		ev.Outcome, ev.Tree, ev.Evidence, ev.Failure = run.Green, "m"+c.Tree, kedge.EvidenceID("evd-"+c.Tree), "TestY: red"
	case run.Commit:
		ev.Commit, ev.Tree = "w"+strconv.FormatInt(c.Epoch, 10), c.Tree
	case run.Ledger:
		ev.Commit = "l" + strconv.FormatInt(c.Epoch, 10)
	default:
	}
	return ev
}

// go on happily until a command of the kind is outstanding; "" is to the end.
func (d *drive) until(kind run.CommandKind) {
	d.Helper()
	for range 2000 {
		if len(d.s.Outbox) == 0 {
			if kind != "" {
				d.Fatalf("the run rests before %s: %s %s", kind, d.s.Status, d.s.Reason)
			}
			return
		}
		c := d.s.Outbox[0]
		for _, o := range d.s.Outbox {
			if o.Kind == kind {
				return
			}
			if c.Kind == run.Timer {
				c = o
			}
		}
		d.do(d.happy(c))
	}
	d.Fatalf("no end: %+v", d.s.Outbox)
}

// stillRed has the fix of a baseline find it red before its session.
func (d *drive) stillRed(change ...func(*run.Input)) {
	d.Helper()
	for {
		d.until(run.Gate)
		c := d.outstanding(run.Gate)
		if c.Purpose == run.FixFirst && c.Tree != "" {
			d.answer(run.Gate, run.Red, change...)
			return
		}
		d.do(d.happy(c))
	}
}

// count is how often a kind was asked for, in all or for one purpose.
func (d *drive) count(kind run.CommandKind, purpose ...run.Purpose) int {
	n := 0
	for _, c := range d.all {
		if c.Kind == kind && (len(purpose) == 0 || c.Purpose == purpose[0]) {
			n++
		}
	}
	return n
}

// kinds are the kinds of a job's commands, in order, without marks.
func (d *drive) kinds(job int) []run.CommandKind {
	var out []run.CommandKind
	for _, c := range d.all {
		if c.Job == job {
			out = append(out, c.Kind)
		}
	}
	return out
}

func (d *drive) status(id kedge.FeatureID) kedge.Status {
	for _, f := range d.s.Features {
		if f.ID == id {
			return f.Status
		}
	}
	return ""
}

// want holds the run to a status, and features to theirs.
func (d *drive) want(status run.Status, features ...kedge.Status) {
	d.Helper()
	if d.s.Status != status {
		d.Errorf("the run is %s (%s), want %s", d.s.Status, d.s.Reason, status)
	}
	for i, w := range features {
		if got := d.s.Features[i].Status; got != w {
			d.Errorf("feature %q is %s, want %s", d.s.Features[i].ID, got, w)
		}
	}
}

func used(tokens int64, usd float64) func(*run.Input) {
	return func(ev *run.Input) { ev.Usage = &kedge.Spend{Tokens: tokens, USD: usd} }
}

func because(reason string) func(*run.Input) {
	return func(ev *run.Input) { ev.Reason, ev.Failure = reason, reason }
}

// session is an event of the living session.
func (d *drive) session(kind run.InputKind, o run.Outcome, change ...func(*run.Input)) []run.Command {
	d.Helper()
	ev := run.Input{Kind: kind, Outcome: o, Epoch: d.outstanding(run.StartSession).Epoch, Text: "which one?", Reason: "a signal"}
	if kind == run.TurnEnded {
		for _, j := range d.s.Jobs {
			ev.Epoch = max(ev.Epoch, j.Turn)
		}
	}
	for _, f := range change {
		f(&ev)
	}
	return d.do(ev)
}
