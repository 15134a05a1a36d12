package landing

import (
	"context"
	"slices"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/core/run"
	"kedge/internal/git"
	"kedge/internal/journal"
	"kedge/internal/text/words"
)

// refMove is a move of a ref while a session of a feature worked.
type refMove struct {
	kedge.RefMove
	Feature kedge.FeatureID
}

// words tell what is on a branch and what a person can do about it.
func (m refMove) words() string {
	out := "got commit " + words.Hash(m.To) + " while " + string(m.Session) + " worked"
	if m.Feature != "" {
		out += " on " + string(m.Feature)
	}
	return out + ". The commit is also in that session's worktree, and Kedge has not checked it. Look at it: git show " + m.To +
		"; if the commit is not yours, remove it: " + m.Undo().String()
}

// RefMoves are the moves of branches that the journal knows, those of verdicts first.
func RefMoves(ctx context.Context, p *projects.Project) ([]refMove, error) {
	var out []refMove
	add := func(id kedge.FeatureID, found []kedge.Finding) {
		for _, f := range found {
			m, is := kedge.RefMoveOf(f)
			if is && !slices.ContainsFunc(out, func(o refMove) bool { return o.RefMove == m }) {
				out = append(out, refMove{m, id})
			}
		}
	}
	verdicts, err := projects.All[kedge.Evidence](ctx, p, journal.KindEvidence)
	if err != nil {
		return nil, err
	}
	for _, ev := range verdicts {
		add(ev.Feature, ev.Verdict.Findings)
	}
	looks, err := projects.All[kedge.Inspection](ctx, p, journal.KindInspection)
	for _, in := range looks {
		add(in.Feature, in.Findings)
	}
	return out, err
}

// Brought tells whether a move brought a commit to the ref: it is in where that came
// to, and was not in where it came from. What the repository has no more did not.
func (m refMove) Brought(ctx context.Context, repo *git.Repo, commit string) (bool, error) {
	for _, of := range []struct {
		end string
		has bool
	}{{m.To, true}, {m.From, false}} {
		at, err := repo.Resolve(ctx, of.end)
		if err != nil {
			return false, unlessNone(err)
		}
		if has, err := repo.Descends(ctx, at, commit); err != nil || has != of.has {
			return false, err
		}
	}
	return true, nil
}

// movedTo are the moves of a ref to what a session's own worktree has, as far as a
// commit has that and another, if there is one, has not.
func movedTo(ctx context.Context, p *projects.Project, repo *git.Repo, ref, at, without string) ([]refMove, error) {
	all, err := RefMoves(ctx, p)
	if err != nil {
		return nil, err
	}
	var out []refMove
	for _, m := range all {
		if !m.Within || m.Ref != ref {
			continue
		}
		to, err := repo.Resolve(ctx, m.To)
		if kedge.NotFound.Is(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		has, err := repo.Descends(ctx, at, to)
		if err != nil {
			return nil, err
		}
		known := false
		if has && without != "" {
			if known, err = repo.Descends(ctx, without, to); err != nil {
				return nil, err
			}
		}
		if has && !known {
			out = append(out, m)
		}
	}
	return out, nil
}

// notesOnMoved say what is on the user's branch that an agent may have put there and
// no run has built on yet.
func notesOnMoved(ctx context.Context, p *projects.Project, repo *git.Repo, head git.Head, st run.State) ([]string, error) {
	if head.Branch == "" || head.Commit == "" {
		return nil, nil
	}
	tip := st.Tip
	if tip != "" {
		known, err := repo.Has(ctx, tip)
		if err != nil {
			return nil, err
		}
		if !known {
			tip = ""
		}
	}
	moves, err := movedTo(ctx, p, repo, "refs/heads/"+head.Branch, head.Commit, tip)
	var out []string
	for _, m := range moves {
		out = append(out, "branch \""+head.Branch+"\" "+m.words())
	}
	return out, err
}

// MovedBySessions is the latest move of a branch, which is at a commit, to what a session's
// own worktree has.
func (s *Landing) MovedBySessions(p *projects.Project) func(ctx context.Context, ref, at string) (kedge.RefMove, bool, error) {
	return func(ctx context.Context, ref, at string) (kedge.RefMove, bool, error) {
		repo, err := s.home.Git(ctx, p)
		if err != nil {
			return kedge.RefMove{}, false, err
		}
		moves, err := movedTo(ctx, p, repo, ref, at, "")
		if err != nil || len(moves) == 0 {
			return kedge.RefMove{}, false, err
		}
		return moves[len(moves)-1].RefMove, true, nil
	}
}
