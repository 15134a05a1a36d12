package planning

import (
	"context"
	"fmt"
	"os"
	"path"
	"strings"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/app/projects"
	"kedge/internal/core/plan"
	"kedge/internal/core/run"
	"kedge/internal/core/scaffold"
	"kedge/internal/process/atomicfile"
)

// What a repository is for which a plan founds the rest.
const (
	repositoryEmpty = "empty"
	repositorySmall = "small"
)

// smallest is how many files a repository may have to be a small one.
const smallest = 12

// founds tells whether a plan has to give structure, set-up and checks, too: the
// repository at the base is empty, or small and without a check. Empty where it is
// neither.
func (s *Planner) founds(ctx context.Context, p *projects.Project, base string) (string, error) {
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return "", err
	}
	entries, err := repo.List(ctx, base, "")
	if err != nil {
		return "", err
	}
	files := 0
	for _, e := range entries {
		if !kedge.IsOwnPath(e.Path) && !isPaper(e.Path) {
			files++
		}
	}
	if files == 0 {
		return repositoryEmpty, nil
	}
	g, err := projects.Source{Project: p, Repo: repo, Base: base}.Gate(ctx)
	if err != nil || files > smallest || len(g.Checks) > 0 {
		return "", err
	}
	return repositorySmall, nil
}

// missingFounding names what a plan lacks that shall found an empty repository.
func missingFounding(d kedge.PlanData) string {
	doc, err := plan.ParsePlan(kedge.PlanFile, []byte(d.Text))
	if err != nil {
		return ""
	}
	return doc.MissingFounding()
}

// takeUnfounded takes a plan that founds nothing after a session was told so: it is whole
// otherwise, and you decide about it.
func (s *Planner) takeUnfounded(ctx context.Context, p *projects.Project, c run.Command) error {
	who := projects.Caller{Dir: p.Dir, Actor: kedge.ActorDaemon, Key: fmt.Sprintf("unfounded-%s-%d", c.Run, c.Epoch)}
	return s.changePlanBy(ctx, p, c.Run, who, func(d *kedge.PlanData) {
		doc, err := plan.ParsePlan(kedge.PlanFile, []byte(d.Text))
		if err != nil || d.Status != kedge.PlanDrafting {
			return
		}
		doc.SetStatus(kedge.PlanReady)
		d.Status, d.Faults, d.Text = kedge.PlanReady, "", string(doc.Bytes())
	})
}

// isPaper tells whether a file says something about a repository and is no part of what
// it does.
func isPaper(name string) bool {
	base := strings.ToLower(path.Base(name))
	stem := strings.TrimSuffix(base, path.Ext(base))
	switch stem {
	case "readme", "license", "licence", "copying", "notice":
		return true
	}
	return path.Ext(base) == ".md" || base == ".gitignore" || base == ".gitattributes" || base == ".editorconfig"
}

// founded is what a plan gave the project's settings.
type founded struct {
	files  []string // that change
	texts  [][]byte
	checks []string
	setup  string
}

// foundingOf says what of the settings a plan changes, as its approval does. Checks and a
// set-up that are there already stay as they are.
func foundingOf(p *projects.Project, of kedge.Plan) (founded, error) {
	var out founded
	f, _ := plan.FoundingOf(of)
	if len(f.Checks) > 0 {
		text, added, err := amended(p, kedge.GateFile, func(b []byte) ([]byte, []string, error) { return scaffold.WithChecks(kedge.GateFile, b, f.Checks) })
		if err != nil {
			return out, err
		}
		if len(added) > 0 {
			out.files, out.texts, out.checks = append(out.files, kedge.GateFile), append(out.texts, text), added
		}
	}
	if f.Setup == "" {
		return out, nil
	}
	text, changed, err := amended(p, kedge.ConfigFile, func(b []byte) ([]byte, bool, error) {
		return scaffold.WithSetup(kedge.ConfigFile, b, f.Setup, catalog.Kinds())
	})
	if err == nil && changed {
		out.files, out.texts, out.setup = append(out.files, kedge.ConfigFile), append(out.texts, text), f.Setup
	}
	return out, err
}

// amended reads a file of settings and gives it as it shall be.
func amended[T any](p *projects.Project, file string, change func([]byte) ([]byte, T, error)) (text []byte, what T, err error) {
	b, ok, err := p.Read(file)
	if err != nil {
		return nil, what, err
	}
	if !ok {
		b = []byte("version = 1\n")
	}
	return change(b)
}

// found writes what the plan that you approved gives the settings.
func (s *Planner) found(p *projects.Project, data kedge.PlanData) (founded, error) {
	doc, err := plan.ParsePlan(kedge.PlanFile, []byte(data.Text))
	if err != nil {
		return founded{}, err
	}
	f, err := foundingOf(p, doc.Plan)
	if err != nil || len(f.files) == 0 {
		return f, err
	}
	root, err := os.OpenRoot(p.Dir)
	if err != nil {
		return f, kedge.Errorf(kedge.Internal, "cannot open the project's folder %q: %w", p.Dir, err)
	}
	defer func() { _ = root.Close() }()
	for i, file := range f.files {
		if err := atomicfile.WriteIn(root, file, f.texts[i], 0o644); err != nil {
			return f, kedge.Errorf(kedge.Internal, "cannot write %s: %w", file, err)
		}
	}
	return f, nil
}
