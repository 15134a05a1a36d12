// Package sandbox confines agents and checks: their worktree, its git dir and named
// folders stay writable, everything else is read only, the network can be switched off,
// and memory, processes and the size of files are limited. It owns the prefix of a
// command that does this, for bubblewrap on Linux and sandbox-exec on macOS. It promises
// that the requested limits are in force, or that there is an error. It continues without
// them only if you allowed that. It starts nothing itself, except a test of the system's
// sandbox program.
package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/core/config"
	"kedge/internal/process"
)

// Kind names the system's tool.
type Kind string

// The kinds. None confines nothing; limits hold all the same.
const (
	None     Kind = "none"
	Bwrap    Kind = "bwrap"
	Seatbelt Kind = "seatbelt"
)

// programs are the tools by kind, and how to get them.
var programs = map[Kind]struct{ name, get string }{
	Bwrap:    {"bwrap", "apt-get install bubblewrap"},
	Seatbelt: {"sandbox-exec", "it is part of macOS"},
}

// Box is what one program may touch. The zero Box confines nothing.
type Box struct {
	Kind    Kind
	Tool    string   // path of the system's tool
	Limiter []string // what sets the limits: see Limit
	Dir     string   // where the program runs; writable
	Write   []string // writable, where they exist
	Guard   []string // inside of what is writable, and read only where they exist
	Hold    []Held   // as Guard, and made empty where they do not exist: nobody else makes them
	Show    []string // read only, and there although Temp is another one
	Temp    []string // folders for temporary files: the program has empty ones of its own there
	Offline bool
	Limits  Limits
}

// Held is something that stays as it is.
type Held struct {
	Path   string
	Folder bool
}

// Limits bound each process of the program; 0 is no limit.
type Limits struct {
	Memory    int64 // bytes of its own data
	FileSize  int64 // bytes of a file that it writes
	Processes int64 // of the user
}

// Place is where a program runs, and what is around it.
type Place struct {
	Dir     string
	GitDir  string   // of the worktree; empty: no repository
	Common  string   // the git dir that it shares with others
	Home    string   // $KEDGE_HOME
	Sockets string   // where the daemon and the holders listen
	Env     []string // the program's
	Write   []string // that it needs beside what people named: ~ is its HOME
	Kedge   string   // this program
}

// New makes the box that people asked for. It is an error when the system's tool
// is not there, unless they said to do without it then.
func New(c config.Sandbox, p Place) (Box, error) {
	b := Box{Kind: Kind(c.Kind), Offline: !c.Network, Limits: Limits{
		Memory: c.MemoryMB << 20, FileSize: c.FileMB << 20, Processes: c.Processes,
	}}
	if b.Limits != (Limits{}) {
		b.Limiter = []string{p.Kedge, "limit"}
	}
	if b.Kind == None || b.Kind == "" {
		return b, nil
	}
	tool, err := exec.LookPath(programs[b.Kind].name)
	switch {
	case err == nil:
		b.Tool = tool
		b.furnish(c, p)
		return b, nil
	case c.Missing == "run":
		b.Kind = None
		return b, nil
	default:
		return Box{}, missing(b.Kind)
	}
}

// Install is how to get the system's tool.
func Install(k Kind) string { return programs[k].get }

func missing(k Kind) error {
	return kedge.Errorf(kedge.Blocked, "config.toml asks for the sandbox %q, but the program %q is not installed", k, programs[k].name).
		WithHint("%s; or, to work without a sandbox on machines without that program, set missing = \"run\" under [sandbox] in .kedge/config.toml", programs[k].get)
}

// furnish says what is writable and what is seen.
func (b *Box) furnish(c config.Sandbox, p Place) {
	home := lookup(p.Env, "HOME")
	b.Dir = resolved(p.Dir)
	b.Temp = []string{resolved(tempDir)}
	if t := resolved(lookup(p.Env, "TMPDIR")); filepath.IsAbs(t) && t != "/" && t != b.Temp[0] {
		b.Temp = append(b.Temp, t)
	}
	for _, w := range slices.Concat(p.Write, c.Write) {
		if w = expand(w, home); filepath.IsAbs(w) {
			b.Write = append(b.Write, resolved(w))
		}
	}
	if p.Home != "" {
		b.Write = append(b.Write, filepath.Join(resolved(p.Home), "exec")) // what kedge exec keeps
	}
	b.git(resolved(p.GitDir), resolved(p.Common))
	for _, s := range append([]string{p.Home, p.Sockets, filepath.Dir(p.Kedge), p.Common, home}, filepath.SplitList(lookup(p.Env, "PATH"))...) {
		if filepath.IsAbs(s) {
			b.Show = append(b.Show, resolved(s))
		}
	}
	slices.Sort(b.Show) // a folder before what is in it
	b.Show = slices.Compact(b.Show)
}

// git lets the program commit in its own worktree. What git runs by itself, and
// what it is told by its settings, stays as it is.
func (b *Box) git(dir, common string) {
	if dir == "" {
		return
	}
	b.Write = append(b.Write, dir)
	b.Hold = append(b.Hold, Held{Path: filepath.Join(dir, "hooks"), Folder: true}, Held{Path: filepath.Join(dir, "config.worktree")})
	b.Guard = append(b.Guard, filepath.Join(dir, "config"), filepath.Join(dir, "commondir"), filepath.Join(dir, "gitdir")) // an empty one is an error to git
	if common == "" || common == dir {
		return
	}
	for _, name := range []string{"objects", "refs", "logs"} {
		b.Write = append(b.Write, filepath.Join(common, name))
	}
}

// tempDir is the folder that programs write temporary files to whatever they are
// told.
const tempDir = "/tmp"

// Prefix is what goes before a command's own words; none for a box that confines
// nothing. It is a pure function.
func (b Box) Prefix() []string {
	var out []string
	switch b.Kind {
	case Bwrap:
		out = b.bwrap()
	case Seatbelt:
		out = b.seatbelt()
	default:
	}
	if b.Limits != (Limits{}) {
		out = append(append(out, b.Limiter...), b.Limits.words()...)
	}
	return out
}

// Online is the box with the network, for what other programs have to reach.
func (b Box) Online() Box {
	b.Offline = false
	return b
}

func expand(path, home string) string {
	if path == "~" {
		return home
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok && home != "" {
		return filepath.Join(home, rest)
	}
	return path
}

// resolved is a path without links, as far as it exists.
func resolved(path string) string {
	if path == "" {
		return ""
	}
	if p, err := filepath.EvalSymlinks(path); err == nil {
		return p
	}
	return filepath.Clean(path)
}

// lookup falls back on Kedge's own environment: a sandbox that is described without
// one is for a command that Kedge starts in its own.
func lookup(env []string, name string) string {
	if v, ok := process.LookupEnv(env, name); ok {
		return v
	}
	return os.Getenv(name)
}

// inside tells whether a path is a folder or in it.
func inside(path, folder string) bool {
	return folder != "" && (path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/"))
}
