package review

import (
	"fmt"

	"kedge"
	"kedge/internal/text/words"
)

// Fewer says which green check ran fewer tests than before the work; empty: none did, as far as it is
// known. Where the work may remove tests, only a check that runs none at all counts.
func Fewer(v kedge.Verdict, mayRemove bool, before func(line string) (int, bool)) string {
	for _, r := range v.Checks {
		was, known := before(r.Command)
		if !known || r.Skipped != "" || r.Red() {
			continue
		}
		now := 0
		if r.Tests != nil {
			now = *r.Tests
		}
		if now < was && (now == 0 || !mayRemove) {
			return fmt.Sprintf("check %q ran %s before the work, and now it runs %d", r.Name, words.Count(was, "test"), now)
		}
	}
	return ""
}
