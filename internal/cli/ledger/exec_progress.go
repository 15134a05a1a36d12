package ledger

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"time"

	"kedge/internal/cli/frame"
	"kedge/internal/process/output"

	"kedge/internal/text/plain"
	"kedge/internal/text/words"
)

// execProgress is the one line that shows a person that a command is at work: how
// long, how much it has printed, and its last line. Only its own escape codes get to
// the terminal.
type execProgress struct {
	w       io.Writer
	cols    func() int
	out     io.ReaderAt // what the command prints
	ours    func() bool // the terminal is: nobody else is in its foreground
	started time.Time

	off   int64
	lines int
	tail  []byte // the end of what was read
	drawn bool
}

// showProgress draws the line every second in which something was printed, until stop
// is called, which takes it away again. Where nobody would see it nothing is drawn.
func showProgress(env *frame.Env, out *os.File, started time.Time) (stop func()) {
	if !env.Redraws() {
		return func() {}
	}
	p := &execProgress{w: env.RawErr, out: out, started: started, ours: func() bool { return inForeground(env) }, cols: func() int { cols, _ := env.ScreenSize(); return cols }}
	tick := time.NewTicker(time.Second)
	end := p.follow(tick.C)
	return func() { tick.Stop(); end() }
}

// follow draws whenever it is told to; stop returns when nothing draws any more.
func (p *execProgress) follow(ticks <-chan time.Time) (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case now := <-ticks:
				p.draw(now)
			case <-quit:
				return
			}
		}
	}()
	return func() {
		close(quit)
		<-done
		if p.drawn && p.ours() {
			_, _ = io.WriteString(p.w, "\r\x1b[2K") // a terminal that is gone is no trouble
		}
	}
}

// draw shows what there is if it is more than before: else somebody else may have
// written to the terminal since, the command itself that asks for a password, and it
// would be wiped away.
func (p *execProgress) draw(now time.Time) {
	was := p.off
	if p.read(); p.off == was || !p.ours() {
		return
	}
	text := fmt.Sprintf("kedge: %s, %s, %s", frame.Span(now.Sub(p.started)), words.Count(p.lines, "line"), frame.Bytes(p.off))
	if last := p.last(); last != "" {
		text += ": " + last
	}
	p.drawn = true
	_, _ = io.WriteString(p.w, "\r\x1b[2K"+frame.CutTo(text, max(p.cols()-1, 20))) // as above
}

// progressTail is how much of the end is looked at for the last line.
const progressTail = 4 << 10

// read takes in what was printed since.
func (p *execProgress) read() {
	buf := make([]byte, 256<<10)
	for {
		n, err := p.out.ReadAt(buf, p.off)
		p.off += int64(n)
		p.lines += bytes.Count(buf[:n], []byte("\n"))
		p.tail = append(p.tail, buf[:n]...)
		if over := len(p.tail) - progressTail; over > 0 {
			p.tail = append([]byte(nil), p.tail[over:]...)
		}
		if n == 0 || err != nil { // the end, for now
			return
		}
	}
}

// last is the last line that has anything in it, fit for a terminal.
func (p *execProgress) last() string {
	text := bytes.TrimRight(plain.Stripped(p.tail), " \t\r\n")
	return plain.Line(string(bytes.TrimSpace(text[bytes.LastIndexAny(text, "\r\n")+1:])))
}

// inForeground tells whether the terminal that talk goes to is this program's to draw on:
// it was not put into the background.
func inForeground(env *frame.Env) bool { return env.Screen == nil || env.Screen.Foreground() }

// endKept writes down how a command ended. The secrets in a large output take a while:
// who waits at a terminal is told, if there is an empty line for it.
func endKept(env *frame.Env, kept *output.Kept, r output.Record, emptyLine bool) error {
	if !env.Redraws() || !emptyLine {
		return kept.End(r)
	}
	late := time.NewTimer(time.Second)
	defer late.Stop()
	return sayLate(env, late.C, func() error { return kept.End(r) })
}

// sayLate does something, and says so once it is late; that goes when it is done.
func sayLate(env *frame.Env, late <-chan time.Time, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-late:
	}
	if !inForeground(env) {
		return <-done
	}
	_, _ = io.WriteString(env.RawErr, "kedge: saving the output") // a terminal that is gone is no trouble
	err := <-done
	_, _ = io.WriteString(env.RawErr, "\r\x1b[2K") // as above
	return err
}
