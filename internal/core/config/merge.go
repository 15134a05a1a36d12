package config

import (
	"fmt"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/text/glob"
)

// MergeRules say how conflicts between the work of features are resolved without an
// agent.
type MergeRules struct {
	Union      []string     `toml:"union"`      // globs of files that get the lines of both sides
	Regenerate []Regenerate `toml:"regenerate"` // files that a command can make
}

// Regenerate is a command that makes files.
type Regenerate struct {
	Paths []string `toml:"paths"` // globs of these files
	Run   string   `toml:"run"`
}

// Unites tells whether a conflict in a file is resolved with the lines of both sides.
func (m MergeRules) Unites(path string) bool { return matchesAny(m.Union, path) }

// Regenerates tells whether a command can make a file. Then its lines are not united.
func (m MergeRules) Regenerates(path string) bool {
	_, ok := m.For(path)
	return ok
}

// For gives the first rule that can make a file.
func (m MergeRules) For(path string) (Regenerate, bool) {
	i := m.first(path)
	if i < 0 {
		return Regenerate{}, false
	}
	return m.Regenerate[i], true
}

func (m MergeRules) first(path string) int {
	return slices.IndexFunc(m.Regenerate, func(r Regenerate) bool { return r.Makes(path) })
}

// Needed are the rules that make files, in the order in which they stand.
func (m MergeRules) Needed(files []string) []Regenerate {
	var out []Regenerate
	for i, r := range m.Regenerate {
		if slices.ContainsFunc(files, func(p string) bool { return m.first(p) == i }) {
			out = append(out, r)
		}
	}
	return out
}

// Makes tells whether the command makes a file.
func (r Regenerate) Makes(path string) bool { return matchesAny(r.Paths, path) }

func matchesAny(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return glob.Match(p, path) })
}

func (c Config) checkMerge() error {
	if err := c.checkMerged("merge.union", c.Merge.Union); err != nil {
		return err
	}
	for i, r := range c.Merge.Regenerate {
		key := fmt.Sprintf("merge.regenerate[%d]", i)
		switch {
		case len(r.Paths) == 0:
			return c.src.at(key, "an entry of %q names no files", "merge.regenerate").WithHint(`add the files to the entry, for example: paths = ["package-lock.json"]`)
		case strings.TrimSpace(r.Run) == "":
			return c.src.at(key+".run", "an entry of %q has no command that makes %s", "merge.regenerate", strings.Join(r.Paths, ", ")).
				WithHint(`add a command to the entry, for example: run = "npm install --package-lock-only"`)
		}
		if err := c.checkMerged(key+".paths", r.Paths); err != nil {
			return err
		}
	}
	return nil
}

// checkMerged refuses patterns that can match no file of the project, or that match
// Kedge's own, which no merge of work contains.
func (c Config) checkMerged(key string, patterns []string) error {
	if err := checkGlobs(c.src, key, patterns); err != nil {
		return err
	}
	for _, p := range patterns {
		if kedge.IsOwnPath(p) {
			return c.src.at(key, "%q cannot name %q: Kedge writes its own files, and no work contains them", key, p)
		}
	}
	return nil
}
