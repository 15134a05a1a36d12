package execute

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"kedge"
	"kedge/internal/core/check"
	"kedge/internal/core/review"
	"kedge/internal/core/run"
	"kedge/internal/engine/gate"
	"kedge/internal/git"
	"kedge/internal/insight/testguard"
)

// corners says of a green candidate what its tests and its source show without each other, and
// what it does to tests that were there before. What you approved is not looked at again. The
// candidate is in the clean worktree when it returns.
func (x *Executor) corners(ctx context.Context, c run.Command, clean *git.Repo, whole string, q gate.Request, judged kedge.Evidence, ev run.Input) (run.Input, error) {
	if c.Feature == "" || c.Doubt == run.DoubtLifted || c.Purpose != run.Implement && c.Purpose != run.Repair {
		return ev, nil
	}
	k := corner{x: x, c: c, clean: clean, whole: whole, q: q}
	err := k.look(ctx)
	if err != nil {
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
	unjudged bool // the tests of before could not be run
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
	for _, one := range own {
		if one.Prove == check.ProveHolds || slices.Contains(j.Held, one.Name) {
			k.green = append(k.green, one)
		} else {
			k.own = append(k.own, one)
		}
	}
	k.found = kedge.Corners{Tests: list(k.halves.Tests), Source: list(k.halves.Source)}
	if err := k.oldSource(ctx, len(j.Held) > 0); err != nil {
		return err
	}
	return k.oldTests(ctx)
}

func list(paths []string) []string { return append([]string{}, paths...) }

// oldSource finds out whether the new tests are red without the new source. Demanded says that
// nothing else can show what the work does.
func (k *corner) oldSource(ctx context.Context, demanded bool) error {
	h := k.halves
	k.found.OldSource = kedge.Corner{Verdict: kedge.CornerNotRun, Why: h.OldSource.Same}
	tests := demanded || !slices.ContainsFunc(k.own, notOfTests) // by tests alone it would be green
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
		return k.onlyTests(ctx)
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

// onlyTests is for work that has no source: its tests are green without any, so that they show
// nothing but themselves, unless tests are what was asked for.
func (k *corner) onlyTests(ctx context.Context) error {
	f, err := k.x.cfg.Ledger.Feature(ctx, k.c.Feature, "")
	if err != nil {
		return err
	}
	if k.shown = run.Clean; !review.AsksForTests(f.Definition) {
		k.shown, k.untested = run.Green, "it has only tests, and they are green on the source as it was"
	}
	return nil
}

// notOfTests tells of a check whether tests alone cannot make it green.
func notOfTests(c kedge.Check) bool { return !gate.CanBeTested(c, nil) }

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
	got, err := k.judge(ctx, oldTests, h.OldTests, gate.TestChecks(slices.Concat(k.q.Checks, k.green)))
	k.found.OldTests, k.unjudged = got.Corner, got.Verdict == kedge.CornerNotRun && got.tried
	return err
}

// judged is a corner as it was judged.
type judged struct {
	kedge.Corner
	tried bool // there was something to judge, and a check to do it
	unfit bool // the red check could not do its work there
	wrote bool // files changed while the checks ran
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
		got.Why = "it is the same as the work"
		return got, err
	}
	got.tried = true
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
	red, known := gate.FirstRed(v)
	got.Corner = gate.CornerOf(red, known)
	got.unfit = red != nil && slices.ContainsFunc(checks, func(one kedge.Check) bool { return one.Name == red.Name && gate.Unfit(one, *red) })
	return got, nil
}

// The corners, as their gates are named.
const (
	oldSource = "old-source"
	oldTests  = "old-tests"
)

// endCorners ends the checks of corners, and the set-up, that an earlier owner of the command left
// running: the clean worktree is about to hold another tree. They run again from the beginning.
func (x *Executor) endCorners(ctx context.Context, c run.Command) error {
	errs := []error{x.forget(ctx, x.gateDir(evidenceID(c, setupOf(x.cfg.Slots.CleanDir(c.Run)))))}
	for _, what := range []string{oldSource, oldTests} {
		dir := x.gateDir(evidenceID(c, what))
		if was, err := gate.ReadBegun(dir); err != nil || was.Tree != "" && was.Verdict == nil {
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
	switch r := k.found.OldTests.Check; {
	case k.unjudged:
		return review.Altered(findings, "Kedge could not run the old tests with the new source: "+k.found.OldTests.Why)
	case r != nil:
		return review.Altered(findings, fmt.Sprintf("with the old tests, check %q is red: %s", r.Name, gate.Render(*r.FirstFailure)))
	}
	return review.Altered(findings, "")
}
