package output

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"kedge"
	"kedge/internal/process/tape"
)

// cutting is a context that is asked before every block, and cuts a file short
// when it is asked for the third time.
type cutting struct {
	context.Context
	file  string
	asked int
}

func (c *cutting) Err() error {
	if c.asked++; c.asked == 3 {
		return os.Truncate(c.file, 0)
	}
	return nil
}

// TestF6SegmentThatGoesAway: a part of a tape that can no longer be read is an
// error of the search, and nothing worse.
func TestF6SegmentThatGoesAway(t *testing.T) {
	dir := t.TempDir()
	w, err := tape.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	w.Append(bytes.Repeat([]byte("filler\n"), tape.SegmentSize/7+1), time.Unix(1_000_000_000, 0))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	sc := newScanner(literal("needle"), 10)
	ctx := &cutting{Context: t.Context(), file: filepath.Join(dir, "log.0")}
	hits, err := sc.segment(ctx, task{log: tape.Open(dir), last: tape.SegmentSize})
	if !kedge.Internal.Is(err) || len(hits) != 0 {
		t.Errorf("%d hits, %v", len(hits), err)
	}
}
