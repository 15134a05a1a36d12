// Package runs_test plays whole runs in one process: a real repository, real git,
// real checks under real holders, the scripted agent, and the service with its
// local engine. Every row of the acceptance list about runs has its test here,
// unless it is about the command line. Kills of the daemon are tested with the
// real program, in cmd/kedge.
package wholeruns_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kedge"
	"kedge/internal/app"
	"kedge/internal/app/demo/scripted"
	"kedge/internal/app/features"
	"kedge/internal/app/projects"
	"kedge/internal/app/reports"
	"kedge/internal/app/runs"
	"kedge/internal/app/sessions"
	"kedge/internal/app/setup"
	"kedge/internal/app/supply"
	"kedge/internal/core/run"
	"kedge/internal/process/hold"
)

// TestMain makes this binary also the holder and the scripted agent.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "hold":
			if err := hold.Main(context.Background(), os.Stdin, os.Stdout); err != nil {
				_, _ = os.Stderr.Write(hold.Complain(err))
				os.Exit(1)
			}
			os.Exit(0)
		case "fakeagent":
			os.Exit(playAgent())
		}
	}
	os.Exit(withoutSettings(m))
}

// withoutSettings runs the tests as a user who has set nothing but a name.
func withoutSettings(m *testing.M) int {
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "XDG_") || strings.HasPrefix(name, "KEDGE_") && !strings.HasPrefix(name, "KEDGE_TEST_") {
			_ = os.Unsetenv(name)
		}
	}
	user, err := os.MkdirTemp("", "kedge-user")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(user)
	goCache()
	const config = "[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n"
	if err := os.WriteFile(filepath.Join(user, ".gitconfig"), []byte(config), 0o600); err != nil {
		panic(err)
	}
	_ = os.Setenv("HOME", user)
	_ = os.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	_ = os.Setenv("GORACE", "atexit_sleep_ms=0") // a command ends when it is done
	return m.Run()
}

// goCache keeps go's cache where it was, whatever HOME is.
func goCache() {
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOFLAGS"} {
		if out, err := exec.CommandContext(context.Background(), "go", "env", name).Output(); err == nil {
			_ = os.Setenv(name, strings.TrimSpace(string(out)))
		}
	}
}

func playAgent() int {
	dir, err := os.Getwd()
	if err != nil {
		return 2
	}
	return scripted.Main(os.Args[2:], scripted.World{
		Dir: dir, In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Now: time.Now,
		Program: []string{os.Args[0], "fakeagent"},
	})
}

// patience only guards against hanging: no test depends on speed.
const patience = 5 * time.Minute

// world is a project with a service over it.
type world struct {
	t      *testing.T
	ctx    context.Context
	dir    string // the user's checkout
	home   string // KEDGE_HOME
	script string // of the agent
	svc    *app.Service
	keys   int

	mu    sync.Mutex
	lines []reports.RunStep // what the watchers were told
}

// newWorld makes a repository with these files, sets Kedge up in it and commits
// everything. The agent "bot" plays the script (see fakeagent); "done" at once
// where it is empty. Tests of worlds run beside each other. files may hold .kedge/gate.toml; config is added to
// config.toml.
func newWorld(t *testing.T, files map[string]string, script, config string) *world {
	t.Helper()
	t.Parallel()
	base := t.TempDir()
	w := &world{t: t, dir: filepath.Join(base, "repo"), home: filepath.Join(base, "home"), script: filepath.Join(base, "script.json")}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	w.ctx = ctx
	for _, dir := range []string{w.dir, w.home} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w.play(script)
	w.git("init", "-q")
	for name, text := range files {
		w.put(name, text)
	}
	w.commit("first")
	w.open()
	t.Cleanup(func() {
		w.endAll()
		w.close()
		cancel()
	})
	if _, err := w.svc.Init(w.ctx, w.caller(), setup.InitRequest{}); err != nil {
		t.Fatal(err)
	}
	for name, text := range files { // init may have written them too
		w.put(name, text)
	}
	if _, ok := files[".kedge/gate.toml"]; !ok {
		w.put(".kedge/gate.toml", "version = 1\n")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	agents := fmt.Sprintf("\n[agents.bot]\nkind = \"command\"\ncommand = [%q, \"fakeagent\", %q]\n", exe, w.script)
	if !strings.Contains(config, "[run]") {
		agents += "[run]\nagent = \"bot\"\n"
	}
	w.put(".kedge/config.toml", "version = 1\n"+agents+config)
	w.commit("set up")
	return w
}

// open starts a service, as a daemon does.
func (w *world) open() {
	w.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	sockets, err := os.MkdirTemp("", "kr")
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = os.RemoveAll(sockets) })
	w.svc = app.New(app.Config{Home: w.home, Sessions: sessions.Sessions{Holder: hold.NewLauncher(exe, "hold"), Sockets: sockets, VersionLimit: patience}})
	if err := w.svc.Adopt(w.ctx); err != nil {
		w.t.Fatal(err)
	}
	if err := w.svc.AdoptRuns(w.ctx); err != nil {
		w.t.Fatal(err)
	}
}

// close ends the service as `kedge down` does: what lives under holders goes on.
func (w *world) close() {
	w.t.Helper()
	if w.svc == nil {
		return
	}
	w.svc.Leave()
	if err := w.svc.Close(); err != nil {
		w.t.Error(err)
	}
	w.svc = nil
}

// reopen is a daemon that is stopped and started again.
func (w *world) reopen() {
	w.close()
	w.open()
}

// endAll stops what still lives, so that no test leaves a process behind.
func (w *world) endAll() {
	if w.svc == nil {
		w.open()
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if _, err := w.svc.RunStop(ctx, w.caller(), runs.RunRequest{}); err == nil {
		_, _ = w.svc.RunWatch(ctx, w.caller(), runs.RunWatchRequest{})
	}
	list, err := w.svc.SessionList(ctx, w.caller(), sessions.SessionList{})
	if err != nil {
		return
	}
	for _, ses := range list.Sessions {
		if ses.Live() {
			_, _ = w.svc.SessionKill(ctx, w.caller(), sessions.SessionKill{Name: string(ses.ID)})
		}
	}
}

// caller is a person in the project's folder; each call is another request.
func (w *world) caller() projects.Caller {
	w.keys++
	return projects.Caller{Dir: w.dir, Actor: kedge.Human("ada"), Key: fmt.Sprintf("key-%d-%d", w.keys, time.Now().UnixNano())}
}

// play sets the agent's script: whole, or only its plays.
func (w *world) play(script string) {
	w.t.Helper()
	switch s := strings.TrimSpace(script); {
	case s == "":
		script = `{"version":1,"plays":[{"do":[{"do":"done"}]}]}`
	case strings.HasPrefix(s, "["):
		script = `{"version":1,"window":200000,"plays":` + script + `}`
	}
	w.write(w.script, script)
}

// feature adds a feature with one check, or none where check is empty.
func (w *world) feature(id, check string, change ...func(*kedge.Definition)) {
	w.t.Helper()
	d := kedge.Definition{ID: kedge.FeatureID(id), Name: "feature " + id, Priority: 100}
	if check != "" {
		d.Checks = []kedge.Check{{Name: "own", Run: check}}
	}
	for _, f := range change {
		f(&d)
	}
	if _, err := w.svc.FeatureAdd(w.ctx, w.caller(), features.FeatureAddRequest{Definition: d}); err != nil {
		w.t.Fatal(err)
	}
}

// after makes a feature depend on others.
func after(ids ...kedge.FeatureID) func(*kedge.Definition) {
	return func(d *kedge.Definition) { d.Dependencies = ids }
}

// start begins a run; the features that were added are committed first.
func (w *world) start(flags supply.Flags) runs.RunReply {
	w.t.Helper()
	w.commit("ledger")
	r, err := w.svc.RunStart(w.ctx, w.caller(), runs.RunStartRequest{Flags: flags, Env: os.Environ()})
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// rest waits until the run does nothing by itself any more.
func (w *world) rest() runs.RunView {
	w.t.Helper()
	who := w.caller()
	who.Progress = func(v any) {
		if l, ok := v.(runs.RunLine); ok && l.Step != nil {
			w.mu.Lock()
			w.lines = append(w.lines, *l.Step)
			w.mu.Unlock()
		}
	}
	r, err := w.svc.RunWatch(w.ctx, who, runs.RunWatchRequest{})
	if err != nil {
		w.t.Fatalf("%v\n%s", err, w.story())
	}
	return r.Run
}

// run starts a run and waits until it rests.
func (w *world) run(flags supply.Flags) runs.RunView {
	w.t.Helper()
	w.start(flags)
	return w.rest()
}

// until waits for a condition on the run, which may be one in the middle of it.
func (w *world) until(what string, ok func(runs.RunView) bool) runs.RunView {
	w.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		r, err := w.svc.RunShow(w.ctx, w.caller(), runs.RunRequest{})
		if err == nil && ok(r.Run) {
			return r.Run
		}
		select {
		case <-w.ctx.Done():
			w.t.Fatalf("never: %s\n%+v\n%s", what, r.Run, w.story())
		case <-tick.C:
		}
	}
}

// story is what the watchers were told, for failures.
func (w *world) story() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var b strings.Builder
	for _, l := range w.lines {
		fmt.Fprintf(&b, "%3d %-12s %-12s %-10s %s\n", l.N, l.Event, l.Outcome, l.Feature, l.Text)
	}
	return b.String()
}

// of gives the feature as the ledger has it.
func (w *world) of(id string) kedge.Feature {
	w.t.Helper()
	r, err := w.svc.FeatureShow(w.ctx, w.caller(), features.FeatureShowRequest{ID: kedge.FeatureID(id)})
	if err != nil {
		w.t.Fatal(err)
	}
	return r.Feature
}

// statuses are the status of every feature, by id.
func (w *world) statuses() map[kedge.FeatureID]kedge.Status {
	w.t.Helper()
	r, err := w.svc.Features(w.ctx, w.caller(), features.ListRequest{})
	if err != nil {
		w.t.Fatal(err)
	}
	out := map[kedge.FeatureID]kedge.Status{}
	for _, f := range r.Features {
		out[f.ID] = f.Status
	}
	return out
}

// want fails unless the run rests like this and the features stand like this.
func (w *world) want(v runs.RunView, state run.Status, kind kedge.Kind, statuses string) {
	w.t.Helper()
	var got []string
	for id, s := range w.statuses() {
		got = append(got, string(id)+":"+string(s))
	}
	slices.Sort(got)
	if v.State != state || v.Kind != kind || strings.Join(got, " ") != statuses {
		w.t.Fatalf("run %s (%s, kind %q), features %s; want %s, kind %q, %s\n%s", v.State, v.Reason, v.Kind, strings.Join(got, " "), state, kind, statuses, w.story())
	}
}

// sessions are those of the project, the oldest first.
func (w *world) sessions() []kedge.Session {
	w.t.Helper()
	r, err := w.svc.SessionList(w.ctx, w.caller(), sessions.SessionList{})
	if err != nil {
		w.t.Fatal(err)
	}
	slices.Reverse(r.Sessions)
	return r.Sessions
}

// brief is what a session was told.
func (w *world) brief(id kedge.SessionID) string {
	w.t.Helper()
	return w.read(filepath.Join(w.home, "sessions", string(id), "brief.md"))
}

// git runs git in the user's checkout.
func (w *world) git(args ...string) string {
	w.t.Helper()
	cmd := exec.CommandContext(w.ctx, "git", args...)
	cmd.Dir = w.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit commits everything in the user's checkout, if there is anything.
func (w *world) commit(message string) {
	w.t.Helper()
	w.git("add", "-A")
	if w.git("status", "--porcelain") != "" {
		w.git("commit", "-q", "-m", message)
	}
}

// put writes a file of the user's checkout.
func (w *world) put(name, text string) { w.t.Helper(); w.write(filepath.Join(w.dir, name), text) }

func (w *world) write(path, text string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) read(path string) string {
	w.t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(b)
}

// worktrees are the folders of worktrees beside the user's checkout.
func (w *world) worktrees() []string {
	w.t.Helper()
	var out []string
	for line := range strings.Lines(w.git("worktree", "list", "--porcelain")) {
		if dir, ok := strings.CutPrefix(strings.TrimSpace(line), "worktree "); ok && dir != w.dir {
			out = append(out, dir)
		}
	}
	return out
}
