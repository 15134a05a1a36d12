package checkout_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/git/stored"
	"kedge/internal/testkit/gittest"
)

// TestMain is the filter that git starts, where it is started as that.
func TestMain(m *testing.M) {
	if len(os.Args) != 4 || os.Args[1] != "lfs-filter" {
		os.Exit(m.Run())
	}
	f := stored.LFSFilter{Store: stored.LFSStore(os.Args[2]), Index: os.Getenv("GIT_INDEX_FILE"), Wrote: os.Args[3]}
	if f.Serve(os.Stdin, os.Stdout) != nil {
		os.Exit(1)
	}
}

const missing = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"

// withLFS is a repository with a file under Git LFS whose object is there, one whose object is
// not, and one that was committed as it is.
func withLFS(t *testing.T) (r *gittest.Repo, store stored.LFSStore) {
	t.Helper()
	r = gittest.New(t)
	exe, err := os.Executable()
	r.Must(err)
	r.Opt.Program = exe
	store = stored.LFSStore(r.Path(".git/lfs"))
	p, err := store.Keep(strings.NewReader("real\n"))
	r.Must(err)
	r.Write("real.bin", string(p.Text()))
	r.Write("missing.bin", missing)
	r.Write("raw.bin", "raw\n")
	r.Commit("files")
	r.Write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n")
	r.Commit("attributes")
	return r, store
}

// TestLFSInAWorktree: a fresh worktree has what the pointers name, as far as it is there, and
// nothing of it counts as changed, for a git without git-lfs either; no program runs.
func TestLFSInAWorktree(t *testing.T) {
	for name, conf := range map[string]string{"without settings": "", "with those of git-lfs": "git-lfs filter-process"} {
		t.Run(name, func(t *testing.T) {
			r, _ := withLFS(t)
			if conf != "" {
				bin := filepath.Join(r.Home, "bin")
				r.Must(os.Mkdir(bin, 0o755))
				r.Must(os.WriteFile(filepath.Join(bin, "git-lfs"), []byte("#!/bin/sh\ntouch "+r.Home+"/ran\nexit 1\n"), 0o755))
				r.Opt.Env = append(r.Opt.Env, "PATH="+bin+":"+os.Getenv("PATH"))
				r.Git("config", "filter.lfs.process", conf)
				r.Git("config", "filter.lfs.clean", "git-lfs clean -- %f")
				r.Git("config", "filter.lfs.smudge", "git-lfs smudge -- %f")
				r.Git("config", "filter.lfs.required", "true")
			}
			dir := r.AddWorktree("w", "")
			w, err := r.Open().In(t.Context(), dir)
			r.Must(err)
			for file, want := range map[string]string{"real.bin": "real\n", "missing.bin": missing, "raw.bin": "raw\n"} {
				if b, err := os.ReadFile(filepath.Join(dir, file)); err != nil || string(b) != want {
					t.Errorf("%s is %q, %v", file, b, err)
				}
			}
			head, err := w.TreeOf(t.Context(), "HEAD")
			r.Must(err)
			if tree, err := w.Tree(t.Context()); err != nil || tree != head {
				t.Errorf("the tree is %s, %v; want that of HEAD, %s", tree, err, head)
			}
			if conf == "" {
				if got := r.GitIn(dir, "status", "--porcelain"); got != "" {
					t.Errorf("git says %q", got)
				}
			}
			if _, err := os.Lstat(filepath.Join(r.Home, "ran")); err == nil {
				t.Error("git-lfs ran")
			}
		})
	}
}

// TestLFSIsCommittedAsPointers: what was written into a file is in the store, and its pointer in
// the tree; what others land is written into the file.
func TestLFSIsCommittedAsPointers(t *testing.T) {
	r, store := withLFS(t)
	dir := r.AddWorktree("w", "")
	w, err := r.Open().In(t.Context(), dir)
	r.Must(err)
	for _, name := range []string{"real.bin", "new.bin", "raw.bin"} {
		r.Must(os.WriteFile(filepath.Join(dir, name), []byte("more in "+name+"\n"), 0o644))
	}
	tree, err := w.Tree(t.Context())
	r.Must(err)
	for _, name := range []string{"real.bin", "new.bin", "raw.bin"} {
		b, err := w.ReadFile(t.Context(), tree, name)
		r.Must(err)
		p, is := stored.ParsePointer(b)
		f, err := store.Open(p)
		if !is || err != nil || f == nil {
			t.Fatalf("%s is %q in the tree, and its object %v, %v", name, b, f, err)
		}
		r.Must(f.Close())
	}
	commit := strings.TrimSpace(r.Git("commit-tree", tree, "-p", "HEAD", "-m", "work"))
	r.Must(r.Open().Forward(t.Context(), git.ForwardRequest{Branch: "main", To: commit}))
	if got := r.Read("new.bin"); got != "more in new.bin\n" {
		t.Errorf("new.bin is %q", got)
	}
	if got := r.Git("status", "--porcelain"); strings.Contains(got, ".bin") {
		t.Errorf("git says %q", got)
	}
}

// TestLFSOfAnotherProgram: a filter that is only called "lfs" has to be approved as any other.
func TestLFSOfAnotherProgram(t *testing.T) {
	r, _ := withLFS(t)
	r.Git("config", "filter.lfs.clean", "evil %f")
	r.Write("real.bin", "changed\n")
	_, err := r.Open().Tree(t.Context())
	gittest.WantKind(t, err, kedge.Blocked, "evil")
}

// TestEncodedFiles: what attributes turn into other bytes is not changed by a fresh worktree,
// nor on its way back.
func TestEncodedFiles(t *testing.T) {
	r := gittest.New(t)
	r.Write(".gitattributes", "*.u16 text working-tree-encoding=UTF-16LE eol=crlf\n*.bat text eol=crlf\n*.odd filter=nobody-defines\n")
	r.Write("a.u16", "h\x00i\x00\r\x00\n\x00")
	r.Write("a.bat", "echo\r\n")
	r.Write("a.odd", "odd\r\n")
	r.Commit("encoded")
	if got := r.Git("show", "HEAD:a.u16"); got != "hi\n" && got != "hi" {
		t.Fatalf("git stores %q", got)
	}
	dir := r.AddWorktree("w", "")
	w, err := r.Open().In(t.Context(), dir)
	r.Must(err)
	for _, name := range []string{"a.u16", "a.bat", "a.odd"} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(b) != r.Read(name) {
			t.Errorf("%s is %q, %v; in the checkout %q", name, b, err, r.Read(name))
		}
	}
	head, err := w.TreeOf(t.Context(), "HEAD")
	r.Must(err)
	if tree, err := w.Tree(t.Context()); err != nil || tree != head {
		t.Errorf("the tree is %s, %v; want that of HEAD, %s", tree, err, head)
	}
	if got := r.GitIn(dir, "status", "--porcelain"); got != "" {
		t.Errorf("git says %q", got)
	}
}
