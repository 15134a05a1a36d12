package planning

import (
	"context"
	"fmt"
	"strings"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/core/plan"
	"kedge/internal/core/run"
	"kedge/internal/text/words"
)

// PlanDropRequest abandons the plan that is not approved.
type PlanDropRequest struct {
	Reason string `json:"reason,omitempty"`
}

// PlanDropReply is the plan that was abandoned, and where its text is kept.
type PlanDropReply struct {
	ID     kedge.PlanID     `json:"id"`
	Title  string           `json:"title"`
	Status kedge.PlanStatus `json:"status"`
	Reason string           `json:"reason"`
	Kept   string           `json:"kept"` // empty: there was no file

	Decisions int `json:"decisions"` // that are locked, and stay so
	Risks     int `json:"risks"`     // that are open, and stay so
}

// PlanDrop abandons a plan that is not approved: the one that sessions make, with
// its run, or a draft that people write by hand. Its text is kept. Decisions and risks stay
// as they are: a plan that is not approved made none, and those of others hold.
func (s *Planner) PlanDrop(ctx context.Context, who projects.Caller, in PlanDropRequest) (PlanDropReply, error) {
	if err := projects.PersonOnly(who, "drop a plan"); err != nil {
		return PlanDropReply{}, err
	}
	p, err := s.home.OpenSetUp(ctx, who)
	if err != nil {
		return PlanDropReply{}, err
	}
	release, err := s.life.Alone(ctx, "run of "+string(p.ID)) // no run begins or goes on meanwhile
	if err != nil {
		return PlanDropReply{}, err
	}
	defer release()
	evs, err := s.home.Write(ctx, p, who, func() ([]kedge.Event, error) {
		d, err := droppable(ctx, p)
		if err != nil {
			return nil, err
		}
		d.Status, d.Faults, d.Hash = kedge.PlanAbandoned, strings.TrimSpace(in.Reason), projects.Sum([]byte(d.Text))
		return projects.One(projects.Event(kedge.PlanSaved, who, d))
	})
	if err != nil {
		return PlanDropReply{}, err
	}
	d, err := projects.DataOf[kedge.PlanData](evs, kedge.PlanSaved)
	if err != nil {
		return PlanDropReply{}, err
	}
	r := PlanDropReply{ID: d.ID, Title: d.Title, Status: d.Status, Reason: d.Faults}
	if err := s.stopPlanning(ctx, p, who, d); err != nil {
		return r, err
	}
	if r.Kept, err = s.keepDropped(ctx, p, d); err != nil {
		return r, err
	}
	if r.Decisions, r.Risks, err = s.stays(ctx, p); err != nil {
		return r, err
	}
	_, err = s.book.SyncFiles(ctx, p) // where work is still to land, plan.md stands as it is committed
	return r, err
}

// droppable is the plan that is not approved: that of the planning run, else the
// draft in plan.md.
func droppable(ctx context.Context, p *projects.Project) (kedge.PlanData, error) {
	last, found, err := ledger.LastRun(ctx, p)
	if err != nil {
		return kedge.PlanData{}, err
	}
	if found {
		if d, ok, err := ledger.PlanOf(ctx, p, last.Run); err != nil || ok && ledger.IsOpenPlan(d) {
			return d, err
		}
	}
	l, err := ledger.ReadSnapshot(ctx, p)
	if err != nil {
		return kedge.PlanData{}, err
	}
	b, ok, err := p.Read(ledger.PlanFile)
	if err != nil {
		return kedge.PlanData{}, err
	}
	if !ok || !otherText(l, b) {
		return kedge.PlanData{}, kedge.Errorf(kedge.NotFound, "there is no plan to drop, because no plan waits for your approval").
			WithHint("to give up an item of the approved plan instead: kedge feature skip ID --reason WHY")
	}
	d := kedge.PlanData{ID: kedge.PlanID("pln-" + projects.Sum(b)[:26]), Title: "a draft", Text: string(b)}
	if doc, err := plan.ParsePlan(ledger.PlanFile, b); err == nil {
		d.Title = doc.Plan.Title
	}
	return d, nil
}

// otherText tells whether plan.md holds something else than the approved plan.
func otherText(l ledger.Snapshot, b []byte) bool {
	return l.Plan == nil || l.IsDraft(b)
}

// stopPlanning ends the run that makes a plan.
func (s *Planner) stopPlanning(ctx context.Context, p *projects.Project, who projects.Caller, d kedge.PlanData) error {
	last, found, err := ledger.LastRun(ctx, p)
	if err != nil || !found || last.Run != d.Run || last.Ended() {
		return err
	}
	eng, err := s.runs.Engine(ctx, p)
	if err != nil {
		return err
	}
	ctx, done := s.life.UntilLeft(ctx)
	defer done()
	return eng.Cancel(ctx, last.Run, who.Actor)
}

// keepDropped takes the text of a dropped plan out of plan.md, where the one that
// was followed before it stands again. A plan that stands there no more is kept
// as the journal has it.
func (s *Planner) keepDropped(ctx context.Context, p *projects.Project, d kedge.PlanData) (kept string, err error) {
	p.Writing.Lock()
	defer p.Writing.Unlock()
	l, err := ledger.ReadSnapshot(ctx, p)
	if err != nil {
		return "", err
	}
	b, ok, err := p.Read(ledger.PlanFile)
	if err != nil {
		return "", err
	}
	if !ok || !otherText(l, b) || !isTextOf(d, b) {
		return s.book.KeepText(p, ledger.PlanFile, strings.NewReader(d.Text))
	}
	if s.book.Projected(p)[projects.Sum(b)] { // nobody typed into it, and it may be older
		kept, err = s.book.KeepText(p, ledger.PlanFile, strings.NewReader(d.Text))
	} else {
		kept, err = s.book.KeepCopy(p, ledger.PlanFile)
	}
	if err != nil {
		return "", err
	}
	if l.Plan != nil { // the one before it, as it stands
		return kept, s.book.WriteFile(p, ledger.PlanFile, l.PlanText())
	}
	return kept, p.Remove(ledger.PlanFile)
}

// isTextOf tells whether a text is that of a plan, with what people typed into it.
func isTextOf(d kedge.PlanData, b []byte) bool {
	doc, err := plan.ParsePlan(ledger.PlanFile, b)
	return d.Run == "" || err != nil || doc.Plan.ID == d.ID
}

// PlanReason is why a run stands as it does. One that planned and got nothing says
// so, instead of waiting for an answer to no question.
func (s *Planner) PlanReason(ctx context.Context, p *projects.Project, st *run.State) (string, error) {
	if !st.Planning() || st.Status != run.StatusWaiting || len(st.Jobs) > 0 {
		return st.Reason, nil
	}
	d, ok, err := ledger.PlanOf(ctx, p, st.Run)
	switch {
	case err == nil && ok && d.Status == kedge.PlanWaiting:
		return s.waitsFor(p, d), nil
	case err == nil && ok && d.Status == kedge.PlanReady:
		return "the plan is ready: read it, and approve it", nil
	case err != nil || !ok || d.Status != kedge.PlanDrafting:
		return st.Reason, err
	case d.Faults != "":
		return "the planning session gave no plan that can be used: " + words.FirstLine(d.Faults), nil
	default:
		return "the planning session gave no plan and asked no question; to see its output: kedge logs plan", nil
	}
}

// waitsFor says which answers a plan waits for.
func (s *Planner) waitsFor(p *projects.Project, d kedge.PlanData) string {
	open := plan.Unanswered(s.askedNow(p, d))
	switch {
	case len(plan.OpenQuestions(kedge.Plan{Questions: open})) > 0:
	case s.hasTyped(p, d):
		return "you wrote answers into " + ledger.PlanFile + "; to let planning continue with them: kedge run"
	case len(open) == 0:
		return "the next planning session has not started; to start it: kedge run"
	default:
		return "you may answer, or continue without an answer (kedge run): " + words.FirstLine(open[0].Text)
	}
	switch len(open) {
	case 1:
		return "the plan asks: " + words.FirstLine(open[0].Text)
	default:
		return fmt.Sprintf("the plan asks %d questions; the first one: %s", len(open), words.FirstLine(open[0].Text))
	}
}
