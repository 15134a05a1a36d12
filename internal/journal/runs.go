package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"kedge"
	"kedge/internal/core/delta"
	"kedge/internal/core/run"
)

// RunDoc is a run after its last step.
type RunDoc struct {
	State     run.State
	Steps     int64 // how many it has had: the next one has the number behind
	BegunAt   time.Time
	SteppedAt time.Time
}

// runHead is what is stored of a run beside its features, which lie in parts of
// partSize: a step writes those it touches, not all five thousand.
type runHead struct {
	State     run.State `json:"state"`
	Features  int       `json:"features"`
	Steps     int64     `json:"steps"`
	BegunAt   time.Time `json:"begun_at"`
	SteppedAt time.Time `json:"stepped_at"`
}

const partSize = 64

func (h runHead) doc() RunDoc {
	return RunDoc{State: h.State, Steps: h.Steps, BegunAt: h.BegunAt, SteppedAt: h.SteppedAt}
}

// partID sorts behind the run's own id and before any other's.
func partID(id kedge.RunID, n int) string { return fmt.Sprintf("%s/%06d", id, n) }

// foldRun applies a step. One that does not follow the newest is refused: it was
// made by somebody who does not own the run any more.
func foldRun(f *folding) error {
	d, err := payload[delta.Stepped](f)
	if err != nil {
		return err
	}
	head, err := load[runHead](f, KindRun, string(d.Run))
	if err != nil && !kedge.NotFound.Is(err) {
		return err
	}
	if d.N != head.Steps+1 {
		return kedge.Errorf(kedge.Conflict, "another process works on run %q, so Kedge did not save step %d (last saved step: %d)", d.Run, d.N, head.Steps)
	}
	if d.N == 1 {
		head.BegunAt = f.ev.At
	}
	head.Steps, head.SteppedAt = d.N, f.ev.At
	features := d.Delta.Features
	d.Delta.Features = nil
	if head.State, err = d.Delta.Apply(head.State); err != nil {
		return err
	}
	if err := foldParts(f, d.Run, &head, features); err != nil {
		return err
	}
	return f.save(KindRun, string(d.Run), head, words{})
}

// foldParts puts the features that changed, which come in order, into their
// parts.
func foldParts(f *folding, id kedge.RunID, head *runHead, features []delta.Placed[run.Feature]) error {
	for len(features) > 0 {
		n := features[0].At / partSize
		part, err := load[[]run.Feature](f, KindRunPart, partID(id, n))
		if err != nil && !kedge.NotFound.Is(err) {
			return err
		}
		var mine []delta.Placed[run.Feature]
		for len(features) > 0 && features[0].At/partSize == n {
			p := features[0]
			head.Features = max(head.Features, p.At+1)
			p.At -= n * partSize
			mine, features = append(mine, p), features[1:]
		}
		if part, err = delta.Place(part, mine); err != nil {
			return err
		}
		if err := f.save(KindRunPart, partID(id, n), part, words{}); err != nil {
			return err
		}
	}
	return nil
}

// Run gives a run; false when there is none.
func (s *Store) Run(ctx context.Context, id kedge.RunID) (RunDoc, bool, error) {
	// One statement sees one moment: head and features belong together.
	rows, err := s.read.QueryContext(ctx,
		`SELECT kind, id, doc FROM docs WHERE kind = 'run' AND id = ?1
		  UNION ALL
		 SELECT kind, id, doc FROM docs WHERE kind = 'run_part' AND id > ?1 || '/' AND id < ?1 || '0'
		  ORDER BY kind, id`, string(id))
	if err != nil {
		return RunDoc{}, false, s.fault("read the journal", err)
	}
	defer func() { _ = rows.Close() }()
	var docs []change
	for rows.Next() {
		var d change
		if err := rows.Scan(&d.kind, &d.id, &d.doc); err != nil {
			return RunDoc{}, false, s.fault("read the journal", err)
		}
		docs = append(docs, d)
	}
	if err := rows.Err(); err != nil {
		return RunDoc{}, false, s.fault("read the journal", err)
	}
	if len(docs) == 0 {
		return RunDoc{}, false, nil
	}
	d, err := assemble(id, docs)
	return d, err == nil, err
}

func assemble(id kedge.RunID, docs []change) (RunDoc, error) {
	var head runHead
	features := []run.Feature{}
	for _, d := range docs {
		var err error
		if d.kind == KindRun {
			err = json.Unmarshal([]byte(d.doc), &head)
		} else {
			var part []run.Feature
			err = json.Unmarshal([]byte(d.doc), &part)
			features = append(features, part...)
		}
		if err != nil {
			return RunDoc{}, kedge.Errorf(kedge.Internal, "what Kedge stored about run %q is damaged: %w", id, err).WithHint("rebuild it from the journal: kedge rebuild")
		}
	}
	if len(features) != head.Features {
		return RunDoc{}, kedge.Errorf(kedge.Internal, "what Kedge stored about run %q is damaged: only %d of its %d features are there", id, len(features), head.Features).
			WithHint("rebuild it from the journal: kedge rebuild")
	}
	if len(features) > 0 {
		head.State.Features = features
	}
	return head.doc(), nil
}

// Runs gives all runs, oldest first, each without its features. Run gives one with them.
func (s *Store) Runs(ctx context.Context) ([]RunDoc, error) {
	heads, err := All[runHead](ctx, s, KindRun)
	out := make([]RunDoc, len(heads))
	for i, h := range heads {
		out[i] = h.doc()
	}
	return out, err
}
