package features

import (
	"context"
	"slices"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/core/plan"
	"kedge/internal/core/run"
	"kedge/internal/journal"
	"kedge/internal/text/words"
)

// FeatureReply is a feature after a change.
type FeatureReply struct {
	Feature  kedge.Feature   `json:"feature"`
	Stranded []plan.Stranded `json:"stranded,omitempty"`  // after a skip: the features that it leaves behind
	NotGreen []plan.NotGreen `json:"not_green,omitempty"` // after a skip that ends the plan: its commands that are not green
	ledger.Notices
}

// changed runs ledger.Change for a command about one feature.
func (s *FeatureList) changed(ctx context.Context, who projects.Caller, id kedge.FeatureID, decide func(p *projects.Project, l ledger.Snapshot) ([]kedge.Event, error)) (FeatureReply, error) {
	p, _, notices, err := s.ledger.Change(ctx, who, decide)
	if err != nil {
		return FeatureReply{}, err
	}
	d, ok, err := journal.Get[journal.FeatureDoc](ctx, p.Store, journal.KindFeature, string(id))
	if err == nil && !ok {
		err = kedge.Errorf(kedge.Internal, "Kedge changed feature %q, but cannot find the feature in its list now", id)
	}
	return FeatureReply{Feature: d.Feature, Notices: notices}, err
}

// FeatureAddRequest adds a feature. Its definition is locked from then on.
type FeatureAddRequest struct {
	Definition kedge.Definition `json:"definition"`
}

// FeatureAdd locks a new definition.
func (s *FeatureList) FeatureAdd(ctx context.Context, who projects.Caller, in FeatureAddRequest) (FeatureReply, error) {
	return s.changedInRun(ctx, who, run.Input{Kind: run.Planned, Feature: in.Definition.ID}, func(p *projects.Project, l ledger.Snapshot) ([]kedge.Event, error) {
		if err := ledger.RefuseUnknownList(p, l); err != nil {
			return nil, err
		}
		if _, err := l.Find(in.Definition.ID); err == nil {
			return nil, kedge.Errorf(kedge.Conflict, "a feature with the id %q exists already", in.Definition.ID).
				WithHint("see that feature: kedge feature show %s; to change it: kedge feature amend --help; or choose another id", in.Definition.ID)
		}
		return l.Add(who, "", []plan.Claimed{{Definition: in.Definition}})
	})
}

// FeatureAmendRequest replaces a definition. Was is the hash of the one that the
// caller saw; empty means whichever is there.
type FeatureAmendRequest struct {
	Definition kedge.Definition `json:"definition"`
	Was        string           `json:"was,omitempty"`
	Reason     string           `json:"reason"`
}

// FeatureAmend changes a locked definition. Nothing else does; agents may not, and a
// reason is required. A feature that was proved by other checks has to be proved again.
func (s *FeatureList) FeatureAmend(ctx context.Context, who projects.Caller, in FeatureAmendRequest) (FeatureReply, error) {
	if err := projects.PersonOnly(who, "amend a feature"); err != nil {
		return FeatureReply{}, err
	}
	if err := needReason(in.Reason, "amend", in.Definition.ID); err != nil {
		return FeatureReply{}, err
	}
	_, hash := plan.Canonical(in.Definition)
	word := run.Input{Kind: run.Amended, Feature: in.Definition.ID, Hash: hash, Reason: in.Reason}
	return s.changedInRun(ctx, who, word, func(_ *projects.Project, l ledger.Snapshot) ([]kedge.Event, error) {
		d, err := l.Find(in.Definition.ID)
		if err != nil {
			return nil, err
		}
		was, before := *d, l.Features()
		d.Definition = in.Definition
		if err := plan.ValidateChange(before, l.Features(), in.Definition.ID); err != nil {
			return nil, err
		}
		return l.Amend(who, was, in.Definition, in.Was, in.Reason)
	})
}

func needReason(reason, command string, id kedge.FeatureID) error {
	if reason == "" {
		return kedge.Errorf(kedge.Invalid, "you need a reason to %s feature %q", command, id).WithHint("repeat your command with: --reason WHY")
	}
	return nil
}

// FeatureStatusRequest moves a feature by hand: block, reopen, skip or accept it.
type FeatureStatusRequest struct {
	ID     kedge.FeatureID `json:"id"`
	Reason string          `json:"reason,omitempty"`
}

// FeatureBlock says that a feature cannot go on, by anyone.
func (s *FeatureList) FeatureBlock(ctx context.Context, who projects.Caller, in FeatureStatusRequest) (FeatureReply, error) {
	return s.move(ctx, who, in, run.Barred, kedge.BlockedWork, kedge.Pending, kedge.InProgress, kedge.NeedsReview, kedge.Regressed)
}

// FeatureReopen takes a feature back to pending; what proved it no longer does.
func (s *FeatureList) FeatureReopen(ctx context.Context, who projects.Caller, in FeatureStatusRequest) (FeatureReply, error) {
	if err := projects.PersonOnly(who, "reopen a feature"); err != nil {
		return FeatureReply{}, err
	}
	return s.move(ctx, who, in, run.Reopened, kedge.Pending, kedge.BlockedWork, kedge.Skipped, kedge.NeedsReview, kedge.Completed, kedge.Regressed, kedge.InProgress)
}

// FeatureSkip says that a feature will not be done. What depends on it stays
// behind it until a person amends that, and is named in the answer.
func (s *FeatureList) FeatureSkip(ctx context.Context, who projects.Caller, in FeatureStatusRequest) (FeatureReply, error) {
	if err := projects.PersonOnly(who, "skip a feature"); err != nil {
		return FeatureReply{}, err
	}
	reply, err := s.move(ctx, who, in, run.Skipped, kedge.Skipped, kedge.Pending, kedge.InProgress, kedge.BlockedWork, kedge.NeedsReview, kedge.Regressed)
	if err != nil {
		return reply, err
	}
	l, p, err := s.ledger.ReadFeatures(ctx, who)
	if err != nil {
		return reply, err
	}
	for _, of := range plan.StrandedIn(asSkipped(l.Features(), in.ID)) {
		if of.Behind == in.ID {
			reply.Stranded = append(reply.Stranded, of)
		}
	}
	reply.NotGreen, err = ledger.NotGreen(ctx, p)
	return reply, err
}

// asSkipped are the features with one skipped: of one that a run works on, the
// ledger says it only when the run has set the work aside.
func asSkipped(features []kedge.Feature, id kedge.FeatureID) []kedge.Feature {
	for i := range features {
		if features[i].ID == id {
			features[i].Status = kedge.Skipped
		}
	}
	return features
}

// FeatureAccept completes a feature that waits for a review. Only a person may,
// and must say why; anything else is completed by its checks alone.
func (s *FeatureList) FeatureAccept(ctx context.Context, who projects.Caller, in FeatureStatusRequest) (FeatureReply, error) {
	if err := projects.PersonOnly(who, "accept a feature"); err != nil {
		return FeatureReply{}, err
	}
	if err := needReason(in.Reason, "accept", in.ID); err != nil {
		return FeatureReply{}, err
	}
	if reply, done, err := s.runs.Accept(ctx, who, in); done || err != nil {
		return reply, err
	}
	from := []kedge.Status{kedge.NeedsReview}
	switch holds, err := s.runs.Holds(ctx, who, in.ID); {
	case err != nil:
		return FeatureReply{}, err
	case holds: // skipped or reopened since, and its work would land all the same
		from = append(from, kedge.Skipped, kedge.BlockedWork, kedge.Pending, kedge.Regressed)
	}
	return s.move(ctx, who, in, run.Accepted, kedge.Completed, from...)
}

// move changes a status; word is what a run is told of it.
func (s *FeatureList) move(ctx context.Context, who projects.Caller, in FeatureStatusRequest, word run.InputKind, to kedge.Status, from ...kedge.Status) (FeatureReply, error) {
	return s.changedInRun(ctx, who, run.Input{Kind: word, Feature: in.ID, Reason: in.Reason}, func(_ *projects.Project, l ledger.Snapshot) ([]kedge.Event, error) {
		d, err := l.Find(in.ID)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(from, d.Status) {
			return nil, wrongStatus(*d, to)
		}
		data := kedge.FeatureStatusData{ID: in.ID, Status: to, Reason: in.Reason}
		if to == kedge.Completed {
			now := s.home.Now()
			data.CompletedAt = &now
		} else {
			data = ledger.WithoutProof(data)
		}
		if word == run.Reopened {
			data.Wanted = &in.Reason
		}
		return l.SetStatus(who, data)
	})
}

func wrongStatus(d journal.FeatureDoc, to kedge.Status) error {
	e := kedge.Errorf(kedge.Conflict, "feature %q is %s and cannot become %s", d.ID, words.Spaced(d.Status), words.Spaced(to))
	switch {
	case d.Status == to:
		return kedge.Errorf(kedge.Conflict, "feature %q is already %s", d.ID, words.Spaced(to)).WithHint("see the feature: kedge feature show %s", d.ID)
	case to == kedge.Completed && (d.Status == kedge.BlockedWork || d.Status == kedge.Skipped):
		return e.WithHint("reopen the feature, then let Kedge verify it: kedge feature reopen %s && kedge feature submit %s", d.ID, d.ID)
	case to == kedge.Completed:
		return e.WithHint("let Kedge verify the feature: kedge feature submit %s", d.ID)
	}
	return e.WithHint("first reopen the feature: kedge feature reopen %s", d.ID)
}

// changedInRun is changed for what you say about a feature: the run that is going on
// receives it.
func (s *FeatureList) changedInRun(ctx context.Context, who projects.Caller, word run.Input, decide func(p *projects.Project, l ledger.Snapshot) ([]kedge.Event, error)) (FeatureReply, error) {
	reply, err := s.changed(ctx, who, word.Feature, decide)
	if err != nil || word.Kind == "" {
		return reply, err
	}
	p, err := s.home.Open(ctx, who)
	if err == nil {
		err = s.runs.Tell(ctx, p, who, word)
	}
	return reply, err
}
