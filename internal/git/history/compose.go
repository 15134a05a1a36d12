package history

import (
	"context"
	"path"
	"slices"
	"strings"

	"kedge/internal/git/hardened"
)

// Piece is one path of a composed tree: as it is in From, a tree or a commit, and gone if it is
// not there; or, with Text, a file with this content.
type Piece struct {
	Path string
	From string
	Text []byte
}

// Compose gives a tree with some paths as the pieces say. A folder that becomes empty is gone.
func (r *Repo) Compose(ctx context.Context, tree string, pieces []Piece) (string, error) {
	for _, p := range pieces {
		if err := hardened.CheckPath(p.Path); err != nil {
			return "", err
		}
	}
	tree, err := r.TreeOf(ctx, tree)
	if err != nil || len(pieces) == 0 {
		return tree, err
	}
	put, err := r.entriesOf(ctx, tree, pieces)
	if err != nil {
		return "", err
	}
	return r.compose(ctx, tree, put)
}

// entriesOf gives what stands at the paths of pieces; nil is nothing.
func (r *Repo) entriesOf(ctx context.Context, tree string, pieces []Piece) (map[string]*Entry, error) {
	put := map[string]*Entry{}
	finders := map[string]func(string) (*Entry, error){}
	find := func(rev, p string) (*Entry, error) {
		if finders[rev] == nil {
			f, err := r.entries(ctx, rev, len(pieces))
			if err != nil {
				return nil, err
			}
			finders[rev] = f
		}
		return finders[rev](p)
	}
	for _, p := range pieces {
		var err error
		if p.Text == nil {
			put[p.Path], err = find(p.From, p.Path)
		} else {
			put[p.Path], err = r.written(ctx, p, func() (*Entry, error) { return find(tree, p.Path) })
		}
		if err != nil {
			return nil, err
		}
	}
	return put, nil
}

// written stores the text of a piece, with the mode that the file has.
func (r *Repo) written(ctx context.Context, p Piece, was func() (*Entry, error)) (*Entry, error) {
	now, err := was()
	if err != nil {
		return nil, err
	}
	out, err := r.g.Run(ctx, hardened.Call{Args: []string{"hash-object", "-w", "--no-filters", "--stdin"}, Stdin: p.Text})
	if err != nil {
		return nil, err
	}
	e := &Entry{Path: p.Path, Mode: "100644", Type: "blob", SHA: strings.TrimSpace(string(out))}
	if now != nil && now.Type == "blob" {
		e.Mode = now.Mode
	}
	return e, nil
}

// compose puts entries, by their paths, into a tree; an empty tree is that of nothing.
func (r *Repo) compose(ctx context.Context, tree string, put map[string]*Entry) (string, error) {
	var entries []Entry
	if tree != "" {
		var err error
		if entries, err = r.lsTree(ctx, tree); err != nil {
			return "", err
		}
	}
	below := map[string]map[string]*Entry{}
	for p, e := range put {
		first, rest, deep := strings.Cut(p, "/")
		if deep {
			if below[first] == nil {
				below[first] = map[string]*Entry{}
			}
			below[first][rest] = e
			continue
		}
		entries = replaced(entries, first, e)
	}
	for name, inside := range below {
		sub := ""
		if i := slices.IndexFunc(entries, func(e Entry) bool { return e.Path == name && e.Type == "tree" }); i >= 0 {
			sub = entries[i].SHA
		}
		made, err := r.compose(ctx, sub, inside)
		if err != nil {
			return "", err
		}
		var e *Entry
		if full, err := r.isFull(ctx, made); err != nil {
			return "", err
		} else if full {
			e = &Entry{Mode: "040000", Type: "tree", SHA: made}
		}
		if e != nil || sub != "" {
			entries = replaced(entries, name, e)
		}
	}
	return r.makeTree(ctx, entries)
}

// replaced gives the entries with another one, or none, in the place of a name.
func replaced(entries []Entry, name string, e *Entry) []Entry {
	entries = slices.DeleteFunc(slices.Clone(entries), func(o Entry) bool { return path.Base(o.Path) == name })
	if e == nil {
		return entries
	}
	at := *e
	at.Path = name
	return append(entries, at)
}
