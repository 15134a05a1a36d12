package cli

import (
	"testing"

	"kedge/internal/cli/frame"
)

// TestNames: each command is called what the table calls it, whichever of them
// are made, and once.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, a := range areas {
		for _, m := range a.commands {
			if seen[m.name] {
				t.Errorf("%s is there twice", m.name)
			}
			seen[m.name] = true
			if got := m.make(&frame.Env{}).Name(); got != m.name {
				t.Errorf("%s is called %s in the table", got, m.name)
			}
			root := newRoot(&frame.Env{Args: []string{m.name}})
			if c, _, err := root.Find([]string{m.name}); err != nil || c.Name() != m.name {
				t.Errorf("%s alone is not found: %v", m.name, err)
			}
		}
	}
	if n := len(newRoot(&frame.Env{Args: []string{"help"}}).Commands()); n < len(seen) {
		t.Errorf("help knows %d of %d commands", n, len(seen))
	}
}
