package reports

import (
	"context"
	"encoding/json"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/core/delta"
	"kedge/internal/git"
	"kedge/internal/journal"
)

// about is what somebody wants explained: a commit, or a feature that has none. The run
// is the last that worked on the feature.
type about struct {
	commit  string
	feature kedge.Feature
	run     kedge.RunID
}

// aboutOf finds what a word names: a feature by its id, a commit, or a session or verdict
// by the end of its id, and with it the feature.
func (s *Reports) aboutOf(ctx context.Context, p *projects.Project, repo *git.Repo, word string) (about, error) {
	if a, ok, err := s.aboutFeature(ctx, p, repo, kedge.FeatureID(word)); ok || err != nil {
		return a, err
	}
	c, notFound := repo.ReadCommit(ctx, word)
	if notFound == nil {
		return about{commit: c.SHA}, nil
	}
	id, err := featureByID(ctx, p, word)
	if err != nil {
		return about{}, err
	}
	if a, ok, err := s.aboutFeature(ctx, p, repo, id); ok || err != nil {
		return a, err
	}
	return about{}, kedge.Errorf(kedge.NotFound, "there is no feature, commit, session or verdict %q", word).WithHint("see the features: kedge features; or the sessions: kedge ls")
}

// featureByID is the feature of the session or the verdict whose id ends so; empty where
// there is none, or more than one.
func featureByID(ctx context.Context, p *projects.Project, word string) (kedge.FeatureID, error) {
	found := map[string]kedge.FeatureID{}
	sessions, err := projects.All[kedge.Session](ctx, p, journal.KindSession)
	if err != nil {
		return "", err
	}
	for _, ses := range sessions {
		if kedge.MeansID(ses.ID, word) {
			found[string(ses.ID)] = ses.Feature
		}
	}
	evidence, err := projects.All[kedge.Evidence](ctx, p, journal.KindEvidence)
	if err != nil {
		return "", err
	}
	for _, ev := range evidence {
		if kedge.MeansID(ev.ID, word) {
			found[string(ev.ID)] = ev.Feature
		}
	}
	if len(found) != 1 {
		return "", nil
	}
	for _, id := range found {
		return id, nil
	}
	return "", nil
}

// aboutFeature is a feature with its newest work commit, if its last run made one that is
// still there.
func (s *Reports) aboutFeature(ctx context.Context, p *projects.Project, repo *git.Repo, id kedge.FeatureID) (about, bool, error) {
	d, ok, err := journal.Get[journal.FeatureDoc](ctx, p.Store, journal.KindFeature, string(id))
	if id == "" || !ok || err != nil {
		return about{}, false, err
	}
	a := about{feature: d.Feature}
	commit, err := lastWork(ctx, p, &a)
	if err != nil || commit == "" {
		return a, true, err
	}
	if c, err := repo.ReadCommit(ctx, commit); err == nil {
		a.commit = c.SHA
	}
	return a, true, nil
}

// lastWork is the newest commit of the last run that worked on a feature, and notes the
// run.
func lastWork(ctx context.Context, p *projects.Project, a *about) (commit string, err error) {
	stories := map[kedge.RunID]*story{}
	for ev, err := range p.Store.Since(ctx, 0) {
		if err != nil {
			return "", err
		}
		if ev.Type != kedge.RunStepped {
			continue
		}
		var d delta.Stepped
		if err := json.Unmarshal(ev.Data, &d); err != nil {
			return "", kedge.Errorf(kedge.Internal, "cannot read event %d in Kedge's journal of this project: %w", ev.Seq, err).WithHint("see what is wrong: kedge doctor")
		}
		st := stories[d.Run]
		if st == nil {
			st = newStory(a.feature.ID)
			stories[d.Run] = st
		}
		before := len(st.steps)
		made := st.take(d)
		if len(st.steps) > before && a.run != d.Run {
			a.run, commit = d.Run, ""
		}
		if made != "" {
			commit = made
		}
	}
	return commit, nil
}

// explainFeature tells the story of a feature that has no commit: what its last run did,
// and what was found.
func (s *Reports) explainFeature(ctx context.Context, p *projects.Project, a about) (ExplainReply, error) {
	r := untold()
	r.Kind, r.Feature, r.Run = NoCommit, &a.feature, a.run
	if err := s.storyOf(ctx, p, a.feature.ID, "", &r); err != nil {
		return r, err
	}
	return r, explainVerdicts(ctx, p, a.feature.ID, &r)
}
