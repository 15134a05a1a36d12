package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// stranger is an unprivileged user with a project whom nothing else on the machine
// runs as: how many processes somebody may have is counted over all of his.
type stranger struct {
	t    *testing.T
	uid  int
	base string
	dir  string
	bin  string
	env  []string
}

// newStranger skips the test where there can be no such user.
func newStranger(t *testing.T) *stranger {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can run programs as a user whom nothing else runs as")
	}
	base, err := os.MkdirTemp("/tmp", "kedge-bomb-") //nolint:usetesting // another user must be able to reach it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	s := &stranger{t: t, uid: 200_000 + os.Getpid(), base: base, dir: filepath.Join(base, "work"), bin: filepath.Join(base, "bin", "kedge")}
	s.env = []string{
		"PATH=" + filepath.Dir(s.bin) + ":" + os.Getenv("PATH"), "HOME=" + base, "KEDGE_HOME=" + filepath.Join(base, "state"), "NO_COLOR=1",
		"USER=ada", "GIT_CONFIG_NOSYSTEM=1", "GORACE=" + prompt, "GOMAXPROCS=2", // threads count as processes
	}
	if err := os.Lchown(base, s.uid, s.uid); err != nil {
		t.Skipf("nothing can be given to the user %d here: %v", s.uid, err)
	}
	if n := len(s.processes()); n > 0 {
		t.Skipf("the user %d has %d processes already", s.uid, n)
	}
	s.itself()
	s.put(".gitconfig", "[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n")
	s.put("work/README", "hi\n")
	for _, name := range []string{"kedge", "git"} {
		if out, err := s.as(name, "--version").CombinedOutput(); err != nil {
			t.Skipf("%s cannot be started as the user %d here: %v %s", name, s.uid, err, out)
		}
	}
	if s.as("kedge", "limit", "processes=1", "--", "sh", "-c", "(:) & wait $!").Run() == nil {
		t.Skip("this system does not hold users to a number of processes")
	}
	t.Cleanup(func() {
		_ = s.as("kedge", "kill", "other", "--grace", "10ms").Run()
		_ = s.as("kedge", "down").Run()
		eventually(t, "nothing is left", func() bool { return s.end() == 0 })
	})
	return s
}

// itself puts this program, which is kedge under that name, where the user may start
// it. Another program copies it: what is open for writing here, whatever else starts
// meanwhile would hold open, and it could not be run.
func (s *stranger) itself() {
	s.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	s.folder(filepath.Dir(s.bin))
	if out, err := exec.Command("cp", exe, s.bin).CombinedOutput(); err != nil {
		s.t.Fatalf("%v: %s", err, out)
	}
	if err := os.Chmod(s.bin, 0o755); err != nil {
		s.t.Fatal(err)
	}
}

// put writes a file of the user's. Nothing beside what it makes is touched: a daemon
// may be at work there.
func (s *stranger) put(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.base, name)
	s.folder(filepath.Dir(path))
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
	s.give(path)
}

// fifo makes one that the user may read.
func (s *stranger) fifo(name string) string {
	s.t.Helper()
	path := filepath.Join(s.base, name)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.give(path)
	return path
}

// folder makes a folder of the user's, and those that it lies in.
func (s *stranger) folder(dir string) {
	s.t.Helper()
	if _, err := os.Lstat(dir); err == nil {
		return
	}
	s.folder(filepath.Dir(dir))
	if err := os.Mkdir(dir, 0o755); err != nil {
		s.t.Fatal(err)
	}
	s.give(dir)
}

func (s *stranger) give(path string) {
	s.t.Helper()
	if err := os.Lchown(path, s.uid, s.uid); err != nil {
		s.t.Fatal(err)
	}
}

// as is a command of the user's.
func (s *stranger) as(name string, args ...string) *exec.Cmd {
	if name == "kedge" {
		name = s.bin
	}
	c := exec.Command(name, args...)
	c.Dir, c.Env = s.dir, s.env
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(s.uid), Gid: uint32(s.uid), NoSetGroups: true}}
	return c
}

func (s *stranger) run(name string, args ...string) string {
	s.t.Helper()
	var errs bytes.Buffer
	c := s.as(name, args...)
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		s.t.Fatalf("%s %q: %v\n%s%s", name, args, err, out, errs.String())
	}
	return string(out)
}

// processes are the living ones of the user's.
func (s *stranger) processes() (pids []int) {
	s.t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil || len(all) == 0 {
		s.t.Skip("no /proc here")
	}
	for _, dir := range all {
		var st syscall.Stat_t
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err == nil && syscall.Stat(dir, &st) == nil && int(st.Uid) == s.uid && alive(pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// tasks are how many threads the user has.
func (s *stranger) tasks() (n int) {
	s.t.Helper()
	for _, pid := range s.processes() {
		all, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid)) // it may be gone
		n += len(all)
	}
	return n
}

// with are the living processes that have a word in their arguments.
func with(word string) (pids []int) {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range lines {
		if b, err := os.ReadFile(path); err == nil && bytes.Contains(b, []byte(word)) { // a zombie has none
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			pids = append(pids, pid)
		}
	}
	return pids
}

// end ends what is left of the user's, and tells how many there were.
func (s *stranger) end() int {
	s.t.Helper()
	left := s.processes()
	for _, pid := range left {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may be gone
	}
	return len(left)
}

// enough lets the check read a line, and with that end: whoever waits for a reader
// that is gone would wait for ever.
func enough(t *testing.T, fifo string) {
	t.Helper()
	eventually(t, "the check waits", func() bool {
		f, err := os.OpenFile(fifo, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			return false
		}
		_, err = f.WriteString("enough\n")
		return errors.Join(err, f.Close()) == nil
	})
}

// TestT19ForkBomb: a check of an unprivileged user's that starts more and more of
// itself is stopped by its limit. While it rages the daemon answers, and other
// sessions go on; when it ends, everything ends that it started. Without a limit
// there would be 766 of it, and no more.
func TestT19ForkBomb(t *testing.T) {
	s := newStranger(t)
	const room = 150
	mark := filepath.Base(s.base) + "-mark"
	fifo, never := s.fifo("fifo"), s.fifo("never")
	s.put("work/.kedge/gate.toml", fmt.Sprintf("version = 1\n[[check]]\nname = \"bomb\"\nkind = \"test\"\nrun = '%s'\n", fmt.Sprintf(
		": %s; b() { if [ $1 -gt 0 ]; then b $(($1-1)) | b $(($1-1)) & fi; read x <%s; }; b 8 2>/dev/null & read x <%s; exit 3", mark, never, fifo)))
	s.run("git", "init", "-q")
	s.run("kedge", "init", "--yes")
	s.run("kedge", "new", "other", "--", "cat")
	limit := s.tasks() + room
	config, err := os.ReadFile(filepath.Join(s.dir, ".kedge", "config.toml"))
	if err != nil {
		t.Fatal(err)
	}
	s.put("work/.kedge/config.toml", string(config)+"\n[sandbox]\nprocesses = "+strconv.Itoa(limit)+"\n")
	gate := s.as("kedge", "gate")
	var said bytes.Buffer
	gate.Stdout, gate.Stderr = &said, &said
	if err := gate.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it rages", func() bool { return len(with(mark)) > 10 })
	if out := s.run("kedge", "status", "--json"); !strings.Contains(out, `"live": 1`) {
		t.Errorf("the daemon says %s", out)
	}
	s.run("kedge", "send", "other", "are you there")
	eventually(t, "the other session answers", func() bool { return strings.Contains(s.run("kedge", "logs", "other"), "are you there") })
	eventually(t, "there are no more of it than there is room for", func() bool { return len(with(mark)) <= room }) // some go while they are counted
	enough(t, fifo)
	err = gate.Wait()
	if code := gate.ProcessState.ExitCode(); code != 6 {
		t.Errorf("exit code %d: %v\n%s", code, err, said.String())
	}
	eventually(t, "nothing of it is left", func() bool { return len(with(mark)) == 0 })
	if out := s.run("kedge", "ls", "--json"); !strings.Contains(out, `"state": "running"`) {
		t.Errorf("the other session: %s", out)
	}
}
