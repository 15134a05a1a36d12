package hold

import (
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// becomeReaper does nothing: the system has no such parent. What leaves the
// program's session and outlives its parents is not found there.
func becomeReaper() error { return nil }

// inherits tells that orphans do not become our children.
func inherits() bool { return false }

// apart starts a process in a session of its own.
func apart(*int) *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// awaitExit does nothing: whoever waits for a process keeps a thread.
func awaitExit(int) {}

// bootID is the moment of boot.
func bootID() string {
	tv, err := unix.SysctlTimeval("kern.boottime")
	if err != nil {
		return ""
	}
	return strconv.FormatInt(tv.Sec, 10)
}

// stat is what the system says of a process.
type stat struct {
	pid, ppid int
	zombie    bool
	ending    bool // it ends, and closed its files or is about to
	start     uint64
	ticks     uint64 // not told here
}

const tick = 0

func startTime(pid int) uint64 {
	s, ok := statOf(pid)
	if !ok {
		return 0
	}
	return s.start
}

func statOf(pid int) (stat, bool) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Proc.P_pid) != pid {
		return stat{}, false
	}
	return fromKinfo(k), true
}

// ignores is not told here.
func ignores(int, syscall.Signal) bool { return false }

func fromKinfo(k *unix.KinfoProc) stat {
	const zombie, exiting = 5, 0x2000
	start := uint64(k.Proc.P_starttime.Sec)*1_000_000 + uint64(k.Proc.P_starttime.Usec)
	return stat{pid: int(k.Proc.P_pid), ppid: int(k.Eproc.Ppid), zombie: k.Proc.P_stat == zombie, ending: k.Proc.P_flag&exiting != 0, start: start}
}

func processes() []stat {
	ks, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil
	}
	all := make([]stat, 0, len(ks))
	for i := range ks {
		all = append(all, fromKinfo(&ks[i]))
	}
	return all
}

// kill ends the process if it is still the one that was seen.
func (s stat) kill(sig unix.Signal) {
	if now, ok := statOf(s.pid); ok && now.start == s.start {
		_ = unix.Kill(s.pid, sig) // gone meanwhile: what was wanted
	}
}

// environHas is not told by this system.
func environHas(int, string) bool { return false }
