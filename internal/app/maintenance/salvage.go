package maintenance

import (
	"context"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/git"
	"kedge/internal/text/words"
)

// SalvageListRequest asks for all salvage of the project.
type SalvageListRequest struct{}

// SalvageListReply lists salvage, oldest first.
type SalvageListReply struct {
	Salvages []kedge.Salvage `json:"salvages"`
}

// namedPaths is how many files of a salvage are named.
const namedPaths = 3

// SalvageList lists the salvage in the repository. It does not need the journal. What was
// for no feature is known by its first files.
func (s *Maintenance) SalvageList(ctx context.Context, who projects.Caller, _ SalvageListRequest) (SalvageListReply, error) {
	_, repo, err := s.home.Repository(ctx, who)
	if err != nil {
		return SalvageListReply{}, err
	}
	list, err := repo.Salvages(ctx)
	for i, v := range list {
		if v.Feature() != "" {
			continue
		}
		paths, err := repo.SalvagePaths(ctx, v)
		if err != nil { // what it stood on may be gone
			continue
		}
		list[i].Paths = paths[:min(namedPaths, len(paths))]
	}
	return SalvageListReply{Salvages: list}, err
}

// SalvageRestoreRequest asks to restore one salvage into the caller's worktree.
type SalvageRestoreRequest struct {
	ID kedge.SalvageID `json:"id"`
}

// SalvageRestoreReply says what was restored, and where.
type SalvageRestoreReply struct {
	Salvage kedge.Salvage `json:"salvage"`
	Dir     string        `json:"dir"`
}

// SalvageRestore restores a salvage. If a file that it needs has other changes, it gives
// Conflict and changes nothing. Restoring twice changes nothing more.
func (s *Maintenance) SalvageRestore(ctx context.Context, who projects.Caller, in SalvageRestoreRequest) (SalvageRestoreReply, error) {
	p, repo, err := s.home.Repository(ctx, who)
	if err != nil {
		return SalvageRestoreReply{}, err
	}
	evs, err := s.home.Write(ctx, p, who, func() ([]kedge.Event, error) {
		v, err := repo.Restore(ctx, git.RestoreRequest{ID: in.ID, Attic: s.home.Attic(p)})
		if err != nil {
			return nil, err
		}
		return projects.One(projects.Event(kedge.SalvageRestored, who, kedge.SalvageRestoredData{Salvage: v, Dir: p.Dir}))
	})
	if err != nil {
		return SalvageRestoreReply{}, err
	}
	d, err := projects.Data[kedge.SalvageRestoredData](evs[0])
	return SalvageRestoreReply{Salvage: d.Salvage, Dir: d.Dir}, err
}

// SalvageGCRequest names the age from which salvage is deleted: 30d, 2w, 12h.
type SalvageGCRequest struct {
	OlderThan string `json:"older_than"`
}

// SalvageGCReply says what was deleted or, for a dry run, would be.
type SalvageGCReply struct {
	Dropped []kedge.Salvage `json:"dropped"`
	DryRun  bool            `json:"dry_run"`
}

// SalvageOld says what SalvageGC would delete.
func (s *Maintenance) SalvageOld(ctx context.Context, who projects.Caller, in SalvageGCRequest) (SalvageGCReply, error) {
	_, repo, err := s.home.Repository(ctx, who)
	if err != nil {
		return SalvageGCReply{}, err
	}
	old, err := s.oldSalvage(ctx, repo, in.OlderThan)
	return SalvageGCReply{Dropped: old, DryRun: true}, err
}

// SalvageGC deletes old salvage for good. It is the one command that deletes work, so
// agents may not call it, and the journal records first what it deletes.
func (s *Maintenance) SalvageGC(ctx context.Context, who projects.Caller, in SalvageGCRequest) (SalvageGCReply, error) {
	if who.IsAgent() {
		id, _ := who.Session()
		return SalvageGCReply{}, kedge.Errorf(kedge.Blocked, "this is session %q, and agents may not delete work that was set aside (salvage)", id).
			WithHint("ask the user to run: kedge salvage gc --older-than %s", in.OlderThan)
	}
	p, repo, err := s.home.Repository(ctx, who)
	if err != nil {
		return SalvageGCReply{}, err
	}
	evs, err := s.home.Write(ctx, p, who, func() ([]kedge.Event, error) {
		old, err := s.oldSalvage(ctx, repo, in.OlderThan)
		if err != nil {
			return nil, err
		}
		return projects.EventsOf(kedge.SalvageDropped, who, old)
	})
	if err != nil {
		return SalvageGCReply{}, err
	}
	r := SalvageGCReply{Dropped: []kedge.Salvage{}}
	for _, ev := range evs {
		v, err := projects.Data[kedge.Salvage](ev)
		if err != nil {
			return r, err
		}
		// An answer that was lost, or a crash on the way, brings us here twice.
		if err := repo.DropSalvage(ctx, v.ID, s.home.Attic(p)); err != nil && !kedge.NotFound.Is(err) {
			return r, err
		}
		r.Dropped = append(r.Dropped, v)
	}
	return r, nil
}

func (s *Maintenance) oldSalvage(ctx context.Context, repo *git.Repo, text string) ([]kedge.Salvage, error) {
	d, err := words.ParseAge(text)
	if err != nil {
		return nil, err
	}
	list, err := repo.Salvages(ctx)
	old := []kedge.Salvage{}
	for _, v := range list {
		if s.home.Now().Sub(v.At) > d {
			old = append(old, v)
		}
	}
	return old, err
}
