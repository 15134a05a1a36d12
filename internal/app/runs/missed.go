package runs

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/core/run"
	"kedge/internal/journal"
)

// missed is what people did and the run that lives was not told, because the
// daemon died between the ledger and the run.
type missed struct {
	run      kedge.RunID
	words    []run.Input
	approval *projects.Caller // who approved its plan, by the request that did it
}

func (m missed) none() bool { return len(m.words) == 0 && m.approval == nil }

// missed compares the ledger with the run. A word has the name of the request that
// said it: the run knows one that it was told after all, also from the caller, who
// may be asking again already.
func (s *Runs) missed(ctx context.Context, p *projects.Project) (missed, error) {
	doc, err := ledger.FindRun(ctx, p, "")
	if kedge.NotFound.Is(err) || err == nil && doc.State.Over() && doc.State.LandRefusal == "" {
		return missed{}, nil
	}
	if err != nil {
		return missed{}, err
	}
	m := missed{run: doc.State.Run}
	if doc.State.Planning() {
		return m, m.findApproval(ctx, p)
	}
	docs, err := projects.All[journal.FeatureDoc](ctx, p, journal.KindFeature)
	if err != nil {
		return m, err
	}
	added := false
	for _, d := range docs {
		added = added || doc.State.FeatureOf(d.ID) == nil
		m.words = append(m.words, missedOf(&doc.State, d)...)
	}
	if doc.State.Over() { // it learns nothing more, but that work of it was accepted
		added = false
		m.words = slices.DeleteFunc(m.words, func(ev run.Input) bool { return ev.Kind != run.Accepted })
	}
	if !added && len(m.words) == 0 {
		return m, nil
	}
	people, err := ledger.DeedsIn(ctx, p)
	if err != nil {
		return m, err
	}
	if added {
		if err := s.findAdded(ctx, p, &doc.State, people, &m); err != nil {
			return m, err
		}
	}
	return m, m.sign(ctx, p, doc.Steps, people)
}

// missedOf compares a feature of the ledger with what the run knows of it.
func missedOf(st *run.State, d journal.FeatureDoc) []run.Input {
	f := st.FeatureOf(d.ID)
	if f == nil {
		return nil
	}
	var out []run.Input
	add := func(kind run.InputKind) {
		out = append(out, run.Input{Kind: kind, Feature: d.ID, Hash: d.Hash, Reason: cmp.Or(d.Reason, "while the daemon was away")})
	}
	if !strings.HasPrefix(d.Hash, f.Hash) {
		add(run.Amended)
		out[0].Specs, out[0].Alike = []run.Spec{run.SpecOf(d.Feature, d.Hash)}, d.Asks(f.Hash)
	}
	switch {
	case d.Status == kedge.Completed && f.Waits() && st.JobOf(d.ID) == nil:
		add(run.Accepted)
	case d.Status == f.Status:
	case d.Status == kedge.Skipped:
		add(run.Skipped)
	case d.Status == kedge.BlockedWork:
		add(run.Barred)
	case d.Status == kedge.Pending:
		add(run.Reopened)
		out[len(out)-1].Reason = d.Wanted // which is a task: no other will do
	}
	return out
}

// repeat tells the run what it missed.
func (s *Runs) repeat(ctx context.Context, eng RunEngine, m missed) error {
	for _, ev := range m.words {
		ev.At = s.home.Now()
		if err := eng.Deliver(ctx, m.run, ev); err != nil {
			return err
		}
	}
	return nil
}

// TellUnheard tells a run that lives what a person said of a feature. One that is over learns
// nothing more: their word holds. Where they, or another, tell it too, it is one word.
func (s *Runs) TellUnheard(ctx context.Context, p *projects.Project, id kedge.RunID, word run.Input) error {
	doc, err := ledger.FindRun(ctx, p, id)
	if err != nil || doc.State.Over() {
		return err
	}
	eng, err := s.Engine(ctx, p)
	if err != nil {
		return err
	}
	word.At = s.home.Now()
	return eng.Deliver(ctx, id, word)
}

// findAdded finds out whether a person added a feature that the run does not have.
func (s *Runs) findAdded(ctx context.Context, p *projects.Project, st *run.State, people ledger.Deeds, m *missed) error {
	var last ledger.Deed
	var id kedge.FeatureID
	for of, d := range people.Added {
		if d.Actor != "" && d.Seq > last.Seq && st.FeatureOf(of) == nil {
			last, id = d, of
		}
	}
	if id == "" {
		return nil
	}
	specs, err := ledger.Specs(ctx, p)
	if err != nil {
		return err
	}
	m.words = append([]run.Input{{Kind: run.Planned, Feature: id, Specs: specs}}, m.words...)
	return nil
}

// sign says of each word whose it is and which request said it, and leaves out
// what is nobody's.
func (m *missed) sign(ctx context.Context, p *projects.Project, steps int64, people ledger.Deeds) error {
	kept, began := m.words[:0], int64(0)
	if begun, found, err := p.Store.Seen(ctx, "run/"+string(m.run)+"/begun"); err != nil {
		return err
	} else if found {
		began = begun[0].Seq
	}
	for _, ev := range m.words {
		by := people.Moved[ev.Feature]
		switch ev.Kind {
		case run.Planned:
			by, ev.Feature = people.Added[ev.Feature], ""
		case run.Amended:
			by = people.Amended[ev.Feature]
		default:
		}
		if by.Actor == "" || by.Seq < began {
			continue
		}
		key, err := p.Store.RequestOf(ctx, by.Seq)
		if err != nil {
			return err
		}
		if strings.HasPrefix(key, string(m.run)+"-") {
			continue // the run wrote it
		}
		who := projects.Caller{Key: key}
		if ev.Actor, ev.ID = by.Actor, ledger.WordID(who, ev); key == "" {
			ev.ID = kedge.EventID(fmt.Sprintf("missed-%d-%s-%s", steps, ev.Feature, ev.Kind))
		}
		if told, err := ledger.WasTold(ctx, p, who, m.run, ev); err != nil {
			return err
		} else if told {
			continue
		}
		kept = append(kept, ev)
	}
	m.words = kept
	return nil
}

// findApproval finds the request that approved the plan of a run which still plans.
func (m *missed) findApproval(ctx context.Context, p *projects.Project) error {
	d, ok, err := ledger.PlanOf(ctx, p, m.run)
	if err != nil || !ok || d.Status != kedge.PlanApproved {
		return err
	}
	people, err := ledger.DeedsIn(ctx, p)
	by := people.Approved[d.ID]
	if err != nil || by.Actor == "" {
		return err
	}
	key, err := p.Store.RequestOf(ctx, by.Seq)
	if err == nil && key != "" {
		m.approval = &projects.Caller{Dir: p.Dir, Actor: by.Actor, Key: key}
	}
	return err
}
