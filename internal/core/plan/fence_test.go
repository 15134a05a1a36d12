package plan_test

import (
	"strings"
	"testing"

	"kedge/internal/core/plan"
)

// TestFencesInItems: a code block in a list item belongs to the item, and hides nothing
// behind it, even where nobody closes it.
func TestFencesInItems(t *testing.T) {
	for _, item := range []string{
		"- ```\n  ## Risks\n  ```\n- second",
		"- first\n  ```\n  - no entry\n  ```\n- second",
		"- first and ```\n  x\n  ```\n- second",
		"- ```sh\n  make\n- second",
	} {
		text := strings.Replace(amendable, "- the API stays", item, 1)
		p := planOf(t, text)
		if len(p.Phases) != 2 || len(p.Validation) != 1 || len(p.Invariants) != 2 || p.Invariants[1].Text != "second" {
			t.Errorf("%q: %d phases, invariants %+v", item, len(p.Phases), p.Invariants)
		}
	}
	whole := strings.Replace(amendable, "- `make`", "```\nmake\n# - no comment\n```", 1)
	if p := planOf(t, whole); len(p.Validation) != 1 || len(p.Phases) != 2 {
		t.Errorf("a block by itself: %+v", p.Validation)
	}
	if got := plan.Commands("1. ```\n   make all\n   ```\n2. `make test`"); strings.Join(got, "; ") != "make all; make test" {
		t.Errorf("commands %q", got)
	}
}

// TestFencesInPhases: what an item shows in a code block that nobody closes takes nothing
// from the item behind it, and brings back no comment.
func TestFencesInPhases(t *testing.T) {
	head, _, _ := strings.Cut(amendable, "## Phase 1")
	p := planOf(t, head+"## Phase 1: one {#p1}\n\n- [ ] p1.1 first\n  check: make a\n  ```\n  make b\n- [ ] p1.2 second\n  check: make c\n  paths: src/**\n<!--\n- [ ] p1.3 not this one\n  check: make d\n-->\n")
	if len(p.Phases) != 1 || len(p.Phases[0].Items) != 2 {
		t.Fatalf("%+v", p.Phases)
	}
	if it := p.Phases[0].Items[1]; len(it.Checks) != 1 || len(it.Paths) != 1 {
		t.Errorf("%+v", it)
	}
}
