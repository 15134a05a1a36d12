package hold

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"

	"kedge"
)

// The protocol between a holder and whoever talks to it is frozen: a holder runs
// for days and keeps the binary it was started with, so a later Kedge must
// understand it word for word. New verbs may be added; a frame that exists never
// changes. A holder lists the verbs it knows in its hello, and a client asks for
// no others.
//
// A connection is a stream of frames in both directions: one byte of type, four
// of length (big endian), then the payload. The holder speaks first, with Hello.
// Every request is answered in order by OK, Fail, or the frame named beside it;
// Ended and Grown come unasked after Follow, Ended alone after Await.

// Protocol is the version that this package speaks.
const Protocol = 1

// MaxPayload bounds a frame, so that neither side can be made to reserve more.
const MaxPayload = 1 << 20

// Verb says what a frame is.
type Verb byte

// Requests.
const (
	VerbStatus Verb = 'S' // → Report
	VerbInput  Verb = 'I' // source (8 bytes), its sequence number (8), then the bytes; → OK
	VerbClose  Verb = 'C' // the end of the input; → OK
	VerbResize Verb = 'R' // columns (2), rows (2); → OK
	VerbSignal Verb = 'K' // number (1); → OK
	VerbEnd    Verb = 'E' // grace in milliseconds (4): two signals that ask, then every descendant; → OK when begun
	VerbFollow Verb = 'F' // → OK, then Grown whenever the log grew, and Ended
	VerbRedraw Verb = 'D' // makes the program paint its screen anew; → OK
	VerbQuit   Verb = 'Q' // the holder of an ended session may go; → OK

	VerbEnviron Verb = 'V' // → Values
	VerbAwait   Verb = 'A' // → OK, then Ended when the session has ended, and nothing before it
	VerbAttach  Verb = 'T' // JSON: Viewer; → OK, then Role at once and whenever it changes, Grown and Ended as after Follow. Once more on the same connection: the viewer has changed; → OK
)

// Answers.
const (
	VerbHello  Verb = 'h' // JSON: Greeting
	VerbReport Verb = 's' // JSON: State
	VerbOK     Verb = 'o' // empty
	VerbFail   Verb = 'e' // JSON: Failure
	VerbGrown  Verb = 'g' // end of the log (8)
	VerbEnded  Verb = 'x' // JSON: State

	VerbValues Verb = 'v' // JSON: the program's environment, as it was started with
	VerbRole   Verb = 't' // JSON: Role
)

// Verbs is what this version answers, as its hello lists it.
const Verbs = "SICRKEFDQVAT"

// Frame is one message.
type Frame struct {
	Type    Verb
	Payload []byte
}

// WriteFrame sends one frame in one write.
func WriteFrame(w io.Writer, f Frame) error {
	if len(f.Payload) > MaxPayload {
		return kedge.Errorf(kedge.Invalid, "Kedge cannot talk to the process that keeps the session alive (its holder): a message has %d bytes, and at most %d are allowed", len(f.Payload), MaxPayload)
	}
	b := make([]byte, 0, 5+len(f.Payload))
	b = append(b, byte(f.Type))
	b = binary.BigEndian.AppendUint32(b, uint32(len(f.Payload)))
	_, err := w.Write(append(b, f.Payload...))
	return err
}

// ReadFrame takes one frame. It is io.EOF only between frames.
func ReadFrame(r io.Reader) (Frame, error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return Frame{}, err
	}
	n := binary.BigEndian.Uint32(head[1:])
	if n > MaxPayload {
		return Frame{}, kedge.Errorf(kedge.Invalid, "Kedge cannot talk to the process that keeps the session alive (its holder): a message has %d bytes, and at most %d are allowed", n, MaxPayload)
	}
	f := Frame{Type: Verb(head[0]), Payload: make([]byte, n)}
	if _, err := io.ReadFull(r, f.Payload); err != nil {
		return Frame{}, fmt.Errorf("Kedge cannot talk to the process that keeps the session alive (its holder): the connection broke in the middle of a message: %w", io.ErrUnexpectedEOF)
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

// Viewer is a terminal that is attached to a session.
type Viewer struct {
	Cols  int  `json:"cols"`
	Rows  int  `json:"rows"`
	Watch bool `json:"watch,omitempty"` // it only watches: it has no say in the size, and answers nothing
	Typed bool `json:"typed,omitempty"` // somebody typed there now: the session takes its size
}

// Role is what a viewer is to the session from an offset of the log on.
type Role struct {
	At      int64 `json:"at"`
	Cols    int   `json:"cols"` // of the session
	Rows    int   `json:"rows"`
	Owns    bool  `json:"owns,omitempty"`    // somebody typed there last
	Answers bool  `json:"answers,omitempty"` // its terminal answers what the program asks
	Others  int   `json:"others,omitempty"`  // viewers beside it

	Unlogged bool `json:"unlogged,omitempty"` // the log does not tell the size yet: the disk is full
}

// Failure is why a request was refused.
type Failure struct {
	Kind    kedge.Kind `json:"kind"`
	Message string     `json:"message"`
}

// NewJSON makes a frame of a payload that is JSON.
func NewJSON(t Verb, v any) (Frame, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return Frame{}, kedge.Errorf(kedge.Internal, "Kedge cannot talk to the process that keeps the session alive (its holder): a message cannot be turned into JSON: %w", err)
	}
	return Frame{Type: t, Payload: b}, nil
}

// Into reads a payload that is JSON. Keys of a later version are ignored: that
// is what lets the two sides differ in age.
func (f Frame) Into(v any) error {
	if err := json.Unmarshal(f.Payload, v); err != nil {
		return kedge.Errorf(kedge.Invalid, "Kedge cannot talk to the process that keeps the session alive (its holder): a message of type %q is not valid JSON: %w", byte(f.Type), err)
	}
	return nil
}
