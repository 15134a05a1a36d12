package hold

import (
	"context"
	"errors"
	"sync"

	"kedge"
)

// Attached is a terminal that is attached to a session, on a connection of its own.
type Attached struct {
	own   *Client
	older *Client // for requests to an older holder, which knows no viewers; nil for none

	mu sync.Mutex
	as Viewer
}

// Attach makes a terminal a viewer of the session in dir until it is closed.
func Attach(ctx context.Context, dir string, v Viewer) (*Attached, error) {
	own, err := Dial(ctx, dir)
	if err != nil {
		return nil, err
	}
	a := &Attached{own: own, as: v}
	if err := a.begin(ctx, v); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

func (a *Attached) begin(ctx context.Context, v Viewer) (err error) {
	if a.own.knows(VerbAttach) {
		f, err := NewJSON(VerbAttach, v)
		if err != nil {
			return err
		}
		return a.own.do(ctx, f)
	}
	if a.older, err = Dial(ctx, a.own.dir); err != nil {
		return err
	}
	return errors.Join(a.resizeOld(ctx, v), a.own.do(ctx, Frame{Type: VerbFollow}))
}

// resizeOld gives the session of an older holder the viewer's size.
func (a *Attached) resizeOld(ctx context.Context, v Viewer) error {
	if v.Watch {
		return nil
	}
	err := a.older.Resize(ctx, uint16(v.Cols), uint16(v.Rows))
	if kedge.Invalid.Is(err) {
		return nil // pipes have no size
	}
	return err
}

// Update tells what changed of the viewer.
func (a *Attached) Update(ctx context.Context, v Viewer) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.older != nil {
		was := a.as
		if a.as = v; was.Cols == v.Cols && was.Rows == v.Rows {
			return nil
		}
		return a.resizeOld(ctx, v)
	}
	f, err := NewJSON(VerbAttach, v)
	if err != nil {
		return err
	}
	return WriteFrame(a.own.c, f)
}

// Follow tells of each role of the viewer, and of every new length of the log, until the
// session ends, ctx does, or one of the two gives an error; see Client.Follow.
func (a *Attached) Follow(ctx context.Context, role func(Role) error, grown func(end int64) error) (State, error) {
	if a.older != nil {
		s, err := a.older.State(ctx)
		if err == nil {
			err = role(Role{At: s.End, Cols: s.Cols, Rows: s.Rows, Owns: !a.as.Watch, Answers: !a.as.Watch})
		}
		if err != nil {
			return s, err
		}
	}
	defer a.own.deadline(ctx)()
	for {
		f, err := ReadFrame(a.own.c)
		if err != nil {
			return a.own.collected(broken(ctx, err), grown)
		}
		if s, over, err := told(f, role, grown); over || err != nil {
			return s, err
		}
	}
}

// told passes on what a holder tells.
func told(f Frame, role func(Role) error, grown func(end int64) error) (s State, over bool, err error) {
	switch f.Type {
	case VerbRole:
		var r Role
		if err := f.Into(&r); err != nil {
			return s, false, err
		}
		return s, false, role(r)
	case VerbGrown:
		end, err := f.GrownOf()
		if err != nil {
			return s, false, err
		}
		return s, false, grown(end)
	case VerbEnded:
		return s, true, f.Into(&s)
	default: // the answer to Update, or of a later version
		return s, false, nil
	}
}

// Close ends the viewing; the session goes on.
func (a *Attached) Close() error {
	if a.older != nil {
		return errors.Join(a.own.Close(), a.older.Close())
	}
	return a.own.Close()
}
