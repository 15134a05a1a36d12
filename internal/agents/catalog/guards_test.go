package catalog_test

import (
	"slices"
	"testing"

	"kedge/internal/agents/catalog"
	"kedge/internal/core/config"
	"kedge/internal/text/glob"
)

// TestWhatAgentsObeyIsProtected: every file that an agent obeys is among those that are
// protected unless you say otherwise, so that none is changed or deleted in silence.
func TestWhatAgentsObeyIsProtected(t *testing.T) {
	protected := config.Default(catalog.Kinds()).Protect.Paths
	n := 0
	for _, p := range catalog.All() {
		for _, f := range p.Obeys.Files {
			if f.EnvOnly {
				continue
			}
			n++
			for _, name := range []string{f.Name, f.Name + "/x"} {
				if slices.ContainsFunc(protected, func(g string) bool { return glob.Match(g, name) }) {
					name = ""
				}
				if name == "" {
					break
				}
				if name != f.Name {
					t.Errorf("%s obeys %s, and it is not protected", p.Title, f.Name)
				}
			}
		}
	}
	if n < 10 {
		t.Errorf("%d files were looked at", n)
	}
}
