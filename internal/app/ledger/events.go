package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/core/plan"
	"kedge/internal/journal"
	"kedge/internal/text/redact"
)

// planStatus gives the event that marks the approved plan done when all of its features
// are completed or skipped, or approved again when one is no longer. It gives none when
// the status stays.
func (l Snapshot) planStatus(who projects.Caller) ([]kedge.Event, error) {
	if l.Plan == nil {
		return nil, nil
	}
	status := kedge.PlanDone
	for _, id := range l.Plan.Features {
		d, err := l.Find(id)
		if err != nil || !d.Status.Over() {
			status = kedge.PlanApproved
		}
	}
	if status == l.Plan.Status {
		return nil, nil
	}
	data := *l.Plan
	data.Status = status
	ev, err := projects.Event(kedge.PlanSaved, who, data)
	return []kedge.Event{ev}, err
}

// Add makes the events for new features. It validates the whole list with them first.
func (l Snapshot) Add(who projects.Caller, source string, claimed []plan.Claimed) ([]kedge.Event, error) {
	before := l.Features()
	after := slices.Clone(before)
	var ids []kedge.FeatureID
	for _, c := range claimed {
		ids = append(ids, c.ID)
		after = append(after, kedge.Feature{Definition: c.Definition, FeatureState: kedge.FeatureState{Status: kedge.Pending}})
	}
	if err := plan.ValidateChange(before, after, ids...); err != nil {
		return nil, err
	}
	order := l.lastOrder()
	var evs []kedge.Event
	for i, c := range claimed {
		if err := projects.RefuseNotShell(fmt.Sprintf("feature %q", c.ID), c.Checks); err != nil {
			return nil, err
		}
		if len(c.ChangesTests) > 0 {
			if err := projects.PersonOnly(who, "let the work on a feature change existing tests (changes_tests)"); err != nil {
				return nil, err
			}
		}
		def, hash, err := lock(c.Definition)
		if err != nil {
			return nil, err
		}
		ev, err := projects.Event(kedge.FeatureAdded, who, kedge.FeatureAddedData{
			Definition: def, Hash: hash, Order: order + 1 + i, Claim: c.Claim, Notes: c.Notes, Source: source,
		})
		if err != nil {
			return nil, err
		}
		evs = append(evs, ev)
		if len(c.Files) > 0 {
			ev, err := projects.Event(kedge.FeatureStatus, who, kedge.FeatureStatusData{ID: c.ID, Status: kedge.Pending, Files: c.Files})
			if err != nil {
				return nil, err
			}
			evs = append(evs, ev)
		}
	}
	return evs, nil
}

func (l Snapshot) lastOrder() int {
	last := 0
	for _, d := range l.Docs {
		last = max(last, d.Order)
	}
	return last
}

// lock gives the canonical bytes of a definition and their hash. It refuses a definition
// with a secret: the journal would redact it, and the check would no longer be the one
// that was agreed on.
func lock(d kedge.Definition) (def json.RawMessage, hash string, err error) {
	def, hash = plan.Canonical(d)
	if !bytes.Equal(redact.JSON(def), def) {
		return nil, "", kedge.Errorf(kedge.Invalid, "the definition of feature %q contains what looks like a secret, so Kedge stored nothing", d.ID).
			WithHint("write the name of an environment variable instead of the secret, then repeat your command")
	}
	return def, hash, nil
}

// Amend makes the events that replace a definition. Seen is the hash of the definition
// that the caller saw; empty accepts any.
func (l Snapshot) Amend(who projects.Caller, was journal.FeatureDoc, now kedge.Definition, seen, reason string) ([]kedge.Event, error) {
	def, hash, err := lock(now)
	if err != nil {
		return nil, err
	}
	_, old := plan.Canonical(was.Definition)
	if seen != "" && seen != old {
		return nil, kedge.Errorf(kedge.Conflict, "another command changed feature %q while you edited it, so Kedge did not store your change", was.ID).WithHint("see the feature's current definition: kedge feature show %s; then repeat your command", was.ID)
	}
	if hash == old {
		return nil, kedge.Errorf(kedge.Invalid, "feature %q already has the values in your command, so nothing changed", was.ID).
			WithHint("to change something else, see the flags: kedge feature amend --help")
	}
	if err := projects.RefuseNotShell(fmt.Sprintf("feature %q", was.ID), now.Checks); err != nil {
		return nil, err
	}
	ev, err := projects.Event(kedge.FeatureAmended, who, kedge.FeatureAmendedData{
		ID: was.ID, Definition: def, Hash: hash, Was: old, Reason: reason,
	})
	if err != nil || !unproven(was, now) {
		return []kedge.Event{ev}, err
	}
	back, err := l.SetStatus(who, WithoutProof(kedge.FeatureStatusData{ID: was.ID, Status: kedge.Pending, Reason: reason}))
	return append([]kedge.Event{ev}, back...), err
}

// unproven tells whether a feature that had its verdict needs another one after an
// amendment.
func unproven(was journal.FeatureDoc, now kedge.Definition) bool {
	judged := was.Status == kedge.Completed || was.Status == kedge.NeedsReview || was.Status == kedge.Regressed
	old := was.Definition
	old.Checks, old.Acceptance = now.Checks, now.Acceptance
	_, a := plan.Canonical(old)
	_, b := plan.Canonical(was.Definition)
	return judged && a != b
}

// WithoutProof clears evidence and completion date.
func WithoutProof(d kedge.FeatureStatusData) kedge.FeatureStatusData {
	d.Evidence, d.CompletedAt = new(kedge.EvidenceID), new(time.Time)
	return d
}

// SetStatus makes the event of a new status, and the event of the plan if its status
// changes too.
func (l Snapshot) SetStatus(who projects.Caller, data kedge.FeatureStatusData) ([]kedge.Event, error) {
	ev, err := projects.Event(kedge.FeatureStatus, who, data)
	if err != nil {
		return nil, err
	}
	d, err := l.Find(data.ID)
	if err != nil {
		return nil, err
	}
	d.Status = data.Status
	more, err := l.planStatus(who)
	return append([]kedge.Event{ev}, more...), err
}

// Unknown leaves out features that the list has with the same definition. A feature that
// the list has with another definition is a conflict.
func (l Snapshot) Unknown(claimed []plan.Claimed) ([]plan.Claimed, error) {
	hashes := make(map[kedge.FeatureID]string, len(l.Docs))
	for _, d := range l.Docs {
		_, hashes[d.ID] = plan.Canonical(d.Definition)
	}
	var fresh []plan.Claimed
	for _, c := range claimed {
		_, hash := plan.Canonical(c.Definition)
		switch was, ok := hashes[c.ID]; {
		case !ok:
			fresh = append(fresh, c)
		case was != hash:
			return nil, kedge.Errorf(kedge.Conflict, "feature %q exists already, and its definition differs from the one in the file", c.ID).
				WithHint("see the existing definition: kedge feature show %s; to change that definition: kedge feature amend --help", c.ID)
		}
	}
	return fresh, nil
}

// GiveBack makes the features pending that an earlier run left in progress: another one begins,
// and does not work on them yet.
func (s *Ledger) GiveBack(ctx context.Context, p *projects.Project, who projects.Caller) error {
	who.Actor = kedge.ActorDaemon
	if who.Key != "" {
		who.Key += "-given-back"
	}
	_, _, err := s.ChangeIn(ctx, p, who, func(_ *projects.Project, l Snapshot) (evs []kedge.Event, err error) {
		for _, d := range l.Docs {
			if d.Status != kedge.InProgress || err != nil {
				continue
			}
			var more []kedge.Event
			more, err = l.SetStatus(who, WithoutProof(kedge.FeatureStatusData{ID: d.ID, Status: kedge.Pending, Reason: "the run that worked on it is gone"}))
			evs = append(evs, more...)
		}
		return evs, err
	})
	return err
}
