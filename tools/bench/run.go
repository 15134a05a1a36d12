package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// How long the run of the group run is, and how many features at its beginning
// and at its end are compared.
var (
	runLength = sized(300, 30)
	runEdge   = sized(30, 5)
	restarts  = sized(7, 2)
)

// runAgent is an agent that takes no time; the one of the last feature waits, so
// that a daemon can be killed meanwhile.
const runAgent = `cat >/dev/null
if [ $KEDGE_FEATURE = last ]; then echo >"$BENCH/waits"; while ! [ -e "$BENCH/go" ]; do sleep 0.05; done; fi
echo $KEDGE_FEATURE >$KEDGE_FEATURE.txt
`

// byHand is what Kedge does for a feature, done by a script without any care: a
// worktree reset to the tip, the agent, the check, the work merged in a second
// worktree and checked there, a commit, a commit of the ledger.
const byHand = `set -e
export KEDGE_FEATURE=$1
g="git -c core.fsync=all -c core.fsyncMethod=batch -c gc.auto=0"
tip=$(git rev-parse main)
cd "$BENCH/slot"; $g reset -q --hard $tip; $g clean -q -f -d
sh "$BENCH/agent.sh" </dev/null
sh -c "test -e $1.txt"
$g add -A; tree=$($g write-tree); work=$($g commit-tree -p $tip -m "$1" $tree)
cd "$BENCH/clean"; $g merge -q --ff-only $work
sh -c "test -e $1.txt"
echo "$1 completed" >>ledger; $g add ledger; $g commit -q -m "ledger: $1"
$g update-ref refs/heads/main HEAD
`

// benchRun measures what a feature costs that takes an agent no time: beside a
// script that does the same with git alone, and at the end of a long run beside
// its beginning. Then how soon a daemon that was killed goes on with the run,
// beside the start of one that has nothing to do.
func benchRun(dir string) ([]result, error) {
	kedge, _, err := buildBoth(dir)
	if err != nil {
		return nil, err
	}
	b, err := newRunBench(dir, kedge)
	if err != nil {
		return nil, err
	}
	defer func() {
		endSessions(filepath.Join(b.base, "home"))
		_ = command(b.repo, b.env, kedge, "down").Run() // best effort: the folder goes next
	}()
	hand, err := b.script(0)
	if err != nil {
		return nil, err
	}
	ours, err := b.features()
	if err != nil {
		return nil, err
	}
	after, err := b.script(1)
	if err != nil {
		return nil, err
	}
	first, last := median(ours[:runEdge:runEdge]), median(ours[len(ours)-runEdge:])
	mine, theirs := median(ours), median(append(hand, after...))
	results := []result{
		against("one feature of a run; git by a script", mine, theirs, 20),
		against(fmt.Sprintf("the last features of %d; the first", runLength), last, first, 1.5),
	}
	again, err := b.restart()
	return append(results, again...), err
}

// against is a ratio with an upper bound.
func against(name string, ours, theirs time.Duration, goal float64) result {
	ratio := ours.Seconds() / theirs.Seconds()
	return result{name, short(ours), short(theirs), ratio, fmt.Sprintf("<= %g", goal), ratio <= goal}
}

// runBench is a project with many features, and another one without Kedge.
type runBench struct {
	kedge, base, repo string
	env               []string
}

func newRunBench(dir, kedge string) (*runBench, error) {
	repo, env, err := project(dir, kedge)
	if err != nil {
		return nil, err
	}
	b := &runBench{kedge: kedge, base: filepath.Dir(repo), repo: repo}
	b.env = append(env, "BENCH="+b.base)
	config := fmt.Sprintf("version = 1\n[agents.bot]\nkind = 'command'\ncommand = ['sh', '%s/agent.sh']\n[run]\nagent = 'bot'\n", b.base)
	for name, text := range map[string]string{
		"agent.sh": runAgent, "hand.sh": byHand, "repo/.kedge/config.toml": config, "repo/.kedge/gate.toml": "version = 1\n", "list.json": featureList(runLength),
	} {
		if err := os.WriteFile(filepath.Join(b.base, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	hand := filepath.Join(b.base, "hand")
	return b, b.all(
		[]string{"git", "add", "-A"},
		[]string{"git", "commit", "-q", "-m", "settings"},
		[]string{kedge, "feature", "skip", "first", "--reason", "bench"},
		[]string{kedge, "features", "import", filepath.Join(b.base, "list.json")},
		[]string{"git", "clone", "-q", "--bare", repo, hand},
		[]string{"git", "-C", hand, "branch", "-f", "main", "HEAD"},
		[]string{"git", "-C", hand, "worktree", "add", "-q", "--detach", filepath.Join(b.base, "slot"), "main"},
		[]string{"git", "-C", hand, "worktree", "add", "-q", "--detach", filepath.Join(b.base, "clean"), "main"},
	)
}

func (b *runBench) all(commands ...[]string) error {
	for _, args := range commands {
		if err := done(command(b.repo, b.env, args...)); err != nil {
			return err
		}
	}
	return nil
}

// done runs a command that must succeed.
func done(c *exec.Cmd) error {
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", c.Args, err, out)
	}
	return nil
}

func featureList(n int) string {
	var list []map[string]any
	for i := range n {
		id := fmt.Sprintf("f%03d", i)
		list = append(list, map[string]any{"id": id, "name": "Feature " + id, "checks": []map[string]string{{"name": "there", "run": "test -e " + id + ".txt"}}})
	}
	b, _ := json.Marshal(map[string]any{"version": 1, "project": "bench", "features": list}) // plain values: never fails
	return string(b)
}

// script is how long the features of a round take by hand.
func (b *runBench) script(round int) ([]time.Duration, error) {
	var took []time.Duration
	for i := range runEdge {
		d, err := timed(func() error {
			c := command(filepath.Join(b.base, "hand"), b.env, "sh", filepath.Join(b.base, "hand.sh"), fmt.Sprintf("h%d-%03d", round, i))
			return done(c)
		})
		if err != nil {
			return nil, err
		}
		took = append(took, d)
	}
	return took, nil
}

// features runs everything and gives how long each feature took: from one entry
// in the ledger to the next.
func (b *runBench) features() ([]time.Duration, error) {
	c := command(b.repo, b.env, b.kedge, "run", "--json")
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("kedge run: %w\n%s", err, errs.String())
	}
	var took []time.Duration
	var before time.Time
	for line := range bytes.Lines(out) {
		var l struct {
			Step *struct {
				At    time.Time `json:"at"`
				Event string    `json:"event"`
			} `json:"step"`
		}
		if err := json.Unmarshal(line, &l); err != nil {
			return nil, err
		}
		if l.Step == nil || l.Step.Event != "ledgered" && l.Step.Event != "begun" {
			continue
		}
		if !before.IsZero() {
			took = append(took, l.Step.At.Sub(before))
		}
		before = l.Step.At
	}
	if len(took) != runLength {
		return nil, fmt.Errorf("%d features were done of %d", len(took), runLength)
	}
	return took, nil
}

// restart kills the daemon while an agent works, and measures until the next one
// has taken the run over.
func (b *runBench) restart() ([]result, error) {
	if err := b.all([]string{b.kedge, "feature", "add", "last", "--name", "Last", "--check", "test -e last.txt"}); err != nil {
		return nil, err
	}
	c := command(b.repo, b.env, b.kedge, "run", "--json")
	if err := c.Start(); err != nil {
		return nil, err
	}
	if err := soon("the agent works", func() bool { return there(filepath.Join(b.base, "waits")) }); err != nil {
		return nil, err
	}
	_ = c.Process.Kill() // whoever watches would start the next daemon too
	_ = c.Wait()
	empty := append(b.env[:len(b.env):len(b.env)], "KEDGE_HOME="+filepath.Join(b.base, "empty-home"))
	var ours, theirs []time.Duration
	for range restarts {
		d, err := b.takenOver()
		if err != nil {
			return nil, err
		}
		ours = append(ours, d)
		d, err = timed(func() error { return done(command(b.base, empty, b.kedge, "up")) })
		if err != nil {
			return nil, err
		}
		theirs = append(theirs, d)
		if err := done(command(b.base, empty, b.kedge, "down")); err != nil {
			return nil, err
		}
	}
	if err := os.WriteFile(filepath.Join(b.base, "go"), nil, 0o600); err != nil {
		return nil, err
	}
	if err := b.all([]string{b.kedge, "run"}); err != nil {
		return nil, err
	}
	return []result{against("from a killed daemon to the run's next step; an empty start", median(ours), median(theirs), 5)}, nil
}

// takenOver is one such restart.
func (b *runBench) takenOver() (time.Duration, error) {
	home := filepath.Join(b.base, "home")
	text, err := os.ReadFile(filepath.Join(home, "daemon", "lock"))
	if err != nil {
		return 0, err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, err
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return 0, err
	}
	if err := p.Kill(); err != nil {
		return 0, err
	}
	if err := soon("the daemon is dead", func() bool { return p.Signal(syscall.Signal(0)) != nil }); err != nil {
		return 0, err
	}
	tails, err := filepath.Glob(filepath.Join(home, "projects", "*", "journal.tail"))
	if err != nil || len(tails) != 1 {
		return 0, fmt.Errorf("journals: %v, %w", tails, err)
	}
	was := sizeOf(tails[0])
	up := command(b.repo, b.env, b.kedge, "up")
	took, err := timed(func() error {
		if err := up.Start(); err != nil {
			return err
		}
		return soon("the run goes on", func() bool { return sizeOf(tails[0]) > was })
	})
	if err := up.Wait(); err != nil {
		return 0, fmt.Errorf("kedge up: %w", err)
	}
	return took, err
}

func there(file string) bool { _, err := os.Stat(file); return err == nil }

func sizeOf(file string) int64 {
	fi, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return fi.Size()
}

// soon waits until something is so.
func soon(what string, is func() bool) error {
	deadline := time.After(time.Minute)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-deadline:
			return fmt.Errorf("never: %s", what)
		}
	}
	return nil
}
