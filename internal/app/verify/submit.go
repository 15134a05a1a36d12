package verify

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/core/check"
	"kedge/internal/core/plan"
	"kedge/internal/core/review"
	"kedge/internal/engine/gate"
	"kedge/internal/journal"
	"kedge/internal/text/glob"
)

// maxFiles bounds the list of files that a completed feature keeps.
const maxFiles = 500

// FeatureSubmitRequest asks Kedge to verify a feature.
type FeatureSubmitRequest struct {
	ID  kedge.FeatureID `json:"id"`
	Env []string        `json:"env,omitempty"` // the caller's environment; used, never written down
}

// FeatureSubmitReply is the result. Verdict is nil when there was no check to run.
type FeatureSubmitReply struct {
	Feature  kedge.Feature    `json:"feature"`
	Reason   string           `json:"reason,omitempty"`  // why it waits for a person
	Claimed  bool             `json:"claimed,omitempty"` // by a session of a run: the run decides
	Verdict  *kedge.Verdict   `json:"verdict"`
	Evidence kedge.EvidenceID `json:"evidence"`
	ledger.Notices
}

// FeatureSubmit is the only way to complete a feature. Kedge runs all checks of the
// project and of the feature, as the journal has them, on the present tree, and inspects
// everything that changed since the base, committed or not. A complete green verdict
// completes the feature. A feature without checks, or with changes outside its paths,
// then waits for your review. A red verdict is an answer, not an error. For a session of
// a run the call is a claim about its feature: it gets the verdict, and the run decides
// by checks of its own.
func (s *Verifier) FeatureSubmit(ctx context.Context, who projects.Caller, in FeatureSubmitRequest) (reply FeatureSubmitReply, err error) {
	p, err := s.home.OpenSetUp(ctx, who)
	if err != nil {
		return FeatureSubmitReply{}, err
	}
	if err := s.ownFeature(ctx, p, who, in.ID); err != nil {
		return FeatureSubmitReply{}, err
	}
	release, err := s.life.Alone(ctx, who.Key)
	if err != nil {
		return FeatureSubmitReply{}, err
	}
	defer release()
	defer func() { s.gateOver(ctx, p, who, err) }()
	if evs, seen, err := s.seenBefore(ctx, p, who); seen || err != nil {
		return s.submitReply(ctx, p, in.ID, evs, ledger.Notices{}, err)
	}
	var notices ledger.Notices
	doc, edits, err := s.submitted(ctx, p, who, in.ID)
	if err != nil {
		return FeatureSubmitReply{}, err
	}
	proof, err := s.prove(ctx, p, who, doc, in.Env)
	if err != nil {
		return FeatureSubmitReply{}, err
	}
	evs, err := s.home.Write(ctx, p, who, func() ([]kedge.Event, error) { return s.conclude(ctx, p, who, doc.Definition, proof) })
	if err == nil {
		s.keepAnchor(ctx, p, evs)
		notices.Warnings, err = s.ledger.SyncFiles(ctx, p)
	}
	notices.Edits = edits
	return s.submitReply(ctx, p, in.ID, evs, notices, err)
}

// ownFeature refuses a session of a run every feature but the one that it works on;
// the try is written down.
func (s *Verifier) ownFeature(ctx context.Context, p *projects.Project, who projects.Caller, id kedge.FeatureID) error {
	if p.RunSession == nil || p.RunSession.Feature == id {
		return nil
	}
	what := fmt.Sprintf("this session does not work on feature %q", id)
	if err := s.home.Refused(ctx, p, who, p.RunSession.ID, "feature.submit", what); err != nil {
		return err
	}
	e := kedge.Errorf(kedge.Blocked, "%s", what)
	if own := p.RunSession.Feature; own != "" {
		return e.WithHint("submit the feature of this session: kedge feature submit %s", own)
	}
	return e.WithHint("end your turn; Kedge then checks the work itself")
}

// submitted settles hand edits and gives the definition to judge by. It writes
// no fact of its own, so it needs no key.
func (s *Verifier) submitted(ctx context.Context, p *projects.Project, who projects.Caller, id kedge.FeatureID) (doc journal.FeatureDoc, edits []kedge.HandEditData, err error) {
	who.Key = ""
	_, err = s.home.Write(ctx, p, who, func() ([]kedge.Event, error) {
		if edits, err = s.ledger.ResolveEdits(ctx, p, who); err != nil {
			return nil, err
		}
		d, err := submittable(ctx, p, id)
		if err == nil {
			doc = *d
		}
		return nil, err
	})
	return doc, edits, err
}

// submittable finds a feature that a verdict could complete: nobody has stopped
// it, and everything that it builds on is completed.
func submittable(ctx context.Context, p *projects.Project, id kedge.FeatureID) (*journal.FeatureDoc, error) {
	l, err := ledger.ReadSnapshot(ctx, p)
	if err != nil {
		return nil, err
	}
	d, err := l.Find(id)
	if err != nil {
		return nil, err
	}
	if d.Status == kedge.Skipped || d.Status == kedge.BlockedWork {
		return nil, kedge.Errorf(kedge.Conflict, "feature %q is %s, so Kedge does not verify it", id, d.Status).WithHint("first the user must reopen the feature: kedge feature reopen %s", id)
	}
	at, err := plan.WhyNotReady(l.Features(), id)
	if err != nil {
		return nil, err
	}
	if len(at.Blockers) > 0 {
		return nil, ledger.NotReady(at)
	}
	return d, nil
}

// proof is a verdict, if there was anything to run, and the files it is about.
type proof struct {
	evidence *kedge.Evidence
	files    []string
	waits    string   // what of them needs your approval; empty: nothing
	red      string   // the check that is red with the work's tests and without its source; empty: none
	outside  []string // those that are not the feature's to change
	limit    string   // what is, and where that is said
	commits  []string // that made the files what they are; empty: something is not committed
}

func (s *Verifier) prove(ctx context.Context, p *projects.Project, who projects.Caller, doc journal.FeatureDoc, env []string) (proof, error) {
	def := doc.Definition
	b, err := s.heldBase(ctx, p)
	if err != nil {
		return proof{}, err
	}
	var pr proof
	none, err := noChecks(ctx, p, who, def, b)
	if err != nil {
		return pr, err
	}
	tree := ""
	if !none {
		ev, err := s.gateFeature(ctx, p, who, doc, b, env)
		if err != nil {
			return pr, err
		}
		pr.evidence, tree, pr.waits = &ev, ev.Verdict.Tree, review.Reason(ev.Verdict.Findings)
		if doc.Status != kedge.Completed {
			if err := pr.lookAtCorners(ctx, s, p, who, submission(doc, b, env)); err != nil {
				return pr, err
			}
		}
	} else if b.repo != nil {
		if tree, err = b.repo.Tree(ctx); err != nil {
			return pr, err
		}
		if pr.waits, err = s.waits(ctx, p, who, submission(doc, b, env), tree); err != nil {
			return pr, err
		}
	}
	if err := pr.lookAtFiles(ctx, b, tree, def.Paths); err != nil {
		return pr, err
	}
	if pr.commits, err = commitsOf(ctx, b, tree); err != nil {
		return pr, err
	}
	if len(pr.outside) > 0 {
		pr.limit = plan.LimitText(def, plan.LimitedBy(def, func(file string) []byte {
			b, _, err := p.Read(file)
			if err != nil {
				return nil // the paths themselves are said all the same
			}
			return b
		}))
	}
	if pr.evidence == nil {
		return pr, nil
	}
	if err := pr.lookAtCommits(ctx, b); err != nil {
		return pr, err
	}
	return pr, pr.lookBack(ctx, p, def)
}

// lookAtCorners adds what the tests and the source of the work say without each other.
func (pr *proof) lookAtCorners(ctx context.Context, s *Verifier, p *projects.Project, who projects.Caller, j judgement) error {
	waits, red, err := s.corners(ctx, p, who, j, pr.evidence)
	if pr.red = red; pr.waits != "" && waits != "" {
		pr.waits += "; "
	}
	pr.waits += waits
	return err
}

// waits says what of a tree needs your approval, where no gate says it.
func (s *Verifier) waits(ctx context.Context, p *projects.Project, who projects.Caller, j judgement, tree string) (string, error) {
	q, err := s.gateRequest(ctx, p, who, j)
	if err != nil || q.Base == "" {
		return "", err
	}
	found, err := gate.Inspect(ctx, q, tree)
	return review.Reason(found), err
}

// noChecks tells whether neither the feature, nor the project, nor its plan has a check
// that is due.
func noChecks(ctx context.Context, p *projects.Project, who projects.Caller, def kedge.Definition, b base) (bool, error) {
	if len(def.Checks) > 0 {
		return false, nil
	}
	g, err := rulesFor(p, who, b).Gate(ctx)
	if err != nil || len(g.Checks) > 0 {
		return false, err
	}
	plans, err := ledger.CheckoutDemands(ctx, p, def, nil)
	return len(plans.Checks) == len(plans.Later), err
}

// lookAtFiles lists what the tree changes since the base, what Kedge itself
// writes left out, and what of it lies outside the feature's paths.
func (pr *proof) lookAtFiles(ctx context.Context, b base, tree string, paths []string) error {
	if b.repo == nil || b.rev == "" || tree == "" {
		return nil
	}
	changes, err := b.repo.Diff(ctx, b.rev, tree)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if kedge.IsGenerated(c.Path) {
			continue
		}
		if !kedge.IsOwnPath(c.Path) && len(pr.files) < maxFiles {
			pr.files = append(pr.files, c.Path)
		}
		if len(paths) > 0 && !slices.ContainsFunc(paths, func(p string) bool { return glob.Match(p, c.Path) }) {
			pr.outside = append(pr.outside, c.Path)
		}
	}
	return nil
}

// lookBack says which of the feature's checks prove nothing because nobody saw
// them red: they may have been green before the work.
func (pr *proof) lookBack(ctx context.Context, p *projects.Project, def kedge.Definition) error {
	earlier, err := journal.About[kedge.Evidence](ctx, p.Store, journal.KindEvidence, string(def.ID))
	if err != nil {
		return err
	}
	v := &pr.evidence.Verdict
	for _, c := range def.Checks {
		i := slices.IndexFunc(v.Checks, func(r kedge.CheckResult) bool { return r.Name == c.Name && r.Skipped == "" })
		if c.Prove == check.ProveHolds || i < 0 || v.Checks[i].FirstFailure != nil || c.Name == pr.red || wasRed(earlier, def.ID, v.Checks[i]) {
			continue
		}
		v.Findings = append(v.Findings, kedge.Finding{
			Level: kedge.LevelWarning, What: "not proved: this check never failed before the work", Where: c.Name,
			Fix: "next time, submit the feature before the work; if the check must be green before the work too: kedge feature amend " + string(def.ID) + " --prove holds --reason WHY",
		})
	}
	return nil
}

// wasRed tells whether an earlier verdict on the feature saw the same check red.
func wasRed(earlier []kedge.Evidence, id kedge.FeatureID, now kedge.CheckResult) bool {
	for _, ev := range earlier {
		for _, r := range ev.Verdict.Checks {
			if ev.Feature == id && r.Name == now.Name && r.Command == now.Command && r.Skipped == "" && r.FirstFailure != nil {
				return true
			}
		}
	}
	return false
}

// conclude makes the facts of a verdict. The feature must still be the one that
// was judged.
func (s *Verifier) conclude(ctx context.Context, p *projects.Project, who projects.Caller, def kedge.Definition, pr proof) ([]kedge.Event, error) {
	d, err := submittable(ctx, p, def.ID)
	if err != nil {
		return nil, err
	}
	_, judged := plan.Canonical(def)
	if _, now := plan.Canonical(d.Definition); now != judged {
		return nil, kedge.Errorf(kedge.Conflict, "the definition of feature %q changed while its checks ran, so the result does not count", def.ID).WithHint("submit the feature again: kedge feature submit %s", def.ID)
	}
	data, moves := s.outcome(*d, pr)
	moves = moves && p.RunSession == nil // a claim: the run has its own gate
	var evs []kedge.Event
	if ev := pr.evidence; ev != nil {
		ev.Anchor = moves && data.Status == kedge.Completed && ProvesAll(ev.Verdict)
		if evs, err = s.gateEvents(p, who, *ev); err != nil {
			return nil, err
		}
	}
	if !moves {
		return evs, nil
	}
	l, err := ledger.ReadSnapshot(ctx, p)
	if err != nil {
		return nil, err
	}
	who.Actor = kedge.ActorDaemon // the status is Kedge's word, whoever asked
	more, err := l.SetStatus(who, data)
	if err != nil || data.Status != kedge.Completed {
		return append(evs, more...), err
	}
	noted, err := s.noteEvents(ctx, p, who, l, *d, pr)
	return append(append(evs, more...), noted...), err
}

// outcome is what a verdict does to a feature; moves is false when it stays
// what it was.
func (s *Verifier) outcome(d journal.FeatureDoc, pr proof) (data kedge.FeatureStatusData, moves bool) {
	data = kedge.FeatureStatusData{ID: d.ID, Files: pr.files}
	if pr.evidence != nil {
		data.Evidence = &pr.evidence.ID
	}
	passed := pr.evidence == nil || pr.evidence.Verdict.Green() && !pr.evidence.Verdict.Partial
	switch {
	case !passed && d.Status == kedge.Completed:
		data = ledger.WithoutProof(data)
		data.Status, data.Reason, data.Files = kedge.Regressed, "its checks are red", nil
		data.Evidence = &pr.evidence.ID
	case !passed, d.Status == kedge.Completed:
		return data, false
	case len(pr.outside) > 0:
		data.Status, data.Reason = kedge.NeedsReview, "files outside its paths were changed: "+Listed(pr.outside)+"; "+pr.limit
		if pr.waits != "" {
			data.Reason += "; " + pr.waits
		}
	case len(d.Checks) == 0:
		data.Status, data.Reason = kedge.NeedsReview, "it has no checks: you must accept it"
		if pr.waits != "" {
			data.Reason += "; " + pr.waits
		}
	case pr.waits != "":
		data.Status, data.Reason = kedge.NeedsReview, pr.waits
	default:
		now := s.home.Now()
		data.Status, data.CompletedAt = kedge.Completed, &now
	}
	return data, true
}

// shownOutside bounds a list of paths in a reason.
const shownOutside = 100

// Listed joins paths to a text, and shortens a long list.
func Listed(paths []string) string {
	if n := len(paths) - shownOutside; n > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(paths[:shownOutside], ", "), n)
	}
	return strings.Join(paths, ", ")
}

// submitReply makes the answer from the events, so that a retry gets the same.
func (s *Verifier) submitReply(ctx context.Context, p *projects.Project, id kedge.FeatureID, evs []kedge.Event, notices ledger.Notices, err error) (FeatureSubmitReply, error) {
	if err != nil {
		return FeatureSubmitReply{}, err
	}
	reply := FeatureSubmitReply{Notices: notices}
	for _, e := range evs {
		if e.Type != kedge.GateFinished {
			continue
		}
		var ev kedge.Evidence
		if err := json.Unmarshal(e.Data, &ev); err != nil {
			return reply, kedge.Errorf(kedge.Internal, "cannot read the result of the checks in Kedge's journal of this project: %w", err).WithHint("see what is wrong: kedge doctor")
		}
		reply.Verdict, reply.Evidence = &ev.Verdict, ev.ID
	}
	d, ok, err := journal.Get[journal.FeatureDoc](ctx, p.Store, journal.KindFeature, string(id))
	if err == nil && !ok {
		err = kedge.Errorf(kedge.Internal, "Kedge cannot find feature %q in its list now", id).WithHint("see the features: kedge features")
	}
	reply.Feature, reply.Claimed = d.Feature, p.RunSession != nil
	if d.Status == kedge.NeedsReview {
		reply.Reason = d.Reason
	}
	return reply, err
}
