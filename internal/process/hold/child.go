package hold

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"kedge"
)

// child is the program that is held.
type child struct {
	pid  int
	tty  bool
	in   *os.File // what it reads from: the terminal, or a pipe
	out  *os.File // what it writes to: the terminal, or a pipe
	gone chan struct{}

	mu     sync.Mutex
	status syscall.WaitStatus
	at     time.Time
	closed bool
}

// startChild starts the program in a session of its own and begins to reap: it,
// and whatever it leaves to us.
func startChild(spec Spec) (*child, error) {
	path, err := LookPath(spec.Command[0], spec.Cwd, spec.Env)
	if err != nil {
		return nil, err
	}
	c := &child{tty: spec.Cols > 0, gone: make(chan struct{})}
	files, err := c.open(spec)
	if err != nil {
		return nil, err
	}
	defer closeAll(files)
	fds := make([]uintptr, 0, len(files))
	for _, f := range files {
		fds = append(fds, f.Fd())
	}
	attr := &syscall.ProcAttr{Dir: spec.Cwd, Env: spec.Env, Files: fds, Sys: &syscall.SysProcAttr{Setsid: true, Setctty: c.tty}}
	c.pid, err = syscall.ForkExec(path, spec.Command, attr)
	if err != nil {
		closeAll([]*os.File{c.in, c.out})
		return nil, kedge.Errorf(kedge.Invalid, "cannot start the program %q in the folder %q: %w", spec.Command[0], spec.Cwd, err)
	}
	go c.reap()
	return c, nil
}

// open makes the terminal or the pipes, and gives the program's ends of them.
func (c *child) open(spec Spec) (files []*os.File, err error) {
	if c.tty {
		master, slave, err := openPTY(spec.Cols, spec.Rows)
		if err != nil {
			return nil, kedge.Errorf(kedge.Internal, "cannot open a terminal for session %q: %w", spec.Session, err)
		}
		c.in, c.out = master, master
		return []*os.File{slave, slave, slave}, nil
	}
	inR, inW, err := os.Pipe()
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot open a pipe to the program of session %q: %w", spec.Session, err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		closeAll([]*os.File{inR, inW})
		return nil, kedge.Errorf(kedge.Internal, "cannot open a pipe to the program of session %q: %w", spec.Session, err)
	}
	c.in, c.out = inW, outR
	return []*os.File{inR, outW, outW}, nil
}

func closeAll(files []*os.File) {
	seen := map[*os.File]bool{}
	for _, f := range files {
		if f != nil && !seen[f] {
			seen[f] = true
			_ = f.Close() // our copies only
		}
	}
}

// LookPath finds a program as a session's own PATH and folder would.
func LookPath(name, cwd string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		if !filepath.IsAbs(name) {
			name = filepath.Join(cwd, name)
		}
		if _, err := exec.LookPath(name); errors.Is(err, fs.ErrPermission) {
			return "", kedge.Errorf(kedge.NotFound, "the program %q is not executable", name).WithHint("make the program executable: chmod +x '%s'", name)
		} else if err != nil {
			return "", kedge.Errorf(kedge.NotFound, "there is no program %q", name)
		}
		return name, nil
	}
	for _, kv := range env {
		list, ok := strings.CutPrefix(kv, "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(list) {
			if !filepath.IsAbs(dir) {
				continue // the folder of the session is no place to find programs in
			}
			if p, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
				return p, nil
			}
		}
	}
	return "", kedge.Errorf(kedge.NotFound, "there is no program %q on PATH", name)
}

// reap waits for every process that is or becomes our child, until there is
// none: the program itself, and the orphans it leaves.
func (c *child) reap() {
	for {
		var ws syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &ws, 0, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			if c.isGone() {
				return // no children left; new ones cannot come, the program being gone
			}
			c.ended(0)
			return
		case pid == c.pid:
			c.ended(ws)
		}
	}
}

func (c *child) ended(ws syscall.WaitStatus) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.at.IsZero() {
		return
	}
	c.status, c.at = ws, time.Now()
	close(c.gone)
}

func (c *child) isGone() bool {
	select {
	case <-c.gone:
		return true
	default:
		return false
	}
}

// exit says how it ended.
func (c *child) exit() Exit {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := Exit{Code: c.status.ExitStatus(), Cause: CauseExited, At: c.at.UnixMilli()}
	if c.status.Signaled() {
		e.Signal = int(c.status.Signal())
		e.Code, e.Cause = 128+e.Signal, CauseKilled
	}
	return e
}

// signal reaches the program's process group; its pid is ours until reaped.
func (c *child) signal(sig syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at.IsZero() {
		_ = syscall.Kill(-c.pid, sig) // a group that is gone is what we wanted
	}
}

// requests are the signals that ask the program to end, one after the other. A
// shell that waits for its person takes no notice of the usual ones and says so
// by ignoring SIGTERM: it ends when its terminal is closed.
func (c *child) requests() []syscall.Signal {
	if c.tty && ignores(c.pid, syscall.SIGTERM) {
		return []syscall.Signal{syscall.SIGHUP, syscall.SIGINT}
	}
	return []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}
}

// killAll ends the program and everything that grew from it.
func (c *child) killAll() {
	c.signal(syscall.SIGKILL)
	endKin(0)
}

// more reads what the program has already written, up to len(b), without waiting.
// A terminal gives 4 KB at a time, however much there is.
func (c *child) more(b []byte) (n int) {
	_ = ioctlFile(c.out, func(fd int) error { // a file that is closed has nothing more
		for n < len(b) {
			m, err := unix.Read(fd, b[n:])
			if m <= 0 || err != nil {
				return nil //nolint:nilerr // the next Read tells why
			}
			n += m
		}
		return nil
	})
	return n
}

// resize tells the terminal, and so the program, its size.
func (c *child) resize(cols, rows uint16) error {
	if !c.tty {
		return kedge.Errorf(kedge.Invalid, "this session was started without a terminal")
	}
	return ioctlFile(c.in, func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Col: cols, Row: rows})
	})
}

// ioctlFile runs f on the descriptor without taking it out of the poller.
func ioctlFile(f *os.File, do func(fd int) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	if err := conn.Control(func(fd uintptr) { inner = do(int(fd)) }); err != nil {
		return err
	}
	return inner
}

// closePipe ends the input of a program that has no terminal.
func (c *child) closePipe() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	return c.in.Close()
}
