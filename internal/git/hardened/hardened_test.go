package hardened_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/testkit/gittest"
)

func TestOpen(t *testing.T) {
	r := gittest.New(t)
	r.Write("sub/dir/x", "x")
	g, err := git.Open(t.Context(), r.Path("sub/dir"), r.Opt)
	r.Must(err)
	if g.Root() != r.Dir {
		t.Errorf("root of a subdirectory is %q, want %q", g.Root(), r.Dir)
	}
	if g.CommonDir() != r.Path(".git") || g.GitDir() != r.Path(".git") {
		t.Errorf("git dirs %q, %q", g.CommonDir(), g.GitDir())
	}
	_, err = git.Open(t.Context(), r.Home, r.Opt)
	gittest.WantKind(t, err, kedge.NotFound, "not in a git repository")
	_, err = git.Open(t.Context(), r.Path("nowhere"), r.Opt)
	gittest.WantKind(t, err, kedge.NotFound, "no folder")
}

func TestOpenRefusesAWorkTreeElsewhere(t *testing.T) {
	r := gittest.New(t)
	r.Git("config", "core.worktree", r.Home)
	_, err := git.Open(t.Context(), r.Dir, r.Opt)
	gittest.WantKind(t, err, kedge.Blocked, "in another folder")
}

func TestOpenLinkedWorktree(t *testing.T) {
	r := gittest.New(t)
	linked := filepath.Join(r.Home, "linked")
	r.Git("worktree", "add", "-q", linked)
	g, err := git.Open(t.Context(), linked, r.Opt)
	r.Must(err)
	if g.Root() != linked || g.CommonDir() != r.Path(".git") || g.GitDir() != r.Path(".git/worktrees/linked") {
		t.Errorf("root %q, common %q, git dir %q", g.Root(), g.CommonDir(), g.GitDir())
	}
}

func TestBareCloneIsRefusedWhereFilesAreNeeded(t *testing.T) {
	r := gittest.New(t)
	bare := filepath.Join(r.Home, "bare.git")
	r.Git("clone", "-q", "--bare", ".", bare)
	for _, dir := range []string{bare, r.Path(".git")} {
		g, err := git.Open(t.Context(), dir, r.Opt)
		r.Must(err)
		if g.Root() != "" {
			t.Errorf("%s: root %q", dir, g.Root())
		}
		_, err = g.Tree(t.Context())
		gittest.WantKind(t, err, kedge.Invalid, "bare repository, or the .git folder")
		b, err := g.ReadFile(t.Context(), "HEAD", "a")
		r.Must(err)
		if string(b) != "one\n" {
			t.Errorf("read %q from a bare clone", b)
		}
	}
}

func TestCancelledContextIsInterrupted(t *testing.T) {
	r := gittest.New(t)
	g := r.Open()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := g.Tree(ctx)
	gittest.WantKind(t, err, kedge.Interrupted, "git")
}

func TestNoUserName(t *testing.T) {
	r := gittest.New(t)
	who, err := r.Open().Identity(t.Context())
	if err != nil || who != gittest.Someone {
		t.Errorf("identity %+v, %v", who, err)
	}
	r.UserConfig("")
	_, err = r.Open().Identity(t.Context())
	gittest.WantKind(t, err, kedge.Blocked, "user.name")
	if !strings.Contains(kedge.HintOf(err), "git config --global user.name") {
		t.Errorf("hint %q", kedge.HintOf(err))
	}
	// What Kedge saves on its own account needs nobody's name.
	r.Write("a", "two\n")
	if s := r.Salvage(gittest.NewSalvageID()); r.Git("log", "-1", "--format=%an <%ae>", s.Commit) != "Kedge <kedge@localhost>" {
		t.Errorf("salvage by %s", r.Git("log", "-1", "--format=%an <%ae>", s.Commit))
	}
}
