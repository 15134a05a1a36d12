package condense_test

import (
	"fmt"
	"strings"
	"testing"

	"kedge/internal/insight/condense"
)

// BenchmarkCondense is over a long log that has nothing to say, which every rule looks
// at.
func BenchmarkCondense(b *testing.B) {
	var log strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&log, "2026-01-02T03:04:05Z INFO served request %d in 3 ms for user %d\n", i, i%99)
	}
	b.SetBytes(int64(log.Len()))
	for b.Loop() {
		condense.Condense("serve", log.String())
	}
}
