package run

import (
	"slices"
	"time"

	"kedge"
	"kedge/internal/core/config"
)

// Version is that of Step. A state written by a newer Step is left alone.
const Version = 1

// State is everything a run has to remember. It is stored after every event;
// what is outstanding is in its Outbox, so that after a crash the state alone
// says what to do again.
type State struct {
	Version  int          `json:"version"`
	Run      kedge.RunID  `json:"run"`
	Status   Status       `json:"status"` // derived at the end of every step
	Reason   string       `json:"reason"`
	Halt     Halt         `json:"halt,omitempty"`
	Why      string       `json:"why,omitempty"`       // of the halt
	HaltedAt time.Time    `json:"halted_at,omitzero"`  // when the halt began; zero: unknown
	HaltedBy kedge.Actor  `json:"halted_by,omitempty"` // who asked for the halt; empty: Kedge itself
	Goal     string       `json:"goal,omitempty"`      // a plan is wanted first
	Rules    config.Rules `json:"rules"`

	Epoch    int64            `json:"epoch"` // of the newest command
	Outbox   []Command        `json:"outbox"`
	LastJob  int              `json:"last_job"`
	Jobs     []Job            `json:"jobs"`
	Features []Feature        `json:"features"`
	Phases   []config.Bounded `json:"phases,omitempty"`
	Barred   []int            `json:"barred,omitempty"` // features blocked by the environment; continuing reopens them

	Tip         string `json:"tip"`                // newest commit of the integration branch
	Verified    string `json:"verified,omitempty"` // the commit that may land: seen green in full, or the user's own
	Landed      string `json:"landed,omitempty"`   // the tip when it was last landed, or refused
	LandRefusal string `json:"lander,omitempty"`   // why it was refused

	LandAt   string           `json:"land_at,omitempty"`   // the commit of your branch, or the tip, on which checks refuse it: there they would again
	LandNext []kedge.NextStep `json:"land_next,omitempty"` // what you do about the refusal; none: kedge land itself
	Outcome  string           `json:"outcome,omitempty"`   // the reason without the refusal

	LandBy    kedge.Actor `json:"land_by,omitempty"`    // the person who asked for landing; empty: it lands by itself
	LandScope string      `json:"land_scope,omitempty"` // Breaking: they want it though it breaks features

	Green Seen `json:"green,omitzero"` // the newest full green verdict
	Red   Seen `json:"red,omitzero"`   // the red baseline that is to be fixed first
	Doubt Seen `json:"doubt,omitzero"` // a baseline that was red once and then green, unchanged

	Causes []Cause `json:"causes,omitempty"` // why features that were done are red again, as far as it is known

	Sessions  int         `json:"sessions"`
	Planners  int         `json:"planners,omitempty"`  // of them, those that planned
	Menders   int         `json:"menders,omitempty"`   // and those that were to make a red baseline green
	Unmetered int         `json:"unmetered,omitempty"` // sessions that never said what they used
	Spent     kedge.Spend `json:"spent"`
	Day       Day         `json:"day,omitzero"`
}

// Seen is a verdict on a tree in an environment.
type Seen struct {
	Tree        string  `json:"tree"`
	Environment string  `json:"environment,omitempty"`
	Outcome     Outcome `json:"outcome"`
	Failure     string  `json:"failure,omitempty"`
	Whole       bool    `json:"whole,omitempty"` // in the clean worktree, of all checks
}

func (v Seen) covers(tree, environment string) bool {
	return v.Tree != "" && v.Tree == tree && v.Environment == environment
}

// Day is what one calendar day cost. Days only go forward, whatever the clock
// does.
type Day struct {
	Date string  `json:"date"`
	USD  float64 `json:"usd"`
}

// JobKind says what a job is for.
type JobKind string

// The kinds of job.
const (
	Build   JobKind = "build"   // take one feature to done
	Confirm JobKind = "confirm" // show that a feature is done already
	Fix     JobKind = "fix"     // make a red baseline green
	Plan    JobKind = "plan"    // write a plan; read-only
	Verify  JobKind = "verify"  // see whether a tip that no gate saw may land
	Undo    JobKind = "undo"    // take work back that a person refused
	Accept  JobKind = "accept"  // write down that a person accepted work
)

// Job is one piece of work on its way. Counters are those of the attempt,
// unless they say otherwise.
type Job struct {
	ID      int     `json:"id"`
	Kind    JobKind `json:"kind"`
	Phase   Phase   `json:"phase"`
	Then    Phase   `json:"then,omitempty"`   // where Saving, Ending and Reverting lead
	Resume  Phase   `json:"resume,omitempty"` // where Ready leads
	Feature int     `json:"feature"`          // place in State.Features; -1: none
	Hash    string  `json:"hash,omitempty"`   // the definition it works on

	Attempt   int `json:"attempt"`             // of the job, counted or not
	Repairs   int `json:"repairs,omitempty"`   // one at most
	Crashes   int `json:"crashes,omitempty"`   //
	Kills     int `json:"kills,omitempty"`     // of its sessions, by something else
	Sessions  int `json:"sessions,omitempty"`  //
	Reruns    int `json:"reruns,omitempty"`    // one at most
	Conflicts int `json:"conflicts,omitempty"` // of the job
	Waits     int `json:"waits,omitempty"`     // of the job

	Base        string            `json:"base,omitempty"`
	BaseTree    string            `json:"base_tree,omitempty"`
	Environment string            `json:"environment,omitempty"`
	Proof       Outcome           `json:"proof,omitempty"`
	Seen        Seen              `json:"seen,omitzero"`   // last verdict in this attempt
	Tree        string            `json:"tree,omitempty"`  // what passed the gate in the worktree
	Carry       string            `json:"carry,omitempty"` // work that moves to a new base
	Merged      string            `json:"merged,omitempty"`
	Onto        string            `json:"onto,omitempty"` // the tip that Merged was made for
	Commit      string            `json:"commit,omitempty"`
	Evidence    kedge.EvidenceID  `json:"evidence,omitempty"`
	Undoes      string            `json:"undoes,omitempty"` // the commits whose work is taken back
	Flaky       bool              `json:"flaky,omitempty"`
	Failure     string            `json:"failure,omitempty"`
	Regressed   []kedge.FeatureID `json:"regressed,omitempty"` // of an old journal: red since its work

	End      kedge.Status    `json:"end,omitempty"` // what the ledger will say; empty: another attempt
	Reason   string          `json:"reason,omitempty"`
	Question string          `json:"question,omitempty"`
	Asked    int64           `json:"asked,omitempty"` // the place of the session's last question
	Until    time.Time       `json:"until,omitzero"`
	Route    string          `json:"route,omitempty"`
	Turn     int64           `json:"turn,omitempty"` // epoch of the turn that runs
	Session  kedge.SessionID `json:"session,omitempty"`
	Used     *kedge.Spend    `json:"used,omitempty"`    // by the session; nil: unknown
	Talk     kedge.Talk      `json:"talk,omitzero"`     // of the last session
	Resumed  bool            `json:"resumed,omitempty"` // the session goes on with the conversation of the one before
	Fresh    string          `json:"fresh,omitempty"`   // why no session of the attempt goes on with one any more
	Wide     bool            `json:"wide,omitempty"`    // you approved what the work has beyond its feature
	Doubt    Doubt           `json:"doubt,omitempty"`   // about the tests of the work
	Beyond   string          `json:"beyond,omitempty"`  // what the work has beyond its feature, while its tests are judged before you are asked
	Away     bool            `json:"away,omitempty"`    // it has no worktree: it gave it up, or needs none yet
	Notice   Notice          `json:"notice,omitzero"`   // the last of the living session
	Word     Word            `json:"word,omitzero"`     // the last one about its feature since its work is being committed
}

// Word is what a person said of a feature: heard when its job is over.
type Word struct {
	Kind   InputKind   `json:"kind"`
	Reason string      `json:"reason,omitempty"`
	Scope  string      `json:"scope,omitempty"`
	Actor  kedge.Actor `json:"actor,omitempty"`
}

// purpose is what the job's next session is for.
func (j *Job) purpose() Purpose {
	switch {
	case j.Kind == Plan:
		return MakePlan
	case j.Kind == Verify:
		return CheckTip
	case j.Kind == Undo:
		return TakeBack
	case j.Kind == Accept:
		return TakeOn
	case j.Repairs > 0:
		return Repair
	case j.Kind == Fix:
		return FixFirst
	default:
		return Implement
	}
}

// clone copies everything that a step may change.
func (s State) clone() State {
	s.Outbox = slices.Clone(s.Outbox)
	s.Jobs = slices.Clone(s.Jobs)
	s.Features = slices.Clone(s.Features)
	s.Phases = slices.Clone(s.Phases)
	s.Barred = slices.Clone(s.Barred)
	s.Causes = slices.Clone(s.Causes)
	return s
}

// Outstanding gives the command with the epoch, if it is still unanswered.
func (s *State) Outstanding(epoch int64) (Command, bool) {
	for _, c := range s.Outbox {
		if c.Epoch == epoch {
			return c, true
		}
	}
	return Command{}, false
}

// awaits tells whether the job has an unanswered command of the kind.
func (s *State) awaits(job int, kind CommandKind) bool {
	return slices.ContainsFunc(s.Outbox, func(c Command) bool { return c.Job == job && c.Kind == kind })
}

// Live tells whether the job has a session.
func (s *State) Live(job int) bool { return s.awaits(job, StartSession) }

// Movable tells whether the tip may become another commit: no job is on its way
// onto it.
func (s *State) Movable() bool {
	return !s.has(func(j *Job) bool { return j.Phase.OnTrunk() || j.Commit != "" })
}

// Verifying tells whether a tip is looked at before it lands.
func (s *State) Verifying() bool {
	return s.has(func(j *Job) bool { return j.Kind == Verify && (!j.Phase.Parked() || j.waitsForBaseline()) })
}

// Ended tells whether the run is over until a person continues it.
func (s *State) Ended() bool {
	over := s.Status == StatusDone || s.Status == StatusStopped || s.Status == StatusOverBudget
	return over && !s.has(func(j *Job) bool { return !j.Phase.Parked() || s.Live(j.ID) })
}

// Over tells whether the run came to its end by itself: nothing of it goes on
// unless a person begins another.
func (s *State) Over() bool { return s.Ended() && s.Halt == "" }

// AllLanded tells whether everything that the run made is on the branch that it lands on.
func (s *State) AllLanded() bool { return s.Landed == s.Tip && s.LandRefusal == "" }

// refuseLanding keeps why the tip did not land, and what you do about it; an empty why
// is that it did.
func (s *State) refuseLanding(why string, next ...kedge.NextStep) {
	s.LandRefusal, s.LandNext, s.LandAt = why, next, ""
}

// Resting tells whether the run does nothing more until you act. A run that waits for a
// provider's limit continues by itself.
func (s *State) Resting() bool {
	if s.Status == StatusRunning || s.Status == StatusPlanning || s.Status == StatusQuota {
		return false
	}
	held := func(j *Job) bool { return s.Halt == Paused && j.Phase == Working && s.Live(j.ID) }
	if s.has(func(j *Job) bool { return !j.Phase.Parked() && j.Phase != Idle && !held(j) }) {
		return false
	}
	return !slices.ContainsFunc(s.Outbox, func(c Command) bool {
		return c.Kind == Land || c.Kind == Mark || c.Kind == Notify // a run that is over is cleared up with that
	})
}

// JobOf is the job on a feature; nil when none has it.
func (s *State) JobOf(id kedge.FeatureID) *Job {
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.Feature >= 0 && j.Feature < len(s.Features) && s.Features[j.Feature].ID == id {
			return j
		}
	}
	return nil
}

// FeatureOf is a feature of the run; nil when the run does not have it.
func (s *State) FeatureOf(id kedge.FeatureID) *Feature {
	if i := s.place(id); i >= 0 {
		return &s.Features[i]
	}
	return nil
}

// rests tells whether the run does nothing until a person says something.
func (s *State) rests() bool {
	return s.busy() == 0 && !s.Planning() && !s.awaits(0, Land) && !s.has(func(j *Job) bool { return j.Phase == Limited })
}

// Planning tells whether the run has a goal and no plan that was approved: what it
// knows of features is what work of them it stands on.
func (s *State) Planning() bool {
	return s.Goal != "" && !slices.ContainsFunc(s.Features, func(f Feature) bool { return !f.Early })
}

// Waits tells whether work on a feature is on the integration branch although nobody
// accepted it, and nobody lets it land before that.
func (f *Feature) Waits() bool {
	return f.Work != "" && f.Let == "" && f.Status != kedge.Completed
}

// Unaccepted are the features whose work is on the integration branch although
// nobody accepted it, and which nobody lets land before that.
func (s *State) Unaccepted() []kedge.FeatureID {
	var out []kedge.FeatureID
	for i := range s.Features {
		if f := &s.Features[i]; f.Waits() {
			out = append(out, f.ID)
		}
	}
	return out
}

// Broken are the features that were done and, with the work on the integration
// branch, are red again.
func (s *State) Broken() []kedge.FeatureID {
	var out []kedge.FeatureID
	for i := range s.Features {
		if f := &s.Features[i]; f.Status == kedge.Regressed || f.Red && !f.Status.Over() {
			out = append(out, f.ID)
		}
	}
	return out
}

// OverBudget says which budget of the run, the day or the job's phase of the
// plan is spent; empty when none is.
func (s *State) OverBudget(j *Job) string {
	r := s.Rules
	switch {
	case s.Spent.Reaches(r.Tokens, r.USD):
		return "the budget of the run is spent"
	case r.DayUSD > 0 && s.Day.USD >= r.DayUSD:
		return "the budget of the day is spent"
	case j.Feature >= 0:
		if p := s.Phases[s.Features[j.Feature].Phase]; p.Over() {
			return "the budget of phase " + quote(p.ID) + " is spent"
		}
	}
	return ""
}

// FeatureOverBudget tells whether the job's feature has cost what it may.
func (s *State) FeatureOverBudget(j *Job) bool {
	if j.Feature < 0 {
		return false
	}
	f := s.Features[j.Feature]
	b := s.Rules.Budget(f.Budget)
	return f.Spent.Reaches(b.Tokens, b.USD)
}

func (s *State) place(id kedge.FeatureID) int {
	return slices.IndexFunc(s.Features, func(f Feature) bool { return f.ID == id })
}

func (s *State) busy() int {
	return s.count(func(j *Job) bool { return !j.Phase.Parked() && j.Phase != Done || s.awaits(j.ID, Park) })
}

// moving counts the jobs that go on without you, those that wait for their turn among them.
func (s *State) moving() int {
	return s.count(func(j *Job) bool {
		return j.Kind != Accept && (!j.Phase.Parked() && j.Phase != Done || j.Phase == Ready)
	})
}

func (s *State) has(match func(j *Job) bool) bool { return s.count(match) > 0 }

func (s *State) count(match func(j *Job) bool) int {
	n := 0
	for i := range s.Jobs {
		if match(&s.Jobs[i]) {
			n++
		}
	}
	return n
}
