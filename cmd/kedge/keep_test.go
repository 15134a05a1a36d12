package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"kedge"
	"kedge/internal/app"
	"kedge/internal/app/projects"
	"kedge/internal/app/sessions"
	"kedge/internal/process/hold"
	"kedge/internal/process/tape"
	"kedge/internal/server/daemon"
)

// keeper is a KEDGE_HOME with real processes: the command line, its daemon and
// its holders. Nothing of it is left when the test ends.
type keeper struct {
	t    *testing.T
	bin  string
	home string
	dir  string
	env  []string
}

func newKeeper(t *testing.T) *keeper {
	t.Helper()
	bin, err := exec.LookPath("kedge")
	if err != nil {
		t.Fatal(err)
	}
	return newKeeperOf(t, bin)
}

func newKeeperOf(t *testing.T, bin string) *keeper {
	t.Helper()
	user := t.TempDir()
	k := &keeper{t: t, bin: bin, home: filepath.Join(t.TempDir(), "state"), dir: t.TempDir()}
	k.env = []string{
		"HOME=" + user, "KEDGE_HOME=" + k.home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir(), "USER=ada",
		"GIT_CONFIG_NOSYSTEM=1",
	}
	config := "[user]\n\tname = Ada\n\temail = ada@example.com\n"
	if err := os.WriteFile(filepath.Join(user, ".gitconfig"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stopDaemon(k.home); endSessions(t, k.home) })
	return k
}

// endSessions ends every session of a home, and the holders of ended ones.
func endSessions(t testing.TB, home string) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	found, err := hold.Find(ctx, filepath.Join(home, "sessions"))
	if err != nil {
		t.Errorf("find what to end: %v", err)
	}
	for _, f := range found {
		if f.Client == nil {
			continue
		}
		if f.Result == nil {
			_ = f.Client.End(ctx, 0) // it may just have ended by itself
		}
		_, _ = f.Client.Follow(ctx, func(int64) error { return nil })
		_ = f.Client.Collect(ctx)
		_ = f.Client.Close()
	}
}

// command is kedge with arguments, in a folder.
func (k *keeper) command(dir string, args ...string) *exec.Cmd {
	c := exec.Command(k.bin, args...)
	c.Dir, c.Env = dir, k.env
	return c
}

// in runs kedge in a folder and gives what it printed.
func (k *keeper) in(dir string, args ...string) string {
	k.t.Helper()
	var errs bytes.Buffer
	c := k.command(dir, args...)
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		k.t.Fatalf("kedge %q: %v\n%s%s", args, err, out, errs.String())
	}
	return string(out)
}

func (k *keeper) run(args ...string) string { k.t.Helper(); return k.in(k.dir, args...) }

// session is the newest session of a name.
func (k *keeper) session(dir, name string) kedge.Session {
	k.t.Helper()
	for _, s := range k.sessions(dir) {
		if s.Name == name {
			return s
		}
	}
	k.t.Fatalf("no session %q", name)
	return kedge.Session{}
}

// live is session for one that runs: as soon as its holder has told its pid,
// which on a busy machine may take it more than one try.
func (k *keeper) live(dir, name string) (s kedge.Session) {
	k.t.Helper()
	eventually(k.t, name+" tells its pid", func() bool { s = k.session(dir, name); return s.State == kedge.SessionRunning && s.PID > 0 })
	return s
}

func (k *keeper) sessions(dir string) []kedge.Session {
	k.t.Helper()
	var list sessions.SessionListReply
	if err := json.Unmarshal([]byte(k.in(dir, "ls", "--json")), &list); err != nil {
		k.t.Fatal(err)
	}
	return list.Sessions
}

func (k *keeper) folder(id kedge.SessionID) string {
	return filepath.Join(k.home, "sessions", string(id))
}

func (k *keeper) printed(id kedge.SessionID) string {
	k.t.Helper()
	l := tape.Open(k.folder(id))
	from, end, err := l.Range()
	if err != nil {
		k.t.Fatal(err)
	}
	b := make([]byte, end-from)
	n, _ := l.ReadAt(b, from) // it may be at its end
	return string(b[:n])
}

func (k *keeper) daemonPID() int {
	k.t.Helper()
	var up struct {
		PID int `json:"pid"`
	}
	if err := json.Unmarshal([]byte(k.run("up", "--json")), &up); err != nil {
		k.t.Fatal(err)
	}
	return up.PID
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("never: %s", what)
		}
	}
}

// alive tells whether a process exists and is no zombie.
func alive(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist) || syscall.Kill(pid, 0) == nil
	}
	_, after, _ := strings.Cut(string(b), ") ")
	return !strings.HasPrefix(after, "Z")
}

func kill9(t *testing.T, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			t.Fatal(err)
		}
	}
	for _, pid := range pids {
		eventually(t, fmt.Sprintf("process %d is gone", pid), func() bool { return !alive(pid) })
	}
}

// ticking prints for as long as it lives.
var ticking = []string{"sh", "-c", "while :; do echo tick; sleep 0.05; done"}

// TestRow50ClosingEveryClient: a terminal that is attached, and two readers, go
// away without a word; the program has the same pid and goes on printing.
func TestRow50ClosingEveryClient(t *testing.T) {
	k := newKeeper(t)
	k.run(append([]string{"new", "work", "--"}, ticking...)...)
	before := k.live(k.dir, "work")
	terminal := k.terminal("attach", "work")
	eventually(t, "the terminal shows the session", func() bool { return strings.Contains(printedIn(t, terminal), "tick") })
	var readers []*exec.Cmd
	for range 2 {
		c := k.command(k.dir, "logs", "work", "--follow")
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		readers = append(readers, c)
	}
	r, err := hold.ReadRecord(terminal)
	if err != nil {
		t.Fatal(err)
	}
	kill9(t, r.Holder.PID, r.Child.PID)
	for _, c := range readers {
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = c.Wait() // killed
	}
	k.run("down")
	grown := len(k.printed(before.ID))
	eventually(t, "the output grows", func() bool { return len(k.printed(before.ID)) > grown+20 })
	if after := k.live(k.dir, "work"); after.PID != before.PID || !alive(after.PID) {
		t.Errorf("before %+v, after %+v", before, after)
	}
}

func holderOf(t *testing.T, dir string) int {
	t.Helper()
	r, err := hold.ReadRecord(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r.Holder.PID
}

// inProcess is a service of the test's own, with a clock that it moves.
type inProcess struct {
	*keeper
	s     *app.Service
	clock *atomic.Int64
}

func (k *keeper) inProcess() *inProcess {
	k.t.Helper()
	p := &inProcess{keeper: k, clock: &atomic.Int64{}}
	p.clock.Store(time.Now().UnixMilli())
	if err := os.MkdirAll(k.home, 0o700); err != nil {
		k.t.Fatal(err)
	}
	p.open()
	k.t.Cleanup(func() { p.close() })
	return p
}

func (p *inProcess) open() {
	p.t.Helper()
	sockets, err := daemon.SocketDir(p.home, "", 12)
	if err != nil {
		p.t.Fatal(err)
	}
	p.s = app.New(app.Config{
		Home: p.home, Now: func() time.Time { return time.UnixMilli(p.clock.Load()) },
		Sessions: sessions.Sessions{Holder: hold.NewLauncher(p.bin, "hold"), Sockets: sockets},
	})
	if err := p.s.Adopt(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
}

func (p *inProcess) close() {
	if err := p.s.Close(); err != nil {
		p.t.Error(err)
	}
}

func (p *inProcess) pass(d time.Duration) { p.clock.Add(d.Milliseconds()) }

func (p *inProcess) who() projects.Caller {
	return projects.Caller{Dir: p.dir, Actor: kedge.Human("ada"), Key: kedge.NewID("req", time.Now())}
}

func (p *inProcess) start(name string, command ...string) kedge.Session {
	p.t.Helper()
	s, err := p.s.SessionNew(p.t.Context(), p.who(), sessions.SessionNew{Name: name, Dir: p.dir, Command: command, Env: p.env, Cols: 80, Rows: 24})
	if err != nil {
		p.t.Fatal(err)
	}
	eventually(p.t, name+" tells its pid, or is over", func() bool {
		now := p.now(s.ID)
		s.PID = now.PID
		return s.PID > 0 || !now.Live()
	})
	return s
}

// still waits until a session tells that it is the same process as ever.
func (p *inProcess) still(ses kedge.Session) {
	p.t.Helper()
	eventually(p.t, ses.Name+" is the same process", func() bool {
		now := p.now(ses.ID)
		return now.State == kedge.SessionRunning && now.PID == ses.PID && alive(ses.PID)
	})
}

// now is a session as the service sees it.
func (p *inProcess) now(id kedge.SessionID) kedge.Session {
	p.t.Helper()
	f, err := p.s.SessionFind(p.t.Context(), p.who(), sessions.SessionName{Name: string(id)})
	if err != nil {
		p.t.Fatal(err)
	}
	return f.Session
}

func (p *inProcess) retain() sessions.SessionRetainReply {
	p.t.Helper()
	r, err := p.s.Retain(p.t.Context(), p.env)
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

// retainOne is retain as soon as it takes something away of one session: only
// what the journal calls ended is touched, and that is written after the end.
func (p *inProcess) retainOne() (r sessions.SessionRetainReply) {
	p.t.Helper()
	eventually(p.t, "something is taken away", func() bool { r = p.retain(); return r.Sessions == 1 })
	return r
}

// TestRow53IdleForADay: by the service's clock a session that prints nothing is
// idle for a day, and for a year: a client that was attached all the time is
// still attached to the same process. The holder has no clock to be moved: it
// waits for its program, for a signal, and for nothing else, so that there is no
// time after which it would end one.
func TestRow53IdleForADay(t *testing.T) {
	p := newKeeper(t).inProcess()
	ses := p.start("idle", "cat")
	c, err := hold.Dial(t.Context(), p.folder(ses.ID))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	grown := make(chan int64, 64)
	follow, stop := context.WithCancel(t.Context())
	followed := make(chan struct{})
	go func() {
		defer close(followed)
		_, _ = c.Follow(follow, func(end int64) error { grown <- end; return nil }) // ended by stop
	}()
	defer func() { stop(); <-followed }()
	for _, idle := range []time.Duration{24 * time.Hour, 365 * 24 * time.Hour} {
		p.pass(idle)
		if r := p.retain(); r.Sessions != 0 {
			t.Errorf("after %v: %+v was taken away", idle, r)
		}
		p.close()
		p.open() // a daemon that starts looks at every session
		p.still(ses)
	}
	if err := c.Input(t.Context(), 1, 1, []byte("still here\n")); err != nil {
		t.Fatal(err)
	}
	for end := int64(0); end == 0; {
		select {
		case end = <-grown:
		case <-time.After(patience):
			t.Fatal("the client is no longer attached")
		}
	}
	eventually(t, "it answers", func() bool { return strings.Contains(p.printed(ses.ID), "still here") })
}

// TestF32Reboot: after a boot with another id every session that ran is
// interrupted by the reboot, and its command starts again in its folder.
func TestF32Reboot(t *testing.T) {
	p := newKeeper(t).inProcess()
	ses := p.start("build", "sh", "-c", "pwd; cat")
	p.close()
	kill9(t, holderOf(t, p.folder(ses.ID)), ses.PID)
	anotherBoot(t, p.folder(ses.ID))
	p.open()
	now := p.now(ses.ID)
	if now.State != kedge.SessionInterrupted || now.Cause != "reboot" || now.PID != 0 {
		t.Errorf("after the boot: %+v", now)
	}
	who := p.who()
	again, err := p.s.SessionResume(t.Context(), who, sessions.SessionResume{Name: "build", Env: p.env})
	if err != nil {
		t.Fatal(err)
	}
	if again.ID == ses.ID || again.Previous != ses.ID || again.Name != "build" || again.Dir != ses.Dir || again.State != kedge.SessionRunning {
		t.Errorf("resumed as %+v", again)
	}
	eventually(t, "it runs in its folder", func() bool { return strings.Contains(p.printed(again.ID), p.dir) })
	retry, err := p.s.SessionResume(t.Context(), who, sessions.SessionResume{Name: "build", Env: p.env})
	if err != nil || retry.ID != again.ID {
		t.Errorf("the same request again: %+v, %v", retry, err)
	}
	if _, err := p.s.SessionResume(t.Context(), p.who(), sessions.SessionResume{Name: string(ses.ID), Env: p.env}); !kedge.Conflict.Is(err) {
		t.Errorf("a second one of the name: %v", err)
	}
}

// anotherBoot makes a holder's record one of an earlier boot.
func anotherBoot(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, "holder.json")
	r, err := hold.ReadRecord(dir)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(b), r.Boot, "00000000-0000-4000-8000-000000000000", 1)
	if changed == string(b) {
		t.Fatal("the record has no boot id")
	}
	if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
}

// worker does three items, each once, and notes what is done; the first time it
// gets no further than the second.
const worker = `for i in 1 2 3; do
  grep -qx "item $i" done && continue
  echo "item $i" >> done
  echo "finished $i"
  if [ $i = 2 ] && [ ! -e stopped ]; then : > stopped; exec cat; fi
done
echo all done; exec cat`

// TestRow69CrashAndResume: agent and daemon, and once the holder too, are killed
// with SIGKILL; the session is interrupted, and resuming it goes on after the
// item that was done last.
func TestRow69CrashAndResume(t *testing.T) {
	for _, c := range []struct {
		name   string
		holder bool
	}{{"agent and daemon", false}, {"and the holder", true}} {
		t.Run(c.name, func(t *testing.T) {
			k := newKeeper(t)
			if err := os.WriteFile(filepath.Join(k.dir, "done"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			k.run("new", "job", "--", "sh", "-c", worker)
			first := k.live(k.dir, "job")
			eventually(t, "two items are done", func() bool { return strings.Contains(k.printed(first.ID), "finished 2") })
			victims := []int{k.daemonPID(), first.PID}
			if c.holder {
				victims = append([]int{holderOf(t, k.folder(first.ID))}, victims...)
			}
			kill9(t, victims...)
			eventually(t, "it is interrupted", func() bool { return k.session(k.dir, "job").State != kedge.SessionRunning })
			if s := k.session(k.dir, "job"); s.State != kedge.SessionInterrupted || s.Cause != "killed" {
				t.Errorf("after the crash: %+v", s)
			}
			k.run("resume", "job")
			second := k.session(k.dir, "job")
			eventually(t, "the rest is done", func() bool { return strings.Contains(k.printed(second.ID), "all done") })
			done, err := os.ReadFile(filepath.Join(k.dir, "done"))
			if err != nil || string(done) != "item 1\nitem 2\nitem 3\n" {
				t.Errorf("done: %q, %v", done, err)
			}
			if strings.Contains(k.printed(second.ID), "finished 2") || second.Previous != first.ID {
				t.Errorf("the second time: %q, %+v", k.printed(second.ID), second)
			}
		})
	}
}

// TestRow55TwoProjects: two projects share no state, no environment and no list
// of sessions; forgetting one changes no byte of the other.
func TestRow55TwoProjects(t *testing.T) {
	k := newKeeper(t)
	dirs := []string{k.project("shop"), k.project("blog")}
	for i, dir := range dirs {
		c := k.command(dir, "new", "agent", "--", "sh", "-c", "echo [$MINE] [$THEIRS]; exec cat")
		c.Env = append(c.Env, []string{"MINE=shop", "THEIRS=blog"}[i]+"-value")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	shop, blog := k.session(dirs[0], "agent"), k.session(dirs[1], "agent")
	if shop.ID == blog.ID || shop.Project == blog.Project || len(k.sessions(dirs[0])) != 1 || len(k.sessions(dirs[1])) != 1 {
		t.Errorf("%+v and %+v", shop, blog)
	}
	eventually(t, "the first has its own variable only", func() bool { return strings.Contains(k.printed(shop.ID), "[shop-value] []") })
	eventually(t, "the second too", func() bool { return strings.Contains(k.printed(blog.ID), "[] [blog-value]") })
	for _, dir := range dirs {
		k.in(dir, "kill", "agent", "--grace", "0s")
	}
	k.in(dirs[0], "remember", "the shop note is in src/shop.go")
	if strings.Contains(k.in(dirs[1], "recall", "shop"), "shop note") {
		t.Error("one project remembers for the other")
	}
	k.run("down")
	before := k.hash(dirs[1], blog)
	k.run("project", "rm", string(shop.Project))
	k.run("down")
	after := k.hash(dirs[1], blog)
	if len(before) < 20 {
		t.Errorf("only %d files: this looks at nothing", len(before))
	}
	for _, path := range slices.Sorted(maps.Keys(before)) {
		if after[path] != before[path] {
			t.Errorf("forgetting one project changed %s", path)
		}
	}
	if len(after) != len(before) {
		t.Errorf("%d files, were %d", len(after), len(before))
	}
	if list := k.sessions(dirs[1]); len(list) != 1 || list[0].ID != blog.ID {
		t.Errorf("sessions of the other: %+v", list)
	}
}

// project makes a repository with Kedge set up in it.
func (k *keeper) project(name string) string {
	k.t.Helper()
	dir := filepath.Join(k.dir, name)
	for _, args := range [][]string{{"init", "-q", "-b", "main", dir}, {"-C", dir, "commit", "-q", "--allow-empty", "-m", "first"}} {
		c := exec.Command("git", args...)
		c.Env = k.env
		if out, err := c.CombinedOutput(); err != nil {
			k.t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	k.in(dir, "init", "--yes")
	return dir
}

// hash is of every file of a project: its repository, its state, its session.
// The one that is left out is memory that SQLite shares between processes.
func (k *keeper) hash(dir string, ses kedge.Session) map[string][sha256.Size]byte {
	k.t.Helper()
	sums := map[string][sha256.Size]byte{}
	for _, root := range []string{dir, filepath.Join(k.home, "projects", string(ses.Project)), k.folder(ses.ID)} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || strings.HasSuffix(path, ".db-shm") {
				return err
			}
			b, err := os.ReadFile(path)
			sums[path] = sha256.Sum256(b)
			return err
		})
		if err != nil {
			k.t.Fatal(err)
		}
	}
	return sums
}

// TestRetention: by the service's clock the output of an ended session goes after
// its days, and its front when it is too much. Sessions that live, folders that
// no journal knows, and every session's record stay.
func TestRetention(t *testing.T) {
	p := newKeeper(t).inProcess()
	living := p.start("alive", "sh", "-c", "echo the living; exec cat")
	quick := p.start("quick", "echo", "gone soon")
	stranger := p.folder(kedge.SessionID(kedge.NewID("ses", time.Now())))
	if err := os.MkdirAll(stranger, 0o700); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is over", func() bool { return !p.now(quick.ID).Live() })
	p.pass(29 * 24 * time.Hour)
	if r := p.retain(); r.Sessions != 0 || !strings.Contains(p.printed(quick.ID), "gone soon") {
		t.Errorf("too soon: %+v", r)
	}
	p.pass(2 * 24 * time.Hour)
	if r := p.retainOne(); r.Bytes != int64(len("gone soon\r\n")) {
		t.Errorf("after its days: %+v", r)
	}
	if _, err := os.Stat(p.folder(quick.ID)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("its folder: %v", err)
	}
	if s := p.now(quick.ID); s.Name != "quick" || s.State != kedge.SessionExited || s.ExitCode == nil || s.Bytes != int64(len("gone soon\r\n")) {
		t.Errorf("its record: %+v", s)
	}
	p.still(living)
	eventually(t, "the living one has its output", func() bool { return strings.Contains(p.printed(living.ID), "the living") })
	if _, err := os.Stat(stranger); err != nil {
		t.Errorf("a folder that no journal knows: %v", err)
	}
	if r := p.retain(); r.Sessions != 0 {
		t.Errorf("a second time: %+v", r)
	}
}

// TestRetentionBySize: a session that is too long loses its front, by whole
// segments; a reader says so, and a search finds the rest.
func TestRetentionBySize(t *testing.T) {
	p := newKeeper(t).inProcess()
	p.config("[sessions]\nkeep_days = 0\nkeep_bytes = 12000000\n")
	ses := p.start("long", "sh", "-c", "stty -opost; echo first; head -c 20000000 /dev/zero; echo; echo last")
	eventually(t, "it is over", func() bool { return !p.now(ses.ID).Live() })
	if r := p.retainOne(); r.Bytes != tape.SegmentSize {
		t.Errorf("%+v", r)
	}
	from, end, err := tape.Open(p.folder(ses.ID)).Range()
	if err != nil || from != tape.SegmentSize || end < 20_000_000 {
		t.Errorf("%d to %d are left, %v", from, end, err)
	}
	found, err := p.s.SessionSearch(t.Context(), p.who(), sessions.SessionSearch{Query: "st", Limit: 10})
	if err != nil || len(found.Hits) != 1 || found.Hits[0].Line != "last" || found.Hits[0].At == nil {
		t.Errorf("%+v, %v", found, err)
	}
	if r := p.retain(); r.Sessions != 0 {
		t.Errorf("a second time: %+v", r)
	}
	p.config("[sessions]\nkeep_days = 1\nkeep = 3\n")
	p.pass(100 * 24 * time.Hour)
	if _, err := p.s.Retain(t.Context(), p.env); !kedge.Invalid.Is(err) {
		t.Errorf("a file that is wrong: %v", err)
	}
	if _, _, err := tape.Open(p.folder(ses.ID)).Range(); err != nil {
		t.Errorf("a file that is wrong took something away: %v", err)
	}
}

// config writes the user-wide file.
func (k *keeper) config(text string) {
	k.t.Helper()
	home := strings.TrimPrefix(k.env[0], "HOME=")
	path := filepath.Join(home, ".config", "kedge", "config.toml")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		k.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("version = 1\n"+text), 0o600); err != nil {
		k.t.Fatal(err)
	}
}
