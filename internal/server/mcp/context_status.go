package mcp

import (
	"context"
	"encoding/json"

	"kedge"
	"kedge/internal/app/sessions"
)

// sessionContext is what an agent is told of its own session; nil is unknown.
type sessionContext struct {
	Session       kedge.SessionID `json:"session"`
	Name          string          `json:"name"`
	Feature       kedge.FeatureID `json:"feature"`
	ContextTokens *int64          `json:"context_tokens"`
	ContextWindow *int64          `json:"context_window"`
	Used          *float64        `json:"used"` // the part of the window that is full
	Tokens        *int64          `json:"tokens"`
	USD           *float64        `json:"usd"`
}

// contextStatus is the line of this session in `kedge ls --json`.
func contextStatus() tool {
	return tool{
		name: "context_status", scope: own,
		about: "How full the context of this session was at its last report, and what the session has used; null means unknown.",
		input: noArguments,
		output: `{"type":"object","required":["session","name","feature","context_tokens","context_window","used","tokens","usd"],"properties":{` +
			`"session":{"type":"string"},"name":{"type":"string"},"feature":{"type":"string"},"context_tokens":{"type":["integer","null"]},"context_window":{"type":["integer","null"]},` +
			`"used":{"type":["number","null"]},"tokens":{"type":["integer","null"]},"usd":{"type":["number","null"]}}}`,
		run: func(ctx context.Context, s *Server, args json.RawMessage, progress func(json.RawMessage)) (json.RawMessage, error) {
			if err := arguments("context_status", args, &struct{}{}); err != nil {
				return nil, err
			}
			var found sessions.SessionFound
			if err := s.Call.Call(ctx, "session.find", sessions.SessionName{Name: string(s.Session)}, &found, progress); err != nil {
				return nil, err
			}
			return json.Marshal(contextOf(found.Session))
		},
	}
}

func contextOf(ses kedge.Session) sessionContext {
	c := sessionContext{
		Session: ses.ID, Name: ses.Name, Feature: ses.Feature,
		ContextTokens: ses.ContextTokens, ContextWindow: ses.ContextWindow, Tokens: ses.Tokens, USD: ses.USD,
	}
	if ses.ContextTokens != nil && ses.ContextWindow != nil && *ses.ContextWindow > 0 {
		used := float64(*ses.ContextTokens) / float64(*ses.ContextWindow)
		c.Used = &used
	}
	return c
}
