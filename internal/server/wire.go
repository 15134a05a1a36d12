package server

import (
	"bytes"
	"encoding/json"
	"io"

	"kedge"
)

// Envelope is the body of a call: who asks, and what.
type Envelope struct {
	Dir     string          `json:"dir"`
	User    string          `json:"user,omitempty"`
	Session kedge.SessionID `json:"session,omitempty"` // set inside a session: the caller is an agent
	Token   string          `json:"token,omitempty"`   // of Session: shown by what acts in its name from wherever it runs
	// Operator is the token that you gave a client, so that it may make the calls that are
	// marked for operators.
	Operator string          `json:"operator,omitempty"`
	Key      string          `json:"key,omitempty"`
	In       json.RawMessage `json:"in,omitempty"`
}

// Actor is who the envelope says is asking.
func (e Envelope) Actor() kedge.Actor {
	if e.Session != "" {
		return kedge.Agent(e.Session)
	}
	return kedge.Human(e.User)
}

// Line is one line of an answer.
type Line struct {
	Type  string          `json:"type"` // progress, result, error
	Data  json.RawMessage `json:"data,omitempty"`
	Error *WireError      `json:"error,omitempty"`
	// Damage, beside a result, says that the result may lack something: a journal is not whole.
	Damage *WireError `json:"damage,omitempty"`
}

// Encode makes the JSON of an answer as --json prints it: not for a web page, so
// that "a < b && c" stays what it is.
func Encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// Incomplete is an answer that may lack something, because a journal is not whole. The answer
// was given; the error says what is damaged.
type Incomplete struct{ Err error }

func (e Incomplete) Error() string { return e.Err.Error() }

func (e Incomplete) Unwrap() error { return e.Err }

// inPieces is an answer that can be too long to be made at once.
type inPieces interface {
	// WriteJSON writes what Encode gives, value by value.
	WriteJSON(w io.Writer, encode func(v any) (json.RawMessage, error)) error
}

// EncodeTo writes what Encode gives. Of an answer that can be long there is never more than a
// piece at once.
func EncodeTo(w io.Writer, v any) error {
	if long, ok := v.(inPieces); ok {
		return long.WriteJSON(w, Encode)
	}
	b, err := Encode(v)
	if err == nil {
		_, err = w.Write(b)
	}
	return err
}

// WireError is an error as it travels, and as --json prints it.
type WireError struct {
	Kind    kedge.Kind `json:"kind"`
	Message string     `json:"message"`
	Hint    string     `json:"hint"`
}

// ToWire makes err fit to travel.
func ToWire(err error) *WireError {
	return &WireError{Kind: kedge.KindOf(err), Message: err.Error(), Hint: kedge.HintOf(err)}
}

// Err makes the error that travelled.
func (w *WireError) Err() error {
	return &kedge.Error{Kind: w.Kind, Msg: w.Message, Hint: w.Hint}
}
