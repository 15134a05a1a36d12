package transcript_test

import (
	"bytes"
	"testing"

	"kedge/internal/agents/catalog"
)

// BenchmarkClaude reads the sample many times over.
func BenchmarkClaude(b *testing.B) {
	text := bytes.Repeat(sample(b), 2000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, _, err := catalog.Transcripts().Count(b.Context(), "claude", bytes.NewReader(text), noPrice); err != nil {
			b.Fatal(err)
		}
	}
}
