package main

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	core "kedge/internal/core/run"
)

// randomFeatures is how many features a run under random kills has, and randomRounds how
// many of them there are; KEDGE_TEST_KILL_ROUNDS asks for more.
const (
	randomFeatures = 12
	randomRounds   = 3
)

// TestRandomKills drives twelve features, three at a time, while the daemon, holders,
// agents and the command line are killed at random. The run ends with the tree of a calm
// one. No process is left, and nothing is locked. A session of each feature dies once at
// most: a second death in the same attempt is for you to look at, and blocks the feature.
//
// KEDGE_TEST_SEED takes another sample, KEDGE_TEST_KILL_ROUNDS more rounds.
func TestRandomKills(t *testing.T) {
	t.Parallel()
	b := newRandomBox(t)
	calm := b.drive(nil)
	if calm.State != string(core.StatusDone) || calm.Completed != randomFeatures || calm.Dirt != "" || calm.Trees != 1 {
		t.Fatalf("the calm run ended as %+v", calm)
	}
	seed := fromEnvironment("KEDGE_TEST_SEED", 1)
	for i := range fromEnvironment("KEDGE_TEST_KILL_ROUNDS", randomRounds) {
		t.Run(fmt.Sprintf("seed %d", seed+i), func(t *testing.T) {
			t.Parallel()
			r := newRandomBox(t)
			r.rand = rand.New(rand.NewPCG(seed+i, 0))
			r.survives(calm)
		})
	}
}

func fromEnvironment(name string, otherwise uint64) uint64 {
	if n, err := strconv.ParseUint(os.Getenv(name), 10, 64); err == nil {
		return n
	}
	return otherwise
}

// randomBox is a project whose processes are killed at random.
type randomBox struct {
	*killBox
	rand   *rand.Rand
	struck map[string]bool // features whose session was killed
}

func newRandomBox(t *testing.T) *randomBox {
	t.Helper()
	b := &randomBox{killBox: newKillBox(t, randomFeatures), struck: map[string]bool{}}
	b.file(b.dir, "bot.sh", "cat >/dev/null\necho one >$KEDGE_FEATURE.txt\nsleep 0.3\necho two >>$KEDGE_FEATURE.txt\n") // long enough to be met alive
	b.file(b.dir, ".kedge/config.toml", "version = 1\n[agents.bot]\nkind = 'command'\ncommand = ['sh', 'bot.sh']\n[run]\nagent = 'bot'\nparallel = 3\n")
	b.git("commit", "-q", "-a", "-m", "three at a time")
	return b
}

// survives kills until the run is over, and compares its end with the calm one.
func (b *randomBox) survives(calm killEnd) {
	b.t.Helper()
	var end killEnd
	for over := false; !over; {
		w := &waiter{Cmd: b.command("run", "--json")}
		w.Stdout, w.Stderr = &w.out, &w.errs
		if err := w.Start(); err != nil {
			b.t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- w.Wait() }()
		if err := b.killMeanwhile(w.Process.Pid, ended); err == nil {
			end, over = b.end(w.out.Bytes()), true
		} else {
			b.t.Logf("kedge run: %v\n%s", err, w.errs.String())
		}
	}
	if end != calm {
		b.t.Errorf("it ended as\n%+v\nand without kills as\n%+v", end, calm)
	}
	b.nothingLocked()
	for _, who := range []string{"daemon", "holder", "agent", "cli"} {
		b.t.Logf("%s: %d kills", who, strings.Count(b.kills(), who+"\n"))
	}
	if strings.Count(b.kills(), "\n") < 4 {
		b.t.Errorf("hardly anything was killed: this tests nothing\n%s", b.kills())
	}
	if b.t.Failed() {
		b.t.Logf("killed:\n%s", b.kills())
	}
}

// killMeanwhile kills somebody whenever the journal has grown by some events. The
// journal and not a clock decides, so that a slow machine sees as many kills.
func (b *randomBox) killMeanwhile(cli int, ended <-chan error) error {
	b.t.Helper()
	deadline := time.After(10 * patience) // it is a whole run
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	next, who := b.journalEnd()+b.gap(), b.victim()
	for {
		select {
		case err := <-ended:
			return err
		case <-deadline:
			b.t.Fatalf("the run does not end; killed so far:\n%s", b.kills())
		case <-tick.C:
			n := b.journalEnd()
			switch {
			case n >= next && b.killOne(who, cli):
				next, who = n+b.gap(), b.victim()
			case n >= next+patientEvents: // there is none, and none comes
				who = b.victim()
			}
		}
	}
}

// patientEvents is how many events a victim is waited for.
const patientEvents = 40

func (b *randomBox) gap() int { return 10 + b.rand.IntN(30) }

// victim is who is killed next: sessions live shortly, so that they are chosen more often.
func (b *randomBox) victim() string {
	return []string{"daemon", "cli", "agent", "agent", "holder", "holder"}[b.rand.IntN(6)]
}

// killOne kills one process, and tells whether there was one to kill.
func (b *randomBox) killOne(who string, cli int) bool {
	switch who {
	case "daemon":
		return b.killLocked("daemon\n")
	case "cli":
		_ = syscall.Kill(cli, syscall.SIGKILL) // one that has just ended is started again anyway
		b.note("cli\n")
		return true
	default:
		return b.killSession(who == "holder")
	}
}

// killSession kills an agent, or its holder, of a feature that was not struck before.
func (b *randomBox) killSession(holder bool) bool {
	for _, pid := range b.living() {
		feature, is := agentAt(pid)
		if !is || b.struck[feature] {
			continue
		}
		name := "agent\n"
		if holder {
			pid, name = parentOf(pid), "holder\n"
		}
		if !b.ours(pid) || syscall.Kill(pid, syscall.SIGKILL) != nil {
			continue
		}
		b.struck[feature] = true
		b.note(name)
		return true
	}
	return false
}

// agentAt names the feature whose agent a process is.
func agentAt(pid int) (feature string, is bool) {
	line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if string(line) != "sh\x00bot.sh\x00" {
		return "", false
	}
	env, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	for kv := range strings.SplitSeq(string(env), "\x00") {
		if f, ok := strings.CutPrefix(kv, "KEDGE_FEATURE="); ok {
			return f, true
		}
	}
	return "", false
}

func parentOf(pid int) int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) < 2 {
		return 0
	}
	n, _ := strconv.Atoi(fields[1])
	return n
}

// nothingLocked: git's locks are gone, and Kedge gets its own and has nothing left to do.
func (b *randomBox) nothingLocked() {
	b.t.Helper()
	var locks []string
	err := filepath.WalkDir(filepath.Join(b.dir, ".git"), func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".lock") && filepath.Base(path) != "kedge.lock" { // that one stays, and is held by a process alone
			locks = append(locks, path)
		}
		return err
	})
	if err != nil || len(locks) > 0 {
		b.t.Errorf("locks are left over: %v %q", err, locks)
	}
	if out := b.run("run", "--json"); !strings.Contains(out, string(core.StatusDone)) {
		b.t.Errorf("the next run says %s", out)
	}
	b.run("down")
	b.until("nothing of it lives", func() bool { return len(b.living()) == 0 })
}

// note keeps who was killed.
func (b *killBox) note(line string) {
	b.t.Helper()
	f, err := os.OpenFile(filepath.Join(b.out, "kills"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if _, err := f.WriteString(line); err != nil {
		b.t.Fatal(err)
	}
}
