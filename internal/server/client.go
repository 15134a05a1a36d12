package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"kedge"
)

// ErrBroken marks an answer that ended before its result.
var ErrBroken = errors.New("the daemon ended before it answered")

// ErrNoDaemon marks that a call was lost and that no daemon came up after it. It
// may be different a moment later.
var ErrNoDaemon = errors.New("Kedge cannot reach its daemon")

// noDaemon is an error of whoever starts daemons, marked as ErrNoDaemon.
type noDaemon struct{ error }

func (e noDaemon) Unwrap() []error { return []error{e.error, ErrNoDaemon} }

// Client calls one daemon.
type Client struct {
	// HTTP reaches the daemon's socket, whatever the address.
	HTTP *http.Client
	// Again gives a new HTTP client after the connection broke, starting the
	// daemon anew where that is allowed; nil means no second try.
	Again func(ctx context.Context) (*http.Client, error)
}

// Call makes one call; out is filled from the result, progress is told of every
// progress line and may be nil.
func (c *Client) Call(ctx context.Context, name string, env Envelope, out any, progress func(json.RawMessage)) error {
	body, err := json.Marshal(env)
	if err != nil {
		return kedge.Errorf(kedge.Internal, "Kedge cannot turn your command into a request to its daemon: %w", err)
	}
	h := c.HTTP
	for range tries {
		err = c.once(ctx, h, name, body, out, progress)
		if !errors.Is(err, ErrBroken) || c.Again == nil || ctx.Err() != nil {
			return asError(ctx, err)
		}
		var gone error
		if h, gone = c.Again(ctx); gone != nil {
			return unreached(gone)
		}
	}
	return asError(ctx, err)
}

// unreached marks what may pass; that none may be started here does not.
func unreached(err error) error {
	if kedge.Internal.Is(err) {
		return noDaemon{err}
	}
	return err
}

// tries bounds how often a call is made. The first may only find that no daemon
// lives; a long one may lose more than one.
const tries = 5

func asError(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return kedge.Errorf(kedge.Interrupted, "your command was interrupted: %w", context.Cause(ctx))
	}
	if errors.Is(err, ErrBroken) {
		return kedge.Errorf(kedge.Internal, "%w", err).WithHint("see what is wrong: kedge doctor")
	}
	return err
}

func (c *Client) once(ctx context.Context, h *http.Client, name string, body []byte, out any, progress func(json.RawMessage)) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+Host+"/v1/call/"+name, bytes.NewReader(body))
	if err != nil {
		return kedge.Errorf(kedge.Internal, "Kedge cannot send a request to its daemon: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := h.Do(req)
	if err != nil {
		return errors.Join(ErrBroken, err)
	}
	defer func() { _ = res.Body.Close() }() // everything was read, or nothing more is wanted
	return read(res.Body, out, progress)
}

// read takes the lines of an answer until its result or error.
func read(body io.Reader, out any, progress func(json.RawMessage)) error {
	r := bufio.NewReader(body)
	for {
		b, err := r.ReadBytes('\n')
		if err != nil {
			return errors.Join(ErrBroken, err)
		}
		var l Line
		if err := json.Unmarshal(b, &l); err != nil {
			return kedge.Errorf(kedge.Internal, "Kedge does not understand the daemon's answer: %w", err).WithHint("restart the daemon, which may be another version of Kedge: kedge down && kedge up")
		}
		switch l.Type {
		case "progress":
			if progress != nil {
				progress(l.Data)
			}
		case "error":
			return l.Error.Err()
		case "result":
			err := decode(l.Data, out)
			if err == nil && l.Damage != nil {
				return Incomplete{l.Damage.Err()}
			}
			return err
		}
	}
}

func decode(data json.RawMessage, out any) error {
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(data, out); err != nil {
		return kedge.Errorf(kedge.Internal, "Kedge does not understand the daemon's answer: %w", err).WithHint("restart the daemon, which may be another version of Kedge: kedge down && kedge up")
	}
	return nil
}
