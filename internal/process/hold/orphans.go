package hold

import (
	"os"
	"os/exec"
	"sync"

	"golang.org/x/sys/unix"
)

// Launcher starts holders, and knows which of them are children of this process.
// A process has one of it: what that one did not start and finds among its
// children, once it inherits, it takes for what a killed holder left.
type Launcher struct {
	holder []string

	mu   sync.Mutex
	heir bool
	cmds map[*exec.Cmd]bool // by identity: a pid may be given to another while its last owner is still listed
}

// NewLauncher gives a launcher whose holders are this program with these
// arguments.
func NewLauncher(holder ...string) *Launcher {
	return &Launcher{holder: holder, cmds: map[*exec.Cmd]bool{}}
}

// Inherit makes this process, where the system can do that, the parent of what
// the holders that it starts leave behind when they are killed: it does not get
// away, and is ended. It is for a process that starts nothing else in a session
// of its own.
func (c *Launcher) Inherit() error {
	if err := becomeReaper(); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heir = inherits()
	return nil
}

// start starts a process so that nobody sees it as a child that is not listed.
func (c *Launcher) start(cmd *exec.Cmd) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := cmd.Start(); err != nil {
		return err
	}
	c.cmds[cmd] = true
	return nil
}

// ended takes a holder off the list. One that was ended by force has left what it
// held to us.
func (c *Launcher) ended(cmd *exec.Cmd) {
	c.mu.Lock()
	delete(c.cmds, cmd)
	heir := c.heir
	c.mu.Unlock()
	if heir && !cmd.ProcessState.Success() {
		c.endOrphans()
	}
}

// orphans are the children of this process that it did not start, and what
// descends from them. What it starts beside holders is in its own session, which
// nothing below a holder can join.
func (c *Launcher) orphans() []stat {
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
func (c *Launcher) endOrphans() {
	until(kinLimit, func() bool {
		now := c.orphans()
		each(now, unix.SIGKILL)
		for _, p := range now {
			_, _ = unix.Wait4(p.pid, nil, unix.WNOHANG, nil) // not ended yet, or not our child: the next look says
		}
		return len(now) == 0
	})
}
