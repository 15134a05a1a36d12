package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"kedge"
	"kedge/internal/app/runs"
	core "kedge/internal/core/run"
)

// killFeatures is how many features a run of the matrix has.
const killFeatures = 6

// bombScript is sourced by git, the agent and the check of a matrix, with the
// name of the place in $place. It counts how often the place is passed, and kills
// whom the plan names for that time. A daemon is known by its lock and by its
// home: a number that the system gave to somebody else is let alone.
const bombScript = `
read n 2>/dev/null <OUT/count-$place || n=0
n=$((n+1))
set -C
until true 2>/dev/null >OUT/seen/$place-$n; do n=$((n+1)); done
set +C
echo $n >OUT/count-$place
if [ -e OUT/plan/$place-$n ] && mkdir OUT/fired/$place-$n 2>/dev/null; then
	read who <OUT/plan/$place-$n
	read pid <HOME/daemon/lock
	case $who in daemon|all)
		grep -qzxF KEDGE_HOME=HOME /proc/$pid/environ && kill -9 $pid ;;
	esac
	echo $place $n $who >>OUT/kills
	case $place-$who in
	git-all) kill -9 $$ ;;
	*-holder) kill -9 $PPID ;;
	*-all) kill -9 $PPID $$ ;;
	agent-self|check-self) kill -9 $$ ;;
	esac
fi
`

// killBox is a project with some features, at whose git, agent and checks bombs
// can be placed.
type killBox struct{ *gateBox }

func newKillBox(t *testing.T, features int) *killBox {
	t.Helper()
	b := &killBox{&gateBox{box: newBox(t), out: t.TempDir()}}
	b.run("down")
	for _, dir := range []string{"plan", "fired", "seen", "bin"} {
		if err := os.Mkdir(filepath.Join(b.out, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	b.git("init", "-q")
	b.script("bomb.sh", bombScript)
	b.file(b.dir, "bot.sh", "cat >/dev/null; echo began >>$BOMBS/agents\n"+
		"echo one >$KEDGE_FEATURE.txt\nplace=agent; . $BOMBS/bomb.sh\necho two >>$KEDGE_FEATURE.txt\n")
	b.file(b.dir, "check.sh", "place=check; . $BOMBS/bomb.sh\n"+
		"for f in *.txt $1; do [ $f = '*.txt' ] || [ \"$(tail -n 1 $f)\" = two ] || exit 1; done\n")
	b.git("add", "-A")
	b.git("commit", "-q", "-m", "first")
	b.run("init", "--yes")
	b.file(b.dir, ".kedge/config.toml", "version = 1\n[agents.bot]\nkind = 'command'\ncommand = ['sh', 'bot.sh']\n[run]\nagent = 'bot'\n")
	b.file(b.dir, ".kedge/gate.toml", "version = 1\n[[check]]\nname = 'unit'\nkind = 'test'\nrun = 'exec sh check.sh'\n")
	b.git("add", "-A")
	b.git("commit", "-q", "-m", "settings")
	for i := range features {
		b.run("feature", "add", fmt.Sprintf("f%d", i), "--name", "Work", "--check", fmt.Sprintf("exec sh check.sh f%d.txt", i))
	}
	b.run("down")
	b.placeGit()
	return b
}

// placeGit makes every git that a daemon runs pass a bomb.
func (b *killBox) placeGit() {
	b.t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		b.t.Fatal(err)
	}
	b.script("bin/git", "#!/bin/sh\nread pid 2>/dev/null <HOME/daemon/lock\nif [ \"$pid\" = $PPID ]; then place=git; . OUT/bomb.sh; fi\nexec "+git+" \"$@\"\n")
	b.env = append(slices.Clone(b.env), "BOMBS="+b.out)
	for i, kv := range b.env {
		if path, ok := strings.CutPrefix(kv, "PATH="); ok {
			b.env[i] = "PATH=" + filepath.Join(b.out, "bin") + ":" + path
		}
	}
}

func (b *killBox) script(name, text string) {
	b.t.Helper()
	b.file(b.out, name, strings.NewReplacer("OUT", b.out, "HOME/", b.home+"/", "=HOME", "="+b.home).Replace(text))
}

func (b *killBox) file(dir, name, text string) {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
		b.t.Fatal(err)
	}
}

// kill is one death: where, at which passing of that place, and whose.
type kill struct {
	place string // git, agent, check or journal
	n     int
	who   string // daemon, self, holder or all
}

func (k kill) String() string { return fmt.Sprintf("%s-%d:%s", k.place, k.n, k.who) }

// passed is how often a place was passed.
func (b *killBox) passed(place string) int {
	b.t.Helper()
	seen, err := filepath.Glob(filepath.Join(b.out, "seen", place+"-*"))
	if err != nil || len(seen) == 0 {
		b.t.Fatalf("the place %s was never passed: %v", place, err)
	}
	return len(seen)
}

// journalEnd is the number of the last event that the journal acknowledged.
func (b *killBox) journalEnd() int {
	tails, _ := filepath.Glob(filepath.Join(b.home, "projects", "*", "journal.tail"))
	if len(tails) != 1 {
		return 0
	}
	text, _ := os.ReadFile(tails[0])
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	n, _ := strconv.Atoi(string(regexp.MustCompile(`\d+`).Find(lines[len(lines)-1])))
	return n
}

// drive runs everything to its end, through the kills, and gives that end. At
// the journal the daemon is killed from here, as soon as an append is seen.
func (b *killBox) drive(kills []kill) killEnd {
	b.t.Helper()
	var appends []int
	for _, k := range kills {
		if k.place == "journal" {
			appends = append(appends, k.n)
		} else {
			b.file(b.out, "plan/"+k.place+"-"+strconv.Itoa(k.n), k.who+"\n")
		}
	}
	slices.Sort(appends)
	start := b.journalEnd()
	for range len(kills) + 1 {
		w := &waiter{Cmd: b.command("run", "--json")}
		w.Stdout, w.Stderr = &w.out, &w.errs
		if err := w.Start(); err != nil {
			b.t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- w.Wait() }()
		err := b.watch(ended, start, &appends)
		if err == nil {
			return b.end(w.out.Bytes())
		}
		b.t.Logf("kedge run: %v\n%s", err, w.errs.String())
	}
	b.t.Fatal("the run does not end")
	return killEnd{}
}

// watch waits for a run, and kills its daemon at each of the appends.
func (b *killBox) watch(ended <-chan error, start int, appends *[]int) error {
	deadline := time.After(5 * patience) // it is a whole run
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		moments := tick.C
		if len(*appends) == 0 {
			moments = nil
		}
		select {
		case err := <-ended:
			return err
		case <-deadline:
			b.t.Fatalf("the run does not end; killed so far:\n%s", b.kills())
		case <-moments:
			if n := b.journalEnd() - start; n >= (*appends)[0] && b.killLocked(fmt.Sprintf("journal %d daemon\n", n)) {
				*appends = slices.DeleteFunc(*appends, func(at int) bool { return at <= n })
			}
		}
	}
}

// killLocked kills the daemon that holds the lock, if there is one.
func (b *killBox) killLocked(as string) bool {
	text, _ := os.ReadFile(filepath.Join(b.home, "daemon", "lock"))
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || !b.ours(pid) || syscall.Kill(pid, syscall.SIGKILL) != nil {
		return false
	}
	b.note(as)
	return true
}

func (b *killBox) kills() string {
	text, _ := os.ReadFile(filepath.Join(b.out, "kills")) // none
	return string(text)
}

// ours tells whether a process lives in the home of the box.
func (b *killBox) ours(pid int) bool {
	env, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	return slices.Contains(strings.Split(string(env), "\x00"), "KEDGE_HOME="+b.home)
}

// killEnd is what must not depend on kills.
type killEnd struct {
	State     string
	Completed int
	Files     string // of the branch that was landed on, without what is Kedge's
	Commits   string // the features of the work commits, sorted
	Dirt      string
	Trees     int // worktrees of the repository
}

// end looks at everything after a run.
func (b *killBox) end(out []byte) killEnd {
	b.t.Helper()
	var end killEnd
	for line := range bytes.Lines(out) {
		var l struct {
			Type string        `json:"type"`
			Run  *runs.RunView `json:"run"`
		}
		if err := json.Unmarshal(line, &l); err != nil {
			b.t.Fatalf("%v: %s", err, line)
		}
		if l.Type == "end" {
			end.State = string(l.Run.State)
		}
	}
	var list struct {
		Features []kedge.Feature `json:"features"`
	}
	b.json(&list, "features")
	for _, f := range list.Features {
		if f.Status == kedge.Completed {
			end.Completed++
		}
	}
	b.run("down")
	b.until("nothing of the run lives", func() bool { return len(b.living()) == 0 })
	for line := range strings.Lines(b.gitOut("ls-tree", "-r", "HEAD")) {
		if !strings.Contains(line, "\t.kedge/") && !strings.Contains(line, "\tAGENT_CONTEXT.md") {
			end.Files += line
		}
	}
	commits := strings.Fields(b.gitOut("log", "--format=%(trailers:key=Kedge-Feature,valueonly)"))
	slices.Sort(commits)
	end.Commits = strings.Join(commits, " ")
	end.Dirt = b.gitOut("status", "--porcelain")
	end.Trees = strings.Count(b.gitOut("worktree", "list", "--porcelain"), "worktree ")
	return end
}

// living are the processes of the box.
func (b *killBox) living() (pids []int) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		b.t.Fatal(err)
	}
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil && b.ours(pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func (b *killBox) gitOut(args ...string) string {
	b.t.Helper()
	c := exec.Command("git", args...)
	c.Dir, c.Env = b.dir, b.env
	out, err := c.Output()
	if err != nil {
		b.t.Fatalf("git %v: %v", args, err)
	}
	return string(out)
}

// survives drives a run through kills and compares its end with the calm one.
func survives(t *testing.T, calm killEnd, kills []kill) {
	t.Helper()
	b := newKillBox(t, killFeatures)
	t.Logf("planned: %v", kills)
	end := b.drive(kills)
	if end != calm {
		t.Errorf("it ended as\n%+v\nand without kills as\n%+v", end, calm)
	}
	deaths := 0 // of sessions
	for line := range strings.Lines(b.kills()) {
		if strings.HasPrefix(line, "agent") && !strings.HasSuffix(line, " daemon\n") {
			deaths++
		}
	}
	if n := b.marks("agents"); n != killFeatures+deaths {
		t.Errorf("%d agents were started for %d features, of which %d were killed", n, killFeatures, deaths)
	}
	t.Logf("%d kills", strings.Count(b.kills(), "\n"))
	if strings.Count(b.kills(), "\n") == 0 {
		t.Error("nothing was killed: this tests nothing")
	}
	if t.Failed() {
		t.Logf("killed:\n%s", b.kills())
	}
}

// TestKillMatrix drives six features to their end while the daemon, the agent,
// its holder, a check, or all of them are killed: at appends to the journal, at
// calls of git, which lie before, in and behind every command, and in the middle
// of sessions and of gates. However that is, the run ends as a calm one does: the
// same features completed, the same files, one work commit and one session for
// each feature, nothing left over.
//
// The kills are a sample; KEDGE_TEST_EVERY_KILL=1 takes every one, some dozens in
// each run. KEDGE_TEST_SEED takes another sample.
func TestKillMatrix(t *testing.T) {
	t.Parallel()
	b := newKillBox(t, killFeatures)
	start := b.journalEnd()
	calm := b.drive(nil)
	most := map[string]int{"git": b.passed("git"), "agent": b.passed("agent"), "check": b.passed("check"), "journal": b.journalEnd() - start}
	t.Logf("calm: %v passed, %+v", most, calm)
	if calm.State != string(core.StatusDone) || calm.Completed != killFeatures || calm.Dirt != "" || calm.Trees != 1 || len(strings.Fields(calm.Commits)) != killFeatures {
		t.Fatalf("the calm run ended as %+v", calm)
	}
	if os.Getenv("KEDGE_TEST_EVERY_KILL") == "" {
		survives(t, calm, someKills(t, most))
		return
	}
	for name, kills := range everyKill(most) {
		t.Run(name, func(t *testing.T) { survives(t, calm, kills) })
	}
}

// someKills spreads a few over the run.
func someKills(t *testing.T, most map[string]int) []kill {
	seed := uint64(1) // the same every time: what fails once has to fail again
	if s, err := strconv.ParseUint(os.Getenv("KEDGE_TEST_SEED"), 10, 64); err == nil {
		seed = s
	}
	t.Logf("KEDGE_TEST_SEED=%d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	var kills []kill
	for _, k := range []struct{ place, who string }{
		{"git", "daemon"},
		{"git", "all"},
		{"git", "daemon"},
		{"journal", "daemon"},
		{"agent", "self"},
		{"agent", "all"},
		{"check", "self"},
		{"check", "daemon"},
		{"check", "all"},
	} {
		kills = append(kills, kill{k.place, 1 + r.IntN(most[k.place]), k.who})
	}
	return kills
}

// strides is how far apart the kills of one run are, by place: so far that the
// run goes on between them. A run for each remainder takes every one.
var strides = []struct {
	place  string
	stride int
	whose  []string
}{
	{"git", 29, []string{"daemon", "all"}},
	{"journal", 7, []string{"daemon"}},
	{"agent", 2, []string{"daemon", "self", "holder", "all"}},
	{"check", 2, []string{"daemon", "self", "holder", "all"}},
}

// everyKill are the runs that together take every kill.
func everyKill(most map[string]int) map[string][]kill {
	runs := map[string][]kill{}
	for _, s := range strides {
		for from := range s.stride {
			for i, who := range s.whose {
				if s.place == "git" && i != from%len(s.whose) { // in turn: there are many
					continue
				}
				var kills []kill
				for n := from + 1; n <= 2*most[s.place]; n += s.stride { // what is done again is passed again
					kills = append(kills, kill{s.place, n, who})
				}
				runs[fmt.Sprintf("%s/%s/%d", s.place, who, from+1)] = kills
			}
		}
	}
	return runs
}
