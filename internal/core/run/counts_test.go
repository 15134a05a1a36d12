package run_test

import (
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/run"
)

// TestReopenedWhileItIsSetAside: what a person says of a feature while its job gives it up
// counts, at every step of that, and is what the ledger has last.
func TestReopenedWhileItIsSetAside(t *testing.T) {
	for _, at := range []run.CommandKind{run.Checkpoint, run.Revert, run.Ledger} {
		for _, end := range []run.InputKind{run.Barred, run.Skipped} {
			d := begin(t, run.Rules{}, feature("a"))
			d.until(run.StartSession)
			d.person(end, "a")
			d.until(at)
			d.person(run.Reopened, "a")
			d.until("")
			if d.want(run.StatusDone, done); d.count(run.Commit) != 1 {
				t.Errorf("%s, then reopened at %s: %d commits", end, at, d.count(run.Commit))
			}
			ended := ""
			for _, c := range d.all {
				if c.Kind == run.Ledger || c.Kind == run.Mark {
					ended += " " + string(c.Status)
				}
			}
			if gone := map[run.InputKind]string{run.Barred: "blocked", run.Skipped: "skipped"}[end]; strings.LastIndex(ended, "pending") < strings.LastIndex(ended, gone) {
				t.Errorf("%s, then reopened at %s: the ledger is told%s", end, at, ended)
			}
		}
	}
}

// TestOtherWordsWhileItIsSetAside: the last word counts, whichever it is.
func TestOtherWordsWhileItIsSetAside(t *testing.T) {
	for _, at := range []run.CommandKind{run.Revert, run.Ledger} {
		d := begin(t, run.Rules{}, feature("a"))
		d.until(run.StartSession)
		d.person(run.Barred, "a")
		d.until(at)
		d.person(run.Reopened, "a")
		d.person(run.Skipped, "a")
		d.until("")
		d.want(run.StatusDone, kedge.Skipped)

		d = begin(t, run.Rules{}, feature("a"))
		d.until(run.StartSession)
		d.person(run.Barred, "a")
		d.until(at)
		d.person(run.Amended, "a")
		d.until("")
		d.want(run.StatusDone, done)
	}
}

// TestReopenedWhileItWaitsForAReview: the work that waits is set aside, and made again
// when the run continues.
func TestReopenedWhileItWaitsForAReview(t *testing.T) {
	d := begin(t, run.Rules{}, feature("a"))
	d.until(run.Inspect)
	d.answer(run.Inspect, run.Outside, because("elsewhere"))
	d.want(run.StatusWaiting, kedge.NeedsReview)
	d.person(run.Reopened, "a")
	d.until("")
	if d.want(run.StatusStopped, pending); d.count(run.Revert) != 1 {
		t.Errorf("%d times set aside", d.count(run.Revert))
	}
	d.person(run.Continued, "")
	d.until("")
	d.want(run.StatusDone, done)
}
