package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"kedge/internal/process/hold"
)

// How much the group keep does; small is for a look whether it works.
var (
	catBytes   = sized(200<<20, 8<<20)
	echoes     = sized(300, 10)
	idlers     = sized(10, 2)
	historyLen = sized(10_000, 100)
	creations  = sized(20, 2)
)

// small tells whether only to see that everything works.
func small() bool { return os.Getenv("BENCH_SMALL") != "" }

func sized(full, less int) int {
	if small() {
		return less
	}
	return full
}

// keeper is a program that keeps sessions: Kedge, or its peer.
type keeper struct {
	dir    string
	env    []string
	start  func(name string, command []string) []string
	attach func(name string) []string
	end    func(name string) []string
	pids   func() []int // of all that it needs for its sessions, the sessions left out
}

func (k keeper) do(args []string) error {
	if out, err := command(k.dir, k.env, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", args, err, out)
	}
	return nil
}

// keeping is a comparison with tmux, with both set up for it.
func keeping(f func(dir string, ours, theirs keeper) ([]result, error)) func(dir string) ([]result, error) {
	return func(dir string) ([]result, error) {
		ours, theirs, stop, err := keepers(dir)
		if err != nil {
			return nil, err
		}
		defer stop()
		return f(dir, ours, theirs)
	}
}

func keepers(dir string) (ours, theirs keeper, stop func(), err error) {
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		return ours, theirs, nil, err
	}
	kedge, _, err := buildBoth(dir)
	if err != nil {
		return ours, theirs, nil, err
	}
	repo, env, err := project(dir, kedge)
	if err != nil {
		return ours, theirs, nil, err
	}
	env = append(slices.DeleteFunc(env, func(kv string) bool { return strings.HasPrefix(kv, "TMUX") }), "TERM=xterm-256color")
	socket := filepath.Join(os.TempDir(), "kedge-bench-"+strconv.Itoa(os.Getpid()))
	config := filepath.Join(filepath.Dir(repo), "tmux.conf") // as much history as the sessions have; its own default is less
	if err := os.WriteFile(config, fmt.Appendf(nil, "set -g history-limit %d\n", max(historyLen, manyLines)), 0o600); err != nil {
		return ours, theirs, nil, err
	}
	t := func(args ...string) []string { return append([]string{tmux, "-f", config, "-S", socket}, args...) }
	ours = keeper{
		dir: repo, env: env,
		start:  func(name string, c []string) []string { return append([]string{kedge, "new", name, "--"}, c...) },
		attach: func(name string) []string { return []string{kedge, "attach", name} },
		end:    func(name string) []string { return []string{kedge, "kill", name, "--grace", "10ms"} },
		pids:   func() []int { return kedgePIDs(filepath.Join(filepath.Dir(repo), "home")) },
	}
	theirs = keeper{
		dir: repo, env: env,
		start: func(name string, c []string) []string {
			return append(t("new-session", "-d", "-x", "120", "-y", "40", "-s", name), c...)
		},
		attach: func(name string) []string { return t("attach", "-t", name) },
		end:    func(name string) []string { return t("kill-session", "-t", name) },
		pids:   func() []int { return tmuxPIDs(repo, env, t("display-message", "-p", "#{pid}")) },
	}
	return ours, theirs, func() {
		_ = command(repo, env, t("kill-server")...).Run() // none may be left
		endSessions(filepath.Join(filepath.Dir(repo), "home"))
		_ = command(repo, env, kedge, "down").Run() // best effort: the folder goes next
		_ = os.Remove(socket)
	}, nil
}

func tmuxPIDs(dir string, env, args []string) []int {
	out, err := command(dir, env, args...).Output()
	if err != nil {
		return nil
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		return nil
	}
	return []int{pid}
}

// kedgePIDs are the daemon and every holder.
func kedgePIDs(home string) (pids []int) {
	b, err := os.ReadFile(filepath.Join(home, "daemon", "pid"))
	if err != nil {
		return nil
	}
	if pid, err := strconv.Atoi(strings.TrimSpace(string(b))); err == nil {
		pids = append(pids, pid)
	}
	entries, _ := os.ReadDir(filepath.Join(home, "sessions"))
	for _, e := range entries {
		if r, err := hold.ReadRecord(filepath.Join(home, "sessions", e.Name())); err == nil {
			pids = append(pids, r.Holder.PID)
		}
	}
	return pids
}

// endSessions ends what the group has left running: it outlives the daemon.
func endSessions(home string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	found, _ := hold.Find(ctx, filepath.Join(home, "sessions")) // best effort
	for _, f := range found {
		if f.Client != nil {
			finish(ctx, f.Client)
		}
	}
}

// finish ends a session and lets its holder go.
func finish(ctx context.Context, c *hold.Client) {
	_ = c.End(ctx, 0)
	_, _ = c.Follow(ctx, func(int64) error { return nil })
	_ = c.Collect(ctx)
	_ = c.Close()
}

// awaitFile waits until a program in a session has written something down.
func awaitFile(path string) (string, error) {
	limit := time.After(10 * time.Minute)
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		if b, err := os.ReadFile(path); err == nil {
			return string(b), nil
		}
		select {
		case <-tick.C:
		case <-limit:
			return "", fmt.Errorf("%s was never written", path)
		}
	}
}

func benchCat(dir string, ours, theirs keeper) ([]result, error) {
	file, err := logFile(dir, catBytes)
	if err != nil {
		return nil, err
	}
	n := 0
	cat := func(k keeper) func() (time.Duration, error) {
		return func() (time.Duration, error) {
			n++
			took := filepath.Join(filepath.Dir(file), "took-"+strconv.Itoa(n))
			if err := k.do(k.start("cat"+strconv.Itoa(n), []string{self(), "play", "cat", file, took})); err != nil {
				return 0, err
			}
			text, err := awaitFile(took)
			if err != nil {
				return 0, err
			}
			d, err := strconv.ParseInt(text, 10, 64)
			return time.Duration(d), err
		}
	}
	a, b, err := interleave(cat(ours), cat(theirs))
	if err != nil {
		return nil, err
	}
	ratio := b.Seconds() / a.Seconds()
	name := fmt.Sprintf("cat of %d MB in a detached session; tmux", catBytes>>20)
	return []result{{name, rate(catBytes, a), rate(catBytes, b), ratio, ">= 1.5", ratio >= 1.5}}, nil
}

func rate(bytes int, d time.Duration) string {
	return fmt.Sprintf("%.0f MB/s", float64(bytes)/(1<<20)/d.Seconds())
}

func self() string {
	exe, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return exe
}

// logFile is text as programs print it, of about n bytes; needles stand after
// every hundred thousandth line: one with letters that are rare in it, and one
// with none.
func logFile(dir string, n int) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	path := filepath.Join(abs, "log-"+strconv.Itoa(n))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	var b []byte
	for i := 0; len(b) < n; i++ {
		b = fmt.Appendf(b, "2026-01-01T00:00:%02d info worker %d handled request %d in %d ms\n", i%60, i%17, i, i*7919%1000)
		if i%100_000 == 50_000 {
			b = append(b, "error: the needle was found\nworker handled in ms: needle\n"...)
		}
	}
	return path, os.WriteFile(path, b, 0o600)
}

func benchCreate(_ string, ours, theirs keeper) ([]result, error) {
	n := 0
	create := func(k keeper) func() (time.Duration, error) {
		return func() (time.Duration, error) {
			var names []string
			d, err := timed(func() error {
				for range creations {
					n++
					names = append(names, "new"+strconv.Itoa(n))
					if err := k.do(k.start(names[len(names)-1], []string{"cat"})); err != nil {
						return err
					}
				}
				return nil
			})
			for _, name := range names {
				err = errors.Join(err, k.do(k.end(name)))
			}
			return d, err
		}
	}
	a, b, err := interleave(create(ours), create(theirs))
	if err != nil {
		return nil, err
	}
	ratio := b.Seconds() / a.Seconds()
	per := func(d time.Duration) string { return fmt.Sprintf("%.0f/s", float64(creations)/d.Seconds()) }
	return []result{{"sessions created, one after another; tmux", per(a), per(b), ratio, ">= 0.5", ratio >= 0.5}}, nil
}

// idleFor is how long both are left alone before they are looked at: an idle
// session is one that nobody has done anything with for a while.
var idleFor = time.Duration(sized(15, 1)) * time.Second

// benchIdle compares what idle sessions with some history cost in memory: the
// keepers' own processes, not the programs in the sessions. The daemon is one for all
// sessions, and does more than to keep them.
func benchIdle(dir string, ours, theirs keeper) ([]result, error) {
	if runtime.GOOS != "linux" {
		return nil, nil
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	var kb, daemon [2]int64
	for i, k := range []keeper{ours, theirs} {
		for n := range idlers {
			done := filepath.Join(abs, fmt.Sprintf("idle-%d-%d", i, n))
			if err := k.do(k.start("idle"+strconv.Itoa(n), []string{self(), "play", "idle", strconv.Itoa(historyLen), done})); err != nil {
				return nil, err
			}
			if _, err := awaitFile(done); err != nil {
				return nil, err
			}
		}
		pids := k.pids()
		<-time.After(idleFor)
		for n, pid := range pids {
			used := pss(pid)
			if kb[i] += used; i == 0 && n == 0 {
				daemon[i] = used
			}
		}
	}
	per := func(n int64) string { return fmt.Sprintf("%d KB", n/int64(idlers)) }
	var results []result
	for _, g := range []struct {
		what string
		less int64
		goal float64
	}{{"holder of an idle session", daemon[0], 0.35}, {"idle session, with the daemon", 0, 0.5}} {
		ratio := float64(kb[0]-g.less) / float64(max(kb[1], 1))
		name := fmt.Sprintf("memory, %s, %d lines; tmux", g.what, historyLen)
		results = append(results, result{name, per(kb[0] - g.less), per(kb[1]), ratio, fmt.Sprintf("<= %g", g.goal), ratio <= g.goal})
	}
	return results, nil
}

// pss is a process's share of memory, in KB.
func pss(pid int) int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "Pss:"); ok {
			kb, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kb
		}
	}
	return 0
}
