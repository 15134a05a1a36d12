package tape

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"kedge"
)

// screensName is the file of snapshots in a session's folder: one behind the other, in the
// order of the log. A later version of Kedge may write other ones: they have another
// magic, and end the file for this one.
const screensName = "screens"

// headSize and magic are on disk. The sum is that of all that follows it.
const (
	headSize = 56
	magic    = "KSc1"
	maxBody  = 16 << 20
)

// snapshot is the screen at a place of the log.
type snapshot struct {
	offset     int64 // in the log, from which to go on
	lines      int64 // that had left the main screen
	marks      int64 // records of the index that had happened
	cols, rows int
	body       []byte // that makes the screen
}

func (s snapshot) encode() []byte {
	b := make([]byte, 8, headSize+len(s.body))
	copy(b, magic)
	for _, n := range []int64{s.offset, s.lines, s.marks, int64(s.cols), int64(s.rows), int64(len(s.body))} {
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	b = append(b, s.body...)
	binary.BigEndian.PutUint32(b[4:], crc32.ChecksumIEEE(b[8:]))
	return b
}

// head reads what stands before the body, and the length of the body.
func head(b []byte) (s snapshot, size int64, sum uint32, ok bool) {
	if string(b[:4]) != magic {
		return s, 0, 0, false
	}
	n := func(i int) int64 { return int64(binary.BigEndian.Uint64(b[8+8*i:])) }
	s = snapshot{offset: n(0), lines: n(1), marks: n(2), cols: int(n(3)), rows: int(n(4))}
	size = n(5)
	ok = s.offset >= 0 && s.marks >= 0 && s.cols > 0 && s.rows > 0 && size >= 0 && size <= maxBody
	return s, size, binary.BigEndian.Uint32(b[4:]), ok
}

// place is where a snapshot is in its file.
type place struct {
	snapshot
	at, size int64
	sum      uint32
	head     [headSize]byte
}

// places reads the heads of all snapshots in a file, and where the whole ones end.
func places(f io.ReaderAt, length int64) (list []place, end int64) {
	for end+headSize <= length {
		var p place
		if _, err := f.ReadAt(p.head[:], end); err != nil {
			return list, end
		}
		s, size, sum, ok := head(p.head[:])
		if !ok || end+headSize+size > length {
			return list, end
		}
		p.snapshot, p.at, p.size, p.sum = s, end, size, sum
		list = append(list, p)
		end += headSize + size
	}
	return list, end
}

// load reads the body; false where it is damaged.
func (p *place) load(f io.ReaderAt) bool {
	p.body = make([]byte, p.size)
	if _, err := f.ReadAt(p.body, p.at+headSize); err != nil {
		return false
	}
	return crc32.Update(crc32.ChecksumIEEE(p.head[8:]), crc32.IEEETable, p.body) == p.sum
}

// nearest gives the last snapshot that is sound, not before from, at or before want, and
// has at most so many lines.
func nearest(dir string, from, want, lines int64) (s snapshot, found bool) {
	f, err := os.Open(filepath.Join(dir, screensName))
	if err != nil {
		return s, false // the log alone does as well
	}
	defer func() { _ = f.Close() }() // only read
	fi, err := f.Stat()
	if err != nil {
		return s, false
	}
	list, _ := places(f, fi.Size())
	for i := len(list) - 1; i >= 0; i-- {
		if p := &list[i]; p.offset >= from && p.offset <= want && p.lines <= lines && p.load(f) {
			return p.snapshot, true
		}
	}
	return s, false
}

// Save adds a snapshot of the screen to the session's file, for whoever opens it later.
func (f *Feed) Save(dir string) error {
	body, from := f.Screen.Checkpoint()
	s := snapshot{offset: f.base + from, lines: f.lines, marks: f.read, body: body}
	s.cols, s.rows = f.Screen.Size()
	file, err := os.OpenFile(filepath.Join(dir, screensName), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot save the screen of a session: %w", err)
	}
	_, err = file.Write(s.encode())
	if err = errors.Join(err, file.Close()); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot save the screen of a session: %w", err)
	}
	return nil
}

// repair cuts off what follows the last whole snapshot, and snapshots that do not fit the
// log of the given length; it gives the place of the last one.
func repair(dir string, length int64) (last int64, err error) {
	f, err := os.OpenFile(filepath.Join(dir, screensName), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	fi, err := f.Stat()
	if err != nil {
		return 0, err
	}
	list, end := places(f, fi.Size())
	for len(list) > 0 && list[len(list)-1].offset > length {
		end = list[len(list)-1].at
		list = list[:len(list)-1]
	}
	if len(list) > 0 {
		last = list[len(list)-1].offset
	}
	if end == fi.Size() {
		return last, nil
	}
	return last, f.Truncate(end)
}

// ForgetScreens removes the snapshots of a session, as when a part of its log goes.
func ForgetScreens(dir string) error {
	err := os.Remove(filepath.Join(dir, screensName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// ScreensSize is how much room the snapshots of a session take.
func ScreensSize(dir string) int64 {
	fi, err := os.Stat(filepath.Join(dir, screensName))
	if err != nil {
		return 0 // none, as a rule
	}
	return fi.Size()
}
