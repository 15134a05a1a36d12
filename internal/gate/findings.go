package gate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/gitx"
	"kedge/internal/glob"
	"kedge/internal/weaken"
)

// guarded are the files that decide about the work rather than do it: Kedge's
// own, CI's and agents' settings. To add one is as much as to change one.
var guarded = []string{
	".kedge/**", ".github/**", ".gitlab-ci.yml", ".gitlab/**", ".circleci/**", ".ci/**", "Jenkinsfile", "azure-pipelines.yml", ".travis.yml",
	".claude/**", ".codex/**", ".gemini/**", ".opencode/**", ".qwen/**", ".cursor/**", ".aider*", ".mcp.json", "opencode.json",
}

// peoples are the files under .kedge that people write. The rest Kedge writes
// itself, and looks after by other means.
var peoples = []string{".kedge/config.toml", ".kedge/gate.toml", ".kedge/rules.md", ".kedge/validate", ".kedge/skills/**"}

func isGuarded(p string) bool { return matchAny(guarded, p) }

// isProjection: Kedge writes it from the journal, at any time.
func isProjection(p string) bool {
	return p == "AGENT_CONTEXT.md" || strings.HasPrefix(p, ".kedge/") && !matchAny(peoples, p)
}

// inspect looks at what changed since the base for what no check would see.
func (g *gate) inspect(ctx context.Context) error {
	for _, c := range g.changed {
		g.inspectProtected(c)
	}
	return g.inspectTests(ctx)
}

func (g *gate) inspectProtected(c gitx.Change) {
	if isProjection(c.Path) || !slices.ContainsFunc(g.Protect, func(p string) bool { return glob.Match(p, c.Path) }) {
		return
	}
	level := kedge.LevelError
	if isGuarded(c.Path) {
		level = g.Guard
	}
	switch {
	case c.Status == "D":
		g.find(level, "a protected file was deleted", c.Path, restore(g.Base, c.Path))
	case c.Status != "A":
		g.find(level, "a protected file was changed", c.Path, restore(g.Base, c.Path))
	case isGuarded(c.Path):
		g.find(level, "a file was added where only people add files", c.Path, "rm "+quote(c.Path))
	}
}

func restore(base, p string) string {
	return fmt.Sprintf("git restore --source=%s -- %s", base, quote(p))
}

// inspectTests compares the changed test files with what they were, all
// together: a test that moved to another file is not gone.
func (g *gate) inspectTests(ctx context.Context) error {
	var changes []weaken.Change
	for _, c := range g.changed {
		if c.Binary || !weaken.IsTest(c.Path) {
			continue
		}
		before, after, err := g.versions(ctx, c)
		if err != nil {
			return err
		}
		changes = append(changes, weaken.Change{Path: c.Path, Before: before, After: after})
	}
	for _, f := range weaken.All(changes) {
		path, _, _ := strings.Cut(f.Where, ":")
		g.find(f.Level, f.What, f.Where, orElse(f.Fix, restore(g.Base, path)))
	}
	return nil
}

// versions reads a file at the base and as it is now; nil where there is none.
func (g *gate) versions(ctx context.Context, c gitx.Change) (before, after []byte, err error) {
	if c.Status != "A" {
		if before, err = g.Repo.ReadFile(ctx, g.Base, c.Path); err != nil {
			return nil, nil, err
		}
	}
	if c.Status != "D" {
		after, err = g.Repo.ReadFile(ctx, g.before, c.Path)
	}
	return before, after, err
}
