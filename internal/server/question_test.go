package server_test

import (
	"context"
	"os"

	"kedge"
	"kedge/internal/app"
	"kedge/internal/app/features"
	"kedge/internal/app/runs"
	"kedge/internal/app/setup"
	"kedge/internal/core/run"
	"kedge/internal/engine/local"
	"kedge/internal/journal"
)

// asksPeople tells of the call by which a living session asks.
func (st *story) asksPeople() {
	st.t.Helper()
	const session = kedge.SessionID("ses-00000000000000000000000001")
	var store *journal.Store
	r := newStoryOf(st.t, func(s *app.Config) {
		s.Engine = func(_ context.Context, p kedge.Project, j *journal.Store) (runs.RunEngine, error) {
			store = j
			return local.New(local.Config{Project: p.ID, Store: j, Executor: newModel(), Now: s.Now}), nil
		}
	})
	r.told, r.files = st.told, st.files
	r.do("init", setup.InitRequest{})
	r.put(".kedge/config.toml", "version = 1\n[agents.bot]\nkind = 'command'\ncommand = ['/bin/sh']\n[run]\nagent = 'bot'\n")
	r.git("commit", "-q", "-am", "the agent")
	r.do("feature.add", features.FeatureAddRequest{Definition: kedge.Definition{ID: "works", Name: "It works", Checks: []kedge.Check{{Name: "unit", Run: "true"}}}})
	r.do("run.start", runs.RunStartRequest{Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}})
	r.until("it works", func() bool { v := r.view(); return v.phase("works") == run.Working && v.Usage.Tokens != nil })
	ev, err := kedge.NewEvent(kedge.SessionStarted, kedge.ActorDaemon, kedge.Session{
		ID: session, Name: "works", Dir: r.dir, State: kedge.SessionRunning, StartedAt: r.now(), Run: r.view().ID, Feature: "works",
	})
	if err == nil {
		_, _, err = store.Append(st.t.Context(), "", ev)
	}
	if err != nil {
		st.t.Fatal(err)
	}
	r.session = session
	r.tell("question.ask", runs.QuestionAskRequest{Question: "Which currency?"})
	r.session = ""
	if v := r.view(); v.phase("works") != run.Asking {
		st.t.Errorf("after the question it is %q", v.phase("works"))
	}
	r.do("run.stop", runs.RunRequest{})
}
