package process

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// procDir is where the system shows its processes, where it does.
const procDir = "/proc"

// LockIsFree tells whether no process can still hold a lock file: none has it
// open, and no git works in the repository (a git that waits for its editor has
// its lock file closed). What cannot be looked at counts as a holder; so does
// everything where there is no /proc.
func LockIsFree(lock string, folders ...string) bool {
	fi, err := os.Stat(lock)
	if err != nil {
		return false
	}
	pids := processes()
	for _, pid := range pids {
		if mayHold(pid, lock, fi, folders) {
			return false
		}
	}
	return len(pids) > 0
}

func processes() []int {
	entries, err := os.ReadDir(procDir)
	if err != nil {
		return nil
	}
	var pids []int
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

func mayHold(pid int, lock string, fi os.FileInfo, folders []string) bool {
	dir := filepath.Join(procDir, strconv.Itoa(pid))
	fds, err := os.ReadDir(filepath.Join(dir, "fd"))
	if err != nil {
		return !os.IsNotExist(err) && sameOwner(dir, fi) && !dead(dir)
	}
	for _, fd := range fds {
		if to, err := os.Readlink(filepath.Join(dir, "fd", fd.Name())); err == nil && to == lock {
			return true
		}
	}
	return isGit(dir) && worksIn(dir, folders)
}

// sameOwner tells whether the process belongs to whom the lock file belongs.
func sameOwner(dir string, lock os.FileInfo) bool {
	p, err := os.Stat(dir)
	if err != nil {
		return false
	}
	a, ok1 := p.Sys().(*syscall.Stat_t)
	b, ok2 := lock.Sys().(*syscall.Stat_t)
	return ok1 && ok2 && a.Uid == b.Uid
}

// dead tells whether a process only waits for its parent to notice its end.
func dead(dir string) bool {
	f := stat(dir)
	return len(f) > 0 && f[0] == "Z"
}

func isGit(dir string) bool {
	name, err := os.ReadFile(filepath.Join(dir, "comm"))
	return err == nil && strings.HasPrefix(string(name), "git")
}

func worksIn(dir string, folders []string) bool {
	cwd, err := os.Readlink(filepath.Join(dir, "cwd"))
	if err != nil {
		return !os.IsNotExist(err)
	}
	for _, f := range folders {
		if f != "" && (cwd == f || strings.HasPrefix(cwd, f+"/")) {
			return true
		}
	}
	return false
}

// Occupant is a process whose working directory lies in dir: 0 when there is
// none, -1 where that cannot be known.
func Occupant(dir string) int {
	pids := processes()
	if len(pids) == 0 {
		return -1
	}
	for _, pid := range pids {
		p := filepath.Join(procDir, strconv.Itoa(pid))
		if cwd, err := os.Readlink(filepath.Join(p, "cwd")); err == nil && (cwd == dir || strings.HasPrefix(cwd, dir+"/")) {
			return pid
		}
	}
	return 0
}

// IsAlive tells whether the process with this start time runs.
func IsAlive(pid int, start string) bool {
	return pid > 0 && start != "" && StartTime(pid) == start
}

// StartTime is field 22 of /proc/<pid>/stat; with the pid it names a process
// for as long as the machine is up. Empty where it is not known.
func StartTime(pid int) string {
	f := stat(filepath.Join(procDir, strconv.Itoa(pid)))
	if len(f) < 20 {
		return ""
	}
	return f[19]
}

// stat gives the fields of a process's stat from the third on, the state: the
// second, its name, may hold spaces and brackets.
func stat(dir string) []string {
	b, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return nil
	}
	s := string(b)
	return strings.Fields(s[strings.LastIndexByte(s, ')')+1:])
}
