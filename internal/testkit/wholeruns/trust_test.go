package wholeruns_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/app/maintenance"
	"kedge/internal/app/runs"
	"kedge/internal/app/supply"
	"kedge/internal/core/run"
)

// heeds is an agent that runs what the settings of the worktree say, as real ones
// do, and then works.
const heeds = `{"do":"run","line":"test ! -f .claude/settings.local.json || touch ../canary"},`

// TestT6PlantedSettingsAreFoundBeforeTheNextSession: files that git ignores outlive
// a feature in the worktree of a run. What one session puts there for the next one
// to obey is found before that starts, and is told; nobody pays for a session.
func TestT6PlantedSettingsAreFoundBeforeTheNextSession(t *testing.T) {
	w := newWorld(t, map[string]string{".gitignore": ".claude/settings.local.json\n"}, `[
		{"feature":"a","do":[{"do":"write","path":".claude/settings.local.json","text":"{\"hooks\":\"command\"}"},{"do":"write","path":"a.txt","text":"ok\n"}]},
		{"do":[`+heeds+`{"do":"write","path":"{{feature}}.txt","text":"ok\n"}]}]`, "")
	w.feature("a", "test -f a.txt")
	w.feature("b", "test -f b.txt", after("a"))
	v := w.run(supply.Flags{})
	if v.Halt != run.Untrusted || v.Kind != kedge.Blocked || !strings.Contains(v.Reason, ".claude/settings.local.json") {
		t.Fatalf("%s %s (%s) %q\n%s", v.State, v.Halt, v.Reason, v.Kind, w.story())
	}
	if s := w.statuses(); s["a"] != kedge.Completed || s["b"] == kedge.Completed || len(w.sessions()) != 1 {
		t.Fatalf("%v, %d sessions\n%s", s, len(w.sessions()), w.story())
	}
	if _, err := w.svc.RunContinue(w.ctx, w.caller(), runs.RunContinueRequest{Env: os.Environ()}); !kedge.Blocked.Is(err) {
		t.Fatalf("nobody approved it, and the run goes on: %v", err)
	}
	list, err := w.svc.FilterList(w.ctx, w.caller(), maintenance.FilterListRequest{})
	if err != nil || len(list.Files) != 1 || list.Files[0].Dir == "" || list.Hash == "" {
		t.Fatalf("%+v, %v", list, err)
	}
	agent := w.caller()
	agent.Actor = kedge.Agent(w.sessions()[0].ID)
	if _, err := w.svc.TrustApprove(w.ctx, agent, maintenance.TrustApproveRequest{Hash: list.Hash}); !kedge.Blocked.Is(err) {
		t.Fatalf("an agent approves: %v", err)
	}
	canary := filepath.Join(filepath.Dir(list.Files[0].Dir), "canary")
	if _, err := os.Stat(canary); err == nil {
		t.Fatal("somebody obeyed the file before it was approved")
	}
	if _, err := w.svc.TrustApprove(w.ctx, w.caller(), maintenance.TrustApproveRequest{Hash: list.Hash}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.svc.RunContinue(w.ctx, w.caller(), runs.RunContinueRequest{Env: os.Environ()}); err != nil {
		t.Fatal(err)
	}
	w.want(w.rest(), run.StatusDone, "", "a:completed b:completed")
	if _, err := os.Stat(canary); err != nil {
		t.Errorf("this test looks at nothing: approved settings were not obeyed: %v", err)
	}
}

// approveFiles says yes to what the repository brings along.
func (w *world) approveFiles() {
	w.t.Helper()
	list, err := w.svc.FilterList(w.ctx, w.caller(), maintenance.FilterListRequest{})
	if err != nil || list.Hash == "" {
		w.t.Fatalf("%+v, %v", list, err)
	}
	if _, err := w.svc.TrustApprove(w.ctx, w.caller(), maintenance.TrustApproveRequest{Hash: list.Hash}); err != nil {
		w.t.Fatal(err)
	}
}

// TestT6RemovedSettingsNeedNoApproval: taking the file out is an answer too.
func TestT6RemovedSettingsNeedNoApproval(t *testing.T) {
	w := newWorld(t, map[string]string{".gitignore": ".env\n"}, `[
		{"feature":"a","do":[{"do":"write","path":".env","text":"ANTHROPIC_BASE_URL=http://127.0.0.1:9\n"},{"do":"write","path":"a.txt","text":"ok\n"}]},
		{"do":[{"do":"write","path":"{{feature}}.txt","text":"ok\n"}]}]`, "")
	w.feature("a", "test -f a.txt")
	w.feature("b", "test -f b.txt", after("a"))
	v := w.run(supply.Flags{})
	if v.Halt != run.Untrusted || !strings.Contains(v.Reason, "ANTHROPIC_BASE_URL") || !strings.Contains(v.Reason, "Kedge blocks this setting") {
		t.Fatalf("%s %s (%s)\n%s", v.State, v.Halt, v.Reason, w.story())
	}
	list, err := w.svc.FilterList(w.ctx, w.caller(), maintenance.FilterListRequest{})
	if err != nil || len(list.Variables) != 1 || len(list.Files) != 0 || list.Hash != "" {
		t.Fatalf("%+v, %v", list, err)
	}
	if err := os.Remove(filepath.Join(list.Variables[0].Dir, ".env")); err != nil {
		t.Fatal(err)
	}
	if _, err := w.svc.RunContinue(w.ctx, w.caller(), runs.RunContinueRequest{Env: os.Environ()}); err != nil {
		t.Fatal(err)
	}
	w.want(w.rest(), run.StatusDone, "", "a:completed b:completed")
}

// TestT6WorkThatBringsWhatRunsByItself: a file that direnv, an agent or a hook of git
// would run where the work is checked out is looked at by a person before it lands.
// What does not need that work goes on; the person's yes is for these contents, so
// that the next session starts.
func TestT6WorkThatBringsWhatRunsByItself(t *testing.T) {
	for name, x := range map[string]struct{ path, text, says string }{
		"direnv":      {".envrc", "touch ../canary\n", ".envrc (direnv)"},
		"an agent":    {".claude/settings.json", `{\"hooks\":{\"Stop\":[{\"hooks\":[{\"command\":\"touch ../canary\"}]}]}}`, "Claude Code, runs: touch ../canary"},
		"its servers": {"opencode.json", "{}", "opencode.json (OpenCode)"},
		"an editor":   {".vscode/tasks.json", "{}", ".vscode/tasks.json (VS Code)"},
		"git":         {".husky/pre-commit", "touch ../canary", ".husky/pre-commit (git, by its hooks)"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil, `[
				{"feature":"a","do":[{"do":"write","path":"`+x.path+`","text":"`+strings.TrimSuffix(x.text, "\n")+`"},{"do":"write","path":"a.txt","text":"ok\n"}]},
				{"do":[{"do":"write","path":"{{feature}}.txt","text":"ok\n"}]}]`, "")
			w.feature("a", "test -f a.txt")
			w.feature("b", "test -f b.txt")
			w.feature("c", "test -f c.txt", after("a"))
			v := w.run(supply.Flags{})
			if v.State != run.StatusWaiting || v.Kind != kedge.Blocked || !strings.Contains(v.Reason, x.says) {
				t.Fatalf("%s (%s) %q\n%s", v.State, v.Reason, v.Kind, w.story())
			}
			if s := w.statuses(); s["a"] != kedge.NeedsReview || s["b"] != kedge.Completed || s["c"] == kedge.Completed {
				t.Fatalf("%v\n%s", s, w.story())
			}
			if got := w.git("log", "--all", "--format=%s", "--", x.path); strings.Contains(got, "feature a") {
				t.Errorf("it was committed before anybody looked: %q", got)
			}
			if _, err := w.svc.RunApprove(w.ctx, w.caller(), runs.RunDecideRequest{ID: "a"}); err != nil {
				t.Fatal(err)
			}
			w.want(w.rest(), run.StatusDone, "", "a:completed b:completed c:completed")
			if got := w.git("log", "--format=%H", "main", "--", x.path); got == "" {
				t.Error("what a person said yes to did not land")
			}
		})
	}
}

// TestT6DeniedAndApprovedContents: refused work is set aside, and work that puts back
// what a person approved once, and that was changed since, is looked at again.
func TestT6DeniedAndApprovedContents(t *testing.T) {
	w := newWorld(t, map[string]string{".envrc": "layout go\n"}, `[
		{"feature":"a","do":[{"do":"write","path":".envrc","text":"touch ../canary\n"},{"do":"write","path":"a.txt","text":"ok\n"}]},
		{"feature":"b","do":[{"do":"run","line":"cp .envrc b.txt && echo more >> .envrc"}]},
		{"feature":"c","do":[{"do":"run","line":"cp .envrc c.txt && echo 'layout go' > .envrc"}]}]`, "")
	w.approveFiles()
	w.feature("a", "test -f a.txt")
	v := w.run(supply.Flags{})
	if v.State != run.StatusWaiting || !strings.Contains(v.Reason, ".envrc (direnv)") {
		t.Fatalf("%s (%s)\n%s", v.State, v.Reason, w.story())
	}
	if _, err := w.svc.RunDeny(w.ctx, w.caller(), runs.RunDecideRequest{ID: "a", Reason: "no"}); err != nil {
		t.Fatal(err)
	}
	w.want(w.rest(), run.StatusStopped, kedge.Blocked, "a:blocked")
	w.feature("b", "test -f b.txt")
	if v := w.run(supply.Flags{}); v.State != run.StatusWaiting {
		t.Fatalf("%s (%s)\n%s", v.State, v.Reason, w.story())
	}
	if _, err := w.svc.RunApprove(w.ctx, w.caller(), runs.RunDecideRequest{ID: "b"}); err != nil {
		t.Fatal(err)
	}
	w.rest()
	w.feature("c", "test -f c.txt")
	if v := w.run(supply.Flags{}); v.State != run.StatusWaiting || !strings.Contains(v.Reason, ".envrc (direnv)") {
		t.Fatalf("%s (%s)\n%s", v.State, v.Reason, w.story())
	}
	if _, err := w.svc.RunApprove(w.ctx, w.caller(), runs.RunDecideRequest{ID: "c"}); err != nil {
		t.Fatal(err)
	}
	w.rest()
	if s := w.statuses(); s["b"] != kedge.Completed || s["c"] != kedge.Completed {
		t.Errorf("what was approved is held: %v\n%s", s, w.story())
	}
}

// TestT6WorkThatMakesAHookExecutable: a hook of git that cannot be executed does nothing;
// that bit is looked at like a changed byte.
func TestT6WorkThatMakesAHookExecutable(t *testing.T) {
	w := newWorld(t, map[string]string{".husky/pre-commit": "touch ../canary\n"}, `[
		{"feature":"a","do":[{"do":"run","line":"chmod +x .husky/pre-commit && echo ok > a.txt"}]}]`, "")
	w.feature("a", "test -f a.txt")
	v := w.run(supply.Flags{})
	if v.State != run.StatusWaiting || !strings.Contains(v.Reason, ".husky/pre-commit (git, by its hooks, executable)") {
		t.Fatalf("%s (%s)\n%s", v.State, v.Reason, w.story())
	}
	if _, err := w.svc.RunApprove(w.ctx, w.caller(), runs.RunDecideRequest{ID: "a"}); err != nil {
		t.Fatal(err)
	}
	w.want(w.rest(), run.StatusDone, "", "a:completed")
}
