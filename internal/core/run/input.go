package run

import (
	"slices"
	"time"

	"kedge"
	"kedge/internal/core/config"
)

// InputKind names what happened.
type InputKind string

// What a command answers. Each answers the command that carries its epoch.
const (
	Prepared     InputKind = "prepared"
	Gated        InputKind = "gated"
	Proved       InputKind = "proved"
	Briefed      InputKind = "briefed"
	Exited       InputKind = "exited" // answers StartSession: the session is over
	TurnEnded    InputKind = "turn_ended"
	Ended        InputKind = "ended" // answers EndSession: it was asked, or was gone
	Told         InputKind = "told"
	Checkpointed InputKind = "checkpointed"
	Parked       InputKind = "parked"
	Inspected    InputKind = "inspected"
	Integrated   InputKind = "integrated"
	Committed    InputKind = "committed"
	Rechecked    InputKind = "rechecked" // in old journals only
	Noted        InputKind = "noted"
	Marked       InputKind = "marked"
	Ledgered     InputKind = "ledgered"
	Reverted     InputKind = "reverted"
	Landed       InputKind = "landed"
	Fired        InputKind = "fired"
	Notified     InputKind = "notified"
)

// What a living session does. Each carries the epoch of its StartSession.
const (
	Used      InputKind = "used"      // Usage is the session's total so far
	Signalled InputKind = "signalled" // Outcome: WantCheckpoint, WantHandover, Stalled, Asked, Noticed
)

// What people and the engine want.
const (
	Begun      InputKind = "begun" // the first event of a run
	TakenOver  InputKind = "taken_over"
	PauseAsked InputKind = "pause_asked"
	StopAsked  InputKind = "stop_asked"
	Continued  InputKind = "continued"
	LandAsked  InputKind = "land_asked"
	Said       InputKind = "said" // a person tells a session something
	Answered   InputKind = "answered"
	Approved   InputKind = "approved"
	Denied     InputKind = "denied"
	Planned    InputKind = "planned" // features were added, or a plan was approved
	Amended    InputKind = "amended"
	Accepted   InputKind = "accepted"
	Reopened   InputKind = "reopened"
	Skipped    InputKind = "skipped"
	Barred     InputKind = "barred" // blocked by a person
)

// Outcome says how what happened went.
type Outcome string

// The outcomes. OK answers everything that can only succeed.
const (
	OK Outcome = "ok"

	Green       Outcome = "green"
	Red         Outcome = "red"          // inspected: a plan that has faults, in Failure
	Partial     Outcome = "partial"      // a check was skipped
	Empty       Outcome = "empty"        // there is no check; or: there is no diff
	Void        Outcome = "void"         // the tree changed meanwhile
	CannotRun   Outcome = "environment"  // setup, a tool or a port is missing
	Regressed   Outcome = "regressed"    // gated, integrated: completed features, in Features, are red on the base, without the work; Reason says why
	Fails       Outcome = "fails"        // proved: red as it must be, or holding as it must
	NoChecks    Outcome = "no_checks"    // proved: the feature has none
	Tests       Outcome = "tests"        // proved: green before the work; but its checks run tests, so that new ones can show what the work does
	Broken      Outcome = "broken"       // proved: 126, 127, a timeout, or not holding
	Conflicting Outcome = "conflict"     // integrated: the merge has conflicts
	Clean       Outcome = "clean"        // inspected
	Outside     Outcome = "out_of_plan"  // inspected: paths that the plan does not name; integrated: work on a second feature
	Forbidden   Outcome = "forbidden"    // inspected: protected paths, weakened tests
	Refused     Outcome = "refused"      // landed: the checkout is dirty or has moved
	Drifted     Outcome = "drifted"      // somebody moved or removed what the run works on
	Failed      Outcome = "failed"       // the command could not be carried out
	Finished    Outcome = "finished"     // exited: the agent says it is done
	Crashed     Outcome = "crashed"      // exited by itself, with an error
	Killed      Outcome = "interrupted"  // exited because something else was killed
	Closed      Outcome = "ended"        // exited because it was asked to
	HitLimit    Outcome = "limit"        // exited at a provider's limit
	Asked       Outcome = "asked"        // exited, or waits, with a question
	NoLogin     Outcome = "agent_absent" // the agent cannot be started, or is not logged in
	Unapproved  Outcome = "unapproved"   // not started: the worktree has files for agents that nobody approved; inspected: the work brings such

	WantCheckpoint Outcome = "want_checkpoint"
	WantHandover   Outcome = "want_handover" // context, circling, age, quality
	Stalled        Outcome = "stalled"       // hung or spinning
	Noticed        Outcome = "noticed"       // a compaction, a refusal of the provider: only to be shown
)

// Input is one thing that happened to a run. Its id makes delivering it twice
// harmless for the engine; its epoch makes a late answer harmless for Step.
type Input struct {
	ID      kedge.EventID `json:"id,omitempty"`
	Kind    InputKind     `json:"kind"`
	Epoch   int64         `json:"epoch,omitempty"`
	At      time.Time     `json:"at"`
	Actor   kedge.Actor   `json:"actor,omitempty"`
	Outcome Outcome       `json:"outcome,omitempty"`

	Run      kedge.RunID       `json:"run,omitempty"`      // Begun
	Rules    *config.Rules     `json:"rules,omitempty"`    // Begun, Continued
	Goal     string            `json:"goal,omitempty"`     // Begun: plan first
	Specs    []Spec            `json:"specs,omitempty"`    // Begun, Planned
	Feature  kedge.FeatureID   `json:"feature,omitempty"`  // what a person speaks of
	Features []kedge.FeatureID `json:"features,omitempty"` // LandAsked: need not be accepted before; Gated, Integrated: completed ones that are red
	Scope    string            `json:"scope,omitempty"`    // LandAsked: Breaking; Accepted: InLedger; or nothing
	Hash     string            `json:"hash,omitempty"`     // Amended: the new definition, of which Specs has what the run knows
	Alike    bool              `json:"alike,omitempty"`    // Amended: it differs from the one before in what it depends on, and nothing else
	Reason   string            `json:"reason,omitempty"`
	Next     []kedge.NextStep  `json:"next,omitempty"` // Landed: what you do about a refusal
	Text     string            `json:"text,omitempty"`

	Commit      string           `json:"commit,omitempty"`
	Head        string           `json:"head,omitempty"` // Begun, Continued: where the user's branch is; empty: at Commit
	Day         Day              `json:"day,omitzero"`   // Begun: what the day had cost before
	Tree        string           `json:"tree,omitempty"` // without Kedge's own paths
	Environment string           `json:"environment,omitempty"`
	Moot        bool             `json:"moot,omitempty"`     // Integrated: the merge changes nothing; Text says who has the work already
	Altered     string           `json:"altered,omitempty"`  // Integrated: what the work does to tests of before that is for you to decide; empty: nothing. Inspected: it touches such tests
	Shown       Outcome          `json:"shown,omitempty"`    // Integrated: what the work's tests say without its source: Red is as it should be, Clean: none is needed, Green shows nothing, Empty: there are none, or it is not known
	Untested    string           `json:"untested,omitempty"` // Integrated: why they show nothing
	Unseen      bool             `json:"unseen,omitempty"`   // Integrated: the red check did not run in the job's worktree, so that it contradicts nothing
	Evidence    kedge.EvidenceID `json:"evidence,omitempty"`
	Failure     string           `json:"failure,omitempty"` // the first failure, and nothing else
	Session     kedge.SessionID  `json:"session,omitempty"`
	Place       int64            `json:"place,omitempty"` // Signalled: of a question, in what the session printed
	Usage       *kedge.Spend     `json:"usage,omitempty"` // nil: unknown
	Until       time.Time        `json:"until,omitzero"`

	// Briefed: the conversation that can be gone on with, of the one that was wished
	// for; Reason says why not. Exited: what the program calls its conversation.
	Conversation string  `json:"conversation,omitempty"`
	Context      int64   `json:"context,omitempty"` // Exited: tokens in it; 0: unknown
	Window       int64   `json:"window,omitempty"`
	Handover     float64 `json:"handover,omitempty"` // Exited: the share of Window at which its model hands over; 0: Rules say it
}

// human tells whether a person did it.
func (e Input) human() bool { return e.Actor.IsHuman() }

// understood tells whether an event that answers a command can say this.
func understood(k InputKind, o Outcome) bool {
	if o == Failed || o == Drifted {
		return true
	}
	return slices.ContainsFunc(answers, func(a answer) bool { return a.event == k && slices.Contains(a.outcomes, o) })
}
