package maintenance

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/git"
)

// Waiting are those of the findings on work that wait for your approval, and the contents
// that you would approve. What you approved of this very work, with these contents, is not
// among them.
func Waiting(ctx context.Context, p *projects.Project, repo *git.Repo, w Done, found []kedge.Finding) ([]kedge.Trusted, []kedge.Finding, error) {
	var items []kedge.Trusted
	var out []kedge.Finding
	var content map[string]string
	approved, err := approvedFor(ctx, p, w)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range found {
		if !f.Waits {
			continue
		}
		if content == nil {
			if content, err = contentsOf(ctx, repo, w.Tree); err != nil {
				return nil, nil, err
			}
		}
		item := kedge.Trusted{Path: f.Where, SHA256: contentHash(f.What + "\n" + content[f.Where])}
		if !approved(item) {
			items, out = append(items, item), append(out, f)
		}
	}
	return items, out, nil
}

// contentsOf gives the mode and the blob of each file of a tree.
func contentsOf(ctx context.Context, repo *git.Repo, tree string) (map[string]string, error) {
	list, err := repo.List(ctx, tree, "")
	out := make(map[string]string, len(list))
	for _, e := range list {
		out[e.Path] = e.Mode + " " + e.SHA
	}
	return out, err
}

func contentHash(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}
