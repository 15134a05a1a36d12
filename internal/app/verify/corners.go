package verify

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"kedge"
	"kedge/internal/app/maintenance"
	"kedge/internal/app/projects"
	"kedge/internal/core/config"
	"kedge/internal/core/review"
	"kedge/internal/engine/gate"
	"kedge/internal/git"
	"kedge/internal/git/slot"
	"kedge/internal/insight/testguard"
	"kedge/internal/journal"
	"kedge/internal/process"
	"kedge/internal/process/sandbox"
)

// The corners, as the folders of their logs are named.
const (
	oldSource = "old-source"
	oldTests  = "old-tests"
)

// corners looks at the tests and the source of submitted work without each other, as a run does, in
// a fresh worktree that is gone afterwards. The evidence gets what they say. What of it is for you
// to decide is the answer; empty: nothing. Red is the check that is red without the source.
func (s *Verifier) corners(ctx context.Context, p *projects.Project, who projects.Caller, j judgement, ev *kedge.Evidence) (waits, red string, err error) {
	if j.base.repo == nil || j.base.rev == "" || j.base.head == "" || p.RunSession != nil || !ev.Verdict.Green() || ev.Verdict.Partial {
		return "", "", nil
	}
	q, err := s.gateRequest(ctx, p, who, j)
	if err != nil {
		return "", "", err
	}
	cfg, err := rulesFor(p, who, j.base).Config(ctx, projects.UserFile(q.Env))
	if err != nil {
		return "", "", err
	}
	k := corner{s: s, p: p, j: j, q: q, cfg: cfg, whole: ev.Verdict.Tree}
	if k.h, err = gate.HalvesOf(ctx, q, k.whole); err != nil {
		return "", "", err
	}
	k.red, k.green = gate.ByProof(j.own, nil)
	defer k.leave()
	found := kedge.Corners{Tests: append([]string{}, k.h.Tests...), Source: append([]string{}, k.h.Source...)}
	found.OldSource, err = k.judge(ctx, oldSource, k.h.OldSource, k.judges())
	if err != nil {
		return "", "", err
	}
	found.OldTests = kedge.Corner{Verdict: kedge.CornerNotRun, Why: "no existing test was changed, except those whose source is gone"}
	if k.h.Changed {
		k.ran = false
		found.OldTests, err = k.judge(ctx, oldTests, k.h.OldTests, gate.JudgesOfOld(slices.Concat(q.Checks, k.green), k.red, k.h))
	}
	if err == nil {
		err = k.count(ctx, ev.Verdict)
	}
	ev.Corners = &found
	if r := found.OldSource.Check; r != nil {
		red = r.Name
	}
	return k.waits(found), red, err
}

// corner looks at the corners of one tree.
type corner struct {
	s     *Verifier
	p     *projects.Project
	j     judgement
	q     gate.Request
	cfg   config.Config
	h     gate.Halves
	whole string
	red   []kedge.Check // of the feature, which were red before the work
	green []kedge.Check // of the feature, which were green before it
	fewer string        // which check ran fewer tests than on the base
	ran   bool          // a corner was there to be judged, and a check to do it

	tree *git.Repo // the fresh worktree; nil: none was needed yet
	gone func()    // removes it
}

// judges are the feature's checks that need not be green before the work; if there are none, those
// that run tests.
func (k *corner) judges() []kedge.Check {
	if len(k.red) > 0 {
		return k.red
	}
	return gate.TestChecks(slices.Concat(k.green, k.q.Checks))
}

// count compares how many tests ran with how many ran on the base.
func (k *corner) count(ctx context.Context, v kedge.Verdict) error {
	evidence, err := projects.All[kedge.Evidence](ctx, k.p, journal.KindEvidence)
	if err != nil {
		return err
	}
	ran := map[string]int{}
	for _, ev := range evidence {
		for _, r := range ev.Verdict.Checks {
			if ev.Verdict.Tree == k.j.base.rev && r.Tests != nil {
				ran[r.Command] = *r.Tests
			}
		}
	}
	k.fewer = review.Fewer(v, !k.h.Intact, func(line string) (int, bool) {
		n, known := ran[line]
		return n, known
	})
	return nil
}

// waits says what of the corners is for you to decide.
func (k *corner) waits(found kedge.Corners) string {
	shows := ""
	if found.OldSource.Verdict == kedge.CornerGreen {
		shows = "its tests are green without its source too"
	}
	altered := ""
	if k.fewer != "" {
		altered = review.Altered(nil, k.fewer)
	}
	switch r := found.OldTests.Check; {
	case r != nil && r.FirstFailure != nil:
		altered = review.Altered(nil, fmt.Sprintf("with the old tests, check %q is red: %s", r.Name, gate.Render(*r.FirstFailure)))
	case k.ran && k.h.Changed && k.h.OldTests.Same == "" && found.OldTests.Verdict == kedge.CornerNotRun:
		altered = review.Altered(nil, "Kedge could not run the old tests with the new source: "+found.OldTests.Why)
	}
	if altered != "" && shows != "" {
		return altered + "; " + shows
	}
	return altered + shows
}

// judge runs checks on a corner.
func (k *corner) judge(ctx context.Context, what string, of testguard.Corner, checks []kedge.Check) (kedge.Corner, error) {
	not := func(why string) kedge.Corner { return kedge.Corner{Verdict: kedge.CornerNotRun, Why: why} }
	if of.Same != "" {
		return not(of.Same), nil
	}
	if checks = gate.Loading(checks, k.h); len(checks) == 0 {
		return not("no check runs these tests"), nil
	}
	tree, err := k.h.Compose(ctx, k.j.base.repo, k.whole, of)
	if err != nil || tree == k.whole {
		return not("it is the same as the work"), err
	}
	why, err := k.put(ctx, tree)
	if err != nil || why != "" {
		k.ran = true
		return not(why), err
	}
	q := gate.Request{
		Dir: k.tree.Root(), Repo: k.tree, Base: tree, Services: k.q.Services, Scope: gate.Full, Slot: "submit", Checks: checks, Env: k.q.Env,
		LockDir: k.q.LockDir, LogDir: filepath.Join(k.logs(), what), Now: k.q.Now, Runner: k.s.lines(),
	}
	if q.Box, err = k.box(); err != nil {
		return not(""), err
	}
	v, err := gate.Run(ctx, q)
	if kedge.Blocked.Is(err) || kedge.Conflict.Is(err) {
		k.ran = true
		return not(gate.Why(err)), nil
	}
	if err != nil {
		return not(""), err
	}
	red, known := v.FirstRed()
	if red != nil && slices.ContainsFunc(checks, func(c kedge.Check) bool { return c.Name == red.Name && gate.Unfit(c, *red) }) {
		k.ran = true
		return not("check " + fmt.Sprintf("%q", red.Name) + " could not do its work there"), nil
	}
	return kedge.CornerOf(red, known), gate.Forget(context.WithoutCancel(ctx), q.LogDir)
}

func (k *corner) logs() string {
	return maintenance.TrialLogs(maintenance.TrialDir(k.s.home, k.j.base.repo.CommonDir()))
}

// put brings a tree into the fresh worktree, without what git ignores there, and makes it usable; or
// says why that cannot be.
func (k *corner) put(ctx context.Context, tree string) (string, error) {
	k.leave() // what was built of another tree decides nothing here
	repo, home := k.j.base.repo, k.s.home
	release, err := k.s.life.Alone(ctx, "trial in "+repo.CommonDir())
	if err != nil {
		return "", err
	}
	k.gone = release
	if err := maintenance.ClearTrials(ctx, home, repo, repo.CommonDir()); err != nil {
		return gate.Why(err), nil
	}
	slots := maintenance.TrialSlots(home, repo)
	r, w, err := slots.ForSession(ctx, slot.SessionRequest{
		Session: kedge.SessionID(kedge.NewID("ses", home.Now())), Name: "submit-trial", At: home.Now(), Logs: k.logs(),
		Port: func([]int) (int, error) { return 0, nil }, // the gate finds its own
	})
	if kedge.Blocked.Is(err) || kedge.Conflict.Is(err) {
		return "Kedge could not make a worktree: " + gate.Why(err), nil
	}
	if err != nil {
		return "", err
	}
	k.tree, k.gone = w, func() {
		if err := slots.Undo(context.WithoutCancel(ctx), r); err != nil {
			home.Log.Warn("cannot remove the worktree in which Kedge checked a feature", "path", r.Path, "error", err.Error())
		}
		if err := maintenance.ClearTrials(context.WithoutCancel(ctx), home, repo, repo.CommonDir()); err != nil {
			home.Log.Warn("cannot remove the files that the check of a feature left behind", "path", r.Path, "error", err.Error())
		}
		release()
	}
	now, err := w.Tree(ctx)
	if err != nil {
		return "", err
	}
	if err := repo.PutTree(ctx, git.PutRequest{Dir: w.Root(), Tree: tree, Expect: []string{now}}); err != nil {
		return "", err
	}
	return k.equip(ctx, tree)
}

// equip makes the fresh worktree usable, as for runs.
func (k *corner) equip(ctx context.Context, tree string) (string, error) {
	var err error
	line := gate.SetupLine{Dir: k.tree.Root(), Logs: filepath.Join(k.logs(), "setup"), Env: k.q.Env, Runner: k.s.lines()}
	if line.Box, err = k.box(); err != nil {
		return "", err
	}
	_, reason, err := gate.Equip(ctx, gate.Equipment{
		Checkout: k.p.Dir, Tree: k.tree, Whole: tree, Rules: k.cfg.Worktree,
		Run: func(ctx context.Context, text string) (process.Result, string, error) { return line.Run(ctx, text) },
	})
	return reason, err
}

// box is what confines the checks there.
func (k *corner) box() (sandbox.Box, error) {
	if !k.cfg.Sandbox.Asked() {
		return sandbox.Box{}, nil
	}
	return sandbox.New(k.cfg.Sandbox, sandbox.Place{
		Dir: k.tree.Root(), Home: k.s.home.Dir, Sockets: k.s.with.Sockets, Env: k.q.Env, Kedge: k.s.with.Program,
		Common: k.tree.CommonDir(), GitDir: k.tree.GitDir(),
	})
}

// leave removes the fresh worktree.
func (k *corner) leave() {
	if k.gone != nil {
		k.gone()
	}
	k.tree, k.gone = nil, nil
}
