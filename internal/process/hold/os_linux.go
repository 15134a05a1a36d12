package hold

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"kedge"
)

// becomeReaper makes orphans of the session our children instead of init's, so
// that none of them can get away.
func becomeReaper() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return kedge.Errorf(kedge.Internal, "Kedge cannot take over the processes that the session's program leaves behind: %w", err)
	}
	return nil
}

// inherits tells whether orphans become our children.
func inherits() bool {
	var on int32
	err := unix.Prctl(unix.PR_GET_CHILD_SUBREAPER, uintptr(unsafe.Pointer(&on)), 0, 0, 0)
	return err == nil && on != 0
}

// apart starts a process in a session of its own; *pidfd becomes a descriptor of
// it, or -1.
func apart(pidfd *int) *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true, PidFD: pidfd} }

// awaitExit waits for the end of a process without keeping a thread, of which a
// daemon with many sessions would have as many. It closes the descriptor.
func awaitExit(pidfd int) {
	if pidfd < 0 || unix.SetNonblock(pidfd, true) != nil {
		return
	}
	f := os.NewFile(uintptr(pidfd), "pidfd")
	defer func() { _ = f.Close() }()
	conn, err := f.SyscallConn()
	if err != nil {
		return
	}
	// Where it cannot be waited for, Wait does it.
	_ = conn.Read(func(fd uintptr) (done bool) { return hasExited(int(fd)) })
}

// hasExited asks the system, since an end before the runtime begins to wait is
// told to nobody: it forgets what it heard until then.
func hasExited(pidfd int) bool {
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}, 0)
		if !errors.Is(err, unix.EINTR) {
			return n > 0 || err != nil
		}
	}
}

// bootID tells this boot of the machine from any other.
func bootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// stat is what the system says of a process.
type stat struct {
	pid, ppid int
	zombie    bool
	ending    bool // it ends, and closed its files or is about to
	start     uint64
	ticks     uint64 // of processor time, with those of the children it has waited for
}

// tick is the unit in which the system counts a process's time for us.
const tick = 10 * time.Millisecond

// exiting is the flag of a process that ends.
const exiting = 4

// startTime is when a process started, in ticks since boot; 0 when it is gone.
func startTime(pid int) uint64 {
	s, ok := statOf(pid)
	if !ok {
		return 0
	}
	return s.start
}

// statOf reads with three calls of the system where os.ReadFile makes nine: the
// daemon asks for every process above whoever calls it.
func statOf(pid int) (stat, bool) {
	fd, err := unix.Open("/proc/"+strconv.Itoa(pid)+"/stat", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return stat{}, false
	}
	defer func() { _ = unix.Close(fd) }()
	var line [1024]byte // numbers, and a name of at most 64 bytes
	n, err := unix.Read(fd, line[:])
	if err != nil {
		return stat{}, false
	}
	return parseStat(pid, line[:n])
}

// ignores tells whether a process has a signal ignored.
func ignores(pid int, sig syscall.Signal) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(b), "\nSigIgn:\t")
	mask, _, _ := strings.Cut(after, "\n")
	n, err := strconv.ParseUint(mask, 16, 64)
	return err == nil && n>>(uint(sig)-1)&1 == 1
}

// parseStat reads the fields after the command's name, which may itself contain
// spaces and parentheses.
func parseStat(pid int, b []byte) (stat, bool) {
	i := bytes.LastIndexByte(b, ')')
	if i < 0 {
		return stat{}, false
	}
	f := strings.Fields(string(b[i+1:]))
	if len(f) < 20 {
		return stat{}, false
	}
	ppid, err1 := strconv.Atoi(f[1])
	start, err2 := strconv.ParseUint(f[19], 10, 64)
	if err1 != nil || err2 != nil {
		return stat{}, false
	}
	flags, _ := strconv.ParseUint(f[6], 10, 64) // unreadable flags are none
	st := stat{pid: pid, ppid: ppid, zombie: f[0] == "Z" || f[0] == "X", ending: flags&exiting != 0, start: start}
	for _, field := range f[11:15] {
		n, _ := strconv.ParseUint(field, 10, 64) // unreadable time is no time
		st.ticks += n
	}
	return st, true
}

// processes lists every process that can be seen.
func processes() []stat {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var all []stat
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if s, ok := statOf(pid); ok {
			all = append(all, s)
		}
	}
	return all
}

// kill ends exactly this process: a descriptor of it is taken first, then its
// identity is looked at again, so that a pid given to another is never hit.
func (s stat) kill(sig unix.Signal) {
	fd, err := unix.PidfdOpen(s.pid, 0)
	if err != nil {
		return // gone
	}
	defer func() { _ = unix.Close(fd) }()
	if now, ok := statOf(s.pid); ok && now.start == s.start {
		_ = unix.PidfdSendSignal(fd, sig, nil, 0) // gone meanwhile: what was wanted
	}
}

// environHas tells whether a process was started with a variable set to a value.
func environHas(pid int, entry string) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return err == nil && bytes.Contains(append([]byte{0}, b...), []byte("\x00"+entry+"\x00"))
}
