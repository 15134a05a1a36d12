package sim

import (
	"slices"
	"strconv"
	"strings"

	"kedge"
	"kedge/internal/core/config"
	"kedge/internal/core/run"
)

// begin makes up a project and starts its run.
func (w *world) begin() {
	n := 1 + w.rng.IntN(4)
	first := w.repo.tree(tree{broken: w.chance(12)})
	w.repo.commit(commit{tree: first})
	ev := run.Input{Kind: run.Begun, Run: "run-sim", Commit: commitName(0), Rules: w.rules()}
	if w.unlanded = w.chance(15); w.unlanded { // a merge of what people committed, say
		ev.Head = "c-users"
	}
	specs := w.makeUp(n)
	if w.chance(6) {
		ev.Goal = "a goal"
	} else {
		ev.Specs = specs
	}
	w.deliver(ev)
}

func (w *world) makeUp(n int) []run.Spec {
	specs := make([]run.Spec, n)
	for i := range specs {
		id := kedge.FeatureID("f" + strconv.Itoa(i))
		w.specs = append(w.specs, feature{id: id, bit: 1 << i})
		switch w.rng.IntN(20) {
		case 0:
			w.specs[i].checks = brokenChecks
		case 1, 2:
			w.specs[i].checks = noChecks
		}
		w.book[id] = kedge.Pending
		specs[i] = run.Spec{ID: id, Hash: "h" + strconv.Itoa(i), Phase: "p" + strconv.Itoa(i/2), Claim: w.chance(8)}
		if i > 0 && w.chance(30) {
			specs[i].Needs = []kedge.FeatureID{kedge.FeatureID("f" + strconv.Itoa(w.rng.IntN(i)))}
		}
		if w.chance(10) {
			specs[i].Budget.Tokens = 400
		}
		if w.chance(10) {
			specs[i].Budget.Attempts = 1 + w.rng.IntN(2)
		}
	}
	return specs
}

func (w *world) rules() *config.Rules {
	r := &config.Rules{
		Parallel: 1 + w.rng.IntN(3), Attempts: 1 + w.rng.IntN(2), Sessions: 2 + w.rng.IntN(4), Waits: 1 + w.rng.IntN(3),
		Land:       []string{"end", "each", "never"}[w.rng.IntN(3)],
		Regression: []string{"sample", "all", "none"}[w.rng.IntN(3)],
	}
	if w.chance(25) {
		r.Fallback, r.Fallbacks = "other", []string{"third"}
	}
	if w.chance(20) {
		r.Tokens = 500 + w.rng.Int64N(3000)
	}
	if w.chance(15) {
		r.USD = 0.2 + 2*w.rng.Float64()
	}
	if w.chance(10) {
		r.DayUSD = 0.5
	}
	if w.chance(15) {
		r.SessionTokens = 300
	}
	if w.chance(15) {
		r.FeatureUSD = 0.5
	}
	if w.chance(10) {
		r.MaxSessions = 1 + w.rng.IntN(4)
	}
	if w.chance(10) {
		r.Phases = []config.PhaseLimit{{ID: "p0", Tokens: 600}}
	}
	if r.Sessions == 5 && r.Parallel == 1 { // one of twelve
		r.Until = config.Until{Phase: "p0", Later: []string{"p1", "p2", "p3"}}
	}
	if w.chance(15) {
		r.SessionWall = 3600e9
	}
	return r
}

// meddle is an operator who does something out of the blue.
func (w *world) meddle() {
	ev := run.Input{Actor: human, Feature: w.anyFeature(), Reason: "because", Text: "a word", Hash: "x" + strconv.Itoa(w.steps)}
	ev.Kind = []run.InputKind{
		run.PauseAsked, run.PauseAsked, run.StopAsked, run.Continued, run.Said, run.Amended, run.Reopened, run.Skipped,
		run.Barred, run.Accepted, run.Approved, run.Denied, run.Answered, run.LandAsked,
	}[w.rng.IntN(14)]
	switch w.rng.IntN(8) {
	case 0:
		ev.Reason = ""
	case 1:
		ev.Actor = kedge.Agent("ses-1")
	}
	if ev.Kind == run.LandAsked && w.chance(40) {
		ev.Features = []kedge.FeatureID{ev.Feature}
	}
	if ev.Kind == run.LandAsked && w.chance(20) {
		ev.Scope = run.Breaking
	}
	if ev.Kind == run.Continued {
		w.meddleOutside(&ev)
	}
	w.deliver(ev)
}

// hear keeps what people let land.
func (w *world) hear(ev run.Input) {
	if ev.Actor != human {
		return
	}
	w.hearWord(ev)
	switch ev.Kind {
	case run.LandAsked:
		w.letRed = ev.Scope == run.Breaking
		for _, id := range ev.Features {
			delete(w.unseen, id)
		}
	case run.Accepted:
		for i, f := range w.s.Features {
			waits := f.Status == kedge.NeedsReview || f.Waits() && !slices.ContainsFunc(w.s.Jobs, func(j run.Job) bool { return j.Feature == i })
			if f.ID == ev.Feature && waits && ev.Reason != "" {
				delete(w.unseen, f.ID)
			}
		}
	default:
	}
}

func (w *world) anyFeature() kedge.FeatureID {
	return w.specs[w.rng.IntN(len(w.specs))].id
}

// help is an operator who looks at a run that rests, and moves it on; false
// when there is nothing to help.
func (w *world) help() bool {
	ev := run.Input{Actor: human, Reason: "because", Text: "an answer"}
	switch w.s.Status {
	case run.StatusPaused:
		ev.Kind = run.Continued
		w.meddleOutside(&ev)
	case run.StatusOverBudget, run.StatusStopped:
		if w.s.Halt == "" {
			return w.reopen(ev)
		}
		ev.Kind, ev.Rules = run.Continued, w.more()
		w.meddleOutside(&ev)
	case run.StatusWaiting:
		return w.decide(ev)
	default:
		return false
	}
	w.deliver(ev)
	return true
}

// more are rules with twice the money.
func (w *world) more() *config.Rules {
	if w.chance(25) {
		return nil
	}
	r := w.s.Rules
	r.Tokens *= 2
	r.USD *= 2
	r.DayUSD *= 2
	r.Phases = nil
	for _, p := range w.s.Phases {
		r.Phases = append(r.Phases, config.PhaseLimit{ID: p.ID, Tokens: 2 * p.Tokens, USD: 2 * p.USD})
	}
	if r.MaxSessions > 0 {
		r.MaxSessions += 2
	}
	return &r
}

// reopen takes up a feature that did not end well.
func (w *world) reopen(ev run.Input) bool {
	for _, f := range w.s.Features {
		switch f.Status {
		case kedge.BlockedWork:
			ev.Kind = run.Reopened
		case kedge.NeedsReview:
			ev.Kind = []run.InputKind{run.Accepted, run.Denied, run.LandAsked}[w.rng.IntN(3)]
			ev.Features = []kedge.FeatureID{f.ID}
		default:
			continue
		}
		ev.Feature = f.ID
		w.deliver(ev)
		return true
	}
	return false
}

// decide gives the first job that waits for a person what it waits for; with
// none, the plan.
func (w *world) decide(ev run.Input) bool {
	i := slices.IndexFunc(w.s.Jobs, func(j run.Job) bool {
		return j.Phase == run.Stuck || j.Phase == run.Asking || j.Phase == run.Reviewing
	})
	if i < 0 {
		w.plan(ev)
		return true
	}
	j := w.s.Jobs[i]
	if j.Feature >= 0 {
		ev.Feature = w.s.Features[j.Feature].ID
	}
	switch {
	case j.Phase == run.Stuck:
		ev.Kind = run.Continued
	case j.Phase == run.Asking:
		ev.Kind = run.Answered
	case w.chance(60):
		ev.Kind = run.Approved
	default:
		ev.Kind = run.Denied
	}
	w.deliver(ev)
	return true
}

// plan answers the plan's questions, or approves it.
func (w *world) plan(ev run.Input) {
	ev.Kind = run.Answered
	if w.chance(70) {
		ev.Kind, ev.Specs = run.Planned, slices.Clone(w.planned)
		for i := range ev.Specs { // who tells it looks then which work waits
			ev.Specs[i].Status = w.book[ev.Specs[i].ID]
			if work := ev.Specs[i].Work; work != "" && number(work[strings.LastIndexByte(work, ',')+1:]) <= w.users {
				ev.Specs[i].Work = ""
			}
		}
		for _, f := range w.specs {
			if w.planned == nil {
				ev.Specs = append(ev.Specs, run.Spec{ID: f.id, Hash: "h"})
			}
		}
	}
	w.deliver(ev)
}
