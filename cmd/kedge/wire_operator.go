package main

import "kedge/internal/cli/frame"

// Operating gives the caller that makes its calls with the token of an operator.
func (c *caller) Operating(token string) frame.Caller {
	own := *c
	own.operator = token
	return &own
}
