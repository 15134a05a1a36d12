package run

// Phase is where one job stands. A job is in exactly one.
type Phase string

// The phases, in the order in which a healthy feature meets them; behind Done
// come those in which a job waits, and the way back.
const (
	Preparing   Phase = "prepare"   // a worktree at the asserted base, its setup run
	Baselining  Phase = "baseline"  // the gate, before any work
	Proving     Phase = "prove"     // the feature's own checks, before any work
	Briefing    Phase = "brief"     // what the next session is told
	Working     Phase = "work"      // a session has a turn
	Saving      Phase = "save"      // a checkpoint, because a session ends or ended
	Ending      Phase = "end"       // the session is asked to end
	Gating      Phase = "gate"      // the gate, in the worktree
	Inspecting  Phase = "inspect"   // the diff: protected and out-of-plan paths
	Integrating Phase = "integrate" // merge candidate and full gate, in the clean worktree
	Committing  Phase = "commit"    // the work commit
	Rechecking  Phase = "recheck"   // in old journals only: checks of features that were completed before
	Recording   Phase = "record"    // note and checkpoint
	Ledgering   Phase = "ledger"    // the status, the projections and the ledger commit
	Done        Phase = "done"      // gone after this step

	Ready     Phase = "ready"  // waits for a slot, for the trunk, or for the run to go on
	Stuck     Phase = "stuck"  // could not go on; a person's continue tries again
	Idle      Phase = "idle"   // its session lives and may not have its next turn
	Asking    Phase = "ask"    // waits for an answer
	Reviewing Phase = "review" // waits for a person to approve its diff
	Limited   Phase = "quota"  // waits for a provider's limit to pass
	Reverting Phase = "revert" // back to the last clean commit, with salvage
)

// Parked tells whether a job in this phase leaves its slot to others.
func (p Phase) Parked() bool {
	return p == Ready || p == Stuck || p == Asking || p == Reviewing || p == Limited
}

// inTree tells whether a job in this phase needs a worktree of its own.
func (p Phase) inTree() bool {
	switch p {
	case Preparing, Baselining, Proving, Briefing, Gating, Inspecting:
		return true
	default:
		return false
	}
}

// OnTrunk tells whether a job in this phase writes the integration branch: one
// job at a time does.
func (p Phase) OnTrunk() bool {
	switch p {
	case Integrating, Committing, Rechecking, Recording, Ledgering:
		return true
	default:
		return false
	}
}

// Halt is why nothing new starts; empty while the run runs.
type Halt string

// The halts. A person's continue lifts each of them.
const (
	Paused      Halt = "paused"      // by a person, or because the repository drifted
	Stopped     Halt = "stopped"     // by a person
	OverBudget  Halt = "over_budget" // a budget of the run, a phase or the day is spent
	MaxSessions Halt = "sessions"    // as many sessions as were asked for
	Environment Halt = "environment" // setup or the baseline cannot run at all
	RedBaseline Halt = "baseline"    // the fix of a red baseline did not help
	NoAgent     Halt = "agent"       // the agent is absent or not logged in
	Untrusted   Halt = "trust"       // files that agents run or obey are not approved
	Fault       Halt = "fault"       // a command could not be carried out
	Returned    Halt = "returned"    // a run at rest was given something to do, or to take back: it goes on when a person wants it
)

// holds tells whether no job may enter the phase. What costs nothing, and what
// must end cleanly, always goes on.
func (h Halt) holds(p Phase) bool {
	switch h {
	case Paused, Stopped:
		return p == Preparing || p == Baselining || p == Proving || p == Briefing || p == Gating || p == Integrating
	case OverBudget, MaxSessions, NoAgent, Untrusted, Fault, Returned:
		return p == Preparing || p == Briefing
	case Environment, RedBaseline:
		return p == Preparing
	default:
		return false
	}
}

// rank orders the halts: a stronger one replaces a weaker one, of equals the
// first stands.
func (h Halt) rank() int {
	switch h {
	case Stopped:
		return 4
	case OverBudget:
		return 3
	case Paused:
		return 2
	case "":
		return 0
	default:
		return 1
	}
}

// endsSessions tells whether living sessions are ended, not only kept from
// being followed by others.
func (h Halt) endsSessions() bool { return h == Stopped || h == OverBudget }

// Status is what is shown of a run.
type Status string

// The statuses of a run.
const (
	StatusPlanning   Status = "planning"
	StatusRunning    Status = "running"
	StatusPaused     Status = "paused"
	StatusWaiting    Status = "waiting"       // for a person
	StatusQuota      Status = "waiting_quota" // for a provider's limit to pass
	StatusOverBudget Status = "over_budget"
	StatusDone       Status = "done"
	StatusStopped    Status = "stopped"
)
