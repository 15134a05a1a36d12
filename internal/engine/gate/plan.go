package gate

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/core/check"
)

// step is one check with what was decided about it.
type step struct {
	check    kedge.Check
	own      bool   // a feature's own check
	always   bool   // it runs also where one before it is red
	line     string // the shell line, or the request
	selected []string
	skip     string // why it is not run
}

// NotAsked is why a check is skipped when others are named.
const NotAsked = "not asked for"

// plan puts the checks in order and decides which of them run.
func (g *gate) plan(ctx context.Context) ([]step, error) {
	var steps []step
	for _, c := range g.Checks {
		steps = append(steps, step{check: c})
	}
	for i, c := range g.Own {
		steps = append(steps, step{check: c, own: true, always: i < g.OwnAlways})
	}
	if len(steps) == 0 {
		return nil, kedge.Errorf(kedge.Invalid, "the project has no check to run").
			WithHint("add a check to .kedge/gate.toml: a [[check]] block with name and run")
	}
	if err := g.checkNames(steps); err != nil {
		return nil, err
	}
	slices.SortStableFunc(steps, func(a, b step) int { return rank(a) - rank(b) })
	for _, s := range steps {
		if err := g.validate(s); err != nil {
			return nil, err
		}
	}
	packages := goPackages{dir: g.Dir, env: g.Env}
	for i := range steps {
		if err := g.decide(ctx, &steps[i], &packages); err != nil {
			return nil, err
		}
	}
	return steps, nil
}

func rank(s step) int { return check.Rank(check.KindOf(s.check)) }

// validate refuses a check that today's rules do not allow, wherever it came from: an
// older Kedge may have let it into the journal.
func (g *gate) validate(s step) error {
	f := check.Validate(s.check)
	switch {
	case f == nil:
		return nil
	case s.own:
		return kedge.Errorf(kedge.Invalid, "the checks cannot run: %s", f.What).
			WithHint("correct the feature's check: kedge feature amend %s --definition FILE --reason WHY", orElse(string(g.Feature), "ID"))
	}
	return kedge.Errorf(kedge.Invalid, "the checks cannot run: %s", f.What).WithHint("edit .kedge/gate.toml: %s", f.Fix)
}

func (g *gate) checkNames(steps []step) error {
	var known []string
	for _, s := range steps {
		known = append(known, s.check.Name)
	}
	for _, n := range g.Names {
		if !slices.Contains(known, n) {
			return kedge.Errorf(kedge.Invalid, "there is no check %q", n).WithHint("name one of these checks: %s", strings.Join(known, ", "))
		}
	}
	return nil
}

// decide says whether the step runs, and how its line reads.
func (g *gate) decide(ctx context.Context, s *step, packages *goPackages) error {
	s.selected = []string{}
	named := slices.Contains(g.Names, s.check.Name)
	if len(g.Names) > 0 && !named {
		s.skip = NotAsked
	}
	covered := g.covered(s.check)
	if len(s.check.Paths) > 0 {
		s.selected = limit(covered)
		if len(covered) == 0 && !named && g.selective() {
			s.skip = orElse(s.skip, "none of its files changed")
		}
	}
	switch {
	case !check.Of(s.check).Shell:
		s.line = check.Text(s.check)
	case check.IsBlank(s.check.Touched) || !check.IsBlank(s.check.Run) && !g.selective():
		s.line = s.check.Run
	default:
		return g.touch(ctx, s, covered, named, packages)
	}
	return nil
}

// selective: only what changed counts, and what changed is known.
func (g *gate) selective() bool { return g.Scope != Full && g.Repo != nil }

// covered gives the changed paths that the check covers.
func (g *gate) covered(c kedge.Check) []string {
	var out []string
	for _, ch := range g.changed {
		if len(c.Paths) == 0 && !kedge.IsGenerated(ch.Path) || matchAny(c.Paths, ch.Path) {
			out = append(out, ch.Path)
		}
	}
	return out
}

// maxLine bounds a shell line; the kernel refuses an argument of 128 KB.
const maxLine = 100_000

// touch fills in {packages} and {paths}.
func (g *gate) touch(ctx context.Context, s *step, covered []string, named bool, packages *goPackages) error {
	sel := selection{packages: []string{"./..."}, paths: []string{"."}}
	if g.selective() {
		var err error
		if sel, err = g.choose(ctx, s.check.Touched, covered, packages); err != nil {
			return err
		}
	}
	s.selected = limit(sel.why)
	if sel.empty(s.check.Touched) {
		if !named {
			s.skip = orElse(s.skip, "none of its files changed")
		} else if s.line = s.check.Run; s.line != "" {
			return nil
		}
		sel = sel.whole()
	}
	if s.line = sel.fill(s.check.Touched); len(s.line) > maxLine {
		s.line = selection{}.whole().fill(s.check.Touched)
		s.selected = append(s.selected, "too many: everything")
	}
	return nil
}

// choose finds what the changed paths select.
func (g *gate) choose(ctx context.Context, line string, covered []string, packages *goPackages) (selection, error) {
	sel := selection{paths: g.existing(covered)}
	if !strings.Contains(line, "{packages}") {
		sel.why = covered
		return sel, nil
	}
	var err error
	sel.packages, sel.why, err = packages.touchedBy(ctx, covered)
	return sel, err
}

// existing leaves out what was deleted: a tool cannot be given it.
func (g *gate) existing(paths []string) []string {
	gone := map[string]bool{}
	for _, c := range g.changed {
		gone[c.Path] = c.Status == "D"
	}
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return gone[p] })
}

// selection is what a touched line is about, and why.
type selection struct {
	packages, paths, why []string
}

func (selection) whole() selection {
	return selection{packages: []string{"./..."}, paths: []string{"."}}
}

// empty: one of the places in the line has nothing to stand there.
func (s selection) empty(line string) bool {
	return strings.Contains(line, "{packages}") && len(s.packages) == 0 || strings.Contains(line, "{paths}") && len(s.paths) == 0
}

func (s selection) fill(line string) string {
	return strings.NewReplacer("{packages}", quoteAll(s.packages), "{paths}", quoteAll(s.paths)).Replace(line)
}

// quoteAll makes words that the shell takes literally. A path that starts with a
// dash gets a folder in front, so that no tool takes it for a flag.
func quoteAll(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		if strings.HasPrefix(w, "-") {
			w = "./" + w
		}
		out[i] = quote(w)
	}
	return strings.Join(out, " ")
}

const safeChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/+,:@%="

func quote(w string) string {
	if w != "" && strings.Trim(w, safeChars) == "" {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

// maxSelected bounds what a verdict says about its selection.
const maxSelected = 50

func limit(list []string) []string {
	if len(list) <= maxSelected {
		return append([]string{}, list...)
	}
	return append(slices.Clone(list[:maxSelected]), fmt.Sprintf("and %d more", len(list)-maxSelected))
}

func orElse(s, other string) string {
	if s != "" {
		return s
	}
	return other
}

// logPath is unique in the gate: a feature's check may have the name of another.
func (g *gate) logPath(i int, name string) string {
	return filepath.Join(g.LogDir, fmt.Sprintf("%02d-%s.log", i+1, name))
}
