package transcript

import (
	"bytes"
	"testing"

	"kedge/internal/audit"
)

// BenchmarkClaude reads the sample many times over.
func BenchmarkClaude(b *testing.B) {
	text := bytes.Repeat(sample(b), 2000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, _, err := Count(b.Context(), "claude", bytes.NewReader(text), audit.NoPrice); err != nil {
			b.Fatal(err)
		}
	}
}
