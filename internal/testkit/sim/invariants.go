package sim

import (
	"cmp"
	"fmt"
	"slices"

	"kedge"
	"kedge/internal/core/run"
)

// Invariant is one thing that must hold after every step. Check gives what is
// wrong, or nothing.
type Invariant struct {
	N     int
	Name  string
	Check func(m *moment) string
}

// Invariants are the nineteen of docs/ARCHITECTURE.md. What only shows in the world
// (work that is thrown away, a run that does not end, a commit made twice) the
// simulator checks as well.
var Invariants = []Invariant{
	{1, "completed is verified", completedIsVerified},
	{2, "one session for a feature, one integration, one baseline of a tree, one owner", oneOfEach},
	{3, "one repair, bounded attempts, blocked is explained and reverted", oneRepair},
	{4, "nothing new on a red baseline", greenBaseline},
	{5, "nothing starts without a budget, nothing ends without a checkpoint", budgetAndCheckpoint},
	{6, "one feature for a session", oneFeature},
	{7, "definitions are locked, planning changes nothing", lockedDefinitions},
	{8, "nothing is thrown away", salvageFirst},
	{9, "the run stops by itself and says why", saysWhy},
	{10, "a command has its effect once", effectOnce},
	{11, "no commit breaks a completed feature", inTheWorld},
	{12, "nothing lands on a regression unasked", inTheWorld},
	{13, "what is red again comes first", inTheWorld},
	{14, "nothing of a later phase starts", noLaterPhase},
	{15, "nothing counts twice or for nothing", nothingForNothing},
	{16, "no session mends what is green", nothingToMend},
	{17, "no work counts whose tests you have to decide about", inTheWorld},
	{18, "at most one worktree more than may work at once", inTheWorld},
	{19, "what a person said last holds, and nothing is in progress that nobody works on", inTheWorld},
}

// noLaterPhase: a run that ends with a phase begins no work on features of later ones.
func noLaterPhase(m *moment) string {
	for _, j := range m.after.Jobs {
		known := slices.ContainsFunc(m.before.Jobs, func(o run.Job) bool { return o.ID == j.ID })
		if known || j.Kind != run.Build || j.Feature < 0 {
			continue
		}
		f := m.after.Features[j.Feature]
		if j.Feature < len(m.before.Features) && (m.before.Features[j.Feature].Red || m.before.Features[j.Feature].Status == kedge.Regressed) || f.Red {
			continue // it was begun before, and is broken: that comes first
		}
		if slices.Contains(m.after.Rules.Until.Later, m.after.Phases[f.Phase].ID) {
			return fmt.Sprintf("work on %s of phase %s begins, and the run ends with phase %s", f.ID, m.after.Phases[f.Phase].ID, m.after.Rules.Until.Phase)
		}
	}
	return ""
}

// inTheWorld is for what the simulator checks where it happens: see regress.go.
func inTheWorld(*moment) string { return "" }

func completedIsVerified(m *moment) string {
	for _, c := range m.commands {
		f := m.job(c.Job)
		switch {
		case c.Kind == run.Commit && !f.isVerified(c.Tree, c.Evidence) && !(c.Evidence == "" && slices.Contains(f.unjudged, c.Tree)):
			return "a commit of a tree without a full green verdict, though there are checks"
		case c.Kind != run.Ledger || c.Status != kedge.Completed || c.Feature == "":
		case c.Purpose == run.TakeOn: // by a person's word: see the simulator
		case c.Evidence == "" || !f.isVerified(c.Tree, c.Evidence):
			return "completed without a full green verdict in the clean worktree"
		case (c.Commit != f.commit || c.Tree != f.tree) && c.Commit != f.confirmed:
			return "completed by a commit that is not what was checked"
		}
	}
	for i, f := range m.after.Features {
		if f.Status != kedge.Completed || i >= len(m.before.Features) || m.before.Features[i].Status == kedge.Completed {
			continue
		}
		was := m.before.Features[i]
		if m.ev.Kind == run.Continued && was.Let == run.LetAccepted {
			continue // the ledger had the word of a person
		}
		if landed := m.before.AllLanded(); m.ev.Kind == run.Accepted && m.ev.Actor == human && was.Work != "" && landed {
			continue // and the user's branch has the work, and the ledger
		}
		l, ok := m.ledgers[m.ev.Epoch]
		if m.ev.Kind != run.Ledgered || !ok || l.Feature != f.ID || l.Status != kedge.Completed {
			return "completed without the ledger"
		}
	}
	return ""
}

func (f *jobFacts) isVerified(tree string, evidence kedge.EvidenceID) bool {
	return slices.ContainsFunc(f.verified, func(v verification) bool { return v.tree == tree && v.evidence == evidence })
}

func oneOfEach(m *moment) string {
	trunk := 0
	for i, j := range m.after.Jobs {
		if j.Phase.OnTrunk() {
			trunk++
		}
		for _, other := range m.after.Jobs[:i] {
			if other.ID == j.ID || j.Feature >= 0 && other.Feature == j.Feature {
				return "two jobs for one feature"
			}
		}
	}
	if trunk > 1 {
		return "two integrations at once"
	}
	for i, c := range m.after.Outbox {
		for _, other := range m.after.Outbox[:i] {
			if c.Kind == run.StartSession && other.Kind == run.StartSession && c.Job == other.Job {
				return "two sessions in one job"
			}
			if m.sameBaseline(c, other) {
				return "two baselines of one tree at once"
			}
		}
	}
	stale := m.answered == nil && isAnswer(m.ev.Kind)
	if stale && m.changed() {
		return "an answer that nobody waits for changed something"
	}
	return ""
}

// sameBaseline tells whether two commands give a verdict on the same tree in the same
// environment, before any work.
func (m *moment) sameBaseline(a, b run.Command) bool {
	of, other := m.jobAfter(a.Job), m.jobAfter(b.Job)
	return a.Kind == run.Gate && b.Kind == run.Gate && a.Tree != "" && a.Tree == b.Tree &&
		of != nil && other != nil && of.Environment == other.Environment
}

func isAnswer(k run.InputKind) bool {
	switch k {
	case run.Prepared, run.Gated, run.Proved, run.Briefed, run.Exited, run.Ended, run.Told, run.Checkpointed, run.Inspected,
		run.Integrated, run.Committed, run.Rechecked, run.Noted, run.Marked, run.Ledgered, run.Reverted, run.Landed, run.Fired,
		run.Notified:
		return true
	default:
		return false
	}
}

func oneRepair(m *moment) string {
	for _, j := range m.after.Jobs {
		if j.Repairs > 1 || j.Reruns > 1 {
			return "more than one repair or rerun"
		}
	}
	for _, c := range m.commands {
		f := m.job(c.Job)
		if c.Attempt != f.attempt {
			f.attempt, f.repairs, f.moves = c.Attempt, 0, false
		}
		if m.isRepair(c) {
			if !f.moves { // else its failure was looked for again, on the base that it moved to
				f.repairs++
			}
			if f.moves = c.Kind == run.Prepare; f.repairs > 1 {
				return "a second repair in one attempt"
			}
		}
		if c.Kind == run.Ledger && c.Status == kedge.BlockedWork && (c.Reason == "" || !f.reverted && c.Purpose != run.TakeBack && c.Commit == "") {
			return "blocked, but not explained or not reverted"
		}
	}
	for _, f := range m.after.Features {
		if f.Attempts > cmp.Or(f.Budget.Attempts, m.after.Rules.Attempts) {
			return "more attempts than allowed"
		}
	}
	return ""
}

// isRepair tells whether the command is the beginning of a repair: the brief
// that follows a verdict, or the move to a new base that does.
func (m *moment) isRepair(c run.Command) bool {
	if m.answered == nil || m.answered.Job != c.Job || c.Purpose != run.Repair {
		return false
	}
	verdict := m.ev.Kind == run.Gated || m.ev.Kind == run.Inspected || m.ev.Kind == run.Integrated
	return verdict && (c.Kind == run.Brief || c.Kind == run.Prepare)
}

func greenBaseline(m *moment) string {
	for _, c := range m.commands {
		if c.Kind != run.StartSession || c.Purpose != run.Implement {
			continue
		}
		f := m.job(c.Job)
		base, red := f.base, m.before.Red
		if f.sessions == 0 && red.Tree == base.tree && red.Environment == base.environment {
			return "a session for a feature on a base that is to be fixed first"
		}
		if !m.isGreen(base) {
			return "a session for a feature on a base that nobody saw green"
		}
	}
	return ""
}

func budgetAndCheckpoint(m *moment) string {
	for _, c := range m.commands {
		f := m.job(c.Job)
		switch c.Kind {
		case run.StartSession, run.NextTurn:
			if what := m.mayStart(c); what != "" {
				return what
			}
		case run.EndSession, run.Gate, run.Inspect, run.Brief, run.Revert, run.Integrate:
			if f.unsaved && c.Adopts == 0 {
				return fmt.Sprintf("%s before a checkpoint", c.Kind)
			}
		default:
		}
	}
	for _, j := range m.before.Jobs {
		if m.job(j.ID).unsaved && m.jobAfter(j.ID) == nil {
			return "a job is gone and its session was never saved"
		}
	}
	return ""
}

// mayStart holds a turn to the budgets and to the word of people.
func (m *moment) mayStart(c run.Command) string {
	j := m.jobAfter(c.Job)
	if c.Adopts > 0 || j == nil {
		return ""
	}
	s := m.after
	switch {
	case s.OverBudget(j) != "" || s.FeatureOverBudget(j):
		return "a turn starts and a budget is spent"
	case c.Kind == run.StartSession && s.Rules.MaxSessions > 0 && s.Sessions > s.Rules.MaxSessions:
		return "more sessions than were asked for"
	case c.Kind == run.NextTurn && slices.ContainsFunc(s.Outbox, func(o run.Command) bool {
		return o.Job == c.Job && o.Kind == run.Checkpoint
	}):
		return "a turn starts before the checkpoint that was asked for"
	case s.Halt == run.Paused || s.Halt == run.Stopped || s.Halt == run.OverBudget:
		return "a turn starts and the run is halted"
	default:
		return ""
	}
}

func oneFeature(m *moment) string {
	for _, c := range m.commands {
		if f := m.job(c.Job); f.known && f.feature != c.Feature && c.Kind != run.Tell {
			return "a job goes over to another feature"
		}
	}
	for _, j := range m.before.Jobs {
		if after := m.jobAfter(j.ID); after != nil && after.Feature != j.Feature {
			return "a job has another feature"
		}
	}
	return ""
}

func lockedDefinitions(m *moment) string {
	if len(m.after.Features) < len(m.before.Features) {
		return "a feature is gone"
	}
	for i, f := range m.before.Features {
		g := m.after.Features[i]
		amended := m.ev.Kind == run.Amended && m.ev.Feature == f.ID && m.ev.Reason != "" && m.ev.Actor == human ||
			m.ev.Kind == run.Planned && f.Early
		if f.ID != g.ID || !amended && (!slices.Equal(f.Needs, g.Needs) || f.Phase != g.Phase || f.Budget != g.Budget) {
			return "a definition is another one"
		}
		if f.Hash != g.Hash && !amended {
			return "a definition changed and nobody amended it"
		}
	}
	for _, c := range m.commands {
		writes := c.Kind == run.Integrate || c.Kind == run.Commit || c.Kind == run.Ledger
		if c.Purpose == run.MakePlan && writes {
			return "planning writes"
		}
	}
	c := m.answered
	planned := c != nil && c.Kind == run.Inspect && c.Purpose == run.MakePlan
	if planned && m.ev.Outcome == run.Outside && !slices.ContainsFunc(m.commands, func(c run.Command) bool { return c.Kind == run.Revert }) {
		return "planning changed files and they stay"
	}
	return ""
}

func salvageFirst(m *moment) string {
	for _, c := range m.commands {
		if c.Kind != run.Revert && c.Kind != run.Prepare {
			continue
		}
		if c.Salvage == "" {
			return "a reset without a place for what is there"
		}
		if _, taken := m.salvages[c.Salvage]; taken && c.Adopts == 0 {
			return "two resets set aside under one name"
		}
	}
	return ""
}

func saysWhy(m *moment) string {
	s := m.after
	switch s.Status {
	case run.StatusDone:
		for _, f := range s.Features {
			if f.Status != kedge.Completed && f.Status != kedge.Skipped && !s.Later(&f) {
				return "done, and something is left"
			}
		}
	case run.StatusStopped, run.StatusOverBudget, run.StatusPaused, run.StatusWaiting, run.StatusQuota:
	default:
		return ""
	}
	if s.Reason == "" {
		return "the run is " + string(s.Status) + " and does not say why"
	}
	return ""
}

func effectOnce(m *moment) string {
	for _, c := range m.commands {
		if c.Epoch <= m.before.Epoch || c.Epoch > m.after.Epoch {
			return "a command without a number of its own"
		}
		if kept, ok := m.after.Outstanding(c.Epoch); !ok || !same(kept, c) {
			return "a command that a crash would lose"
		}
	}
	for _, c := range m.after.Outbox {
		if c.Epoch > m.before.Epoch {
			continue
		}
		if was := m.emittedAs(c.Epoch); was == nil || !same(*was, c) {
			return "an outstanding command became another one"
		}
	}
	return ""
}

// same compares everything of two commands. It is asked for every outstanding
// command after every step, and so does without reflection.
func same(a, b run.Command) bool {
	return a.Kind == b.Kind && a.Run == b.Run && a.Epoch == b.Epoch && a.Job == b.Job && a.At.Equal(b.At) &&
		a.Feature == b.Feature && a.Hash == b.Hash && a.Attempt == b.Attempt && a.Purpose == b.Purpose &&
		a.Scope == b.Scope && a.Base == b.Base && a.Tree == b.Tree && a.Carry == b.Carry && a.Commit == b.Commit &&
		a.Salvage == b.Salvage && a.Evidence == b.Evidence && a.Doubt == b.Doubt && a.Flaky == b.Flaky && a.Status == b.Status &&
		slices.Equal(a.Features, b.Features) && a.Reason == b.Reason && a.Failure == b.Failure && a.Text == b.Text &&
		a.Actor == b.Actor && a.Route == b.Route && a.Adopts == b.Adopts && a.First == b.First && a.Until.Equal(b.Until) && a.Wait == b.Wait
}
