package hold

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// How to look for kin: again and again, because a process may have forked
// between being seen and being ended.
const (
	kinPause = 5 * time.Millisecond
	kinLimit = time.Minute // only a process that the kernel itself does not end gets this far
)

// kin are the living descendants of this process. Orphans of the session are
// our children by then, so nothing that it started can be missing.
func kin() []stat { return kinOf(os.Getpid()) }

func kinOf(root int) []stat {
	all := processes()
	ours := map[int]bool{root: true}
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if !ours[p.pid] && ours[p.ppid] {
				ours[p.pid], grown = true, true
			}
		}
	}
	var out []stat
	for _, p := range all {
		if ours[p.pid] && p.pid != root && !p.zombie {
			out = append(out, p)
		}
	}
	return out
}

// childless asks the kernel whether this process has no child at all: then it has
// no descendant either, since orphans of the session become its children. That
// costs nothing beside a look at every process of the machine. A child that has
// ended is waited for on the way, so it must not be the program itself.
func childless() bool {
	for {
		pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		switch {
		case err == unix.EINTR || err == nil && pid > 0:
		default:
			return err == unix.ECHILD
		}
	}
}

// endKin ends every descendant: asked first where there is a grace, then made
// to. It returns how many there were at the first look.
func endKin(grace time.Duration) int {
	first := kin()
	if grace > 0 {
		each(first, unix.SIGTERM)
		until(grace, func() bool { return len(kin()) == 0 })
	}
	until(kinLimit, func() bool {
		now := kin()
		each(now, unix.SIGKILL)
		return len(now) == 0
	})
	return len(first)
}

func each(ps []stat, sig unix.Signal) {
	for _, p := range ps {
		p.kill(sig)
	}
}

// until looks again after short pauses until done, or for as long as most.
func until(most time.Duration, done func() bool) {
	limit := time.NewTimer(most)
	defer limit.Stop()
	pause := time.NewTicker(kinPause)
	defer pause.Stop()
	for !done() {
		select {
		case <-limit.C:
			return
		case <-pause.C:
		}
	}
}
