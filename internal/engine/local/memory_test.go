package local_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"kedge"
	"kedge/internal/core/delta"
	"kedge/internal/journal"
	"kedge/internal/testkit/enginetest"
	"kedge/internal/text/redact"
)

// memory is a journal without a disk: what the store promises, for tests that
// write more than a busy disk takes.
type memory struct {
	mu   sync.Mutex
	docs map[kedge.RunID]journal.RunDoc
	keys map[string]kedge.Event
}

func inMemory(t *testing.T, clock *enginetest.Clock) enginetest.Harness {
	return newHarness(t, clock, &memory{docs: map[kedge.RunID]journal.RunDoc{}, keys: map[string]kedge.Event{}})
}

func (m *memory) Append(_ context.Context, key string, evs ...kedge.Event) ([]kedge.Event, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if old, seen := m.keys[key]; seen {
		return []kedge.Event{old}, true, nil
	}
	ev := evs[0]
	ev.Data = redact.JSON(ev.Data)
	var step delta.Stepped
	if err := json.Unmarshal(ev.Data, &step); err != nil {
		return nil, false, err
	}
	doc := m.docs[step.Run]
	if step.N != doc.Steps+1 {
		return nil, false, kedge.Errorf(kedge.Conflict, "step %d comes after step %d: another process works on the same run", step.N, doc.Steps)
	}
	state, err := step.Delta.Apply(doc.State)
	if err != nil {
		return nil, false, err
	}
	m.docs[step.Run], m.keys[key] = journal.RunDoc{State: state, Steps: step.N}, ev
	return []kedge.Event{ev}, false, nil
}

// read gives a run as it would come from a disk.
func (m *memory) read(id kedge.RunID) (journal.RunDoc, error) {
	doc := journal.RunDoc{Steps: m.docs[id].Steps}
	b, err := json.Marshal(m.docs[id].State)
	if err == nil && doc.Steps > 0 {
		err = json.Unmarshal(b, &doc.State)
	}
	return doc, err
}

func (m *memory) Run(_ context.Context, id kedge.RunID) (journal.RunDoc, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	doc, err := m.read(id)
	return doc, doc.Steps > 0, err
}

func (m *memory) Runs(context.Context) ([]journal.RunDoc, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []journal.RunDoc
	for id := range m.docs {
		doc, err := m.read(id)
		if err != nil {
			return nil, err
		}
		out = append(out, doc)
	}
	slices.SortFunc(out, func(a, b journal.RunDoc) int { return strings.Compare(string(a.State.Run), string(b.State.Run)) })
	return out, nil
}
