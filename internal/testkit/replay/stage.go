package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kedge"
	"kedge/internal/app/demo/scripted"
	"kedge/internal/app/features"
	"kedge/internal/app/maintenance"
	"kedge/internal/app/runs"
	"kedge/internal/app/status"
	core "kedge/internal/core/run"
)

// stage is where a history is played: a folder with a home, a state folder, the user's
// repository, and a clone for trials.
type stage struct {
	p       Project
	h       *history
	dir     string
	env     []string
	program string   // kedge
	own     []string // files that kedge init wrote or changed; no commit counts for them
	said    func(format string, args ...any)
	turn    int // of the plants
}

func (s *stage) path(name ...string) string {
	return filepath.Join(append([]string{s.dir}, name...)...)
}

func (s *stage) repo() string { return s.path("repo") }

// newStage makes the user's repository at the base of the range and sets Kedge up in it.
func newStage(ctx context.Context, program string, p Project, dir string, said func(string, ...any)) (*stage, error) {
	s := &stage{p: p, dir: dir, program: program, said: said}
	s.env = append(environment(os.Environ(), dir), p.Env...)
	for _, sub := range []string{"home/.config/kedge", "patches", "repo"} {
		if err := os.MkdirAll(s.path(sub), 0o700); err != nil {
			return nil, err
		}
	}
	if err := os.WriteFile(s.path("home/.gitconfig"), []byte(identity), 0o600); err != nil {
		return nil, err
	}
	if err := os.WriteFile(s.path("home/.config/kedge/config.toml"), []byte(s.settings()), 0o600); err != nil {
		return nil, err
	}
	var err error
	if s.h, err = openHistory(ctx, p, s.path("trials"), s.env); err != nil {
		return nil, err
	}
	return s, s.begin(ctx)
}

// leave ends what the replay started, whatever became of it.
func (s *stage) leave(ctx context.Context) {
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	_, _, _, _ = s.kedge(late, "run", "--stop") // there may be none
	_, _, _, _ = s.kedge(late, "down")          // likewise
}

const identity = "[user]\n\tname = You\n\temail = you@example.com\n[init]\n\tdefaultBranch = main\n[safe]\n\tdirectory = *\n[gc]\n\tauto = 0\n"

// passed are the variables that everything gets from outside, and the prefixes of such.
var passed = []string{"PATH", "LANG", "TMPDIR", "TERM", "GOROOT", "GOPROXY", "GOMAXPROCS", "SSL_CERT_FILE", "XDG_RUNTIME_DIR", "http_proxy", "https_proxy", "no_proxy"}

// environment is that of a person of their own, who shares the caches of the machine.
func environment(from []string, dir string) []string {
	env := []string{"HOME=" + filepath.Join(dir, "home"), "KEDGE_HOME=" + filepath.Join(dir, "state"), "USER=you", "GIT_CONFIG_NOSYSTEM=1", "GOTELEMETRY=off"}
	for _, kv := range from {
		if name, _, _ := strings.Cut(kv, "="); slices.Contains(passed, name) {
			env = append(env, kv)
		}
	}
	for name, sub := range map[string]string{"GOCACHE": "go-build", "npm_config_cache": "npm", "GOMODCACHE": "go-mod"} {
		if cache, err := os.UserCacheDir(); err == nil {
			env = append(env, name+"="+or(os.Getenv(name), filepath.Join(cache, sub)))
		}
	}
	return env
}

// settings is the person's own configuration: the agent, and what a fresh worktree needs.
func (s *stage) settings() string {
	text := fmt.Sprintf("version = 1\n[run]\nagent = \"scripted\"\n[agents.scripted]\nkind = \"command\"\ncommand = [%q, \"fakeagent\", %q]\n", s.program, s.path("script.json"))
	var names []string
	for _, kv := range s.env {
		name, _, _ := strings.Cut(kv, "=")
		names = append(names, fmt.Sprintf("%q", name))
	}
	slices.Sort(names)
	return text + "[env]\npass = [" + strings.Join(slices.Compact(names), ", ") + "]\n"
}

// begin makes the repository and runs kedge init in it, as a new user would.
func (s *stage) begin(ctx context.Context) error {
	base := s.h.commits[0].Parent
	if _, err := s.h.git(ctx, "branch", "-f", "replay-base", base); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"fetch", "-q", "--no-tags", s.h.dir, "replay-base"}, {"reset", "-q", "--hard", "FETCH_HEAD"},
	} {
		if _, err := run(ctx, s.repo(), s.env, "git", args...); err != nil {
			return err
		}
	}
	args := []string{"init", "--yes"}
	if s.p.Gate != "" {
		args = append(args, "--no-try")
	}
	out, errs, code, err := s.kedge(ctx, args...)
	s.said("kedge %s: %d\n%s%s", strings.Join(args, " "), code, out, errs)
	if err != nil {
		return err
	}
	if code != 0 {
		return fmt.Errorf("kedge init: exit code %d\n%s", code, errs)
	}
	if err := s.set(ctx); err != nil {
		return err
	}
	if s.p.Setup != "" {
		if _, err := run(ctx, s.repo(), s.env, "/bin/sh", "-c", s.p.Setup); err != nil {
			return err
		}
	}
	if out, _, code, err := s.kedge(ctx, "gate"); err != nil {
		return err
	} else if code != 0 {
		return fmt.Errorf("its checks are not green at the base: exit code %d\n%s", code, out)
	}
	out, err = run(ctx, s.repo(), s.env, "git", "diff", "--name-only", base, "HEAD")
	s.own = slices.DeleteFunc(strings.Fields(out), kedge.IsOwnPath)
	return err
}

// set writes what the person knows better than init, and commits it.
func (s *stage) set(ctx context.Context) error {
	if s.p.Gate != "" {
		if err := os.WriteFile(s.path("repo", kedge.Dir, "gate.toml"), []byte(s.p.Gate), 0o644); err != nil {
			return err
		}
	}
	if s.p.Setup != "" {
		file := s.path("repo", kedge.Dir, "config.toml")
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		text := setupLine(string(b), s.p.Setup)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return err
		}
	}
	_, err := run(ctx, s.repo(), s.env, "/bin/sh", "-c", "git add -f .kedge/gate.toml .kedge/config.toml && (git diff --cached --quiet || git commit -q -m 'Settings of Kedge')")
	return err
}

// setupLine puts a set-up command into the text of config.toml, in place of one that is there.
func setupLine(text, setup string) string {
	var out []string
	in, done := "", false
	for _, l := range strings.Split(text, "\n") {
		bare := strings.TrimSpace(l)
		if strings.HasPrefix(bare, "[") {
			in = bare
		}
		if in == "[worktree]" && strings.HasPrefix(bare, "setup") {
			continue
		}
		out = append(out, l)
		if bare == "[worktree]" {
			out, done = append(out, fmt.Sprintf("setup = %q", setup)), true
		}
	}
	if !done {
		out = append(out, "[worktree]", fmt.Sprintf("setup = %q", setup), "")
	}
	return strings.Join(out, "\n")
}

// kedge calls the binary in the repository.
func (s *stage) kedge(ctx context.Context, args ...string) (out, errs string, code int, err error) {
	return start(ctx, s.repo(), s.env, s.program, args...)
}

// must calls the binary and takes nothing but success.
func (s *stage) must(ctx context.Context, args ...string) error {
	_, errs, code, err := s.kedge(ctx, args...)
	if err == nil && code != 0 {
		err = fmt.Errorf("kedge %s: exit code %d: %s", strings.Join(args, " "), code, strings.TrimSpace(errs))
	}
	return err
}

// ask calls the binary with --json.
func (s *stage) ask(ctx context.Context, v any, args ...string) error {
	out, errs, code, err := s.kedge(ctx, append(args, "--json")...)
	if err == nil && code != 0 {
		err = fmt.Errorf("kedge %s: exit code %d: %s", strings.Join(args, " "), code, errs)
	}
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(out), v)
}

// feature is what Kedge knows of one.
func (s *stage) feature(ctx context.Context, id string) (features.FeatureShowReply, error) {
	var r features.FeatureShowReply
	err := s.ask(ctx, &r, "feature", "show", id)
	return r, err
}

// salvages counts what was set aside.
func (s *stage) salvages(ctx context.Context) (int, error) {
	var r maintenance.SalvageListReply
	err := s.ask(ctx, &r, "salvage", "ls")
	return len(r.Salvages), err
}

// script tells the agent what to do from now on.
func (s *stage) script(work []scripted.Action) error {
	if work == nil {
		work = []scripted.Action{}
	}
	b, err := json.Marshal(scripted.Script{Version: 1, Plays: []scripted.Play{{Do: work}}})
	if err != nil {
		return err
	}
	return os.WriteFile(s.path("script.json"), b, 0o600)
}

// ended is how kedge run ended.
type ended struct {
	code          int
	state, reason string
	next          []string
	errs          string
	sessions      int
}

// play starts a run and waits for its end.
func (s *stage) play(ctx context.Context, more ...string) (ended, error) {
	out, errs, code, err := s.kedge(ctx, append([]string{"run", "--json"}, more...)...)
	e := ended{code: code, errs: strings.TrimSpace(errs)}
	if err != nil {
		return e, err
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	var last struct {
		Run   *runs.RunView `json:"run"`
		Error *struct {
			Message, Hint string
		} `json:"error"`
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err == nil && last.Run != nil {
		e.state, e.reason, e.next, e.sessions = string(last.Run.State), last.Run.Reason, last.Run.Next, last.Run.Sessions
	}
	return e, nil
}

// settled waits until no run works.
func (s *stage) settled(ctx context.Context) error {
	for end := time.Now().Add(5 * time.Minute); ; {
		var r status.Reply
		if err := s.ask(ctx, &r, "status"); err != nil {
			return err
		}
		if r.Run == nil || r.Run.State != string(core.StatusRunning) && r.Run.State != string(core.StatusWaiting) {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("the run does not rest: %s", r.Run.Reason)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// apart tells whether a path does not count when trees are compared.
func (s *stage) apart(path string) bool {
	return kedge.IsOwnPath(path) || slices.Contains(s.own, path)
}

// differs names the files in which the branch is not like a commit.
func (s *stage) differs(ctx context.Context, id string) ([]string, error) {
	has, err := tree(ctx, s.repo(), s.env, "main", s.apart)
	if err != nil {
		return nil, err
	}
	want, err := tree(ctx, s.h.dir, s.env, id, s.apart)
	if err != nil {
		return nil, err
	}
	seen := map[string]int{}
	for _, l := range has {
		seen[l]++
	}
	for _, l := range want {
		seen[l]--
	}
	var out []string
	for l, n := range seen {
		if n != 0 {
			_, path, _ := strings.Cut(l, "\t")
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// byHand makes the branch like a commit, as a person would who has lost patience.
func (s *stage) byHand(ctx context.Context, id, why string) error {
	paths, err := s.differs(ctx, id)
	if err != nil || len(paths) == 0 {
		return err
	}
	if _, err := s.h.git(ctx, "branch", "-f", "replay-hand", id); err != nil {
		return err
	}
	if _, err := run(ctx, s.repo(), s.env, "git", "fetch", "-q", "--no-tags", s.h.dir, "replay-hand"); err != nil {
		return err
	}
	for _, p := range paths {
		out, err := run(ctx, s.h.dir, s.env, "git", "ls-tree", id, "--", p)
		if err != nil {
			return err
		}
		args := []string{"rm", "-q", "-f", "--ignore-unmatch", "--", p}
		if out != "" {
			args = []string{"checkout", "-q", id, "--", p}
		}
		if _, err := run(ctx, s.repo(), s.env, "git", args...); err != nil {
			return err
		}
	}
	_, err = run(ctx, s.repo(), s.env, "git", "commit", "-q", "-m", why)
	return err
}
