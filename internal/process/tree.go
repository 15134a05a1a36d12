package process

import (
	"os"
	"slices"
	"syscall"
	"time"

	"kedge"
)

// process is one row of the system's process table.
type process struct {
	pid, ppid, pgid int
	start           string // opaque; equal for the same process only
	gone            bool   // a zombie: it runs nothing and holds nothing
}

// identity tells a process from a later one with the same pid.
type identity struct {
	pid   int
	start string
}

// tree finds and ends what grew from one shell.
type tree struct {
	root  int // the shell; leader of its own session and group
	known map[identity]bool
	marks *marks
}

func newTree(root int, mark string, out *os.File) *tree {
	return &tree{root: root, known: map[identity]bool{}, marks: newMarks(root, mark, out)}
}

// ask tells the group to end in its own way.
func (t *tree) ask() { t.signalGroup(syscall.SIGTERM) }

// signalGroup is safe as long as the shell is not reaped: its pid, and so the
// group's, is not given to another.
func (t *tree) signalGroup(sig syscall.Signal) { _ = syscall.Kill(-t.root, sig) }

// How long to look, and how often. The limit is only reached by a process that
// the kernel itself does not end.
const (
	killLimit = 60 * time.Second
	killPause = 10 * time.Millisecond
)

// kill ends the tree and tells how many processes it found. It looks again until a look finds none: a process may have forked
// between being seen and being killed.
func (t *tree) kill() (killed int, err error) {
	deadline := time.Now().Add(killLimit)
	pause := time.NewTicker(killPause)
	defer pause.Stop()
	for {
		found, err := t.members()
		if err != nil {
			t.signalGroup(syscall.SIGKILL)
			return 0, kedge.Errorf(kedge.Internal, "cannot list the processes that Kedge must end: %w", err)
		}
		t.signalGroup(syscall.SIGKILL)
		if len(found) == 0 {
			return len(t.known), nil
		}
		t.killEach(found)
		if time.Now().After(deadline) {
			return len(t.known), kedge.Errorf(kedge.Internal, "Kedge killed the processes %v, but they have not ended", pids(found)).
				WithHint("look at the first of them: ps -o pid,stat,wchan,args -p %d", found[0].pid)
		}
		<-pause.C
	}
}

// killEach kills groups as a whole where it can: a group dies at once, so one
// that forks faster than we look cannot outrun us.
func (t *tree) killEach(found []process) {
	for _, p := range found {
		proc, err := os.FindProcess(p.pid)
		if err != nil {
			continue
		}
		if sameProcess(p) {
			if p.pgid == p.pid {
				_ = syscall.Kill(-p.pgid, syscall.SIGKILL)
			}
			_ = proc.Signal(syscall.SIGKILL)
		}
		_ = proc.Release()
	}
}

// members gives the living processes of the tree: the marked, those of the
// shell's group, those known before, and all their descendants.
func (t *tree) members() ([]process, error) {
	all, err := t.marks.processes()
	if err != nil {
		return nil, err
	}
	in := map[int]bool{}
	for _, p := range all {
		if t.belongs(p) {
			in[p.pid] = true
		}
	}
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if !in[p.pid] && in[p.ppid] && t.mayBelong(p) {
				in[p.pid], grown = true, true
			}
		}
	}
	var out []process
	for _, p := range all {
		if in[p.pid] && !p.gone {
			t.known[identity{p.pid, p.start}] = true
			out = append(out, p)
		}
	}
	return out, nil
}

func (t *tree) belongs(p process) bool {
	if !t.mayBelong(p) {
		return false
	}
	return p.pid == t.root || p.pgid == t.root || t.known[identity{p.pid, p.start}] || t.marks.on(p)
}

// mayBelong keeps us, and who came before the tree, out of it.
func (t *tree) mayBelong(p process) bool {
	return p.pid > 1 && p.pid != os.Getpid() && p.pgid != syscall.Getpgrp() && t.marks.younger(p)
}

func pids(ps []process) []int {
	var out []int
	for _, p := range ps {
		out = append(out, p.pid)
	}
	slices.Sort(out)
	return out
}
