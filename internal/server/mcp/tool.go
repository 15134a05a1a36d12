package mcp

import (
	"bytes"
	"context"
	"encoding/json"

	"kedge/internal/text/strict"
)

// tool is one thing that an agent can have done. The schemas are JSON; input is
// what it takes, output what it gives.
type tool struct {
	name, about   string
	scope         scope
	input, output string
	run           func(ctx context.Context, s *Server, args json.RawMessage, progress func(json.RawMessage)) (json.RawMessage, error)
}

// scope says what a tool touches, and so who may use it.
type scope string

const (
	reading scope = "reading" // what anybody may read
	own     scope = "own"     // reads of its own session
	acting  scope = "acting"  // writes, in the name of its session

	watching       scope = "watching"  // reads, for an operator
	operatingScope scope = "operating" // gives orders to a run, for an operator
)

// tools are all there are, one file each.
func tools() []tool {
	return []tool{
		featureNext(), featureGet(), featureSubmit(), checkpointSave(), decisionPropose(), noteAdd(), recall(), questionAsk(), gateRun(), contextStatus(),
	}
}

// calling is the way of a tool that is a call of the service: ask makes its
// request of the tool's arguments.
func calling[A any](name, call string, ask func(s *Server, a A) any) func(context.Context, *Server, json.RawMessage, func(json.RawMessage)) (json.RawMessage, error) {
	return func(ctx context.Context, s *Server, args json.RawMessage, progress func(json.RawMessage)) (json.RawMessage, error) {
		var a A
		if err := arguments(name, args, &a); err != nil {
			return nil, err
		}
		var out json.RawMessage
		err := s.Call.Call(ctx, call, ask(s, a), &out, progress)
		return out, err
	}
}

// arguments are read strictly: what is misspelt is told, not passed over.
func arguments(name string, raw json.RawMessage, into any) error {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		raw = json.RawMessage("{}")
	}
	return strict.Decode("arguments of "+name, raw, into)
}

// noArguments is the schema of a tool that takes none.
const noArguments = `{"type":"object","additionalProperties":false}`
