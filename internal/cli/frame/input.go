package frame

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"kedge"
)

// ReadInput reads a file that the caller names; "-" is the standard input.
func ReadInput(env *Env, name string, limit int64) ([]byte, error) {
	in := env.In
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, kedge.Errorf(kedge.NotFound, "%w", err).WithHint("repeat your command with a file that exists and that you may read, or with - for standard input")
		}
		defer func() { _ = f.Close() }() // it was only read
		in = f
	}
	b, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err != nil {
		if p, ok := errors.AsType[*fs.PathError](err); ok {
			err = p.Err // the path is named already
		}
		return nil, kedge.Errorf(kedge.Invalid, "cannot read %q: %w", name, err)
	}
	if int64(len(b)) > limit {
		return nil, kedge.Errorf(kedge.Invalid, "the file %q is too large: Kedge reads at most %d bytes of it", name, limit)
	}
	return b, nil
}
