package ledger

import (
	"context"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/core/delta"
	"kedge/internal/core/run"
	"kedge/internal/journal"
)

// Unheard is what a person said last of a feature since a run began, as the run is to be told of
// it; false where they said nothing, or the run knows. What the run decided before is not written
// over that.
func Unheard(ctx context.Context, p *projects.Project, id kedge.RunID, d journal.FeatureDoc) (run.Input, bool, error) {
	if d.Said == 0 {
		return run.Input{}, false, nil
	}
	begun, found, err := p.Store.Seen(ctx, "run/"+string(id)+"/begun")
	if err != nil || !found || begun[0].Seq > d.Said {
		return run.Input{}, false, err
	}
	key, err := p.Store.RequestOf(ctx, d.Said)
	if err != nil || key == "" || strings.HasPrefix(key, string(id)+"-") { // the run's own
		return run.Input{}, false, err
	}
	who := projects.Caller{Key: key}
	for _, kind := range []run.InputKind{run.Reopened, run.Skipped, run.Barred, run.Accepted, run.Amended} {
		told, err := WasTold(ctx, p, who, id, run.Input{Kind: kind, Feature: d.ID})
		if err != nil || told {
			return run.Input{}, false, err
		}
	}
	said, known, err := knownSince(ctx, p, id, d)
	if err != nil || known {
		return run.Input{}, false, err
	}
	ev := run.Input{Kind: wordOf[d.Status], Feature: d.ID, Hash: d.Hash, Reason: d.Reason, Actor: said.Actor}
	if ev.Kind == run.Reopened {
		ev.Reason = d.Wanted // which is a task: no other will do
	}
	ev.ID = WordID(who, ev)
	return ev, ev.Kind != "", nil
}

// wordOf is what a run is told of a status that a person gave a feature.
var wordOf = map[kedge.Status]run.InputKind{
	kedge.Pending: run.Reopened, kedge.Skipped: run.Skipped, kedge.BlockedWork: run.Barred, kedge.Completed: run.Accepted,
}

// knownSince gives what a person said of a feature, and whether the run knows it though nobody told
// it that word: it took the feature up since, as they left it, with a list of features; or they
// wanted the work done, and it began that afterwards.
func knownSince(ctx context.Context, p *projects.Project, id kedge.RunID, d journal.FeatureDoc) (said kedge.Event, known bool, err error) {
	for ev, err := range p.Store.Since(ctx, d.Said-1) {
		switch {
		case err != nil:
			return said, false, err
		case ev.Seq == d.Said:
			said = ev
		case ev.Type == kedge.RunStepped && !known:
			step, err := projects.Data[delta.Stepped](ev)
			if err != nil {
				return said, false, err
			}
			known = step.Run == id && tookUp(step, d)
		}
	}
	if known || d.Status != kedge.Pending || d.Wanted != "" {
		return said, known, nil
	}
	list, err := projects.All[kedge.Session](ctx, p, journal.KindSession)
	list = slices.DeleteFunc(list, func(ses kedge.Session) bool { return ses.Run != id || ses.Feature != d.ID })
	before := func(ses kedge.Session) bool { return !ses.StartedAt.After(said.At) }
	return said, len(list) > 0 && !slices.ContainsFunc(list, before), err
}

// tookUp tells whether a run made a feature of a list its own, with the status that the ledger has.
func tookUp(step delta.Stepped, d journal.FeatureDoc) bool {
	listed := slices.ContainsFunc(step.Event.Specs, func(s run.Spec) bool { return s.ID == d.ID && s.Status == d.Status })
	return listed && step.Event.Kind != run.Amended && slices.ContainsFunc(step.Delta.Features, func(f delta.Placed[run.Feature]) bool {
		return f.Is.ID == d.ID && f.Is.Status == d.Status
	})
}
