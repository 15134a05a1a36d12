package sessions

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kedge"
	"kedge/internal/app/sessions"
	"kedge/internal/cli/frame"
	"kedge/internal/process"
	"kedge/internal/process/tape"
	"kedge/internal/text/words"
)

// list are the living sessions of all projects, the waiting ones first.
func (a *attachment) list(ctx context.Context) ([]kedge.Session, error) {
	return livingSessions(ctx, a.env)
}

// listApart asks for them while the session goes on being shown; what is typed meanwhile
// waits.
func (a *attachment) listApart(ctx context.Context) ([]kedge.Session, error) {
	a.mu.Unlock()
	defer a.mu.Lock()
	limited, stop := context.WithTimeout(ctx, callLimit)
	defer stop()
	list, err := a.list(limited)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		err = kedge.Errorf(kedge.Interrupted, "the daemon does not answer")
	}
	return list, err
}

// callLimit is for an answer that somebody at a terminal waits for.
const callLimit = 3 * time.Second

func livingSessions(ctx context.Context, env *frame.Env) ([]kedge.Session, error) {
	r, err := frame.Call[sessions.SessionListReply](ctx, env, "session.list", sessions.SessionList{All: true})
	list := slices.DeleteFunc(r.Sessions, func(s kedge.Session) bool { return !s.Live() })
	slices.SortStableFunc(list, func(a, b kedge.Session) int { return waitsFirst(a) - waitsFirst(b) })
	return list, err
}

func waitsFirst(s kedge.Session) int {
	if s.State == kedge.SessionWaiting {
		return 0
	}
	return 1
}

// switcher is the list of sessions from which one is chosen.
type switcher struct {
	list   []kedge.Session
	last   []string // what each printed last
	self   kedge.SessionID
	utf8   bool
	now    time.Time
	filter string
	at     int
	chosen func(s kedge.Session)
}

func newSwitcher(env *frame.Env, list []kedge.Session, folders string, self kedge.SessionID) *switcher {
	w := &switcher{list: list, self: self, utf8: env.UTF8(), now: time.Now()}
	for _, s := range list {
		w.last = append(w.last, tape.LastLine(filepath.Join(folders, string(s.ID))))
	}
	for i, s := range list {
		if s.ID == self && len(list) > 1 {
			w.at = (i + 1) % len(list) // the one that is shown is not what is wanted
		}
	}
	return w
}

func (a *attachment) newSwitcher(list []kedge.Session) front {
	w := newSwitcher(a.env, list, filepath.Dir(a.found.Folder), a.found.Session.ID)
	w.chosen = func(s kedge.Session) {
		if s.ID != a.found.Session.ID {
			a.cancel(elsewhere{string(s.ID)})
		}
	}
	return w
}

// matching are the places in the list of those that fit the filter.
func (w *switcher) matching() []int {
	var out []int
	for i, s := range w.list {
		text := strings.ToLower(s.Name + " " + string(s.State) + " " + s.Agent + " " + w.last[i])
		if strings.Contains(text, strings.ToLower(w.filter)) {
			out = append(out, i)
		}
	}
	return out
}

func (w *switcher) press(key string) (done bool) {
	match := w.matching()
	switch key {
	case "up":
		w.at = max(w.at-1, 0)
		return false
	case "down":
		w.at = min(w.at+1, max(len(match)-1, 0))
		return false
	case "enter":
		if w.at < len(match) {
			w.chosen(w.list[match[w.at]])
		}
		return true
	}
	text, over := edited(w.filter, key)
	if text != w.filter {
		w.filter, w.at = text, 0
	}
	return over
}

// sign is what tells a state at one look.
func sign(s kedge.Session, utf8 bool) string {
	switch {
	case s.State == kedge.SessionWaiting && utf8:
		return "◐"
	case s.State == kedge.SessionWaiting:
		return "?"
	case utf8:
		return "●"
	}
	return "*"
}

func (w *switcher) Lines(cols, rows int) []string {
	out := []string{frame.CutTo("\x1b[1mSwitch to\x1b[m  "+w.filter+"_", cols+8), ""}
	match := w.matching()
	room := max(rows-5, 1)
	name := 8
	for _, i := range match {
		name = min(max(name, frame.Cells(w.list[i].Name)), 24)
	}
	top := max(0, min(w.at-room/2, len(match)-room))
	for n := top; n < min(top+room, len(match)); n++ {
		s := w.list[match[n]]
		line := sign(s, w.utf8) + " " + padded(frame.CutTo(s.Name, name), name) + "  " + padded(string(s.State), 8) +
			padded(words.Age(w.now.Sub(s.StartedAt)), 6) + padded(frame.CutTo(s.Agent, 9), 10) + w.last[match[n]]
		line = frame.CutTo(line, cols)
		if n == w.at {
			line = "\x1b[7m" + padded(line, cols) + "\x1b[m"
		}
		out = append(out, line)
	}
	if len(match) == 0 {
		out = append(out, "no session has this text")
	}
	return append(out, "", frame.CutTo("type to filter   ↑ ↓ choose   Enter: switch   Esc: back", cols))
}

func padded(s string, cells int) string {
	return s + strings.Repeat(" ", max(cells-frame.Cells(s), 0))
}

// chooseSession gives the session that was left last, else lets somebody choose one of
// those that run; empty where nobody chose.
func chooseSession(ctx context.Context, env *frame.Env) (string, error) {
	list, err := livingSessions(ctx, env)
	if err != nil {
		return "", err
	}
	folders := filepath.Join(env.Home, "sessions")
	switch last := lastLeft(folders, list); {
	case len(list) == 0:
		return "", kedge.Errorf(kedge.NotFound, "no session runs").WithHint("start one: kedge new NAME -- COMMAND")
	case len(list) == 1:
		return string(list[0].ID), nil
	case last != "":
		return string(last), nil
	}
	return pick(ctx, env, newSwitcher(env, list, folders, ""))
}

// pick shows the list on the terminal until one is chosen.
func pick(ctx context.Context, env *frame.Env, w *switcher) (chosen string, err error) {
	restore, err := env.Term.Raw()
	if err != nil {
		return "", err
	}
	defer restore(process.LeaveCover)
	w.chosen = func(s kedge.Session) { chosen = string(s.ID) }
	in, release := env.Term.Keys()
	defer release()
	defer context.AfterFunc(ctx, func() { _ = in.SetReadDeadline(time.Unix(1, 0)) })() // a signal ends it, too
	buf := make([]byte, 256)
	for {
		cols, rows := env.Size()
		d := frame.Display{Cols: cols, Rows: rows, Cover: w, Second: true}
		if _, err := env.Term.Out.WriteString(process.SecondScreen + string(d.DrawCover())); err != nil {
			return "", err
		}
		n, err := in.Read(buf)
		if err != nil {
			return "", kedge.Errorf(kedge.Interrupted, "your terminal has closed: %w", err)
		}
		for b := buf[:n]; len(b) > 0; {
			key, size := process.KeyAt(b)
			if b = b[size:]; w.press(key) {
				return chosen, nil
			}
		}
	}
}
