package server_test

import (
	"context"
	"encoding/json"
	"os"
	"sync"

	"kedge/internal/app/supply"

	"kedge"
	"kedge/internal/app"
	"kedge/internal/app/features"
	"kedge/internal/app/reports"
	"kedge/internal/app/runs"
	"kedge/internal/app/setup"
	"kedge/internal/core/run"
	"kedge/internal/engine"
	"kedge/internal/engine/local"
	"kedge/internal/journal"
	"kedge/internal/server"
)

// model carries out commands without doing anything: a session of "works" goes
// on until it is ended, that of any other feature ends at once with work that a
// person has to look at. What is approved is never through with its checks, and
// what is denied is set aside when that has been.
type model struct {
	ended, aside chan struct{}
	endOnce      sync.Once
	asideOnce    sync.Once
}

func newModel() *model { return &model{ended: make(chan struct{}), aside: make(chan struct{})} }

func (m *model) Do(ctx context.Context, c run.Command, report func(run.Input)) (run.Input, error) {
	ev := run.Input{Kind: c.Kind.Answer(), Epoch: c.Epoch, Outcome: run.OK}
	switch c.Kind {
	case run.Prepare:
		ev.Commit, ev.Tree, ev.Environment = c.Base, "t0", "here"
	case run.Gate:
		ev.Outcome, ev.Tree, ev.Environment = run.Green, "t1", "here"
	case run.Prove:
		ev.Outcome = run.Fails
	case run.Inspect:
		ev.Outcome, ev.Reason = run.Outside, "docs/api.md"
	case run.StartSession:
		ev.Outcome, ev.Session = run.Finished, "ses-00000000000000000000000001"
		if c.Feature == "works" {
			report(run.Input{Kind: run.Used, Outcome: run.OK, Session: ev.Session, Usage: &kedge.Spend{Tokens: 1200, USD: 0.5}})
			ev.Outcome, ev.Usage = run.Closed, &kedge.Spend{Tokens: 1200, USD: 0.5}
			return until(ctx, m.ended, ev)
		}
	case run.EndSession:
		m.endOnce.Do(func() { close(m.ended) })
	case run.Revert:
		if c.Feature == "denied" {
			return until(ctx, m.aside, ev)
		}
		m.asideOnce.Do(func() { close(m.aside) })
	case run.Land:
		ev.Outcome, ev.Reason = run.Refused, "the checkout has changes"
	case run.Integrate:
		<-ctx.Done()
		return ev, engine.ErrLeave
	default:
	}
	return ev, nil
}

// until gives the answer when something has happened.
func until(ctx context.Context, happened <-chan struct{}, ev run.Input) (run.Input, error) {
	select {
	case <-happened:
		return ev, nil
	case <-ctx.Done():
		return ev, engine.ErrLeave
	}
}

// runs tells of the calls about runs, in a repository of its own.
func (st *story) runs() {
	r := newStoryOf(st.t, func(s *app.Config) {
		s.Engine = func(_ context.Context, p kedge.Project, journal *journal.Store) (runs.RunEngine, error) {
			return local.New(local.Config{Project: p.ID, Store: journal, Executor: newModel(), Now: s.Now}), nil
		}
	})
	r.told, r.files = st.told, st.files
	r.do("init", setup.InitRequest{})
	r.put(".kedge/config.toml", "version = 1\n[agents.bot]\nkind = 'command'\ncommand = ['/bin/sh']\n[run]\nagent = 'bot'\nparallel = 3\n")
	r.git("commit", "-q", "-am", "the agent")
	for _, id := range []kedge.FeatureID{"works", "approved", "denied"} {
		r.do("feature.add", features.FeatureAddRequest{Definition: kedge.Definition{ID: id, Name: "It " + string(id), Checks: []kedge.Check{{Name: "unit", Run: "true"}}}})
	}
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}
	r.do("run.start", runs.RunStartRequest{Env: env})
	r.until("the run is where nothing happens by itself", func() bool {
		v := r.view()
		return v.phase("works") == run.Working && v.phase("approved") == run.Reviewing && v.phase("denied") == run.Reviewing && v.Usage.Tokens != nil
	})
	r.tell("run.show", runs.RunRequest{})
	r.tell("run.going", runs.GoingRequest{})
	r.tell("run.start", runs.RunStartRequest{Env: env, Flags: supply.Flags{Parallel: 3}})
	r.tell("steps", runs.StepsRequest{})
	r.golden("run.approve", r.do("run.approve", runs.RunDecideRequest{ID: "approved"}))
	r.tell("run.pause", runs.RunRequest{})
	r.tell("run.tell", runs.RunTellRequest{Name: "works", Text: "mind the gap"})
	r.tell("run.deny", runs.RunDecideRequest{ID: "denied", Reason: "not these"})
	r.tell("run.continue", runs.RunContinueRequest{Flags: supply.Flags{MaxSessions: 5}, Env: env})
	r.tell("run.land", runs.RunLandRequest{})
	r.stopped()
}

// stopped tells of the end. What was approved never ends by itself: it is left.
func (st *story) stopped() {
	st.t.Helper()
	st.do("feature.skip", features.FeatureStatusRequest{ID: "approved", Reason: "another time"})
	st.until("both are set aside", func() bool { return st.view().phase("approved") == "" && st.view().phase("denied") == "" })
	st.tell("run.stop", runs.RunRequest{})
	st.tell("run.watch", runs.RunWatchRequest{})
	st.put("work.txt", "work\n")
	st.git("add", "-A")
	st.git("commit", "-q", "-m", "It works\n\nKedge-Feature: works\nKedge-Session: ses-00000000000000000000000001\nKedge-Validated: t1")
	st.tell("explain", reports.ExplainRequest{Commit: "HEAD"})
}

// view is the run as it is now.
func (st *story) view() seenRun {
	st.t.Helper()
	c, err := server.Find("run.show")
	if err != nil {
		st.t.Fatal(err)
	}
	v, err := c.Run(st.t.Context(), st.s, server.Envelope{Dir: st.dir, User: "ada", In: json.RawMessage(`{}`)}, nil)
	if err != nil {
		st.t.Fatal(err)
	}
	return seenRun{v.(runs.RunReply).Run}
}

type seenRun struct{ runs.RunView }

// phase is where the work on a feature stands; empty when nobody works on it.
func (v seenRun) phase(id kedge.FeatureID) run.Phase {
	for _, j := range v.Jobs {
		if j.Feature == id {
			return j.Phase
		}
	}
	return ""
}
