package hold

import (
	"os"
	"os/exec"
	"sync"

	"golang.org/x/sys/unix"
)

// Inherit makes this process, where the system can do that, the parent of what
// the holders that it starts leave behind when they are killed: it does not get
// away, and is ended. It is for a process that starts nothing else in a session
// of its own.
func Inherit() error { return becomeReaper() }

// launched are the holders that are children of this process. Which children a
// process has is a matter of the process, so there is one such list.
var launched children

type children struct {
	mu   sync.Mutex
	cmds map[*exec.Cmd]bool // by identity: a pid may be given to another while its last owner is still listed
}

// start starts a process so that nobody sees it as a child that is not listed.
func (c *children) start(cmd *exec.Cmd) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := cmd.Start(); err != nil {
		return err
	}
	if c.cmds == nil {
		c.cmds = map[*exec.Cmd]bool{}
	}
	c.cmds[cmd] = true
	return nil
}

func (c *children) forget(cmd *exec.Cmd) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.cmds, cmd)
}

// orphans are the children of this process that it did not start, and what
// descends from them. What it starts beside holders is in its own session, which
// nothing below a holder can join.
func (c *children) orphans() []stat {
	c.mu.Lock()
	defer c.mu.Unlock()
	own := map[int]bool{}
	for cmd := range c.cmds {
		own[cmd.Process.Pid] = true
	}
	self := os.Getpid()
	session, err := unix.Getsid(self)
	if err != nil {
		return nil
	}
	var out []stat
	for _, p := range processes() {
		if p.ppid != self || own[p.pid] {
			continue
		}
		if sid, err := unix.Getsid(p.pid); err != nil || sid == session {
			continue
		}
		out = append(append(out, p), kinOf(p.pid)...)
	}
	return out
}

// endOrphans ends what a killed holder left to us.
func endOrphans() {
	until(kinLimit, func() bool {
		now := launched.orphans()
		each(now, unix.SIGKILL)
		for _, p := range now {
			_, _ = unix.Wait4(p.pid, nil, unix.WNOHANG, nil) // not ended yet, or not our child: the next look says
		}
		return len(now) == 0
	})
}
