package tape

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"kedge/internal/screen/vt"
)

// logged is a log in the making.
type logged struct {
	t   *testing.T
	dir string
	w   *Writer
}

func newLogged(t *testing.T, cols, rows uint32) logged {
	t.Helper()
	dir := t.TempDir()
	w, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	l := logged{t, dir, w}
	l.resize(cols, rows)
	return l
}

func (l logged) resize(cols, rows uint32) {
	l.t.Helper()
	if err := l.w.Mark(Mark{Kind: Resize, A: cols, B: uint64(rows), At: time.Now()}); err != nil {
		l.t.Fatal(err)
	}
}

func (l logged) print(s string) { l.w.Append([]byte(s), time.Now()) }

// open gives the screen at the end of the log, and the text of the lines that left since
// the snapshot that it began with.
func (l logged) open(want, lines int64) (*Feed, []string) {
	l.t.Helper()
	f, err := OpenFeed(l.dir, want, lines)
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { _ = f.Close() })
	var left []string
	f.Left = func(line vt.Line) { left = append(left, line.Text()) }
	f.Returned = func(n int) { left = left[:max(len(left)-n, 0)] }
	if err := f.Advance(l.w.End()); err != nil {
		l.t.Fatal(err)
	}
	return f, left
}

func state(f *Feed) string {
	b, from := f.Screen.Checkpoint()
	return fmt.Sprintf("%d %d %d %q", f.base+from, f.at, f.lines, b)
}

// fill prints lines with colours and wide characters, changes of size between them, and
// a sequence that stops in the middle.
func (l logged) fill(n int) {
	for i := range n {
		l.print(fmt.Sprintf("\x1b[3%dmline %d 世界 %s\x1b[m\r\n", i%8, i, bytes.Repeat([]byte("x"), i%90)))
		switch i % 1000 {
		case 300:
			l.resize(120, 40)
		case 600:
			l.resize(45, 17)
		case 900:
			l.resize(80, 24)
		}
	}
	l.print("\x1b[?25l\x1b]2;ti")
}

// TestScreensFromSnapshots: from any snapshot the screen is the one that the whole log
// makes, in all of its state, and so is the number of the lines above it.
func TestScreensFromSnapshots(t *testing.T) {
	l := newLogged(t, 80, 24)
	l.fill(20_000)
	whole, all := l.open(0, Anywhere)
	k := &kept{dir: l.dir}
	for range 10 {
		if err := k.look(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(filepath.Join(l.dir, screensName))
	if err != nil {
		t.Fatal(err)
	}
	list, end := places(bytes.NewReader(b), int64(len(b)))
	if len(list) < 4 || end != int64(len(b)) {
		t.Fatalf("%d snapshots, %d of %d bytes", len(list), end, len(b))
	}
	for _, p := range append(list, place{snapshot: snapshot{offset: Anywhere}}) {
		f, left := l.open(p.offset, Anywhere)
		if got, want := state(f), state(whole); got != want {
			t.Errorf("from the snapshot at %d:\n%.200s, want\n%.200s", p.offset, got, want)
		}
		if want := all[len(all)-len(left):]; fmt.Sprint(left) != fmt.Sprint(want) {
			t.Errorf("from the snapshot at %d other lines left", p.offset)
		}
	}
	if f, left := l.open(Anywhere, 5000); f.Lines() != whole.Lines() || int64(len(left)) < whole.Lines()-5000 {
		t.Errorf("%d lines from the one before line 5000, of %d", len(left), whole.Lines())
	}
	if fi, err := os.Stat(filepath.Join(l.dir, screensName)); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("the file of snapshots: %v, %v", fi.Mode(), err)
	}
}

// TestUnsoundSnapshots: a snapshot that is damaged, torn, or past the end of the log is
// not used, and the next look of the keeper makes good ones again.
func TestUnsoundSnapshots(t *testing.T) {
	l := newLogged(t, 80, 24)
	l.fill(10_000)
	whole, _ := l.open(0, Anywhere)
	keep := func() {
		k := &kept{dir: l.dir}
		for range 2 {
			if err := k.look(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
	}
	keep()
	name := filepath.Join(l.dir, screensName)
	good, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(good)
	flipped[len(flipped)-100] ^= 0x20
	past := snapshot{offset: l.w.End() + 1, marks: 1, cols: 80, rows: 24, body: []byte("of another log")}
	for what, b := range map[string][]byte{
		"damaged": flipped, "torn": good[:len(good)-7], "no snapshots": []byte("what is this"), "empty": nil,
		"past the end": append(bytes.Clone(good), past.encode()...), "half a head": append(bytes.Clone(good), magic...),
	} {
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if f, _ := l.open(Anywhere, Anywhere); state(f) != state(whole) {
			t.Errorf("%s: another screen", what)
		}
		keep()
		if f, _ := l.open(Anywhere, Anywhere); state(f) != state(whole) {
			t.Errorf("%s: another screen, after the keeper has looked", what)
		}
		now, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if list, end := places(bytes.NewReader(now), int64(len(now))); len(list) == 0 || end != int64(len(now)) {
			t.Errorf("%s: the file was left with %d snapshots, %d of %d bytes", what, len(list), end, len(now))
		}
	}
}

// TestFrontRemoved: where retention took the front of a log, the screen is made of the
// rest.
func TestFrontRemoved(t *testing.T) {
	l := newLogged(t, 80, 24)
	for l.w.End() < SegmentSize {
		l.print("some line that goes\r\n")
	}
	l.print("\x1b[2J\x1b[Hstays")
	if _, err := Open(l.dir).Drop(SegmentSize); err != nil {
		t.Fatal(err)
	}
	if f, _ := l.open(Anywhere, Anywhere); f.Screen.Line(0).Text() != "stays" {
		t.Errorf("the screen: %q", f.Screen.Text())
	}
}

// TestKeeperRuns: a session that is added gets snapshots as it grows, and none after it
// was removed; one without a terminal is left alone.
func TestKeeperRuns(t *testing.T) {
	l := newLogged(t, 80, 24)
	pipes := t.TempDir()
	if err := os.WriteFile(filepath.Join(pipes, "log.0"), bytes.Repeat([]byte("x"), apart+1), 0o600); err != nil {
		t.Fatal(err)
	}
	k := NewKeeper()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); k.Run(ctx, func(dir string, err error) { t.Errorf("%s: %v", dir, err) }) }()
	l.fill(10_000)
	k.Add(l.dir)
	k.Add(pipes)
	limit := time.After(time.Minute)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for ScreensSize(l.dir) == 0 || len(k.list()) > 1 {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatal("no snapshot was made")
		}
	}
	k.Remove(l.dir)
	stop()
	<-done
	if ScreensSize(pipes) != 0 {
		t.Error("a session without a terminal has snapshots")
	}
}

// TestF5SizesOnAFullDisk: sizes that the disk had no room for are in the index as soon as it
// has, at their places and in order.
func TestF5SizesOnAFullDisk(t *testing.T) {
	l := newLogged(t, 80, 24)
	l.print("one\r\n")
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("this system has no full disk to try with")
	}
	index := l.w.index
	l.w.index = full
	for _, cols := range []uint64{100, 110, 120} {
		if err := l.w.Mark(Mark{Kind: Resize, A: uint32(cols), B: 30, At: time.Now()}); err == nil || !l.w.Waiting() {
			t.Fatalf("a size on a full disk: %v, waiting %v", err, l.w.Waiting())
		}
	}
	l.print("two\r\n") // there was some room for it
	_ = l.w.Mark(Mark{Kind: Resize, A: 40, B: 10, At: time.Now()})
	l.print("three\r\n")
	_ = full.Close()
	l.w.index = index
	if err := l.w.Sync(); err != nil || l.w.Waiting() {
		t.Fatalf("with room again: %v, waiting %v", err, l.w.Waiting())
	}
	var got []string
	if err := Open(l.dir).EachMark(func(m Mark) error {
		if m.Kind == Resize {
			got = append(got, fmt.Sprintf("%d at %d", m.A, m.Offset))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if want := "[80 at 0 120 at 5 40 at 10]"; fmt.Sprint(got) != want {
		t.Errorf("the sizes are %v, want %s", got, want)
	}
	if f, _ := l.open(Anywhere, Anywhere); f.Screen.Text() == "" || fmt.Sprint(f.Screen.Size()) != "40 10" {
		t.Errorf("the screen: %q", f.Screen.Text())
	}
}

// TestLittleBehindTheLastSnapshot: while a program prints without end, every look leaves
// little of the log behind the last snapshot.
func TestLittleBehindTheLastSnapshot(t *testing.T) {
	l := newLogged(t, 80, 24)
	k := &kept{dir: l.dir}
	piece := string(bytes.Repeat([]byte("some line of a flood that does not end\r\n"), 300_000))
	for range 12 {
		before := l.w.End()
		l.print(piece)
		if err := k.look(context.Background()); err != nil {
			t.Fatal(err)
		}
		s, _ := nearest(l.dir, 0, Anywhere, Anywhere)
		if left := l.w.End() - s.offset; left > most+(l.w.End()-before) {
			t.Fatalf("%d bytes are behind the last snapshot at %d", left, s.offset)
		}
	}
}
