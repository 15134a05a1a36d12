package transcript

import (
	"context"
	"io"
	"os"

	"kedge"
	"kedge/internal/audit"
)

// formats are the programs whose transcripts are text, by the names that agents
// have in Kedge.
var formats = map[string]format{
	"claude": claude,
}

// Read reads the transcript of an agent from r.
func Read(ctx context.Context, agent string, r io.Reader, o Options, emit Emit) (Meta, error) {
	f, ok := formats[agent]
	if !ok {
		return Meta{}, kedge.Errorf(kedge.Invalid, "no transcripts of agent %q can be read", agent)
	}
	return f(ctx, r, o, emit)
}

// Count reads a transcript and counts it.
func Count(ctx context.Context, agent string, r io.Reader, price audit.Price) (audit.Figures, Meta, error) {
	c := audit.NewCounter(agent)
	m, err := Read(ctx, agent, r, Options{}, c.Add)
	if err != nil {
		return audit.Figures{}, m, err
	}
	f := c.Figures(price, m.Unseen...)
	f.ID, f.SkippedLines = m.ID, m.Skipped
	return f, m, nil
}

// CountFile counts the transcript in a file.
func CountFile(ctx context.Context, agent, path string, price audit.Price) (audit.Figures, error) {
	r, err := os.Open(path)
	if err != nil {
		return audit.Figures{}, kedge.Errorf(kedge.NotFound, "open the transcript %q: %w", path, err)
	}
	defer func() { _ = r.Close() }() // it was only read
	f, _, err := Count(ctx, agent, r, price)
	f.File = path
	return f, err
}
