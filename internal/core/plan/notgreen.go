package plan

import (
	"fmt"

	"kedge"
	"kedge/internal/core/check"
)

// NotGreen is a command of a plan that is done without it being green: you skipped or
// removed the features that were to make it so.
type NotGreen struct {
	Name    string `json:"name"`
	Command string `json:"command"`
	Red     bool   `json:"red"` // else it never ran on accepted work
}

// NotGreenOf are the commands of a plan that are not green: those for the whole plan, and
// those of its completed features. seen tells of commands whether they were green when they
// last ran on accepted work.
func NotGreenOf(p kedge.Plan, features []kedge.Feature, seen map[string]bool) []NotGreen {
	var out []NotGreen
	for _, c := range ChecksOf(p, features) {
		line := check.ShellLine(c)
		if green, known := seen[line]; !green {
			out = append(out, NotGreen{Name: c.Name, Command: line, Red: known})
		}
	}
	return out
}

// ChecksOf are the checks of the whole plan, and those of its completed features.
func ChecksOf(p kedge.Plan, features []kedge.Feature) []kedge.Check {
	out := ChecksFor(p, kedge.Definition{}, nil)
	for _, f := range features {
		if f.Status != kedge.Completed {
			continue
		}
		for _, c := range ChecksFor(p, f.Definition, nil) {
			if !runs(out, check.ShellLine(c)) {
				out = append(out, c)
			}
		}
	}
	return out
}

// Text says what is known of the command.
func (n NotGreen) Text() string {
	if n.Red {
		return fmt.Sprintf("the plan is done, but its command %s (%s) was red when it last ran on accepted work", n.Name, check.Unwrapped(n.Command))
	}
	return fmt.Sprintf("the plan is done, but its command %s (%s) never ran on accepted work", n.Name, check.Unwrapped(n.Command))
}
