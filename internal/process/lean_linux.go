package process

import (
	"bufio"
	"io"
	"os"
	"runtime"
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
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }() // only read
	for _, m := range constants(f, exe) {
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, m.from, m.to-m.from, unix.MADV_DONTNEED) // refused, it stays as it is
	}
}

// Behind makes the goroutine that calls it, for as long as it lives, work only when nobody
// else wants the processor much.
func Behind() {
	runtime.LockOSThread()                                     // the thread ends with the goroutine
	_ = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), 10) // refused, it is like others
}

// mapping is a stretch of memory.
type mapping struct{ from, to uintptr }

// constants are the private mappings of a file, in the format of /proc/PID/smaps,
// that cannot be written and were never written to: taken away they come back as
// they were. A mapping that is only read now may hold what the loader wrote (the
// relocations of a program at no fixed place), which no file has.
func constants(smaps io.Reader, file string) (all []mapping) {
	var m mapping
	ours, clean := false, false
	keep := func() {
		if ours && clean {
			all = append(all, m)
		}
	}
	lines := bufio.NewScanner(smaps)
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		if len(f) == 0 {
			continue
		}
		switch name, field := strings.CutSuffix(f[0], ":"); {
		case !field:
			keep()
			m, ours = ofFile(f, file)
			clean = false
		case name == "Anonymous":
			clean = none(f)
		case name == "Swap": // written to, and out of memory since
			clean = clean && none(f)
		}
	}
	keep()
	if lines.Err() != nil {
		return nil
	}
	return all
}

// ofFile reads the line that begins a mapping; false when it is not one of code
// or constants of the file.
func ofFile(f []string, file string) (mapping, bool) {
	if len(f) < 6 || f[1] != "r-xp" && f[1] != "r--p" || strings.Join(f[5:], " ") != file {
		return mapping{}, false
	}
	first, last, _ := strings.Cut(f[0], "-")
	from, err1 := strconv.ParseUint(first, 16, 64)
	to, err2 := strconv.ParseUint(last, 16, 64)
	return mapping{from: uintptr(from), to: uintptr(to)}, err1 == nil && err2 == nil && from < to
}

// none tells whether a size is "0 kB".
func none(f []string) bool { return len(f) == 3 && f[1] == "0" }
