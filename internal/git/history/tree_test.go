package history_test

import (
	"os"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/testkit/gittest"
)

func TestTreeWithout(t *testing.T) {
	r := gittest.New(t)
	want := r.Tree()
	r.Write(".kedge/features.json", "{}")
	r.Write("AGENT_CONTEXT.md", "x")
	r.Write("deep/er/file", "x")
	tree := r.Tree()
	got, err := r.Open().TreeWithout(t.Context(), tree, ".kedge", "AGENT_CONTEXT.md", "deep/er/file", "not/there", "a/not")
	r.Must(err)
	if got != want {
		t.Errorf("tree %s, want %s", got, want)
	}
	_, err = r.Open().TreeWithout(t.Context(), tree, "../x")
	gittest.WantKind(t, err, kedge.Invalid, "../x")
}

func TestTreeWith(t *testing.T) {
	r := gittest.New(t)
	g := r.Open()
	r.Write("k/x", "1\n")
	r.Write("k/y", "1\n")
	first := r.Tree()
	r.Write("k/x", "2\n")
	r.Write("b", "b\n")
	second := r.Tree()
	got, err := g.TreeWith(t.Context(), second, first, "k", "absent")
	if err != nil {
		t.Fatal(err)
	}
	if diff, err := g.Diff(t.Context(), first, got); err != nil || len(diff) != 1 || diff[0].Path != "b" {
		t.Errorf("differs in %+v, %v", diff, err)
	}
	r.Must(os.RemoveAll(r.Path("k")))
	got, err = g.TreeWith(t.Context(), second, r.Tree(), "k")
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := g.Exists(t.Context(), got, "k"); err != nil || ok {
		t.Errorf("k is there: %v, %v", ok, err)
	}
}

func TestMergeConflicts(t *testing.T) {
	r := gittest.New(t)
	g := r.Open()
	base := r.Tree()
	r.Write("a", "ours\n")
	ours := r.Tree()
	r.Write("a", "theirs\n")
	r.Write("b", "b\n")
	theirs := r.Tree()
	q := git.MergeRequest{Base: base, Ours: ours, Theirs: theirs, Date: gittest.Day}
	m, err := g.Merge(t.Context(), q)
	if err != nil || len(m.Conflicts) != 1 || m.Conflicts[0] != "a" {
		t.Fatalf("merged %+v, %v", m, err)
	}
	b, err := g.ReadFile(t.Context(), m.Tree, "a")
	if err != nil || !strings.Contains(string(b), "<<<<<<<") || !strings.Contains(string(b), "ours") || !strings.Contains(string(b), "theirs") {
		t.Errorf("both sides are %q, %v", b, err)
	}
	if again, err := g.Merge(t.Context(), q); err != nil || again.Tree != m.Tree {
		t.Errorf("merged again: %+v, %v", again, err)
	}
	for _, same := range [][3]string{{base, base, theirs}, {base, theirs, base}, {base, theirs, theirs}} {
		m, err := g.Merge(t.Context(), git.MergeRequest{Base: same[0], Ours: same[1], Theirs: same[2], Date: gittest.Day})
		if err != nil || m.Tree != theirs || len(m.Conflicts) > 0 {
			t.Errorf("merged %+v, %v", m, err)
		}
	}
}

func TestCompose(t *testing.T) {
	r := gittest.New(t)
	g := r.Open()
	r.Write("p/b/old", "1\n")
	r.Write("p/only", "1\n")
	r.Write("top", "1\n")
	r.Write("run.sh", "#!/bin/sh\n")
	r.Must(os.Chmod(r.Path("run.sh"), 0o755))
	base := r.Tree()
	r.Write("p/b/old", "2\n")
	r.Write("p/b/new", "2\n")
	r.Write("c/d/e", "2\n")
	r.Write("run.sh", "#!/bin/sh\necho\n")
	r.Must(os.RemoveAll(r.Path("p/only")))
	work := r.Tree()
	got, err := g.Compose(t.Context(), work, []git.Piece{
		{Path: "p/b/old", From: base},
		{Path: "p/only", From: base},
		{Path: "c/d/e", From: base},
		{Path: "run.sh", Text: []byte("mixed\n")},
		{Path: "x/y", Text: []byte{}},
		{Path: "not/there", From: base},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"p/b/old": "1\n", "p/b/new": "2\n", "p/only": "1\n", "run.sh": "mixed\n", "x/y": "", "top": "1\n"}
	for p, text := range want {
		if b, err := g.ReadFile(t.Context(), got, p); err != nil || string(b) != text {
			t.Errorf("%s is %q, %v; want %q", p, b, err, text)
		}
	}
	for _, gone := range []string{"c", "not"} {
		if ok, err := g.Exists(t.Context(), got, gone); err != nil || ok {
			t.Errorf("%s is there: %v, %v", gone, ok, err)
		}
	}
	list, err := g.List(t.Context(), got, "run.sh")
	if err != nil || len(list) != 1 || list[0].Mode != "100755" {
		t.Errorf("run.sh: %+v, %v", list, err)
	}
	if same, err := g.Compose(t.Context(), work, nil); err != nil || same != work {
		t.Errorf("without pieces: %s, %v; want %s", same, err, work)
	}
	_, err = g.Compose(t.Context(), work, []git.Piece{{Path: "../x", From: base}})
	gittest.WantKind(t, err, kedge.Invalid, "../x")
}
