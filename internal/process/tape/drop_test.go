package tape_test

import (
	"testing"

	"kedge/internal/process/tape"
)

func TestDrop(t *testing.T) {
	const size = tape.SegmentSize
	for _, c := range []struct{ before, gone, from int64 }{
		{0, 0, 0},
		{size - 1, 0, 0},
		{size, size, size},
		{2*size + 9, 2 * size, 2 * size},
		{2*size + 10, 2*size + 10, 0}, // all of it: an empty log
		{1 << 60, 2*size + 10, 0},
	} {
		dir := t.TempDir()
		w := create(t, dir)
		w.Append(make([]byte, 2*size+10), start)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		gone, err := tape.Open(dir).Drop(c.before)
		if err != nil || gone != c.gone {
			t.Errorf("before %d: %d bytes, %v; want %d", c.before, gone, err, c.gone)
		}
		from, end, err := tape.Open(dir).Range()
		if err != nil || from != c.from || end-from != 2*size+10-c.gone {
			t.Errorf("before %d: %d to %d are left, %v", c.before, from, end, err)
		}
		if again, err := tape.Open(dir).Drop(c.before); err != nil || again != 0 {
			t.Errorf("before %d, again: %d, %v", c.before, again, err)
		}
	}
}
