// Package detect finds out how a project is tested and built: for Go, Node,
// Python, Rust, Java and Make, several at once, at the top or one folder below.
// It promises that every check it gives is a command the project itself implies
// by its files, and says in a note what it saw and left out. It reads an fs.FS
// and runs nothing; what it cannot tell it leaves to people.
package detect

import (
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"kedge"
)

// Found is what a project says about itself.
type Found struct {
	Kinds    []string        // "go", "node", "python", "rust", "java", "make": as found, in this order
	Checks   []kedge.Check   // for gate.toml; names are valid and unique
	Services []kedge.Service // likewise: the project's own application, where it can be told a port
	Notes    []string        // what a person should know, in lower case
}

// maxFile bounds what is read of one file: a manifest is small.
const maxFile = 1 << 20

// language looks at one folder and gives the checks of one kind of project.
type language struct {
	kind string
	look func(*folder) []kedge.Check // nil: not of this kind
}

var languages = []language{
	{"go", goChecks},
	{"node", nodeChecks},
	{"python", pythonChecks},
	{"rust", rustChecks},
	{"java", javaChecks},
}

// Project looks at the top of fsys, and at the folders right below when the top
// has nothing.
func Project(fsys fs.FS) Found {
	top := &folder{fsys: fsys, dir: "."}
	found := top.project()
	if len(found.Kinds) == 0 && len(found.Checks) == 0 {
		seen := found.Notes
		found = below(fsys)
		found.Notes = append(seen, found.Notes...)
	}
	if len(found.Checks) == 0 {
		found.Notes = append(found.Notes, "found no test or build command: write one into .kedge/gate.toml")
	}
	found.Checks = unique(found.Checks)
	return found
}

// project combines the languages of one folder. A Makefile fills in only what
// no language gives: its targets usually call the same tools.
func (f *folder) project() Found {
	var found Found
	var several [][]kedge.Check
	for _, l := range languages {
		checks, n := l.look(f), len(f.notes)
		if checks == nil && n == 0 {
			continue
		}
		found.Notes = append(found.Notes, f.notes...)
		f.notes = nil
		if checks != nil {
			found.Kinds = append(found.Kinds, l.kind)
			several = append(several, checks)
		}
	}
	withChecks := 0
	for _, checks := range several {
		withChecks += min(len(checks), 1)
	}
	for i, checks := range several {
		if withChecks > 1 {
			prefix(checks, found.Kinds[i])
		}
		found.Checks = append(found.Checks, checks...)
	}
	return f.addApplication(f.addMake(found))
}

func (f *folder) addMake(found Found) Found {
	targets := makeTargets(f)
	if targets == nil {
		return found
	}
	found.Kinds = append(found.Kinds, "make")
	for _, c := range targets {
		has := func(other kedge.Check) bool { return other.Kind == c.Kind }
		if slices.ContainsFunc(found.Checks, has) {
			found.Notes = append(found.Notes, "the Makefile has a target too: `"+c.Run+"` is not used")
			continue
		}
		found.Checks = append(found.Checks, c)
	}
	return found
}

// below looks into the folders of a repository that has nothing at its top.
func below(fsys fs.FS) Found {
	var all Found
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return all
	}
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") || slices.Contains(passedOver, e.Name()) {
			continue
		}
		sub := (&folder{fsys: fsys, dir: e.Name()}).project()
		if len(sub.Checks) == 0 {
			continue
		}
		if len(sub.Services) > 0 && len(all.Services) > 0 { // checks ask the port of one
			sub = sub.withoutServices()
			all.Notes = append(all.Notes, e.Name()+": its application is not proposed beside another one")
		}
		prefix(sub.Checks, e.Name())
		all.Services = append(all.Services, moved(sub.Services, e.Name())...)
		for i := range sub.Checks {
			if sub.Checks[i].Run == "" {
				continue // a request
			}
			sub.Checks[i].Run = "cd " + quote(e.Name()) + " && " + sub.Checks[i].Run
		}
		for _, note := range sub.Notes {
			all.Notes = append(all.Notes, e.Name()+": "+note)
		}
		all.Checks = append(all.Checks, sub.Checks...)
		for _, k := range sub.Kinds {
			if !slices.Contains(all.Kinds, k) {
				all.Kinds = append(all.Kinds, k)
			}
		}
	}
	return all
}

// withoutServices leaves away the application, and what asks it.
func (found Found) withoutServices() Found {
	found.Services = nil
	found.Checks = slices.DeleteFunc(slices.Clone(found.Checks), func(c kedge.Check) bool { return c.Run == "" })
	return found
}

// passedOver are folders that hold other people's projects, or none to test.
var passedOver = []string{"node_modules", "vendor", "third_party", "testdata", "examples", "example", "docs", "doc", "dist", "build", "target"}

func prefix(checks []kedge.Check, with string) {
	for i := range checks {
		checks[i].Name = name(with + "-" + checks[i].Name)
	}
}

// name makes a valid check name of any text.
func name(s string) string {
	valid := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, strings.ToLower(s))
	valid = strings.TrimLeft(valid, "-")
	return valid[:min(len(valid), 56)] // leaves room for a number
}

// unique numbers names that came out the same.
func unique(checks []kedge.Check) []kedge.Check {
	seen := map[string]bool{}
	for i := range checks {
		base := checks[i].Name
		for n := 2; seen[checks[i].Name]; n++ {
			checks[i].Name = base + "-" + strconv.Itoa(n)
		}
		seen[checks[i].Name] = true
	}
	return checks
}

// quote makes s one word for the shell.
func quote(s string) string {
	plain := strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/") == ""
	if strings.HasPrefix(s, "-") {
		s = "./" + s
	}
	if plain && s != "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// folder is one folder of the project, with what was noticed in it.
type folder struct {
	fsys  fs.FS
	dir   string
	notes []string
}

func (f *folder) note(text string) { f.notes = append(f.notes, text) }

func (f *folder) has(names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool {
		info, err := fs.Stat(f.fsys, path.Join(f.dir, n))
		return err == nil && info.Mode().IsRegular()
	})
}

// read gives a file's text; empty when it is absent, or too large to be what it
// should be.
func (f *folder) read(name string) string {
	file := path.Join(f.dir, name)
	info, err := fs.Stat(f.fsys, file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
		return ""
	}
	b, err := fs.ReadFile(f.fsys, file)
	if err != nil {
		return ""
	}
	return string(b)
}

// executable gives the way to call a script of the project.
func (f *folder) executable(script string) string {
	info, err := fs.Stat(f.fsys, path.Join(f.dir, script))
	if err == nil && info.Mode()&0o111 == 0 {
		return "sh " + script
	}
	return "./" + script
}

// leaves notes a folder that the checks write to and that git would see: a tree
// that changes while the gate looks at it voids the verdict.
func (f *folder) leaves(name string) {
	if !f.ignores(name) {
		f.note("the checks write to " + name + "/, which .gitignore does not name: add it, or every gate is void")
	}
}

func (f *folder) ignores(names ...string) bool {
	for line := range strings.Lines(f.read(".gitignore") + "\n" + (&folder{fsys: f.fsys, dir: "."}).read(".gitignore")) {
		pattern := strings.Trim(strings.TrimSpace(line), "/")
		pattern = strings.TrimSuffix(strings.TrimPrefix(pattern, "**/"), "/**")
		if slices.Contains(names, pattern) {
			return true
		}
	}
	return false
}
