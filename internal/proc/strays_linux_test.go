package proc_test

import (
	"os"
	"os/exec"
	"slices"
	"testing"

	"kedge/internal/proc"
)

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
	marked, inside, err := proc.Strays(mark, dir)
	if err != nil || !slices.Equal(marked, []int{left}) || !slices.Equal(inside, []int{guest}) {
		t.Fatalf("found %v and %v, %v; want %d and %d", marked, inside, err, left, guest)
	}
	for _, pid := range []int{longer, guest, os.Getpid()} {
		if proc.EndStray(pid, mark) {
			t.Errorf("%d does not carry the mark and was ended", pid)
		}
	}
	if !proc.EndStray(left, mark) {
		t.Fatal("it was not ended")
	}
	<-over
	if proc.EndStray(left, mark) {
		t.Error("it was ended twice")
	}
}
