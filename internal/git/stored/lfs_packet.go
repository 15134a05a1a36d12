package stored

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"

	"kedge"
)

// packets are what git sends: each with its length before it, until one that is empty.
type packets struct{ r *bufio.Reader }

// next is one packet; false at the end of a list.
func (p *packets) next() ([]byte, bool, error) {
	var head [4]byte
	if _, err := io.ReadFull(p.r, head[:]); err != nil {
		return nil, false, err
	}
	n, err := strconv.ParseUint(string(head[:]), 16, 16)
	if err != nil || n > 0 && n < uint64(len(head)) {
		return nil, false, kedge.Errorf(kedge.Invalid, "git sent a message of invalid length to Kedge's Git LFS filter: %q", string(head[:]))
	}
	if n == 0 {
		return nil, false, nil
	}
	b := make([]byte, n-uint64(len(head)))
	_, err = io.ReadFull(p.r, b)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return b, true, err
}

// list reads lines "key=value"; of a key that is there twice the first counts.
func (p *packets) list() (map[string]string, error) {
	out := map[string]string{}
	for {
		b, more, err := p.next()
		if err != nil || !more {
			return out, err
		}
		key, value, _ := strings.Cut(strings.TrimSuffix(string(b), "\n"), "=")
		if _, ok := out[key]; !ok {
			out[key] = value
		}
	}
}

// content is the content of a file: the beginning in memory, all of it on the disk where it
// is longer.
type content struct {
	first []byte
	size  int64
	file  *os.File
}

// inMemory is how much of a content is not written to the disk.
const inMemory = 1 << 20

// content reads packets to the end of a list.
func (p *packets) content() (*content, error) {
	c := &content{}
	for {
		b, more, err := p.next()
		if err == nil && more {
			err = c.add(b)
		}
		if err != nil {
			c.drop()
			return nil, err
		}
		if !more {
			return c, nil
		}
	}
}

func (c *content) add(b []byte) (err error) {
	c.size += int64(len(b))
	if c.file == nil && c.size <= inMemory {
		c.first = append(c.first, b...)
		return nil
	}
	if c.file == nil {
		if c.file, err = os.CreateTemp("", "kedge-lfs-"); err != nil {
			return err
		}
		if _, err := c.file.Write(c.first); err != nil {
			return err
		}
	}
	_, err = c.file.Write(b)
	return err
}

// head is the beginning.
func (c *content) head() []byte { return c.first[:min(len(c.first), maxPointer)] }

// open reads it from the beginning.
func (c *content) open() (io.ReadCloser, error) {
	if c.file == nil {
		return io.NopCloser(bytes.NewReader(c.first)), nil
	}
	return os.Open(c.file.Name())
}

func (c *content) drop() {
	if c.file != nil {
		_, _ = c.file.Close(), os.Remove(c.file.Name())
	}
}
