package tape

import (
	"bytes"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestViewFromDisk: a segment that the system let go of is seen like one that it
// still has in memory.
func TestViewFromDisk(t *testing.T) {
	dir := t.TempDir()
	w, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	b := bytes.Repeat([]byte("one line of a long tape\n"), SegmentSize/24+1)
	w.Append(b, time.Unix(1_000_000_000, 0))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(segmentPath(dir, 0))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for _, drop := range []bool{false, true} {
		if drop {
			if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
				t.Fatal(err)
			}
		}
		v, err := openView(f)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("dropped: %v, in memory: %v", drop, v.ready == SegmentSize)
		for _, end := range []int{1, viewAhead + 1, SegmentSize} {
			if err := v.need(end); err != nil || !bytes.Equal(v.b[:end], b[:end]) {
				t.Errorf("dropped: %v: what lies before %d is not what was written: %v", drop, end, err)
			}
		}
		if err := v.close(); err != nil {
			t.Error(err)
		}
	}
}
