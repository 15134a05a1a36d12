package server_test

import (
	"context"
	"net/http"
	"slices"
	"testing"

	"kedge"
	"kedge/internal/app/runs"
	"kedge/internal/app/sessions"
	"kedge/internal/server"
)

// TestF27OperatorAddedTwice: a request for a token whose answer is lost is made again by
// the client. There is one operator, and the token that arrives is good.
func TestF27OperatorAddedTwice(t *testing.T) {
	d := newDesk(t)
	c := &server.Client{HTTP: d.http(), Again: func(context.Context) (*http.Client, error) { return d.http(), nil }}
	d.breaks = 1
	var got sessions.OperatorAddReply
	if err := c.Call(t.Context(), "operator.add", d.envelope("req-1", sessions.OperatorRequest{Name: "desk"}), &got, nil); err != nil {
		t.Fatal(err)
	}
	var list sessions.OperatorListReply
	if err := c.Call(t.Context(), "operator.list", d.envelope("", struct{}{}), &list, nil); err != nil {
		t.Fatal(err)
	}
	if len(list.Operators) != 1 || list.Operators[0] != got.Operator {
		t.Errorf("%+v, and the answer is %+v", list.Operators, got.Operator)
	}
	env := d.envelope("key-pause", runs.RunRequest{})
	env.Operator = got.Token
	if err := c.Call(t.Context(), "run.pause", env, nil, nil); !kedge.NotFound.Is(err) && !kedge.Invalid.Is(err) {
		t.Errorf("the token is not taken: %v", err) // a plain folder has no run
	}
	if err := c.Call(t.Context(), "operator.add", d.envelope("req-2", sessions.OperatorRequest{Name: "desk"}), nil, nil); !kedge.Conflict.Is(err) {
		t.Errorf("another request for the same name: %v", err)
	}
}

// TestT18RefusedOperatorIsRecorded: what an operator may not do, and a token that is
// nobody's, are refused, and the journal says so.
func TestT18RefusedOperatorIsRecorded(t *testing.T) {
	d := newDesk(t)
	c := &server.Client{HTTP: d.http()}
	var made sessions.OperatorAddReply
	if err := c.Call(t.Context(), "operator.add", d.envelope("req-1", sessions.OperatorRequest{Name: "desk"}), &made, nil); err != nil {
		t.Fatal(err)
	}
	for call, token := range map[string]string{"run.stop": "kedge-operator-MADEUP", "risk.add": made.Token} {
		env := d.envelope("key-"+call, map[string]string{})
		env.Operator = token
		if err := c.Call(t.Context(), call, env, nil, nil); !kedge.Blocked.Is(err) {
			t.Errorf("%s: %v", call, err)
		}
	}
	var acts []string
	for _, r := range refusals(t, d.state) {
		acts = append(acts, r.Act)
		if r.Reason == "" {
			t.Errorf("%s: it does not say why", r.Act)
		}
	}
	slices.Sort(acts)
	if !slices.Equal(acts, []string{"operator risk.add", "operator run.stop"}) {
		t.Errorf("recorded: %q", acts)
	}
}
