package process_test

import (
	"io"
	"os"
	"os/exec"
	"slices"
	"testing"

	"kedge/internal/process"
)

// TestKedgesOwnAreNoStrays: this program, and the git that it waits for, work in a
// folder as Kedge's own doing; anybody's git does not.
func TestKedgesOwnAreNoStrays(t *testing.T) {
	if os.Getenv("KEDGE_TEST_WAITS") != "" {
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	}
	dir := t.TempDir()
	start := func(name string, args ...string) int {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "KEDGE_TEST_WAITS=1")
		in, err := cmd.StdinPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = in.Close(); _ = cmd.Wait() })
		return cmd.Process.Pid
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	start(exe, "-test.run=^TestKedgesOwnAreNoStrays$")
	start("git", "hash-object", "--stdin")
	guest := start("cat")
	start("sh", "-c", "git hash-object --stdin; true")
	_, inside, err := process.Strays("KEDGE_SESSION="+unique(t), dir)
	if err != nil || !slices.Contains(inside, guest) || len(inside) < 2 || len(inside) > 3 { // cat, the shell, and its git once that is there
		t.Errorf("inside are %v, %v; cat is %d", inside, err, guest)
	}
}

func TestStraysAreKnownByTheirMark(t *testing.T) {
	mark, dir := "KEDGE_SESSION="+unique(t), t.TempDir()
	start := func(env, dir string) (pid int, over <-chan struct{}) {
		t.Helper()
		cmd := exec.Command("cat") // until its input ends
		cmd.Env, cmd.Dir = []string{env}, dir
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() { _ = cmd.Wait(); close(done) }()
		t.Cleanup(func() { _ = in.Close(); <-done })
		return cmd.Process.Pid, done
	}
	left, over := start(mark, t.TempDir())
	longer, _ := start(mark+"0", t.TempDir()) // another session whose id begins the same
	guest, _ := start("A=b", dir)
	marked, inside, err := process.Strays(mark, dir)
	if err != nil || !slices.Equal(marked, []int{left}) || !slices.Equal(inside, []int{guest}) {
		t.Fatalf("found %v and %v, %v; want %d and %d", marked, inside, err, left, guest)
	}
	for _, pid := range []int{longer, guest, os.Getpid()} {
		if process.EndStray(pid, mark) {
			t.Errorf("%d does not carry the mark and was ended", pid)
		}
	}
	if !process.EndStray(left, mark) {
		t.Fatal("it was not ended")
	}
	<-over
	if process.EndStray(left, mark) {
		t.Error("it was ended twice")
	}
}
