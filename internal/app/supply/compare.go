package supply

import (
	"context"
	"slices"

	"kedge"
	"kedge/internal/app/status"
	"kedge/internal/core/brief"
	"kedge/internal/engine"
	"kedge/internal/journal"
)

// Compare says what changed in a worktree since a checkpoint. What cannot be compared is
// said, and stops nobody.
func (b Writer) Compare(ctx context.Context, id kedge.CheckpointID, tree string) (kedge.Compared, error) {
	out := kedge.Compared{Checkpoint: id, Changed: []kedge.Drift{}}
	c, ok, err := journal.Get[kedge.Checkpoint](ctx, b.p.Store, journal.KindCheckpoint, string(id))
	if err != nil || !ok {
		out.Unknown = "the checkpoint is gone"
		return out, err
	}
	out.Files = len(c.Files)
	out.Changed, err = b.drift(ctx, c.Tree, tree)
	if kedge.NotFound.Is(err) {
		out.Changed, out.Unknown, err = []kedge.Drift{}, "the tree of the checkpoint is gone", nil
	}
	return out, err
}

// drift is what differs between two trees or commits.
func (b Writer) drift(ctx context.Context, from, to string) ([]kedge.Drift, error) {
	out := []kedge.Drift{}
	if from == "" || to == "" {
		return out, nil
	}
	changes, err := b.s.status.Diff(ctx, b.p, from, to)
	for _, ch := range changes {
		out = append(out, kedge.Drift{Path: ch.Path, State: status.DriftState(ch.Status), Added: ch.Added, Removed: ch.Removed})
	}
	return out, err
}

// sinceCheckpoint says what changed since the job's last checkpoint: in the base, by
// others, and of the files in flight.
func (b Writer) sinceCheckpoint(ctx context.Context, base string, at engine.Position, in *brief.RunInput) error {
	list, err := journal.About[kedge.Checkpoint](ctx, b.p.Store, journal.KindCheckpoint, string(at.Session))
	if err != nil || len(list) == 0 {
		return err
	}
	last := list[len(list)-1]
	for _, pair := range [][2]string{{last.Commit, base}, {last.Tree, at.Tree}} {
		changes, err := b.drift(ctx, pair[0], pair[1])
		if kedge.NotFound.Is(err) {
			continue // nobody can tell any more
		}
		if err != nil {
			return err
		}
		for _, d := range changes {
			if !slices.ContainsFunc(in.Drift, func(o kedge.Drift) bool { return o.Path == d.Path }) {
				in.Drift = append(in.Drift, d)
			}
		}
	}
	return nil
}
