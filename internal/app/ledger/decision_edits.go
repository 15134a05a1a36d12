package ledger

import (
	"bytes"
	"slices"

	"kedge"
	docs "kedge/internal/core/memory"
	"kedge/internal/core/plan"
)

// withdrawals imports the decisions that another clone withdrew, and gives all decisions
// as they are then. This comes first: later decisions of that clone may contradict what
// it withdrew.
func (e *memoryEdits) withdrawals(m Memory, files []memoryFile) ([]kedge.Decision, error) {
	all := slices.Clone(m.Decisions)
	for _, f := range files {
		d, err := docs.ParseDecision(f.path, f.text)
		i := slices.IndexFunc(all, func(o kedge.Decision) bool { return o.ID == d.ID })
		if err != nil || i < 0 || !f.ours || !takesBack(d, all[i]) {
			continue
		}
		if !e.take(f.path, plan.Restored, "the withdrawal of "+string(d.ID)+": "+docs.OneLine(d.Withdrawn)) {
			continue
		}
		all[i] = d
		if err := e.fact(kedge.DecisionSaved, kedge.DecisionData{Decision: d, Reason: d.Reason}); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// takesBack tells whether d is the locked decision, withdrawn, and unchanged otherwise.
func takesBack(d, locked kedge.Decision) bool {
	if d.Withdrawn == "" || locked.Status != kedge.DecisionLocked {
		return false
	}
	locked.Status, locked.Withdrawn = d.Status, d.Withdrawn
	return sameDecision(d, locked)
}

// decisionEdits imports decisions of another clone, oldest first, and restores those
// that were changed here.
func (e *memoryEdits) decisionEdits(m Memory, files []memoryFile) error {
	all, err := e.withdrawals(m, files)
	if err != nil {
		return err
	}
	for _, f := range files {
		d, err := docs.ParseDecision(f.path, f.text)
		_, there := m.Decision(d.ID)
		switch {
		case err != nil && f.ours:
			e.report(f.path, plan.Restored, err.Error())
		case err != nil:
			e.report(f.path, plan.Refused, err.Error())
		case there || f.ours:
		case e.takeDecision(f, d, all):
			all = append(all, d)
			if err := e.fact(kedge.DecisionSaved, kedge.DecisionData{Decision: d, Reason: d.Reason}); err != nil {
				return err
			}
		}
	}
	for _, f := range files {
		d, err := docs.ParseDecision(f.path, f.text)
		if err == nil {
			e.compareDecision(f, d, Memory{Decisions: all}, m)
		}
	}
	return nil
}

// takeDecision tells whether a decision that the journal does not have can be imported
// beside the others.
func (e *memoryEdits) takeDecision(f memoryFile, d kedge.Decision, others []kedge.Decision) bool {
	if slices.ContainsFunc(others, func(o kedge.Decision) bool { return o.ID == d.ID }) {
		e.report(f.path, plan.Refused, "a second file for "+string(d.ID))
		return false
	}
	if c := docs.Conflicts(others, d); len(c) > 0 {
		e.report(f.path, plan.Refused, "it contradicts "+string(c[0].ID)+", which is locked and which it does not supersede")
		return false
	}
	return e.takeNew(f.path, plan.Refused, "a decision: "+d.Title)
}

// compareDecision reports a change of a decision that the journal has. A decision that
// was superseded since, here or by a decision imported just now, did not change.
func (e *memoryEdits) compareDecision(f memoryFile, d kedge.Decision, now, before Memory) {
	want, there := now.Decision(d.ID)
	if _, known := before.Decision(d.ID); !known {
		there = false
	}
	if !there && !f.ours || takesBack(d, want) {
		return // taken over, or refused
	}
	replaced := slices.ContainsFunc(now.Decisions, func(o kedge.Decision) bool { return o.Supersedes == d.ID })
	if there && replaced && d.Status != want.Status {
		want.Status = d.Status
	}
	switch {
	case there && sameDecision(d, want):
	case f.ours:
		e.report(f.path, plan.Restored, "a locked decision was changed by hand; to replace it: kedge decide --help")
	default:
		e.report(f.path, plan.Refused, "a changed copy of "+string(d.ID))
	}
}

func sameDecision(a, b kedge.Decision) bool {
	return bytes.Equal(docs.WriteDecision(a), docs.WriteDecision(b))
}
