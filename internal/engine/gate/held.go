package gate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"kedge"
	"kedge/internal/process"
	"kedge/internal/process/atomicfile"
	"kedge/internal/process/hold"
	"kedge/internal/process/tape"
)

// Held runs lines under holders, so that they outlive whoever runs the gate: the
// same gate run again, with the same log folder, takes up what runs and what has
// ended meanwhile, and starts nothing a second time. The environment of a line
// stays in its holder's memory.
//
// An exclusive name is not held while nobody runs the gate.
type Held struct {
	Holder  *hold.Launcher
	Sockets string // a private folder with a short path
	Now     func() time.Time
	// Holding makes the holder known that start starts, before anything that the
	// line calls is answered; nil: nobody is to know.
	Holding func(start func() (*hold.Client, error)) (*hold.Client, error)
}

// heldSuffix ends the name of the folder of a line's holder, beside its log.
const heldSuffix = ".held"

func heldDir(log string) string { return strings.TrimSuffix(log, ".log") + heldSuffix }

// startedLine is line.json: what must be known of a line beside what its holder
// tells.
type startedLine struct {
	Version int       `json:"version"`
	Started time.Time `json:"started"`
	SHA256  string    `json:"sha256"` // of the line: another one is not taken for it
}

func lineHash(line string) string {
	sum := sha256.Sum256([]byte(line))
	return hex.EncodeToString(sum[:])
}

func linePath(dir string) string { return filepath.Join(dir, "line.json") }

// Runs implements Runner.
func (h Held) Runs(ctx context.Context, log string) bool {
	f := hold.Look(ctx, heldDir(log))
	closeClient(f.Client)
	return f.State == kedge.SessionRunning
}

// Start implements Runner.
func (h Held) Start(ctx context.Context, s process.Spec) (Line, error) {
	if err := cause(ctx); err != nil {
		return nil, err
	}
	l := &heldLine{spec: s, dir: heldDir(s.Log), now: h.Now, done: make(chan struct{}), stop: make(chan struct{})}
	client, err := h.takeUp(ctx, l)
	if err == nil && client == nil && !l.over {
		client, err = h.begin(ctx, l)
	}
	if err != nil {
		return nil, err
	}
	go l.watch(ctx, client)
	return l, nil
}

// takeUp finds the line as it was started before: running, or ended. Without
// either the folder is cleared and nothing is given.
func (h Held) takeUp(ctx context.Context, l *heldLine) (*hold.Client, error) {
	b, err := os.ReadFile(linePath(l.dir))
	if errors.Is(err, os.ErrNotExist) {
		return nil, l.clear()
	}
	var was startedLine
	if err != nil || json.Unmarshal(b, &was) != nil || was.Started.IsZero() {
		return nil, l.clear()
	}
	if was.SHA256 != lineHash(l.spec.Line) {
		return nil, errors.Join(forgetLine(ctx, l.dir), l.clear())
	}
	f := hold.Look(ctx, l.dir)
	for f.Cause == hold.CauseSilent {
		if err := pause(ctx); err != nil {
			return nil, err
		}
		f = hold.Look(ctx, l.dir)
	}
	if f.Client == nil && f.Result == nil {
		_, err := hold.EndLeft(l.dir)
		return nil, errors.Join(err, l.clear()) // its holder is gone, and with it the line
	}
	l.started, l.over = was.Started, f.Result != nil
	return f.Client, nil
}

// clear makes room for a line that is started anew.
func (l *heldLine) clear() error {
	if err := os.RemoveAll(l.dir); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot delete the old output of the command %q: %w", l.spec.Line, err)
	}
	return nil
}

// begin starts the line.
func (h Held) begin(ctx context.Context, l *heldLine) (*hold.Client, error) {
	l.started = h.Now().UTC()
	if err := os.Mkdir(l.dir, 0o700); err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot make the folder for the output of the command %q: %w", l.spec.Line, err)
	}
	b, err := json.Marshal(startedLine{Version: 1, Started: l.started, SHA256: lineHash(l.spec.Line)})
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot save the start of the command %q: %w", l.spec.Line, err)
	}
	if err := atomicfile.Write(linePath(l.dir), b, 0o600); err != nil {
		return nil, err
	}
	id := kedge.NewID("ses", l.started)
	start := func() (*hold.Client, error) {
		return h.Holder.Start(ctx, hold.Spec{
			Session: kedge.SessionID(id), Dir: l.dir, Socket: filepath.Join(h.Sockets, id[len(id)-12:]),
			Command: l.spec.Words(), Cwd: l.spec.Dir, Env: LineEnv(l.spec.Env, kedge.SessionID(id)),
		})
	}
	holding := h.Holding
	if holding == nil {
		holding = func(start func() (*hold.Client, error)) (*hold.Client, error) { return start() }
	}
	c, err := holding(start)
	if err != nil {
		return nil, err
	}
	preferForOOM(c.Greeting.Child.PID)
	_ = c.CloseInput(ctx) // a check that reads finds the end at once; one that is over needs none
	return c, nil
}

// preferForOOM makes the kernel take a check that eats all memory rather than
// the daemon or an agent. It is an offer: where it is refused nothing is lost.
func preferForOOM(pid int) {
	_ = os.WriteFile("/proc/"+strconv.Itoa(pid)+"/oom_score_adj", []byte("500"), 0)
}

// lookPause is how long to wait before a holder that broke off or did not answer
// is asked again.
const lookPause = 200 * time.Millisecond

func pause(ctx context.Context) error {
	t := time.NewTimer(lookPause)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return cause(ctx)
	}
}

// heldLine is a line under a holder.
type heldLine struct {
	spec    process.Spec
	dir     string
	now     func() time.Time
	started time.Time
	over    bool // it had ended when it was taken up

	done     chan struct{}
	stopOnce sync.Once
	stop     chan struct{}
	result   process.Result
	err      error
}

// Since implements Line.
func (l *heldLine) Since() time.Time { return l.started }

// Done implements Line.
func (l *heldLine) Done() <-chan struct{} { return l.done }

// Wait implements Line.
func (l *heldLine) Wait() (process.Result, error) {
	<-l.done
	return l.result, l.err
}

// Stop implements Line.
func (l *heldLine) Stop() (process.Result, error) {
	l.stopOnce.Do(func() { close(l.stop) })
	return l.Wait()
}

// watch takes the line to its end, or leaves it.
func (l *heldLine) watch(ctx context.Context, c *hold.Client) {
	defer close(l.done)
	follow, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- l.toEnd(follow, c) }()
	end, err := l.await(ctx, ended)
	if errors.Is(err, ErrLeft) {
		cancel()
		<-ended
		l.err = err
		return
	}
	if end != process.Exited {
		l.end(follow)
		err = <-ended
	}
	if err == nil {
		err = l.conclude(end)
	}
	l.err = err
}

// await waits for the line's end or for a reason to end it.
func (l *heldLine) await(ctx context.Context, ended <-chan error) (process.End, error) {
	var timeout <-chan time.Time
	if l.spec.Timeout > 0 && !l.over {
		t := time.NewTimer(max(l.spec.Timeout-l.now().Sub(l.started), 0))
		defer t.Stop()
		timeout = t.C
	}
	select {
	case err := <-ended:
		return process.Exited, err
	case <-timeout:
		return process.TimedOut, nil
	case <-l.stop:
		return process.Stopped, nil
	case <-ctx.Done():
		if left(ctx) {
			return process.Stopped, ErrLeft
		}
		return process.Stopped, nil
	}
}

// toEnd follows the line until it is over, however often its holder breaks off,
// and keeps its output within bounds.
func (l *heldLine) toEnd(ctx context.Context, c *hold.Client) error {
	if l.over {
		closeClient(c)
		return nil
	}
	for {
		if c != nil {
			_, _ = c.Follow(ctx, func(end int64) error { l.thin(end); return nil }) // how it is with the line, Look says
		}
		closeClient(c)
		f := hold.Look(ctx, l.dir)
		c = f.Client
		switch {
		case ctx.Err() != nil:
			closeClient(c)
			return ctx.Err()
		case f.Result != nil:
			closeClient(c)
			return nil
		case f.State != kedge.SessionRunning:
			_, err := hold.EndLeft(l.dir)
			return errors.Join(kedge.Errorf(kedge.Internal, "Kedge lost the process of the command %q: %s", l.spec.Line, f.Cause).WithHint("run the checks again: kedge gate"), err)
		}
		_ = pause(ctx) // if it ended, Look says so
	}
}

func closeClient(c *hold.Client) {
	if c != nil {
		_ = c.Close()
	}
}

// thin removes output between the beginning and the end that are kept.
func (l *heldLine) thin(end int64) { _ = tape.Open(l.dir).Thin(l.limit(), end) } // more of it stays: no harm

func (l *heldLine) limit() int64 {
	if l.spec.Limit > 0 {
		return l.spec.Limit
	}
	return process.DefaultLimit
}

// end ends the line and everything it started.
func (l *heldLine) end(ctx context.Context) {
	grace := l.spec.Grace
	if grace <= 0 {
		grace = process.DefaultGrace
	}
	f := hold.Look(ctx, l.dir)
	if f.Client != nil {
		_ = f.Client.End(ctx, grace) // over meanwhile: what was wanted
		_ = f.Client.Close()
	}
}

// conclude makes the result of what the holder left, and the log of the tape.
func (l *heldLine) conclude(end process.End) error {
	r, err := hold.ReadResult(l.dir)
	if err != nil {
		return err
	}
	l.result = process.Result{End: l.how(end, r), Exit: -1, Killed: r.Left, NoMemory: r.Cause == hold.CauseMemory}
	switch {
	case l.result.End == process.Exited && r.Signal != 0:
		l.result.End, l.result.Exit = process.Signalled, r.Code
	case l.result.End == process.Exited:
		l.result.Exit = r.Code
	}
	l.result.Bytes, l.result.Dropped, err = copyOutput(l.dir, l.spec.Log, l.limit())
	return err
}

// how it ended. A line that was over before we came may have been ended by an
// earlier gate; one that ran longer than it may, with nobody there to end it, is
// too late all the same.
func (l *heldLine) how(end process.End, r hold.Result) process.End {
	late := l.spec.Timeout > 0 && time.UnixMilli(r.At).Sub(l.started) > l.spec.Timeout
	switch {
	case end != process.Exited:
		return end
	case late:
		return process.TimedOut
	case r.Asked:
		return process.Stopped
	}
	return process.Exited
}

// tailSize is what is kept of the end of an output over its limit.
const tailSize = 1 << 20

// copyOutput copies the output into the log: the beginning and the end, and what
// is missing between them.
func copyOutput(dir, path string, limit int64) (bytes, dropped int64, err error) {
	t := tape.Open(dir)
	_, end, err := t.Range()
	if err != nil {
		return 0, 0, kedge.Errorf(kedge.Internal, "cannot read the output of the check with the log %q: %w", path, err)
	}
	f, err := process.OpenLog(path)
	if err != nil {
		return 0, 0, err
	}
	head, tail := end, end
	if end > limit {
		tail = end - min(limit/4, tailSize)
		head = limit - (end - tail)
	}
	dropped = tail - head
	_, err = io.Copy(f, io.NewSectionReader(t, 0, head))
	if err == nil && dropped > 0 {
		_, err = io.WriteString(f, process.Missing(dropped))
	}
	if err == nil {
		_, err = io.Copy(f, io.NewSectionReader(t, tail, end-tail))
	}
	if err != nil {
		err = kedge.Errorf(kedge.Internal, "cannot write the log of a check: %w", err).WithHint("see whether the disk is full: df -h %s", path)
	}
	return end, dropped, errors.Join(err, f.Sync(), f.Close())
}
