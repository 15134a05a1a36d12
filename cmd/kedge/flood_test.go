package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"kedge"
	"kedge/internal/process"
	"kedge/internal/process/hold"
	"kedge/internal/process/tape"
)

// pattern is every byte there is but the newline, over and over: one line, with
// NULs, escapes and no valid UTF-8.
func pattern() []byte {
	b := make([]byte, 0, 64<<10)
	for v := 0; len(b) < cap(b); v++ {
		if byte(v) != '\n' {
			b = append(b, byte(v))
		}
	}
	return b
}

// flooder prints as many bytes of the pattern as it is told, when the file go is
// there.
func flooder() {
	n, err := strconv.Atoi(os.Args[1])
	if err != nil {
		os.Exit(1)
	}
	if t, ok := process.OpenTerminal(os.Stdin, os.Stdout); ok {
		if _, err := t.Raw(); err != nil {
			os.Exit(1)
		}
	}
	for {
		if _, err := os.Stat(os.Args[2]); err == nil {
			break
		}
		<-time.After(10 * time.Millisecond)
	}
	for b := pattern(); n > 0; n -= len(b) {
		b = b[:min(len(b), n)]
		if _, err := os.Stdout.Write(b); err != nil {
			os.Exit(1)
		}
	}
}

// exact compares what comes with the pattern.
type exact struct {
	twice []byte
	at    int64
}

func newExact() *exact {
	p := pattern()
	return &exact{twice: append(p, p...)}
}

// Write implements io.Writer.
func (e *exact) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		from := e.at % int64(len(e.twice)/2)
		n := min(len(rest), len(e.twice)/2)
		if !bytes.Equal(rest[:n], e.twice[from:from+int64(n)]) {
			return 0, fmt.Errorf("other bytes after %d", e.at)
		}
		rest, e.at = rest[n:], e.at+int64(n)
	}
	return len(b), nil
}

// TestF20AndF22AndF23ManyClients: a line without end, of bytes that are no text,
// with many clients of whom half never read, in and out of this process: those
// that read get every byte once, and what the holder and the daemon need of memory
// has a bound that the output and the clients do not move.
func TestF20AndF22AndF23ManyClients(t *testing.T) {
	size, clients := 2*tape.SegmentSize+4321, 40
	if os.Getenv("KEDGE_TEST_FULL") != "" {
		size, clients = 1<<30, 200
	}
	b := newBox(t)
	start := filepath.Join(b.dir, "go")
	s := b.start("flood", "flooder", strconv.Itoa(size), start)
	daemon, dir := b.daemonPID(), b.folder(s.ID)
	r, err := hold.ReadRecord(dir)
	if err != nil {
		t.Fatal(err)
	}
	for range clients/2 - 1 {
		deaf(t, r.Socket)
	}
	b.unread("logs", "flood", "--raw", "--follow")
	var wg sync.WaitGroup
	for i := range clients/2 - 1 {
		wg.Go(func() { b.follows(i, dir, int64(size)) })
	}
	wg.Go(func() { b.prints(int64(size), "logs", "flood", "--raw", "--follow") })
	if err := os.WriteFile(start, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var held int64
	b.until("it has printed everything", func() bool {
		held = max(held, peak(r.Holder.PID)) // it goes soon after
		_, end, err := tape.Open(dir).Range()
		return err == nil && end == int64(size)
	})
	wg.Wait()
	b.until("its end is told", func() bool { return b.session(s.ID).State == kedge.SessionExited })
	all := newExact()
	if _, err := io.Copy(all, io.NewSectionReader(tape.Open(dir), 0, int64(size)+1)); err != nil || all.at != int64(size) {
		t.Errorf("the tape: %d bytes of %d, %v", all.at, size, err)
	}
	served := peak(daemon)
	t.Logf("%d MB on one line, %d clients: the holder's peak was %d KB, the daemon's %d KB", size>>20, clients, held>>10, served>>10)
	if held > 200<<20 || served > 400<<20 {
		t.Error("that is too much")
	}
}

// deaf is a client that asks to follow and never reads.
func deaf(t *testing.T, socket string) {
	t.Helper()
	nc, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = nc.Close() })
	if err := hold.WriteFrame(nc, hold.Frame{Type: hold.VerbFollow}); err != nil {
		t.Fatal(err)
	}
}

// unread runs a command whose output nobody reads.
func (b *box) unread(args ...string) {
	b.t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		b.t.Fatal(err)
	}
	c := b.command(args...)
	c.Stdout = w
	if err := c.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait(); _, _ = r.Close(), w.Close() })
}

// follows reads the tape as the holder tells of it.
func (b *box) follows(i int, dir string, size int64) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*patience) // as long as the test takes
	defer cancel()
	c, err := hold.Dial(ctx, dir)
	if err != nil {
		b.t.Errorf("client %d: %v", i, err)
		return
	}
	defer c.Close()
	seen, cursor, buf := newExact(), tape.Open(dir).Cursor(), make([]byte, 64<<10)
	defer cursor.Close()
	_, err = c.Follow(ctx, func(end int64) error {
		for seen.at < end {
			n, err := cursor.ReadAt(buf[:min(int64(len(buf)), end-seen.at)], seen.at)
			if err != nil {
				return err
			}
			if _, err := seen.Write(buf[:n]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || seen.at != size {
		b.t.Errorf("client %d saw %d bytes of %d, %v", i, seen.at, size, err)
	}
}

// prints runs a command that must print the pattern and end by itself.
func (b *box) prints(size int64, args ...string) {
	c, seen := b.command(args...), newExact()
	var errs bytes.Buffer
	c.Stdout, c.Stderr = seen, &errs
	if err := c.Run(); err != nil || seen.at != size {
		b.t.Errorf("kedge %s: %d bytes of %d, %v\n%s", strings.Join(args, " "), seen.at, size, err, errs.String())
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
