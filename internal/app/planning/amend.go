package planning

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/core/plan"
	"kedge/internal/core/run"
	"kedge/internal/text/redact"
	"kedge/internal/text/words"
)

// PlanAmendRequest gives an approved plan a new text.
type PlanAmendRequest struct {
	Text   string `json:"text,omitempty"` // of the whole file; empty: .kedge/plan.md
	File   string `json:"file,omitempty"` // where the text is from, for messages
	Reason string `json:"reason"`
	DryRun bool   `json:"dry_run,omitempty"` // only say what would change
	Path   string `json:"path"`              // the caller's PATH
}

// PlanAmendReply is what an amendment changed, or would change.
type PlanAmendReply struct {
	ID       kedge.PlanID       `json:"id"`
	Title    string             `json:"title"`
	Hash     string             `json:"hash"`
	Was      string             `json:"was"` // the hash before
	DryRun   bool               `json:"dry_run"`
	Added    []kedge.FeatureID  `json:"added"`
	Amended  []AmendedFeature   `json:"amended"`
	Skipped  []kedge.FeatureID  `json:"skipped"`  // their items were removed before they were done
	Restored []kedge.FeatureID  `json:"restored"` // their items were removed earlier and are back
	Fields   []plan.FieldChange `json:"fields"`
	Status   kedge.PlanStatus   `json:"status"`
	Locked                      // what it decided, and what it opened
	Told     bool               `json:"told"` // a run that is going on was informed

	NotGreen []plan.NotGreen `json:"not_green,omitempty"` // the plan's commands that are not green, if this ends it
	ledger.Notices
}

// AmendedFeature is a feature that follows the new text, and what of its definition changed.
type AmendedFeature struct {
	ID   kedge.FeatureID `json:"id"`
	Keys []string        `json:"keys"`
}

// PlanAmend replaces the text of the approved plan. Only you may, with a reason. Features
// follow their items: new ones are added, open ones amended, those without an item skipped.
// Completed ones stay. The run that is going on is informed.
func (s *Planner) PlanAmend(ctx context.Context, who projects.Caller, in PlanAmendRequest) (PlanAmendReply, error) {
	if err := projects.PersonOnly(who, "amend a plan"); err != nil {
		return PlanAmendReply{}, err
	}
	if strings.TrimSpace(in.Reason) == "" && !in.DryRun {
		return PlanAmendReply{}, kedge.Errorf(kedge.Invalid, "to amend the plan, you need a reason").WithHint("repeat your command with: --reason WHY")
	}
	p, err := s.home.OpenSetUp(ctx, who)
	if err != nil {
		return PlanAmendReply{}, err
	}
	var reply PlanAmendReply
	evs, err := s.home.Write(ctx, p, who, func() ([]kedge.Event, error) {
		l, err := ledger.ReadSnapshot(ctx, p)
		if err != nil {
			return nil, err
		}
		a, err := s.amendment(p, l, in)
		if err != nil {
			return nil, err
		}
		reply = a.reply(in)
		if in.DryRun {
			return nil, nil
		}
		return s.amendEvents(ctx, p, l, who, a, in.Reason)
	})
	if err != nil || in.DryRun {
		return reply, err
	}
	if reply.ID == "" { // the same request again, after a crash
		if reply, err = amendedBefore(ctx, p, evs); err != nil {
			return reply, err
		}
	}
	if reply.Locked, err = lockedBy(evs); err != nil {
		return reply, err
	}
	if reply.Told, err = s.tellAmended(ctx, p, who, reply, in.Reason); err != nil {
		return reply, err
	}
	if reply.NotGreen, err = ledger.NotGreen(ctx, p); err != nil {
		return reply, err
	}
	reply.Warnings, err = s.book.SyncFiles(ctx, p)
	return reply, err
}

// amendment is a new text of the approved plan, and what it changes.
type amendment struct {
	plan.Amendment
	was  kedge.PlanData
	data kedge.PlanData
	doc  *plan.Doc
}

func (a amendment) reply(in PlanAmendRequest) PlanAmendReply {
	r := PlanAmendReply{
		ID: a.data.ID, Title: a.data.Title, Hash: a.data.Hash, Was: a.was.Hash, Status: a.data.Status, DryRun: in.DryRun,
		Added: []kedge.FeatureID{}, Amended: []AmendedFeature{}, Skipped: []kedge.FeatureID{}, Restored: append([]kedge.FeatureID{}, a.Restored...), Fields: append([]plan.FieldChange{}, a.Fields...),
		Locked: Locked{Decisions: []kedge.Decision{}, Risks: []kedge.Risk{}},
	}
	for _, f := range a.Added {
		r.Added = append(r.Added, f.ID)
	}
	for _, f := range a.Changed {
		r.Amended = append(r.Amended, AmendedFeature{f.ID, f.Keys})
	}
	r.Skipped = append(r.Skipped, a.Removed...)
	return r
}

// noApproved is the error of an amendment without an approved plan: there is a draft to
// approve, or nothing.
func noApproved(p *projects.Project) error {
	err := kedge.Errorf(kedge.NotFound, "there is no approved plan to amend")
	if _, draft, _ := p.Read(ledger.PlanFile); draft { // unreadable is there
		return err.WithHint("approve the plan that waits in " + ledger.PlanFile + ": kedge plan approve")
	}
	return err.WithHint("make a plan first: kedge plan GOAL")
}

// amendment reads the new text and holds it against the approved plan.
func (s *Planner) amendment(p *projects.Project, l ledger.Snapshot, in PlanAmendRequest) (amendment, error) {
	if l.Plan == nil {
		return amendment{}, noApproved(p)
	}
	d, err := newText(p, in)
	if err != nil {
		return amendment{}, err
	}
	if d.Plan.ID != l.Plan.ID {
		return amendment{}, kedge.Errorf(kedge.Conflict, "your text is not a new version of the approved plan %q, because it lacks that plan's line \"id: %s\"", l.Plan.Title, l.Plan.ID).
			WithHint("edit %s, or a copy of that file; then repeat your command", ledger.PlanFile)
	}
	if err := planErrors(checkPlan(p, d, in.Path)); err != nil {
		return amendment{}, err
	}
	if open := plan.OpenQuestions(d.Plan); len(open) > 0 {
		return amendment{}, kedge.Errorf(kedge.Blocked, "your text has no answer to its question %d: %s", open[0].N, open[0].Text).WithHint("add a line below the question, beginning with \"answer:\"; then repeat your command")
	}
	frozen, err := plan.ParsePlan(ledger.PlanFile, []byte(l.Plan.Text))
	if err != nil {
		return amendment{}, err
	}
	a := amendment{was: *l.Plan, data: *l.Plan, doc: d}
	a.Amendment, err = plan.Amend(frozen.Plan, d.Plan, l.Plan.Features, func(id kedge.FeatureID) (plan.Known, bool) {
		f, err := l.Find(id)
		if err != nil {
			return plan.Known{}, false
		}
		return plan.Known{Feature: f.Feature, Planned: f.Source == planSource(l.Plan.ID)}, true
	})
	if err != nil {
		return a, err
	}
	if a.Empty() && d.Plan.Title == l.Plan.Title {
		return a, kedge.Errorf(kedge.Invalid, "your text is the same as the approved plan, so nothing changed").
			WithHint("edit %s, or a copy of it, then: kedge plan amend FILE --reason WHY", ledger.PlanFile)
	}
	a.Removed = slices.DeleteFunc(a.Removed, func(id kedge.FeatureID) bool { f, err := l.Find(id); return err != nil || f.Status.Over() })
	text, hash := d.Freeze(l.Plan.ID, frozen.Plan.Base)
	if redact.Text(string(text)) != string(text) {
		return a, kedge.Errorf(kedge.Invalid, "your text contains what looks like a secret, so Kedge did not store it").WithHint("write the name of an environment variable instead of the secret, then repeat your command")
	}
	a.data.Text, a.data.Hash, a.data.Title, a.data.Features = string(text), hash, d.Plan.Title, a.Features
	a.data.Reason, a.data.Earlier = strings.TrimSpace(in.Reason), ledger.ContextOf(a.was)
	a.data.Status = a.statusAfter(l)
	return a, nil
}

// newText is the text that is given, or that of plan.md.
func newText(p *projects.Project, in PlanAmendRequest) (*plan.Doc, error) {
	if in.Text != "" {
		return plan.ParsePlan(cmp.Or(in.File, ledger.PlanFile), ledger.ToLF([]byte(in.Text)))
	}
	b, _, err := p.Read(ledger.PlanFile)
	if err != nil {
		return nil, err
	}
	return plan.ParsePlan(ledger.PlanFile, ledger.ToLF(b))
}

// statusAfter is that of the plan with its new features: done where all of them are.
func (a amendment) statusAfter(l ledger.Snapshot) kedge.PlanStatus {
	for _, id := range a.Features {
		f, err := l.Find(id)
		if err != nil || !f.Status.Over() || f.Status == kedge.Skipped && slices.Contains(a.Restored, id) {
			return kedge.PlanApproved
		}
	}
	return kedge.PlanDone
}

// amendEvents are the facts of an amendment. The list of features must be whole with all
// of it, so that is what is validated.
func (s *Planner) amendEvents(ctx context.Context, p *projects.Project, l ledger.Snapshot, who projects.Caller, a amendment, reason string) ([]kedge.Event, error) {
	before := l.Features()
	evs, err := l.Add(who, planSource(a.data.ID), a.Added)
	if err != nil {
		return nil, err
	}
	var changed []kedge.FeatureID
	for _, c := range a.Changed {
		f, err := l.Find(c.ID)
		if err != nil {
			return nil, err
		}
		was := *f
		f.Definition = c.Now
		one, err := l.Amend(who, was, c.Now, "", reason)
		if err != nil {
			return nil, err
		}
		changed = append(changed, c.ID)
		evs = append(evs, slices.DeleteFunc(one, func(ev kedge.Event) bool { return ev.Type == kedge.PlanSaved })...) // that follows, once
	}
	after := l.Features()
	for _, f := range a.Added {
		changed = append(changed, f.ID)
		after = append(after, kedge.Feature{Definition: f.Definition, FeatureState: kedge.FeatureState{Status: kedge.Pending}})
	}
	if err := plan.ValidateChange(before, after, changed...); err != nil {
		return nil, err
	}
	moved, err := a.statusEvents(l, who, reason)
	if err != nil {
		return nil, err
	}
	saved, err := projects.Event(kedge.PlanSaved, who, a.data)
	if err != nil {
		return nil, err
	}
	locked, err := s.locks(ctx, p, who, a.doc.Plan)
	return slices.Concat(evs, moved, []kedge.Event{saved}, locked), err
}

// statusEvents skip the features whose items were removed, and reopen the skipped ones
// whose items are back.
func (a amendment) statusEvents(l ledger.Snapshot, who projects.Caller, reason string) ([]kedge.Event, error) {
	var list []kedge.FeatureStatusData
	for _, id := range a.Removed {
		list = append(list, kedge.FeatureStatusData{ID: id, Status: kedge.Skipped, Reason: removedWhy(reason)})
	}
	for _, id := range a.Restored {
		if f, err := l.Find(id); err == nil && f.Status == kedge.Skipped {
			list = append(list, kedge.FeatureStatusData{ID: id, Status: kedge.Pending, Reason: "the plan has its item again: " + reason})
		}
	}
	var out []kedge.Event
	for _, data := range list {
		ev, err := projects.Event(kedge.FeatureStatus, who, ledger.WithoutProof(data))
		if err != nil {
			return nil, err
		}
		out = append(out, ev)
	}
	return out, nil
}

// planSource is what the features of a plan have as their source.
func planSource(id kedge.PlanID) string { return "plan:" + string(id) }

func removedWhy(reason string) string { return "the plan no longer has its item: " + reason }

// tellAmended tells the run that is going on about every feature that changed, and those
// who work for it now what is new in the plan.
func (s *Planner) tellAmended(ctx context.Context, p *projects.Project, who projects.Caller, r PlanAmendReply, reason string) (bool, error) {
	st, live, err := ledger.LiveRun(ctx, p)
	if err != nil || !live || st.Planning() {
		return false, err
	}
	var list []run.Input
	if len(r.Added) > 0 {
		list = append(list, run.Input{Kind: run.Planned, Feature: r.Added[0]})
	}
	l, err := ledger.ReadSnapshot(ctx, p)
	if err != nil {
		return false, err
	}
	for _, a := range r.Amended {
		f, err := l.Find(a.ID)
		if err != nil {
			return false, err
		}
		list = append(list, run.Input{Kind: run.Amended, Feature: a.ID, Hash: f.Hash, Reason: reason})
	}
	for _, id := range r.Skipped {
		list = append(list, run.Input{Kind: run.Skipped, Feature: id, Reason: removedWhy(reason)})
	}
	for _, id := range r.Restored {
		if f, err := l.Find(id); err == nil && f.Status == kedge.Pending {
			list = append(list, run.Input{Kind: run.Reopened, Feature: id})
		}
	}
	for _, j := range st.Jobs {
		if j.Feature < 0 || j.Feature >= len(st.Features) || len(r.Fields) == 0 {
			continue
		}
		list = append(list, run.Input{Kind: run.Said, Feature: st.Features[j.Feature].ID, Text: amendedText(r, reason)})
	}
	for i, ev := range list {
		if err := s.runs.ForFeatures().Tell(ctx, p, who, ev); err != nil {
			return i > 0, err
		}
	}
	return len(list) > 0, nil
}

// maxAmended bounds what a session is told about an amendment, in bytes.
const maxAmended = 4000

// amendedText says to a session what changed in the plan.
func amendedText(r PlanAmendReply, reason string) string {
	parts := []string{"The plan was amended: " + reason + "."}
	for _, f := range r.Fields {
		for _, text := range f.Removed {
			parts = append(parts, f.Field+", no longer: "+text+".")
		}
		for _, text := range f.Added {
			parts = append(parts, f.Field+", new: "+text+".")
		}
	}
	return words.ClipBytes(strings.Join(parts, " "), maxAmended)
}
