package journal

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"

	"kedge"
)

// The tail is a second witness of what was acknowledged: after each commit a
// line with the last event's number and hash, and a checksum of both. SQLite
// takes a damaged write-ahead log for one that ends before the damage and says
// nothing; the tail is how that is noticed.
//
// It cannot cause a loss: the journal is never cut to fit it. A tail behind the
// journal (a crash came between the two) is simply continued, a torn line is
// kept and passed over. Lines are not synced one by one: the commit before them
// was, and a tail that lost its last lines with the power is only a shorter
// witness.
const (
	tailWidth = 20 + 1 + 64 + 1 + 8 // without the newline
	tailSync  = 64                  // lines between two syncs
)

// tailFile is the tail as the writer sees it.
type tailFile struct {
	f     *os.File
	torn  bool // the file ends inside a line
	dirty int  // lines since the last sync
}

// noHash stands in the first line of a tail: before the first event there is none.
var noHash = strings.Repeat("0", 64)

// line is the line of a mark. Every tail has at least the one of the empty journal.
func (m mark) line() string {
	if m.Seq == 0 {
		m.Hash = noHash
	}
	s := fmt.Sprintf("%020d %s", m.Seq, m.Hash)
	return fmt.Sprintf("%s %08x\n", s, crc32.ChecksumIEEE([]byte(s)))
}

// parseLine reads one line without its newline.
func parseLine(b []byte) (mark, bool) {
	if len(b) != tailWidth || b[20] != ' ' || b[85] != ' ' {
		return mark{}, false
	}
	if sum, err := strconv.ParseUint(string(b[86:]), 16, 32); err != nil || uint32(sum) != crc32.ChecksumIEEE(b[:85]) {
		return mark{}, false
	}
	seq, err := strconv.ParseInt(string(b[:20]), 10, 64)
	m := mark{Seq: seq, Hash: string(b[21:85])}
	return m, err == nil && (seq > 0 || m.Hash == noHash)
}

// tailLine is a line of the tail that says nothing: its number and why.
type tailLine struct {
	n    int
	torn bool // cut short by a crash, which is to be expected
}

// parseTail reads a whole tail: the marks, and the lines that are none.
func parseTail(b []byte) (marks []mark, odd []tailLine) {
	for n := 1; len(b) > 0; n++ {
		line, rest, _ := bytes.Cut(b, []byte("\n"))
		if m, ok := parseLine(line); ok {
			marks = append(marks, m)
		} else {
			short := len(bytes.Trim(line, "\x00")) < tailWidth
			odd = append(odd, tailLine{n: n, torn: short})
		}
		b = rest
	}
	return marks, odd
}

// last is the mark with the highest number: two writers in turn may leave lines
// out of order.
func last(marks []mark) mark {
	var m mark
	for _, x := range marks {
		if x.Seq >= m.Seq {
			m = x
		}
	}
	return m
}

func readTail(path string) ([]mark, []tailLine, error) {
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, nil, kedge.Errorf(kedge.Internal, "cannot read %q: %w", path, err)
	}
	marks, odd := parseTail(b)
	return marks, odd, nil
}

// readTailEnd gives the last mark without reading a long file whole. A mark without a hash
// means that there is no tail, or none of its lines is left.
func readTailEnd(path string) (mark, error) {
	const enough = 64 << 10
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return mark{}, nil
	}
	if err != nil {
		return mark{}, kedge.Errorf(kedge.Internal, "cannot read %q: %w", path, err)
	}
	defer func() { _ = f.Close() }()
	if fi, err := f.Stat(); err == nil && fi.Size() > enough {
		b := make([]byte, enough)
		n, err := f.ReadAt(b, fi.Size()-enough)
		if err != nil && !errors.Is(err, io.EOF) {
			return mark{}, kedge.Errorf(kedge.Internal, "cannot read %q: %w", path, err)
		}
		if marks, _ := parseTail(b[:n]); len(marks) > 0 {
			return last(marks), nil
		}
	}
	marks, _, err := readTail(path)
	return last(marks), err
}

func openTail(path string) (*tailFile, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	t := &tailFile{f: f}
	var end [1]byte
	if fi, err := f.Stat(); err == nil && fi.Size() > 0 {
		if _, err := f.ReadAt(end[:], fi.Size()-1); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		t.torn = end[0] != '\n'
	}
	return t, nil
}

// add appends a line. No room is no failure: the journal may be ahead of its
// tail, and the next line makes up for this one.
func (t *tailFile) add(m mark) error {
	line := m.line()
	if t.torn {
		line = "\n" + line
	}
	n, err := t.f.WriteString(line)
	if err != nil {
		t.torn = t.torn || n > 0
		if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
			return nil
		}
		return err
	}
	t.torn = false
	t.dirty++
	if t.dirty < tailSync {
		return nil
	}
	return t.sync()
}

func (t *tailFile) sync() error {
	if t.dirty == 0 {
		return nil
	}
	t.dirty = 0
	return t.f.Sync()
}
