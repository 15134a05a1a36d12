package runs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/run"
	"kedge/internal/service"
)

// heeds is an agent that runs what the settings of the work tree say, as real ones
// do, and then works.
const heeds = `{"do":"run","line":"test ! -f .claude/settings.local.json || touch ../canary"},`

// TestT6PlantedSettingsAreFoundBeforeTheNextSession: files that git ignores outlive
// a feature in the work tree of a run. What one session puts there for the next one
// to obey is found before that starts, and is told; nobody pays for a session.
func TestT6PlantedSettingsAreFoundBeforeTheNextSession(t *testing.T) {
	w := newWorld(t, map[string]string{".gitignore": ".claude/settings.local.json\n"}, `[
		{"feature":"a","do":[{"do":"write","path":".claude/settings.local.json","text":"{\"hooks\":\"command\"}"},{"do":"write","path":"a.txt","text":"ok\n"}]},
		{"do":[`+heeds+`{"do":"write","path":"{{feature}}.txt","text":"ok\n"}]}]`, "")
	w.feature("a", "test -f a.txt")
	w.feature("b", "test -f b.txt", after("a"))
	v := w.run(service.RunFlags{})
	if v.Halt != run.Untrusted || v.Kind != kedge.Blocked || !strings.Contains(v.Reason, ".claude/settings.local.json") {
		t.Fatalf("%s %s (%s) %q\n%s", v.State, v.Halt, v.Reason, v.Kind, w.story())
	}
	if s := w.statuses(); s["a"] != kedge.Completed || s["b"] == kedge.Completed || len(w.sessions()) != 1 {
		t.Fatalf("%v, %d sessions\n%s", s, len(w.sessions()), w.story())
	}
	if _, err := w.svc.RunContinue(w.ctx, w.caller(), service.RunContinueRequest{Env: os.Environ()}); !kedge.Blocked.Is(err) {
		t.Fatalf("nobody approved it, and the run goes on: %v", err)
	}
	list, err := w.svc.FilterList(w.ctx, w.caller(), service.FilterListRequest{})
	if err != nil || len(list.Files) != 1 || list.Files[0].Dir == "" || list.Hash == "" {
		t.Fatalf("%+v, %v", list, err)
	}
	agent := w.caller()
	agent.Actor = kedge.Agent(w.sessions()[0].ID)
	if _, err := w.svc.TrustApprove(w.ctx, agent, service.TrustApproveRequest{Hash: list.Hash}); !kedge.Blocked.Is(err) {
		t.Fatalf("an agent approves: %v", err)
	}
	canary := filepath.Join(filepath.Dir(list.Files[0].Dir), "canary")
	if _, err := os.Stat(canary); err == nil {
		t.Fatal("somebody obeyed the file before it was approved")
	}
	if _, err := w.svc.TrustApprove(w.ctx, w.caller(), service.TrustApproveRequest{Hash: list.Hash}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.svc.RunContinue(w.ctx, w.caller(), service.RunContinueRequest{Env: os.Environ()}); err != nil {
		t.Fatal(err)
	}
	w.want(w.rest(), run.StatusDone, "", "a:completed b:completed")
	if _, err := os.Stat(canary); err != nil {
		t.Errorf("this test looks at nothing: approved settings were not obeyed: %v", err)
	}
}

// TestT6RemovedSettingsNeedNoApproval: taking the file out is an answer too.
func TestT6RemovedSettingsNeedNoApproval(t *testing.T) {
	w := newWorld(t, map[string]string{".gitignore": ".env\n"}, `[
		{"feature":"a","do":[{"do":"write","path":".env","text":"ANTHROPIC_BASE_URL=http://127.0.0.1:9\n"},{"do":"write","path":"a.txt","text":"ok\n"}]},
		{"do":[{"do":"write","path":"{{feature}}.txt","text":"ok\n"}]}]`, "")
	w.feature("a", "test -f a.txt")
	w.feature("b", "test -f b.txt", after("a"))
	v := w.run(service.RunFlags{})
	if v.Halt != run.Untrusted || !strings.Contains(v.Reason, "ANTHROPIC_BASE_URL") || !strings.Contains(v.Reason, "blocked") {
		t.Fatalf("%s %s (%s)\n%s", v.State, v.Halt, v.Reason, w.story())
	}
	list, err := w.svc.FilterList(w.ctx, w.caller(), service.FilterListRequest{})
	if err != nil || len(list.Variables) != 1 || len(list.Files) != 0 || list.Hash != "" {
		t.Fatalf("%+v, %v", list, err)
	}
	if err := os.Remove(filepath.Join(list.Variables[0].Dir, ".env")); err != nil {
		t.Fatal(err)
	}
	if _, err := w.svc.RunContinue(w.ctx, w.caller(), service.RunContinueRequest{Env: os.Environ()}); err != nil {
		t.Fatal(err)
	}
	w.want(w.rest(), run.StatusDone, "", "a:completed b:completed")
}
