package resume

import (
	"math"
	"slices"
	"strings"

	"kedge/internal/core/check"
	"kedge/internal/text/words"
)

// act is what was done to a file.
type act uint8

const (
	actRead act = iota
	actEdit
	actLook  // searched in, by name
	actShell // named in a shell command
	actPrint // printed by a shell command, where that is how files are read
	acts     // how many there are
)

// file is what a session did to one file.
type file struct {
	path   string    // as the transcript has it
	key    string    // slashed
	shell  bool      // only ever named in shell commands
	sure   bool      // a command printed it, so it is a file
	sum    float64   // of its uses, as it stood at the last one
	last   int       // action of the last use
	lastAt [acts]int // by act; 0 is never
	uses   int
	failed bool // the last call with it failed
	gone   bool // it is no longer there, or never was: a read found no such file
	dirty  bool // edited since the last commit
	proved int  // action at which git said that it is not committed; 0 is never
	aside  bool // edited, and put aside by git stash
}

// use is how much the file is in use at action n, by the pace at which use is
// forgotten.
func (f *file) use(n int, pace float64) float64 { return f.sum * math.Pow(pace, float64(n-f.last)) }

// files are all that a session named, in the order of their first use.
type files struct {
	tune   *tuning
	base   string // where the session works, slashed; empty is unknown
	list   []*file
	byKey  map[string]*file
	byLast map[string][]*file // by the last word of the path
}

func newFiles(t *tuning) files {
	return files{tune: t, byKey: map[string]*file{}, byLast: map[string][]*file{}}
}

// touch counts a use of the file at action n.
func (t *files) touch(path string, a act, n int) {
	f := t.file(path, a == actShell || a == actPrint)
	f.sum = f.use(n, t.tune.pace) + t.tune.worth[a]
	f.last, f.lastAt[a] = n, n
	f.uses++
	f.dirty = f.dirty || a == actEdit
	f.sure = f.sure || a == actPrint
	f.failed = false
	f.gone = f.gone && (a == actShell || a == actLook) // a command may name what it removes
}

// file gives the record of a path. What shell commands named by the end of its
// path is the same file.
func (t *files) file(path string, shell bool) *file {
	key := slashed(path)
	if f := t.byKey[key]; f != nil {
		f.shell = f.shell && shell
		return f
	}
	if shell {
		if list := t.ending(key); len(list) > 0 {
			return list[0]
		}
	}
	path = strings.Clone(path) // and not the command that it stands in
	f := &file{path: path, key: slashed(path), shell: shell}
	if !shell {
		t.absorb(f)
	}
	t.list = append(t.list, f)
	t.byKey[f.key] = f
	last := lastWord(f.key)
	t.byLast[last] = append(t.byLast[last], f)
	return f
}

// absorb gives a file what shell commands did to it under shorter names.
func (t *files) absorb(f *file) {
	same := func(g *file) bool { return g.shell && ends(f.key, g.key) }
	last := lastWord(f.key)
	if !slices.ContainsFunc(t.byLast[last], same) { // so that the whole list is seldom gone through
		return
	}
	for _, g := range t.byLast[last] {
		if same(g) {
			n := max(f.last, g.last)
			f.sum = f.use(n, t.tune.pace) + g.use(n, t.tune.pace)
			f.last, f.uses = n, f.uses+g.uses
			for a, at := range g.lastAt {
				f.lastAt[a] = max(f.lastAt[a], at)
			}
			t.byKey[g.key] = f
		}
	}
	t.byLast[last] = slices.DeleteFunc(t.byLast[last], same)
	t.list = slices.DeleteFunc(t.list, same)
}

// named gives the files that a word may name; several where it does not say
// which.
func (t *files) named(word string) []*file {
	word = strings.TrimPrefix(word, "~/")
	if f := t.byKey[word]; f != nil {
		return []*file{f}
	}
	if list := t.ending(word); len(list) > 0 {
		return list
	}
	for _, side := range []string{"a/", "b/"} { // of a difference
		if rest, ok := strings.CutPrefix(word, side); ok {
			return t.ending(rest)
		}
	}
	return nil
}

// ending gives the files whose path ends in a word, or that the word ends in. A word
// with a folder in it means one file: of copies of it in several worktrees, the one
// that is in use.
func (t *files) ending(word string) (list []*file) {
	for _, f := range t.byLast[lastWord(word)] {
		if ends(f.key, word) || ends(word, f.key) {
			list = append(list, f)
		}
	}
	if len(list) > 1 && strings.Contains(word, "/") {
		latest := list[0]
		for _, f := range list[1:] {
			if f.last >= latest.last {
				latest = f
			}
		}
		return []*file{latest}
	}
	return list
}

// below tells whether a file of the work stands below a folder.
func (t *files) below(dir string) bool {
	return slices.ContainsFunc(t.list, func(f *file) bool { return !f.shell && t.in(f, dir) })
}

// in tells whether a file stands in a folder; an empty one is that of the work. A short
// name is one below where the session works: where that is unknown, it is in no other.
func (t *files) in(f *file, dir string) bool {
	return dir == "" || strings.HasPrefix(within(t.base, f.key), dir+"/")
}

// ofWork tells whether a path is one of the work, and not of scratch beside it.
func (t *files) ofWork(path string) bool {
	switch key := slashed(path); {
	case !check.Rooted(key):
		return true
	case t.base != "":
		return strings.HasPrefix(key, t.base+"/")
	default:
		return !beginsAny(key, []string{"/tmp/", "/var/", "/private/", "/proc/"})
	}
}

// differ takes what git says is not committed: the files that it names.
func (t *files) differ(out string, n int) {
	for _, w := range words.Paths(out) {
		for _, f := range t.named(w) {
			f.proved = n
		}
	}
}

// committed says that nothing in a folder is left to commit.
func (t *files) committed(dir string) {
	for _, f := range t.list {
		f.dirty = f.dirty && !t.in(f, dir)
	}
}

// setAside says that what was left to commit there was stashed, or thrown away for
// good.
func (t *files) setAside(dir string, stash bool) {
	for _, f := range t.list {
		if t.in(f, dir) {
			f.dirty, f.aside = false, f.aside || f.dirty && stash
		}
	}
}

// tookBack says that what was stashed is there again.
func (t *files) tookBack() {
	for _, f := range t.list {
		f.dirty, f.aside = f.dirty || f.aside, false
	}
}
