package kedge

import (
	"strconv"
	"time"
)

// Verdict is what a gate found; its JSON is that of `gate --json`. Partial means
// that a check was skipped, and completes nothing.
type Verdict struct {
	Verdict  Marker        `json:"verdict"`
	Partial  bool          `json:"partial"`
	Flaky    bool          `json:"flaky"`
	Tree     string        `json:"tree"`
	Checks   []CheckResult `json:"checks"`
	Findings []Finding     `json:"findings"`
}

// Green tells whether nothing in the verdict is red.
func (v Verdict) Green() bool { return v.Verdict == ValidationOK }

// FirstRed is the first red check; ran is false if none ran.
func (v Verdict) FirstRed() (red *CheckResult, ran bool) {
	for i := range v.Checks {
		r := v.Checks[i]
		if r.Skipped != "" {
			continue
		}
		if ran = true; r.Red() {
			return &r, true
		}
	}
	return nil, ran
}

// GreenChecks are the names of the checks that ran and were green.
func (v Verdict) GreenChecks() []string {
	var out []string
	for _, r := range v.Checks {
		if r.Skipped == "" && !r.Red() {
			out = append(out, r.Name)
		}
	}
	return out
}

// CheckResult is one check's run. Exit is -1 for a check that was skipped or
// that never ended by itself.
type CheckResult struct {
	Name         string    `json:"name"`
	Kind         CheckKind `json:"kind"`
	Command      string    `json:"command"`
	Selected     []string  `json:"selected"` // which changed path selected it, or which packages
	Skipped      string    `json:"skipped"`  // why it was not run; empty when it was
	Exit         int       `json:"exit"`
	Started      time.Time `json:"started"`
	MS           int64     `json:"ms"`
	Log          string    `json:"log"`
	FirstFailure *Failure  `json:"first_failure"`
	Reused       string    `json:"reused,omitempty"`   // the evidence in which it ran on this very tree; empty: it ran for this verdict
	Evidence     []string  `json:"evidence,omitempty"` // copies of what the check left behind, screenshots for example
	Tests        *int      `json:"tests,omitempty"`    // how many tests ran, as far as the output tells; nil: unknown
}

// Red tells whether the check failed.
func (r CheckResult) Red() bool { return r.FirstFailure != nil }

// Failure is the first failure of a check, and nothing else of its output.
type Failure struct {
	Test    string `json:"test"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	Message string `json:"message"`
}

// Place is where the failure is: file and line, as far as they are known.
func (f Failure) Place() string {
	if f.File == "" || f.Line == 0 {
		return f.File
	}
	return f.File + ":" + strconv.Itoa(f.Line)
}

// Finding is something a gate, a lint or the doctor has to say.
type Finding struct {
	Level Level  `json:"level"`
	What  string `json:"what"`
	Where string `json:"where"`
	Fix   string `json:"fix"`
	Waits bool   `json:"waits,omitempty"` // the work waits for your approval because of it
	Test  bool   `json:"test,omitempty"`  // it is about a test that the work weakened
}

// Level says how bad a finding is: an error makes the result red.
type Level string

// The levels.
const (
	LevelError   Level = "error"
	LevelWarning Level = "warning"
	LevelInfo    Level = "info"
)

// Evidence is a verdict bound to what it was given for. Anchor marks a tree that
// was verified in full, at a person's word or by completing a feature: the work
// of agents is measured from the latest such tree, which no agent can move.
type Evidence struct {
	ID          EvidenceID `json:"id"`
	Feature     FeatureID  `json:"feature,omitempty"`
	For         GateStage  `json:"for,omitempty"` // where on a run's way; empty: a person or an agent asked
	Commit      string     `json:"commit,omitempty"`
	At          time.Time  `json:"at"`
	Environment string     `json:"environment,omitempty"`
	By          Actor      `json:"by,omitempty"` // who asked for it
	Anchor      bool       `json:"anchor,omitempty"`
	Verdict     Verdict    `json:"verdict"`
	Corners     *Corners   `json:"corners,omitempty"` // of work that changes tests or source; nil: not looked at
}

// Corners are what the tests and the source of some work say without each other.
type Corners struct {
	Tests     []string `json:"tests"`      // the changed files that are tests, or belong to them
	Source    []string `json:"source"`     // those that are tested
	OldSource Corner   `json:"old_source"` // the new tests on the source as it was: red shows that they test the work
	OldTests  Corner   `json:"old_tests"`  // the tests as they were on the new source: red shows that they were changed to fit
}

// Corner is the verdict of one of the two.
type Corner struct {
	Verdict string       `json:"verdict"`         // red, green, or not_run
	Why     string       `json:"why,omitempty"`   // why it was not run
	Check   *CheckResult `json:"check,omitempty"` // the first red one
}

// The verdicts of a corner.
const (
	CornerRed    = "red"
	CornerGreen  = "green"
	CornerNotRun = "not_run"
)

// CornerOf is the verdict of a corner by the first check that is red in it; known is false if no
// check could run.
func CornerOf(red *CheckResult, known bool) Corner {
	switch {
	case red != nil:
		return Corner{Verdict: CornerRed, Check: red}
	case known:
		return Corner{Verdict: CornerGreen}
	}
	return Corner{Verdict: CornerNotRun, Why: "no check runs these tests"}
}

// GateStartedData is the payload of GateStarted: what it takes to finish a gate
// after whoever ran it is gone. The environment is not part of it: only the
// holders of its checks have that.
type GateStartedData struct {
	ID      EvidenceID `json:"id"`
	Key     string     `json:"key"` // of the request
	At      time.Time  `json:"at"`
	By      Actor      `json:"by"`
	Dir     string     `json:"dir"`
	Tree    string     `json:"tree"`
	Feature FeatureID  `json:"feature,omitempty"`
	Names   []string   `json:"names,omitempty"`
	All     bool       `json:"all,omitempty"`
	Dropped string     `json:"dropped,omitempty"` // why it has no verdict and will have none
}

// GateDroppedData is the payload of GateDropped: a gate that ended without a
// verdict.
type GateDroppedData struct {
	ID     EvidenceID `json:"id"`
	Key    string     `json:"key"`
	Reason string     `json:"reason"`
}

// GateStage is where on a feature's way through a run a verdict was given.
type GateStage string

// The stages. Only the last two judge the work on the feature.
const (
	StageBaseline  GateStage = "baseline"
	StageProve     GateStage = "prove"
	StageRecheck   GateStage = "recheck"
	StageGate      GateStage = "gate"
	StageIntegrate GateStage = "integrate"
)

// JudgesWork tells whether the evidence is about work on its feature, not about
// what was there before or after it.
func (e Evidence) JudgesWork() bool {
	return e.For == "" || e.For == StageGate || e.For == StageIntegrate
}
