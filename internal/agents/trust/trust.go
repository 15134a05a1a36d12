// Package trust finds the files in a repository that run code or steer agents: settings,
// hooks and servers of agents, and environment variables that send keys elsewhere or make
// programs load code. It owns the search, and the list of files that belong to no single
// agent; the files of one agent are in its profile. It promises that one changed byte
// makes another content, and that a file which it cannot read completely never counts as
// harmless. It approves nothing, and never runs or changes what it finds.
package trust

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/text/lazyre"
)

// Digits is how many digits of a hash name a content for people.
const Digits = 32

// File is a file that programs of agents run or obey.
type File struct {
	Path   string   `json:"path"`
	SHA256 string   `json:"sha256"` // of its content with line feeds only; of a link, of where it leads
	Bytes  int64    `json:"bytes"`
	Who    string   `json:"who"`  // heeds it
	Runs   []string `json:"runs"` // the commands that it names, as far as they can be told
	Exec   bool     `json:"-"`    // it can be executed; told of work only
}

// Variable is a variable of the environment that a file sets and no repository may
// set by itself.
type Variable struct {
	Name   string `json:"name"`
	Path   string `json:"path"`
	SHA256 string `json:"sha256"` // of the name and the lines that speak of it
	Why    string `json:"why"`
}

// Found is what a tree brings along, each by its path.
type Found struct {
	Files     []File
	Variables []Variable
}

// Trusted is the file as people approve it.
func (f File) Trusted() kedge.Trusted {
	return kedge.Trusted{Path: f.Path, SHA256: f.SHA256, Exec: f.Exec}
}

// Trusted is the variable as people approve it.
func (v Variable) Trusted() kedge.Trusted {
	return kedge.Trusted{Path: v.Path, Name: v.Name, SHA256: v.SHA256}
}

// None tells whether there is nothing.
func (f Found) None() bool { return len(f.Files)+len(f.Variables) == 0 }

// Hash names the files together, so that a person's word is about exactly these.
func (f Found) Hash() string {
	h := sha256.New()
	for _, file := range f.Files {
		h.Write([]byte(file.Trusted().ID() + "\n"))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Without leaves out what is approved.
func (f Found) Without(approved func(kedge.Trusted) bool) Found {
	return Found{
		Files:     slices.DeleteFunc(slices.Clone(f.Files), func(x File) bool { return approved(x.Trusted()) }),
		Variables: slices.DeleteFunc(slices.Clone(f.Variables), func(x Variable) bool { return approved(x.Trusted()) }),
	}
}

// And joins what two trees bring along; what both have counts once.
func (f Found) And(more Found) Found {
	for _, x := range more.Files {
		if !slices.ContainsFunc(f.Files, func(o File) bool { return o.Trusted() == x.Trusted() }) {
			f.Files = append(slices.Clip(f.Files), x)
		}
	}
	for _, x := range more.Variables {
		if !slices.ContainsFunc(f.Variables, func(o Variable) bool { return o.Trusted() == x.Trusted() }) {
			f.Variables = append(slices.Clip(f.Variables), x)
		}
	}
	slices.SortFunc(f.Files, func(a, b File) int { return strings.Compare(a.Trusted().ID(), b.Trusted().ID()) })
	slices.SortFunc(f.Variables, func(a, b Variable) int { return strings.Compare(a.Trusted().ID(), b.Trusted().ID()) })
	return f
}

// Items are what a person would have to approve.
func (f Found) Items() []kedge.Trusted {
	out := make([]kedge.Trusted, 0, len(f.Files)+len(f.Variables))
	for _, x := range f.Files {
		out = append(out, x.Trusted())
	}
	for _, x := range f.Variables {
		out = append(out, x.Trusted())
	}
	return out
}

// Kind is what stands at a path of a tree.
type Kind int

// The kinds.
const (
	Absent  Kind = iota
	Plain        // a regular file
	Program      // one that can be executed, where the tree tells
	Folder
	Link
	Other // a repository of its own, a pipe, …
)

// Tree is a tree of files that can be looked at. Names are slash-separated, from its
// root, which is ".".
type Tree interface {
	// Kind is what stands at the name itself.
	Kind(name string) (Kind, error)
	// List gives the names right below a folder.
	List(name string) ([]string, error)
	// Read gives the content of a file; of a link, where it leads.
	Read(name string) ([]byte, error)
	// Installed tells of a name that programs use for what they install whether that
	// is all it is: it did not come with the repository.
	Installed(name string) (bool, error)
}

// Bounds of what is looked at. What is larger is refused: it is not settings.
const (
	maxFiles = 2000
	maxBytes = 32 << 20
	maxDepth = 24
	maxRuns  = 8
)

// Scan finds what the tree brings along. The error is kedge.Blocked for what nobody
// can approve, because it cannot be known: a link that leads out of the tree, a
// repository inside, too much.
func (r Rules) Scan(t Tree) (Found, error) {
	return (&scan{rules: r, tree: t, seen: map[string]bool{}}).all()
}

// ScanWork is Scan of what work would bring to whoever has it checked out: with what
// runs for people only, the hooks of git, and with what can be executed.
func (r Rules) ScanWork(t Tree) (Found, error) {
	return (&scan{rules: r, tree: t, seen: map[string]bool{}, people: true}).all()
}

func (s *scan) all() (Found, error) {
	top, err := s.tree.List(".")
	if err != nil {
		return Found{}, err
	}
	slices.Sort(top)
	for _, name := range top {
		for _, k := range s.rules.Files {
			if k.People && !s.people {
				continue
			}
			if err := s.top(name, k); err != nil {
				return Found{}, err
			}
		}
	}
	return s.found.And(Found{}), nil
}

// scan is one look at a tree.
type scan struct {
	rules  Rules
	tree   Tree
	found  Found
	seen   map[string]bool
	bytes  int
	people bool // what runs for people only, too
}

// top looks at a name of the root if it is the one that is known. File systems that
// do not tell large from small letters find either.
func (s *scan) top(name string, k Settings) error {
	first, rest, below := strings.Cut(k.Name, "/")
	if !strings.EqualFold(name, first) {
		return nil
	}
	if !below {
		return s.walk(name, k, 0)
	}
	kind, err := s.tree.Kind(name)
	if err != nil || kind == Absent || kind == Plain || kind == Program {
		return err
	}
	if kind != Folder {
		return s.walk(name, k, 0)
	}
	names, err := s.tree.List(name)
	if err != nil {
		return err
	}
	for _, n := range names {
		if strings.EqualFold(n, rest) {
			return s.walk(path.Join(name, n), k, 0)
		}
	}
	return nil
}

func (s *scan) walk(name string, k Settings, depth int) error {
	if s.seen[name] {
		return nil
	}
	if depth > maxDepth || len(s.seen) >= maxFiles {
		return tooMuch(name)
	}
	s.seen[name] = true
	kind, err := s.tree.Kind(name)
	if err != nil {
		return err
	}
	switch kind {
	case Absent:
		return nil
	case Plain, Program:
		return s.file(name, k, kind == Program && s.people)
	case Folder:
		return s.folder(name, k, depth)
	case Link:
		return s.link(name, k, depth)
	default:
		return kedge.Errorf(kedge.Blocked, "%s would read %q, but you cannot review that path, because it is a submodule, a pipe or another special file", k.Who, name).
			WithHint("replace it with a plain file or folder; or remove it from git: %s", kedge.Step("git", "rm", "--cached", ":/"+name))
	}
}

func tooMuch(name string) error {
	return kedge.Errorf(kedge.Blocked, "Kedge cannot list the files that steer agents for your approval: there are too many of them, or they are too large (Kedge stopped reading at %q)", name).
		WithHint("remove the files that agents do not need from that folder, then repeat your command")
}

func (s *scan) folder(name string, k Settings, depth int) error {
	names, err := s.tree.List(name)
	if err != nil {
		return err
	}
	slices.Sort(names)
	for _, n := range names {
		if err := s.inFolder(path.Join(name, n), k, depth); err != nil {
			return err
		}
	}
	return nil
}

// inFolder looks at a name in a folder, unless a program put it there for itself.
func (s *scan) inFolder(name string, k Settings, depth int) error {
	if slices.Contains(k.But, path.Base(name)) {
		if installed, err := s.tree.Installed(name); err != nil || installed {
			return err
		}
	}
	return s.walk(name, k, depth+1)
}

// link adds where a link leads, and what is there.
func (s *scan) link(name string, k Settings, depth int) error {
	b, err := s.tree.Read(name)
	if err != nil {
		return err
	}
	to := path.Join(path.Dir(name), string(b))
	if path.IsAbs(string(b)) || to == ".." || strings.HasPrefix(to, "../") || to == "." {
		return kedge.Errorf(kedge.Blocked, "%s would read files outside the repository, because %q is a link to them", k.Who, name).
			WithHint("replace the link with copies of the files")
	}
	if !k.EnvOnly {
		s.add(name, append([]byte("link to "), b...), k)
	}
	return s.walk(to, k, depth+1)
}

func (s *scan) file(name string, k Settings, exec bool) error {
	b, err := s.tree.Read(name)
	if err != nil {
		return err
	}
	if s.bytes += len(b); s.bytes > maxBytes {
		return tooMuch(name)
	}
	b = bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))
	if !k.EnvOnly {
		s.add(name, b, k)
		s.found.Files[len(s.found.Files)-1].Exec = exec
	}
	if k.Env && setsVariables(name) {
		s.found.Variables = append(s.found.Variables, s.rules.variables(name, b)...)
	}
	return nil
}

func (s *scan) add(name string, b []byte, k Settings) {
	s.found.Files = append(s.found.Files, File{Path: name, SHA256: sum(b), Bytes: int64(len(b)), Who: k.Who, Runs: commands(b)})
}

func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// namedCommand is a command in settings, as JSON and TOML have it.
var namedCommand = lazyre.New(`(?:"command"|\bcommand)\s*[:=]\s*"((?:[^"\\]|\\.)*)"`)

// commands are the first of those that settings name.
func commands(b []byte) []string {
	out := []string{}
	for _, m := range namedCommand.FindAllStringSubmatch(string(b), maxRuns) {
		if !slices.Contains(out, m[1]) {
			out = append(out, m[1])
		}
	}
	return out
}
