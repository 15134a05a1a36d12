// Package config owns the two files that you write: config.toml (agents, routes, budgets,
// thresholds, protected paths) and gate.toml (checks and services), the order in which
// they choose the agent of a session, and what you set for one run. It promises that a
// file is accepted completely or refused with file and line: it never ignores unknown
// keys, wrong types, bad names, patterns and durations. Defaults are in one table. It
// never reads a file, a clock or an environment: bytes come in, values go out.
package config

import (
	"maps"
	"slices"
	"strings"
	"time"

	"kedge"
	"kedge/internal/text/words"
)

// Config is config.toml with every key present: what the file left out has its
// default.
type Config struct {
	Version  int              `toml:"version"`
	Agents   map[string]Agent `toml:"agents"`
	Route    Route            `toml:"route"`
	Run      Run              `toml:"run"`
	Worktree Worktree         `toml:"worktree"`
	Budget   Budget           `toml:"budget"`
	Context  Context          `toml:"context"`
	Protect  Protect          `toml:"protect"`
	Gate     GateRules        `toml:"gate"`
	Merge    MergeRules       `toml:"merge"`
	Env      Env              `toml:"env"`
	Sandbox  Sandbox          `toml:"sandbox"`
	Gateway  Gateway          `toml:"gateway"`
	Forge    Forge            `toml:"forge"`
	Sessions Sessions         `toml:"sessions"`
	Tools    []ToolsRow       `toml:"tools"`

	kinds Kinds
	src   *source // where it was read from; nil: no file
}

// Agent is an adapter under a name of the user's choice.
type Agent struct {
	Kind    string   `toml:"kind"`
	Command []string `toml:"command"`
}

// Route sends a kind of work to "agent" or "agent:model": the first of Rows that
// fits, else by what the work is; empty is the run's agent. Fallback takes over at a
// provider's limit, one after the other.
type Route struct {
	Plan      string     `toml:"plan"`
	Implement string     `toml:"implement"`
	Repair    string     `toml:"repair"`
	Fix       string     `toml:"fix"`
	Test      string     `toml:"test"`
	Review    string     `toml:"review"`
	Fallback  Routes     `toml:"fallback"`
	Rows      []RouteRow `toml:"rows"`
}

// RouteRow sends work for which everything fits that it names. Priority fits
// features of that number and below; 0 fits all.
type RouteRow struct {
	Use      string `toml:"use"`
	Purpose  string `toml:"purpose"`
	Phase    string `toml:"phase"`
	Category string `toml:"category"`
	Priority int    `toml:"priority"`
}

// Routes are several routes in their order; a file may write a single one as text.
type Routes []string

// UnmarshalTOML reads a text, or a list of texts.
func (r *Routes) UnmarshalTOML(v any) error {
	*r = nil
	switch v := v.(type) {
	case string:
		if v != "" {
			*r = Routes{v}
		}
		return nil
	case []any:
		for _, one := range v {
			text, ok := one.(string)
			if !ok || text == "" {
				return kedge.Errorf(kedge.Invalid, "%v does not name an agent: write \"AGENT\", or \"AGENT:MODEL\" to name its model too", one)
			}
			*r = append(*r, text)
		}
		return nil
	default:
		return kedge.Errorf(kedge.Invalid, "%v does not name an agent: write \"AGENT\", or \"AGENT:MODEL\" to name its model too", v)
	}
}

// Run bounds the loop over features.
type Run struct {
	Agent      string `toml:"agent"`
	Parallel   int    `toml:"parallel"`
	Land       string `toml:"land"`
	Regression string `toml:"regression"`
	MCP        bool   `toml:"mcp"` // sessions get Kedge's tools over the Model Context Protocol, where the agent can
}

// Worktree says how a fresh slot becomes usable.
type Worktree struct {
	Setup      string   `toml:"setup"`
	Inputs     []string `toml:"inputs"`
	Copy       []string `toml:"copy"`
	Submodules bool     `toml:"submodules"`
}

// Budget bounds what work may cost; 0 is no limit.
type Budget struct {
	SessionTokens int64    `toml:"session_tokens"`
	FeatureUSD    float64  `toml:"feature_usd"`
	RunUSD        float64  `toml:"run_usd"`
	DayUSD        float64  `toml:"day_usd"`
	SessionWall   Duration `toml:"session_wall"`
}

// Context holds the thresholds, as a share of the model's window, at which a
// session is checkpointed and handed over. Window maps a pattern over model
// names to a number of tokens, HandoverOf to a share that stands for Handover.
type Context struct {
	Checkpoint    float64          `toml:"checkpoint"`
	Handover      float64          `toml:"handover"`
	CompactTokens int64            `toml:"compact_tokens"`
	Window        map[string]int64 `toml:"window"`

	HandoverOf map[string]float64 `toml:"handover_of"`
}

// Protect lists the paths whose change or deletion is a finding.
type Protect struct {
	Paths     []string `toml:"paths"`
	MaxFileMB int64    `toml:"max_file_mb"` // a bigger file waits for your approval; 0: none does
}

// MaxBytes is the size above which a file waits for your approval; 0: none does.
func (p Protect) MaxBytes() int64 { return p.MaxFileMB * 1_000_000 }

// GateRules are rules of the gate that are no checks. Tests are globs of files that count as tests,
// beside those that Kedge knows. Parallel is how many gates with checks of the project run at
// once; 0 is half the cores.
type GateRules struct {
	Tests    []string `toml:"tests"`
	Parallel int      `toml:"parallel"`
}

// Env names the variables an unattended session gets after a reboot.
type Env struct {
	Pass []string `toml:"pass"`
}

// Sandbox says what confines unattended agents and the commands of checks. 0 is no
// limit.
type Sandbox struct {
	Kind      string   `toml:"kind"`
	Missing   string   `toml:"missing"` // what happens where the system's tool is not there
	Write     []string `toml:"write"`   // folders that stay writable
	Network   bool     `toml:"network"`
	MemoryMB  int64    `toml:"memory_mb"`
	FileMB    int64    `toml:"file_mb"`
	Processes int64    `toml:"processes"`
}

// Asked tells whether anything is to be confined or bounded.
func (s Sandbox) Asked() bool {
	return s.Kind != "none" && s.Kind != "" || s.MemoryMB+s.FileMB+s.Processes > 0
}

// Gateway is off unless a person switches it on.
type Gateway struct {
	Enabled bool `toml:"enabled"`
}

// Forge is where checkpoints and pull requests go; an empty Repo is none.
type Forge struct {
	Kind string `toml:"kind"`
	Repo string `toml:"repo"`
}

// Sessions says how much is kept of what ended sessions printed; 0 is no limit.
// Only the user-wide file may say it: what a repository brings along, and what
// an agent can edit, must not decide how long there is a record of it.
type Sessions struct {
	KeepDays  int   `toml:"keep_days"`
	KeepBytes int64 `toml:"keep_bytes"`
}

// Duration is a length of time that a file writes as text ("90s", "2h").
type Duration time.Duration

// UnmarshalText reads what time.ParseDuration reads.
func (d *Duration) UnmarshalText(b []byte) error {
	v, err := words.ParseDuration(string(b))
	*d = Duration(v)
	return err
}

// Std is the duration for the standard library.
func (d Duration) Std() time.Duration { return time.Duration(d) }

// Default is the configuration of a project that says nothing. Each call gives
// a fresh copy.
func Default(kinds Kinds) Config {
	return Config{
		kinds:   kinds,
		Version: 1,
		Agents:  map[string]Agent{},
		Run:     Run{Parallel: 1, Land: "end", Regression: "sample", MCP: true},
		Worktree: Worktree{
			Submodules: true,
		},
		Budget: Budget{
			SessionTokens: 1_000_000,
			FeatureUSD:    5,
			RunUSD:        50,
			SessionWall:   Duration(2 * time.Hour),
		},
		Context: Context{
			Checkpoint:    0.60,
			Handover:      0.70,
			CompactTokens: 100_000,
			Window:        map[string]int64{"claude-*": 200_000},
		},
		Protect: Protect{Paths: append(Deciding(), kinds.Guards...), MaxFileMB: 10},
		Env:     Env{Pass: []string{"PATH", "HOME", "LANG"}},
		Sandbox: Sandbox{Kind: "none", Missing: "refuse", Network: true},
		Forge:   Forge{Kind: "github"},
		Sessions: Sessions{
			KeepDays:  30,
			KeepBytes: 10 << 30,
		},
	}
}

// Deciding are patterns of the files that decide about the work rather than do it,
// beside those that the agents' profiles name: Kedge's own, CI's, an editor's settings.
// Test files are not among them, because good work adds to them; that they are not
// weakened is the gate's own rule.
func Deciding() []string {
	return []string{
		".kedge/**", ".github/**", ".gitlab-ci.yml", ".gitlab/**", ".circleci/**", ".travis.yml",
		"Jenkinsfile", "azure-pipelines.yml", ".azure-pipelines/**", "bitbucket-pipelines.yml", ".drone.yml",
		".woodpecker.yml", ".woodpecker/**", ".buildkite/**", ".cirrus.yml", "appveyor.yml", ".appveyor.yml",
		".gitea/**", ".forgejo/**", ".builds/**", ".teamcity/**", ".semaphore/**", "cloudbuild.yaml",
		".ci/**", ".cursor/**",
	}
}

// ParseConfig reads config.toml; file is only a name for messages, kinds are the kinds
// of agents that it may name. The error is kedge.Invalid and names file and line.
func ParseConfig(file string, b []byte, kinds Kinds) (Config, error) {
	c := Default(kinds)
	src, err := decodeFile(file, b, &c)
	if err != nil {
		return Config{}, err
	}
	c.src = src
	if err := c.validate(); err != nil {
		return Config{}, err
	}
	return c, nil
}

// Merge lays the project's file over the user's: a key that the project sets
// wins, an agent is replaced whole, a sandbox of the user's own stays whole, and a zero Config stands for "no such
// file". Names of agents are checked here, because either file may define them.
func Merge(user, project Config, kinds Kinds) (Config, error) {
	if project.src != nil && project.src.md.IsDefined("sessions") {
		own := "~/.config/kedge/config.toml"
		if user.src != nil {
			own = user.src.file
		}
		return Config{}, project.src.at("sessions", "a project's config.toml may not have [sessions]").
			WithHint("move [sessions] to your own file, %s, which applies to all projects", own)
	}
	c := Default(kinds)
	for _, layer := range []Config{user, project} {
		if layer.src == nil {
			continue
		}
		c.Agents, c.Context.Window, c.Context.HandoverOf = maps.Clone(c.Agents), maps.Clone(c.Context.Window), maps.Clone(c.Context.HandoverOf) // a layer never writes into another's
		rows, tools, regenerate := c.Route.Rows, c.Tools, c.Merge.Regenerate
		c.Route.Rows, c.Tools, c.Merge.Regenerate = nil, nil, nil // a row of one file takes nothing over from one of another
		src, err := decodeFile(layer.src.file, layer.src.text, &c)
		if err != nil {
			return Config{}, err
		}
		if c.Route.Rows == nil {
			c.Route.Rows = rows
		}
		if c.Merge.Regenerate == nil {
			c.Merge.Regenerate = regenerate
		}
		c.Tools = append(tools, c.Tools...) // the first that fits counts: a repository does not lift the user's limits
		c.src = src
	}
	if user.src != nil && user.Sandbox.Asked() {
		c.Sandbox = user.Sandbox // whoever wrote the repository must not let its work out
	}
	if err := c.checkAgents(user.src, project.src); err != nil {
		return Config{}, err
	}
	return c, c.checkLimits(user.src, project.src)
}

// Kinds are the kinds of agents that there are, which this package does not know by
// itself.
type Kinds struct {
	Names   []string            // in the order of messages; each is also the name of a built-in agent
	Offered []string            // the built-in agents that a run can drive by their name alone, sorted
	Guards  []string            // patterns of their files that decide about the work
	Limits  map[string][]string // the keys of [[tools]] that each kind can be told
}

// Agent finds an agent by name: one that a file defines, or a built-in one.
func (c Config) Agent(name string) (Agent, error) {
	if a, ok := c.Agents[name]; ok {
		return a, nil
	}
	if name != "command" && oneOf(name, c.kinds.Names) {
		return Agent{Kind: name}, nil
	}
	return Agent{}, kedge.Errorf(kedge.NotFound, "no agent is called %q", name).
		WithHint("%suse one of %s; or add your own command to .kedge/config.toml as [agents.%s] (see docs/reference/agents.md of Kedge)",
			words.DidYouMean(name, c.AgentNames()), strings.Join(c.AgentNames(), ", "), name)
}

// AgentNames are the agents to offer for a run: those that a file defines and the
// built-in ones that a run can drive, sorted.
func (c Config) AgentNames() []string {
	names := slices.Clone(c.kinds.Offered)
	for name := range c.Agents {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
