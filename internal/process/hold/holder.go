package hold

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	"kedge"
	"kedge/internal/process"
	"kedge/internal/process/atomicfile"
	"kedge/internal/process/tape"
	"kedge/internal/text/strict"
)

// Timing of a holder.
const (
	syncEvery  = time.Second      // how much a power cut may take of the tape
	lingerFor  = 24 * time.Hour   // how long an ended session waits to be collected
	leftGrace  = 2 * time.Second  // between asking and killing what a program left behind
	drainLimit = time.Minute      // for what is still in the terminal when all who could write are gone
	inputLimit = 10 * time.Second // how long a program may leave its input unread before a request fails
)

// holder is the state of one holder process.
type holder struct {
	spec  Spec
	tape  *tape.Writer
	child *child
	hello Greeting
	input input

	mu     sync.Mutex
	memory *outOfMemory

	killedForMemory bool          // somebody of our control group, when the program ended
	grown           chan struct{} // of those who wait: closed when the log grew or the session ended; nil for none
	exit            *Exit
	cols            int
	rows            int
	ending          bool // the program is being ended, whoever wanted it
	asked           bool // whoever uses Kedge wanted it
	viewers         viewers
	queries         queries

	ended chan struct{} // closed after exit.json is written
	quit  chan struct{} // closed when somebody collected the session
	once  sync.Once
}

// Main is the holder: it reads where its session is from in, makes ready what it
// can, reads the whole Spec, says "ready" on out when the program runs, and returns
// when the session was collected.
func Main(ctx context.Context, in io.Reader, out io.WriteCloser) error {
	deaf(syscall.SIGHUP, syscall.SIGPIPE) // a terminal or a client that goes away is none of our business
	syscall.CloseOnExec(lockFD)           // ours for life, and not the program's
	told := bufio.NewReader(io.LimitReader(in, maxTold))
	first, err := readSpec(told)
	if err != nil {
		return err
	}
	g, err := prepare(first.place())
	if err != nil {
		return err
	}
	spec, err := first.whole(told)
	if err != nil {
		return errors.Join(err, g.leave())
	}
	h, err := begin(spec, g)
	if err != nil {
		return errors.Join(err, g.leave())
	}
	go h.serve(g.listener)
	go h.answerQueries()
	if _, err := io.WriteString(out, "ready\n"); err == nil {
		_ = out.Close() // whoever started us may be gone already; the session is not
	}
	h.wait(ctx)
	return errors.Join(g.listener.Close(), os.Remove(recordPath(spec.Dir)))
}

// deaf makes this process take no notice of signals. They are caught, not
// ignored: what is ignored stays so in the programs that are started, and those
// must end when their terminal or their reader does.
func deaf(signals ...os.Signal) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, signals...)
	go func() {
		for range c { // there is nothing to do about them
		}
	}()
}

// maxTold bounds what a holder reads of what it is told.
const maxTold = 8 << 20

// readSpec reads a line of what the holder is told.
func readSpec(in *bufio.Reader) (Spec, error) {
	var spec Spec
	b, err := in.ReadBytes('\n')
	if err != nil && (err != io.EOF || len(b) == 0) {
		return spec, kedge.Errorf(kedge.Invalid, "the process that keeps a session alive (its holder) cannot read which command to start: %w", err)
	}
	return spec, strict.Decode("spec", b, &spec)
}

// whole is the Spec that begins with this one. A daemon of an earlier version
// tells all of it at once.
func (s Spec) whole(in *bufio.Reader) (Spec, error) {
	if len(s.Command) > 0 {
		return s, s.check()
	}
	spec, err := readSpec(in)
	switch {
	case err != nil:
		return spec, err
	case spec.place() != s.place():
		return spec, kedge.Errorf(kedge.Invalid, "the holder of session %q received the command of session %q", s.Session, spec.Session)
	}
	return spec, spec.check()
}

// ground is what a holder has before there is anything to hold.
type ground struct {
	tape     *tape.Writer
	listener net.Listener
}

func prepare(at Place) (ground, error) {
	if err := errors.Join(at.check(), becomeReaper()); err != nil {
		return ground{}, err
	}
	t, err := tape.Create(at.Dir)
	if err != nil {
		return ground{}, kedge.Errorf(kedge.Internal, "cannot open the file for the output of session %q: %w", at.Session, err)
	}
	l, err := listen(at.Socket)
	if err != nil {
		return ground{}, errors.Join(err, t.Close())
	}
	return ground{tape: t, listener: l}, nil
}

// leave takes the ground away again.
func (g ground) leave() error { return errors.Join(g.listener.Close(), g.tape.Discard()) }

// begin starts the program and makes the holder findable. Either all of it is
// there afterwards, or none.
func begin(spec Spec, g ground) (*holder, error) {
	c, err := startChild(spec)
	if err != nil {
		return nil, err
	}
	h := &holder{
		spec: spec, tape: g.tape, child: c, cols: spec.Cols, rows: spec.Rows,
		ended: make(chan struct{}), quit: make(chan struct{}),
		hello: greeting(spec, c.pid), memory: watchMemory("/sys/fs/cgroup", "/proc/self/cgroup"),
		queries: queries{asked: make(chan query, maxAsked)},
	}
	record := Record{Version: fileVersion, Greeting: h.hello, Socket: spec.Socket}
	if err := writeJSON(recordPath(spec.Dir), record, atomicfile.Swap); err != nil {
		c.killAll()
		return nil, err
	}
	if spec.Cols > 0 {
		_ = g.tape.Mark(tape.Mark{Kind: tape.Resize, A: uint32(spec.Cols), B: uint64(spec.Rows), At: time.Now()}) // told again by status
	}
	return h, nil
}

func greeting(spec Spec, pid int) Greeting {
	return Greeting{
		Protocol: Protocol, Verbs: Verbs, Session: spec.Session, Boot: bootID(),
		Holder: Process{PID: os.Getpid(), Start: startTime(os.Getpid())},
		Child:  Process{PID: pid, Start: startTime(pid)},
	}
}

// listen opens the socket so that only this user can ever connect.
func listen(path string) (net.Listener, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, kedge.Errorf(kedge.Internal, "cannot remove the session's old socket: %w", err)
	}
	old := syscall.Umask(0o077)
	defer syscall.Umask(old)
	l, err := new(net.ListenConfig).Listen(context.Background(), "unix", path)
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot make the session's socket: %w", err)
	}
	return l, nil
}

// wait lives as long as the holder: pumps output, syncs, notices the end.
func (h *holder) wait(ctx context.Context) {
	pumped := make(chan struct{})
	go func() { h.pump(); close(pumped) }()
	stop, synced := make(chan struct{}), make(chan struct{})
	go func() { h.syncLoop(stop); close(synced) }()
	ctx, forget := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer forget()
	select {
	case <-h.child.gone:
	case <-ctx.Done(): // the machine goes down: let the program end in its own way
		h.end(leftGrace)
		<-h.child.gone
	}
	told := ctx.Err() != nil
	h.mu.Lock()
	h.killedForMemory = h.memory.killed() // before the rest of it is ended, which takes time
	h.mu.Unlock()
	left := 0
	if !childless() { // the program has been waited for
		left = endKin(leftGrace)
	}
	_ = h.child.out.SetReadDeadline(time.Now().Add(drainLimit)) // for a stranger that was handed the terminal
	<-pumped
	close(stop)
	<-synced
	h.linger(ctx, h.finish(left, told))
}

// linger waits to be collected. What is not written down yet, only we can tell: it
// is, as soon as the disk takes it. When the machine goes down there is nobody to
// wait for.
func (h *holder) linger(ctx context.Context, unwritten *Result) {
	limit := time.NewTimer(lingerFor)
	defer limit.Stop()
	again := time.NewTicker(syncEvery)
	defer again.Stop()
	for {
		if unwritten == nil || h.write(*unwritten) == nil {
			unwritten = nil
			again.Stop()
		}
		select {
		case <-again.C:
			continue
		case <-h.quit:
		case <-limit.C:
		case <-ctx.Done():
		}
		return
	}
}

// write puts exit.json on disk.
func (h *holder) write(r Result) error { return writeJSON(resultPath(h.spec.Dir), r, atomicfile.Write) }

// Output is moved in pieces of up to pumpBuffer; a read of a terminal that gives
// at least a flood is followed by others before anything else is done. A piece
// ends where the tape's length is a multiple of pumpBuffer: the system keeps whole
// pieces of a file together, and whoever reads it later has to find fewer.
const (
	pumpBuffer = 128 << 10
	flood      = 2 << 10
)

// pump moves output to the tape until the program and all that shared its
// terminal are gone. It takes room for a flood when one comes.
func (h *holder) pump() {
	buf := make([]byte, 2*flood)
	for {
		most := int(pumpBuffer - h.tape.End()%pumpBuffer)
		n, err := h.child.out.Read(buf[:min(most, len(buf))])
		if n >= flood && err == nil {
			buf = slices.Grow(buf[:n], pumpBuffer-n)[:pumpBuffer]
			n += h.child.more(buf[n:most])
		}
		if n > 0 {
			end := h.tape.Append(buf[:n], time.Now())
			h.printed(buf[:n], end)
			h.tell()
		}
		if err != nil {
			return // EIO from a terminal, EOF from a pipe: nobody is left to write
		}
	}
}

// tell wakes the followers.
func (h *holder) tell() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tellLocked()
}

func (h *holder) tellLocked() {
	if h.grown != nil {
		close(h.grown)
		h.grown = nil
	}
}

func (h *holder) syncLoop(stop <-chan struct{}) {
	tick := time.NewTicker(syncEvery)
	defer tick.Stop()
	settle := sync.OnceFunc(func() { _ = atomicfile.Settle(recordPath(h.spec.Dir)) }) // after a power cut it tells only of the reboot
	var rest resting
	for {
		select {
		case <-tick.C:
			settle()
			if rest.due(h.tape.End()) {
				h.queries.rest()
				process.Rest()
			}
			_ = h.tape.Sync() // said openly: a power cut may take the last second
			h.mu.Lock()
			h.memory.look()
			h.mu.Unlock()
		case <-stop:
			return
		}
	}
}

// restAfter is for how many ticks a session must have printed nothing before its
// holder makes itself small: most of the time most sessions wait.
const restAfter = 3

// resting knows when a holder has nothing to do, once for every spell of work.
type resting struct {
	end   int64
	ticks int
}

// due tells, at a tick, whether now is the time.
func (r *resting) due(end int64) bool {
	if end != r.end {
		r.end, r.ticks = end, 0
	}
	r.ticks++
	return r.ticks == restAfter
}

// finish records the end: on the tape, in exit.json, and to the followers. What
// ended because this holder was told to go was interrupted, whatever the program
// made of it. It gives what the disk did not take.
func (h *holder) finish(left int, told bool) (unwritten *Result) {
	exit := h.exitOf()
	if told && !h.wasAsked() {
		exit.Cause = CauseKilled
	}
	_ = h.tape.Mark(tape.Mark{Kind: tape.Exit, A: uint32(exit.Code), B: uint64(exit.Signal), At: time.UnixMilli(exit.At)}) // exit.json says it too
	lost := h.tape.Lost()
	_ = h.tape.Close()
	r := Result{
		Version: fileVersion, Session: h.spec.Session, Exit: exit, Asked: h.wasAsked(), End: h.tape.End(), Lost: lost, Left: left,
	}
	if h.write(r) != nil {
		unwritten = &r // a full disk: the socket tells it meanwhile
	}
	h.mu.Lock()
	h.exit = &exit
	h.mu.Unlock()
	close(h.ended)
	h.tell()
	return unwritten
}

// exitOf is how the program ended, told apart from a kill by the kernel for want
// of memory where the kernel says so.
func (h *holder) exitOf() Exit {
	exit := h.child.exit()
	h.mu.Lock()
	defer h.mu.Unlock()
	if exit.Signal == int(syscall.SIGKILL) && !h.ending && h.killedForMemory {
		exit.Cause = CauseMemory
	}
	return exit
}

func (h *holder) wasAsked() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.asked
}

// endAsked is end for whoever uses Kedge.
func (h *holder) endAsked(grace time.Duration) {
	h.mu.Lock()
	h.asked = true
	h.mu.Unlock()
	h.end(grace)
}

func (h *holder) state() State {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.stateLocked()
}

func (h *holder) stateLocked() State {
	typed, replied := h.input.typed()
	return State{
		Running: h.exit == nil, End: h.tape.End(), Lost: h.tape.Lost(), Input: typed, Replied: replied,
		Cols: h.cols, Rows: h.rows, Exit: h.exit, Asked: h.asked,
	}
}

// end asks the program, then makes it. It returns at once; the program's end is
// told like any other.
func (h *holder) end(grace time.Duration) {
	h.mu.Lock()
	again := h.ending
	h.ending = true
	h.mu.Unlock()
	if again {
		return
	}
	go func() {
		for _, sig := range h.child.requests() {
			h.child.signal(sig)
			select {
			case <-h.child.gone:
				return
			case <-time.After(grace):
			}
		}
		h.child.killAll()
	}()
}

func writeJSON(path string, v any, write func(path string, b []byte, perm os.FileMode) error) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot save %s as JSON: %w", path, err)
	}
	return write(path, append(b, '\n'), 0o600)
}
