package planning

import (
	"context"
	"slices"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/core/plan"
	"kedge/internal/git"
	"kedge/internal/git/slot"
)

// PlanDiffRequest names a phase of the approved plan: by its number, id or title.
type PlanDiffRequest struct {
	Phase string `json:"phase"`
}

// PlanDiffReply is what a phase came to, and the diff that its work made. Kedge's own
// files are no part of it.
type PlanDiffReply struct {
	Phase   string       `json:"phase"`
	Title   string       `json:"title"`
	Summary string       `json:"summary"`
	Commits []string     `json:"commits"` // the work commits of its features, the oldest first
	Files   []git.Change `json:"files"`
	Patch   string       `json:"patch"`
	Whole   bool         `json:"whole"` // the patch was not cut
}

// maxPatch bounds the patch of an answer, in bytes.
const maxPatch = 4 << 20

// PlanDiff shows what the work of one phase changed. Where other work came between, the
// patches of its commits follow one another.
func (s *Planner) PlanDiff(ctx context.Context, who projects.Caller, in PlanDiffRequest) (PlanDiffReply, error) {
	l, p, err := s.book.ReadFeatures(ctx, who)
	if err != nil {
		return PlanDiffReply{}, err
	}
	ph, err := ledger.FindPlanPhase(l, in.Phase)
	if err != nil {
		return PlanDiffReply{}, err
	}
	r := PlanDiffReply{Phase: ph.ID, Title: ph.Title, Commits: []string{}, Files: []git.Change{}, Whole: true}
	if r.Summary, err = ledger.PhaseSummary(ctx, p, l, ph); err != nil {
		return r, err
	}
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return r, err
	}
	spans, err := phaseSpans(ctx, p, repo, l, ph, &r)
	if err != nil {
		return r, err
	}
	for _, span := range spans {
		if err := r.add(ctx, repo, span); err != nil {
			return r, err
		}
	}
	return r, nil
}

// span is a stretch of history that holds nothing but work of the phase.
type span struct{ from, to string }

// phaseSpans finds the work commits of a phase on the branch of the last run, or on the
// one that is checked out, and puts those together that follow one another. Commits of
// Kedge's ledger do not part them: what they change is no part of the diff.
func phaseSpans(ctx context.Context, p *projects.Project, repo *git.Repo, l ledger.Snapshot, ph ledger.PlanPhase, r *PlanDiffReply) ([]span, error) {
	list, err := commitsSincePlan(ctx, p, repo, l)
	if err != nil {
		return nil, err
	}
	var out []span
	joined := false
	for _, c := range slices.Backward(list) { // the oldest first
		id := kedge.FeatureID(c.Trailer("Kedge-Feature"))
		switch {
		case id != "" && slices.Contains(ph.Made, id) && len(c.Parents) > 0:
			r.Commits = append(r.Commits, c.SHA)
			if joined {
				out[len(out)-1].to = c.SHA
			} else {
				out = append(out, span{c.Parents[0], c.SHA})
			}
			joined = true
		case c.Trailer("Kedge-Ledger") != "": // Kedge's own files
		default:
			joined = false
		}
	}
	return out, nil
}

// commitsSincePlan are the commits since the plan was approved, the newest first.
func commitsSincePlan(ctx context.Context, p *projects.Project, repo *git.Repo, l ledger.Snapshot) ([]git.CommitInfo, error) {
	d, err := plan.ParsePlan(ledger.PlanFile, []byte(l.Plan.Text))
	if err != nil {
		return nil, err
	}
	last, err := ledger.LastWorkRun(ctx, p)
	if err != nil {
		return nil, err
	}
	for _, tip := range []string{last.Tip, "HEAD"} {
		if tip == "" {
			continue
		}
		list, err := repo.Since(ctx, d.Plan.Base, tip)
		if err == nil && len(list) > 0 {
			return list, nil
		}
	}
	return repo.Since(ctx, "", "HEAD") // the base is gone: all there is
}

// add takes the difference over a stretch into the answer.
func (r *PlanDiffReply) add(ctx context.Context, repo *git.Repo, sp span) error {
	trees := [2]string{}
	for i, rev := range []string{sp.from, sp.to} {
		tree, err := repo.TreeOf(ctx, rev)
		if err != nil {
			return err
		}
		if trees[i], err = repo.TreeWithout(ctx, tree, slot.Kedges...); err != nil {
			return err
		}
	}
	files, err := repo.Diff(ctx, trees[0], trees[1])
	if err != nil {
		return err
	}
	patch, err := repo.Patch(ctx, trees[0], trees[1])
	r.Files = append(r.Files, files...)
	r.Patch += string(patch)
	if len(r.Patch) > maxPatch {
		r.Patch, r.Whole = r.Patch[:maxPatch], false
	}
	return err
}
