// Package wire is the protocol between a holder and whoever talks to it. It is
// frozen: a holder runs for days and keeps the binary it was started with, so a
// later Kedge must understand it word for word. New verbs may be added; a frame
// that exists never changes. A holder lists the verbs it knows in its hello, and
// a client asks for no others.
//
// A connection is a stream of frames in both directions: one byte of type, four
// of length (big endian), then the payload. The holder speaks first, with Hello.
// Every request is answered in order by OK, Fail, or the frame named beside it;
// Ended and Grown come unasked after Follow, Ended alone after Await.
package wire

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"

	"kedge"
)

// Protocol is the version that this package speaks.
const Protocol = 1

// MaxPayload bounds a frame, so that neither side can be made to reserve more.
const MaxPayload = 1 << 20

// Type says what a frame is.
type Type byte

// Requests.
const (
	Status Type = 'S' // → Report
	Input  Type = 'I' // source (8 bytes), its sequence number (8), then the bytes; → OK
	Close  Type = 'C' // the end of the input; → OK
	Resize Type = 'R' // columns (2), rows (2); → OK
	Signal Type = 'K' // number (1); → OK
	End    Type = 'E' // grace in milliseconds (4): two signals that ask, then every descendant; → OK when begun
	Follow Type = 'F' // → OK, then Grown whenever the log grew, and Ended
	Redraw Type = 'D' // makes the program paint its screen anew; → OK
	Quit   Type = 'Q' // the holder of an ended session may go; → OK

	Environ Type = 'V' // → Values
	Await   Type = 'A' // → OK, then Ended when the session has ended, and nothing before it
)

// Answers.
const (
	Hello  Type = 'h' // JSON: Greeting
	Report Type = 's' // JSON: State
	OK     Type = 'o' // empty
	Fail   Type = 'e' // JSON: Failure
	Grown  Type = 'g' // end of the log (8)
	Ended  Type = 'x' // JSON: State

	Values Type = 'v' // JSON: the program's environment, as it was started with
)

// Verbs is what this version answers, as its hello lists it.
const Verbs = "SICRKEFDQVA"

// Frame is one message.
type Frame struct {
	Type    Type
	Payload []byte
}

// Write sends one frame in one write.
func Write(w io.Writer, f Frame) error {
	if len(f.Payload) > MaxPayload {
		return kedge.Errorf(kedge.Invalid, "a frame has %d bytes, more than the allowed %d", len(f.Payload), MaxPayload)
	}
	b := make([]byte, 0, 5+len(f.Payload))
	b = append(b, byte(f.Type))
	b = binary.BigEndian.AppendUint32(b, uint32(len(f.Payload)))
	_, err := w.Write(append(b, f.Payload...))
	return err
}

// Read takes one frame. It is io.EOF only between frames.
func Read(r io.Reader) (Frame, error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return Frame{}, err
	}
	n := binary.BigEndian.Uint32(head[1:])
	if n > MaxPayload {
		return Frame{}, kedge.Errorf(kedge.Invalid, "a frame has %d bytes, more than the allowed %d", n, MaxPayload)
	}
	f := Frame{Type: Type(head[0]), Payload: make([]byte, n)}
	if _, err := io.ReadFull(r, f.Payload); err != nil {
		return Frame{}, fmt.Errorf("a frame was cut off: %w", io.ErrUnexpectedEOF)
	}
	return f, nil
}

// Greeting is the holder's hello: who it is, and what it can do.
type Greeting struct {
	Protocol int             `json:"protocol"`
	Verbs    string          `json:"verbs"`
	Session  kedge.SessionID `json:"session"`
	Holder   Process         `json:"holder"`
	Child    Process         `json:"child"`
	Boot     string          `json:"boot"`
}

// Process names a process beyond doubt, together with the boot it belongs to.
type Process struct {
	PID   int    `json:"pid"`
	Start uint64 `json:"start"` // as the system counts it since boot
}

// State is what a holder says of its session.
type State struct {
	Running bool  `json:"running"`
	End     int64 `json:"end"`   // length of the log
	Lost    int64 `json:"lost"`  // bytes not logged and not yet marked
	Input   int64 `json:"input"` // bytes typed so far
	Cols    int   `json:"cols"`
	Rows    int   `json:"rows"`
	Exit    *Exit `json:"exit"`
	Asked   bool  `json:"asked,omitempty"` // to end, by whoever uses Kedge

	Replied uint64 `json:"replied,omitempty"` // the number of the newest reply of which something was typed; those before it are whole
}

// Exit is how the program ended.
type Exit struct {
	Code   int    `json:"code"`
	Signal int    `json:"signal"` // 0: it ended by itself
	Cause  string `json:"cause"`  // exited, killed, out_of_memory
	At     int64  `json:"at"`     // milliseconds since 1970
}

// Failure is why a request was refused.
type Failure struct {
	Kind    kedge.Kind `json:"kind"`
	Message string     `json:"message"`
}

// JSON makes a frame of a payload that is JSON.
func JSON(t Type, v any) (Frame, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return Frame{}, kedge.Errorf(kedge.Internal, "cannot encode a frame: %w", err)
	}
	return Frame{Type: t, Payload: b}, nil
}

// Into reads a payload that is JSON. Keys of a later version are ignored: that
// is what lets the two sides differ in age.
func (f Frame) Into(v any) error {
	if err := json.Unmarshal(f.Payload, v); err != nil {
		return kedge.Errorf(kedge.Invalid, "cannot decode a frame of type %q: %w", byte(f.Type), err)
	}
	return nil
}
