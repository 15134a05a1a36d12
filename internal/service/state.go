package service

import (
	"context"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/book"
	"kedge/internal/gitx"
	docs "kedge/internal/ledger"
	"kedge/internal/plan"
	"kedge/internal/store"
)

// state is where the work of a project stands, read once for a command that
// tells it: status, prime, checkpoint, handoff.
type state struct {
	ledger    book.Ledger
	plan      kedge.PlanData // zero when there is none
	decisions []kedge.Decision
	risks     []kedge.Risk // open ones
	handoff   *kedge.Handoff
	session   kedge.Session // of the caller; zero for a person
	head      gitx.Head
	tree      string // of the folder as it is; empty when unknown
	treeErr   string // why it is unknown
	next      kedge.Next
}

func (s *Service) stateOf(ctx context.Context, p *project, who Caller) (state, error) {
	var st state
	var err error
	if st.ledger, err = book.ReadLedger(ctx, p); err != nil {
		return st, err
	}
	if st.plan, err = readPlan(ctx, p); err != nil {
		return st, err
	}
	if st.decisions, err = all[kedge.Decision](ctx, p, store.KindDecision); err != nil {
		return st, err
	}
	if st.risks, err = openRisks(ctx, p); err != nil {
		return st, err
	}
	if st.handoff, err = latest[kedge.Handoff](ctx, p, store.KindHandoff); err != nil {
		return st, err
	}
	if st.session, err = callerSession(ctx, p, who); err != nil {
		return st, err
	}
	s.lookAtTree(ctx, p, &st)
	st.next = s.book.Next(ctx, p, st.ledger)
	return st, nil
}

// lookAtTree fills in what git knows. That it does not know is no error: work
// has to be written down in a plain folder and in a broken repository too.
func (s *Service) lookAtTree(ctx context.Context, p *project, st *state) {
	repo, err := s.git(ctx, p)
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

// readPlan gives the newest plan.
func readPlan(ctx context.Context, p *project) (kedge.PlanData, error) {
	last, err := latest[kedge.PlanData](ctx, p, store.KindPlan)
	if err != nil || last == nil {
		return kedge.PlanData{}, err
	}
	return *last, nil
}

func openRisks(ctx context.Context, p *project) ([]kedge.Risk, error) {
	risks, err := all[kedge.Risk](ctx, p, store.KindRisk)
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
func callerSession(ctx context.Context, p *project, who Caller) (kedge.Session, error) {
	id, ok := strings.CutPrefix(string(who.Actor), "agent:")
	if !ok || !kedge.ValidID("ses", id) {
		return kedge.Session{}, nil
	}
	ses, found, err := store.Get[kedge.Session](ctx, p.Store, store.KindSession, id)
	if !found {
		ses.ID = kedge.SessionID(id)
	}
	return ses, err
}

// agent names who saved something.
func (st state) agent(who Caller) string {
	if st.session.Agent != "" {
		return st.session.Agent
	}
	return string(who.Actor)
}

func (st state) locked() []kedge.DecisionRef {
	var out []kedge.DecisionRef
	for _, d := range st.decisions {
		if d.Status == kedge.DecisionLocked {
			out = append(out, kedge.DecisionRef{ID: d.ID, Title: d.Title})
		}
	}
	return out
}

func (st state) riskTexts() []string {
	var out []string
	for _, r := range st.risks {
		out = append(out, r.Text)
	}
	return out
}

// task is what the work is about, where nobody says.
func (st state) task() string {
	if f := st.next.Feature; f != nil {
		return string(f.ID) + ": " + f.Name
	}
	return st.plan.Title
}

// checklist is a line per item of the approved plan, then one per feature beside
// it. The ledger says what is done, not the plan's own marks.
func (st state) checklist() []kedge.StatusLine {
	out, told := st.planLines()
	for _, f := range plan.Order(st.ledger.Features()) {
		if !told[f.ID] {
			out = append(out, kedge.StatusLine{Done: isDone(f.Status), Text: string(f.ID) + ": " + f.Name + standing(f)})
		}
	}
	return out
}

// planLines are the plan's items and the features that they tell.
func (st state) planLines() ([]kedge.StatusLine, map[kedge.FeatureID]bool) {
	told := map[kedge.FeatureID]bool{}
	if st.ledger.Plan == nil {
		return nil, told
	}
	d, err := plan.ParsePlan(book.PlanFile, []byte(st.ledger.Plan.Text))
	if err != nil {
		return nil, told // frozen by another version: its features still tell
	}
	var out []kedge.StatusLine
	for _, ph := range d.Plan.Phases {
		for _, it := range ph.Items {
			line := kedge.StatusLine{Done: it.Done, Text: ph.Title + ": " + it.ID + " " + it.Text}
			if n := len(out); n < len(st.ledger.Plan.Features) {
				if f, err := st.ledger.Find(st.ledger.Plan.Features[n]); err == nil {
					told[f.ID] = true
					line.Done = isDone(f.Status)
					line.Text += standing(f.Feature)
				}
			}
			out = append(out, line)
		}
	}
	return out, told
}

func isDone(s kedge.Status) bool { return s == kedge.Completed || s == kedge.Skipped }

// standing is a feature's status where it tells more than a mark does.
func standing(f kedge.Feature) string {
	switch {
	case f.Status == kedge.Completed && f.Evidence != nil:
		return " (" + string(kedge.ValidationOK) + ")"
	case f.Status == kedge.Pending, f.Status == kedge.Completed:
		return ""
	default:
		return " (" + string(f.Status) + ")"
	}
}

// ruledOut is what locked decisions rejected, and what the last handoff did.
func (st state) ruledOut() []kedge.Rejected {
	out := docs.DecidedAgainst(st.decisions)
	if st.handoff == nil {
		return out
	}
	for _, r := range docs.StillRejected(st.decisions, st.handoff.RuledOut) {
		if !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}
