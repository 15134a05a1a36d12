package proc

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
// have their working directory in dir.
func Strays(variable, dir string) (marked, inside []int, err error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, nil, kedge.Errorf(kedge.Internal, "list the processes: %w", err)
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		switch {
		case variable != "" && carries(pid, variable):
			marked = append(marked, pid)
		case dir != "" && isIn(pid, dir):
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
