package gitx

import "context"

// In gives another work tree of the same repository by its root. What a crash of
// Kedge left undone in it is finished. Invalid when it is none of them.
func (r *Repo) In(ctx context.Context, dir string) (*Repo, error) {
	w, err := r.at(ctx, dir)
	if err != nil {
		return nil, err
	}
	return w, w.finish(ctx)
}
