package gate

import (
	"context"

	"kedge"
)

// Inspect gives what a gate would find in a tree without running anything:
// protected paths and weakened tests, measured from the request's Base.
func Inspect(ctx context.Context, q Request, tree string) ([]kedge.Finding, error) {
	g := &gate{Request: q, before: tree, ports: map[string]int{}, told: map[string]bool{}}
	if g.Guard == "" {
		g.Guard = kedge.LevelError
	}
	var err error
	if g.changed, err = g.Repo.Diff(ctx, g.Base, tree); err != nil {
		return nil, err
	}
	return g.findings(ctx)
}

func (g *gate) findings(ctx context.Context) ([]kedge.Finding, error) {
	g.verdict.Verdict, g.verdict.Findings = kedge.ValidationOK, []kedge.Finding{}
	err := g.inspect(ctx)
	return g.verdict.Findings, err
}
