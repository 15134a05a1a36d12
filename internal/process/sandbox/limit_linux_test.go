package sandbox_test

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"kedge/internal/process/sandbox"
)

// patience only guards against hanging.
const patience = 3 * time.Minute

// someone is a user whom nothing else on the machine runs as.
func someone() uint32 { return 200_000 + uint32(os.Getpid()) }

// limited is a box of limits whose program to set them is this test.
func limited(t *testing.T, l sandbox.Limits) sandbox.Box {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return sandbox.Box{Limiter: []string{exe, "limit"}, Limits: l}
}

// shell is a shell line in a box, in a group of its own that is gone when the test
// ends.
func shell(t *testing.T, b sandbox.Box, dir, line string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	words := append(b.Prefix(), "/bin/sh", "-c", line)
	c := exec.CommandContext(t.Context(), words[0], words[1:]...)
	said := &bytes.Buffer{}
	c.Dir, c.Stdout, c.Stderr = dir, said, said
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.WaitDelay = patience
	t.Cleanup(func() {
		if c.Process != nil {
			_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
		}
	})
	return c, said
}

// TestT19Memory: a process that takes all memory is stopped by its limit.
func TestT19Memory(t *testing.T) {
	c, said := shell(t, limited(t, sandbox.Limits{Memory: 64 << 20}), t.TempDir(), "head -c 300000000 /dev/zero | tail >/dev/null")
	if err := c.Run(); err == nil {
		t.Errorf("it had its memory: %s", said)
	}
	c, said = shell(t, limited(t, sandbox.Limits{Memory: 64 << 20}), t.TempDir(), "head -c 300000 /dev/zero | tail >/dev/null")
	if err := c.Run(); err != nil {
		t.Errorf("what needs little: %v %s", err, said)
	}
}

// TestT19FileSize: a file does not grow beyond the limit.
func TestT19FileSize(t *testing.T) {
	dir := t.TempDir()
	c, said := shell(t, limited(t, sandbox.Limits{FileSize: 1 << 20}), dir, "head -c 5000000 /dev/zero >big")
	if err := c.Run(); err == nil {
		t.Errorf("it was written whole: %s", said)
	}
	if fi, err := os.Stat(filepath.Join(dir, "big")); err != nil || fi.Size() != 1<<20 {
		t.Errorf("the file: %v (%v)", fi, err)
	}
}

// TestT19Processes: an unprivileged user's program that starts more and more
// processes comes to an end with that, and everybody else still starts some.
func TestT19Processes(t *testing.T) {
	l := sandbox.Limits{Processes: 1} // of whoever runs the test, who has more
	if os.Getuid() == 0 {
		l.Processes = 20
	}
	b := reachable(t, limited(t, l))
	c, said := shell(t, b, "/", "i=0; while [ $i -lt 60 ]; do sleep 1000 >/dev/null 2>&1 & i=$((i+1)); done; echo all are there")
	asSomeone(t, c, b)
	err := c.Run()
	if err == nil || strings.Contains(said.String(), "all are there") || !strings.Contains(strings.ToLower(said.String()), "fork") {
		t.Errorf("%v: %s", err, said)
	}
	if err := exec.CommandContext(t.Context(), "/bin/sh", "-c", "sh -c :").Run(); err != nil {
		t.Errorf("nobody else can start a process: %v", err)
	}
}

// asSomeone makes root's command an unprivileged user's, where root may do that and
// the user may start the program that sets the box's limits.
func asSomeone(t *testing.T, c *exec.Cmd, b sandbox.Box) {
	t.Helper()
	if os.Getuid() != 0 {
		return
	}
	b.Kind, b.Limits = sandbox.None, sandbox.Limits{FileSize: 1 << 20}
	try, said := shell(t, b, "/", ":")
	try.SysProcAttr.Credential = &syscall.Credential{Uid: someone(), Gid: someone(), NoSetGroups: true}
	if err := try.Run(); err != nil {
		t.Skipf("no program can be started as the user %d here: %v %s", someone(), err, said)
	}
	c.SysProcAttr.Credential = try.SysProcAttr.Credential
}

// reachable puts the program that sets limits where any user may start it.
func reachable(t *testing.T, b sandbox.Box) sandbox.Box {
	t.Helper()
	if os.Getuid() != 0 {
		return b
	}
	dir, err := os.MkdirTemp("/tmp", "kedge-limit-") //nolint:usetesting // others must be able to reach it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	exe := filepath.Join(dir, "limiter")
	text, err := os.ReadFile(b.Limiter[0])
	if err == nil {
		err = os.WriteFile(exe, text, 0o755)
	}
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	b.Limiter = append([]string{exe}, b.Limiter[1:]...)
	return b
}

// TestLimitRefuses: what it cannot do it says, and starts nothing.
func TestLimitRefuses(t *testing.T) {
	for _, args := range [][]string{{}, {"--"}, {"memory=1"}, {"cpu=1", "--", "true"}, {"file=x", "--", "true"}, {"file=-1", "--", "true"}} {
		if err := sandbox.Limit(args); err == nil {
			t.Errorf("%q was taken", args)
		}
	}
}

// realBwrap is bubblewrap where it works: installed, or with the agents that make
// test-agents installs.
func realBwrap(t *testing.T) string {
	t.Helper()
	tool, err := exec.LookPath("bwrap")
	if err != nil {
		found, _ := filepath.Glob(filepath.Join(os.Getenv("KEDGE_TEST_AGENTS"), "codex-*", "node_modules", "@openai", "*", "vendor", "*", "codex-resources", "bwrap"))
		if len(found) == 0 {
			t.Skip("there is no bwrap here: apt-get install bubblewrap")
		}
		tool = found[0]
	}
	if err := (sandbox.Box{Kind: sandbox.Bwrap, Tool: tool, Dir: "/", Temp: []string{"/tmp"}, Offline: true}).Try(t.Context()); err != nil {
		t.Skip(err)
	}
	return tool
}

// TestBwrapConfines: in a real box only what is named can be written, temporary
// files are the program's own, git's hooks are as they were, and there is no
// network where none is wanted.
func TestBwrapConfines(t *testing.T) {
	tool := realBwrap(t)
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"tree", "cache", "git/hooks", "other"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	b := sandbox.Box{
		Kind: sandbox.Bwrap, Tool: tool, Dir: filepath.Join(root, "tree"), Temp: []string{"/tmp"}, Offline: true, Show: []string{root},
		Write: []string{filepath.Join(root, "cache"), filepath.Join(root, "git"), filepath.Join(root, "none")}, Guard: []string{filepath.Join(root, "git", "hooks")},
	}
	for line, works := range map[string]bool{
		"touch here":                                     true,
		"touch ../cache/x":                               true,
		"touch ../git/index":                             true,
		"touch ../git/hooks/pre-commit":                  false,
		"touch ../other/x":                               false,
		"touch /etc/kedge-test":                          false,
		"mount -o remount,rw / && touch /etc/kedge-test": false,
		"touch /tmp/kedge-test-mine":                     true,
		"test -e " + root + "/other":                     true,
		fmt.Sprintf("kill -0 %d", os.Getpid()):           false,
	} {
		c, said := shell(t, b, root, line)
		if err := c.Run(); (err == nil) != works {
			t.Errorf("%s: %v %s", line, err, said)
		}
	}
	for line, box := range map[string]sandbox.Box{"unreachable": b, "reached": b.Online()} {
		if got := dialed(t, box); got != line {
			t.Errorf("a listener of the system is %s, want %s", got, line)
		}
	}
	if _, err := os.Stat("/tmp/kedge-test-mine"); err == nil {
		t.Error("the temporary file is everybody's")
		_ = os.Remove("/tmp/kedge-test-mine")
	}
}

// TestBwrapHolds: hooks and settings that a repository does not have, nobody in a box
// gives it; those that it has stay, and git works with what is made for that.
func TestBwrapHolds(t *testing.T) {
	tool := realBwrap(t)
	for _, had := range []bool{false, true} {
		root, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(root, ".git")
		hook, settings := filepath.Join(dir, "hooks", "pre-commit"), filepath.Join(dir, "config.worktree")
		plain(t, root, "git init -q --template= . && git config extensions.worktreeConfig true")
		if had {
			plain(t, root, "mkdir -p .git/hooks && echo exit >.git/hooks/pre-commit && git config --worktree a.b c")
		}
		before := texts(hook, settings)
		b := sandbox.Box{
			Kind: sandbox.Bwrap, Tool: tool, Dir: root, Temp: []string{"/tmp"}, Write: []string{dir},
			Hold: []sandbox.Held{{Path: filepath.Dir(hook), Folder: true}, {Path: settings}},
		}
		for _, line := range []string{
			"! echo touch x >.git/hooks/pre-commit",
			"! rm -rf .git/hooks && ! mv .git/hooks .git/h",
			"! rm -f .git/config.worktree && ! mv .git/config.worktree .git/c",
			"echo '[core]' >>.git/config.worktree; git -c user.name=a -c user.email=a@b commit -nq --allow-empty -m x",
		} {
			c, said := shell(t, b, root, line)
			c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
			if err := c.Run(); err != nil {
				t.Errorf("%s (they were there: %v): %v %s", line, had, err, said)
			}
		}
		if after := texts(hook, settings); after != before {
			t.Errorf("%q became %q", before, after)
		}
		plain(t, root, "git status && git config --worktree a.b d")
	}
}

// plain runs a shell line without a box.
func plain(t *testing.T, dir, line string) {
	t.Helper()
	c, said := shell(t, sandbox.Box{}, dir, line)
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	if err := c.Run(); err != nil {
		t.Fatalf("%s: %v %s", line, err, said)
	}
}

// texts are the texts of files; what cannot be read has none.
func texts(files ...string) string {
	var out []byte
	for _, f := range files {
		b, _ := os.ReadFile(f) // most are not there
		out = append(append(out, b...), 0)
	}
	return string(out)
}

// dialed says whether a program in a box gets through to a listener outside of it.
func dialed(t *testing.T, b sandbox.Box) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b.Show = append(slices.Clone(b.Show), filepath.Dir(exe))
	c, said := shell(t, b, "/", fmt.Sprintf("exec '%s' dial %s", exe, l.Addr()))
	if err := c.Run(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return strings.TrimSpace(said.String())
}

// TestT19BwrapEndsWhole: whoever ends the box ends everything in it, as an
// unprivileged user too, whatever left its group and its session.
func TestT19BwrapEndsWhole(t *testing.T) {
	tool := realBwrap(t)
	if os.Getuid() == 0 {
		tool = anyones(t, tool)
	}
	l := reachable(t, limited(t, sandbox.Limits{Processes: 30}))
	b := sandbox.Box{Kind: sandbox.Bwrap, Tool: tool, Dir: "/", Limiter: l.Limiter, Limits: l.Limits}
	c, _ := shell(t, b, "/", "i=0; while [ $i -lt 10 ]; do setsid sleep 1000 >/dev/null 2>&1 & i=$((i+1)); done; echo started; wait")
	c.Stdout = nil
	out, err := c.StdoutPipe()
	asSomeone(t, c, l)
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 64)
	n, _ := out.Read(buf)
	if string(buf[:n]) != "started\n" {
		_ = c.Wait()
		t.Skipf("this user cannot make a box: %s", c.Stderr)
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // killed
	if os.Getuid() == 0 {
		goneBy(t, func() bool { return processesOf(t, someone()) == 0 })
	}
}

// anyones is the tool where any user may start it.
func anyones(t *testing.T, tool string) string {
	t.Helper()
	return reachable(t, sandbox.Box{Limiter: []string{tool}}).Limiter[0]
}

func goneBy(t *testing.T, ok func() bool) {
	t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("something of it is left")
		}
	}
}

// processesOf counts the processes of a user.
func processesOf(t *testing.T, uid uint32) (n int) {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		fi, err := os.Stat(dir)
		if err != nil {
			continue
		}
		if st, ok := fi.Sys().(*syscall.Stat_t); ok && st.Uid == uid {
			n++
		}
	}
	return n
}
