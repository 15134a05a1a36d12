package sim

import (
	"slices"

	"kedge"
	"kedge/internal/core/run"
)

// completedRed are the completed features that a tree does not have, beside those that
// are known to be red and the command's own.
func (w *world) completedRed(c run.Command, t int) []kedge.FeatureID {
	var out []kedge.FeatureID
	for _, f := range w.s.Features {
		own := f.ID == c.Feature || slices.Contains(c.Features, f.ID)
		if spec := w.featureOf(f.ID); f.Status == kedge.Completed && !own && spec.checks == plainChecks && w.repo.trees[t].done&spec.bit == 0 {
			out = append(out, f.ID)
		}
	}
	return out
}

// brokenBy are the completed features that the tip has and a tree on it has not: what a
// change touches.
func (w *world) brokenBy(c run.Command, t int) []kedge.FeatureID {
	before := w.completedRed(c, w.repo.commits[w.repo.tip].tree)
	return slices.DeleteFunc(w.completedRed(c, t), func(id kedge.FeatureID) bool { return slices.Contains(before, id) })
}

// regressions answers that completed features are red on a base, where they are looked
// at: it may not be their turn.
func (w *world) regressions(c run.Command, ev *run.Input, t int, looks bool) {
	if red := w.completedRed(c, t); looks && len(red) > 0 {
		ev.Outcome, ev.Features, ev.Reason = run.Regressed, red, "a check is red since a commit of others"
	}
}

// holdAgainst holds a merged tree against the completed features that it touches, and
// now and then against others.
func (w *world) holdAgainst(c run.Command, ev *run.Input, t int) {
	tip := w.repo.commits[w.repo.tip].tree
	if broken := w.brokenBy(c, t); len(broken) > 0 {
		ev.Outcome, ev.Features, ev.Failure = run.Red, broken, "it breaks a feature"
		w.seen.Broke++
	}
	if t != tip {
		w.regressions(c, ev, tip, w.chance(40))
	}
}

// hearRed keeps which features the run was told are red again.
func (w *world) hearRed(ev run.Input) {
	c, ok := w.s.Outstanding(ev.Epoch)
	if !ok || c.Kind.Answer() != ev.Kind || ev.Outcome != run.Regressed {
		return
	}
	for _, id := range ev.Features {
		if slices.ContainsFunc(w.s.Features, func(f run.Feature) bool { return f.ID == id && f.Status == kedge.Completed }) {
			w.red[id] = w.repo.tip
			w.seen.Regressed++
		}
	}
}

// checkFixFirst: no work on another feature begins while one that was done is red,
// unless that one needs it.
func (w *world) checkFixFirst(c run.Command) {
	if c.Kind != run.Prepare || c.Purpose != run.Implement || c.Adopts > 0 || len(w.red) == 0 || w.first()[c.Feature] {
		return
	}
	w.fail(13, "work on "+string(c.Feature)+" begins while a feature that was done is red")
}

// first are the features that are red again, and what they need, near or far.
func (w *world) first() map[kedge.FeatureID]bool {
	out := map[kedge.FeatureID]bool{}
	var add func(id kedge.FeatureID)
	add = func(id kedge.FeatureID) {
		if out[id] {
			return
		}
		out[id] = true
		for _, f := range w.s.Features {
			for _, n := range f.Needs {
				if f.ID == id && n >= 0 {
					add(w.s.Features[n].ID)
				}
			}
		}
	}
	for id := range w.red {
		add(id)
	}
	for id, was := range w.redBefore {
		if was {
			add(id)
		}
	}
	return out
}

// meddleOutside is a commit of the user's that takes a feature away, which the run goes
// on from.
func (w *world) meddleOutside(ev *run.Input) {
	if !w.s.Movable() || !w.chance(40) {
		return
	}
	x := w.repo.trees[w.repo.commits[w.repo.tip].tree]
	if bit := w.specs[w.rng.IntN(len(w.specs))].bit; w.chance(30) {
		x.done, x.broken = x.done|bit, false // or makes it, and mends what is broken
	} else {
		x.done &^= bit
	}
	x.junk++
	w.repo.tip = w.repo.commit(commit{tree: w.repo.tree(x), parent: w.repo.tip, ledger: true})
	ev.Commit = commitName(w.repo.tip)
	if !w.s.AllLanded() {
		ev.Head = "c-users"
	} else {
		w.users = w.repo.tip
	}
	w.seen.Outside++
	w.note("the user commits " + ev.Commit)
}
