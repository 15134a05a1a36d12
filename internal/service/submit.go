package service

import (
	"context"
	"encoding/json"
	"strings"

	"kedge"
	"kedge/internal/plan"
	"kedge/internal/store"
)

// maxFiles bounds the list of files that a completed feature keeps.
const maxFiles = 500

// FeatureSubmitRequest asks Kedge to verify a feature.
type FeatureSubmitRequest struct {
	ID  kedge.FeatureID `json:"id"`
	Env []string        `json:"env,omitempty"` // the caller's environment; used, never written down
}

// FeatureSubmitReply is what was found. Verdict is nil when there was not one
// check to run.
type FeatureSubmitReply struct {
	Feature  kedge.Feature        `json:"feature"`
	Verdict  *kedge.Verdict       `json:"verdict"`
	Evidence kedge.EvidenceID     `json:"evidence"`
	Edits    []kedge.HandEditData `json:"edits,omitempty"`
}

// FeatureSubmit is the only way to complete a feature: Kedge runs all of the
// project's checks and the feature's own, as the journal has them, on the tree
// as it stands. A full green verdict completes it; a feature without checks then
// waits for a person. A red verdict is an answer, not an error.
func (s *Service) FeatureSubmit(ctx context.Context, who Caller, in FeatureSubmitRequest) (FeatureSubmitReply, error) {
	p, err := s.project(ctx, who)
	if err != nil {
		return FeatureSubmitReply{}, err
	}
	if evs, seen, err := s.seenBefore(ctx, p, who); seen || err != nil {
		return s.submitReply(ctx, p, in.ID, evs, nil, err)
	}
	def, edits, err := s.submitted(ctx, p, who, in.ID)
	if err != nil {
		return FeatureSubmitReply{}, err
	}
	proof, err := s.prove(ctx, p, who, def, in.Env)
	if err != nil {
		return FeatureSubmitReply{}, err
	}
	evs, err := s.write(ctx, p, who, func() ([]kedge.Event, error) { return s.conclude(ctx, p, who, def, proof) })
	if err == nil {
		err = s.projectLedger(ctx, p)
	}
	return s.submitReply(ctx, p, in.ID, evs, edits, err)
}

// submitted settles hand edits and gives the definition to judge by. It writes
// no fact of its own, so it needs no key.
func (s *Service) submitted(ctx context.Context, p *project, who Caller, id kedge.FeatureID) (def kedge.Definition, edits []kedge.HandEditData, err error) {
	who.Key = ""
	_, err = s.write(ctx, p, who, func() ([]kedge.Event, error) {
		if edits, err = s.settle(ctx, p, who); err != nil {
			return nil, err
		}
		d, err := submittable(ctx, p, id)
		if err == nil {
			def = d.Definition
		}
		return nil, err
	})
	return def, edits, err
}

// submittable finds a feature that a verdict could complete: nobody has stopped
// it, and everything that it builds on is completed.
func submittable(ctx context.Context, p *project, id kedge.FeatureID) (*store.FeatureDoc, error) {
	l, err := readLedger(ctx, p)
	if err != nil {
		return nil, err
	}
	d, err := l.find(id)
	if err != nil {
		return nil, err
	}
	if d.Status == kedge.Skipped || d.Status == kedge.BlockedWork {
		return nil, kedge.Errorf(kedge.Conflict, "feature %q is %s", id, d.Status).WithHint("kedge feature reopen %s", id)
	}
	at, err := plan.WhyNotReady(l.features(), id)
	if err != nil {
		return nil, err
	}
	if len(at.Blockers) > 0 {
		return nil, notReady(at)
	}
	return d, nil
}

// proof is a verdict, if there was anything to run, and the files it is about.
type proof struct {
	evidence *kedge.Evidence
	files    []string
}

func (s *Service) prove(ctx context.Context, p *project, who Caller, def kedge.Definition, env []string) (proof, error) {
	if len(def.Checks) == 0 {
		none, err := s.noChecks(ctx, p, who)
		if none || err != nil {
			return proof{}, err
		}
	}
	ev, err := s.gateFeature(ctx, p, who, def, env)
	if err != nil {
		return proof{}, err
	}
	files, err := s.filesOf(ctx, p, ev.Verdict.Tree)
	return proof{evidence: &ev, files: files}, err
}

// noChecks tells whether the project has no check of its own either.
func (s *Service) noChecks(ctx context.Context, p *project, who Caller) (bool, error) {
	rules := rulesSource{p: p}
	if who.IsAgent() {
		repo, base, err := s.gateBase(ctx, p)
		if err != nil {
			return false, err
		}
		rules.repo, rules.base = repo, base
	}
	g, err := rules.gate(ctx)
	return len(g.Checks) == 0, err
}

// filesOf lists what the tree changes since HEAD, Kedge's own files left out.
func (s *Service) filesOf(ctx context.Context, p *project, tree string) ([]string, error) {
	repo, base, err := s.gateBase(ctx, p)
	if err != nil || repo == nil || base == "" || tree == "" {
		return nil, err
	}
	changes, err := repo.Diff(ctx, base, tree)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, c := range changes {
		if !strings.HasPrefix(c.Path, ".kedge/") && c.Path != "AGENT_CONTEXT.md" && len(files) < maxFiles {
			files = append(files, c.Path)
		}
	}
	return files, nil
}

// conclude makes the facts of a verdict. The feature must still be the one that
// was judged.
func (s *Service) conclude(ctx context.Context, p *project, who Caller, def kedge.Definition, pr proof) ([]kedge.Event, error) {
	d, err := submittable(ctx, p, def.ID)
	if err != nil {
		return nil, err
	}
	_, judged := plan.Canonical(def)
	if _, now := plan.Canonical(d.Definition); now != judged {
		return nil, kedge.Errorf(kedge.Conflict, "feature %q was amended meanwhile", def.ID).WithHint("kedge feature submit %s", def.ID)
	}
	var evs []kedge.Event
	if pr.evidence != nil {
		if evs, err = gateEvents(who, *pr.evidence); err != nil {
			return nil, err
		}
	}
	data, moves := s.outcome(*d, pr)
	if !moves {
		return evs, nil
	}
	l, err := readLedger(ctx, p)
	if err != nil {
		return nil, err
	}
	who.Actor = kedge.ActorDaemon // the status is Kedge's word, whoever asked
	more, err := l.status(who, data)
	return append(evs, more...), err
}

// outcome is what a verdict does to a feature; moves is false when it stays
// what it was.
func (s *Service) outcome(d store.FeatureDoc, pr proof) (data kedge.FeatureStatusData, moves bool) {
	data = kedge.FeatureStatusData{ID: d.ID, Files: pr.files}
	if pr.evidence != nil {
		data.Evidence = &pr.evidence.ID
	}
	passed := pr.evidence == nil || pr.evidence.Verdict.Green() && !pr.evidence.Verdict.Partial
	switch {
	case !passed && d.Status == kedge.Completed:
		data = withoutProof(data)
		data.Status, data.Reason, data.Files = kedge.Regressed, "its checks are red", nil
		data.Evidence = &pr.evidence.ID
	case !passed, d.Status == kedge.Completed:
		return data, false
	case len(d.Checks) == 0:
		data.Status, data.Reason = kedge.NeedsReview, "it has no checks of its own: a person must accept it"
	default:
		now := s.now()
		data.Status, data.CompletedAt = kedge.Completed, &now
	}
	return data, true
}

// submitReply makes the answer from the events, so that a retry gets the same.
func (s *Service) submitReply(ctx context.Context, p *project, id kedge.FeatureID, evs []kedge.Event, edits []kedge.HandEditData, err error) (FeatureSubmitReply, error) {
	if err != nil {
		return FeatureSubmitReply{}, err
	}
	reply := FeatureSubmitReply{Edits: edits}
	for _, e := range evs {
		if e.Type != kedge.GateFinished {
			continue
		}
		var ev kedge.Evidence
		if err := json.Unmarshal(e.Data, &ev); err != nil {
			return reply, kedge.Errorf(kedge.Internal, "read evidence: %w", err)
		}
		reply.Verdict, reply.Evidence = &ev.Verdict, ev.ID
	}
	d, ok, err := store.Get[store.FeatureDoc](ctx, p.store, store.KindFeature, string(id))
	if err == nil && !ok {
		err = kedge.Errorf(kedge.Internal, "feature %q is not in the ledger", id)
	}
	reply.Feature = d.Feature
	return reply, err
}
