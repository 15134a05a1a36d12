package main

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestRow63OneStaticBinary: what is installed is one file that needs no other,
// and neither the daemon nor a holder has a socket that a network reaches. With
// the network off, where a test may switch it off, everything works.
func TestRow63OneStaticBinary(t *testing.T) {
	t.Parallel()
	bin := filepath.Join(t.TempDir(), "kedge")
	build := exec.Command("go", "build", "-trimpath", "-o", bin, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	isStatic(t, bin)
	k := newKeeperOf(t, bin)
	if exec.Command("unshare", "--user", "--map-root-user", "--net", "true").Run() == nil {
		k.bin = withoutNetwork(t, bin)
	} else {
		t.Log("no network namespace can be made here: the network stays on")
	}
	k.run("new", "work", "--", "sh", "-c", "echo all by itself; exec cat")
	ses := k.live(k.dir, "work")
	eventually(t, "it is found", func() bool { return strings.Contains(k.run("search", "by itself"), "work") })
	for _, pid := range []int{k.daemonPID(), holderOf(t, k.folder(ses.ID))} {
		onlyUnixSockets(t, pid)
	}
}

// withoutNetwork is a program that runs kedge where there is no network at all.
func withoutNetwork(t *testing.T, bin string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kedge")
	script := "#!/bin/sh\nexec unshare --user --map-root-user --net '" + bin + "' \"$@\"\n"
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func isStatic(t *testing.T, bin string) {
	t.Helper()
	f, err := elf.Open(bin)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			t.Errorf("the binary has a segment %v: it needs other files", p.Type)
		}
	}
	libs, err := f.ImportedLibraries()
	if err != nil || len(libs) > 0 {
		t.Errorf("libraries %v, %v", libs, err)
	}
}

// onlyUnixSockets looks every socket of a process up in the tables of its own
// network namespace.
func onlyUnixSockets(t *testing.T, pid int) {
	t.Helper()
	proc := filepath.Join("/proc", strconv.Itoa(pid))
	unix := inodes(t, filepath.Join(proc, "net/unix"), 6)
	found := 0
	for inode := range sockets(t, proc) {
		if unix[inode] {
			found++
		}
		for _, table := range []string{"tcp", "tcp6", "udp", "udp6", "raw", "raw6"} {
			if inodes(t, filepath.Join(proc, "net", table), 9)[inode] {
				t.Errorf("process %d has a socket of kind %s", pid, table)
			}
		}
	}
	if found == 0 {
		t.Errorf("process %d has no unix socket either: this looked at nothing", pid)
	}
}

// sockets are the inodes of a process's sockets.
func sockets(t *testing.T, proc string) map[string]bool {
	t.Helper()
	fds, err := os.ReadDir(filepath.Join(proc, "fd"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for _, fd := range fds {
		link, err := os.Readlink(filepath.Join(proc, "fd", fd.Name()))
		if err != nil {
			continue // closed meanwhile
		}
		if inode, ok := strings.CutPrefix(link, "socket:["); ok {
			out[strings.TrimSuffix(inode, "]")] = true
		}
	}
	return out
}

// inodes reads one column of a table of the kernel; a kind that it does not have
// has no sockets.
func inodes(t *testing.T, table string, column int) map[string]bool {
	t.Helper()
	b, err := os.ReadFile(table)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > column {
			out[f[column]] = true
		}
	}
	return out
}
