package run

import (
	"time"

	"kedge"
)

// CommandKind names a piece of work.
type CommandKind string

// The commands. Each is answered by one event that carries its epoch, and stays
// in State.Outbox until then. Carrying one out twice has the effect of once. A
// new command of a job replaces whatever an earlier one of the same job still
// does, a living session excepted.
const (
	Prepare      CommandKind = "prepare"       // set aside what is there, put the worktree at Base, add Carry, run setup
	Gate         CommandKind = "gate"          // Scope full or touched; with Tree: the base's, and the checks of completed features but for Features
	Prove        CommandKind = "prove"         //
	Brief        CommandKind = "brief"         // Purpose says which; Failure is all that a repair is told; Resume is wished for; Scope Wanted: a person says what for
	StartSession CommandKind = "start_session" // adopts what an earlier one started; Reason says why with Resume, or without
	NextTurn     CommandKind = "next_turn"     //
	Tell         CommandKind = "tell"          // Text, to the living session or in the next brief; Scope Wanted: what that is for; Held and Going: no text
	EndSession   CommandKind = "end_session"   // and all its children
	Checkpoint   CommandKind = "checkpoint"    // with a copy of the worktree under the salvage refs; Status is what the feature is about to be; Scope Unfinished: and a handoff; Text is what the session waits for
	Park         CommandKind = "park"          // give up the job's worktree, of which a copy is kept: another job needs one, and this one waits
	Inspect      CommandKind = "inspect"       // stores diffstat and findings; Failure is what the session was told
	Integrate    CommandKind = "integrate"     // merge Tree onto Base in the clean worktree, or take the work of Commit out of it; the gate skips nothing, and runs the checks of completed features that this can touch, but for Features
	Commit       CommandKind = "commit"        // Tree on Base, dated At; without the work of Commit
	Recheck      CommandKind = "recheck"       // in old journals only: Integrate looks at completed features
	Note         CommandKind = "note"          //
	Mark         CommandKind = "mark"          // journal a status; Scope Wanted: and what its next session is for, in Text
	Ledger       CommandKind = "ledger"        // journal a status, where no person did, write the projections, commit them on Base; Text: the work that was taken back
	Revert       CommandKind = "revert"        // set aside into Salvage, then back to Base
	Land         CommandKind = "land"          // move the user's branch to Commit, merged with what is new there, or refuse; Actor asked for it; Text: the work in it that no check verified; Scope Breaking: though it breaks features
	Timer        CommandKind = "timer"         // fires after Wait, by a clock that does not jump
	Notify       CommandKind = "notify"        // tell people
)

// Answer is the event that answers a command.
func (k CommandKind) Answer() InputKind {
	for _, a := range answers {
		if a.command == k {
			return a.event
		}
	}
	return ""
}

// answer is the event that answers a command, and what that can say. What else it says is taken
// for a failure.
type answer struct {
	command  CommandKind
	event    InputKind
	outcomes []Outcome
}

var answers = []answer{
	{Prepare, Prepared, []Outcome{OK, CannotRun, Drifted, Failed}},
	{Gate, Gated, []Outcome{Green, Partial, Empty, Red, Void, Regressed, CannotRun, Drifted, Failed}},
	{Prove, Proved, []Outcome{Fails, NoChecks, Green, Tests, Broken, CannotRun, Drifted, Failed}},
	{Brief, Briefed, []Outcome{OK, Failed}},
	{StartSession, Exited, []Outcome{Finished, Crashed, Killed, Closed, HitLimit, Asked, NoLogin, Unapproved, Drifted, Failed}},
	{NextTurn, TurnEnded, []Outcome{OK}},
	{Tell, Told, []Outcome{OK}},
	{EndSession, Ended, []Outcome{OK, Failed}},
	{Checkpoint, Checkpointed, []Outcome{OK, Failed}},
	{Park, Parked, []Outcome{OK, Drifted, Failed}},
	{Inspect, Inspected, []Outcome{Clean, Empty, Outside, Forbidden, Unapproved, Red, Drifted, Failed}},
	{Integrate, Integrated, []Outcome{Green, Partial, Empty, Red, Void, Regressed, Conflicting, Outside, CannotRun, Drifted, Failed}},
	{Commit, Committed, []Outcome{OK, Drifted, Failed}},
	{Recheck, Rechecked, []Outcome{OK, Failed}},
	{Note, Noted, []Outcome{OK, Failed}},
	{Mark, Marked, []Outcome{OK}},
	{Ledger, Ledgered, []Outcome{OK, Drifted, Failed}},
	{Revert, Reverted, []Outcome{OK, Drifted, Failed}},
	{Land, Landed, []Outcome{OK, Refused, Failed}},
	{Timer, Fired, []Outcome{OK}},
	{Notify, Notified, []Outcome{OK}},
}

// Held and Going are scopes of Tell: the living session stands still, and goes on.
const (
	Held  = "held"
	Going = "going"
)

// Wanted is the scope of what a person wants of a feature beside its checks: they
// reopened it, and said why.
const Wanted = "wanted"

// NewTests is the scope of a brief for work whose own tests have to show what it does.
const NewTests = "tests"

// Breaking is the scope of landing what is known to break features that were done.
const Breaking = "regressed"

// InLedger is the scope of an acceptance that completed the feature in the ledger.
const InLedger = "in_ledger"

// Unfinished is the scope of what is saved of a session that ends before its work is
// done: nothing of it may be known to it alone.
const Unfinished = "unfinished"

// Purpose is the kind of brief a session gets.
type Purpose string

// The purposes.
const (
	Implement Purpose = "implement"
	Repair    Purpose = "repair"
	FixFirst  Purpose = "fix"
	MakePlan  Purpose = "plan"
	CheckTip  Purpose = "verify" // no session
	TakeBack  Purpose = "undo"   // no session
	TakeOn    Purpose = "accept" // no session
)

// Command is one piece of work for the engine. Epoch is its number in the run:
// no two commands share one, and an answer names it.
type Command struct {
	Kind  CommandKind `json:"kind"`
	Run   kedge.RunID `json:"run"`
	Epoch int64       `json:"epoch"`
	Job   int         `json:"job,omitempty"` // 0: the run itself
	At    time.Time   `json:"at"`            // of the event that caused it; commits are dated with it

	Feature  kedge.FeatureID   `json:"feature,omitempty"`
	Hash     string            `json:"hash,omitempty"` // of the definition that is worked on
	Attempt  int               `json:"attempt,omitempty"`
	Number   int               `json:"number,omitempty"` // StartSession: of the session among those for its feature, or for the same purpose without one
	Purpose  Purpose           `json:"purpose,omitempty"`
	Scope    string            `json:"scope,omitempty"`
	Base     string            `json:"base,omitempty"`
	Tree     string            `json:"tree,omitempty"`
	Carry    string            `json:"carry,omitempty"` // the job's own work, merged onto a new base
	Commit   string            `json:"commit,omitempty"`
	Salvage  string            `json:"salvage,omitempty"` // name under refs/kedge/salvage/
	Evidence kedge.EvidenceID  `json:"evidence,omitempty"`
	Flaky    bool              `json:"flaky,omitempty"` // Ledger: it was red and green on one tree; Gate, Prove, Integrate: it may be, or is to be seen anew, so nothing is reused
	Doubt    Doubt             `json:"doubt,omitempty"` // Integrate: what you said of the tests
	Status   kedge.Status      `json:"status,omitempty"`
	Features []kedge.FeatureID `json:"features,omitempty"` // Ledger: those that regressed; Gate, Integrate: those that are known to be red
	Reason   string            `json:"reason,omitempty"`
	Failure  string            `json:"failure,omitempty"`
	Text     string            `json:"text,omitempty"`
	Actor    kedge.Actor       `json:"actor,omitempty"`
	Route    string            `json:"route,omitempty"`
	Resume   string            `json:"resume,omitempty"` // Brief, StartSession: the conversation to go on with; empty: a fresh one
	Adopts   int64             `json:"adopts,omitempty"` // the epoch under which an earlier owner did it
	First    int64             `json:"first,omitempty"`  // the epoch under which it was asked for, however often it was adopted; 0: Epoch
	Until    time.Time         `json:"until,omitzero"`
	Wait     time.Duration     `json:"wait,omitempty"`
}

// Origin is the epoch under which the command was first asked for: what names
// are made of that must be the same for every owner that carries it out.
func (c Command) Origin() int64 {
	if c.First != 0 {
		return c.First
	}
	return c.Epoch
}

// Reply is the event that answers the command.
func (c Command) Reply(o Outcome) Input {
	return Input{Kind: c.Kind.Answer(), Epoch: c.Epoch, Outcome: o}
}
