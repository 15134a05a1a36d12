package hold

import (
	"encoding/binary"

	"kedge"
)

// NewInput is the request that types b. Each source counts its own requests: a
// number that is not above the source's last one is answered OK and not typed
// again.
func NewInput(source, seq uint64, b []byte) Frame {
	p := binary.BigEndian.AppendUint64(nil, source)
	p = binary.BigEndian.AppendUint64(p, seq)
	return Frame{Type: VerbInput, Payload: append(p, b...)}
}

// InputOf reads a request made by NewInput.
func (f Frame) InputOf() (source, seq uint64, b []byte, err error) {
	if len(f.Payload) < 16 {
		return 0, 0, nil, short(f)
	}
	return binary.BigEndian.Uint64(f.Payload), binary.BigEndian.Uint64(f.Payload[8:]), f.Payload[16:], nil
}

// NewResize is the request for another terminal size.
func NewResize(cols, rows uint16) Frame {
	b := binary.BigEndian.AppendUint16(nil, cols)
	return Frame{Type: VerbResize, Payload: binary.BigEndian.AppendUint16(b, rows)}
}

// ResizeOf reads a request made by NewResize.
func (f Frame) ResizeOf() (cols, rows uint16, err error) {
	if len(f.Payload) != 4 {
		return 0, 0, short(f)
	}
	return binary.BigEndian.Uint16(f.Payload), binary.BigEndian.Uint16(f.Payload[2:]), nil
}

// NewSignal is the request to signal the program.
func NewSignal(number byte) Frame { return Frame{Type: VerbSignal, Payload: []byte{number}} }

// SignalOf reads a request made by NewSignal.
func (f Frame) SignalOf() (byte, error) {
	if len(f.Payload) != 1 {
		return 0, short(f)
	}
	return f.Payload[0], nil
}

// NewEnd is the request to end the session; each step waits this long for the
// one before it to work.
func NewEnd(graceMS uint32) Frame {
	return Frame{Type: VerbEnd, Payload: binary.BigEndian.AppendUint32(nil, graceMS)}
}

// EndOf reads a request made by NewEnd.
func (f Frame) EndOf() (graceMS uint32, err error) {
	if len(f.Payload) != 4 {
		return 0, short(f)
	}
	return binary.BigEndian.Uint32(f.Payload), nil
}

// NewGrown tells a follower how long the log is.
func NewGrown(end int64) Frame {
	return Frame{Type: VerbGrown, Payload: binary.BigEndian.AppendUint64(nil, uint64(end))}
}

// GrownOf reads what NewGrown told.
func (f Frame) GrownOf() (end int64, err error) {
	if len(f.Payload) != 8 {
		return 0, short(f)
	}
	return int64(binary.BigEndian.Uint64(f.Payload)), nil
}

func short(f Frame) error {
	return kedge.Errorf(kedge.Invalid, "Kedge cannot talk to the process that keeps the session alive (its holder): a message of type %q has the wrong length, %d bytes", byte(f.Type), len(f.Payload))
}
