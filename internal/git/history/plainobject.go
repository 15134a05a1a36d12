package history

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"kedge/internal/git/hardened"
	"kedge/internal/git/stored"
)

// What runs ask for again and again was mostly written a moment ago: it is in files
// of its own, and no process is needed to read it. Everything here gives false where
// git has to be asked.

// object reads an object by its full name.
func (r *Repo) object(sha string) (kind string, body []byte, ok bool) {
	if hardened.CheckSHA("object", sha) != nil || len(sha) != r.g.SHALen() {
		return "", nil, false
	}
	return stored.Object(filepath.Join(r.g.CommonDir(), "objects"), sha)
}

// plainRev is the full name behind a revision: one itself, HEAD, a branch or a ref of
// Kedge's.
func (r *Repo) plainRev(rev string) (string, bool) {
	if hardened.CheckSHA("object", rev) == nil {
		return rev, true
	}
	if rev == "HEAD" {
		h, ok := r.plainHead()
		return h.Commit, ok
	}
	return r.looseRef(rev)
}

// plainTree is the tree of a revision.
func (r *Repo) plainTree(rev string) (string, bool) {
	sha, ok := r.plainRev(rev)
	if !ok {
		return "", false
	}
	kind, body, ok := r.object(sha)
	switch {
	case ok && kind == "tree":
		return sha, true
	case ok && kind == "commit":
		line, _, _ := strings.Cut(string(body), "\n")
		tree, is := strings.CutPrefix(line, "tree ")
		return tree, is && r.has(tree)
	default:
		return "", false
	}
}

// has tells whether an object is there in a file of its own that can be read.
func (r *Repo) has(sha string) bool {
	_, _, ok := r.object(sha)
	return ok
}

// plainCommit is the commit behind a revision.
func (r *Repo) plainCommit(rev string) (sha string, text []byte, ok bool) {
	if sha, ok = r.plainRev(rev); !ok {
		return "", nil, false
	}
	kind, body, ok := r.object(sha)
	return sha, body, ok && kind == "commit"
}

// plainEntries are the entries of a tree, below a folder whose name is put before
// theirs.
func (r *Repo) plainEntries(tree, under string) ([]Entry, bool) {
	kind, body, ok := r.object(tree)
	if !ok || kind != "tree" {
		return nil, false
	}
	list, ok := stored.Tree(body, r.g.SHALen())
	out := make([]Entry, 0, len(list))
	for _, e := range list {
		out = append(out, Entry{Path: below(under, e.Name), Mode: e.Mode, Type: e.Type(), SHA: e.SHA})
	}
	return out, ok
}

// below is the path of a name in a folder, as it stands: nothing in it is resolved.
func below(under, name string) string {
	if under == "" {
		return name
	}
	return under + "/" + name
}

// Bounds of a tree that is read without git: few objects can stand for a tree
// without an end.
const (
	maxEntries = 1 << 16
	maxDepth   = 128
)

// plainAll are all files of a tree, at any depth.
func (r *Repo) plainAll(tree string) ([]Entry, bool) {
	left := maxEntries
	return r.plainBelow(tree, "", &left, maxDepth)
}

// plainBelow are the files below a folder of a tree: left and depth are how many
// entries and folders below each other may be read yet.
func (r *Repo) plainBelow(tree, under string, left *int, depth int) ([]Entry, bool) {
	list, ok := r.plainEntries(tree, under)
	*left -= len(list)
	if !ok || *left < 0 || depth == 0 {
		return nil, false
	}
	out := []Entry{}
	for _, e := range list {
		if e.Type != "tree" {
			out = append(out, e)
			continue
		}
		more, ok := r.plainBelow(e.SHA, e.Path, left, depth-1)
		if !ok {
			return nil, false
		}
		out = append(out, more...)
	}
	return out, true
}

// plainEntry finds one path of a tree; an empty list when it is not there.
func (r *Repo) plainEntry(tree, p string) ([]Entry, bool) {
	first, rest, deep := strings.Cut(p, "/")
	under := ""
	for {
		list, ok := r.plainEntries(tree, under)
		if !ok {
			return nil, false
		}
		i := slices.IndexFunc(list, func(e Entry) bool { return e.Path == below(under, first) })
		switch {
		case i < 0 || deep && list[i].Type != "tree":
			return []Entry{}, true
		case !deep:
			return list[i : i+1], true
		}
		tree, under = list[i].SHA, list[i].Path
		first, rest, deep = strings.Cut(rest, "/")
	}
}

// plainList is lsTree.
func (r *Repo) plainList(rev string, more []string) ([]Entry, bool) {
	tree, ok := r.plainTree(rev)
	if !ok {
		return nil, false
	}
	switch {
	case len(more) == 0:
		return r.plainEntries(tree, "")
	case len(more) == 1 && more[0] == "-r":
		return r.plainAll(tree)
	case len(more) == 1:
		return r.plainEntry(tree, more[0])
	default:
		return nil, false
	}
}

// madeTree is the name of the tree with these entries where it is there already.
func (r *Repo) madeTree(entries []Entry) (string, bool) {
	list := make([]stored.Entry, len(entries))
	for i, e := range entries {
		list[i] = stored.Entry{Mode: e.Mode, Name: path.Base(e.Path), SHA: e.SHA}
	}
	name, ok := stored.TreeName(list, r.g.SHALen())
	return name, ok && r.has(name)
}
