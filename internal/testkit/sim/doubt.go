package sim

import "kedge/internal/core/run"

// doubt is what the tests of a job's work leave open, as the world told it last.
type doubt struct {
	work   string // the tree
	open   bool   // somebody has to decide about them
	tested bool   // the work's own tests are red without it
	lifted string // the tree that you approved
}

// shows says what the tests of green work say without its source, and what it does to those that
// were there before.
func (w *world) shows(c run.Command, ev *run.Input, f *feature) {
	if f == nil && ev.Outcome == run.Green && c.Purpose != run.TakeBack && w.chance(30) {
		ev.Altered, w.doubts[c.Job] = "a test expects something else", doubt{work: c.Tree, open: true}
		return
	}
	if f == nil || ev.Outcome != run.Green || c.Purpose != run.Implement && c.Purpose != run.Repair {
		return
	}
	d := w.doubts[c.Job]
	if c.Doubt == run.DoubtLifted {
		if d.lifted != c.Tree {
			w.fail(17, "nobody approved what this work does to tests")
		}
		return
	}
	d.work, d.open, d.tested = c.Tree, false, false
	from := w.repo.trees[w.repo.commits[w.repo.checkout(c.Job).base].tree]
	if w.repo.trees[number(c.Tree)].weak && !from.weak {
		ev.Altered, d.open = "a test was weakened", true
	}
	proved := w.job(c.Job).proved
	switch roll := w.rng.IntN(100); {
	case roll < 70:
		ev.Shown, d.tested = run.Red, true
	case roll < 85 || proved == run.Fails && f.checks == plainChecks:
		ev.Shown = run.Empty
	default:
		ev.Shown = run.Green
	}
	k := w.s.FeatureOf(c.Feature)
	if !d.tested && proved == run.Tests && !(k.Wanted && !k.Denied) {
		d.open = true
	}
	w.doubts[c.Job] = d
}

// hearDoubt keeps what you approved of the tests of a job's work.
func (w *world) hearDoubt(ev run.Input) {
	j := w.s.JobOf(ev.Feature)
	if ev.Actor != human || j == nil || j.Phase != run.Reviewing || ev.Kind != run.Approved && ev.Kind != run.Accepted {
		return
	}
	if d := w.doubts[j.ID]; d.open && (ev.Kind == run.Approved || ev.Reason != "") {
		d.lifted = d.work
		w.doubts[j.ID] = d
	}
}

// settledDoubts holds a commit to invariant 17.
func (w *world) settledDoubts(c run.Command) {
	if d := w.doubts[c.Job]; d.open && d.lifted != d.work && c.Purpose != run.TakeBack {
		w.fail(17, "work is committed whose tests you have to decide about")
	}
}

// proves tells whether what a feature's checks said before the work, and what its tests say
// since, proves it.
func (w *world) proves(job int, proved run.Outcome) bool {
	d := w.doubts[job]
	return proved == run.Fails || proved == run.Tests && (d.tested || d.lifted != "")
}
