package hold_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"kedge/internal/process/hold"
	"kedge/internal/process/tape"
)

// floodSize is how much TestF22 prints: enough to go over segments, and a whole
// gigabyte when asked for.
func floodSize() int {
	if os.Getenv("KEDGE_TEST_FULL") != "" {
		return 1 << 30
	}
	return 3*tape.SegmentSize + 4321
}

// TestF20AndF22AndF23Flood: a single line without end, of every byte there is,
// with followers of whom half never read: the tape is exact and the holder's
// memory stays bounded.
func TestF20AndF22AndF23Flood(t *testing.T) {
	size := floodSize()
	s := spec(t, false, "flood", strconv.Itoa(size))
	c := start(t, s)
	r, err := hold.ReadRecord(s.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 { // clients that ask to follow and never read again
		nc, err := net.Dial("unix", r.Socket)
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
		if err := hold.WriteFrame(nc, hold.Frame{Type: hold.VerbFollow}); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Input(ctx(t), 9, 1, []byte("go\n")); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	sums := make([]string, 8)
	for i := range sums {
		wg.Go(func() { sums[i] = followed(t, c, s.Dir) })
	}
	wg.Wait()
	want := sha256.New()
	flood(want, size)
	for i, got := range sums {
		if got != hex.EncodeToString(want.Sum(nil)) {
			t.Errorf("follower %d got other bytes", i)
		}
	}
	if rss := peak(c.Greeting.Holder.PID); rss > 200<<20 {
		t.Errorf("the holder grew to %d MB", rss>>20)
	} else {
		t.Logf("%d MB printed, holder's peak %d MB", size>>20, rss>>20)
	}
	st, err := c.State(ctx(t))
	if err != nil || st.Running || st.Lost != 0 || st.End != int64(size) {
		t.Errorf("%+v, %v", st, err)
	}
}

// followed reads the tape by what the holder tells, from the start to the end.
func followed(t *testing.T, c *hold.Client, dir string) string {
	sum := sha256.New()
	l, at := tape.Open(dir), int64(0)
	buf := make([]byte, 256<<10)
	_, err := c.Follow(ctx(t), func(end int64) error {
		for at < end {
			n, err := l.ReadAt(buf[:min(int64(len(buf)), end-at)], at)
			sum.Write(buf[:n])
			at += int64(n)
			if err != nil {
				return fmt.Errorf("at %d of %d: %w", at, end, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// flood writes n bytes in which every value occurs and there is no newline.
func flood(w io.Writer, n int) {
	block := make([]byte, 0, 255*256)
	for len(block) < cap(block) {
		for v := range 256 {
			if v != '\n' {
				block = append(block, byte(v))
			}
		}
	}
	for n > 0 {
		k := min(n, len(block))
		if _, err := w.Write(block[:k]); err != nil {
			return
		}
		n -= k
	}
}

// peak is the most memory a process has had; 0 where that is not told.
func peak(pid int) int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kb << 10
		}
	}
	return 0
}

// TestT20HostileClient: what is not the protocol ends the connection, not the
// session.
func TestT20HostileClient(t *testing.T) {
	s := spec(t, false, "echo")
	c := start(t, s)
	r, err := hold.ReadRecord(s.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range [][]byte{
		[]byte("GET / HTTP/1.1\r\n\r\n"), bytes.Repeat([]byte{0xff}, 100), {'I', 0, 0, 0, 1, 0}, {'Z', 0, 0, 0, 0},
	} {
		nc, err := net.Dial("unix", r.Socket)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = nc.Write(in)
		_ = nc.Close()
	}
	if err := c.Input(ctx(t), 9, 1, []byte("still here\n")); err != nil {
		t.Fatal(err)
	}
	says(t, s.Dir, "got still here")
}
