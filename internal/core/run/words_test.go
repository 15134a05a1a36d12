package run_test

import (
	"testing"

	"kedge"
	"kedge/internal/core/config"
	"kedge/internal/core/run"
)

// at brings a run of one feature to where its job has a command outstanding; the job ends without
// its feature where the run set it aside.
var endings = map[string]func(d *drive){
	"a session works":       func(d *drive) { d.until(run.StartSession) },
	"its checks run":        func(d *drive) { d.until(run.Inspect) },
	"it is merged":          func(d *drive) { d.until(run.Integrate) },
	"it waits for you":      func(d *drive) { d.held() },
	"you approved it":       func(d *drive) { d.held(); d.person(run.Approved, "a") },
	"you denied it: revert": func(d *drive) { d.held(); d.person(run.Denied, "a"); d.outstanding(run.Revert) },
	"you denied it: ledger": func(d *drive) {
		d.held()
		d.person(run.Denied, "a")
		d.answer(run.Revert, run.OK)
		d.outstanding(run.Ledger)
	},
	"it gave up: revert":        func(d *drive) { d.broken(); d.outstanding(run.Revert) },
	"it gave up: ledger":        func(d *drive) { d.broken(); d.answer(run.Revert, run.OK); d.outstanding(run.Ledger) },
	"it is to be done: commit":  func(d *drive) { d.until(run.Commit) },
	"it is to be done: record":  func(d *drive) { d.until(run.Note) },
	"it is to be done: ledger":  func(d *drive) { d.until(run.Ledger) },
	"another attempt: revert":   func(d *drive) { d.failed(); d.outstanding(run.Revert) },
	"it is over and was denied": func(d *drive) { d.held(); d.person(run.Denied, "a"); d.until("") },
}

// held has the work wait for a person.
func (d *drive) held() {
	d.Helper()
	d.until(run.Inspect)
	d.answer(run.Inspect, run.Outside, because("other.go"))
	d.want(run.StatusWaiting, kedge.NeedsReview)
}

// broken ends the job because a check cannot run.
func (d *drive) broken() {
	d.Helper()
	d.until(run.Prove)
	d.answer(run.Prove, run.Broken, because("exit 127"))
}

// failed ends an attempt that another one follows.
func (d *drive) failed() {
	d.Helper()
	for range 2 {
		d.until(run.Integrate)
		d.answer(run.Integrate, run.Red)
	}
}

// TestWhatYouSaidLast: wherever the job of a feature is, and however many of its steps are
// outstanding, the feature becomes what a person said last, once: the ledger says so at the end,
// and a reason to do it again is told.
func TestWhatYouSaidLast(t *testing.T) {
	become := map[run.InputKind]kedge.Status{run.Reopened: kedge.Pending, run.Skipped: kedge.Skipped, run.Barred: kedge.BlockedWork}
	for where, reach := range endings {
		for word, status := range become {
			t.Run(where+", "+string(word), func(t *testing.T) {
				d := begin(t, config.Rules{Attempts: 2, Land: "never"}, feature("a"))
				reach(d)
				from := len(d.all)
				d.person(word, "a")
				d.do(run.Input{Kind: run.StopAsked, Actor: kedge.Human("ann")}) // so that it is not begun again
				d.until("")
				if got := d.status("a"); got != status {
					t.Errorf("the feature is %s, want %s", got, status)
				}
				if got := d.inLedger("a"); got != status {
					t.Errorf("the ledger says %s, want %s", got, status)
				}
				tells := 0
				for _, c := range d.all[from:] {
					if c.Kind == run.Tell && c.Scope == run.Wanted && c.Text == "because" {
						tells++
					}
				}
				if want := map[bool]int{true: 1}[word == run.Reopened]; tells != want {
					t.Errorf("the reason is told %d times, want %d", tells, want)
				}
				if len(d.s.Jobs) > 0 {
					t.Errorf("jobs are left: %+v", d.s.Jobs)
				}
			})
		}
	}
}

// inLedger is what the ledger says of a feature after all that the run asked for.
func (d *drive) inLedger(id kedge.FeatureID) kedge.Status {
	status := kedge.Pending
	for _, c := range d.all {
		if c.Feature == id && (c.Kind == run.Mark || c.Kind == run.Ledger) {
			status = c.Status
		}
	}
	return status
}
