package tape_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"kedge/internal/process/tape"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func create(t *testing.T, dir string) *tape.Writer {
	t.Helper()
	w, err := tape.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

func readAll(t *testing.T, l tape.Log) []byte {
	t.Helper()
	from, end, err := l.Range()
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, end-from)
	if _, err := l.ReadAt(b, from); err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return b
}

// TestF23BytesAreExact: whatever bytes come, in whatever pieces, over segment
// borders and a second writer, are read back as they were.
func TestF23BytesAreExact(t *testing.T) {
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(1, 2))
	want := make([]byte, tape.SegmentSize*2+12345)
	for i := range want {
		want[i] = byte(r.Uint32())
	}
	w := create(t, dir)
	at := start
	for rest := want; len(rest) > 0; {
		n := min(1+r.IntN(300_000), len(rest))
		at = at.Add(time.Millisecond)
		w.Append(rest[:n], at)
		rest = rest[n:]
		if r.IntN(8) == 0 {
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			w = create(t, dir)
		}
	}
	if w.End() != int64(len(want)) || w.Lost() != 0 {
		t.Fatalf("end %d, lost %d", w.End(), w.Lost())
	}
	if !bytes.Equal(readAll(t, tape.Open(dir)), want) {
		t.Fatal("the bytes differ")
	}
	part := make([]byte, 1000)
	if _, err := tape.Open(dir).ReadAt(part, tape.SegmentSize-500); err != nil || !bytes.Equal(part, want[tape.SegmentSize-500:tape.SegmentSize+500]) {
		t.Errorf("a read over the border differs: %v", err)
	}
	if _, err := tape.Open(dir).ReadAt(part, int64(len(want))); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
}

func TestMarks(t *testing.T) {
	dir := t.TempDir()
	w := create(t, dir)
	w.Append([]byte("one"), start)
	w.Append([]byte("two"), start.Add(time.Millisecond)) // too soon for a mark
	if err := w.Mark(tape.Mark{Kind: tape.Resize, A: 80, B: 24, At: start.Add(time.Second)}); err != nil {
		t.Fatal(err)
	}
	w.Append([]byte("three"), start.Add(time.Minute))
	if err := w.Mark(tape.Mark{Kind: tape.Exit, A: 3, B: 9, At: start.Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	got, err := tape.Open(dir).Marks()
	if err != nil {
		t.Fatal(err)
	}
	want := []tape.Mark{
		{Kind: tape.Time, Offset: 3, At: start},
		{Kind: tape.Time, Offset: 6, At: start.Add(time.Millisecond)},
		{Kind: tape.Resize, A: 80, B: 24, Offset: 6, At: start.Add(time.Second)},
		{Kind: tape.Time, Offset: 11, At: start.Add(time.Minute)},
		{Kind: tape.Exit, A: 3, B: 9, Offset: 11, At: start.Add(time.Hour)},
	}
	if len(got) != len(want) {
		t.Fatalf("%d marks: %v", len(got), got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("mark %d: %+v, want %+v", i, got[i], want[i])
		}
	}
}

// TestTornIndex: half a record, left by a machine that died, costs that record.
func TestTornIndex(t *testing.T) {
	dir := t.TempDir()
	w := create(t, dir)
	w.Append([]byte("x"), start)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "index"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(make([]byte, 7)); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if marks, err := tape.Open(dir).Marks(); err != nil || len(marks) != 1 {
		t.Fatalf("%v, %v", marks, err)
	}
	w = create(t, dir)
	w.Append([]byte("y"), start.Add(time.Second))
	marks, err := tape.Open(dir).Marks()
	if err != nil || len(marks) != 2 || marks[1].Offset != 2 {
		t.Fatalf("%v, %v", marks, err)
	}
}

func TestRetentionIsTold(t *testing.T) {
	dir := t.TempDir()
	w := create(t, dir)
	w.Append(make([]byte, tape.SegmentSize+10), start)
	if err := os.Remove(filepath.Join(dir, "log.0")); err != nil {
		t.Fatal(err)
	}
	l := tape.Open(dir)
	from, end, err := l.Range()
	if err != nil || from != tape.SegmentSize || end != tape.SegmentSize+10 {
		t.Fatalf("range %d to %d, %v", from, end, err)
	}
	if _, err := l.ReadAt(make([]byte, 1), 5); !errors.Is(err, tape.ErrRemoved) {
		t.Errorf("a removed byte: %v", err)
	}
}

// TestF5NoSpace: a log that cannot grow loses bytes, counts them, and says where
// as soon as it can; the writer is never stopped and offsets stay exact.
func TestF5NoSpace(t *testing.T) {
	dir := t.TempDir()
	w := create(t, dir)
	w.Append([]byte("before"), start)
	// A folder in the place of the next segment refuses every byte of it.
	full := tape.SegmentSize - 6
	w.Append(make([]byte, full), start.Add(time.Second))
	blocked := filepath.Join(dir, "log.1")
	if err := os.Mkdir(blocked, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		w.Append([]byte("lost"), start.Add(time.Duration(i+2)*time.Second))
	}
	if w.End() != tape.SegmentSize {
		t.Fatalf("end %d", w.End())
	}
	if err := os.Remove(blocked); err != nil {
		t.Fatal(err)
	}
	w.Append([]byte("after"), start.Add(time.Minute))
	marks, err := tape.Open(dir).Marks()
	if err != nil {
		t.Fatal(err)
	}
	var lost uint64
	for _, m := range marks {
		if m.Kind == tape.Gap {
			lost += m.B
			if m.Offset != tape.SegmentSize {
				t.Errorf("the gap is at %d", m.Offset)
			}
		}
	}
	if lost != 12 || w.Lost() != 0 {
		t.Errorf("marked as lost: %d, unmarked: %d", lost, w.Lost())
	}
	b := readAll(t, tape.Open(dir))
	if !bytes.HasPrefix(b, []byte("before")) || !bytes.HasSuffix(b, []byte("after")) || len(b) != tape.SegmentSize+5 {
		t.Errorf("%d bytes", len(b))
	}
}
