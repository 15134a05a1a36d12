package process

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// awaitExit waits for the shell without reaping it: until the tree is gone its
// pid must not be given to another process.
func awaitExit(p *Proc) {
	for {
		err := unix.Waitid(unix.P_PID, p.cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return
		}
	}
}

// markFD is where every process of a tree inherits the output pipe a second
// time: a process that redirects its output and rewrites its environment still
// holds it. It is out of the way of descriptors that scripts use.
const markFD = 63

func markFiles(w *os.File) []*os.File {
	files := make([]*os.File, markFD-2)
	files[markFD-3] = w
	return files
}

// marks recognises a process of the tree.
type marks struct {
	mark []byte
	pipe string // the output pipe, as /proc names it
	born uint64 // start of the shell; everything of the tree is as young
}

func newMarks(root int, mark string, out *os.File) *marks {
	m := &marks{mark: []byte(mark)}
	if p, err := readStat(root); err == nil {
		m.born = ticks(p.start)
	}
	var st unix.Stat_t
	if raw, err := out.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) {
			if unix.Fstat(int(fd), &st) == nil {
				m.pipe = fmt.Sprintf("pipe:[%d]", st.Ino)
			}
		})
	}
	preferForOOM(root)
	return m
}

// preferForOOM makes the kernel take a check that eats all memory rather than
// the daemon or an agent. It is an offer: where it is refused nothing is lost.
func preferForOOM(pid int) {
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid), []byte("500"), 0)
}

func (m *marks) younger(p process) bool { return ticks(p.start) >= m.born }

func (m *marks) on(p process) bool {
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.pid))
	if err == nil && bytes.Contains(env, m.mark) {
		return true
	}
	// A child of our own, between fork and exec, holds all our descriptors.
	return p.ppid != os.Getpid() && m.holdsPipe(p.pid)
}

func (m *marks) holdsPipe(pid int) bool {
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	d, err := os.Open(dir)
	if err != nil {
		return false
	}
	defer func() { _ = d.Close() }() // only read
	names, _ := d.Readdirnames(-1)
	for _, n := range names {
		if to, err := os.Readlink(dir + "/" + n); err == nil && to == m.pipe {
			return true
		}
	}
	return false
}

// processes reads the process table; a process that ends meanwhile is left out.
func (*marks) processes() ([]process, error) {
	d, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer func() { _ = d.Close() }() // only read
	names, err := d.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var out []process
	for _, n := range names {
		pid, err := strconv.Atoi(n)
		if err != nil {
			continue
		}
		if p, err := readStat(pid); err == nil {
			out = append(out, p)
		}
	}
	return out, nil
}

func readStat(pid int) (process, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, err
	}
	return parseStat(pid, string(b))
}

// parseStat reads what follows the command's name, which may itself hold
// spaces and brackets.
func parseStat(pid int, s string) (process, error) {
	f := strings.Fields(s[strings.LastIndexByte(s, ')')+1:])
	if len(f) < 20 {
		return process{}, syscall.ESRCH
	}
	ppid, err := strconv.Atoi(f[1])
	if err != nil {
		return process{}, err
	}
	pgid, err := strconv.Atoi(f[2])
	if err != nil {
		return process{}, err
	}
	return process{pid: pid, ppid: ppid, pgid: pgid, start: f[19], gone: f[0] == "Z" || f[0] == "X"}, nil
}

func ticks(start string) uint64 {
	n, _ := strconv.ParseUint(start, 10, 64)
	return n
}

// sameProcess tells whether the pid still is the process that was seen. With the
// handle opened before it, no other process can be hit.
func sameProcess(p process) bool {
	now, err := readStat(p.pid)
	return err == nil && now.start == p.start && now.pgid == p.pgid
}
