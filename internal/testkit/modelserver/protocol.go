package modelserver

import (
	"encoding/json"
	"fmt"
	"io"
)

// protocol is one way of speaking to the model. All of it is pure.
type protocol struct {
	name   string
	parse  func(path string, body []byte) (Request, error)
	whole  func(r Reply) any     // the reply in one piece
	stream func(r Reply) []frame // the reply as it comes
	refuse func(f Fault) any     // the body of an answer that is an error
	count  func(tokens int64) any
	begins func(r Reply) Usage // what a stream tells when it begins; nil: nothing before its end
}

// frame is one event of a stream.
type frame struct {
	name string // empty: the protocol has no names
	data any    // a string is sent as it is
}

func (f frame) write(w io.Writer) error {
	data, ok := f.data.(string)
	if !ok {
		b, err := json.Marshal(f.data)
		if err != nil {
			return err
		}
		data = string(b)
	}
	if f.name != "" {
		if _, err := fmt.Fprintf(w, "event: %s\n", f.name); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "data: %s\n\n", data)
	return err
}

// object is a JSON object.
type object = map[string]any
