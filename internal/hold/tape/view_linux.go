package tape

import (
	"os"

	"golang.org/x/sys/unix"
)

// viewAhead is how much of a segment is brought in together. The system does that
// while the caller waits in a call, not at a touch of memory: others can run
// meanwhile, and a disk that fails gives an error.
const viewAhead = 1 << 20

// view is a segment in memory; the bytes before ready are there.
type view struct {
	b     []byte
	ready int
}

func openView(f *os.File) (v view, err error) {
	conn, err := f.SyscallConn()
	if err != nil {
		return v, err
	}
	var failed error
	err = conn.Control(func(fd uintptr) {
		v.b, failed = unix.Mmap(int(fd), 0, SegmentSize, unix.PROT_READ, unix.MAP_SHARED)
	})
	if err != nil {
		return v, err
	}
	return v, failed
}

// need brings in what lies before end.
func (v *view) need(end int) error {
	for v.ready < end {
		next := min(v.ready+viewAhead, len(v.b))
		if err := unix.Madvise(v.b[v.ready:next], unix.MADV_POPULATE_READ); err != nil {
			return err
		}
		v.ready = next
	}
	return nil
}

func (v *view) close() error {
	if v.b == nil {
		return nil
	}
	b := v.b
	*v = view{}
	return unix.Munmap(b)
}
