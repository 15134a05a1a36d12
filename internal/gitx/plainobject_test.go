package gitx_test

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1" //nolint:gosec // as git names objects
	"encoding/hex"
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

// putTree stores a tree whose lines git would not take: a mode, a name, an object.
func (r *repo) putTree(lines ...[3]string) string {
	r.t.Helper()
	var body bytes.Buffer
	for _, l := range lines {
		sha, err := hex.DecodeString(l[2])
		r.must(err)
		body.WriteString(l[0] + " " + l[1] + "\x00")
		body.Write(sha)
	}
	text := fmt.Sprintf("tree %d\x00%s", body.Len(), body.String())
	name := fmt.Sprintf("%x", sha1.Sum([]byte(text))) //nolint:gosec // the name of an object in git
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	_, err := w.Write([]byte(text))
	r.must(err)
	r.must(w.Close())
	file := filepath.Join(r.path(".git"), "objects", name[:2], name[2:])
	r.must(os.MkdirAll(filepath.Dir(file), 0o755))
	r.must(os.WriteFile(file, z.Bytes(), 0o644))
	return name
}

// TestNamesThatLeadElsewhere: a name with a way in it does not make a file seem to be
// where it is not.
func TestNamesThatLeadElsewhere(t *testing.T) {
	r := newRepo(t)
	g := r.open()
	blob := r.git("rev-parse", "HEAD:a")
	for _, name := range []string{"../.kedge/gate.toml", "./../.kedge/gate.toml"} {
		inner := r.putTree([3]string{"100644", name, blob})
		outer := r.putTree([3]string{"40000", "x", inner})
		list, err := g.List(t.Context(), outer, "")
		if err != nil || len(list) != 1 || list[0].Path != "x/"+name {
			t.Errorf("%q: %v, %v", name, list, err)
		}
	}
}

// TestTreesWithoutAnEnd: neither many entries by few objects, nor folders in folders,
// are followed without git.
func TestTreesWithoutAnEnd(t *testing.T) {
	r := newRepo(t)
	g := r.open()
	blob := r.git("rev-parse", "HEAD:a")
	wide := func(kind, sha string) string {
		var lines [][3]string
		for i := range 64 {
			lines = append(lines, [3]string{kind, fmt.Sprintf("n%02d", i), sha})
		}
		return r.putTree(lines...)
	}
	small := wide("40000", wide("100644", blob))
	big := wide("40000", small)
	deep := r.putTree([3]string{"100644", "a", blob})
	for range 100 {
		deep = r.putTree([3]string{"40000", "d", deep})
	}
	deeper := deep
	for range 100 {
		deeper = r.putTree([3]string{"40000", "d", deeper})
	}
	for _, c := range []struct {
		name, tree string
		plain      bool
	}{{"64 times 64", small, true}, {"64 times 64 times 64", big, false}, {"100 deep", deep, true}, {"200 deep", deeper, false}} {
		if got := gitx.PlainAll(g, c.tree); got != c.plain {
			t.Errorf("%s: read without git: %v", c.name, got)
		}
	}
	if list, err := g.List(t.Context(), deeper, ""); err != nil || len(list) != 1 || list[0].Path != strings.Repeat("d/", 200)+"a" {
		t.Errorf("200 deep, of git: %v, %v", list, err)
	}
}

// TestDescendsAfterDeepening: what a shallow history does not show is asked again.
func TestDescendsAfterDeepening(t *testing.T) {
	r := newRepo(t)
	first := r.git("rev-parse", "HEAD")
	r.git("branch", "old")
	for _, text := range []string{"b", "c"} {
		r.write("a", text)
		r.commit(text)
	}
	tip := r.git("rev-parse", "HEAD")
	dir := filepath.Join(t.TempDir(), "shallow")
	r.git("clone", "-q", "--depth", "1", "--no-single-branch", "file://"+r.dir, dir)
	shallow := &repo{t: t, dir: dir, home: r.home, opt: r.opt}
	g := shallow.open()
	for _, want := range []bool{false, true, true} {
		if got, err := g.Descends(t.Context(), tip, first); err != nil || got != want {
			t.Errorf("%v, %v, want %v", got, err, want)
		}
		if !want {
			shallow.git("-c", "maintenance.auto=false", "fetch", "-q", "--unshallow")
		}
	}
}
