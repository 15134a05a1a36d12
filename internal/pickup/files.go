package pickup

import (
	"math"
	"slices"
	"strings"
)

// act is what was done to a file.
type act uint8

const (
	actRead act = iota
	actEdit
	actLook  // searched in, by name
	actShell // named in a shell command
	acts     // how many there are
)

// file is what a session did to one file.
type file struct {
	path   string
	shell  bool      // only ever named in shell commands
	sum    float64   // of its uses, as it stood at the last one
	last   int       // action of the last use
	lastAt [acts]int // by act; 0 is never
	uses   int
	failed bool // the last call with it failed
	gone   bool // all there ever was: a read that found no such file
	dirty  bool // edited since the last commit
}

// use is how much the file is in use at action n, by the pace at which use is
// forgotten.
func (f *file) use(n int, pace float64) float64 { return f.sum * math.Pow(pace, float64(n-f.last)) }

// files are all that a session named, in the order of their first use.
type files struct {
	tune   *tuning
	list   []*file
	byPath map[string]*file
	byBase map[string][]*file
}

func newFiles(t *tuning) files {
	return files{tune: t, byPath: map[string]*file{}, byBase: map[string][]*file{}}
}

// touch counts a use of the file at action n.
func (t *files) touch(path string, a act, n int) {
	f := t.file(path, a == actShell)
	f.sum = f.use(n, t.tune.pace) + t.tune.worth[a]
	f.last, f.lastAt[a] = n, n
	f.uses++
	f.dirty = f.dirty || a == actEdit
	f.failed, f.gone = false, false
}

// file gives the record of a path. What shell commands named by the end of its
// path is the same file.
func (t *files) file(path string, shell bool) *file {
	if f := t.byPath[path]; f != nil {
		f.shell = f.shell && shell
		return f
	}
	if shell {
		if list := t.ending(path); len(list) > 0 {
			return list[0]
		}
	}
	path = strings.Clone(path) // and not the command that it stands in
	f := &file{path: path, shell: shell}
	if !shell {
		t.absorb(f)
	}
	t.list = append(t.list, f)
	t.byPath[path] = f
	base := baseOf(path)
	t.byBase[base] = append(t.byBase[base], f)
	return f
}

// absorb gives a file what shell commands did to it under shorter names.
func (t *files) absorb(f *file) {
	same := func(g *file) bool { return g.shell && ends(f.path, g.path) }
	base := baseOf(f.path)
	for _, g := range t.byBase[base] {
		if same(g) {
			n := max(f.last, g.last)
			f.sum = f.use(n, t.tune.pace) + g.use(n, t.tune.pace)
			f.last, f.uses, f.lastAt[actShell] = n, f.uses+g.uses, g.lastAt[actShell]
			t.byPath[g.path] = f
		}
	}
	t.byBase[base] = slices.DeleteFunc(t.byBase[base], same)
	t.list = slices.DeleteFunc(t.list, same)
}

// named gives the files that a word may name; several where it does not say
// which.
func (t *files) named(word string) []*file {
	word = strings.TrimPrefix(word, "~/")
	if f := t.byPath[word]; f != nil {
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

func (t *files) ending(word string) (list []*file) {
	for _, f := range t.byBase[baseOf(word)] {
		if ends(f.path, word) || ends(word, f.path) {
			list = append(list, f)
		}
	}
	return list
}

// committed says that nothing is left to commit.
func (t *files) committed() {
	for _, f := range t.list {
		f.dirty = false
	}
}
