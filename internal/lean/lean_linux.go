package lean

import (
	"bufio"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Rest takes the program's own code and constants out of this process: what is
// needed again comes back from the file, which the system keeps for as long as it
// has room. It is for a process that will wait for a while; where it cannot be
// done nothing happens.
func Rest() {
	exe, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }() // only read
	for _, m := range constants(f, exe) {
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, m.from, m.to-m.from, unix.MADV_DONTNEED) // refused, it stays as it is
	}
}

// mapping is a stretch of memory.
type mapping struct{ from, to uintptr }

// constants are the mappings of a file, in the format of /proc/PID/maps, that
// cannot be written: taken away they come back as they were.
func constants(maps io.Reader, file string) (all []mapping) {
	lines := bufio.NewScanner(maps)
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		if len(f) < 6 || len(f[1]) != 4 || f[1][1] != '-' || f[1][3] != 'p' || strings.Join(f[5:], " ") != file {
			continue
		}
		first, last, _ := strings.Cut(f[0], "-")
		from, err1 := strconv.ParseUint(first, 16, 64)
		to, err2 := strconv.ParseUint(last, 16, 64)
		if err1 == nil && err2 == nil && from < to {
			all = append(all, mapping{from: uintptr(from), to: uintptr(to)})
		}
	}
	return all
}
