package gate

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"kedge"
	"kedge/internal/process"
	"kedge/internal/process/sandbox"
	"kedge/internal/process/tape"
)

// SetupLine runs a set-up outside of any run, for somebody who waits for it.
type SetupLine struct {
	Dir    string // the worktree
	Logs   string // made; holds the log, and the holder while it runs
	Env    []string
	Box    sandbox.Box
	Runner Runner            // nil: a child of this process
	Tell   func(line string) // told every line that it prints; may be nil
}

// Run runs the line to its end. Log is where its output is.
func (s SetupLine) Run(ctx context.Context, line string) (res process.Result, log string, err error) {
	if err := os.MkdirAll(s.Logs, 0o700); err != nil {
		return res, "", kedge.Errorf(kedge.Internal, "cannot make the folder for the log of the command %q: %w", line, err)
	}
	log = filepath.Join(s.Logs, SetupLog)
	runner := s.Runner
	if runner == nil {
		runner = direct{}
	}
	l, err := runner.Start(ctx, process.Spec{Line: line, Under: s.Box.Online().Prefix(), Dir: s.Dir, Env: s.Env, Log: log, Timeout: SetupTimeout})
	if err != nil {
		return res, log, err
	}
	s.follow(l, log)
	res, err = l.Wait()
	if err == nil && res.End == process.Stopped {
		err = context.Cause(ctx)
	}
	if gone := Forget(context.WithoutCancel(ctx), s.Logs); err == nil {
		err = gone
	}
	return res, log, err
}

// follow tells the lines of a set-up as they are printed, until it has ended.
func (s SetupLine) follow(l Line, log string) {
	if s.Tell == nil {
		return
	}
	var t teller
	tick := time.NewTicker(lookPause)
	defer tick.Stop()
	for over := false; !over; {
		select {
		case <-l.Done():
			over = true
		case <-tick.C:
		}
		t.read(log)
		t.tell(s.Tell, over)
	}
}

// teller cuts an output that grows into lines.
type teller struct {
	at   int64
	rest []byte
}

// mostTold bounds what is read of an output at once.
const mostTold = 1 << 20

// read takes what was printed since. While a holder has the output, it is on its tape;
// else it is in the log.
func (t *teller) read(log string) {
	b := make([]byte, mostTold)
	n := 0
	if _, end, err := tape.Open(heldDir(log)).Range(); err == nil && end > 0 {
		n, _ = tape.Open(heldDir(log)).ReadAt(b, t.at) // what cannot be read now comes with the log
	} else if f, err := os.Open(log); err == nil {
		n, _ = f.ReadAt(b, t.at)
		_ = f.Close() // only read
	}
	t.at += int64(n)
	t.rest = append(t.rest, b[:n]...)
}

// tell gives the whole lines, at the end also one without its line feed.
func (t *teller) tell(say func(string), over bool) {
	for {
		line, rest, whole := bytes.Cut(t.rest, []byte("\n"))
		if !whole && (!over || len(line) == 0) {
			return
		}
		t.rest = rest
		say(lastShown(string(line)))
		if !whole {
			return
		}
	}
}

// lastShown is what a line that was written over by itself, as progress bars do, shows in
// the end.
func lastShown(line string) string {
	line = strings.TrimRight(line, "\r")
	return line[strings.LastIndexByte(line, '\r')+1:]
}
