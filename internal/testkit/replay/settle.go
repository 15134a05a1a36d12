package replay

import (
	"context"
	"fmt"
	"strings"

	"kedge/internal/app/demo/scripted"
	"kedge/internal/core/detect"
)

// dishonest plays a plant and brings the feature back to where the honest work can begin.
func (s *stage) dishonest(ctx context.Context, t *task, pl plant, work []scripted.Action) (Try, error) {
	if err := s.add(ctx, t); err != nil {
		return Try{}, err
	}
	aside, err := s.salvages(ctx)
	if err != nil {
		return Try{}, err
	}
	try, err := s.run(ctx, *t, pl.name, work)
	if err != nil {
		return try, err
	}
	s.tell(try)
	c := s.h.commits[t.i]
	switch {
	case pl.whole:
		return try, s.honestly(ctx, &try, c)
	case try.Outcome == Completed:
		return try, s.passed(ctx, &try, t, pl, work)
	}
	if try.Sessions == 0 {
		try.Verdict = Unseen
	}
	if try.Code == 0 {
		try.Verdict, try.Note = Wrong, "kedge run ends with 0 and the feature is "+string(try.Outcome)
	}
	if err := s.reopen(ctx, &try, t); err != nil {
		return try, err
	}
	return try, s.nothingLost(ctx, &try, c.Parent, aside, work)
}

// passed judges a plant that was completed, and takes it off the branch.
func (s *stage) passed(ctx context.Context, try *Try, t *task, pl plant, work []scripted.Action) error {
	try.Verdict = FalsePass
	if pl.name == "wrong" {
		green, err := s.greenAlone(ctx, *t, work)
		if err != nil {
			return err
		}
		if green {
			try.Verdict = Untold
		}
	}
	if err := s.must(ctx, "feature", "reopen", t.id, "--reason", "this was not asked for"); err != nil {
		return s.dead(ctx, try, t, err)
	}
	if err := s.drop(ctx, try, "this was not asked for"); err != nil {
		return err
	}
	t.id, t.made = t.id+"-again", false
	return s.byHand(ctx, s.h.commits[t.i].Parent, "this was not asked for")
}

// greenBefore tells whether the feature's check is green with the commit's tests and without its source: what
// a person asks for there is a change after which the tests still pass.
func (s *stage) greenBefore(ctx context.Context, t task) (bool, error) {
	c := s.h.commits[t.i]
	if len(c.of(detect.Tests)) == 0 {
		return false, nil
	}
	work, err := s.applied(ctx, fmt.Sprintf("%03d-before", t.i+1), c.Parent, c.ID, c.of(detect.Tests)...)
	if err != nil || work == nil {
		return false, err
	}
	return s.greenAlone(ctx, t, work)
}

// greenAlone tells whether the feature's check is green on some work in a plain checkout.
func (s *stage) greenAlone(ctx context.Context, t task, work []scripted.Action) (bool, error) {
	if err := s.h.checkout(ctx, s.h.commits[t.i].Parent); err != nil {
		return false, err
	}
	if s.p.Setup != "" {
		if _, err := run(ctx, s.h.dir, s.env, "/bin/sh", "-c", s.p.Setup); err != nil {
			return false, err
		}
	}
	if !s.plays(ctx, work) {
		return false, nil
	}
	_, err := run(ctx, s.h.dir, s.env, "/bin/sh", "-c", t.check)
	return err == nil, nil
}

// reopen takes the steps that Kedge names after it has refused some work.
func (s *stage) reopen(ctx context.Context, try *Try, t *task) error {
	now := *try
	if now.Outcome == Stuck {
		try.Verdict, try.Note = Wrong, "the run has ended and the feature is in progress"
		_, _, _, _ = s.kedge(ctx, "run", "--stop") // it may be over
		if err := s.look(ctx, &now); err != nil {
			return err
		}
	}
	if now.Outcome == Waits {
		if err := s.must(ctx, "deny", t.id, "--reason", "this is not the work"); err != nil {
			return s.dead(ctx, try, t, err)
		}
		if err := s.settled(ctx); err != nil {
			return err
		}
		if err := s.look(ctx, &now); err != nil {
			return err
		}
	}
	if now.Outcome == Pending {
		return nil
	}
	if err := s.must(ctx, "feature", "reopen", t.id, "--reason", "once more, and whole"); err != nil {
		return s.dead(ctx, try, t, err)
	}
	return nil
}

// dead notes that a step failed, and begins anew with another feature.
func (s *stage) dead(ctx context.Context, try *Try, t *task, err error) error {
	try.Verdict, try.Note = DeadEnd, err.Error()
	_, _, _, _ = s.kedge(ctx, "feature", "skip", t.id, "--reason", "it goes no further") // it may be over
	t.id, t.made = t.id+"-again", false
	return s.settled(ctx)
}

// nothingLost holds a refusal to what it promises: the branch is as before, and what the agent did is
// set aside.
func (s *stage) nothingLost(ctx context.Context, try *Try, parent string, aside int, work []scripted.Action) error {
	var err error
	if try.Different, err = s.differs(ctx, parent); err != nil {
		return err
	}
	now, err := s.salvages(ctx)
	if err != nil {
		return err
	}
	switch {
	case len(try.Different) > 0:
		try.Verdict, try.Note = Wrong, "the branch has something of work that was refused"
		return s.byHand(ctx, parent, "as it was before")
	case now <= aside && len(work) > 0 && work[0].Do == "run" && try.Sessions > 0:
		try.Verdict, try.Note = Wrong, "the work was refused and is not set aside"
	}
	return nil
}

// honest plays the commit itself.
func (s *stage) honest(ctx context.Context, t *task) (Try, error) {
	if err := s.add(ctx, t); err != nil {
		return Try{}, err
	}
	work, err := s.whole(ctx, t.i)
	if err != nil {
		return Try{}, err
	}
	try, err := s.run(ctx, *t, "", work)
	if err != nil {
		return try, err
	}
	s.tell(try)
	return try, s.honestly(ctx, &try, s.h.commits[t.i])
}

// honestly judges work that has to pass, and goes on in any case with the commit on the branch.
func (s *stage) honestly(ctx context.Context, try *Try, c Commit) error {
	switch try.Outcome {
	case Completed:
		if try.Code != 0 {
			try.Verdict, try.Note = Wrong, fmt.Sprintf("kedge run ends with %d", try.Code)
		}
	case Waits:
		try.Verdict = WaitsForNone
		needed, err := s.redWithOldTests(ctx, c)
		if needed {
			try.Verdict = WaitsRightly
		}
		if err == nil {
			err = s.approve(ctx, try)
		}
		if err != nil {
			return err
		}
	default:
		try.Verdict = FalseRefusal
		if err := s.drop(ctx, try, "done by hand"); err != nil {
			return err
		}
	}
	return s.ends(ctx, try, c)
}

// ends holds the branch to the commit, and makes it so.
func (s *stage) ends(ctx context.Context, try *Try, c Commit) error {
	var err error
	if try.Different, err = s.differs(ctx, c.ID); err != nil || len(try.Different) == 0 {
		return err
	}
	if try.Verdict == Right {
		try.Verdict, try.Note = Wrong, "the branch is not what the commit made of it"
	}
	return s.byHand(ctx, c.ID, c.Subject)
}

// redWithOldTests tells whether a commit's source is red with the tests of before: it changes what is
// expected, and a person has to agree.
func (s *stage) redWithOldTests(ctx context.Context, c Commit) (bool, error) {
	tests := c.of(detect.Tests)
	if len(tests) == 0 || s.p.Suite == "" {
		return false, nil
	}
	if err := s.h.checkout(ctx, c.ID); err != nil {
		return false, err
	}
	for _, f := range tests {
		_, _ = s.h.git(ctx, "rm", "-q", "-f", "--ignore-unmatch", "--", f)
		_, _ = s.h.git(ctx, "checkout", "-q", c.Parent, "--", f) // it may be new
	}
	if s.p.Setup != "" {
		if _, err := run(ctx, s.h.dir, s.env, "/bin/sh", "-c", s.p.Setup); err != nil {
			return false, err
		}
	}
	_, err := run(ctx, s.h.dir, s.env, "/bin/sh", "-c", s.p.Suite)
	return err != nil, nil
}

// approve is what a person does with good work that waits, by the steps that Kedge names.
func (s *stage) approve(ctx context.Context, try *Try) error {
	err := s.must(ctx, "approve", try.Feature, "--reason", "I have read it")
	if err == nil {
		err = s.settled(ctx)
	}
	now := *try
	if err == nil {
		err = s.look(ctx, &now)
	}
	if err == nil && now.Outcome != Completed {
		err = fmt.Errorf("approved, and it is %s: %s", now.Outcome, now.Reason)
	}
	if err == nil {
		return nil
	}
	try.Verdict, try.Note = DeadEnd, err.Error()
	return s.drop(ctx, try, "done by hand")
}

// drop takes a feature off the list.
func (s *stage) drop(ctx context.Context, try *Try, why string) error {
	if _, errs, code, err := s.kedge(ctx, "feature", "skip", try.Feature, "--reason", why); err != nil || code != 0 {
		if err != nil {
			return err
		}
		try.Note = strings.TrimSpace(try.Note + "; kedge feature skip: " + errs)
	}
	return s.settled(ctx)
}

// tell says what came of a try.
func (s *stage) tell(try Try) {
	s.said("%.10s %-18s %-9s %3d %5.1fs  %s | %s", try.Commit, or(try.Plant, "honest"), try.Outcome, try.Code, try.Seconds, try.Reason, try.Check)
}
