package tape

import (
	"os"

	"golang.org/x/sys/unix"
)

// viewAhead is how much of a segment is brought in together, where it is not in
// memory already. The system does that while the caller waits in a call, not at a
// touch of memory: others can run meanwhile, and a disk that fails gives an error.
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
		if v.b, failed = unix.Mmap(int(fd), 0, SegmentSize, unix.PROT_READ, unix.MAP_SHARED); failed == nil && cached(fd) {
			v.ready = SegmentSize
		}
	})
	if err != nil {
		return v, err
	}
	return v, failed
}

// cached tells whether the system has all of a segment in memory: to touch it then
// costs less than to have it brought in. A page that it lets go of meanwhile makes
// whoever touches it wait, and no more.
func cached(fd uintptr) bool {
	var now unix.Cachestat_t
	err := unix.Cachestat(uint(fd), &unix.CachestatRange{Len: SegmentSize}, &now, 0)
	return err == nil && now.Cache >= SegmentSize/uint64(os.Getpagesize())
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
