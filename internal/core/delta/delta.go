// Package delta makes a step of a run small: what happened, and what the step changed in
// the run's state. Diff computes the change from two states; Apply computes the later
// state from the earlier one. If the change does not fit the state, Apply reports that
// the record is damaged.
package delta

import (
	"reflect"
	"slices"

	"kedge"
	"kedge/internal/core/config"
	"kedge/internal/core/run"
)

// Delta is what a step changed. It is small whatever the number of features:
// the lists of a state are kept as their order and what is new in them. Features
// and phases are only ever appended, so theirs is by place.
type Delta struct {
	Head     run.State                `json:"head"`            // the rest of the state; Rules and the lists are left out
	Rules    *config.Rules            `json:"rules,omitempty"` // nil: as before
	Outbox   []int64                  `json:"outbox"`          // epochs
	Issued   []run.Command            `json:"issued,omitempty"`
	Jobs     []int                    `json:"jobs"` // numbers
	Worked   []run.Job                `json:"worked,omitempty"`
	Features []Placed[run.Feature]    `json:"features,omitempty"`
	Phases   []Placed[config.Bounded] `json:"phases,omitempty"`
}

// Placed is one element of a list that only grows.
type Placed[T any] struct {
	At int `json:"at"`
	Is T   `json:"is"`
}

// Diff is what makes a state of the one before it.
func Diff(before, after run.State) Delta {
	d := Delta{Head: after}
	if !reflect.DeepEqual(before.Rules, after.Rules) {
		d.Rules = &after.Rules
	}
	d.Head.Rules = config.Rules{}
	d.Outbox, d.Issued = ordered(before.Outbox, after.Outbox, epochOf)
	d.Jobs, d.Worked = ordered(before.Jobs, after.Jobs, numberOf)
	d.Features = placed(before.Features, after.Features, sameFeature)
	d.Phases = placed(before.Phases, after.Phases, samePhase)
	d.Head = emptied(d.Head)
	return d
}

// emptied leaves of the lists only whether they are there.
func emptied(s run.State) run.State {
	s.Outbox, s.Jobs, s.Features, s.Phases = s.Outbox[:0:0], s.Jobs[:0:0], s.Features[:0:0], s.Phases[:0:0]
	return s
}

// Apply gives the state that Diff saw after, from the one it saw before, which
// stays as it is. It refuses any other that it can tell from it.
func (d Delta) Apply(before run.State) (run.State, error) {
	s := d.Head
	s.Rules = before.Rules
	if d.Rules != nil {
		s.Rules = *d.Rules
	}
	var err error
	if s.Outbox, err = collect(s.Outbox, d.Outbox, before.Outbox, d.Issued, epochOf); err != nil {
		return run.State{}, err
	}
	if s.Jobs, err = collect(s.Jobs, d.Jobs, before.Jobs, d.Worked, numberOf); err != nil {
		return run.State{}, err
	}
	if s.Features, err = Place(append(s.Features, before.Features...), d.Features); err != nil {
		return run.State{}, err
	}
	s.Phases, err = Place(append(s.Phases, before.Phases...), d.Phases)
	return s, err
}

// Place puts elements into a list, each over the one in its place or behind the
// last one. The list that is passed in may be changed.
func Place[T any](list []T, elements []Placed[T]) ([]T, error) {
	for _, e := range elements {
		switch {
		case e.At >= 0 && e.At < len(list):
			list[e.At] = e.Is
		case e.At == len(list):
			list = append(list, e.Is)
		default:
			return nil, mismatch()
		}
	}
	return list, nil
}

// ordered gives the keys of a list, and of its elements those that were not so
// before.
func ordered[T any, K comparable](before, after []T, key func(*T) K) (order []K, changed []T) {
	was := make(map[K]*T, len(before))
	for i := range before {
		was[key(&before[i])] = &before[i]
	}
	order = make([]K, len(after))
	for i := range after {
		order[i] = key(&after[i])
		if old := was[order[i]]; old == nil || !reflect.DeepEqual(*old, after[i]) {
			changed = append(changed, after[i])
		}
	}
	return order, changed
}

// collect is the way back from ordered; it appends to the list.
func collect[T any, K comparable](list []T, order []K, before, changed []T, key func(*T) K) ([]T, error) {
	have := make(map[K]*T, len(before)+len(changed))
	for _, from := range [][]T{before, changed} {
		for i := range from {
			have[key(&from[i])] = &from[i]
		}
	}
	for _, k := range order {
		if have[k] == nil {
			return nil, mismatch()
		}
		list = append(list, *have[k])
	}
	return list, nil
}

func placed[T any](before, after []T, same func(a, b *T) bool) []Placed[T] {
	var out []Placed[T]
	for i := range after {
		if i >= len(before) || !same(&before[i], &after[i]) {
			out = append(out, Placed[T]{At: i, Is: after[i]})
		}
	}
	return out
}

func epochOf(c *run.Command) int64        { return c.Epoch }
func numberOf(j *run.Job) int             { return j.ID }
func samePhase(a, b *config.Bounded) bool { return *a == *b }

// sameFeature is asked of every feature at every step: it must be cheap.
func sameFeature(a, b *run.Feature) bool {
	return a.ID == b.ID && a.Hash == b.Hash && a.Status == b.Status && a.Phase == b.Phase && a.Claim == b.Claim &&
		a.Budget == b.Budget && a.Attempts == b.Attempts && a.Regressions == b.Regressions && a.Sessions == b.Sessions &&
		a.Spent == b.Spent && a.Work == b.Work && a.Let == b.Let && a.Early == b.Early && a.Wanted == b.Wanted && a.Aside == b.Aside && a.Red == b.Red && a.Denied == b.Denied && a.Before == b.Before && slices.Equal(a.Needs, b.Needs)
}

func mismatch() error {
	return kedge.Errorf(kedge.Conflict, "what Kedge stored about a run is damaged: two steps in a row do not fit together").
		WithHint("see what is damaged: kedge doctor")
}

// Stepped is one step of a run as the journal keeps it: what happened, and what
// followed. What was decided is read back, never decided again.
type Stepped struct {
	Run     kedge.RunID `json:"run"`
	N       int64       `json:"n"`       // 1 is the first of the run; no two have the same
	Version int         `json:"version"` // of Step
	Event   run.Input   `json:"event"`
	Delta   Delta       `json:"delta"`
}

// Commands are what the step asked for.
func (s Stepped) Commands() []run.Command { return s.Delta.Issued }
