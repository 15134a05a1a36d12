package review_test

import (
	"testing"

	"kedge"
	"kedge/internal/core/review"
)

func TestFewer(t *testing.T) {
	number := func(n int) *int { return &n }
	before := func(line string) (int, bool) { return 12, line == "make test" }
	for name, c := range map[string]struct {
		now       kedge.CheckResult
		mayRemove bool
		want      string
	}{
		"as many":                      {now: kedge.CheckResult{Command: "make test", Tests: number(12)}},
		"more":                         {now: kedge.CheckResult{Command: "make test", Tests: number(15)}},
		"fewer":                        {now: kedge.CheckResult{Command: "make test", Tests: number(11)}, want: `check "suite" ran 12 tests before the work, and now it runs 11`},
		"fewer, which the work may":    {now: kedge.CheckResult{Command: "make test", Tests: number(11)}, mayRemove: true},
		"none, which no work may":      {now: kedge.CheckResult{Command: "make test", Tests: number(0)}, mayRemove: true, want: `check "suite" ran 12 tests before the work, and now it runs 0`},
		"no word about tests any more": {now: kedge.CheckResult{Command: "make test"}, want: `check "suite" ran 12 tests before the work, and now it runs 0`},
		"another command":              {now: kedge.CheckResult{Command: "make lint", Tests: number(1)}},
		"skipped":                      {now: kedge.CheckResult{Command: "make test", Skipped: "not due"}},
		"red":                          {now: kedge.CheckResult{Command: "make test", FirstFailure: &kedge.Failure{}}},
	} {
		t.Run(name, func(t *testing.T) {
			c.now.Name = "suite"
			if got := review.Fewer(kedge.Verdict{Checks: []kedge.CheckResult{c.now}}, c.mayRemove, before); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
