package history_test

import (
	"slices"
	"testing"

	"kedge"
	"kedge/internal/testkit/gittest"
)

func TestRecentCommitsAndTheirFiles(t *testing.T) {
	r := gittest.New(t)
	g, ctx := r.Open(), t.Context()
	r.Write("a b", "two\n")
	r.Write("é", "two\n")
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "two files", "-m", "with a body")
	r.Git("commit", "-q", "--allow-empty", "-m", "nothing")
	list, err := g.Recent(ctx, "HEAD", 2)
	r.Must(err)
	if len(list) != 2 || list[0].Subject != "nothing" || len(list[0].Files) != 0 {
		t.Fatalf("%+v", list)
	}
	if list[1].SHA != r.Git("rev-parse", "HEAD~1") || list[1].Subject != "two files" || !slices.Equal(list[1].Files, []string{"a b", "é"}) {
		t.Errorf("%+v", list[1])
	}
	if _, err := g.Recent(ctx, "--all", 2); !kedge.Invalid.Is(err) {
		t.Errorf("an option for a revision: %v", err)
	}
}

func TestMeanwhileIsWhatTheBaseHasNot(t *testing.T) {
	r := gittest.New(t)
	g, ctx := r.Open(), t.Context()
	from := r.Git("rev-parse", "HEAD")
	for _, name := range []string{"one", "two"} {
		r.Write(name, name+"\n")
		r.Git("add", "-A")
		r.Git("commit", "-q", "-m", name, "-m", "Kedge-Feature: "+name)
	}
	list, err := g.Meanwhile(ctx, from, "HEAD", 5)
	r.Must(err)
	if len(list) != 2 || list[0].Subject != "two" || !slices.Equal(list[1].Files, []string{"one"}) {
		t.Fatalf("%+v", list)
	}
	if list, err = g.Meanwhile(ctx, from, "HEAD", 1); err != nil || len(list) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := g.Meanwhile(ctx, "--all", "HEAD", 2); !kedge.Invalid.Is(err) {
		t.Errorf("an option for a revision: %v", err)
	}
}

func TestGrepFindsTextInARevision(t *testing.T) {
	r := gittest.New(t)
	g, ctx := r.Open(), t.Context()
	r.Write("src/order.go", "package Orders\n")
	r.Write("b:c", "orders --all\n")
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "orders")
	for text, want := range map[string][]string{
		"orders": {"b:c", "src/order.go"}, "--all": {"b:c"}, "nowhere": nil, "package .*": nil,
	} {
		got, err := g.Grep(ctx, "HEAD", text)
		r.Must(err)
		if !slices.Equal(got, want) {
			t.Errorf("%q is in %q, want %q", text, got, want)
		}
	}
}
