package kilo_test

import (
	"slices"
	"testing"

	"kedge/internal/agents"
	"kedge/internal/agents/catalog"
	"kedge/internal/agents/kilo"
	"kedge/internal/core/watch"
	"kedge/internal/insight/transcript"
	"kedge/internal/testkit/agenttest"
)

// It is told under its own names what OpenCode is told, and nothing under OpenCode's.
func TestStart(t *testing.T) {
	a := kilo.New(nil)
	s, err := a.Start(agents.Task{Session: "ses-1", Model: "p/m"})
	want := []string{"kilo", "run", "--format", "json", "--model", "p/m", "--title", "kedge ses-1", "--auto"}
	if err != nil || !s.Pipes || !slices.Equal(s.Command, want) || !slices.Equal(s.Env, []string{"KILO_DISABLE_AUTOUPDATE=1", `KILO_PERMISSION={"task":"deny"}`}) {
		t.Errorf("started as %+v, %v", s, err)
	}
	s, err = a.Start(agents.Task{ReadOnly: true, Resume: "ses_1"})
	if err != nil || !slices.Contains(s.Command, "plan") || !slices.Contains(s.Command, "ses_1") || !slices.Contains(s.Env, `KILO_PERMISSION={"task":"deny","edit":"deny","bash":"deny"}`) {
		t.Errorf("plans as %+v, %v", s, err)
	}
}

func TestConformance(t *testing.T) {
	step := `{"type":"step_finish","sessionID":"ses_1","part":{"type":"step-finish","reason":"stop","tokens":{"input":5,"output":2,"cache":{"read":0,"write":0}}}}` + "\n"
	agenttest.Run(t, kilo.New(nil), []agenttest.Sample{
		{Name: "gave up", Output: "\x1b[31mError\x1b[0m: no such option\n", Code: 2, Cause: "exited", Exit: agents.Failed, Text: "Error: no such option"},
		{Name: "finished", Output: step, Kinds: []watch.Kind{watch.Usage, watch.Turn}, Exit: agents.Finished},
	})
}

// Its database has OpenCode's form: only the name of the file tells whose it is.
func TestWhoseDatabase(t *testing.T) {
	for file, want := range map[string]string{"kilo.db": "kilo", "opencode.db": "opencode", "copy.db": "opencode"} {
		h := transcript.Head{File: file, Line: []byte("SQLite format 3\x00")}
		formats := catalog.Transcripts()
		i := slices.IndexFunc(formats, func(f transcript.Format) bool { return f.Is(h) })
		if i < 0 || formats[i].Agent != want {
			t.Errorf("%s is taken to be of %d", file, i)
		}
	}
}
