package hardened

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/git/stored"
)

// Person is who a commit is by.
type Person struct {
	Name  string
	Email string
}

// Kedge is the author of what Kedge saves on its own account.
var Kedge = Person{Name: "Kedge", Email: "kedge@localhost"}

// Filter is a clean/smudge filter that the configuration defines. Hash is that
// of its commands, and what an approval is bound to: a changed command asks
// again.
type Filter struct {
	Name     string `json:"name"`
	Clean    string `json:"clean"`
	Smudge   string `json:"smudge"`
	Process  string `json:"process"`
	Required string `json:"required"`
	Hash     string `json:"hash"`
	Approved bool   `json:"approved"`
}

// FilterDigits is how many digits of a Filter's Hash name its commands: so many
// that nobody finds other commands with the same ones.
const FilterDigits = 32

// Settings is what is taken over from the user's and the repository's
// configuration. Everything else in it is ignored.
type Settings struct {
	user    Person
	safe    []string // safe.directory, as -c arguments
	Content []string // how content becomes blobs, as -c arguments
	Refs    string   // how refs are stored; empty is git's default
	Filters map[string]Filter

	includes bool // it has files that are not named here
}

// settingsIn reads the configuration with `git config`, which runs nothing, in
// the one call that sees the user's own files.
func (g *Git) settingsIn(ctx context.Context, dir string) (Settings, error) {
	c := Call{Dir: dir, Mode: readingUser, Args: []string{"config", "--list", "--show-scope", "-z"}}
	if g.gitDir != "" {
		c.Env = []string{"GIT_DIR=" + g.gitDir}
	}
	out, err := g.once(ctx, c)
	if err != nil {
		if ExitCode(err) != 0 {
			err = kedge.Errorf(kedge.Invalid, "the git configuration cannot be read: %w", err).WithHint("see which file is wrong: git config --list --show-origin")
		}
		return Settings{}, err
	}
	return parseSettings(Fields(out))
}

// Settings reads the configuration as it is now.
func (g *Git) Settings(ctx context.Context) (Settings, error) { return g.configured(ctx, g.workDir()) }

// parseSettings takes scope and "key\nvalue" in turn; the last value counts.
// Invalid when a value that would be handed on is not one that git knows.
func parseSettings(in []string) (Settings, error) {
	s := Settings{Filters: map[string]Filter{}}
	last := map[string]string{}
	for i := 0; i+1 < len(in); i += 2 {
		key, value, given := strings.Cut(in[i+1], "\n")
		if !given {
			value = "true"
		}
		if err := s.add(in[i], key, value); err != nil {
			return Settings{}, err
		}
		last[key] = value
	}
	s.user = Person{Name: strings.TrimSpace(last["user.name"]), Email: strings.TrimSpace(last["user.email"])}
	for _, key := range slices.Sorted(maps.Keys(contentKeys)) {
		v, ok := last[key]
		if !ok {
			continue
		}
		if err := contentKeys[key].check(key, v); err != nil {
			return Settings{}, err
		}
		s.Content = append(s.Content, key+"="+v)
	}
	for name, f := range s.Filters {
		f.Hash = hashFilter(f)
		s.Filters[name] = f
	}
	return s, nil
}

func (s *Settings) add(scope, key, value string) error {
	repository := scope == "local" || scope == "worktree"
	s.includes = s.includes || strings.HasPrefix(key, plainInclude)
	switch {
	case key == "safe.directory" && !repository:
		s.safe = append(s.safe, "safe.directory="+value)
		return plainText.check(key, value)
	case strings.HasPrefix(key, "filter."):
		s.addFilter(key, value)
	case repository && key == "extensions.objectformat":
		return objectFormats.check(key, value) // which it is, git itself has said
	case repository && key == "extensions.refstorage":
		s.Refs = value
		return refStorages.check(key, value)
	}
	return nil
}

func (s *Settings) addFilter(key, value string) {
	dot := strings.LastIndexByte(key, '.')
	if dot < len("filter.") {
		return
	}
	name := key[len("filter."):dot]
	f := s.Filters[name]
	f.Name = name
	switch key[dot+1:] {
	case "clean":
		f.Clean = value
	case "smudge":
		f.Smudge = value
	case "process":
		f.Process = value
	case "required":
		f.Required = value
	}
	s.Filters[name] = f
}

func hashFilter(f Filter) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{f.Name, f.Clean, f.Smudge, f.Process, f.Required}, "\x00")))
	return hex.EncodeToString(sum[:])
}

// ApprovedFilters gives the -c arguments that define the approved filters, with
// exactly the commands that were approved.
func (g *Git) ApprovedFilters(s Settings) []string {
	var conf []string
	for _, name := range slices.Sorted(maps.Keys(s.Filters)) {
		f := s.Filters[name]
		if !g.IsApproved(f) {
			continue
		}
		for key, v := range map[string]string{"clean": f.Clean, "smudge": f.Smudge, "process": f.Process, "required": f.Required} {
			if v != "" {
				conf = append(conf, "filter."+name+"."+key+"="+v)
			}
		}
	}
	slices.Sort(conf)
	return conf
}

// WithLFS leaves the filter of Git LFS out of settings where this program stands in for it:
// unless a person approved its commands, or they are not those of git-lfs.
func (g *Git) WithLFS(s Settings) (out Settings, stands bool) {
	f := s.Filters[stored.LFS]
	if g.opt.Program == "" || !isPlain(g.opt.Program) || !isPlain(g.common) || !stored.IsGitLFS(f.Clean, f.Smudge, f.Process) || f.Name != "" && g.IsApproved(f) {
		return s, false
	}
	s.Filters = maps.Clone(s.Filters)
	delete(s.Filters, stored.LFS)
	return s, true
}

// IsApproved tells whether a person approved the filter. It never holds for a name that -c could not carry.
func (g *Git) IsApproved(f Filter) bool {
	return !strings.Contains(f.Name, "=") && isPlain(f.Name) && g.opt.Approved(f.Name, f.Hash)
}

// Filters lists the filters that the configuration defines, by name.
func (g *Git) Filters(ctx context.Context) ([]Filter, error) {
	s, err := g.Settings(ctx)
	if err != nil {
		return nil, err
	}
	out := []Filter{}
	for _, name := range slices.Sorted(maps.Keys(s.Filters)) {
		f := s.Filters[name]
		f.Approved = g.IsApproved(f)
		out = append(out, f)
	}
	return out, nil
}

// Identity is the user that commits are made for. Blocked when git does not know
// a name, since Kedge invents none.
func (g *Git) Identity(ctx context.Context) (Person, error) {
	s, err := g.Settings(ctx)
	if err != nil {
		return Person{}, err
	}
	if s.user.Name == "" || s.user.Email == "" {
		return Person{}, kedge.Errorf(kedge.Blocked, "git does not know who you are: user.name or user.email is not set").
			WithHint("tell git: git config --global user.name \"Your Name\" && git config --global user.email you@example.com")
	}
	return s.user, errors.Join(plainText.check("user.name", s.user.Name), plainText.check("user.email", s.user.Email))
}
