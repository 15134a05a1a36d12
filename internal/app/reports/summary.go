package reports

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/core/delta"
	"kedge/internal/core/run"
	"kedge/internal/text/words"
)

// RunSummary is what a run came to, beside where its features stand.
type RunSummary struct {
	Seconds       int64             `json:"seconds"` // from its first step to its last
	Landed        string            `json:"landed"`  // the branch that has the work; empty: it did not land
	FalseClaims   []FalseClaim      `json:"false_claims"`
	Interruptions []Interruption    `json:"interruptions"`
	FullChecks    int               `json:"full_checks"` // of merged work, in the clean worktree
	Slowest       *SlowCheck        `json:"slowest"`     // of these; null where there was none
	SetAside      []kedge.FeatureID `json:"set_aside"`
}

// FalseClaim is a session that said it was done and was not: what showed it.
type FalseClaim struct {
	Feature kedge.FeatureID `json:"feature"`
	By      string          `json:"by"`
	Why     string          `json:"why"`
}

// Interruption is something that a run survived.
type Interruption struct {
	Cause string `json:"cause"`
	Count int    `json:"count"`
}

// SlowCheck is how long the merged work of a feature took to check.
type SlowCheck struct {
	Feature kedge.FeatureID `json:"feature"`
	MS      int64           `json:"ms"`
}

// Summarise reads what a run came to from its steps.
func Summarise(ctx context.Context, p *projects.Project, id kedge.RunID) (RunSummary, error) {
	c := newCount()
	for ev, err := range p.Store.Since(ctx, 0) {
		if err != nil {
			return c.sum, err
		}
		if ev.Type != kedge.RunStepped {
			continue
		}
		var d delta.Stepped
		if err := json.Unmarshal(ev.Data, &d); err != nil {
			return c.sum, kedge.Errorf(kedge.Internal, "cannot read event %d in Kedge's journal of this project: %w", ev.Seq, err).WithHint("see what is wrong: kedge doctor")
		}
		if d.Run == id {
			c.take(d)
		}
	}
	return c.sum, nil
}

// count sums up the steps of a run.
type count struct {
	sum     RunSummary
	began   time.Time
	asked   map[int64]run.Command
	claimed map[kedge.FeatureID]bool   // its last session says that it is done, and nothing said otherwise yet
	altered map[kedge.FeatureID]string // what its work does to existing tests, which is for you to decide about
}

func newCount() *count {
	return &count{
		sum:   RunSummary{FalseClaims: []FalseClaim{}, Interruptions: []Interruption{}, SetAside: []kedge.FeatureID{}},
		asked: map[int64]run.Command{}, claimed: map[kedge.FeatureID]bool{}, altered: map[kedge.FeatureID]string{},
	}
}

func (c *count) take(d delta.Stepped) {
	ev, about := d.Event, c.asked[d.Event.Epoch]
	StepOf(d, c.asked)
	if c.began.IsZero() {
		c.began = ev.At
	}
	c.sum.Seconds = int64(ev.At.Sub(c.began).Seconds())
	if ev.Kind == run.Exited {
		c.claimed[about.Feature] = ev.Outcome == run.Finished
	}
	if cause := interruptions[ev.Outcome]; cause != "" && (ev.Kind == run.Exited || ev.Kind == run.Signalled) {
		c.interrupted(cause)
	}
	if ev.Altered != "" {
		c.altered[about.Feature] = ev.Altered
	}
	if ev.Kind == run.Denied && c.altered[ev.Feature] != "" && c.claimed[ev.Feature] { // only you tell a changed rule from a cheat
		c.claimed[ev.Feature] = false
		c.sum.FalseClaims = append(c.sum.FalseClaims, FalseClaim{Feature: ev.Feature, By: "you", Why: words.FirstLine(c.altered[ev.Feature])})
	}
	if by, why := caught(ev, about); by != "" && c.claimed[about.Feature] {
		c.claimed[about.Feature] = false
		c.sum.FalseClaims = append(c.sum.FalseClaims, FalseClaim{Feature: about.Feature, By: by, Why: why})
	}
	switch {
	case ev.Kind == run.TakenOver:
		c.interrupted("daemon replaced")
	case ev.Kind == run.Integrated && ev.Outcome != run.Conflicting:
		c.checked(about.Feature, ev.At.Sub(about.At))
	case ev.Kind == run.Reverted && ev.Text != "" && about.Feature != "" && !slices.Contains(c.sum.SetAside, about.Feature):
		c.sum.SetAside = append(c.sum.SetAside, about.Feature)
	case ev.Kind == run.Landed && ev.Outcome == run.OK:
		c.sum.Landed = cmp.Or(ev.Text, "your branch")
	}
}

// interruptions are what the end of a session means that is not its own claim.
var interruptions = map[run.Outcome]string{
	run.HitLimit: "provider's limit", run.Killed: "session killed", run.Crashed: "agent crashed", run.Stalled: "agent stalled",
	run.WantHandover: "handed over to a fresh session",
}

func (c *count) interrupted(cause string) {
	i := slices.IndexFunc(c.sum.Interruptions, func(have Interruption) bool { return have.Cause == cause })
	if i < 0 {
		c.sum.Interruptions = append(c.sum.Interruptions, Interruption{Cause: cause, Count: 1})
		return
	}
	c.sum.Interruptions[i].Count++
}

func (c *count) checked(id kedge.FeatureID, took time.Duration) {
	c.sum.FullChecks++
	if ms := took.Milliseconds(); c.sum.Slowest == nil || ms > c.sum.Slowest.MS {
		c.sum.Slowest = &SlowCheck{Feature: id, MS: ms}
	}
}

// caught says what showed that a claim to be done was false, and why; empty where an
// event shows no such thing.
func caught(ev run.Input, about run.Command) (by, why string) {
	failure := words.FirstLine(cmp.Or(ev.Failure, ev.Reason))
	switch {
	case about.Purpose == run.MakePlan || about.Purpose == run.TakeBack:
		return "", ""
	case ev.Kind == run.Gated && about.Tree == "" && ev.Outcome == run.Red:
		return "its checks", failure
	case ev.Kind == run.Inspected && ev.Outcome == run.Empty:
		return "Kedge's check of the changes", "nothing was changed"
	case ev.Kind == run.Inspected && ev.Outcome == run.Forbidden:
		return "Kedge's check of the changes", failure
	case ev.Kind == run.Integrated && ev.Outcome == run.Red:
		return "the checks in a clean checkout", failure
	case ev.Kind == run.Integrated && ev.Outcome == run.Green && ev.Shown == run.Green:
		return "its tests without its source", words.FirstLine(ev.Untested)
	default:
		return "", ""
	}
}
