package planning

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/core/plan"
	"kedge/internal/git"
	"kedge/internal/journal"
	"kedge/internal/text/redact"
)

// PlanNewRequest asks for a draft to start from.
type PlanNewRequest struct {
	Title string `json:"title"`
}

// PlanNewReply says where the draft is.
type PlanNewReply struct {
	Path  string `json:"path"`
	Title string `json:"title"`
}

// PlanNew writes a commented draft to plan.md. It never writes over a text that
// is not in the journal: only a plan that is done makes room. A second time with
// the same title finds its own draft and is content.
func (s *Planner) PlanNew(ctx context.Context, who projects.Caller, in PlanNewRequest) (PlanNewReply, error) {
	reply := PlanNewReply{Path: ledger.PlanFile, Title: strings.TrimSpace(in.Title)}
	if reply.Title == "" || strings.ContainsAny(reply.Title, "\r\n") || len(reply.Title) > maxPlanTitle {
		return reply, kedge.Errorf(kedge.Invalid, "the title of a plan must be one line of 1 to %d bytes", maxPlanTitle).
			WithHint(`choose such a title: kedge plan new "what you want"`)
	}
	text := plan.Template(reply.Title)
	if redact.Text(string(text)) != string(text) {
		return reply, kedge.Errorf(kedge.Invalid, "the title contains what looks like a secret, so Kedge did not store it").WithHint("repeat your command without the secret")
	}
	p, err := s.home.OpenSetUp(ctx, who)
	if err != nil {
		return reply, err
	}
	_, err = s.home.Write(ctx, p, who, func() ([]kedge.Event, error) { return nil, s.putDraft(ctx, p, text) })
	return reply, err
}

// maxPlanTitle is how many bytes the title of a plan may have.
const maxPlanTitle = 200

// putDraft runs under the project's lock.
func (s *Planner) putDraft(ctx context.Context, p *projects.Project, text []byte) error {
	l, err := ledger.ReadSnapshot(ctx, p)
	if err != nil {
		return err
	}
	b, ok, err := p.Read(ledger.PlanFile)
	if err != nil {
		return err
	}
	if err := refuseFollowed(l, b, ok); err != nil {
		return err
	}
	if _, waits := s.book.UnwrittenPlan(p, l); waits {
		return kedge.Errorf(kedge.Conflict, "you cannot begin a new plan, because the plan %q waits for your approval", l.Open.Title).
			WithHint("read that plan: kedge plan show; or drop it (Kedge keeps its text): kedge plan drop")
	}
	if ok && !ledger.SameText(b, text) && (l.Plan == nil || !ledger.SameText(b, l.PlanText())) {
		return errPlanThere(p)
	}
	return p.Put(ledger.PlanFile, text)
}

// refuseFollowed refuses another plan beside one that is approved and not done. Text is
// that of plan.md, where it is there.
func refuseFollowed(l ledger.Snapshot, text []byte, there bool) error {
	if l.Plan != nil && l.Plan.Status != kedge.PlanDone && (!there || !l.IsDraft(text)) {
		return kedge.Errorf(kedge.Conflict, "you cannot begin a new plan, because the approved plan %q is not done", l.Plan.Title).
			WithHint("finish that plan: kedge run; or change it: kedge plan amend --reason WHY")
	}
	return nil
}

// errPlanThere refuses to write over a plan that the journal does not have.
func errPlanThere(p *projects.Project) error {
	file := filepath.Join(p.Dir, ledger.PlanFile)
	return kedge.Errorf(kedge.Conflict, "you cannot begin a new plan, because the file %s has one already", ledger.PlanFile).
		WithHint("check the plan in that file: kedge plan check; or move the file away: %s", kedge.Step("mv", file, file+".old"))
}

// PlanShowRequest asks for the plan.
type PlanShowRequest struct{}

// PlanShowReply is the plan: somebody's draft where there is one, else the
// approved one with its progress.
type PlanShowReply struct {
	Plan      kedge.Plan       `json:"plan"`
	Checklist []string         `json:"checklist"`
	Open      []kedge.Question `json:"open"`           // blocking questions without an answer
	Optional  []kedge.Question `json:"optional"`       // other questions without an answer, while they can be answered
	Kept      []string         `json:"kept,omitempty"` // where the texts of people's are that gave way to this plan
}

// PlanShow gives the plan as it stands; NotFound when there is none.
func (s *Planner) PlanShow(ctx context.Context, who projects.Caller, _ PlanShowRequest) (PlanShowReply, error) {
	l, p, err := s.book.ReadFeatures(ctx, who)
	if err != nil {
		return PlanShowReply{}, err
	}
	d, err := s.currentPlan(p, l)
	if err != nil {
		return PlanShowReply{}, err
	}
	reply := PlanShowReply{Plan: d.Plan, Checklist: plan.Checklist(d.Plan), Open: plan.OpenQuestions(d.Plan), Optional: []kedge.Question{}}
	if reply.Open == nil {
		reply.Open = []kedge.Question{}
	}
	if ledger.IsOpenPlan(kedge.PlanData{Status: d.Plan.Status}) {
		reply.Optional = append(reply.Optional, plan.Optional(d.Plan.Questions)...)
	}
	if l.Open != nil && l.Open.ID == d.Plan.ID {
		reply.Kept = l.Open.Kept
	}
	return reply, nil
}

// currentPlan reads the draft in plan.md, else the one that the journal has, or
// the approved plan when there is no other.
func (s *Planner) currentPlan(p *projects.Project, l ledger.Snapshot) (*plan.Doc, error) {
	if text, ok := s.book.UnwrittenPlan(p, l); ok {
		return plan.ParsePlan(ledger.PlanFile, text)
	}
	b, ok, err := p.Read(ledger.PlanFile)
	if err != nil {
		return nil, err
	}
	if l.Plan != nil && (!ok || l.Open == nil && !l.IsDraft(b)) {
		return plan.ParsePlan(ledger.PlanFile, l.PlanText())
	}
	if !ok {
		return nil, kedge.Errorf(kedge.NotFound, "there is no plan").WithHint("let an agent make one: kedge plan GOAL; or write one yourself: kedge plan new TITLE")
	}
	return plan.ParsePlan(ledger.PlanFile, b)
}

// PlanCheckRequest asks for the faults of a plan. Path is the caller's PATH: the
// daemon's may be another.
type PlanCheckRequest struct {
	Path string `json:"path"`
}

// PlanCheckReply lists what is wrong with the plan. OK means that no finding is
// an error.
type PlanCheckReply struct {
	OK       bool            `json:"ok"`
	Findings []kedge.Finding `json:"findings"`
}

// PlanCheck looks at the plan that stands in plan.md.
func (s *Planner) PlanCheck(ctx context.Context, who projects.Caller, in PlanCheckRequest) (PlanCheckReply, error) {
	l, p, err := s.book.ReadFeatures(ctx, who)
	if err != nil {
		return PlanCheckReply{}, err
	}
	d, err := s.currentPlan(p, l)
	if err != nil {
		return PlanCheckReply{}, err
	}
	findings := append([]kedge.Finding{}, checkPlan(p, d, in.Path)...)
	findings = append(findings, withoutService(ctx, p, d.Plan)...)
	return PlanCheckReply{OK: !plan.Failed(findings), Findings: findings}, nil
}

// PlanApproveRequest approves the draft in plan.md.
type PlanApproveRequest struct {
	Path string   `json:"path"`          // the caller's PATH
	Try  bool     `json:"try,omitempty"` // run the plan's commands first, and tell which are red
	Env  []string `json:"env,omitempty"` // the caller's, for that; used, never written down
}

// PlanApproveReply is the frozen plan and what was made of it.
type PlanApproveReply struct {
	ID       kedge.PlanID      `json:"id"`
	Title    string            `json:"title"`
	Status   kedge.PlanStatus  `json:"status"`
	Hash     string            `json:"hash"`
	Features []kedge.FeatureID `json:"features"`
	Limits   []PathLimit       `json:"limits"` // what the work on each may change, in the order of the features
	Locked                     // what it decided, and what it opened
	Commit   *string           `json:"commit"`  // nil: a plain folder, nothing to commit, or not written
	Started  bool              `json:"started"` // the run that planned goes on with the work now
	Checks   []string          `json:"checks"`  // that the plan added to gate.toml
	Setup    string            `json:"setup"`   // that the plan added to config.toml; empty: none
	Before   []Before          `json:"before"`  // what the plan's commands said before the work
	ledger.Notices
}

// PathLimit is what the work on a feature may change, and the line that says so.
type PathLimit struct {
	Feature kedge.FeatureID `json:"feature"`
	Paths   []string        `json:"paths"` // none: everything
	Where   string          `json:"where,omitempty"`
}

// PlanApprove freezes the draft in plan.md, makes one feature of each item, and
// commits both files.
func (s *Planner) PlanApprove(ctx context.Context, who projects.Caller, in PlanApproveRequest) (PlanApproveReply, error) {
	if err := projects.PersonOnly(who, "approve a plan"); err != nil {
		return PlanApproveReply{}, err
	}
	author, err := s.author(ctx, who)
	if err != nil {
		return PlanApproveReply{}, err
	}
	before, tried, err := s.before(ctx, who, in)
	if err != nil {
		return PlanApproveReply{}, err
	}
	p, evs, aside, err := s.book.Change(ctx, who, func(p *projects.Project, l ledger.Snapshot) ([]kedge.Event, error) {
		d, err := s.approvable(ctx, p, l, in)
		if err != nil {
			return nil, err
		}
		if err := unchangedSince(tried, d); err != nil {
			return nil, err
		}
		return s.approve(ctx, p, l, who, d)
	})
	if err != nil {
		return PlanApproveReply{}, err
	}
	data, ev, err := savedPlan(evs)
	if err != nil {
		return PlanApproveReply{}, err
	}
	reply := PlanApproveReply{Before: before, Checks: []string{}, ID: data.ID, Title: data.Title, Status: data.Status, Hash: data.Hash, Features: data.Features, Notices: aside}
	if reply.Locked, err = lockedBy(evs); err != nil {
		return reply, err
	}
	if reply.Limits, err = limitsOf(ctx, p, data); err != nil {
		return reply, err
	}
	if aside.Unwritten(ledger.PlanFile) || aside.Unwritten(ledger.FeaturesFile) {
		return reply, nil // what stands there is not what was approved
	}
	founded, err := s.found(p, data)
	if err != nil {
		return reply, err
	}
	reply.Checks, reply.Setup = append(reply.Checks, founded.checks...), founded.setup
	files, err := s.dueFiles(p, data)
	if err != nil {
		return reply, err
	}
	if reply.Commit, err = s.commitPlan(ctx, p, author, data, ev, slices.Concat(files, founded.files)...); err != nil {
		return reply, err
	}
	if err := s.notDue(p, data.ID); err != nil {
		return reply, err
	}
	reply.Started, err = s.planApproved(ctx, p, who)
	return reply, err
}

// limitsOf says what the features of an approved plan may change.
func limitsOf(ctx context.Context, p *projects.Project, data kedge.PlanData) ([]PathLimit, error) {
	l, err := ledger.ReadSnapshot(ctx, p)
	if err != nil {
		return nil, err
	}
	out := []PathLimit{}
	for _, id := range data.Features {
		d, err := l.Find(id)
		if err != nil {
			continue // a retry after it was taken out again
		}
		at := plan.LimitedBy(d.Definition, func(file string) []byte {
			if file == ledger.PlanFile {
				return []byte(data.Text)
			}
			return nil
		})
		out = append(out, PathLimit{Feature: id, Paths: d.Paths, Where: at})
	}
	return out, nil
}

// author is who a commit is by, found before anything is decided; nobody for a
// plain folder.
func (s *Planner) author(ctx context.Context, who projects.Caller) (*git.Person, error) {
	p, err := s.home.OpenSetUp(ctx, who)
	if err != nil || !p.Git {
		return nil, err
	}
	r, err := s.home.Git(ctx, p)
	if err != nil {
		return nil, err
	}
	h, err := r.Head(ctx)
	if err != nil {
		return nil, err
	}
	if h.Detached {
		return nil, kedge.Errorf(kedge.Blocked, "HEAD is detached, so there is no branch on which Kedge can commit the plan").WithHint("make a branch here: git switch -c work")
	}
	person, err := r.Identity(ctx)
	return &person, err
}

// approve gives the facts of an approval: the frozen text, its features and decisions.
func (s *Planner) approve(ctx context.Context, p *projects.Project, l ledger.Snapshot, who projects.Caller, d *plan.Doc) ([]kedge.Event, error) {
	gives, err := foundingOf(p, d.Plan) // before anything is written
	if err != nil {
		return nil, err
	}
	_, base := s.home.Head(ctx, p)
	features := plan.Features(d.Plan, func(id kedge.FeatureID) bool { _, err := l.Find(id); return err == nil })
	made, err := s.madePlan(ctx, p, d.Plan.ID)
	if err != nil {
		return nil, err
	}
	id, title := made.ID, d.Plan.Title
	text, hash := d.Freeze(id, base)
	if redact.Text(string(text)) != string(text) {
		return nil, kedge.Errorf(kedge.Invalid, "%s contains what looks like a secret, so Kedge did not approve the plan", ledger.PlanFile).WithHint("write the name of an environment variable instead of the secret, then repeat your command")
	}
	data := kedge.PlanData{ID: id, Title: title, Status: kedge.PlanApproved, Text: string(text), Hash: hash, Goal: made.Goal, Run: made.Run}
	for _, f := range features {
		data.Features = append(data.Features, f.ID)
	}
	evs, err := l.Add(who, planSource(id), features)
	if err != nil {
		return nil, err
	}
	saved, err := projects.Event(kedge.PlanSaved, who, data)
	if err != nil {
		return nil, err
	}
	locked, err := s.locks(ctx, p, who, d.Plan)
	if err == nil && len(gives.files) > 0 {
		err = s.keepDue(p, id)
	}
	return slices.Concat(evs, []kedge.Event{saved}, locked), err
}

// notApprovable refuses a plan that no session has given yet, and one that stands
// for the plan which is followed already: its features would be made twice.
func (s *Planner) notApprovable(ctx context.Context, p *projects.Project, l ledger.Snapshot, of kedge.Plan) error {
	switch {
	case l.Open != nil && l.Open.ID == of.ID && len(of.Phases) == 0 && len(plan.OpenQuestions(of)) == 0:
		last, found, err := ledger.LastRun(ctx, p)
		if err == nil {
			err = errUnfinished(of, found && last.Planning() && !last.Ended() && len(last.Jobs) > 0, found && last.Planning() && last.Ended())
		}
		return err
	case l.Plan != nil && l.Plan.Status == kedge.PlanApproved && l.Plan.Title == of.Title:
		return kedge.Errorf(kedge.Conflict, "you approved the plan %q already, and it is not done; a second approval would add its features twice", of.Title).
			WithHint("to change that plan: kedge plan amend --help; if this is another plan, give it another title in the file")
	}
	return nil
}

// errUnfinished refuses a plan without items. A planning session may be at work on it, or
// its run was halted. Otherwise, where its questions are answered, planning continues with
// them; where it has none, no planning session gave anything.
func errUnfinished(p kedge.Plan, works, halted bool) error {
	switch {
	case works:
		return kedge.Errorf(kedge.Blocked, "a planning session is still working on the plan %q, so there is nothing to approve yet", p.Title).WithHint("watch that session (the command starts nothing new): kedge run")
	case halted:
		return kedge.Errorf(kedge.Blocked, "there is no plan to approve, because the planning run for %q was halted before its end", p.Title).
			WithHint("continue the planning run: kedge run --continue; or drop the plan: kedge plan drop")
	case len(p.Questions) > 0:
		return kedge.Errorf(kedge.Blocked, "the plan %q is not finished yet", p.Title).WithHint("let Kedge continue planning with the answers in %s: kedge run", ledger.PlanFile)
	}
	return kedge.Errorf(kedge.Blocked, "the plan %q has no items yet", p.Title).
		WithHint("make the plan again: kedge plan --again; or write the items into %s yourself, then: kedge plan approve", ledger.PlanFile)
}

// shownPlanErrors is how many faults of a plan an error names.
const shownPlanErrors = 5

// planErrors makes one error of all that keeps a plan from being approved.
func planErrors(findings []kedge.Finding) error {
	var all []string
	for _, f := range findings {
		if f.Level == kedge.LevelError {
			all = append(all, f.Where+": "+f.What)
		}
	}
	if len(all) == 0 {
		return nil
	}
	if more := len(all) - shownPlanErrors; more > 0 {
		all = append(all[:shownPlanErrors], fmt.Sprintf("and %d more", more))
	}
	return kedge.Errorf(kedge.Invalid, "%s", strings.Join(all, "; ")).WithHint("see each mistake and its fix: kedge plan check; the format: docs/reference/plan-format.md of Kedge")
}

// draft reads the plan that is to be approved.
func (s *Planner) draft(p *projects.Project, l ledger.Snapshot) (*plan.Doc, error) {
	d, err := s.currentPlan(p, l)
	if err != nil {
		return nil, err
	}
	switch d.Plan.Status {
	case kedge.PlanDrafting, kedge.PlanWaiting, kedge.PlanReady:
		return d, nil
	case kedge.PlanApproved, kedge.PlanDone, kedge.PlanAbandoned:
	}
	if l.Open != nil && l.Open.ID == d.Plan.ID {
		return nil, kedge.Errorf(kedge.Conflict, "you have not approved this plan yet, although %s says \"status: %s\"", ledger.PlanFile, d.Plan.Status).
			WithHint("change that line to \"status: %s\", then: kedge plan approve", kedge.PlanReady)
	}
	hint := "to change the plan, edit the file, then: kedge plan amend --reason WHY"
	if d.Plan.Status != kedge.PlanApproved {
		hint = "start the next plan: kedge plan GOAL; or add items to this plan: edit the file, then: kedge plan amend --reason WHY"
	}
	return nil, kedge.Errorf(kedge.Conflict, "the plan in %s is already %s", ledger.PlanFile, d.Plan.Status).WithHint("%s", hint)
}

// savedPlan finds the plan among the events of an approval.
func savedPlan(evs []kedge.Event) (kedge.PlanData, kedge.Event, error) {
	var data kedge.PlanData
	for _, ev := range evs {
		if ev.Type == kedge.PlanSaved {
			err := json.Unmarshal(ev.Data, &data)
			return data, ev, err
		}
	}
	return data, kedge.Event{}, kedge.Errorf(kedge.Internal, "Kedge approved the plan, but cannot find the approval in its journal of this project")
}

// commitPlan commits the plan and its features, and what else Kedge wrote. Its date is the event's, so that
// a retry makes the same commit or none.
func (s *Planner) commitPlan(ctx context.Context, p *projects.Project, author *git.Person, data kedge.PlanData, ev kedge.Event, founded ...string) (*string, error) {
	if author == nil {
		return nil, nil
	}
	r, err := s.home.Git(ctx, p)
	if err != nil {
		return nil, err
	}
	more, err := s.landing.Uncommitted(ctx, p, r)
	if err != nil {
		return nil, err
	}
	sha, err := r.CommitPaths(ctx, git.CommitPathsRequest{
		Paths:   slices.Compact(slices.Sorted(slices.Values(slices.Concat(more, founded, []string{ledger.FeaturesFile, ledger.PlanFile})))),
		Message: "kedge: approve the plan \"" + data.Title + "\"\n\nKedge-Plan: " + string(data.ID),
		Date:    ev.At, Author: *author,
	})
	if err != nil || sha == "" {
		return nil, err
	}
	return &sha, nil
}

// madePlan is the plan that sessions made, by the id in the draft that is to be
// approved; for any other draft a new id and nothing else.
func (s *Planner) madePlan(ctx context.Context, p *projects.Project, id kedge.PlanID) (kedge.PlanData, error) {
	if id != "" {
		d, ok, err := journal.Get[kedge.PlanData](ctx, p.Store, journal.KindPlan, string(id))
		if err != nil || ok && d.Run != "" && ledger.IsOpenPlan(d) {
			return d, err
		}
	}
	return kedge.PlanData{ID: kedge.PlanID(kedge.NewID("pln", s.home.Now()))}, nil
}

// ResumeApproval takes an approval to its end that a crash cut: the same request, made
// again.
func (s *Planner) ResumeApproval(ctx context.Context, who projects.Caller) error {
	_, err := s.PlanApprove(ctx, who, PlanApproveRequest{})
	return err
}
