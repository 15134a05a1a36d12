package hook

import (
	"io"
	"os"

	"kedge/internal/agents/hooks"
)

// leastLarge is the size below which nobody asks whether a context is large.
const leastLarge = 20_000

// compactFrom is the size from which a context of so many tokens is to be compacted,
// as people set it for the folder's project; 0: it is not, or nobody can tell.
func (w World) compactFrom(dir string, tokens int64) int64 {
	if tokens < leastLarge || w.CompactFrom == nil {
		return 0
	}
	return w.CompactFrom(dir)
}

// lastTokens is how many tokens are in the context, by the agent's own record of the
// conversation; nil where that does not tell.
func lastTokens(ev hooks.Input) *int64 {
	n, ok := ev.Agent.LastTokens(tailOf(ev.Transcript))
	if !ok {
		return nil
	}
	return &n
}

// mostTail is how much is read of a record.
const mostTail = 1 << 20

// tailOf is the end of a file; nothing where it cannot be read.
func tailOf(file string) []byte {
	info, err := os.Stat(file)
	if file == "" || err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }() // only read
	b, err := io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-mostTail), mostTail))
	if err != nil {
		return nil
	}
	return b
}
