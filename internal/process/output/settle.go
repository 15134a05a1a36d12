package output

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"kedge"
	"kedge/internal/text/redact"
)

// settle makes the output that is kept of what a command printed, and takes that away
// once nobody writes to it any more. While somebody does, it is made of what there is
// so far if it is wanted now, and else left for later.
func settle(dir string, now bool) error {
	from := filepath.Join(dir, printed)
	f, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot read the output of the command: %w", err)
	}
	defer func() { _ = f.Close() }() // only read
	alone := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
	if !alone && !now {
		return nil
	}
	if err := clean(f, dir); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot save the output of the command: %w", err)
	}
	if !alone {
		return nil
	}
	if err := os.Remove(from); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return kedge.Errorf(kedge.Internal, "cannot delete the first copy of the command's output, which may contain secrets: %w", err)
	}
	return nil
}

// clean writes the output without secrets, whole or not at all. It may be larger than
// what fits into memory.
func clean(f *os.File, dir string) error {
	removeUnfinished(dir)
	tmp, err := os.CreateTemp(dir, unsettled+"*")
	if err != nil {
		return err
	}
	err = syscall.Flock(int(tmp.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		_, err = io.Copy(tmp, &cleaned{from: f, size: chunk})
	}
	if err == nil {
		err = os.Rename(tmp.Name(), filepath.Join(dir, output))
	}
	if err != nil {
		_ = os.Remove(tmp.Name()) // it is of no use
	}
	return errors.Join(err, tmp.Close())
}

// unsettled are outputs that are being written, or were when their writer was killed.
const unsettled = ".output-"

// removeUnfinished removes what the killed have left: nobody has a lock on it.
func removeUnfinished(dir string) {
	entries, _ := os.ReadDir(dir) // what is left goes with the folder at the latest
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), unsettled) {
			removeUnlocked(filepath.Join(dir, e.Name()))
		}
	}
}

func removeUnlocked(name string) {
	f, err := os.Open(name)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }() // only read
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		_ = os.Remove(name) // as above
	}
}

// chunk is how much is looked at together, as a rule. It ends with a line.
const chunk = 1 << 20

// cleaned reads a text without its secrets.
type cleaned struct {
	from io.Reader
	size int    // of a chunk
	raw  []byte // read, and not looked at yet
	out  []byte // looked at, and not given yet
	end  error
}

// Read implements io.Reader.
func (c *cleaned) Read(p []byte) (int, error) {
	for len(c.out) == 0 {
		if len(c.raw) == 0 && c.end != nil {
			return 0, c.end
		}
		c.fill()
		n := c.cut()
		c.out = []byte(redact.Text(string(c.raw[:n])))
		c.raw = append([]byte(nil), c.raw[n:]...)
	}
	n := copy(p, c.out)
	c.out = c.out[n:]
	return n, nil
}

// fill reads until there is a chunk, or nothing more.
func (c *cleaned) fill() {
	for c.end == nil && len(c.raw) < c.size {
		old := len(c.raw)
		c.raw = append(c.raw, make([]byte, min(c.size, 64<<10))...)
		n, err := c.from.Read(c.raw[old:])
		c.raw, c.end = c.raw[:old+n], err
	}
}

// cut is how much of what was read can be looked at by itself: whole lines, and no
// key without its end.
func (c *cleaned) cut() int {
	if c.end != nil {
		return len(c.raw)
	}
	n := bytes.LastIndexByte(c.raw, '\n') + 1
	if n == 0 {
		return c.cutLine()
	}
	key := bytes.LastIndex(c.raw[:n], []byte("-----BEGIN "))
	if key > 0 && !bytes.Contains(c.raw[key:n], []byte("-----END ")) {
		return key
	}
	return n
}

// lineRest is how much of a line without an end waits for what comes after it: more
// than any secret on one line is long.
const lineRest = 4 << 10

// cutLine is how much can be looked at of a line that is longer than a chunk.
func (c *cleaned) cutLine() int {
	if key := bytes.LastIndex(c.raw, []byte("-----BEGIN ")); key > 0 && !bytes.Contains(c.raw[key:], []byte("-----END ")) {
		return key
	}
	return max(len(c.raw)-min(lineRest, c.size/2), 1)
}
