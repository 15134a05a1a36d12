package hold

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"kedge"
)

// Start starts a holder and connects to it when its session runs. The holder is a process of its own session: it stays
// when the caller dies. A session that cannot start leaves no process behind.
func (c *Launcher) Start(ctx context.Context, spec Spec) (*Client, error) {
	if err := spec.check(); err != nil {
		return nil, err
	}
	l, err := c.Prepare(ctx, spec.place())
	if err != nil {
		return nil, err
	}
	if _, err := l.Hold(spec); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readyLimit)
	defer cancel()
	return Dial(ctx, spec.Dir) // whatever ctx says: the session runs, and to give an error would be untrue
}

// Launch is a holder process that waits to be told what to hold. Exactly one of
// Hold and Abandon must be called.
type Launch struct {
	by    *Launcher
	cmd   *exec.Cmd
	pidfd int // of the process, where the system has such a thing
	in    io.WriteCloser
	out   io.ReadCloser
	lock  *os.File
}

// Prepare starts a holder process for a session, whose folder exists. It takes a
// while to come up and to make its files, so whoever has something to do before
// the session may start does that meanwhile.
func (c *Launcher) Prepare(ctx context.Context, at Place) (*Launch, error) {
	if err := at.check(); err != nil {
		return nil, err
	}
	lock, err := lockFolder(at.Dir)
	if err != nil {
		return nil, err
	}
	l := &Launch{by: c, lock: lock, pidfd: -1}
	if err := l.start(ctx); err != nil {
		_ = lock.Close()
		return nil, err
	}
	return l, l.tell(at)
}

func (l *Launch) start(ctx context.Context) (err error) {
	cmd := exec.CommandContext(context.WithoutCancel(ctx), l.by.holder[0], l.by.holder[1:]...) // it outlives whoever starts it
	cmd.Dir, cmd.Stderr = "/", l.lock                                                          // what it says is in the lock's file: see lock.go
	cmd.Env, cmd.ExtraFiles = holderEnv(os.Environ()), []*os.File{lockFD - 3: l.lock}
	cmd.SysProcAttr = apart(&l.pidfd)
	l.in, err = cmd.StdinPipe()
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot open a pipe to the process that keeps a session alive: %w", err)
	}
	l.out, err = cmd.StdoutPipe()
	if err != nil {
		return errors.Join(kedge.Errorf(kedge.Internal, "cannot open a pipe to the process that keeps a session alive: %w", err), l.in.Close())
	}
	if err := l.by.start(cmd); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot start the process that keeps a session alive (its holder): %w", err)
	}
	l.cmd = cmd
	return nil
}

// Hold tells the holder what to hold, and gives what it says of itself when the
// program runs.
func (l *Launch) Hold(spec Spec) (Record, error) {
	defer func() { _ = l.lock.Close() }() // the holder has it too
	err := errors.Join(spec.check(), l.tell(spec))
	_ = l.in.Close()
	if err != nil {
		l.reap() // it has nothing to do and goes
		return Record{}, err
	}
	line, err := bufio.NewReaderSize(l.out, 16).ReadString('\n')
	if err != nil || line != "ready\n" {
		l.reap()
		return Record{}, failed(l.cmd, spec)
	}
	go l.reap() // if we live longer than it does
	return ReadRecord(spec.Dir)
}

// tell writes a line to the holder.
func (l *Launch) tell(what any) error {
	b, err := json.Marshal(what)
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot tell the process that keeps a session alive (its holder) what to start: %w", err)
	}
	_, _ = l.in.Write(append(b, '\n')) // a holder that is gone says why in its messages
	return nil
}

// reap waits for the end of the process.
func (l *Launch) reap() {
	awaitExit(l.pidfd)
	_ = l.cmd.Wait()
	l.by.ended(l.cmd)
}

// Abandon lets the process go without holding anything, and takes away what was
// put into the folder for it.
func (l *Launch) Abandon() {
	defer func() { _ = l.lock.Close() }()
	_ = l.in.Close()
	l.reap()                     // its complaint about having nothing to hold is not news
	_ = os.Remove(l.lock.Name()) // left over it harms nobody
}

// readyLimit only guards against waiting for ever: a holder that said that it is
// ready answers.
const readyLimit = 2 * time.Minute

// failed says why a holder did not become ready, in its own words.
func failed(cmd *exec.Cmd, spec Spec) error {
	b, _ := os.ReadFile(lockPath(spec.Dir))
	var told struct {
		Kind    kedge.Kind `json:"kind"`
		Message string     `json:"message"`
	}
	if json.Unmarshal(lastLine(b), &told) == nil && told.Message != "" {
		return kedge.Errorf(told.Kind, "%s", told.Message)
	}
	why := strings.TrimSpace(string(b))
	if why == "" {
		why = cmd.ProcessState.String()
	}
	return kedge.Errorf(kedge.Internal, "the process that keeps session %q alive (its holder) did not start: %s", spec.Session, why)
}

func lastLine(b []byte) []byte {
	lines := bytes.Split(bytes.TrimSpace(b), []byte("\n"))
	return lines[len(lines)-1]
}

// Complain writes why a holder could not start, for the one who started it.
func Complain(err error) []byte {
	b, _ := json.Marshal(map[string]string{"kind": string(kedge.KindOf(err)), "message": err.Error()}) // two strings always encode
	return append(b, '\n')
}

// holderEnv is what the holder process itself gets: nothing of the session's.
func holderEnv(environ []string) []string {
	out := []string{"GOMAXPROCS=1", "GOGC=50"} // there is one of it per session: it has little to do, and to be small
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		if name == "PATH" || name == "TMPDIR" || name == "GOTRACEBACK" || strings.HasPrefix(name, "KEDGE_TEST_") {
			out = append(out, kv)
		}
	}
	return out
}
