package daemon

import (
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"

	"kedge"
	"kedge/internal/text/redact"
)

// maxLog is the size at which daemon/log becomes daemon/log.1; the one before
// is dropped, so the log never takes more than twice this.
const maxLog = 8 << 20

// Log is the daemon's structured log: one JSON object per line in daemon/log.
type Log struct {
	*slog.Logger
	file *rotating
}

// OpenLog opens the log of home for appending. Secrets are taken out of every
// line. Crash reports of the runtime go there too, written by the dying process
// as they are.
func OpenLog(home string) (*Log, error) {
	dir, err := daemonDir(home)
	if err != nil {
		return nil, err
	}
	r := &rotating{path: filepath.Join(dir, "log"), max: maxLog}
	if err := r.open(); err != nil {
		return nil, err
	}
	return &Log{Logger: slog.New(slog.NewJSONHandler(redacting{r}, nil)), file: r}, nil
}

// Close closes the file; what is logged afterwards is lost.
func (l *Log) Close() error { return l.file.close() }

// redacting takes secrets out of lines of JSON: whole lines, so that messages,
// names, groups and values of every type are seen as they would be written. The
// handler of slog gives each record in one Write.
type redacting struct{ w io.Writer }

func (r redacting) Write(line []byte) (int, error) {
	if _, err := r.w.Write(redact.JSON(line)); err != nil {
		return 0, err
	}
	return len(line), nil
}

// rotating is a file that is renamed aside when it has grown to max.
type rotating struct {
	path string
	max  int64

	mu   sync.Mutex
	f    *os.File
	size int64
}

func (r *rotating) open() error {
	f, err := os.OpenFile(r.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return kedge.Errorf(kedge.Invalid, "cannot open the log %q: %w", r.path, cause(err))
	}
	info, err := f.Stat()
	if err != nil {
		return closing(kedge.Errorf(kedge.Internal, "cannot read the log %q: %w", r.path, cause(err)), f)
	}
	r.f, r.size = f, info.Size()
	_ = debug.SetCrashOutput(f, debug.CrashOptions{}) // the log serves without it
	return nil
}

// Write appends one line, in a new file when the old one is full.
func (r *rotating) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.f == nil {
		return 0, os.ErrClosed
	}
	if r.size > 0 && r.size+int64(len(b)) > r.max {
		if err := r.rotate(); err != nil {
			return 0, err
		}
	}
	n, err := r.f.Write(b)
	r.size += int64(n)
	return n, err
}

// rotate must be called with mu held. The old file stays in use when there can
// be no new one.
func (r *rotating) rotate() error {
	if err := os.Rename(r.path, r.path+".1"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	old := r.f
	if err := r.open(); err != nil {
		return err
	}
	return old.Close()
}

func (r *rotating) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.f == nil {
		return nil
	}
	_ = debug.SetCrashOutput(nil, debug.CrashOptions{})
	err := r.f.Close()
	r.f = nil
	return err
}
