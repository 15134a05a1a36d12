package journal

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"kedge"
)

// needStrace ends a test that cannot be run here: as a failure, unless this is
// not Linux or somebody said that it is known.
func needStrace(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("strace is for Linux: this fault is not tested here")
	}
	out, err := exec.CommandContext(t.Context(), "strace", "-f", "-o", os.DevNull, "-e", "trace=fsync", "true").CombinedOutput()
	switch {
	case err == nil:
	case os.Getenv("KEDGE_TEST_NO_STRACE") != "":
		t.Skipf("KEDGE_TEST_NO_STRACE is set: this fault is not tested (%v)", err)
	default:
		t.Fatalf("install strace: make deps (%v: %s)", err, out)
	}
}

// inject wraps a command in strace, which writes what it did to log.
func inject(log, syscall, what, when string) []string {
	return []string{
		"strace", "-f", "-qq", "-o", log, "-e", "trace=" + syscall,
		"-e", "inject=" + syscall + ":" + what + ":when=" + when,
	}
}

// storeOnly limits an injection to the store's files: the Go runtime writes to
// descriptors of its own to wake its threads, and ends when that fails.
func storeOnly(t *testing.T, dir string) []string {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var args []string
	for _, f := range files {
		args = append(args, "-P", filepath.Join(dir, f.Name()))
	}
	// SQLite makes these two when it opens the database.
	for _, suffix := range []string{"-wal", "-shm"} {
		args = append(args, "-P", filepath.Join(dir, dbName+suffix))
	}
	return args
}

// injected tells whether strace had occasion to inject.
func injected(t *testing.T, log string) bool {
	t.Helper()
	b, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(b), "INJECTED")
}

// template makes a closed store that holds n requests.
func template(t *testing.T, n int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "template")
	s, err := Open(dir, Options{Key: testKey, Now: childClock})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if _, _, err := s.Append(t.Context(), childKey(i), childEvents(i)...); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func copyDir(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// TestF1KillAtEveryWrite kills a process that appends at its Nth call that
// changes a file, for every N, and compares what it left with what it promised.
func TestF1KillAtEveryWrite(t *testing.T) {
	needStrace(t)
	// The store itself makes no rename and no fdatasync; should it ever, they are swept.
	fires := map[string]bool{"write": true, "pwrite64": true, "fsync": true, "ftruncate": true}
	for _, call := range []string{"write", "pwrite64", "ftruncate", "fsync", "fdatasync", "rename", "renameat", "renameat2"} {
		t.Run("fresh/"+call, func(t *testing.T) {
			t.Parallel()
			sweep(t, call, "", 1, fires[call])
		})
		t.Run("existing/"+call, func(t *testing.T) {
			t.Parallel()
			sweep(t, call, template(t, 2), 2, fires[call])
		})
	}
}

// sweep raises N until a run ends by itself.
func sweep(t *testing.T, call, from string, n int, mustFire bool) {
	base := t.TempDir()
	for when := 1; ; when++ {
		dir := filepath.Join(base, fmt.Sprint(when))
		first := 0
		if from != "" {
			copyDir(t, from, dir)
			first = 2
		}
		r := runChild(t, childCommand(t, "end", dir, first, n, inject(os.DevNull, call, "signal=KILL", fmt.Sprint(when))...))
		acked := r.acked
		for i := range first {
			acked = append(acked, i)
		}
		modelCheck(t, dir, first+n, acked)
		if t.Failed() {
			t.Fatalf("after a kill at %s number %d", call, when)
		}
		if !r.killed {
			if mustFire && when == 1 {
				t.Fatalf("no %s was ever made: the sweep tests nothing", call)
			}
			return
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRow49KillAtRandomPoints: a thousand writes and more, by children that are killed after
// a random number of acknowledgements, wherever they happen to be.
func TestRow49KillAtRandomPoints(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	next := 0
	var acked []int
	for len(acked) < 1000 {
		got := killAfter(t, dir, next, 20+rng.IntN(180))
		acked = append(acked, got...)
		next = slices.Max(got) + 100 // beyond whatever the killed child had begun
	}
	modelCheck(t, dir, next, acked)
	previousVersions(t, dir, acked)
}

// killAfter runs a child until it has acknowledged n requests, kills it, and
// gives all it acknowledged.
func killAfter(t *testing.T, dir string, from, n int) []int {
	t.Helper()
	cmd := childCommand(t, "end", dir, from, 1_000_000)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	lines := bufio.NewScanner(out)
	for i := 0; lines.Scan(); i++ {
		text.WriteString(lines.Text() + "\n")
		if i == n {
			_ = cmd.Process.Kill()
		}
	}
	_ = cmd.Wait() // it was killed
	r := parseRun(t, strings.NewReader(text.String()))
	if len(r.acked) <= n || len(r.errors) > 0 || r.done {
		t.Fatalf("%d acknowledged of %d, errors %q", len(r.acked), n, r.errors)
	}
	return r.acked
}

// previousVersions shows that every state there ever was can be had again: the
// documents folded up to an event are those that were true then.
func previousVersions(t *testing.T, dir string, acked []int) {
	t.Helper()
	s, err := Open(dir, Options{Key: testKey, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	all, err := s.Events(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	docs, seen := folded{}, 0
	for _, ev := range all {
		changes, err := fold(ev, docs.get)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range changes {
			docs[docKey{c.kind, c.id}] = c
		}
		if ev.Type == kedge.FilesSeen {
			seen++
			if _, pos, ok, _ := docs.get(KindSeen, SeenLast); !ok || pos != ev.Seq {
				t.Errorf("at event %d the last seen tree is that of event %d", ev.Seq, pos)
			}
		}
	}
	if seen < len(acked) {
		t.Errorf("%d states for %d acknowledged writes", seen, len(acked))
	}
}

// TestF6FsyncFailureIsFatal fails the Nth fsync and all after it, for every N:
// nothing that was not synced is acknowledged, and nothing is tried again.
func TestF6FsyncFailureIsFatal(t *testing.T) {
	needStrace(t)
	from := template(t, 2)
	base := t.TempDir()
	failures := 0
	for when := 1; ; when++ {
		dir, log := filepath.Join(base, fmt.Sprint(when)), filepath.Join(base, "log")
		copyDir(t, from, dir)
		// Only this one fails: a retry would be answered with success.
		r := runChild(t, childCommand(t, "end", dir, 2, 4, inject(log, "fsync", "error=EIO", fmt.Sprint(when))...))
		if !injected(t, log) {
			if failures < 4 {
				t.Fatalf("only %d failures were noticed", failures)
			}
			return
		}
		if len(r.errors) > 0 {
			failures++
		}
		checkF6(t, r)
		modelCheck(t, dir, 6, append([]int{0, 1}, r.acked...))
		if t.Failed() {
			t.Fatalf("after a failure of fsync number %d", when)
		}
	}
}

// checkF6: after the first failure every append is refused, with the word that
// tells what to do.
func checkF6(t *testing.T, r childRun) {
	t.Helper()
	for i, n := range r.acked {
		if n != 2+i {
			t.Errorf("acknowledged after a failure: %v, errors %q", r.acked, r.errors)
		}
	}
	for _, e := range r.errors {
		if len(r.errors) > 1 && !strings.Contains(e, "until you restart it") {
			t.Errorf("error %q", e)
		}
	}
}

// TestF4NoSpace lets writes fail for want of space for a while: each append
// fails whole, and when there is space again the same process goes on. The
// database is written by pwrite64, the tail by write; an append whose line of
// the tail has no room is made all the same, since the next line makes up for it.
func TestF4NoSpace(t *testing.T) {
	needStrace(t)
	from := template(t, 2)
	t.Run("database", func(t *testing.T) {
		recovered := 0
		for when := 1; when <= 41; when += 5 {
			r, _ := withoutSpace(t, from, "pwrite64", when)
			if len(r.errors) > 0 && slices.Contains(r.acked, 7) {
				recovered++
			}
		}
		if recovered == 0 {
			t.Error("no run met the want of space and went on afterwards: the test tests nothing")
		}
	})
	t.Run("tail", func(t *testing.T) {
		met := 0
		for when := 1; when <= 6; when++ {
			r, hit := withoutSpace(t, from, "write", when)
			if hit {
				met++
			}
			if len(r.errors) > 0 || len(r.acked) != 6 {
				t.Errorf("acknowledged %v, errors %q", r.acked, r.errors)
			}
		}
		if met == 0 {
			t.Error("the tail was never written: the test tests nothing")
		}
	})
}

// withoutSpace runs a child whose calls number when and when+1 on the store's
// files find no space, checks what is left, and tells whether there were any.
func withoutSpace(t *testing.T, from, call string, when int) (childRun, bool) {
	t.Helper()
	base := t.TempDir()
	dir, log := filepath.Join(base, "store"), filepath.Join(base, "log")
	copyDir(t, from, dir)
	window := fmt.Sprintf("%d..%d", when, when+1)
	full := append(inject(log, call, "error=ENOSPC", window), storeOnly(t, dir)...)
	r := runChild(t, childCommand(t, "end", dir, 2, 6, full...))
	for _, e := range r.errors {
		if !strings.Contains(e, "no space left") {
			t.Errorf("error %q", e)
		}
	}
	modelCheck(t, dir, 8, append([]int{0, 1}, r.acked...))
	if t.Failed() {
		t.Fatalf("without space at %s %s", call, window)
	}
	return r, injected(t, log)
}
