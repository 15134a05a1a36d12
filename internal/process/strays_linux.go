package process

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"kedge"
)

// Strays gives the living processes that carry a variable ("NAME=value") in the
// environment they were started with, this one excepted, and the others that
// have their working directory in dir. What Kedge itself runs there is none of the
// others: this program, and a git that it waits for.
func Strays(variable, dir string) (marked, inside []int, err error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, nil, kedge.Errorf(kedge.Internal, "cannot list the processes: %w", err)
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		switch {
		case variable != "" && carries(pid, variable):
			marked = append(marked, pid)
		case dir != "" && isIn(pid, dir) && !own(pid):
			inside = append(inside, pid)
		}
	}
	return marked, inside, nil
}

func carries(pid int, variable string) bool {
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	if err != nil {
		return false
	}
	for kv := range bytes.SplitSeq(b, []byte{0}) {
		if string(kv) == variable {
			return true
		}
	}
	return false
}

func isIn(pid int, dir string) bool {
	cwd, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "cwd"))
	return err == nil && (cwd == dir || strings.HasPrefix(cwd, dir+"/"))
}

// own tells whether a process is this program, or a git that this process started.
func own(pid int) bool {
	self, err := os.Stat("/proc/self/exe")
	if err != nil {
		return false
	}
	if exe, err := os.Stat(filepath.Join("/proc", strconv.Itoa(pid), "exe")); err == nil && os.SameFile(exe, self) {
		return true
	}
	for range maxGits {
		name, parent := nameAndParent(pid)
		if !strings.HasPrefix(name, "git") {
			return false
		}
		if pid = parent; pid == os.Getpid() {
			return true
		}
	}
	return false
}

// maxGits bounds how deep a git starts others.
const maxGits = 16

// nameAndParent are what the system calls a process, and who started it; empty and 0
// where it is gone. The name stands in brackets and may hold any character.
func nameAndParent(pid int) (name string, parent int) {
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	from, to := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if err != nil || from < 0 || to < from {
		return "", 0
	}
	f := bytes.Fields(b[to+1:])
	if len(f) < 2 {
		return "", 0
	}
	parent, _ = strconv.Atoi(string(f[1])) // 0 is nobody's
	return string(b[from+1 : to]), parent
}

// EndStray kills a process that carries the variable, and tells whether it was
// there. A process that has only its number is left alone.
func EndStray(pid int, variable string) bool {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return false
	}
	defer func() { _ = unix.Close(fd) }()
	return carries(pid, variable) && unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0) == nil
}
