package demo

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kedge"
	"kedge/internal/agents"
	"kedge/internal/agents/command"
	"kedge/internal/app/features"
	"kedge/internal/app/sessions"
	"kedge/internal/core/watch"
)

// stage is where the demo plays: a folder with a home, a state folder and the
// project.
type stage struct {
	cfg      Config
	env      []string
	names    []string
	done     int  // completed, as the run last said
	verified int  // completed, as told step by step
	denied   bool // you denied the work that changes tests, and reopened its feature
	report   Report
}

func newStage(ctx context.Context, cfg Config) (*stage, error) {
	for _, program := range []string{"go", "git"} {
		if _, err := exec.LookPath(program); err != nil {
			return nil, kedge.Errorf(kedge.NotFound, "the demo needs the program %q, and it is not installed", program).WithHint("install %s, then: kedge demo", program)
		}
	}
	s := &stage{cfg: cfg, names: pick(cfg.Features)}
	s.report = Report{Features: len(s.names), Window: window, Caught: []Caught{}, Interruptions: []Interruption{}}
	cache, err := exec.CommandContext(ctx, "go", "env", "GOCACHE").Output()
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "the demo cannot find out where Go keeps its build cache: %w", err).WithHint("see what Go says: go env GOCACHE")
	}
	s.env = []string{
		"HOME=" + s.path("home"), "KEDGE_HOME=" + s.path("state"), "GOCACHE=" + strings.TrimSpace(string(cache)),
		"GOFLAGS=", "GOPROXY=off", "GOTOOLCHAIN=local", "GOTELEMETRY=off", "GIT_CONFIG_NOSYSTEM=1", "USER=you",
	}
	for _, kv := range cfg.Environ {
		name, _, _ := strings.Cut(kv, "=")
		if slices.Contains([]string{"PATH", "TMPDIR", "LANG", "TERM", "GOROOT", "GOMAXPROCS", "XDG_RUNTIME_DIR"}, name) {
			s.env = append(s.env, kv)
		}
	}
	return s, os.MkdirAll(s.path("home"), 0o700)
}

// pick takes the first so many entities; those that do not behave are always
// among them.
func pick(n int) []string {
	if n <= 0 || n > len(entities) {
		n = len(entities)
	}
	names := slices.Clone(entities[:max(n, 4)])
	at := 1
	for _, bad := range []string{liar, cheat, hanger} {
		if !slices.Contains(names, bad) {
			names[at] = bad
		}
		at++
	}
	return names
}

func (s *stage) path(name string) string { return filepath.Join(s.cfg.Dir, name) }

func (s *stage) shop() string { return s.path("shop") }

// command is kedge in a folder, as the person of the demo calls it.
func (s *stage) command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, s.cfg.Program, args...)
	cmd.Dir, cmd.Env = dir, s.env
	return cmd
}

// kedge calls kedge in the shop and gives what it printed.
func (s *stage) kedge(ctx context.Context, args ...string) ([]byte, error) {
	cmd := s.command(ctx, s.shop(), args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return out, kedge.Errorf(kedge.Internal, "the demo ran \"kedge %s\", and this command failed: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(errs.Bytes()))
	}
	return out, nil
}

// ask calls kedge with --json.
func (s *stage) ask(ctx context.Context, v any, args ...string) error {
	out, err := s.kedge(ctx, append(args, "--json")...)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(out, v); err != nil {
		return kedge.Errorf(kedge.Internal, "the demo cannot read what \"kedge %s --json\" printed: %w", strings.Join(args, " "), err)
	}
	return nil
}

// shell runs lines of the person's own in a folder.
func (s *stage) shell(ctx context.Context, dir, script string) (string, error) {
	cmd := exec.CommandContext(ctx, "/bin/sh", "-ec", script)
	cmd.Dir, cmd.Env = dir, s.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		return string(out), kedge.Errorf(kedge.Internal, "the demo ran the shell command %q, and it failed: %w: %s", script, err, bytes.TrimSpace(out))
	}
	return string(out), nil
}

// project makes the project and its feature list.
func (s *stage) project(ctx context.Context) error {
	s.say("1. A small Go project and %d features to build. Each feature's check runs \"go test\" on a package that does not exist yet.", len(s.names))
	if err := write(s.shop(), files()); err != nil {
		return err
	}
	list, err := featureList(s.names)
	if err != nil {
		return kedge.Errorf(kedge.Internal, "the demo cannot write its list of features: %w", err)
	}
	plays, err := json.Marshal(script(s.names))
	if err != nil {
		return kedge.Errorf(kedge.Internal, "the demo cannot write the file that tells its agent what to do: %w", err)
	}
	if err := write(s.cfg.Dir, map[string]string{"features.json": string(list), "script.json": string(plays)}); err != nil {
		return err
	}
	const first = `git config --global user.name Demo; git config --global user.email demo@example.com
git init -q -b main .; git add -A; git commit -q -m "an empty shop"`
	if _, err := s.shell(ctx, s.shop(), first); err != nil {
		return err
	}
	if _, err := s.kedge(ctx, "init", "--yes"); err != nil {
		return err
	}
	settings := map[string]string{".kedge/config.toml": configTOML(s.cfg.Program, s.path("script.json")), ".kedge/gate.toml": gateTOML}
	if err := write(s.shop(), settings); err != nil {
		return err
	}
	if _, err := s.shell(ctx, s.shop(), `git add -A; git commit -q -m "settings of Kedge"`); err != nil {
		return err
	}
	_, err = s.kedge(ctx, "features", "import", s.path("features.json"))
	return err
}

// count asks the ledger, git and the sessions what came of it.
func (s *stage) count(ctx context.Context) error {
	var list features.ListReply
	if err := s.ask(ctx, &list, "features"); err != nil {
		return err
	}
	for _, f := range list.Features {
		if f.Status == kedge.Completed && f.Evidence != nil {
			s.report.Verified++
		}
	}
	out, err := s.shell(ctx, s.shop(), `git log '--format=%(trailers:key=Kedge-Feature,valueonly)' main`)
	if err != nil {
		return err
	}
	s.report.Commits = len(strings.Fields(out))
	return s.sessions(ctx)
}

// sessions reads what each session said of its context.
func (s *stage) sessions(ctx context.Context) error {
	var list sessions.SessionListReply
	if err := s.ask(ctx, &list, "ls"); err != nil {
		return err
	}
	var first []int64
	for _, ses := range list.Sessions {
		out, err := s.kedge(ctx, "logs", string(ses.ID), "--raw")
		if err != nil {
			return err
		}
		said := readUsage(out)
		if said.reports > 0 {
			first = append(first, said.first)
		}
		s.report.MaxContext = max(s.report.MaxContext, said.most)
		s.report.Tokens += said.tokens
		s.report.WithCache += said.read
	}
	s.report.Sessions = len(list.Sessions)
	s.report.PerMTok = perMillion(s.report.Verified, s.report.Tokens)
	if slices.Sort(first); len(first) > 0 {
		s.report.FirstTurn = Range{Min: first[0], Median: first[len(first)/2], Max: first[len(first)-1]}
	}
	return nil
}

// usage is what a session said of its context.
type usage struct {
	reports     int
	first, most int64
	tokens      int64
	read        int64 // with what was read from a cache
}

// readUsage sums the reports in what a session printed: tokens are uncached
// input, cache writes and output.
func readUsage(out []byte) usage {
	var u usage
	ad, err := command.New([]string{"fakeagent"})
	if err != nil {
		return u
	}
	evs, _ := ad.Reader(agents.Task{}).Feed(append(out, '\n'), agents.Time{})
	for _, ev := range evs {
		if ev.Kind != watch.Usage || ev.Used == nil {
			continue
		}
		if ev.Used.Context != nil {
			if u.reports == 0 {
				u.first = *ev.Used.Context
			}
			u.most = max(u.most, *ev.Used.Context)
		}
		u.reports++
		for _, n := range []*int64{ev.Used.Input, ev.Used.CacheWrite, ev.Used.Output} {
			if n != nil {
				u.tokens += *n
				u.read += *n
			}
		}
		if n := ev.Used.CacheRead; n != nil {
			u.read += *n
		}
	}
	return u
}

// oneShot plays the same work in one session over one context.
func (s *stage) oneShot(ctx context.Context) error {
	s.say("3. For comparison, the same work in one long session.")
	dir := s.path("oneshot")
	if err := write(dir, files()); err != nil {
		return err
	}
	plays, err := json.Marshal(honest(s.names))
	if err != nil {
		return kedge.Errorf(kedge.Internal, "the demo cannot write the file that tells its agent what to do: %w", err)
	}
	if err := write(s.cfg.Dir, map[string]string{"oneshot.json": string(plays)}); err != nil {
		return err
	}
	cmd := s.command(ctx, dir, "fakeagent", s.path("oneshot.json"), "--one-shot", strings.Join(s.names, ","))
	cmd.Stdin = strings.NewReader("Make these packages, each with a test: " + strings.Join(s.names, ", ") + ".\n")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		if _, ended := errors.AsType[*exec.ExitError](err); !ended {
			return kedge.Errorf(kedge.Internal, "the demo cannot start the one long session: %w", err)
		}
		s.report.OneShot.Said = strings.TrimSpace(errs.String())
	}
	said := readUsage(out.Bytes())
	s.report.OneShot.Tokens, s.report.OneShot.WithCache, s.report.OneShot.MaxContext = said.tokens, said.read, said.most
	s.report.OneShot.Verified = s.tested(ctx, dir)
	s.report.OneShot.PerMTok = perMillion(s.report.OneShot.Verified, said.tokens)
	return nil
}

// tested counts the entities whose tests are green in a folder.
func (s *stage) tested(ctx context.Context, dir string) int {
	out, _ := s.shell(ctx, dir, "go test -vet=off ./... || true")
	n := 0
	for sc := bufio.NewScanner(strings.NewReader(out)); sc.Scan(); {
		f := strings.Fields(sc.Text())
		if len(f) > 1 && f[0] == "ok" && f[1] != "shop/money" {
			n++
		}
	}
	return n
}

// clear ends what the demo started, by its own commands: a run that was broken
// off with its sessions and checks, and the daemon.
func (s *stage) clear() {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute) // only against hanging
	defer cancel()
	_, _ = s.kedge(ctx, "run", "--stop") // there may be none, or it is over
	_, _ = s.kedge(ctx, "down")          // likewise
}
