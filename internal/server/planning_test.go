package server_test

import (
	"context"
	"os"
	"sync/atomic"

	"kedge"
	"kedge/internal/app"
	"kedge/internal/app/features"
	"kedge/internal/app/planning"
	"kedge/internal/app/runs"
	"kedge/internal/app/setup"
	"kedge/internal/core/run"
	"kedge/internal/engine"
	"kedge/internal/engine/local"
	"kedge/internal/journal"
)

// asker carries out commands without doing anything: planning never gets further
// than its worktree, and the session at a feature asks, once; after that nothing
// happens any more.
type asker struct{ briefs atomic.Int64 }

func (a *asker) Do(ctx context.Context, c run.Command, _ func(run.Input)) (run.Input, error) {
	ev := run.Input{Kind: c.Kind.Answer(), Epoch: c.Epoch, Outcome: run.OK}
	stays := false
	switch c.Kind {
	case run.Prepare:
		ev.Commit, ev.Tree, ev.Environment = c.Base, "t0", "here"
		stays = c.Purpose == run.MakePlan
	case run.Gate:
		ev.Outcome, ev.Tree = run.Green, "t0"
	case run.Prove:
		ev.Outcome = run.Fails
	case run.Brief:
		stays = a.briefs.Add(1) > 1
	case run.StartSession:
		ev.Outcome, ev.Text, ev.Session = run.Asked, "Which currency?", "ses-00000000000000000000000001"
	default:
	}
	if stays {
		<-ctx.Done()
		return ev, engine.ErrLeave
	}
	return ev, nil
}

// questions tells of the calls about goals and answers.
func (st *story) questions() {
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}
	r := st.asking()
	r.tell("plan.goal", planning.PlanGoalRequest{Goal: "Orders for the shop", Env: env})

	r = st.asking()
	r.do("feature.add", features.FeatureAddRequest{Definition: kedge.Definition{ID: "asks", Name: "It asks", Checks: []kedge.Check{{Name: "unit", Run: "true"}}}})
	r.do("run.start", runs.RunStartRequest{Env: env})
	r.until("it asks", func() bool { v := r.view(); return v.phase("asks") == run.Asking && v.State == run.StatusWaiting })
	r.tell("answer", planning.AnswerRequest{Name: "asks", Text: "EUR"})
}

// asking is a repository of its own whose runs ask.
func (st *story) asking() *story {
	st.t.Helper()
	r := newStoryOf(st.t, func(s *app.Config) {
		s.Engine = func(_ context.Context, p kedge.Project, journal *journal.Store) (runs.RunEngine, error) {
			return local.New(local.Config{Project: p.ID, Store: journal, Executor: &asker{}, Now: s.Now}), nil
		}
	})
	r.told, r.files = st.told, st.files
	r.do("init", setup.InitRequest{})
	r.put(".kedge/config.toml", "version = 1\n[agents.bot]\nkind = 'command'\ncommand = ['/bin/sh']\n[run]\nagent = 'bot'\n")
	r.git("commit", "-q", "-am", "the agent")
	return r
}
