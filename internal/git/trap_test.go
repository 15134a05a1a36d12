package git_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/testkit/gittest"
)

// hooks are those that git knows and that some command of ours could reach.
var hooks = []string{
	"applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg", "commit-msg",
	"post-commit", "pre-rebase", "post-checkout", "post-merge", "pre-push", "pre-auto-gc", "post-rewrite", "post-index-change",
	"reference-transaction", "fsmonitor-watchman", "push-to-checkout", "update", "post-update", "pre-receive", "post-receive",
}

// trapped is a repository in which everything that git can be made to run leaves
// a canary.
type trapped struct {
	*gittest.Repo
	nest  string // where canaries land
	first string // a commit without filtered files
	tip   string
}

func newTrapped(t *testing.T) *trapped {
	r := &trapped{Repo: gittest.New(t)}
	r.nest = filepath.Join(r.Home, "canaries")
	r.Must(os.Mkdir(r.nest, 0o755))
	r.Write(".gitattributes", "*.d diff=trapd merge=trapm\n")
	r.Write("z.d", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")
	r.first = r.Commit("diff and merge drivers")
	r.Write(".gitattributes", "*.d diff=trapd merge=trapm\n*.c filter=trapc diff=trapd\n*.p filter=trapp\n")
	for _, p := range []string{"x.c", "y.p"} {
		r.Write(p, "filtered\n")
		past := gittest.Day.AddDate(-1, 0, 0)
		r.Must(os.Chtimes(r.Path(p), past, past))
	}
	r.tip = r.Commit("filters")
	r.set()
	return r
}

// trap makes a program that leaves the canary. Only a filter may echo: a
// protocol whose other end echoes never ends.
func (r *trapped) trap(name string) string {
	path := filepath.Join(r.Home, "traps", name)
	script := "#!/bin/sh\n: > \"" + r.nest + "/" + name + "\"\n"
	if name == "clean" || name == "smudge" {
		script += "exec cat\n"
	}
	r.Must(os.MkdirAll(filepath.Dir(path), 0o755))
	r.Must(os.WriteFile(path, []byte(script+"exit 1\n"), 0o755))
	return path
}

// set lays the traps.
func (r *trapped) set() {
	for key, name := range map[string]string{
		"core.fsmonitor": "fsmonitor", "core.pager": "pager", "core.editor": "editor", "sequence.editor": "sequence-editor",
		"core.askPass": "askpass", "core.sshCommand": "ssh", "core.gitProxy": "proxy", "core.alternateRefsCommand": "alternate-refs",
		"filter.trapc.clean": "clean", "filter.trapc.smudge": "smudge", "filter.trapp.process": "process",
		"diff.external": "diff-external", "diff.trapd.command": "diff-driver", "diff.trapd.textconv": "textconv",
		"merge.trapm.driver": "merge-driver", "gpg.program": "gpg", "gpg.ssh.program": "gpg-ssh", "gpg.x509.program": "gpg-x509",
		"interactive.diffFilter": "diff-filter", "uploadpack.packObjectsHook": "pack-objects", "credential.helper": "!credential",
		"remote.origin.uploadpack": "upload-pack", "trailer.kedge.command": "trailer", "submodule.x.update": "!submodule",
		"difftool.t.cmd": "difftool", "mergetool.t.cmd": "mergetool", "pager.diff": "pager-diff", "pager.log": "pager-log",
	} {
		bang := ""
		if strings.HasPrefix(name, "!") {
			bang, name = "!", name[1:]
		}
		r.Git("config", key, bang+r.trap(name))
	}
	for _, cmd := range []string{"trap", "status", "rev-parse", "ls-files", "update-index", "commit-tree", "cat-file", "diff-tree", "worktree"} {
		r.Git("config", "alias."+cmd, "!"+r.trap("alias-"+cmd))
	}
	for key, value := range map[string]string{
		"core.repositoryFormatVersion": "1", "extensions.partialClone": "origin", "remote.origin.promisor": "true",
		"remote.origin.url": "ext::" + r.trap("ext"), "protocol.ext.allow": "always", "protocol.allow": "always",
		"log.showSignature": "true", "commit.gpgSign": "true", "diff.ignoreSubmodules": "all", "core.untrackedCache": "true",
	} {
		r.Git("config", key, value)
	}
	for _, hook := range hooks {
		text := "#!/bin/sh\n: > \"" + r.nest + "/hook-" + hook + "\"\n"
		r.Must(os.MkdirAll(r.Path(".git/hooks"), 0o755))
		r.Must(os.WriteFile(r.Path(".git/hooks/"+hook), []byte(text), 0o755))
	}
	r.Opt.Env = append(r.Env(), "GIT_EXTERNAL_DIFF="+r.trap("env-diff"), "GIT_EDITOR="+r.trap("env-editor"), "GIT_SSH_COMMAND="+r.trap("env-ssh"),
		"GIT_PAGER="+r.trap("env-pager"), "GIT_DIR=/nowhere", "GIT_INDEX_FILE=/nowhere", "GIT_CONFIG_COUNT=1",
		"GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0="+r.trap("env-config"), "GIT_EXEC_PATH=/nowhere", "GIT_TRACE="+r.nest+"/trace",
		"GIT_CONFIG_PARAMETERS='core.fsmonitor'='"+r.trap("env-parameters")+"'")
}

// canaries lists what fired, and forgets it.
func (r *trapped) canaries() []string {
	r.T.Helper()
	entries, err := os.ReadDir(r.nest)
	r.Must(err)
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
		r.Must(os.Remove(filepath.Join(r.nest, e.Name())))
	}
	return out
}

// TestT7ControlTrapsFire: plain git springs the traps, or the next test would
// prove nothing.
func TestT7ControlTrapsFire(t *testing.T) {
	r := newTrapped(t)
	for _, p := range []string{"x.c", "y.p", "a"} {
		r.Write(p, "changed\n")
	}
	r.Write("z.d", "1\n2\n3\n4\n5\n6\n7\n8\nmain\n")
	fired := func(want string, args ...string) {
		t.Helper()
		r.canaries()
		out, err := r.TryGit(r.Dir, args...)
		if got := r.canaries(); !slices.Contains(got, want) {
			t.Errorf("git %v (%v) sprang %v, not %q:\n%s", args, err, got, want, out)
		}
	}
	calm := func(args ...string) []string {
		return append([]string{"-c", "filter.trapp.process=", "-c", "commit.gpgSign=false"}, args...)
	}
	fired("fsmonitor", calm("status")...)
	fired("hook-post-index-change", calm("add", "a")...)
	fired("process", "add", "y.p")
	fired("clean", calm("add", "-A")...)
	fired("diff-external", calm("diff", "HEAD", "--", "a")...)
	fired("diff-driver", calm("diff", "HEAD", "--", "z.d")...)
	fired("textconv", calm("diff", "--no-ext-diff", "HEAD", "--", "z.d")...)
	fired("alias-trap", "trap")
	fired("ext", "cat-file", "-p", strings.Repeat("ab", 20))
	fired("editor", calm("commit")...)
	fired("gpg", "-c", "filter.trapp.process=", "commit", "-m", "signed")
	fired("hook-pre-commit", calm("commit", "--allow-empty", "-m", "x")...)
	for _, hook := range []string{"prepare-commit-msg", "commit-msg", "post-commit", "reference-transaction"} {
		fired("hook-"+hook, calm("commit", "--allow-empty", "-m", "x")...)
	}
	fired("hook-post-checkout", calm("checkout", "-q", "-b", "side", r.tip)...)
	fired("smudge", calm("checkout", "-q", "main")...)
	fired("hook-post-checkout", calm("worktree", "add", "-q", "-b", "w", filepath.Join(r.Home, "w"))...)
	_, _ = r.TryGit(r.Dir, calm("checkout", "-q", "side")...)
	r.Write("z.d", "side\n2\n3\n4\n5\n6\n7\n8\n9\n")
	fired("hook-post-commit", calm("commit", "-q", "-m", "side", "z.d")...)
	fired("merge-driver", calm("merge", "main")...)
}

// TestT7TrapRepository: no exported method springs any trap.
func TestT7TrapRepository(t *testing.T) {
	r := newTrapped(t)
	r.canaries()
	ran := map[string]bool{}
	step := func(method string, err error, kinds ...kedge.Kind) {
		t.Helper()
		ran[method] = true
		if fired := r.canaries(); len(fired) > 0 {
			t.Errorf("%s sprang %v", method, fired)
		}
		if err != nil && !slices.Contains(kinds, kedge.KindOf(err)) {
			t.Errorf("%s: %v", method, err)
		}
	}
	ctx := t.Context()
	g, err := git.Open(ctx, r.Dir, r.Opt)
	step("Open", err)
	r.Must(err)
	r.readAll(g, step)
	r.workOn(g, step)
	r.runOn(g, step)
	r.filteredFiles(g, step)
	for i := range reflect.TypeFor[*git.Repo]().NumMethod() {
		if name := reflect.TypeFor[*git.Repo]().Method(i).Name; !ran[name] {
			t.Errorf("the method %s is not tried here", name)
		}
	}
}

// TestT7ConfigurationChangedMeanwhile: a filter that appears after Kedge has
// looked for filters does not run either. Approved is asked between the two.
func TestT7ConfigurationChangedMeanwhile(t *testing.T) {
	r := newTrapped(t)
	r.Opt.Approved = func(string, string) bool {
		config := "[filter \"late\"]\n\tclean = " + r.trap("late") + "\n\tsmudge = " + r.trap("late") + "\n"
		f, err := os.OpenFile(r.Path(".git/config"), os.O_APPEND|os.O_WRONLY, 0)
		r.Must(err)
		_, err = f.WriteString(config)
		r.Must(err)
		r.Must(f.Close())
		r.Must(os.WriteFile(r.Path(".gitattributes"), []byte("a filter=late\n"), 0o644))
		return false
	}
	r.Write("a", "changed\n")
	g := r.Open()
	tree, err := g.Tree(t.Context())
	r.Must(err)
	if fired := r.canaries(); len(fired) > 0 {
		t.Errorf("sprang %v", fired)
	}
	b, err := g.ReadFile(t.Context(), tree, "a")
	if err != nil || string(b) != "changed\n" {
		t.Errorf("stored %q, %v", b, err)
	}
	_, _ = r.TryGit(r.Dir, "-c", "core.fsmonitor=false", "add", "a")
	if fired := r.canaries(); !slices.Contains(fired, "late") {
		t.Errorf("control: the late filter does not fire at all: %v", fired)
	}
}

// TestT7ValuesEndNoLine: each value that is handed on to git, from wherever it
// is taken, is refused when it could end a line of ours and begin one of its
// own.
func TestT7ValuesEndNoLine(t *testing.T) {
	for _, key := range []string{
		"extensions.refStorage", "extensions.objectFormat", "core.autocrlf", "core.eol", "core.excludesFile", "core.fileMode",
		"core.ignoreCase", "core.precomposeUnicode", "user.name", "user.email",
	} {
		t.Run(key, func(t *testing.T) {
			r := newTrapped(t)
			r.inject(r.Path(".git/config"), key)
			r.provoke(key)
		})
	}
	t.Run("safe.directory", func(t *testing.T) {
		r := newTrapped(t)
		r.inject(filepath.Join(r.Home, ".gitconfig"), "safe.directory")
		r.provoke("safe.directory")
	})
	t.Run("the name of a filter", func(t *testing.T) {
		r := newTrapped(t)
		r.Opt.Approved = func(string, string) bool { return true }
		r.Must(os.WriteFile(r.Path(".gitattributes"), []byte("a filter=x\n"), 0o644))
		text := "[filter \"x.clean=" + r.trap("named") + "\"]\n\tclean = cat\n"
		r.Must(os.WriteFile(r.Path(".git/config"), []byte("[core]\n\trepositoryformatversion = 0\n"+text), 0o644))
		r.Write("a", "changed\n")
		if _, err := r.Open().Tree(t.Context()); err != nil {
			t.Error(err)
		}
		if fired := r.canaries(); len(fired) > 0 {
			t.Errorf("sprang %v", fired)
		}
	})
}

// inject gives a setting a value that holds a whole configuration.
func (r *trapped) inject(file, key string) {
	section, name, _ := strings.Cut(key, ".")
	value := `files\n[core]\n\trepositoryformatversion = 0\n[filter \"x\"]\n\tclean = ` + r.trap("injected") + `\n\tsmudge = ` + r.trap("injected") + `\n`
	text := "[core]\n\trepositoryformatversion = 0\n\tbare = false\n[" + section + "]\n\t" + name + " = \"" + value + "\"\n"
	r.Must(os.WriteFile(file, []byte(text), 0o644))
	for _, p := range []string{".git/info/attributes", ".gitattributes"} {
		r.Must(os.WriteFile(r.Path(p), []byte("a filter=x\n"), 0o644))
	}
	r.Write("a", "changed\n")
}

// provoke does what hands the setting on: it must be refused by its name.
func (r *trapped) provoke(key string) {
	r.T.Helper()
	r.canaries()
	g, err := git.Open(r.T.Context(), r.Dir, r.Opt)
	if err == nil {
		_, err = g.Identity(r.T.Context())
		_, treeErr := g.Tree(r.T.Context())
		if !strings.HasPrefix(key, "user.") || treeErr != nil {
			r.T.Errorf("opened with %s: %v", key, treeErr)
		}
	}
	if !kedge.Invalid.Is(err) {
		r.T.Errorf("%s gives %v, not a refusal", key, err)
	}
	if fired := r.canaries(); len(fired) > 0 {
		r.T.Errorf("%s sprang %v", key, fired)
	}
}

type stepper func(method string, err error, kinds ...kedge.Kind)

func (r *trapped) readAll(g *git.Repo, step stepper) {
	ctx := r.T.Context()
	step("Root", nil)
	step("CommonDir", nil)
	step("GitDir", nil)
	if doing := g.Busy(); doing != "" {
		r.T.Errorf("nothing is unfinished, and %q is", doing)
	}
	step("Busy", nil)
	step("Head", gittest.Second(g.Head(ctx)))
	step("Resolve", gittest.Second(g.Resolve(ctx, "main")))
	step("Resolve", gittest.Second(g.Resolve(ctx, strings.Repeat("ab", 20))), kedge.NotFound)
	step("Diff", gittest.Second(g.Diff(ctx, r.first, r.tip)))
	step("Files", gittest.Second(g.Files(ctx, r.first, r.tip)))
	step("Patch", gittest.Second(g.Patch(ctx, r.first, r.tip)))
	step("Diff", gittest.Second(g.Diff(ctx, r.first, strings.Repeat("cd", 20))), kedge.NotFound)
	step("ReadFile", gittest.Second(g.ReadFile(ctx, "HEAD", "x.c")))
	step("Has", gittest.Second(g.Has(ctx, r.tip)))
	step("HeadText", gittest.Second(g.HeadText(ctx, "a")))
	step("Exists", gittest.Second(g.Exists(ctx, "HEAD", "x.c")))
	step("LastChange", gittest.Second(g.LastChange(ctx, "HEAD", "x.c")))
	step("List", gittest.Second(g.List(ctx, "HEAD", "")))
	step("TreeOf", gittest.Second(g.TreeOf(ctx, "HEAD")))
	step("TreeWithout", gittest.Second(g.TreeWithout(ctx, "HEAD", "x.c", "no/such")))
	step("Filters", gittest.Second(g.Filters(ctx)))
	step("Identity", gittest.Second(g.Identity(ctx)))
	step("Salvages", gittest.Second(g.Salvages(ctx)))
	step("ProjectID", gittest.Second(g.ProjectID()))
	step("SetProjectID", g.SetProjectID(ctx, kedge.ProjectID(kedge.NewID("prj", gittest.Day))))
}

func (r *trapped) workOn(g *git.Repo, step stepper) {
	ctx := r.T.Context()
	dir := filepath.Join(r.Home, "worktrees", "w")
	step("AddWorktree", g.AddWorktree(ctx, git.WorktreeRequest{Path: dir, Branch: "b", Base: r.first}))
	step("AddWorktree", g.AddWorktree(ctx, git.WorktreeRequest{Path: dir + "2", Branch: "b2", Base: r.tip}), kedge.Blocked)
	w, err := git.Open(ctx, dir, r.Opt)
	step("Open", err)
	r.Must(err)
	in := &gittest.Repo{T: r.T, Dir: dir, Home: r.Home, Opt: r.Opt}
	step("Tree", gittest.Second(w.Tree(ctx)))
	step("Dirty", gittest.Second(w.Dirty(ctx)))
	in.Write("z.d", "1\n2\n3\n4\n5\n6\n7\n8\nsalvaged\n")
	in.Write("new.d", "new\n")
	step("Tree", gittest.Second(w.Tree(ctx)))
	step("Dirty", gittest.Second(w.Dirty(ctx)))
	step("Worktrees", gittest.Second(g.Worktrees(ctx)))
	id := gittest.NewSalvageID()
	s, err := w.Salvage(ctx, git.SalvageRequest{ID: id, Reason: "r", Attic: r.Attic(), Date: gittest.Day})
	step("Salvage", err)
	step("SalvagePaths", gittest.Second(w.SalvagePaths(ctx, s)))
	step("ResetWorktree", g.ResetWorktree(ctx, git.ResetRequest{Dir: dir, To: r.first, Head: r.first, Expect: s.Tree}))
	in.Write("z.d", "moved on\n2\n3\n4\n5\n6\n7\n8\n9\n")
	tip, err := w.CommitPaths(ctx, git.CommitPathsRequest{Paths: []string{"z.d"}, Message: "m", Date: gittest.Day, Author: gittest.Someone})
	step("CommitPaths", err)
	step("Restore", gittest.Second(w.Restore(ctx, git.RestoreRequest{ID: id, Attic: r.Attic()})))
	if got := in.Read("z.d"); got != "moved on\n2\n3\n4\n5\n6\n7\n8\nsalvaged\n" {
		r.T.Errorf("merged to %q", got)
	}
	tree, err := w.TreeOf(ctx, tip)
	step("TreeOf", err)
	sha, err := w.Commit(ctx, git.CommitRequest{Tree: tree, Parents: []string{tip}, Message: "m", Date: gittest.Day, Author: gittest.Someone})
	step("Commit", err)
	step("UpdateRef", w.UpdateRef(ctx, "refs/heads/b", sha, tip))
	step("DropSalvage", g.DropSalvage(ctx, id, r.Attic()))
	step("RemoveWorktree", g.RemoveWorktree(ctx, dir), kedge.Conflict)
	step("Holds", gittest.Second(g.Holds(ctx, dir)))
	_ = g.Removing(dir)
	step("Removing", nil)
	step("AbortWorktree", g.AbortWorktree(ctx, dir))
	step("NoteIgnored", w.NoteIgnored(ctx))
	_, err = w.IgnoredSince(ctx)
	step("IgnoredSince", err)
	_ = g.Registered(dir)
	step("Registered", nil)
	step("CheckedOut", gittest.Second(g.CheckedOut(ctx)))
	r.Must(g.AddWorktree(ctx, git.WorktreeRequest{Path: dir + "3", Base: r.first}))
	step("RemoveWorktree", g.RemoveWorktree(ctx, dir+"3"))
}

// filteredFiles works on files whose filters nobody approved.
func (r *trapped) filteredFiles(g *git.Repo, step stepper) {
	ctx := r.T.Context()
	step("Tree", gittest.Second(g.Tree(ctx)))
	for i, p := range []string{"x.c", "y.p"} {
		r.Write(p, fmt.Sprintf("changed %d\n", i))
		step("Tree", gittest.Second(g.Tree(ctx)), kedge.Blocked)
		step("Dirty", gittest.Second(g.Dirty(ctx)))
		step("Worktrees", gittest.Second(g.Worktrees(ctx)))
		q := git.CommitPathsRequest{Paths: []string{p}, Message: "m", Date: gittest.Day, Author: gittest.Someone}
		step("CommitPaths", gittest.Second(g.CommitPaths(ctx, q)), kedge.Blocked)
		id := gittest.NewSalvageID()
		s, err := g.Salvage(ctx, git.SalvageRequest{ID: id, Reason: "r", Attic: r.Attic(), Date: gittest.Day})
		step("Salvage", err)
		step("ResetWorktree", g.ResetWorktree(ctx, git.ResetRequest{To: r.tip, Head: r.tip, Expect: s.Tree}), kedge.Blocked)
		step("Restore", gittest.Second(g.Restore(ctx, git.RestoreRequest{ID: id, Attic: r.Attic()})))
		if got := r.Read(p); got != fmt.Sprintf("changed %d\n", i) {
			r.T.Errorf("%s came back as %q", p, got)
		}
		id = gittest.NewSalvageID()
		step("Salvage", gittest.Second(g.Salvage(ctx, git.SalvageRequest{ID: id, Reason: "r", Attic: r.Attic(), Date: gittest.Day})))
	}
}
