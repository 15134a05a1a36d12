package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// rpcVersion is the version of JSON-RPC.
const rpcVersion = "2.0"

// The errors of JSON-RPC.
const (
	codeParse   = -32700
	codeInvalid = -32600
	codeMethod  = -32601
	codeParams  = -32602
)

// request is a request, a notification (no id) or an answer (no method).
type request struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"` // nil: a notification
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

// response is an answer: exactly one of Result and Error is there.
type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

type notification struct {
	Version string `json:"jsonrpc"`
	Method  string `json:"method"`
	Params  any    `json:"params,omitempty"`
}

func result(id json.RawMessage, v any) response {
	return response{Version: rpcVersion, ID: id, Result: v}
}

func failure(id json.RawMessage, code int, message string) response {
	if id == nil {
		id = json.RawMessage("null")
	}
	return response{Version: rpcVersion, ID: id, Error: &rpcError{Code: code, Message: message}}
}

// parse reads a message; what is none gives the answer that says so.
func parse(b []byte) (request, *response) {
	var r request
	if err := json.Unmarshal(b, &r); err != nil {
		code := codeInvalid
		if !json.Valid(b) {
			code = codeParse
		}
		f := failure(nil, code, "not a message of JSON-RPC 2.0")
		return r, &f
	}
	if id := canonical(r.ID); id != "" {
		r.ID = json.RawMessage(id)
	} else if len(r.ID) > 0 { // neither a text nor a number
		f := failure(nil, codeInvalid, "the id of a request must be a string or a number")
		return r, &f
	}
	if r.Version != rpcVersion || r.ID == nil && r.Method == "" {
		f := failure(r.ID, codeInvalid, "not a message of JSON-RPC 2.0")
		return r, &f
	}
	return r, nil
}

// canonical is an id in one form, so that the same id is the same text; empty for
// what is none.
func canonical(id json.RawMessage) string {
	b := bytes.TrimSpace(id)
	if len(b) == 0 || b[0] != '"' && b[0] != '-' && (b[0] < '0' || b[0] > '9') {
		return ""
	}
	if b[0] != '"' {
		return string(b)
	}
	var s string
	if json.Unmarshal(b, &s) != nil {
		return ""
	}
	out, err := json.Marshal(s)
	if err != nil {
		return ""
	}
	return string(out)
}

// maxLine bounds a message: no tool takes more than a page of text.
const maxLine = 4 << 20

// lines cuts a stream into lines of bounded length.
type lines struct{ r *bufio.Reader }

func newLines(r io.Reader) *lines { return &lines{r: bufio.NewReaderSize(r, 64<<10)} }

// next gives the next line; long says that it was too long and is left out. With
// the end of the stream comes io.EOF, and with it what stood behind the last line
// feed.
func (l *lines) next() (line []byte, long bool, err error) {
	for {
		part, err := l.r.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxLine; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, long, err
		}
	}
}
