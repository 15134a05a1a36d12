package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// stranger is an unprivileged user with a project: whoever runs the test, or, for
// root, a user whom nothing else on the machine runs as.
type stranger struct {
	t    *testing.T
	uid  int
	base string
	dir  string
	bin  string
	env  []string
}

func newStranger(t *testing.T) *stranger {
	t.Helper()
	base, err := os.MkdirTemp("/tmp", "kedge-bomb-") //nolint:usetesting // another user must be able to reach it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	s := &stranger{t: t, uid: os.Getuid(), base: base, dir: filepath.Join(base, "work"), bin: filepath.Join(base, "bin", "kedge")}
	s.env = []string{
		"PATH=" + filepath.Dir(s.bin) + ":/usr/local/bin:/usr/bin:/bin", "HOME=" + base, "KEDGE_HOME=" + filepath.Join(base, "state"), "NO_COLOR=1",
		"USER=ada", "GIT_CONFIG_NOSYSTEM=1", "GORACE=" + prompt,
	}
	s.put("bin/kedge", s.itself(), 0o755)
	s.put(".gitconfig", []byte("[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n"), 0o644)
	s.put("work/README", []byte("hi\n"), 0o644)
	if s.uid == 0 {
		s.uid = 200_000 + os.Getpid()
		s.own()
		if out, err := s.as("kedge", "--version").CombinedOutput(); err != nil {
			t.Skipf("no program can be started as the user %d here: %v %s", s.uid, err, out)
		}
	}
	t.Cleanup(func() {
		_ = s.as("kedge", "kill", "other", "--grace", "10ms").Run()
		_ = s.as("kedge", "down").Run()
		eventually(t, "nothing is left", func() bool { return s.end() == 0 })
	})
	return s
}

// itself is this program, which is kedge under that name.
func (s *stranger) itself() []byte {
	s.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	b, err := os.ReadFile(exe)
	if err != nil {
		s.t.Fatal(err)
	}
	return b
}

func (s *stranger) put(name string, text []byte, mode os.FileMode) {
	s.t.Helper()
	path := filepath.Join(s.base, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, text, mode); err != nil {
		s.t.Fatal(err)
	}
	if os.Getuid() == 0 {
		s.own()
	}
}

// own gives everything to the user.
func (s *stranger) own() {
	s.t.Helper()
	err := filepath.WalkDir(s.base, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, s.uid, s.uid)
	})
	if err != nil {
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
	if os.Getuid() == 0 {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(s.uid), Gid: uint32(s.uid), NoSetGroups: true}}
	}
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

// tasks are how many threads the user has.
func (s *stranger) tasks() (n int) {
	s.t.Helper()
	procs, err := filepath.Glob("/proc/[0-9]*/task")
	if err != nil || len(procs) == 0 {
		s.t.Skip("no /proc here")
	}
	for _, dir := range procs {
		var st syscall.Stat_t
		if syscall.Stat(filepath.Dir(dir), &st) == nil && int(st.Uid) == s.uid {
			all, _ := os.ReadDir(dir) // it may be gone
			n += len(all)
		}
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
	left := with(s.base)
	for _, pid := range left {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may be gone
	}
	return len(left)
}

// TestT19ForkBomb: a check of an unprivileged user's that starts more and more of
// itself is stopped by its limit. While it rages the daemon answers, and other
// sessions go on; when it ends, everything ends that it started.
func TestT19ForkBomb(t *testing.T) {
	s := newStranger(t)
	const room = 100
	mark := filepath.Base(s.base) + "-mark"
	fifo, never := filepath.Join(s.base, "fifo"), filepath.Join(s.base, "never")
	for _, path := range []string{fifo, never} {
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.put("work/.kedge/gate.toml", fmt.Appendf(nil, "version = 1\n[[check]]\nname = \"bomb\"\nkind = \"test\"\nrun = \": %s; b() { b | b & read x <%s; }; b 2>/dev/null & read x <%s; exit 3\"\n", mark, never, fifo), 0o644)
	s.run("git", "init", "-q")
	s.run("kedge", "init", "--yes")
	s.run("kedge", "new", "other", "--", "cat")
	limit := s.tasks() + room
	config, err := os.ReadFile(filepath.Join(s.dir, ".kedge", "config.toml"))
	if err != nil {
		t.Fatal(err)
	}
	s.put("work/.kedge/config.toml", append(config, "\n[sandbox]\nprocesses = "+strconv.Itoa(limit)+"\n"...), 0o644)
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
	if n := len(with(mark)); n > room {
		t.Errorf("there are %d of it, and room for %d", n, room)
	}
	if err := os.WriteFile(fifo, []byte("enough\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	err = gate.Wait()
	if code := gate.ProcessState.ExitCode(); code != 6 {
		t.Errorf("exit code %d: %v\n%s", code, err, said.String())
	}
	eventually(t, "nothing of it is left", func() bool { return len(with(mark)) == 0 })
	if out := s.run("kedge", "ls", "--json"); !strings.Contains(out, `"state": "running"`) {
		t.Errorf("the other session: %s", out)
	}
}
