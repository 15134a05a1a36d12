// Package detect finds out how a project is tested and built, and what a fresh worktree
// of it needs first: for Go, Node, Python, Rust, Java, Ruby, PHP, C and C++, Make and
// some others, several at once, with workspaces, at the top or a folder or two below. It
// promises that the files of the project imply every proposed check, and that no check
// repeats another. A note names what it saw and left out. It reads an fs.FS and runs
// nothing; the caller says which programs this machine has. It leaves doubtful cases to
// the user.
//
// It also tells tests from source, by the names of files, and within the files that hold
// both.
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
	Kinds    []string        // the names in languages, and "make": as found, in this order
	Checks   []kedge.Check   // for gate.toml; names are valid and unique
	Missing  []Missing       // checks that this machine cannot run
	Instead  []kedge.Check   // other ways to do what the check of the same name does, where that one is red
	Services []kedge.Service // for gate.toml: the project's own application, where it can be told a port
	Setup    string          // makes a fresh worktree ready for the checks; empty: it needs nothing
	Made     []string        // what the set-up makes: where one of these is absent it has not run
	Ignore   []string        // lines for .gitignore: what set-up and checks write, and git would see
	Notes    []string        // what a person should know, in lower case
}

// Missing is a check that needs a program which this machine does not have.
type Missing struct {
	Check   kedge.Check
	Program string
}

// Has tells whether this machine has a program. Nil: it has every one.
type Has func(program string) bool

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
	{"ruby", rubyChecks},
	{"php", phpChecks},
	{"cmake", cmakeChecks},
	{"meson", mesonChecks},
	{"autotools", autotoolsChecks},
	{"elixir", elixirChecks},
	{"dotnet", dotnetChecks},
	{"swift", swiftChecks},
	{"deno", denoChecks},
	{"bats", batsChecks},
}

// Project looks at the top of fsys, and at the folders below when the top has no check.
func Project(fsys fs.FS, has Has) Found {
	top := &folder{fsys: fsys, dir: ".", programs: has}
	found := top.project()
	if len(found.Checks)+len(found.Missing) == 0 {
		seen := found
		found = below(top, 0)
		found.Notes = append(seen.Notes, found.Notes...)
		found.Kinds = joined(seen.Kinds, found.Kinds)
	}
	if top.has("MODULE.bazel", "WORKSPACE", "WORKSPACE.bazel") {
		found.Notes = append(found.Notes, "this is a Bazel workspace: `bazel test //...` is not proposed; if you want it, add it to .kedge/gate.toml")
	}
	found.Checks = unique(found.Checks)
	found.Notes = append(found.Notes, missingNotes(found.Missing)...)
	if len(found.Checks)+len(found.Missing) == 0 {
		found.Notes = append(found.Notes, "found no test or build command: add one to .kedge/gate.toml")
	}
	return found
}

// joined is a list with what another one has besides.
func joined(list, more []string) []string {
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// part is what one language of a folder gives.
type part struct {
	kind            string
	checks, instead []kedge.Check
	lacks           string // a program that its set-up needs and this machine does not have
}

// project combines the languages of one folder. A Makefile fills in only what
// no language gives: its targets usually call the same tools.
func (f *folder) project() Found {
	var found Found
	var parts []part
	withChecks := 0
	for _, l := range languages {
		checks := l.look(f)
		one := part{kind: l.kind, checks: checks, instead: f.instead}
		one.lacks = found.take(f, checks)
		if checks != nil {
			found.Kinds, parts = append(found.Kinds, l.kind), append(parts, one)
			withChecks += min(len(checks), 1)
		}
	}
	for _, one := range parts {
		if withChecks > 1 {
			prefix(one.checks, one.kind)
			prefix(one.instead, one.kind)
		}
		found.Instead = append(found.Instead, one.instead...)
		for _, c := range one.checks {
			found.add(f, c, one.lacks)
		}
	}
	return f.addApplication(f.addMake(found))
}

// add adds a check, to the missing ones where this machine cannot run it, or what it needs
// first.
func (found *Found) add(f *folder, c kedge.Check, lacks string) {
	if program := f.lacks(c.Run); program != "" {
		lacks = program
	}
	if lacks != "" {
		found.Missing = append(found.Missing, Missing{c, lacks})
		return
	}
	found.Checks = append(found.Checks, c)
}

// take takes what a language noticed besides its checks. It gives the program that the
// set-up needs and that is not here.
func (found *Found) take(f *folder, checks []kedge.Check) (lacks string) {
	runs := func(c kedge.Check) bool { return f.lacks(c.Run) == "" }
	for _, line := range f.setup {
		if program := f.lacks(line); program != "" {
			lacks = program
		}
	}
	if lacks != "" || len(checks) > 0 && !slices.ContainsFunc(checks, runs) {
		f.setup, f.made, f.ignore = nil, nil, nil
	}
	for _, line := range f.setup {
		found.Setup = and(found.Setup, line)
	}
	found.Made, found.Ignore = append(found.Made, f.made...), joined(found.Ignore, f.ignore)
	found.Notes = append(found.Notes, f.notes...)
	f.setup, f.made, f.ignore, f.notes, f.instead = nil, nil, nil, nil, nil
	return lacks
}

// and runs one line after another.
func and(line, next string) string {
	if line == "" || next == "" {
		return line + next
	}
	return line + " && " + next
}

func (f *folder) addMake(found Found) Found {
	targets := makeTargets(f)
	if targets != nil {
		found.Kinds = append(found.Kinds, "make")
	}
	for _, c := range append(targets, testScript(f)...) {
		has := func(other kedge.Check) bool { return other.Kind == c.Kind }
		if i := slices.IndexFunc(found.Checks, has); i >= 0 {
			if strings.HasPrefix(c.Run, "make ") {
				found.Notes = append(found.Notes, "the Makefile has a target for this too; `"+c.Run+"` is not used")
			}
			c.Name = found.Checks[i].Name
			found.Instead = append(found.Instead, c)
			continue
		}
		found.add(f, c, "")
	}
	return found
}

// below looks into the folders of a repository that has nothing at its top, and into those
// of a folder that only groups others.
func below(f *folder, depth int) Found {
	var all Found
	entries, err := fs.ReadDir(f.fsys, f.dir)
	if err != nil {
		return all
	}
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") || slices.Contains(passedOver, e.Name()) {
			continue
		}
		in := &folder{fsys: f.fsys, dir: path.Join(f.dir, e.Name()), programs: f.programs}
		sub := in.project()
		if len(sub.Checks)+len(sub.Missing) == 0 && depth == 0 && slices.Contains(groups, e.Name()) {
			all.join(below(in, depth+1), "")
			continue
		}
		if len(sub.Checks)+len(sub.Missing) > 0 {
			all.join(sub.in(in.dir), in.dir)
		}
	}
	return all
}

// groups are folders in which several projects stand side by side.
var groups = []string{"packages", "apps", "services", "libs", "modules", "crates", "projects", "plugins", "components"}

// join adds what another folder has; dir is its name for notes, empty where they have it.
func (found *Found) join(sub Found, dir string) {
	if len(sub.Services) > 0 && len(found.Services) > 0 { // checks ask the port of one
		sub = sub.withoutServices()
		found.Notes = append(found.Notes, dir+": only one application is proposed, and it is not this one")
	}
	found.Checks, found.Missing = append(found.Checks, sub.Checks...), append(found.Missing, sub.Missing...)
	found.Instead = append(found.Instead, sub.Instead...)
	found.Services, found.Notes = append(found.Services, sub.Services...), append(found.Notes, sub.Notes...)
	found.Kinds, found.Ignore = joined(found.Kinds, sub.Kinds), joined(found.Ignore, sub.Ignore)
	found.Setup, found.Made = and(found.Setup, sub.Setup), append(found.Made, sub.Made...)
}

// in is what a folder below the top has, from the top on.
func (found Found) in(dir string) Found {
	for _, checks := range [][]kedge.Check{found.Checks, found.Instead} {
		prefix(checks, dir)
		for i := range checks {
			if checks[i].Run != "" { // else it is a request
				checks[i].Run = "cd " + quote(dir) + " && " + checks[i].Run
			}
		}
	}
	for i := range found.Missing {
		c := &found.Missing[i].Check
		c.Name, c.Run = name(dir+"-"+c.Name), "cd "+quote(dir)+" && "+c.Run
	}
	for i, note := range found.Notes {
		found.Notes[i] = dir + ": " + note
	}
	for i, made := range found.Made {
		found.Made[i] = path.Join(dir, made)
	}
	if found.Setup != "" {
		found.Setup = "(cd " + quote(dir) + " && " + found.Setup + ")"
	}
	found.Services = moved(found.Services, dir)
	return found
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
	fsys     fs.FS
	dir      string
	programs Has
	notes    []string
	setup    []string // shell lines
	made     []string // by these
	ignore   []string // lines for .gitignore
	instead  []kedge.Check
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

// leaves notes a file or folder that the set-up or the checks write and that git would
// see: a tree that changes while the gate looks at it voids the verdict.
func (f *folder) leaves(name string) {
	if !f.ignores(strings.TrimSuffix(name, "/")) {
		f.ignore = append(f.ignore, "/"+path.Join(f.dir, name)+name[len(strings.TrimSuffix(name, "/")):])
	}
}

// leavesEverywhere notes a folder that every module of the project has.
func (f *folder) leavesEverywhere(name string) {
	if !f.ignores(strings.TrimSuffix(name, "/")) {
		f.ignore = append(f.ignore, name)
	}
}

// prepares notes a line that a fresh worktree needs, and what it makes.
func (f *folder) prepares(line string, made ...string) {
	f.setup, f.made = append(f.setup, line), append(f.made, made...)
}

// ignores tells whether .gitignore names one of these, by what it says last of it.
func (f *folder) ignores(names ...string) bool {
	lines := (&folder{fsys: f.fsys, dir: "."}).read(".gitignore")
	if f.dir != "." {
		lines += "\n" + f.read(".gitignore")
	}
	return slices.ContainsFunc(names, func(name string) bool {
		ignored := false
		for line := range strings.Lines(lines) {
			pattern, not := strings.CutPrefix(strings.TrimSpace(line), "!")
			pattern = strings.TrimSuffix(strings.TrimPrefix(strings.Trim(pattern, "/"), "**/"), "/**")
			if pattern == name {
				ignored = !not
				continue
			}
			if dirs := path.Dir(pattern); dirs != "." && dirs != "*" && dirs != f.dir {
				continue
			}
			if fits, err := path.Match(path.Base(pattern), name); pattern != "" && (err == nil && fits || path.Base(pattern) == name) {
				ignored = !not
			}
		}
		return ignored
	})
}
