package status

import (
	"context"
	"slices"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	docs "kedge/internal/core/memory"
	"kedge/internal/core/plan"
	"kedge/internal/git"
	"kedge/internal/journal"
)

// State is the state of a project's work, read once per command: for status, prime,
// checkpoint and handoff.
type State struct {
	Ledger    ledger.Snapshot
	Plan      kedge.PlanData // zero when there is none
	Decisions []kedge.Decision
	Risks     []kedge.Risk // open ones
	handoff   *kedge.Handoff
	session   kedge.Session // of the caller; zero for a person
	head      git.Head
	tree      string // of the folder as it is; empty when unknown
	treeErr   string // why it is unknown
	Next      kedge.Next
}

func (s *Reporter) stateOf(ctx context.Context, p *projects.Project, who projects.Caller) (State, error) {
	var st State
	var err error
	if st.Ledger, err = ledger.ReadSnapshot(ctx, p); err != nil {
		return st, err
	}
	st.Plan = st.Ledger.Current()
	if st.Decisions, err = projects.All[kedge.Decision](ctx, p, journal.KindDecision); err != nil {
		return st, err
	}
	if st.Risks, err = OpenRisks(ctx, p); err != nil {
		return st, err
	}
	if st.handoff, err = projects.Latest[kedge.Handoff](ctx, p, journal.KindHandoff); err != nil {
		return st, err
	}
	if st.session, err = callerSession(ctx, p, who); err != nil {
		return st, err
	}
	s.lookAtTree(ctx, p, &st)
	st.Next = s.ledger.Next(ctx, p, st.Ledger)
	return st, nil
}

// lookAtTree fills in what git knows. That it does not know is no error: work
// has to be written down in a plain folder and in a broken repository too.
func (s *Reporter) lookAtTree(ctx context.Context, p *projects.Project, st *State) {
	repo, err := s.home.Git(ctx, p)
	if err == nil {
		st.head, err = repo.Head(ctx)
	}
	if err == nil {
		st.tree, err = repo.Tree(ctx)
	}
	if err != nil {
		st.tree, st.treeErr = "", err.Error()
	}
}

// OpenRisks gives the risks that are not closed.
func OpenRisks(ctx context.Context, p *projects.Project) ([]kedge.Risk, error) {
	risks, err := projects.All[kedge.Risk](ctx, p, journal.KindRisk)
	var open []kedge.Risk
	for _, r := range risks {
		if r.ClosedAt == nil {
			open = append(open, r)
		}
	}
	return open, err
}

// callerSession is the session that the caller runs in. One that the journal
// does not know still has its id.
func callerSession(ctx context.Context, p *projects.Project, who projects.Caller) (kedge.Session, error) {
	id, ok := who.Session()
	if !ok || !kedge.ValidID("ses", string(id)) {
		return kedge.Session{}, nil
	}
	ses, found, err := journal.Get[kedge.Session](ctx, p.Store, journal.KindSession, string(id))
	if !found {
		ses.ID = id
	}
	return ses, err
}

// agent names who saved something.
func (st State) agent(who projects.Caller) string {
	if st.session.Agent != "" {
		return st.session.Agent
	}
	return string(who.Actor)
}

// Locked gives the locked decisions.
func (st State) Locked() []kedge.DecisionRef {
	var out []kedge.DecisionRef
	for _, d := range st.Decisions {
		if d.Status == kedge.DecisionLocked {
			out = append(out, kedge.DecisionRef{ID: d.ID, Title: d.Title})
		}
	}
	return out
}

// RiskTexts gives the open risks as text.
func (st State) RiskTexts() []string {
	var out []string
	for _, r := range st.Risks {
		out = append(out, r.Text)
	}
	return out
}

// task is what the work is about, where nobody says.
func (st State) task() string {
	if f := st.Next.Feature; f != nil {
		return string(f.ID) + ": " + f.Name
	}
	return st.Plan.Title
}

// Checklist gives one line per item of the approved plan, then one per feature outside
// the plan. The feature's status decides what is done, not the marks in plan.md.
func (st State) Checklist() []kedge.StatusLine {
	out, told := st.planLines()
	for _, f := range plan.Order(st.Ledger.Features()) {
		if !told[f.ID] {
			out = append(out, kedge.StatusLine{Done: f.Status.Over(), Text: string(f.ID) + ": " + f.Name + InWords(f)})
		}
	}
	return out
}

// planLines are the plan's items and the features that they tell.
func (st State) planLines() ([]kedge.StatusLine, map[kedge.FeatureID]bool) {
	told := map[kedge.FeatureID]bool{}
	if st.Ledger.Plan == nil {
		return nil, told
	}
	d, err := plan.ParsePlan(ledger.PlanFile, []byte(st.Ledger.Plan.Text))
	if err != nil {
		return nil, told // frozen by another version: its features still tell
	}
	var out []kedge.StatusLine
	for _, ph := range d.Plan.Phases {
		for _, it := range ph.Items {
			line := kedge.StatusLine{Done: it.Done, Text: ph.Title + ": " + it.ID + " " + it.Text}
			if n := len(out); n < len(st.Ledger.Plan.Features) {
				if f, err := st.Ledger.Find(st.Ledger.Plan.Features[n]); err == nil {
					told[f.ID] = true
					line.Done = f.Status.Over()
					line.Text += InWords(f.Feature)
				}
			}
			out = append(out, line)
		}
	}
	return out, told
}

// InWords gives a feature's status where a check mark does not say enough.
func InWords(f kedge.Feature) string {
	switch {
	case f.Status == kedge.Completed && f.Evidence != nil:
		return " (" + string(kedge.ValidationOK) + ")"
	case f.Status == kedge.Pending, f.Status == kedge.Completed:
		return ""
	default:
		return " (" + string(f.Status) + ")"
	}
}

// RuledOut gives what locked decisions and the last handoff rejected.
func (st State) RuledOut() []kedge.Rejected {
	out := docs.DecidedAgainst(st.Decisions)
	if st.handoff == nil {
		return out
	}
	for _, r := range docs.StillRejected(st.Decisions, st.handoff.RuledOut) {
		if !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}
