package tape_test

import (
	"bytes"
	"runtime"
	"testing"
	"time"

	"kedge/internal/process/tape"
)

// TestView: what is seen is what is read, within one segment that is complete.
func TestView(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("a log is only read here")
	}
	dir := t.TempDir()
	w, err := tape.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	b := make([]byte, 2*tape.SegmentSize+100)
	for i := range b {
		b[i] = byte(i >> 8)
	}
	w.Append(b, time.Unix(1_000_000_000, 0))
	c := tape.Open(dir).Cursor()
	defer func() { _ = c.Close() }()
	for _, v := range []struct {
		off     int64
		n, want int
	}{
		{0, 10, 10},
		{5 << 20, 3 << 20, 3 << 20},
		{tape.SegmentSize - 5, 100, 5},
		{tape.SegmentSize, 100, 100},
		{3, 7, 7},
	} {
		got, ok := c.View(v.off, v.n)
		if !ok || len(got) != v.want || !bytes.Equal(got, b[v.off:v.off+int64(len(got))]) {
			t.Errorf("%d bytes at %d: %d, %v", v.n, v.off, len(got), ok)
		}
	}
	for _, off := range []int64{-1, 2 * tape.SegmentSize, 9 * tape.SegmentSize} {
		if got, ok := c.View(off, 10); ok {
			t.Errorf("%d bytes are seen at %d", len(got), off)
		}
	}
	read := make([]byte, 50)
	if n, err := c.ReadAt(read, 2*tape.SegmentSize); err != nil || !bytes.Equal(read[:n], b[2*tape.SegmentSize:][:50]) {
		t.Errorf("read: %d, %v", n, err)
	}
}
