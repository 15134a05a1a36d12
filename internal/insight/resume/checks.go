package resume

import (
	"slices"

	"kedge/internal/core/check"
)

// redCheck is a command that builds, tests or checks something, and was red when it last ran.
type redCheck struct {
	command string
	n       int // action at which it ran
	parts   []check.Part
}

// maxChecks bounds the red checks that are remembered.
const maxChecks = 16

// checked takes a check that ended. A green one ends the marks of those that it covers.
func (p *Picker) checked(c *call, failed bool) *redCheck {
	parts := check.PartsOf(c.command)
	if len(parts) == 0 {
		return nil
	}
	p.reds = slices.DeleteFunc(p.reds, func(r *redCheck) bool {
		r.parts = slices.DeleteFunc(r.parts, func(x check.Part) bool {
			return slices.ContainsFunc(parts, func(g check.Part) bool { return g.Covers(x) })
		})
		return len(r.parts) == 0
	})
	if !failed {
		return nil
	}
	r := &redCheck{command: c.command, n: c.n, parts: parts}
	if p.reds = append(p.reds, r); len(p.reds) > maxChecks {
		p.reds = append(p.reds[:0:0], p.reds[1:]...)
	}
	return r
}

// isRed tells whether a check is red as far as is known.
func (p *Picker) isRed(r *redCheck) bool { return slices.Contains(p.reds, r) }
