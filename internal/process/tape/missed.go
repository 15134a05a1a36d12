package tape

import (
	"strconv"

	"kedge/internal/screen/vt"
	"kedge/internal/text/plain"
)

// Missed are lines that left the main screen, as long as nobody got them: the last ones.
type Missed struct {
	kept    []missedLine
	Dropped int64 // lines before those that are kept
}

type missedLine struct {
	b         []byte
	cells     int
	continues bool
}

// MissedMost is how many lines are brought back: more are in the log.
const MissedMost = 2000

// Add keeps a line that left.
func (m *Missed) Add(l vt.Line) {
	if len(m.kept) == 2*MissedMost {
		m.Dropped += MissedMost
		m.kept = append(m.kept[:0], m.kept[MissedMost:]...)
	}
	m.kept = append(m.kept, missedLine{l.Append(nil), plain.Cells(l.Text()), l.Continues()})
}

// Returned forgets the last lines: they are on the screen again.
func (m *Missed) Returned(n int) { m.kept = m.kept[:max(len(m.kept)-n, 0)] }

// Print writes the lines for a terminal with so many columns, and counts its rows.
func (m *Missed) Print(b []byte, cols int) (_ []byte, rows int) {
	kept := m.kept[max(len(m.kept)-MissedMost, 0):]
	if dropped := m.Dropped + int64(len(m.kept)-len(kept)); dropped > 0 {
		b = append(b, "\x1b[2m… "+strconv.FormatInt(dropped, 10)+" lines before these: Ctrl-] [\x1b[m\r\n"...)
		rows++
	}
	cells := 0
	for i, l := range kept {
		b = append(b, l.b...)
		cells += l.cells
		if !l.continues || i == len(kept)-1 {
			b = append(b, "\r\n"...)
			rows += max(1, (cells+cols-1)/cols)
			cells = 0
		}
	}
	return b, rows
}

// Lines is how many lines were missed.
func (m *Missed) Lines() int64 { return m.Dropped + int64(len(m.kept)) }
