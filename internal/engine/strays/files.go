package strays

import (
	"bytes"
	"cmp"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"kedge"
)

// Pair is two worktrees that are to hold the same.
type Pair struct {
	Work  string // the folder in which somebody worked
	Clean string // the folder of the clean checkout

	Same    map[string]bool // the files of the commit that both are to have with the same content
	Other   map[string]bool // files that one of them has, or has otherwise, as it should
	Modules []string        // the folders of submodules
	Failure string          // what failed in the clean checkout: what it names comes first
}

// How is in what a file differs.
type How string

// The differences.
const (
	Missing    How = "missing"    // the clean checkout has no such file
	Changed    How = "changed"    // it has it with another content
	Executable How = "executable" // only the file that was worked on can be executed
	Empty      How = "empty"      // a folder in which nothing is
	Repository How = "repository" // a folder that is a repository of its own
)

// Difference is a file, or a folder with all that is in it, that differs.
type Difference struct {
	Path   string // a folder ends with a slash
	How    How
	Module bool // it lies in a submodule
	Same   bool // git stores the file, and what is on the disk differs all the same
	rank   int
}

// Likely tells whether it is a file that people write: its absence can be why a check fails.
func (d Difference) Likely() bool { return d.rank < ranksOther }

// The ranks, the most telling first.
const (
	ranksNamed = iota
	ranksCommit
	ranksSource
	ranksOther
)

// maxLooked bounds how many files are looked at, and maxRead how many bytes of them are
// compared.
const (
	maxLooked = 200_000
	maxRead   = 64 << 20
	maxFile   = 4 << 20
)

// Files finds what a worktree has and a clean checkout of its commit has not: files that git
// ignores, changes inside submodules, modes and contents that git stores otherwise, empty
// folders. It reads a bounded number of files, and leaves out what tools keep for themselves.
// The most telling differences come first.
func Files(q Pair) []Difference {
	w := &walk{Pair: q, stored: map[string]bool{}, gone: map[string]string{}}
	for p := range q.Same {
		for dir := path.Dir(p); dir != "." && !w.stored[dir]; dir = path.Dir(dir) {
			w.stored[dir] = true
		}
	}
	w.folder("", false)
	out := w.collapse()
	for i := range out {
		out[i].rank = w.rank(out[i])
	}
	slices.SortStableFunc(out, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), strings.Compare(a.Path, b.Path))
	})
	return out
}

type walk struct {
	Pair
	looked int
	read   int64
	found  []Difference
	stored map[string]bool   // the folders that have files of the commit
	gone   map[string]string // of a file in a folder that the clean checkout has not: the topmost such folder
}

// folder looks at all in a folder. What cannot be read is passed over: nothing can be said of it.
func (w *walk) folder(rel string, module bool) {
	list, err := os.ReadDir(filepath.Join(w.Work, rel))
	if err != nil {
		return
	}
	for _, e := range list {
		name := path.Join(rel, e.Name())
		if w.looked++; w.looked > maxLooked {
			return
		}
		if e.Name() == ".git" || kept(e.Name()) || w.Other[name] || kedge.IsOwnPath(name) {
			continue
		}
		if !e.IsDir() {
			w.file(name, e, module)
			continue
		}
		w.subfolder(name, module)
	}
}

func (w *walk) subfolder(name string, module bool) {
	list, err := os.ReadDir(filepath.Join(w.Work, name))
	if err != nil {
		return
	}
	_, missing := os.Lstat(filepath.Join(w.Clean, name))
	own := slices.Contains(w.Modules, name)
	switch {
	case len(list) == 0 && missing != nil && !own:
		w.found = append(w.found, Difference{Path: name + "/", How: Empty, Module: module})
	case !own && !module && missing != nil && slices.ContainsFunc(list, func(e fs.DirEntry) bool { return e.Name() == ".git" }):
		w.found = append(w.found, Difference{Path: name + "/", How: Repository})
	case missing == nil && made(path.Base(name)) && !module && !w.stored[name]: // both made it, each its own
	default:
		if top := w.gone[path.Dir(name)]; top != "" {
			w.gone[name] = top
		} else if missing != nil {
			w.gone[name] = name
		}
		w.folder(name, module || own)
	}
}

// file compares one file.
func (w *walk) file(name string, e fs.DirEntry, module bool) {
	was, err := e.Info()
	if err != nil || was.Mode()&(fs.ModeSocket|fs.ModeNamedPipe|fs.ModeDevice) != 0 {
		return
	}
	d := Difference{Path: name, Module: module, Same: w.Same[name]}
	now, err := os.Lstat(filepath.Join(w.Clean, name))
	switch {
	case err != nil && d.Same: // a check removed it
		return
	case err != nil:
		d.How = Missing
	case was.Mode()&0o100 != 0 && now.Mode()&0o100 == 0 && was.Mode().IsRegular():
		d.How = Executable
	case was.Mode().Type() != now.Mode().Type() || w.differs(name, was, now):
		d.How = Changed
	default:
		return
	}
	w.found = append(w.found, d)
}

// differs compares contents. Of files that git does not store only texts count: what
// programs write for themselves differs everywhere.
func (w *walk) differs(name string, was, now fs.FileInfo) bool {
	if !was.Mode().IsRegular() {
		a, errA := os.Readlink(filepath.Join(w.Work, name))
		b, errB := os.Readlink(filepath.Join(w.Clean, name))
		return errA == nil && errB == nil && a != b
	}
	if was.Size() > maxFile || now.Size() > maxFile {
		return was.Size() != now.Size()
	}
	if w.read += was.Size() + now.Size(); w.read > maxRead {
		return false
	}
	a, errA := os.ReadFile(filepath.Join(w.Work, name))
	b, errB := os.ReadFile(filepath.Join(w.Clean, name))
	if errA != nil || errB != nil || bytes.Equal(a, b) {
		return false
	}
	return w.Same[name] || bytes.IndexByte(a, 0) < 0
}

// maxSingle is how many files of a folder that is missing are named one by one.
const maxSingle = 3

// collapse names a folder instead of its files, where the clean checkout has none of them
// and they are many.
func (w *walk) collapse() []Difference {
	count := map[string]int{}
	for _, d := range w.found {
		count[w.gone[path.Dir(d.Path)]]++
	}
	var out []Difference
	done := map[string]bool{}
	for _, d := range w.found {
		top := w.gone[path.Dir(d.Path)]
		if top == "" || count[top] <= maxSingle || w.mentions(d.Path) {
			out = append(out, d)
			continue
		}
		if !done[top] {
			done[top] = true
			out = append(out, Difference{Path: top + "/", How: Missing, Module: d.Module})
		}
	}
	return out
}

// mentions tells whether the failure speaks of a path: in whole, or of its last element where
// that is long enough to be no accident.
func (w *walk) mentions(p string) bool {
	p = strings.TrimSuffix(p, "/")
	base := path.Base(p)
	stem := strings.TrimSuffix(base, path.Ext(base))
	const short = 4
	return strings.Contains(w.Failure, p) || len(base) >= short && strings.Contains(w.Failure, base) || len(stem) > short && strings.Contains(w.Failure, stem)
}

func (w *walk) rank(d Difference) int {
	below := slices.ContainsFunc(w.found, func(o Difference) bool { // which is told for itself
		return strings.HasSuffix(d.Path, "/") && strings.HasPrefix(o.Path, d.Path) && o.Path != d.Path && w.mentions(o.Path)
	})
	switch {
	case !below && w.mentions(d.Path):
		return ranksNamed
	case d.Same || d.Module:
		return ranksCommit
	case strings.HasSuffix(d.Path, "/"):
		return ranksOther
	case written(d.Path):
		return ranksSource
	}
	return ranksOther
}

// written: people write files with such an ending, and programs mostly do not.
func written(p string) bool {
	ext := strings.ToLower(path.Ext(p))
	return ext != "" && strings.Contains(" .go .py .js .jsx .ts .tsx .mjs .cjs .rb .php .java .kt .rs .c .h .cc .cpp .hpp .cs .swift .sh .sql .json .yaml .yml .toml .ini .cfg .conf .env .properties .txt .html .css .scss .vue .svelte .proto .graphql .tmpl ", " "+ext+" ")
}

// kept are names of what tools keep for themselves.
func kept(name string) bool {
	switch name {
	case "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".nyc_output", ".gradle", ".coverage", ".DS_Store", ".idea", ".vs":
		return true
	}
	switch path.Ext(name) {
	case ".pyc", ".pyo", ".log", ".tsbuildinfo", ".swp", ".lock.db":
		return true
	}
	return false
}

// made are folders that a build makes for itself.
func made(name string) bool {
	switch name {
	case "target", "build", "dist", "out", ".next", ".tox", "coverage", "CMakeFiles", "bin", "obj":
		return true
	}
	return false
}
