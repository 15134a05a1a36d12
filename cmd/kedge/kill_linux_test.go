package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"kedge"
	"kedge/internal/app/features"
	"kedge/internal/app/maintenance"
	"kedge/internal/app/memory"
	"kedge/internal/app/status"
	"kedge/internal/journal"
	"kedge/internal/server"

	"kedge/internal/server/daemon"
)

// killCalls are the calls with which a program changes files, and whether the
// daemon must be seen to make them.
var killCalls = []struct {
	names string
	must  bool
}{
	{"write", true},
	{"pwrite64", true},
	{"fsync", true},
	{"rename,renameat,renameat2", true},
	{"ftruncate", true},
	{"fdatasync", false},
}

// TestF1KilledDaemon kills the real daemon, with SIGKILL, in its Nth call of each
// kind that changes a file, while a client writes; and so, where it is git that
// makes the call, git. Whatever was acknowledged is there for the next daemon,
// once; whatever was not is there whole or not at all, and goes on when it is
// asked for again.
//
// N is a sample; KEDGE_TEST_EVERY_KILL=1 takes every one.
func TestF1KilledDaemon(t *testing.T) {
	needStrace(t)
	bin := buildKedge(t)
	for _, call := range killCalls {
		t.Run(call.names, func(t *testing.T) {
			t.Parallel()
			v := newVictim(t, bin)
			most := v.count(call.names)
			if most == 0 && !call.must {
				t.Logf("the daemon makes no call of %s", call.names)
				return
			}
			deaths, fired := 0, 0
			for _, n := range sample(most) {
				end := v.killed(call.names, n)
				if end.daemon {
					deaths++
				}
				if end.any {
					fired++
				}
				if t.Failed() {
					t.Fatalf("after a kill at %s number %d", call.names, n)
				}
				if n > most && !end.any {
					break
				}
			}
			t.Logf("at most %d calls by one thread; %d kills, %d of them of the daemon", most, fired, deaths)
			if call.must && deaths == 0 {
				t.Errorf("the daemon was never killed at %s: this tests nothing", call.names)
			}
		})
	}
}

// needStrace ends a test that cannot be run here: as a failure, unless somebody
// said that this is known.
func needStrace(t *testing.T) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "strace", "-f", "-o", os.DevNull, "-e", "trace=fsync", "true").CombinedOutput()
	switch {
	case err == nil:
	case os.Getenv("KEDGE_TEST_NO_STRACE") != "":
		t.Skipf("KEDGE_TEST_NO_STRACE is set: kills are not tested (%v)", err)
	default:
		t.Fatalf("install strace: make deps (%v: %s)", err, out)
	}
}

func buildKedge(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "kedge")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", bin, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return bin
}

// sample picks from 1 to most, both included; or all, and then on until none
// fires any more, since threads share their work differently each time.
func sample(most int) []int {
	var ns []int
	if os.Getenv("KEDGE_TEST_EVERY_KILL") != "" {
		for n := 1; n <= 2*most+1; n++ {
			ns = append(ns, n)
		}
		return ns
	}
	const kills = 4
	for i := range kills {
		ns = append(ns, 1+i*max(most-1, 0)/(kills-1))
	}
	return slices.Compact(ns)
}

// victim is a project and its KEDGE_HOME, which are put back after each kill.
type victim struct {
	t         *testing.T
	bin       string
	base      string
	home, dir string
	env       []string
	sound     []string // what the doctor says of it before
}

func newVictim(t *testing.T, bin string) *victim {
	t.Helper()
	base := t.TempDir()
	v := &victim{t: t, bin: bin, base: base, home: filepath.Join(base, "now", "home"), dir: filepath.Join(base, "now", "repo")}
	v.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + base, "KEDGE_HOME=" + v.home, "USER=ada", "GIT_CONFIG_NOSYSTEM=1"}
	if err := os.MkdirAll(v.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	config := "[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n"
	if err := os.WriteFile(filepath.Join(base, ".gitconfig"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stopDaemon(v.home) })
	v.must("git", "init", "-q")
	v.must("git", "commit", "-q", "--allow-empty", "-m", "first")
	v.must(v.bin, "init", "--yes")
	v.must(v.bin, "feature", "add", "first", "--name", "First")
	v.sound = v.findings()
	v.must(v.bin, "down")
	v.must("cp", "-a", filepath.Join(base, "now"), filepath.Join(base, "before"))
	return v
}

func (v *victim) must(args ...string) {
	v.t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = v.dir, v.env
	if out, err := cmd.CombinedOutput(); err != nil {
		v.t.Fatalf("%q: %v\n%s", args, err, out)
	}
}

// restore makes everything as it was before.
func (v *victim) restore() {
	v.t.Helper()
	now := filepath.Join(v.base, "now")
	if err := os.RemoveAll(now); err != nil {
		v.t.Fatal(err)
	}
	cmd := exec.Command("cp", "-a", filepath.Join(v.base, "before"), now)
	if out, err := cmd.CombinedOutput(); err != nil {
		v.t.Fatalf("%v\n%s", err, out)
	}
}

// deed is one writing call of the client.
type deed struct {
	call, key, mark string // the mark is in what it writes and nowhere else
	in              any
	typ             kedge.EventType
	file            string // the document it shows in; a checkpoint only until the next
	acked           bool
}

func deeds() []*deed {
	feature := func(n int) *deed {
		mark := fmt.Sprintf("deed-%d-feature", n)
		in := features.FeatureAddRequest{Definition: kedge.Definition{ID: kedge.FeatureID(mark), Name: "Deed"}}
		return &deed{call: "feature.add", mark: mark, in: in, typ: kedge.FeatureAdded, file: "features.json"}
	}
	risk := func(n int) *deed {
		mark := fmt.Sprintf("deed-%d-risk", n)
		return &deed{call: "risk.add", mark: mark, in: memory.RiskAddRequest{Text: mark}, typ: kedge.RiskOpened, file: "risks.md"}
	}
	decision := func(n int) *deed {
		mark := fmt.Sprintf("deed-%d-decision", n)
		in := memory.DecisionAddRequest{Title: mark, Why: "so", AppliesTo: []string{mark}}
		return &deed{call: "decision.add", mark: mark, in: in, typ: kedge.DecisionSaved, file: "decisions/*.md"}
	}
	checkpoint := func(n int) *deed {
		mark := fmt.Sprintf("deed-%d-checkpoint", n)
		return &deed{call: "checkpoint.save", mark: mark, in: status.CheckpointSaveRequest{Task: mark}, typ: kedge.CheckpointSaved}
	}
	all := []*deed{feature(1), risk(2), decision(3), checkpoint(4), feature(5), decision(6), risk(7), checkpoint(8)}
	for _, d := range all {
		d.key = kedge.NewID("req", time.Unix(0, 0))
	}
	return all
}

// do makes the call; nil is an acknowledgement.
func (v *victim) do(d *deed) error { return v.ask(d.call, d.key, d.in, nil) }

func (v *victim) ask(name, key string, in, out any) error {
	ctx, cancel := context.WithTimeout(v.t.Context(), patience)
	defer cancel()
	h, err := daemon.Dial(ctx, v.home)
	if err != nil {
		return err
	}
	defer h.CloseIdleConnections()
	b, err := json.Marshal(in)
	if err != nil {
		return err
	}
	c := server.Client{HTTP: h}
	return c.Call(ctx, name, server.Envelope{Dir: v.dir, User: "ada", Key: key, In: b}, out, nil)
}

// life is a daemon in the foreground, wrapped by strace or not.
type life struct {
	cmd   *exec.Cmd
	said  bytes.Buffer
	ended chan struct{}
}

// live starts a daemon and waits until it answers, or has ended.
func (v *victim) live(wrap ...string) *life {
	v.t.Helper()
	args := append(wrap, v.bin, "up", "--foreground")
	l := &life{cmd: exec.Command(args[0], args[1:]...), ended: make(chan struct{})}
	l.cmd.Dir, l.cmd.Env, l.cmd.Stderr = v.dir, v.env, &l.said
	if err := l.cmd.Start(); err != nil {
		v.t.Fatal(err)
	}
	go func() { _ = l.cmd.Wait(); close(l.ended) }() // how it ended is in ProcessState
	eventually(v.t, "the daemon answers or has ended", func() bool {
		select {
		case <-l.ended:
			return true
		default:
			_, err := daemon.Dial(v.t.Context(), v.home)
			return err == nil
		}
	})
	return l
}

// end stops a daemon that lives still, and waits for the process.
func (v *victim) end(l *life) {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_ = daemon.Stop(ctx, v.home) // it may be dead, or be killed meanwhile
	select {
	case <-l.ended:
	case <-ctx.Done():
		v.t.Fatalf("the daemon does not end: %s", l.said.String())
	}
}

// count does the deeds without a kill and gives the most calls of one thread.
func (v *victim) count(calls string) int {
	v.t.Helper()
	v.restore()
	log := filepath.Join(v.base, "log")
	l := v.live(strace(log, calls)...)
	for _, d := range deeds() {
		if err := v.do(d); err != nil {
			v.t.Fatalf("%s without a fault: %v\n%s", d.call, err, l.said.String())
		}
	}
	v.end(l)
	return mostCalls(v.read(log))
}

// mostCalls reads a log of strace: the most calls of one name by one thread,
// which is how strace counts.
func mostCalls(log string) int {
	made, most := map[[2]string]int{}, 0
	for line := range strings.Lines(log) {
		pid, rest, _ := strings.Cut(line, " ")
		name, _, is := strings.Cut(strings.TrimSpace(rest), "(")
		if is && !strings.HasPrefix(name, "<") { // else the second half of a call
			made[[2]string{pid, name}]++
			most = max(most, made[[2]string{pid, name}])
		}
	}
	return most
}

// strace is without its faster way of filtering (--seccomp-bpf): with it, only
// the first call would be counted.
func strace(log, calls string, more ...string) []string {
	return append([]string{"strace", "-f", "-qq", "-o", log, "-e", "trace=" + calls, "-e", "signal=none"}, more...)
}

func (v *victim) read(file string) string {
	v.t.Helper()
	b, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		v.t.Fatal(err)
	}
	return string(b)
}

// ending is who was killed.
type ending struct{ daemon, any bool }

// killed lives through one kill and compares what is left with what was promised.
func (v *victim) killed(calls string, n int) ending {
	v.t.Helper()
	v.restore()
	log := filepath.Join(v.base, "log")
	l := v.live(strace(log, calls, "-e", "inject="+calls+":signal=KILL:when="+strconv.Itoa(n))...)
	all := deeds()
	for _, d := range all {
		d.acked = v.do(d) == nil
	}
	v.end(l)
	status, _ := l.cmd.ProcessState.Sys().(syscall.WaitStatus)
	end := ending{daemon: status.Signaled() && status.Signal() == syscall.SIGKILL}
	text := v.read(log)
	end.any = end.daemon || strings.Contains(text, "killed by SIGKILL")
	if most := mostCalls(text); most >= n && !end.any {
		v.t.Errorf("a thread made %d calls of %s, and nothing was killed: this tests nothing", most, calls)
	}
	v.aftermath(all)
	return end
}

// aftermath starts a daemon over what is left, and writes with it. A document
// that was not written is written by the next command that writes such a one.
func (v *victim) aftermath(all []*deed) {
	v.t.Helper()
	l := v.live()
	defer v.end(l)
	var edits [2]struct {
		Edits []kedge.HandEditData `json:"edits"`
		Moved []string             `json:"moved"`
	}
	for i, d := range []*deed{
		{call: "risk.add", in: memory.RiskAddRequest{Text: "the next one"}},
		{call: "checkpoint.save", in: status.CheckpointSaveRequest{Task: "the next one"}},
	} {
		if err := v.ask(d.call, kedge.NewID("req", time.Unix(0, 0)), d.in, &edits[i]); err != nil {
			v.t.Fatalf("the next daemon: %s: %v\n%s", d.call, err, l.said.String())
		}
		if len(edits[i].Edits)+len(edits[i].Moved) > 0 {
			v.t.Errorf("what the kill left is taken for edits by hand: %+v", edits[i])
		}
	}
	v.compare(all, "after the kill")
	for _, d := range all {
		if err := v.do(d); err != nil {
			v.t.Errorf("%s again, with its key: %v", d.mark, err)
		}
		d.acked = true
	}
	v.compare(all, "after everything was asked for again")
	if got := v.findings(); !slices.Equal(got, v.sound) {
		v.t.Errorf("the doctor finds %q, before %q", got, v.sound)
	}
}

// compare looks for the deeds in the journal and in the files.
func (v *victim) compare(all []*deed, when string) {
	v.t.Helper()
	events := v.events()
	for _, d := range all {
		there := 0
		for _, ev := range events {
			if ev.Type == d.typ && bytes.Contains(ev.Data, []byte(d.mark)) {
				there++
			}
		}
		if there > 1 || d.acked && there == 0 {
			v.t.Errorf("%s: %s, acknowledged %v, is in the journal %d times", when, d.mark, d.acked, there)
		}
		if d.file == "" {
			continue
		}
		if shown := v.projected(d.file, d.mark); shown != (there == 1) {
			v.t.Errorf("%s: %s is in the journal %d times, in %s: %v", when, d.mark, there, d.file, shown)
		}
	}
	if id := lastCheckpoint(v.t, events); !v.projected("checkpoint.md", "id="+id+" ") {
		v.t.Errorf("%s: checkpoint.md is not that of %s", when, id)
	}
}

func lastCheckpoint(t *testing.T, events []kedge.Event) string {
	t.Helper()
	var c kedge.Checkpoint
	for _, ev := range events {
		if ev.Type != kedge.CheckpointSaved {
			continue
		}
		if err := json.Unmarshal(ev.Data, &c); err != nil {
			t.Fatal(err)
		}
	}
	return string(c.ID)
}

func (v *victim) projected(file, mark string) bool {
	v.t.Helper()
	files, err := filepath.Glob(filepath.Join(v.dir, ".kedge", file))
	if err != nil {
		v.t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(f string) bool { return strings.Contains(v.read(f), mark) })
}

// events is the journal as it lies on disk.
func (v *victim) events() []kedge.Event {
	v.t.Helper()
	dirs, err := filepath.Glob(filepath.Join(v.home, "projects", "*"))
	if err != nil || len(dirs) != 1 {
		v.t.Fatalf("projects: %q, %v", dirs, err)
	}
	s, err := journal.Open(dirs[0], journal.Options{ReadOnly: true})
	if err != nil {
		v.t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	all, err := s.Events(v.t.Context(), 0)
	if err != nil {
		v.t.Fatal(err)
	}
	return all
}

// findings is what the doctor says; a daemon must run.
func (v *victim) findings() []string {
	v.t.Helper()
	var out maintenance.DoctorReply
	if err := v.ask("doctor", "", maintenance.DoctorRequest{}, &out); err != nil {
		v.t.Fatal(err)
	}
	var found []string
	for _, f := range out.Findings {
		found = append(found, fmt.Sprintf("%s: %s (%s)", f.Level, f.What, f.Where))
	}
	return found
}
