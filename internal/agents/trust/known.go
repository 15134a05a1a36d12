package trust

import (
	"cmp"
	"slices"
	"strings"
)

// Settings are a file of the root of a worktree that somebody obeys.
type Settings struct {
	Name    string   // of a file, or of a folder with all below it
	Who     string   // obeys it
	Env     bool     // it can set variables of the environment
	EnvOnly bool     // and nothing else
	People  bool     // it runs where people work, not agents: it is asked about when work brings it
	But     []string // names below that programs put there themselves: passed over where git does not track them
}

// Rules are what is looked for: files that somebody obeys, and variables that no
// repository may set. The zero value is of an agent that obeys nothing.
type Rules struct {
	Files   []Settings
	Moves   []string // variables that move where programs are found, or keep their settings
	Options []string // beginnings of the names of variables that are options of a program, those with commands too
}

// Common are the rules that hold whatever agent is used.
func Common() Rules {
	return Rules{Files: known, Moves: []string{"PATH", "HOME", "ZDOTDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME"}}
}

// And adds what an agent obeys; who is what people call it.
func (r Rules) And(who string, more Rules) Rules {
	out := Rules{
		Files: slices.Clone(r.Files), Moves: slices.Concat(r.Moves, more.Moves), Options: slices.Concat(r.Options, more.Options),
	}
	for _, f := range more.Files {
		f.Who = cmp.Or(f.Who, who)
		out.Files = append(out.Files, f)
	}
	return out
}

// known are the files that no agent of Kedge's has for itself. Instructions for models
// (AGENTS.md and the like) are no part of it: they run nothing. Nor is what people start
// by name: a Makefile, the scripts in package.json.
var known = []Settings{
	{Name: ".cursor", Who: "Cursor", Env: true},
	{Name: ".envrc", Who: "direnv", Env: true},
	{Name: "mise.toml", Who: "mise", Env: true},
	{Name: ".mise.toml", Who: "mise", Env: true},
	{Name: "mise.local.toml", Who: "mise", Env: true},
	{Name: ".mise.local.toml", Who: "mise", Env: true},
	{Name: ".mise", Who: "mise", Env: true},
	{Name: ".config/mise", Who: "mise", Env: true},
	{Name: ".config/mise.toml", Who: "mise", Env: true},
	{Name: ".devcontainer", Who: "development containers"},
	{Name: ".devcontainer.json", Who: "development containers"},
	{Name: ".vscode/tasks.json", Who: "VS Code"},
	{Name: ".vscode/settings.json", Who: "VS Code"},
	{Name: ".husky", Who: "git, by its hooks", People: true},
	{Name: ".githooks", Who: "git, by its hooks", People: true},
	{Name: "lefthook.yml", Who: "git, by Lefthook", People: true},
	{Name: "lefthook.yaml", Who: "git, by Lefthook", People: true},
	{Name: "lefthook.toml", Who: "git, by Lefthook", People: true},
	{Name: "lefthook.json", Who: "git, by Lefthook", People: true},
	{Name: "lefthook.jsonc", Who: "git, by Lefthook", People: true},
	{Name: "lefthook-local.yml", Who: "git, by Lefthook", People: true},
	{Name: "lefthook-local.yaml", Who: "git, by Lefthook", People: true},
	{Name: "lefthook-local.toml", Who: "git, by Lefthook", People: true},
	{Name: "lefthook-local.json", Who: "git, by Lefthook", People: true},
	{Name: "lefthook-local.jsonc", Who: "git, by Lefthook", People: true},
	{Name: ".lefthook.yml", Who: "git, by Lefthook", People: true},
	{Name: ".lefthook.yaml", Who: "git, by Lefthook", People: true},
	{Name: ".lefthook.toml", Who: "git, by Lefthook", People: true},
	{Name: ".lefthook.json", Who: "git, by Lefthook", People: true},
	{Name: ".lefthook.jsonc", Who: "git, by Lefthook", People: true},
	{Name: ".lefthook-local.yml", Who: "git, by Lefthook", People: true},
	{Name: ".lefthook-local.yaml", Who: "git, by Lefthook", People: true},
	{Name: ".lefthook-local.toml", Who: "git, by Lefthook", People: true},
	{Name: ".lefthook-local.json", Who: "git, by Lefthook", People: true},
	{Name: ".lefthook-local.jsonc", Who: "git, by Lefthook", People: true},
	{Name: ".config/lefthook.yml", Who: "git, by Lefthook", People: true},
	{Name: ".config/lefthook.yaml", Who: "git, by Lefthook", People: true},
	{Name: ".config/lefthook.toml", Who: "git, by Lefthook", People: true},
	{Name: ".config/lefthook.json", Who: "git, by Lefthook", People: true},
	{Name: ".config/lefthook.jsonc", Who: "git, by Lefthook", People: true},
	{Name: ".config/lefthook-local.yml", Who: "git, by Lefthook", People: true},
	{Name: ".config/lefthook-local.yaml", Who: "git, by Lefthook", People: true},
	{Name: ".config/lefthook-local.toml", Who: "git, by Lefthook", People: true},
	{Name: ".config/lefthook-local.json", Who: "git, by Lefthook", People: true},
	{Name: ".config/lefthook-local.jsonc", Who: "git, by Lefthook", People: true},
	{Name: ".lefthook", Who: "git, by Lefthook", People: true},
	{Name: ".lefthook-local", Who: "git, by Lefthook", People: true},
	{Name: ".pre-commit-config.yaml", Who: "git, by pre-commit", People: true},
	{Name: ".env", Who: "agents", Env: true, EnvOnly: true},
	{Name: ".env.local", Who: "agents", Env: true, EnvOnly: true},
	{Name: ".env.development", Who: "agents", Env: true, EnvOnly: true},
	{Name: ".env.development.local", Who: "agents", Env: true, EnvOnly: true},
	{Name: ".env.production", Who: "agents", Env: true, EnvOnly: true},
	{Name: ".env.production.local", Who: "agents", Env: true, EnvOnly: true},
	{Name: ".env.test", Who: "agents", Env: true, EnvOnly: true},
	{Name: ".env.test.local", Who: "agents", Env: true, EnvOnly: true},
}

// Heeds tells whether a path is that of a file which somebody heeds for what it says
// as a whole, or lies in a folder of such. Where links lead only a scan knows.
func (r Rules) Heeds(name string) bool {
	for _, k := range r.Files {
		n := len(k.Name)
		if !k.EnvOnly && len(name) >= n && strings.EqualFold(name[:n], k.Name) && (len(name) == n || name[n] == '/') {
			return true
		}
	}
	return false
}
