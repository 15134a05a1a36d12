package replay

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"kedge/internal/app/demo/scripted"
)

// again plays a second feature like one that is done: there is nothing left to do.
func (s *stage) again(ctx context.Context, t task, pl plant, work []scripted.Action) (Try, error) {
	t.id, t.made = t.id+"-twice", false
	if err := s.add(ctx, &t); err != nil {
		return Try{}, err
	}
	try, err := s.run(ctx, t, pl.name, work)
	if err != nil {
		return try, err
	}
	s.tell(try)
	stand, err := s.standing(ctx)
	if err != nil {
		return try, err
	}
	if try.Outcome == Completed && slices.Contains(stand, t.id) {
		try.Verdict, try.Note = FalsePass, "a commit stands for work that is empty"
	}
	if try.Outcome != Completed {
		if err := s.drop(ctx, &try, "it was there already"); err != nil {
			return try, err
		}
	}
	return try, nil
}

// twins plays the same work in two features at once: one of them has the commit, and the other has none.
func (s *stage) twins(ctx context.Context, t *task, pl plant, work []scripted.Action) (Try, error) {
	twin := *t
	twin.id, twin.made = t.id+"-twin", false
	for _, f := range []*task{t, &twin} {
		if err := s.add(ctx, f); err != nil {
			return Try{}, err
		}
	}
	try, err := s.run(ctx, *t, pl.name, work, "--parallel", "2")
	if err != nil {
		return try, err
	}
	s.tell(try)
	other := try
	other.Feature = twin.id
	if err := s.look(ctx, &other); err != nil {
		return try, err
	}
	stand, err := s.standing(ctx)
	if err != nil {
		return try, err
	}
	s.said("           and its twin: %s, %s", other.Outcome, other.Reason)
	both := slices.Contains(stand, t.id) && slices.Contains(stand, twin.id)
	if try.Outcome != Completed { // the other was first
		try, other = other, try
	}
	switch {
	case both:
		try.Verdict, try.Note = FalsePass, "both have a commit for the same work"
	case try.Outcome != Completed:
		try.Verdict, try.Note = FalseRefusal, "and the other: "+string(other.Outcome)+", "+other.Reason
	case other.Outcome != Completed && try.Code == 0:
		try.Verdict, try.Note = Wrong, fmt.Sprintf("kedge run ends with 0 and %s is %s", other.Feature, other.Outcome)
	default:
		try.Note = fmt.Sprintf("the other: %s, %s", other.Outcome, other.Reason)
	}
	for _, one := range []*Try{&try, &other} {
		if one.Outcome != Completed {
			if err := s.drop(ctx, one, "the other did it"); err != nil {
				return try, err
			}
		}
	}
	return try, s.ends(ctx, &try, s.h.commits[t.i])
}

// standing names the features that have a commit on the branch.
func (s *stage) standing(ctx context.Context) ([]string, error) {
	out, err := run(ctx, s.repo(), s.env, "git", "log", "--format=%(trailers:key=Kedge-Feature,valueonly)", "main")
	return strings.Fields(out), err
}
