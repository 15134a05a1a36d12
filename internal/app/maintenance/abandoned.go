package maintenance

import (
	"context"
	"errors"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/engine/gate"
	"kedge/internal/git"
	"kedge/internal/git/slot"
)

// ClearAbandoned takes away the worktrees of sessions that never began, because the
// daemon was killed while it made them. A set-up that still runs there is ended. What is
// in them and in no commit is set aside.
func ClearAbandoned(ctx context.Context, h *projects.Home, p *projects.Project, repo *git.Repo) error {
	p.Clearing.Lock() // two would end one set-up, and one of them would fail
	defer p.Clearing.Unlock()
	slots := h.Slots(p, repo)
	list, err := slots.Abandoned(p.Begun(ctx))
	for _, r := range list {
		err = errors.Join(err, clearAbandoned(ctx, h, p, slots, r))
	}
	return err
}

func clearAbandoned(ctx context.Context, h *projects.Home, p *projects.Project, slots *slot.Slots, r slot.Session) error {
	if err := gate.Forget(ctx, r.Logs); err != nil {
		return err
	}
	return slots.ClearAbandoned(ctx, r, p.Begun(ctx), slot.Request{
		Name: "abandoned-" + string(r.Session), Reason: "session " + r.Name + " never began, so its worktree was not needed", At: h.Now(), Base: r.Base,
		Saved: JournalSalvage(h, p, projects.Caller{Dir: p.Dir, Actor: kedge.ActorDaemon}),
	})
}

// JournalSalvage records what is set aside, once.
func JournalSalvage(h *projects.Home, p *projects.Project, who projects.Caller) func(context.Context, kedge.Salvage) error {
	return func(ctx context.Context, saved kedge.Salvage) error {
		who.Key = "salvage-" + string(saved.ID)
		_, err := h.Write(ctx, p, who, func() ([]kedge.Event, error) {
			return projects.One(projects.Event(kedge.SalvageMade, who, saved))
		})
		return err
	}
}
