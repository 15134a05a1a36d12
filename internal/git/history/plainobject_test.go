package history_test

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/git/history"
	"kedge/internal/testkit/gittest"
)

// TestPlainAndPackedAreTheSame: everything that is read from files of its own is the
// same when git has to be asked for it, and after somebody damaged the files.
func TestPlainAndPackedAreTheSame(t *testing.T) {
	r := gittest.New(t)
	gittest.MakeDirty(r)
	id := gittest.NewSalvageID()
	r.Salvage(id)
	head := r.Git("rev-parse", "HEAD")
	r.Git("tag", "-a", "-m", "a tag", "v1")
	r.Git("branch", "side", "HEAD^")
	before := readAll(r, r.Open(), head, id)
	r.Git("gc", "-q", "--prune=now")
	r.Git("pack-refs", "--all")
	if after := readAll(r, r.Open(), head, id); after != before {
		t.Errorf("packed:\n%s\nbefore:\n%s", after, before)
	}
	spoilObject(r, head)
	if after := readAll(r, r.Open(), head, id); after != before {
		t.Errorf("with a false file beside the pack:\n%s\nbefore:\n%s", after, before)
	}
}

// readAll asks for everything that may be read without git.
func readAll(r *gittest.Repo, g *git.Repo, head string, id kedge.SalvageID) string {
	r.T.Helper()
	ctx := r.T.Context()
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
	_, err = g.Salvage(ctx, git.SalvageRequest{ID: id, Reason: "again", Attic: r.Attic(), Date: gittest.Day})
	say("salvage again", "", err)
	return b.String()
}

// spoilObject puts another object's text into the file that an object could have.
func spoilObject(r *gittest.Repo, sha string) {
	r.T.Helper()
	file := filepath.Join(r.Path(".git"), "objects", sha[:2], sha[2:])
	r.Must(os.MkdirAll(filepath.Dir(file), 0o755))
	r.Must(os.WriteFile(file, []byte("no object\n"), 0o644))
}

// TestRefsThatAreNotThere: whether one is there is known from files, also of those
// that git packed or that a folder has the name of.
func TestRefsThatAreNotThere(t *testing.T) {
	r := gittest.New(t)
	g := r.Open()
	ctx := t.Context()
	head := r.Git("rev-parse", "HEAD")
	for _, ref := range []string{"refs/heads/there", "refs/kedge/x/there"} {
		_, err := g.Resolve(ctx, ref)
		gittest.WantKind(t, err, kedge.NotFound, ref)
		r.Must(g.UpdateRef(ctx, ref, head, ""))
		r.Git("pack-refs", "--all")
		if sha, err := g.Resolve(ctx, ref); err != nil || sha != head {
			t.Errorf("%s is at %s, %v", ref, sha, err)
		}
		gittest.WantKind(t, g.UpdateRef(ctx, ref, r.Git("commit-tree", "-m", "other", "HEAD^{tree}"), ""), kedge.Conflict, ref)
		r.Must(g.UpdateRef(ctx, ref, "", head))
		_, err = g.Resolve(ctx, ref)
		gittest.WantKind(t, err, kedge.NotFound, ref)
	}
}

// putTree stores a tree whose lines git would not take: a mode, a name, an object.
func putTree(r *gittest.Repo, lines ...[3]string) string {
	r.T.Helper()
	var body bytes.Buffer
	for _, l := range lines {
		sha, err := hex.DecodeString(l[2])
		r.Must(err)
		body.WriteString(l[0] + " " + l[1] + "\x00")
		body.Write(sha)
	}
	text := fmt.Sprintf("tree %d\x00%s", body.Len(), body.String())
	name := fmt.Sprintf("%x", sha1.Sum([]byte(text))) //nolint:gosec // the name of an object in git
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	_, err := w.Write([]byte(text))
	r.Must(err)
	r.Must(w.Close())
	file := filepath.Join(r.Path(".git"), "objects", name[:2], name[2:])
	r.Must(os.MkdirAll(filepath.Dir(file), 0o755))
	r.Must(os.WriteFile(file, z.Bytes(), 0o644))
	return name
}

// TestNamesThatLeadElsewhere: a name with a way in it does not make a file seem to be
// where it is not.
func TestNamesThatLeadElsewhere(t *testing.T) {
	r := gittest.New(t)
	g := r.Open()
	blob := r.Git("rev-parse", "HEAD:a")
	for _, name := range []string{"../.kedge/gate.toml", "./../.kedge/gate.toml"} {
		inner := putTree(r, [3]string{"100644", name, blob})
		outer := putTree(r, [3]string{"40000", "x", inner})
		list, err := g.List(t.Context(), outer, "")
		if err != nil || len(list) != 1 || list[0].Path != "x/"+name {
			t.Errorf("%q: %v, %v", name, list, err)
		}
	}
}

// TestTreesWithoutAnEnd: neither many entries by few objects, nor folders in folders,
// are followed without git.
func TestTreesWithoutAnEnd(t *testing.T) {
	r := gittest.New(t)
	g := r.Open()
	blob := r.Git("rev-parse", "HEAD:a")
	wide := func(kind, sha string) string {
		var lines [][3]string
		for i := range 64 {
			lines = append(lines, [3]string{kind, fmt.Sprintf("n%02d", i), sha})
		}
		return putTree(r, lines...)
	}
	small := wide("40000", wide("100644", blob))
	big := wide("40000", small)
	deep := putTree(r, [3]string{"100644", "a", blob})
	for range 100 {
		deep = putTree(r, [3]string{"40000", "d", deep})
	}
	deeper := deep
	for range 100 {
		deeper = putTree(r, [3]string{"40000", "d", deeper})
	}
	for _, c := range []struct {
		name, tree string
		plain      bool
	}{{"64 times 64", small, true}, {"64 times 64 times 64", big, false}, {"100 deep", deep, true}, {"200 deep", deeper, false}} {
		if got := history.PlainAll(history.Of(r.Hardened()), c.tree); got != c.plain {
			t.Errorf("%s: read without git: %v", c.name, got)
		}
	}
	if list, err := g.List(t.Context(), deeper, ""); err != nil || len(list) != 1 || list[0].Path != strings.Repeat("d/", 200)+"a" {
		t.Errorf("200 deep, of git: %v, %v", list, err)
	}
}

// TestDescendsAfterDeepening: what a shallow history does not show is asked again.
func TestDescendsAfterDeepening(t *testing.T) {
	r := gittest.New(t)
	first := r.Git("rev-parse", "HEAD")
	r.Git("branch", "old")
	for _, text := range []string{"b", "c"} {
		r.Write("a", text)
		r.Commit(text)
	}
	tip := r.Git("rev-parse", "HEAD")
	dir := filepath.Join(t.TempDir(), "shallow")
	r.Git("clone", "-q", "--depth", "1", "--no-single-branch", "file://"+r.Dir, dir)
	shallow := &gittest.Repo{T: t, Dir: dir, Home: r.Home, Opt: r.Opt}
	g := shallow.Open()
	for _, want := range []bool{false, true, true} {
		if got, err := g.Descends(t.Context(), tip, first); err != nil || got != want {
			t.Errorf("%v, %v, want %v", got, err, want)
		}
		if !want {
			shallow.Git("-c", "maintenance.auto=false", "fetch", "-q", "--unshallow")
		}
	}
}
