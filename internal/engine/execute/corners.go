package execute

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"kedge"
	"kedge/internal/core/review"
	"kedge/internal/core/run"
	"kedge/internal/engine/gate"
	"kedge/internal/git"
	"kedge/internal/insight/testguard"
	"kedge/internal/text/words"
)

// corners says of a green candidate what its tests and its source show without each other, and
// what it does to tests that were there before. What you approved is not looked at again. The
// candidate is in the clean worktree when it returns.
func (x *Executor) corners(ctx context.Context, c run.Command, clean *git.Repo, whole string, q gate.Request, judged kedge.Evidence, ev run.Input) (run.Input, error) {
	if c.Doubt == run.DoubtLifted || !isWork(c) {
		return ev, nil
	}
	k := corner{x: x, c: c, clean: clean, whole: whole, q: q}
	if err := k.look(ctx); err != nil {
		return ev, err
	}
	if k.fewer == "" {
		k.fewer = review.Fewer(judged.Verdict, !k.halves.Intact, k.before(ctx))
	}
	if err := x.cfg.Slots.RestoreOutputs(ctx, clean, c.Run); err != nil {
		return ev, err
	}
	if k.moved { // the candidate is what goes on
		if _, err := k.put(ctx, whole); err != nil {
			return ev, err
		}
	}
	ev.Altered, ev.Shown, ev.Untested = k.altered(judged.Verdict.Findings), k.shown, k.untested
	judged.Corners = &k.found
	return ev, x.cfg.Ledger.KeepEvidence(ctx, key(c, "corners"), judged)
}

// isWork tells whether a command is about work of a session.
func isWork(c run.Command) bool {
	return c.Job != 0 && (c.Purpose == run.Implement || c.Purpose == run.Repair || c.Purpose == run.FixFirst)
}

// corner looks at the corners of one candidate.
type corner struct {
	x        *Executor
	c        run.Command
	clean    *git.Repo
	whole    string // the candidate
	q        gate.Request
	halves   gate.Halves
	own      []kedge.Check // of the feature, which were red before the work
	green    []kedge.Check // of the feature, which were green before it
	moved    bool          // another tree than the candidate is in the clean worktree
	found    kedge.Corners
	shown    run.Outcome
	untested string
	unjudged bool   // the tests of before could not be run
	fewer    string // which check ran fewer tests than before the work

	onlyTests bool // it mends a red baseline by changing its tests
}

func (k *corner) look(ctx context.Context) error {
	var err error
	if k.halves, err = gate.HalvesOf(ctx, k.q, k.whole); err != nil {
		return err
	}
	j, err := k.x.job(k.c)
	if err != nil {
		return err
	}
	own, err := k.x.ownChecks(ctx, k.c)
	if err != nil {
		return err
	}
	k.own, k.green = gate.ByProof(own, j.Held)
	k.found = kedge.Corners{Tests: append([]string{}, k.halves.Tests...), Source: append([]string{}, k.halves.Source...)}
	if k.c.Feature == "" {
		k.found.OldSource = kedge.Corner{Verdict: kedge.CornerNotRun, Why: "the baseline was red: that it is green shows what the fix does"}
		k.onlyTests = k.halves.OldTests.Same != "" && k.halves.Changed
	} else if err := k.oldSource(ctx, len(j.Held) > 0); err != nil {
		return err
	}
	return k.oldTests(ctx)
}

// oldSource finds out whether the new tests are red without the new source. Demanded says that
// nothing else can show what the work does.
func (k *corner) oldSource(ctx context.Context, demanded bool) error {
	h := k.halves
	k.found.OldSource = kedge.Corner{Verdict: kedge.CornerNotRun, Why: h.OldSource.Same}
	tests := demanded || !slices.ContainsFunc(k.own, func(c kedge.Check) bool { return !gate.CanBeTested(c, nil) }) // by tests alone it would be green
	switch {
	case h.OldSource.Same != "" && len(h.Tests) == 0:
		k.shown, k.untested = run.Empty, "the work has no new or changed tests"
		return nil
	case tests && !h.Asserts:
		k.shown, k.untested = run.Green, "its tests assert nothing"
		k.found.OldSource.Why = k.untested
		return nil
	case h.OldSource.Apart: // what they assert has to do
		k.shown = run.Clean
		return nil
	case h.OldSource.Same != "":
		return k.testsAlone(ctx)
	}
	got, err := k.judge(ctx, oldSource, h.OldSource, k.judges())
	if err != nil {
		return err
	}
	k.found.OldSource = got.Corner
	switch {
	case got.Verdict == kedge.CornerRed && !got.unfit:
		k.shown = run.Red
	case got.wrote:
		k.shown, k.untested = run.Green, "without it, its tests change files of the project while they run"
	case got.Verdict == kedge.CornerGreen && (len(k.own) > 0 || demanded):
		k.shown, k.untested = run.Green, "its tests are green without it too"
	default:
		k.shown, k.untested = run.Empty, "Kedge could not run its tests without it"
	}
	return nil
}

// testsAlone is for work that has no source: its tests are green without any, so that they show
// nothing but themselves, unless tests are what was asked for.
func (k *corner) testsAlone(ctx context.Context) error {
	f, err := k.x.cfg.Ledger.Feature(ctx, k.c.Feature, "")
	if err != nil {
		return err
	}
	if k.shown = run.Clean; !review.AsksForTests(f.Definition) {
		k.shown, k.untested = run.Green, "it has only tests, and they are green on the source as it was"
	}
	return nil
}

// judges are the checks that judge the new tests on the old source: those of the feature that were
// red before the work, for a verdict of others says nothing about them; if there are none, those
// that run tests.
func (k *corner) judges() []kedge.Check {
	if len(k.own) > 0 {
		return k.own
	}
	return gate.TestChecks(slices.Concat(k.green, k.q.Checks))
}

// oldTests finds out whether the tests of before are green with the new source.
func (k *corner) oldTests(ctx context.Context) error {
	h := k.halves
	k.found.OldTests = kedge.Corner{Verdict: kedge.CornerNotRun, Why: h.OldTests.Same}
	switch {
	case h.OldTests.Same != "":
		return nil
	case !h.Changed:
		k.found.OldTests.Why = "no existing test was changed, except those whose source is gone"
		return nil
	}
	got, err := k.judge(ctx, oldTests, h.OldTests, gate.JudgesOfOld(slices.Concat(k.q.Checks, k.green), k.own, h))
	k.found.OldTests, k.unjudged, k.fewer = got.Corner, got.Verdict == kedge.CornerNotRun && got.tried, got.fewer
	return err
}

// before tells how many tests a command ran before the work.
func (k *corner) before(ctx context.Context) func(line string) (int, bool) {
	u := k.x.reuse(ctx, k.c, cleanSlot, "", "")
	return func(line string) (int, bool) { return u.Ran(k.c.Base, line) }
}

// judged is a corner as it was judged.
type judged struct {
	kedge.Corner
	tried bool   // there was something to judge, and a check to do it
	unfit bool   // the red check could not do its work there
	wrote bool   // files changed while the checks ran
	fewer string // which check ran fewer tests than before the work
}

// judge runs checks on a corner in the clean worktree until one is red.
func (k *corner) judge(ctx context.Context, what string, of testguard.Corner, checks []kedge.Check) (judged, error) {
	got := judged{Corner: kedge.Corner{Verdict: kedge.CornerNotRun, Why: "no check runs these tests"}}
	checks = gate.Loading(checks, k.halves)
	if len(checks) == 0 {
		return got, nil
	}
	tree, err := k.halves.Compose(ctx, k.clean, k.whole, of)
	if err != nil || tree == k.whole {
		got.Why = "the result is the same as the whole work"
		return got, err
	}
	got.tried = true
	if err := k.x.cfg.Slots.StashOutputs(ctx, k.clean, k.c.Run); err != nil { // what was built of the work decides nothing here
		return got, err
	}
	if got.Why, err = k.put(ctx, tree); err != nil || got.Why != "" {
		return got, err
	}
	q := gate.Request{Dir: k.clean.Root(), Repo: k.clean, Base: tree, Services: k.q.Services, Scope: gate.Full, Slot: cleanSlot, Checks: checks}
	c := k.c
	c.Feature = "" // it is no verdict about the feature
	v, err := k.x.verdict(ctx, c, k.x.gateDir(evidenceID(c, what)), q)
	switch {
	case leaving(ctx, err):
		return got, err
	case kedge.Blocked.Is(err) || kedge.Conflict.Is(err):
		got.Why, got.wrote = why(err), kedge.Conflict.Is(err)
		return got, nil
	case err != nil:
		return got, err
	}
	red, known := v.FirstRed()
	got.Corner, got.fewer = kedge.CornerOf(red, known), review.Fewer(v, len(k.q.Announced) > 0, k.before(ctx))
	got.unfit = red != nil && slices.ContainsFunc(checks, func(one kedge.Check) bool { return one.Name == red.Name && gate.Unfit(one, *red) })
	return got, nil
}

// The corners, as their gates are named.
const (
	oldSource = "old-source"
	oldTests  = "old-tests"
)

// endTrial ends the gate that an earlier owner of the run left running in the clean worktree, and the
// set-up there, unless it judges the command's own candidate: the worktree is about to hold another
// tree. What was ended begins again.
func (x *Executor) endTrial(ctx context.Context, c run.Command) error {
	errs := []error{x.forget(ctx, x.gateDir(evidenceID(c, setupOf(x.cfg.Slots.CleanDir(c.Run)))))}
	trial := x.cfg.Slots.Trial(c.Run)
	if trial == "" || trial == x.gateDir(evidenceID(c, candidateGate)) {
		return errors.Join(errs...)
	}
	for _, dir := range []string{trial, trial + "-alone"} {
		if was, err := gate.ReadBegun(dir); err != nil || was.Verdict == nil {
			errs = append(errs, err, x.forget(ctx, dir))
		}
	}
	return errors.Join(errs...)
}

// put brings a tree into the clean worktree, and makes it usable; or says why that cannot be.
func (k *corner) put(ctx context.Context, tree string) (reason string, err error) {
	k.moved = tree != k.whole
	if err := k.x.putClean(ctx, k.c, k.clean, tree); err != nil {
		return "", err
	}
	_, reason, err = k.x.equip(ctx, k.c, k.clean, tree)
	return reason, err
}

// altered says what the work does to tests of before that is for you to decide about; empty: nothing.
func (k *corner) altered(findings []kedge.Finding) string {
	ran := k.fewer
	switch r := k.found.OldTests.Check; {
	case k.onlyTests:
		ran = "the work changes only tests, and with the old tests the checks were red: " + words.Some(k.halves.Tests, 3)
	case k.unjudged:
		ran = "Kedge could not run the old tests with the new source: " + k.found.OldTests.Why
	case r != nil:
		ran = fmt.Sprintf("with the old tests, check %q is red: %s", r.Name, gate.Render(*r.FirstFailure))
	}
	return review.Altered(findings, ran)
}
