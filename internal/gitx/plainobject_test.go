package gitx_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/gitx"
)

// TestPlainAndPackedAreTheSame: everything that is read from files of its own is the
// same when git has to be asked for it, and after somebody damaged the files.
func TestPlainAndPackedAreTheSame(t *testing.T) {
	r := newRepo(t)
	makeDirty(r)
	id := newSalvageID()
	r.salvage(id)
	head := r.git("rev-parse", "HEAD")
	r.git("tag", "-a", "-m", "a tag", "v1")
	r.git("branch", "side", "HEAD^")
	before := r.readAll(r.open(), head, id)
	r.git("gc", "-q", "--prune=now")
	r.git("pack-refs", "--all")
	if after := r.readAll(r.open(), head, id); after != before {
		t.Errorf("packed:\n%s\nbefore:\n%s", after, before)
	}
	r.spoilObject(head)
	if after := r.readAll(r.open(), head, id); after != before {
		t.Errorf("with a false file beside the pack:\n%s\nbefore:\n%s", after, before)
	}
}

// readAll asks for everything that may be read without git.
func (r *repo) readAll(g *gitx.Repo, head string, id kedge.SalvageID) string {
	r.t.Helper()
	ctx := r.t.Context()
	var b strings.Builder
	say := func(what string, v any, err error) { fmt.Fprintf(&b, "%s: %v, %v\n", what, v, err) }
	for _, rev := range []string{"HEAD", head, "refs/heads/side", "v1", "refs/heads/none", strings.Repeat("0", 40)} {
		tree, err := g.TreeOf(ctx, rev)
		say("tree of "+rev, tree, err)
		list, err := g.List(ctx, rev, "")
		say("all of "+rev, list, err)
		text, err := g.ReadFile(ctx, rev, "a")
		say("a at "+rev, string(text), err)
		info, err := g.ReadCommit(ctx, rev)
		say("commit "+rev, info, err)
		sha, err := g.Resolve(ctx, rev)
		say("name of "+rev, sha, err)
		known, err := g.Has(ctx, rev)
		say("has "+rev, known, err)
		for _, p := range []string{"new", "new/none", "a/b", "becomes-dir", "a"} {
			there, err := g.Exists(ctx, rev, p)
			say(p+" at "+rev, there, err)
		}
		without, err := g.TreeWithout(ctx, rev, "a", "becomes-dir")
		say("less of "+rev, without, err)
	}
	kept, err := g.Salvages(ctx)
	say("salvage", kept, err)
	_, err = g.Salvage(ctx, gitx.SalvageRequest{ID: id, Reason: "again", Attic: r.attic(), Date: day})
	say("salvage again", "", err)
	return b.String()
}

// spoilObject puts another object's text into the file that an object could have.
func (r *repo) spoilObject(sha string) {
	r.t.Helper()
	file := filepath.Join(r.path(".git"), "objects", sha[:2], sha[2:])
	r.must(os.MkdirAll(filepath.Dir(file), 0o755))
	r.must(os.WriteFile(file, []byte("no object\n"), 0o644))
}

// TestRefsThatAreNotThere: whether one is there is known from files, also of those
// that git packed or that a folder has the name of.
func TestRefsThatAreNotThere(t *testing.T) {
	r := newRepo(t)
	g := r.open()
	ctx := t.Context()
	head := r.git("rev-parse", "HEAD")
	for _, ref := range []string{"refs/heads/there", "refs/kedge/x/there"} {
		_, err := g.Resolve(ctx, ref)
		wantKind(t, err, kedge.NotFound, ref)
		r.must(g.UpdateRef(ctx, ref, head, ""))
		r.git("pack-refs", "--all")
		if sha, err := g.Resolve(ctx, ref); err != nil || sha != head {
			t.Errorf("%s is at %s, %v", ref, sha, err)
		}
		wantKind(t, g.UpdateRef(ctx, ref, r.git("commit-tree", "-m", "other", "HEAD^{tree}"), ""), kedge.Conflict, ref)
		r.must(g.UpdateRef(ctx, ref, "", head))
		_, err = g.Resolve(ctx, ref)
		wantKind(t, err, kedge.NotFound, ref)
	}
}
