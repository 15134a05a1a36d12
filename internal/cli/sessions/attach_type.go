package sessions

import (
	"context"
	"fmt"
	"time"

	"kedge"
	"kedge/internal/app/sessions"
	"kedge/internal/cli/frame"
	"kedge/internal/process"
	"kedge/internal/process/hold"
	"kedge/internal/text/plain"
)

// front is something that covers the session and takes the keys.
type front interface {
	frame.Cover
	// press takes a key; done tells that the session is to be seen again.
	press(key string) (done bool)
}

// typeAll passes keys on until the person detaches.
func (a *attachment) typeAll(ctx context.Context) error {
	var keys process.Keys
	in, release := a.term.Keys()
	defer release()
	buf := make([]byte, 4096)
	for {
		n, err := in.Read(buf)
		if err != nil {
			return kedge.Errorf(kedge.Interrupted, "your terminal has closed: %w", err)
		}
		for _, p := range keys.Take(buf[:n]) {
			if err := a.pressed(ctx, p); err != nil {
				return err
			}
			if ctx.Err() != nil {
				return context.Cause(ctx) // the next key is for another session, or for the shell
			}
		}
	}
}

// pressed acts on what was typed.
func (a *attachment) pressed(ctx context.Context, p process.Press) error {
	if p.Prefix {
		a.keys.Flush(ctx, flushLimit) // what was typed before is for this session
	}
	text, err := a.toSession(ctx, p)
	if len(text) > 0 {
		a.keys.Type(ctx, text)
	}
	return err
}

// flushLimit is for a program that does not read what was typed.
const flushLimit = 200 * time.Millisecond

// toSession gives what is for the session, and acts on the rest.
func (a *attachment) toSession(ctx context.Context, p process.Press) ([]byte, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.front != nil {
		return nil, a.toFront(p)
	}
	if err := a.says("", 0); err != nil {
		return nil, err
	}
	if p.Prefix {
		return nil, a.command(ctx, p.Key)
	}
	if a.watch {
		return nil, nil
	}
	if !a.d.Fitted() && process.ByHand(p.Text) {
		if err := a.seat.Update(ctx, a.d.Viewer(a.watch, true)); err != nil {
			return nil, kedge.Errorf(kedge.NotFound, "the process that keeps the session alive (its holder) closed the connection: %w", err)
		}
	}
	return p.Text, nil
}

// toFront gives keys to what covers the session.
func (a *attachment) toFront(p process.Press) error {
	for b := p.Text; len(b) > 0; {
		key, n := process.KeyAt(b)
		b = b[n:]
		if key == "" {
			continue
		}
		if a.front.press(key) {
			return a.show(nil)
		}
		if a.front == nil {
			return nil // it has let another one take over
		}
	}
	return a.show(a.front)
}

// show covers the session; nil shows it again.
func (a *attachment) show(f front) error {
	a.front = f
	if f == nil {
		return a.d.Covers(nil)
	}
	return a.d.Covers(f)
}

// says puts a note on the last row for a while.
func (a *attachment) says(note string, d time.Duration) error {
	if a.fade != nil {
		a.fade.Stop()
		a.fade = nil
	}
	if note != "" {
		a.fade = time.AfterFunc(d, func() {
			a.mu.Lock()
			defer a.mu.Unlock()
			if err := a.d.Says(""); err != nil {
				a.cancel(err)
			}
		})
	}
	return a.d.Says(note)
}

// noteFor is how long a note stays.
const noteFor = 5 * time.Second

// command is a key for Kedge.
func (a *attachment) command(ctx context.Context, key string) error {
	switch key {
	case "d", "D", "ctrl-d":
		return errDetached
	case "w":
		list, err := a.listApart(ctx)
		if err != nil {
			return a.says(" "+plain.Line(err.Error()), noteFor)
		}
		return a.show(a.newSwitcher(list))
	case "n":
		return a.nextWaiting(ctx)
	case "l":
		return a.backToLast(ctx)
	case "[", "/":
		b, err := openBack(a.found.Folder, a.d.Feed.At(), a.d.Rows)
		if err != nil {
			return a.says(" "+plain.Line(err.Error()), noteFor)
		}
		b.asks = key == "/"
		return a.show(b)
	case "f":
		return a.fitHere(ctx)
	case "r":
		return a.show(&prompt{label: "new name of " + a.found.Session.Name + ": ", done: func(text string) { a.rename(ctx, text) }})
	case "x":
		return a.show(&prompt{label: "end " + a.found.Session.Name + " and everything it started? Type yes: ", done: func(text string) { a.end(ctx, text) }})
	case "?":
		return a.show(&help{a.watch})
	}
	return a.says(" Ctrl-] ? shows the keys", noteFor)
}

// fitHere gives the session this terminal's size.
func (a *attachment) fitHere(ctx context.Context) error {
	if a.watch {
		cols, rows := uint16(a.d.Cols), uint16(a.d.Rows)
		a.beginBeside(func() (string, error) {
			return "", a.atHolder(ctx, func(c *hold.Client) error { return c.Resize(ctx, cols, rows) })
		})
		return nil
	}
	return a.seat.Update(ctx, a.d.Viewer(a.watch, true))
}

// beginBeside makes a call while the session is shown, and says what became of it.
func (a *attachment) beginBeside(do func() (note string, err error)) {
	a.beside(func() {
		note, err := do()
		if err != nil {
			note = err.Error()
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		if note == "" {
			return
		}
		if err := a.says(" "+plain.Line(note), noteFor); err != nil {
			a.cancel(err)
		}
	})
}

func (a *attachment) rename(ctx context.Context, name string) {
	if name == "" {
		return
	}
	a.beginBeside(func() (string, error) {
		s, err := frame.Call[kedge.Session](ctx, a.env, "session.rename", sessions.SessionRename{Name: string(a.found.Session.ID), New: name})
		if err != nil {
			return "", err
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		a.found.Session.Name = s.Name
		return "the session is now called " + s.Name, nil
	})
}

// endGrace is how long a session gets to end by itself.
const endGrace = 3 * time.Second

func (a *attachment) end(ctx context.Context, sure string) {
	if sure != "yes" && sure != "y" {
		return
	}
	a.beginBeside(func() (string, error) {
		_, err := frame.Call[kedge.Session](ctx, a.env, "session.kill", sessions.SessionKill{Name: string(a.found.Session.ID), GraceMS: int(endGrace.Milliseconds())})
		return "", err
	})
}

// nextWaiting goes to the next session that waits, in the order of the list.
func (a *attachment) nextWaiting(ctx context.Context) error {
	list, err := a.listApart(ctx)
	if err != nil {
		return a.says(" "+plain.Line(err.Error()), noteFor)
	}
	self := 0
	for i, s := range list {
		if s.ID == a.found.Session.ID {
			self = i
		}
	}
	for i := range list {
		s := list[(self+1+i)%len(list)]
		if s.ID != a.found.Session.ID && s.State == kedge.SessionWaiting {
			return elsewhere{string(s.ID)}
		}
	}
	return a.says(" no other session waits for you", noteFor)
}

// backToLast goes to the session where somebody was before, if it still runs.
func (a *attachment) backToLast(ctx context.Context) error {
	list, err := a.listApart(ctx)
	if err != nil {
		return a.says(" "+plain.Line(err.Error()), noteFor)
	}
	for _, s := range list {
		if s.ID == a.before {
			return elsewhere{string(s.ID)}
		}
	}
	return a.says(" the session where you were before does not run; Ctrl-] w shows all", noteFor)
}

// lookEvery is how often it is looked whether others wait.
const lookEvery = 10 * time.Second

// lookAround says so when another session begins to wait.
func (a *attachment) lookAround(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	known := map[kedge.SessionID]bool{}
	for first := true; ; first = false {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		list, err := a.list(ctx)
		if err != nil {
			continue // the next look may do
		}
		fresh := false
		for _, s := range list {
			waits := s.State == kedge.SessionWaiting && s.ID != a.found.Session.ID
			fresh = fresh || waits && !known[s.ID] && !first
			known[s.ID] = waits
		}
		if fresh {
			a.beginBeside(func() (string, error) { return a.status(list), nil })
		}
	}
}

// help are the keys.
type help struct{ watch bool }

func (h *help) press(string) bool { return true }

func (h *help) Lines(cols, _ int) []string {
	keys := [][2]string{
		{"d", "detach; the session continues"}, {"w", "switch to another session"}, {"n", "the next session that waits for you"},
		{"l", "back to the session where you were before"},
		{"[", "scroll back through everything that the session printed"}, {"/", "search everything that the session printed"}, {"f", "fit the session to this terminal"},
		{"r", "rename the session"}, {"x", "end the session"}, {"Ctrl-]", "type Ctrl-] itself"},
	}
	out := []string{"\x1b[1mKeys after Ctrl-]\x1b[m", ""}
	for _, k := range keys {
		out = append(out, frame.CutTo(fmt.Sprintf("  %-8s %s", k[0], k[1]), cols))
	}
	if h.watch {
		out = append(out, "", frame.CutTo("You only look: what you type does not reach the session.", cols))
	}
	return append(out, "", frame.CutTo("any key: back to the session", cols))
}

// prompt asks for a line.
type prompt struct {
	label string
	text  string
	done  func(text string)
}

func (p *prompt) Lines(cols, _ int) []string {
	return []string{frame.CutTo(p.label+p.text+"_", cols), "", frame.CutTo("Enter: do it   Esc: back to the session", cols)}
}

func (p *prompt) press(key string) bool {
	text, over := edited(p.text, key)
	p.text = text
	if over && key == "enter" {
		p.done(p.text)
	}
	return over
}

// edited is a text after a key; over tells that the key ended it.
func edited(text, key string) (_ string, over bool) {
	switch key {
	case "enter", "esc", "ctrl-c":
		return text, true
	case "backspace":
		r := []rune(text)
		return string(r[:max(len(r)-1, 0)]), false
	case "ctrl-u":
		return "", false
	}
	if len([]rune(key)) == 1 {
		text += key
	}
	return text, false
}
