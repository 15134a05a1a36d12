package process

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"kedge"
)

// Spec says what to run. Env is the whole environment; Log is made anew with
// mode 0600.
type Spec struct {
	Line    string
	Under   []string // words before the shell's: what confines it; empty: nothing
	Dir     string
	Env     []string
	Log     string
	Limit   int64         // bytes of output kept; 0 is DefaultLimit
	Timeout time.Duration // 0 is none
	Grace   time.Duration // between asking and killing; 0 is DefaultGrace
}

// Words is the command that runs the line.
func (s Spec) Words() []string {
	return append(slices.Clone(s.Under), "/bin/sh", "-c", s.Line)
}

// The bounds of a Spec that names none.
const (
	DefaultLimit = 64 << 20
	DefaultGrace = 2 * time.Second
)

// End says how a line ended.
type End string

// The ways to end. Only Exited and Signalled are the line's own doing.
const (
	Exited    End = "exited"
	Signalled End = "signalled"
	TimedOut  End = "timed out"
	Stopped   End = "stopped" // by Stop or by the context
)

// Result is what became of a line. Exit is 128 and the signal's number for a
// signalled one, -1 for one that was ended.
type Result struct {
	End     End
	Exit    int
	Bytes   int64 // of output
	Dropped int64 // of these, not in the log
	Killed  int   // processes that had to be killed, the shell included

	NoMemory bool // the kernel ended it for want of memory, as far as that is known
}

// Proc is a running line.
type Proc struct {
	spec  Spec
	cmd   *exec.Cmd
	tree  *tree
	out   *os.File
	reap  func() error  // waits for the shell, once
	ended chan struct{} // the shell has exited
	done  chan struct{} // nothing of it is left
	copy  chan error
	log   *boundedLog

	stopOnce sync.Once
	stop     chan struct{}

	result Result
	err    error
}

// Run runs the line to its end and waits until its tree is gone. A cancelled
// context ends it and is the error.
func Run(ctx context.Context, s Spec) (Result, error) {
	p, err := Start(ctx, s)
	if err != nil {
		return Result{}, err
	}
	res, err := p.Wait()
	if err == nil && ctx.Err() != nil && res.End == Stopped {
		err = ctx.Err()
	}
	return res, err
}

// Start starts the line. The tree ends when the line does, at Stop, at the
// timeout or with the context, whichever comes first.
func Start(ctx context.Context, s Spec) (*Proc, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	log, err := openLog(s.Log, orDefault(s.Limit, DefaultLimit))
	if err != nil {
		return nil, err
	}
	p, err := start(ctx, s, log)
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	go func() { p.copy <- p.drain() }()
	go p.watch(ctx)
	return p, nil
}

func start(ctx context.Context, s Spec, log *boundedLog) (*Proc, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot open a pipe for the output of a command: %w", err)
	}
	defer func() { _ = w.Close() }()
	mark := rand.Text()
	words := s.Words()
	cmd := exec.CommandContext(context.WithoutCancel(ctx), words[0], words[1:]...) // watch ends it, with all that grew from it
	cmd.Dir, cmd.Env = s.Dir, markEnv(s.Env, mark)
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = w, w, markFiles(w)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		_ = r.Close()
		return nil, kedge.Errorf(kedge.Invalid, "cannot start the command %q in the folder %q: %w", s.Line, s.Dir, err)
	}
	p := &Proc{
		spec: s, cmd: cmd, out: r, log: log, copy: make(chan error, 1),
		ended: make(chan struct{}), done: make(chan struct{}), stop: make(chan struct{}),
		reap: sync.OnceValue(cmd.Wait),
	}
	p.tree = newTree(cmd.Process.Pid, mark, r)
	go func() {
		awaitExit(p)
		close(p.ended)
	}()
	return p, nil
}

// markName is the variable that marks a tree. A tree inside a tree carries both
// marks, so that the outer one still finds it.
const markName = "KEDGE_TREE"

func markEnv(env []string, mark string) []string {
	value := os.Getenv(markName)
	out := make([]string, 0, len(env)+1)
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, markName+"="); ok {
			value = v
		} else {
			out = append(out, kv)
		}
	}
	return append(out, markName+"="+strings.TrimPrefix(value+":"+mark, ":"))
}

// Done is closed when nothing of the tree is left.
func (p *Proc) Done() <-chan struct{} { return p.done }

// Wait waits until nothing of the tree is left. The error says that the log
// could not be written or that a process could not be ended; the result holds
// either way.
func (p *Proc) Wait() (Result, error) {
	<-p.done
	return p.result, p.err
}

// Stop asks the tree to end, kills it after the grace, and waits.
func (p *Proc) Stop() (Result, error) {
	p.stopOnce.Do(func() { close(p.stop) })
	return p.Wait()
}

// watch takes the line to its end and clears up after it.
func (p *Proc) watch(ctx context.Context) {
	defer close(p.done)
	end := p.await(ctx)
	killed, errTree := p.tree.kill()
	errWait := p.reap()
	_ = p.out.SetReadDeadline(time.Now().Add(drainLimit))
	errLog := <-p.copy
	_ = p.out.Close()
	errLog = errors.Join(errLog, p.log.Close())
	p.result = Result{End: end, Exit: -1, Bytes: p.log.bytes, Dropped: p.log.dropped, Killed: killed}
	if end == Exited {
		p.result.End, p.result.Exit = exitOf(errWait)
	}
	p.err = errors.Join(errTree, errLog)
}

// drainLimit bounds how long the output is awaited once the tree is gone: only
// a process that could not be killed holds it open.
const drainLimit = time.Minute

// await waits for the line's end or for a reason to end it.
func (p *Proc) await(ctx context.Context) End {
	var timeout <-chan time.Time
	if p.spec.Timeout > 0 {
		t := time.NewTimer(p.spec.Timeout)
		defer t.Stop()
		timeout = t.C
	}
	end := Stopped
	select {
	case <-p.ended:
		return Exited
	case <-timeout:
		end = TimedOut
	case <-p.stop:
	case <-ctx.Done():
	}
	p.tree.ask()
	grace := time.NewTimer(orDefault(p.spec.Grace, DefaultGrace))
	defer grace.Stop()
	select {
	case <-p.ended:
	case <-grace.C:
	}
	return end
}

func exitOf(err error) (End, int) {
	if err == nil {
		return Exited, 0
	}
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return Signalled, -1
	}
	if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return Signalled, 128 + int(ws.Signal())
	}
	return Exited, exit.ExitCode()
}

func orDefault[T int64 | time.Duration](v, def T) T {
	if v > 0 {
		return v
	}
	return def
}
