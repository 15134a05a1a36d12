package run

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"kedge"
)

// Phases lists every phase that a job enters, for tables and diagrams.
var Phases = []Phase{
	Preparing, Baselining, Proving, Briefing, Working, Saving, Ending, Gating, Inspecting, Integrating, Committing,
	Recording, Ledgering, Done, Ready, Stuck, Idle, Asking, Reviewing, Limited, Reverting,
}

// Transition is one line of the table of Step: a job in From, an event with an
// outcome, and what follows.
type Transition struct {
	From     Phase
	With     string // what is special about the job; empty: nothing
	Kind     InputKind
	Outcome  Outcome
	To       Phase
	Commands []CommandKind
	Halt     Halt
}

// exampleTime is when everything in the table happens.
var exampleTime = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// Table applies every event to a job in every phase, and gives what changes
// anything. The second figure is how many pairs change nothing.
func Table() ([]Transition, int) {
	var out []Transition
	still := 0
	for _, x := range examples() {
		for _, o := range slices.Concat(answers, unasked()) {
			for _, outcome := range o.outcomes {
				t, changed := transition(x, o.event, outcome)
				if !changed {
					still++
					continue
				}
				out = append(out, t)
			}
		}
	}
	return out, still
}

// unasked are the events that answer no command.
func unasked() []answer {
	out := []answer{
		{event: Used, outcomes: []Outcome{OK}}, {event: Signalled, outcomes: []Outcome{WantCheckpoint, WantHandover, Stalled, Asked, Noticed}},
	}
	for _, k := range []InputKind{
		Begun, TakenOver, PauseAsked, StopAsked, Continued, LandAsked, Said, Answered, Approved, Denied, Planned, Amended, Accepted,
		Reopened, Skipped, Barred,
	} {
		out = append(out, answer{event: k, outcomes: []Outcome{OK}})
	}
	return out
}

// example is a job in a phase, and how it came to be special.
type example struct {
	phase Phase
	with  string
	set   func(t *stepper, j *Job) // before it enters the phase
}

// examples are one plain job in every phase, and those whose past decides where
// they go.
func examples() []example {
	var out []example
	for _, p := range Phases {
		out = append(out, example{phase: p, set: func(*stepper, *Job) {}})
	}
	repaired := func(_ *stepper, j *Job) { j.Repairs = 1 }
	another := func(t *stepper, _ *Job) {
		t.s.Features = append(t.s.Features, Feature{ID: "before", Status: kedge.Completed})
	}
	return append(out,
		example{Gating, "repaired", repaired},
		example{Gating, "a green verdict on the same tree", func(_ *stepper, j *Job) { j.Seen = Seen{Tree: "t0", Outcome: Green} }},
		example{Gating, "repaired, two attempts", func(t *stepper, j *Job) { j.Repairs, t.s.Rules.Attempts = 1, 2 }},
		example{Integrating, "repaired", repaired},
		example{Integrating, "a new base", func(t *stepper, _ *Job) { t.s.Tip = "c2" }},
		example{Integrating, "a claim", func(_ *stepper, j *Job) { j.Kind = Confirm }},
		example{Proving, "reopened, with a reason", func(t *stepper, _ *Job) { t.s.Features[0].Wanted = true }},
		example{Proving, "accepted", func(t *stepper, _ *Job) { t.s.Features[0].Claim = ClaimAccepted }},
		example{Proving, "said to be done", func(t *stepper, _ *Job) { t.s.Features[0].Claim = ClaimSaid }},
		example{Integrating, "accepted, without checks", func(t *stepper, j *Job) {
			j.Kind, j.Proof, t.s.Features[0].Claim = Confirm, NoChecks, ClaimAccepted
		}},
		example{Inspecting, "reopened, green before, repaired", func(_ *stepper, j *Job) { j.Proof, j.Repairs = Green, 1 }},
		example{Ledgering, "accepted by a person", func(_ *stepper, j *Job) { j.Kind = Accept }},
		example{Saving, "the agent finished", func(t *stepper, j *Job) { t.s.Outbox, j.Turn, j.Then = nil, 0, Gating }},
		example{Saving, "the provider's limit", func(t *stepper, j *Job) { t.s.Outbox, j.Turn, j.Then = nil, 0, Limited }},
		example{Saving, "the agent asked", func(t *stepper, j *Job) { t.s.Outbox, j.Turn, j.Then = nil, 0, Asking }},
		example{Working, "crashed before", func(_ *stepper, j *Job) { j.Crashes = 1 }},
		example{Working, "paused", func(t *stepper, _ *Job) { t.s.Halt, t.s.Why = Paused, "paused by a person" }},
		example{Working, "resumed", func(_ *stepper, j *Job) { j.Resumed = true }},
		example{Working, "a plan", func(_ *stepper, j *Job) { j.Kind = Plan }},
		example{Inspecting, "a plan", func(_ *stepper, j *Job) { j.Kind = Plan }},
		example{Integrating, nothingIsLeft, func(*stepper, *Job) {}},
		example{Integrating, nothingIsLeft + ", done before", func(t *stepper, _ *Job) { t.s.Features[0].Claim = ClaimDone }},
		example{Integrating, "denied before, green before", func(t *stepper, j *Job) { t.s.Features[0].Denied, j.Proof = true, Green }},
		example{Baselining, "a fix", func(t *stepper, j *Job) {
			j.Kind, j.Feature, t.s.Red = Fix, unknown, Seen{Tree: "t0", Outcome: Red}
		}},
		example{Integrating, "earlier features", another},
		example{Baselining, "earlier features", another},
		example{Recording, "noted", func(*stepper, *Job) {}},
		example{Reverting, "attempts left", func(_ *stepper, j *Job) { j.End = "" }},
	)
}

// nothingIsLeft says of an example that its merge changes nothing.
const nothingIsLeft = "nothing is left"

func transition(x example, kind InputKind, outcome Outcome) (Transition, bool) {
	p := x.phase
	s := x.state()
	ev := exampleEvent(&s, kind, outcome)
	ev.Moot = strings.HasPrefix(x.with, nothingIsLeft)
	after, commands := Step(s, ev)
	t := Transition{From: p, With: x.with, Kind: kind, Outcome: outcome, To: Done, Halt: after.Halt}
	for _, j := range after.Jobs {
		if j.ID == s.Jobs[0].ID {
			t.To = j.Phase
		}
	}
	for _, c := range commands {
		t.Commands = append(t.Commands, c.Kind)
	}
	return t, t.To != p || len(commands) > 0 || after.Halt != s.Halt
}

// state is a run with one feature whose job has just entered the phase.
func (x example) state() State {
	p := x.phase
	begun := Input{Kind: Begun, Run: "run-example", Commit: "c0", At: exampleTime, Specs: []Spec{{ID: "example", Hash: "h0"}}}
	s, _ := Step(State{}, begun)
	t := &stepper{s: s.clone(), ev: Input{At: exampleTime}}
	t.s.Outbox = nil
	j := &t.s.Jobs[0]
	j.Base, j.BaseTree, j.Tree, j.Merged, j.Commit, j.Proof, j.Evidence = "c0", "t0", "t1", "t1", "c1", Fails, "evd-1"
	j.Reason, j.Question = "", ""
	live := p == Working || p == Saving || p == Ending || p == Idle || p == Asking
	if live {
		j.Turn = t.issue(j, Command{Kind: StartSession})
		j.Sessions = 1
	}
	switch p {
	case Saving, Ending:
		j.Then = Briefing
	case Idle:
		j.Turn, t.s.Halt, t.s.Why = 0, Paused, "paused by a person"
	case Ready:
		j.Resume, t.s.Halt, t.s.Why = Briefing, Paused, "paused by a person"
	case Stuck:
		j.Resume, t.s.Halt, t.s.Why = Gating, Fault, "a disk is full"
	case Ledgering:
		j.End = kedge.Completed
	case Reverting:
		j.End = kedge.BlockedWork
	case Reviewing:
		t.s.Features[0].Status = kedge.NeedsReview
	default:
	}
	x.set(t, j)
	if p == Ready || p == Stuck || p == Idle || p == Done {
		j.Phase = p
	} else {
		t.enter(j, p)
	}
	if x.with == "noted" {
		t.drop(func(c Command) bool { return c.Kind == Note })
	}
	return t.s
}

// exampleEvent answers the newest fitting command of the state, so that it is
// neither late nor refused for its epoch.
func exampleEvent(s *State, kind InputKind, outcome Outcome) Input {
	ev := Input{
		Kind: kind, Outcome: outcome, At: exampleTime, Actor: kedge.Human("ann"), Feature: "example", Reason: "a reason",
		Commit: "c0", Tree: "t0", Evidence: "evd-1", Hash: "h1", Failure: "a failure", Text: "a text",
	}
	if kind == Committed {
		ev.Tree = "t1"
	}
	for _, c := range s.Outbox {
		session := c.Kind == StartSession && (kind == Used || kind == Signalled || kind == TurnEnded)
		if c.Kind.Answer() == kind || session {
			ev.Epoch = c.Epoch
		}
	}
	return ev
}

// Diagram draws the table for Mermaid: the moves of a job, without what people
// and faults can do at any time. Ready leads to wherever the job could not go.
func Diagram() string {
	table, _ := Table()
	type arrow struct{ from, to Phase }
	var order []arrow
	labels := map[arrow][]string{}
	for _, t := range table {
		goesOn := t.Kind == Continued && t.From.Parked()
		if t.From == t.To || t.From == Done || t.Halt == Fault || t.Halt == Paused || byPeople(t.Kind) && !goesOn {
			continue
		}
		a := arrow{t.From, t.To}
		if labels[a] == nil {
			order = append(order, a)
		}
		label := string(t.Kind)
		if t.Outcome != OK {
			label = string(t.Outcome)
		}
		if !slices.Contains(labels[a], label) {
			labels[a] = append(labels[a], label)
		}
	}
	var b strings.Builder
	b.WriteString("stateDiagram-v2\n    [*] --> prepare\n")
	slices.SortStableFunc(order, func(a, b arrow) int {
		return cmp.Compare(slices.Index(Phases, a.from), slices.Index(Phases, b.from))
	})
	for _, a := range order {
		fmt.Fprintf(&b, "    %s --> %s: %s\n", a.from, a.to, strings.Join(labels[a], ", "))
	}
	b.WriteString("    done --> [*]\n")
	return b.String()
}

// byPeople tells whether people cause the event, answers to the run excepted.
func byPeople(k InputKind) bool {
	switch k {
	case PauseAsked, StopAsked, Continued, LandAsked, Said, Planned, Amended, Reopened, Skipped, Barred, TakenOver:
		return true
	default:
		return false
	}
}
