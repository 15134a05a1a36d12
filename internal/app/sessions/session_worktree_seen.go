package sessions

import (
	"context"
	"os"

	"kedge"
	"kedge/internal/app/projects"
)

// worktrees looks at the worktrees of a project's sessions, at each once.
type worktrees struct {
	home *projects.Home
	p    *projects.Project
	seen map[string]kedge.SessionWorktree
}

func (s *Manager) worktreesOf(p *projects.Project) worktrees {
	return worktrees{home: s.home, p: p, seen: map[string]kedge.SessionWorktree{}}
}

// shown is a session with what is true of its worktree now.
func (w worktrees) shown(ctx context.Context, ses kedge.Session) kedge.Session {
	if ses.Worktree == nil {
		return ses
	}
	now, known := w.seen[ses.Worktree.Path]
	if !known {
		now = w.look(ctx, *ses.Worktree)
		w.seen[now.Path] = now
	}
	own := *ses.Worktree
	own.Changed, own.Gone = now.Changed, now.Gone
	ses.Worktree = &own
	return ses
}

func (w worktrees) look(ctx context.Context, own kedge.SessionWorktree) kedge.SessionWorktree {
	if _, err := os.Stat(own.Path); err != nil {
		own.Gone = true
		return own
	}
	p := w.p.In(own.Path)
	p.Git = true
	repo, err := w.home.Git(ctx, p)
	if err != nil {
		return own // unknown
	}
	at, err := repo.In(ctx, own.Path)
	if err != nil {
		return own
	}
	if changed, err := at.Dirty(ctx); err == nil { // a look must write nothing, so no tree is made
		own.Changed = &changed
	}
	return own
}
