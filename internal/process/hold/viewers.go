package hold

import (
	"cmp"
	"slices"

	"kedge"
)

// viewers are the terminals that are attached. The session has the size of the one where
// somebody typed last, of those that are there; that one answers what the program asks.
// Without one the holder answers.
type viewers struct {
	all   []*viewer
	typed uint64 // how often somebody began to type at another one
	turns []turn
}

// viewer is one of them.
type viewer struct {
	Viewer
	typed uint64 // the higher, the later somebody typed there; 0 for never
	told  Role
	roles []Role // that it was not told yet
}

// turn says who answers from an offset of the log on.
type turn struct {
	at     int64
	viewer bool // and not the holder
}

// take gives the roles that are to be told.
func (v *viewer) take() []Role {
	if v == nil {
		return nil
	}
	roles := v.roles
	v.roles = nil
	return roles
}

// attach makes a client a viewer, or takes in what changed of it.
func (h *holder) attach(c *conn, f Frame) error {
	var in Viewer
	if err := f.Into(&in); err != nil {
		return h.reply(c, err)
	}
	first, err := h.look(c, in)
	if err := h.reply(c, err); err != nil || !first {
		return err
	}
	go h.follow(c)
	return nil
}

// look takes in what a viewer says of itself. One that comes alone has the session to
// itself, and one that resizes what it has, too.
func (h *holder) look(c *conn, in Viewer) (first bool, err error) {
	if in.Cols < 1 || in.Rows < 1 || in.Cols > maxSide || in.Rows > maxSide {
		return false, kedge.Errorf(kedge.Invalid, "%d by %d is not a valid terminal size", in.Cols, in.Rows)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if first = c.viewer == nil; first {
		c.viewer = &viewer{}
		in.Typed = in.Typed || h.ownerLocked() == nil
		h.viewers.all = append(h.viewers.all, c.viewer)
	}
	v := c.viewer
	v.Viewer = in
	if in.Typed && !in.Watch && h.ownerLocked() != v {
		h.viewers.typed++
		v.typed = h.viewers.typed
	}
	if h.ownerLocked() == v {
		err = h.fitLocked(v)
	}
	h.rolesLocked()
	return first, err
}

// fitLocked gives the session a viewer's size.
func (h *holder) fitLocked(v *viewer) error {
	if !h.child.tty || h.cols == v.Cols && h.rows == v.Rows {
		return nil
	}
	return h.resizeLocked(uint16(v.Cols), uint16(v.Rows))
}

// left forgets a client that is gone.
func (h *holder) left(c *conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if c.viewer == nil {
		return
	}
	owner := h.ownerLocked()
	h.viewers.all = slices.DeleteFunc(h.viewers.all, func(v *viewer) bool { return v == c.viewer })
	if now := h.ownerLocked(); now != nil && now != owner {
		_ = h.fitLocked(now) // the next one that types tries again
	}
	h.rolesLocked()
}

// ownerLocked is the viewer where somebody typed last; nil for none.
func (h *holder) ownerLocked() *viewer {
	var owner *viewer
	for _, v := range h.viewers.all {
		if !v.Watch && v.typed > 0 && (owner == nil || v.typed > owner.typed) {
			owner = v
		}
	}
	return owner
}

// rolesLocked works out who is what from now on, and leaves it to be told.
func (h *holder) rolesLocked() {
	at, owner := h.tape.End(), h.ownerLocked()
	answers := owner != nil && owner.Cols == h.cols && owner.Rows == h.rows
	if n := len(h.viewers.turns); (n > 0 && h.viewers.turns[n-1].viewer) != answers {
		h.viewers.turns = append(h.viewers.turns, turn{at, answers})
	}
	for _, v := range h.viewers.all {
		r := Role{Cols: h.cols, Rows: h.rows, Owns: v == owner, Answers: v == owner && answers, Others: len(h.viewers.all) - 1}
		r.Unlogged = h.tape.Waiting()
		if r != v.told {
			v.told = r
			r.At = at
			v.roles = append(v.roles, r)
		}
	}
	h.tellLocked()
}

// answersLocked tells whether the holder answers a query that ends at an offset.
func (h *holder) answersLocked(end int64) bool {
	turns := h.viewers.turns
	n, _ := slices.BinarySearchFunc(turns, end, func(t turn, end int64) int { return cmp.Compare(t.at, end) })
	return n == 0 || !turns[n-1].viewer
}

// settledLocked forgets who answered before an offset.
func (h *holder) settledLocked(end int64) {
	for len(h.viewers.turns) > 1 && h.viewers.turns[1].at <= end {
		h.viewers.turns = h.viewers.turns[1:]
	}
}
