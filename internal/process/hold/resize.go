package hold

import (
	"time"

	"kedge"
	"kedge/internal/process/tape"
)

// maxSide is the most columns or rows that a terminal may have.
const maxSide = 10_000

// resize sets the terminal's size and notes it on the tape, before the program
// paints for it.
func (h *holder) resize(cols, rows uint16) error {
	if cols == 0 || rows == 0 || cols > maxSide || rows > maxSide {
		return kedge.Errorf(kedge.Invalid, "%d by %d is not a valid terminal size", cols, rows)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.resizeLocked(cols, rows); err != nil {
		return err
	}
	h.rolesLocked()
	return nil
}

func (h *holder) resizeLocked(cols, rows uint16) error {
	if !h.child.tty {
		return kedge.Errorf(kedge.Invalid, "this session was started without a terminal")
	}
	_ = h.tape.Mark(tape.Mark{Kind: tape.Resize, A: uint32(cols), B: uint64(rows), At: time.Now()}) // status tells it too
	if err := h.child.resize(cols, rows); err != nil {
		return kedge.Errorf(kedge.Conflict, "cannot change the size of the session's terminal: %w", err)
	}
	h.cols, h.rows = int(cols), int(rows)
	return nil
}

// redraw makes the program paint its whole screen: an equal size raises no
// signal, so the terminal shrinks by a column and grows again.
func (h *holder) redraw() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.child.tty || h.cols < 2 {
		return kedge.Errorf(kedge.Invalid, "this session was started without a terminal")
	}
	cols, rows := uint16(h.cols), uint16(h.rows)
	if err := h.child.resize(cols-1, rows); err != nil {
		return kedge.Errorf(kedge.Conflict, "cannot change the size of the session's terminal: %w", err)
	}
	if err := h.child.resize(cols, rows); err != nil {
		return kedge.Errorf(kedge.Conflict, "cannot change the size of the session's terminal: %w", err)
	}
	return nil
}
