package hardened

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kedge/internal/process"
)

// folder is a worktree as git described it, and the files that decided it.
type folder struct {
	mark  string // of those files
	at    time.Time
	set   Settings
	place *place // nil: not asked yet
}

// place is where everything of a worktree is.
type place struct{ root, gitDir, common, format string }

// plainInclude begins the keys with which a configuration has more files.
const plainInclude = "include"

// configured is settingsIn for a folder that is the root of a worktree. What is
// known of it counts while every file of its configuration has the same text.
func (g *Git) configured(ctx context.Context, dir string) (Settings, error) {
	mark, ok := g.markOf(dir)
	if ok {
		if f, ok := g.recallFolder(dir, mark); ok {
			return f.set, nil
		}
	}
	set, err := g.settingsIn(ctx, dir)
	set.Content = slices.Clip(set.Content)
	if err == nil && ok && !set.includes {
		g.keepFolder(dir, folder{mark: mark, at: g.opt.Now(), set: set})
	}
	return set, err
}

// located is discover, by what is known.
func (g *Git) located(ctx context.Context, dir string) error {
	mark, ok := g.markOf(dir)
	f, known := g.recallFolder(dir, mark)
	if ok && known && f.place != nil {
		g.root, g.gitDir, g.common, g.format = f.place.root, f.place.gitDir, f.place.common, f.place.format
		return nil
	}
	if err := g.discover(ctx, dir); err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(dir); ok && known && err == nil && real == g.root { // else it has none of its own
		f.place = &place{g.root, g.gitDir, g.common, g.format}
		g.keepFolder(dir, f)
	}
	return nil
}

func (g *Git) recallFolder(dir, mark string) (folder, bool) {
	g.opt.memory.mu.Lock()
	defer g.opt.memory.mu.Unlock()
	f, ok := g.opt.memory.dirs[dir]
	return f, ok && f.mark == mark && g.opt.Now().Sub(f.at) < freshFor
}

func (g *Git) keepFolder(dir string, f folder) {
	g.opt.memory.mu.Lock()
	defer g.opt.memory.mu.Unlock()
	g.opt.memory.dirs[dir] = f
}

// markOf is made of the text of every file that says where the repository of a
// worktree is and how it is configured; false where that is not the usual way.
func (g *Git) markOf(dir string) (string, bool) {
	dot := filepath.Join(dir, ".git")
	fi, err := os.Lstat(dot)
	if err != nil {
		return "", false
	}
	gitDir, common := dot, dot
	if !fi.IsDir() {
		var ok bool
		if gitDir, common, ok = linked(dir); !ok {
			return "", false
		}
	}
	files := []string{filepath.Join(gitDir, "gitdir"), filepath.Join(gitDir, "commondir"), filepath.Join(common, "config"), filepath.Join(gitDir, "config.worktree")}
	mark := gitDir + "\x00" + common
	if !Exists(filepath.Join(gitDir, "HEAD")) { // to git it is none, and the folder lies in another one
		return "", false
	}
	for _, file := range append(files, g.userFiles()...) {
		text, _ := contents(file) // none is a text as well
		mark += "\x00" + file + "\x00" + text
	}
	return mark, true
}

// linked reads the file that stands for the git dir of a linked worktree.
func linked(dir string) (gitDir, common string, ok bool) {
	text, err := os.ReadFile(filepath.Join(dir, ".git"))
	gitDir, is := strings.CutPrefix(strings.TrimSuffix(string(text), "\n"), "gitdir: ")
	if err != nil || !is || !filepath.IsAbs(gitDir) {
		return "", "", false
	}
	text, err = os.ReadFile(filepath.Join(gitDir, "commondir"))
	if err != nil {
		return "", "", false
	}
	common = strings.TrimSuffix(string(text), "\n")
	if !filepath.IsAbs(common) {
		common = filepath.Join(gitDir, common)
	}
	return gitDir, common, true
}

// userFiles are where the configuration of users and machines is, as a rule.
func (g *Git) userFiles() []string {
	files := []string{"/etc/gitconfig"}
	for _, name := range []string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"} {
		if v, ok := process.LookupEnv(g.opt.Env, name); ok {
			files = append(files, v)
		}
	}
	home := process.Getenv(g.opt.Env, "HOME")
	if home != "" {
		files = append(files, filepath.Join(home, ".gitconfig"), filepath.Join(home, ".config", "git", "config"))
	}
	if xdg, ok := process.LookupEnv(g.opt.Env, "XDG_CONFIG_HOME"); ok && xdg != "" {
		files = append(files, filepath.Join(xdg, "git", "config"))
	}
	return files
}
