package failure_test

import (
	"fmt"
	"strings"
	"testing"

	"kedge/internal/insight/failure"
)

// BenchmarkFirst is over a long log that has nothing to say: every reader looks at all of it.
func BenchmarkFirst(b *testing.B) {
	var log strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&log, "2026-01-02T03:04:05Z INFO served request %d in 3 ms for user %d\n", i, i%99)
	}
	b.SetBytes(int64(log.Len()))
	for b.Loop() {
		failure.First("serve", log.String())
	}
}
