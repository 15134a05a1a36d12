package config_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/core/config"
)

const example = `version = 1
[agents.bot]                    # names are free
kind = "command"
command = ["./bot.sh"]
[route]
plan = "claude:opus"
implement = "bot"
fallback = "codex"
[run]
agent = "bot"
parallel = 2
land = "each"
regression = "all"
mcp = false
[worktree]
setup = "npm ci"
inputs = ["package-lock.json"]
copy = [".env"]
submodules = false
[budget]
session_tokens = 5
feature_usd = 1.5
run_usd = 2.0
day_usd = 3.0
session_wall = "90m"
[context]
checkpoint = 0.5
handover = 0.8
compact_tokens = 7
window = { "claude-*" = 200000, "GPT-5" = 400000 }
[protect]
paths = ["**/*_test.go", ".github/**", ".kedge/**"]
[gate]
tests = ["qa/**"]
parallel = 3
[env]
pass = ["PATH", "HOME", "LANG"]
[sandbox]
kind = "bwrap"
[gateway]
enabled = true
[forge]
kind = "gitea"
repo = "owner/name"
`

func TestParseConfig(t *testing.T) {
	c, err := config.ParseConfig("config.toml", []byte(example), catalog.Kinds())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name      string
		got, want any
	}{
		{"agent", c.Agents["bot"], config.Agent{Kind: "command", Command: []string{"./bot.sh"}}},
		{"route", c.Route, config.Route{Plan: "claude:opus", Implement: "bot", Fallback: config.Routes{"codex"}}},
		{"run", c.Run, config.Run{Agent: "bot", Parallel: 2, Land: "each", Regression: "all"}},
		{"worktree", c.Worktree, config.Worktree{Setup: "npm ci", Inputs: []string{"package-lock.json"}, Copy: []string{".env"}}},
		{"wall", c.Budget.SessionWall.Std(), 90 * time.Minute},
		{"window", c.Context.Window, map[string]int64{"claude-*": 200000, "GPT-5": 400000}},
		{"protect", c.Protect.Paths, []string{"**/*_test.go", ".github/**", ".kedge/**"}},
		{"gate", c.Gate, config.GateRules{Tests: []string{"qa/**"}, Parallel: 3}},
		{"sandbox", c.Sandbox.Kind, "bwrap"},
		{"gateway", c.Gateway.Enabled, true},
		{"forge", c.Forge, config.Forge{Kind: "gitea", Repo: "owner/name"}},
	} {
		if !reflect.DeepEqual(tt.got, tt.want) {
			t.Errorf("%s = %v, want %v", tt.name, tt.got, tt.want)
		}
	}
}

func TestParseConfigDefaults(t *testing.T) {
	c, err := config.ParseConfig("config.toml", []byte("version = 1\n"), catalog.Kinds())
	if err != nil {
		t.Fatal(err)
	}
	m, err := config.Merge(config.Config{}, config.Config{}, catalog.Kinds())
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]config.Config{"parsed": c, "merged": m} {
		if got.Budget.SessionWall.Std() != 2*time.Hour || got.Run.Land != "end" || !got.Worktree.Submodules || got.Context.Window["claude-*"] != 200000 {
			t.Errorf("%s: %+v lacks a default", name, got)
		}
	}
}

func TestParseConfigRefuses(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"no version", "", "c.toml:1: the file has no version"},
		{"newer version", "\nversion = 2", "c.toml:2: the file has version 2"},
		{"syntax", "version = 1\n[run]]\n", "c.toml:2: "},
		{"duplicate key", "version = 1\nversion = 1", "c.toml:2: version is set twice, on lines 1 and 2"},
		{"duplicate key in a table", "version = 1\n[run]\nagent = \"claude\"\n# why\nagent = \"codex\"", "c.toml:5: run.agent is set twice, on lines 3 and 5"},
		{"duplicate table", "version = 1\n[run]\nagent = \"claude\"\n\n[run]\nparallel = 2", "c.toml:5: [run] is defined twice, on lines 2 and 5"},
		{"duplicate inside the second of an array", "version = 1\n[[route.rows]]\nuse = \"pi\"\n[[route.rows]]\nuse = \"pi\"\nuse = \"qwen\"", "c.toml:6: route.rows[1].use is set twice, on lines 5 and 6"},
		{"unknown table", "version = 1\n[runs]\n", `c.toml:2: unknown key "runs": did you mean run?`},
		{"unknown key", "version = 1\n\n[run]\nagent = 'x'\nthreads = 2", `c.toml:5: unknown key "run.threads"`},
		{"unknown key of an agent", "version = 1\n[agents.a]\nkind = 'claude'\nmodel = 'x'", `c.toml:4: unknown key "agents.a.model"`},
		{"unknown key after a long string", "version = 1\nworktree.setup = '''\n[run]\nx = 1\n'''\n[run]\ny = 1", `c.toml:7: unknown key "run.y"`},
		{"key in capitals", "version = 1\n[run]\nLand = 'end'\nland = 'each'", `c.toml:3: unknown key "run.Land": did you mean run.land?`},
		{"misspelt key", "version = 1\n[run]\nagnet = 'x'", `c.toml:3: unknown key "run.agnet": did you mean run.agent?`},
		{"misspelt key of an agent", "version = 1\n[agents.a]\nkidn = 'claude'", `c.toml:3: unknown key "agents.a.kidn": did you mean agents.a.kind?`},
		{"wrong type", "version = 1\n[run]\nparallel = 'two'", `c.toml:3: "parallel" is a string, not an integer`},
		{"enum", "version = 1\n[run]\nland = 'now'", `c.toml:3: "run.land" must be one of end, each, never, not "now"`},
		{"parallel", "version = 1\n[run]\nparallel = 0", `c.toml:3: "run.parallel" must be from 1 to 64, not 0`},
		{"negative budget", "version = 1\n[budget]\nrun_usd = -1.0", `c.toml:3: "budget.run_usd" must be 0 or more`},
		{"not a number", "version = 1\n[budget]\nrun_usd = nan", `c.toml:3: "budget.run_usd" must be 0 or more`},
		{"duration", "version = 1\n[budget]\nsession_wall = 'long'", `c.toml:3: "long" is not a duration`},
		{"negative duration", "version = 1\n[budget]\nsession_wall = '-1h'", `c.toml:3: "-1h" is not a duration`},
		{"thresholds", "version = 1\n[context]\ncheckpoint = 0.9\nhandover = 0.8", `c.toml:4: "context.handover"`},
		{"threshold", "version = 1\n[context]\ncheckpoint = 60.0", `c.toml:3: "context.checkpoint"`},
		{"window", "version = 1\n[context]\nwindow = { a = 0 }", `c.toml:3: the window of "a"`},
		{"gates at once", "version = 1\n[gate]\nparallel = -1", `c.toml:3: "gate.parallel" must be from 0 (half the cores) to 64, not -1`},
		{"too many gates at once", "version = 1\n[gate]\nparallel = 65", `c.toml:3: "gate.parallel" must be`},
		{"glob of tests", "version = 1\n[gate]\ntests = ['[']", `c.toml:3: "gate.tests" has a bad pattern`},
		{"glob", "version = 1\n[protect]\npaths = [\n  'a',\n  '[',\n]", `c.toml:3: "protect.paths" has a bad pattern`},
		{"copy", "version = 1\n[worktree]\ncopy = ['../secret']", `c.toml:3: "worktree.copy" must name paths inside the project`},
		{"env", "version = 1\n[env]\npass = ['A=B']", `c.toml:3: "env.pass" must name variables of the environment, not`},
		{"forge repo", "version = 1\n[forge]\nrepo = 'https://x/y'", `c.toml:3: "forge.repo" must have the form owner/name`},
		{"agent name", "version = 1\n[agents.Bot]\nkind = 'claude'", `c.toml:2: the agent name`},
		{"agent kind", "version = 1\n[agents.bot]\nkind = 'gpt'", `c.toml:3: the kind of agent "bot"`},
		{"agent command", "version = 1\n[agents.bot]\nkind = 'command'", `c.toml:2: agent "bot" has no command`},
		{"not UTF-8", "version = 1\n# \xff\n", "c.toml:2: the file is not UTF-8"},
		{"huge", strings.Repeat("#", 2<<20), "c.toml:1: the file is larger than 1 MB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := config.ParseConfig("c.toml", []byte(tt.text), catalog.Kinds())
			if !kedge.Invalid.Is(err) || !strings.HasPrefix(err.Error(), tt.want) {
				t.Fatalf("error %v (%s), want %q", err, kedge.KindOf(err), tt.want)
			}
			if kedge.HintOf(err) == "" {
				t.Error("no hint")
			}
		})
	}
}

func TestMerge(t *testing.T) {
	user := mustConfig(t, "user.toml", "version = 1\n[agents.bot]\nkind = 'command'\ncommand = ['a']\n[run]\nagent = 'bot'\nparallel = 3\n[protect]\npaths = ['x', 'y', 'z']\n[context]\nwindow = { m = 1 }")
	project := mustConfig(t, "project.toml", "version = 1\n[agents.other]\nkind = 'codex'\n[run]\nparallel = 1\n[protect]\npaths = ['p']\n[context]\nwindow = { n = 2 }")
	c, err := config.Merge(user, project, catalog.Kinds())
	if err != nil {
		t.Fatal(err)
	}
	if c.Run.Agent != "bot" || c.Run.Parallel != 1 {
		t.Errorf("run = %+v: the project's key wins, the user's stays elsewhere", c.Run)
	}
	if !reflect.DeepEqual(c.Protect.Paths, []string{"p"}) || len(c.Agents) != 2 {
		t.Errorf("protect %v, agents %v", c.Protect.Paths, c.Agents)
	}
	if want := map[string]int64{"claude-*": 200000, "m": 1, "n": 2}; !reflect.DeepEqual(c.Context.Window, want) {
		t.Errorf("window = %v, want %v", c.Context.Window, want)
	}
	if len(user.Agents) != 1 || len(user.Protect.Paths) != 3 || user.Protect.Paths[0] != "x" {
		t.Errorf("merging changed the user's layer: %+v", user)
	}
}

func TestMergeUnknownAgent(t *testing.T) {
	user := mustConfig(t, "user.toml", "version = 1\n[route]\nplan = 'nobody:opus'")
	project := mustConfig(t, "project.toml", "version = 1\n[run]\nagent = 'claude'")
	_, err := config.Merge(user, project, catalog.Kinds())
	if !kedge.Invalid.Is(err) || !strings.HasPrefix(err.Error(), `user.toml:3: "route.plan" names agent "nobody", which does not exist`) {
		t.Errorf("error %v", err)
	}
}

func TestAgent(t *testing.T) {
	c := mustConfig(t, "c.toml", "version = 1\n[agents.claude]\nkind = 'command'\ncommand = ['x']")
	if a, err := c.Agent("claude"); err != nil || a.Kind != "command" {
		t.Errorf("a defined agent hides the built-in one: %v, %v", a, err)
	}
	if a, err := c.Agent("codex"); err != nil || a.Kind != "codex" {
		t.Errorf("built-in: %v, %v", a, err)
	}
	if _, err := c.Agent("command"); !kedge.NotFound.Is(err) {
		t.Errorf("command has no built-in agent: %v", err)
	}
}

func mustConfig(t *testing.T, file, text string) config.Config {
	t.Helper()
	c, err := config.ParseConfig(file, []byte(text), catalog.Kinds())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func FuzzParseConfig(f *testing.F) {
	f.Add([]byte(example))
	f.Add([]byte("version = 1\n[agents.\"a.b\"]\nkind='x'"))
	f.Add([]byte("version = 1\nrun = { land = 'end', Land = 'each' }"))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := config.ParseConfig("c.toml", b, catalog.Kinds())
		again, errAgain := config.ParseConfig("c.toml", b, catalog.Kinds())
		if (err == nil) != (errAgain == nil) {
			t.Fatalf("two answers: %v, %v", err, errAgain)
		}
		if err != nil {
			if !kedge.Invalid.Is(err) || !strings.HasPrefix(err.Error(), "c.toml:") {
				t.Fatalf("error %v does not name the file", err)
			}
			return
		}
		if !reflect.DeepEqual(c, again) {
			t.Fatal("two values")
		}
		if _, err := config.Merge(c, c, catalog.Kinds()); err != nil && !kedge.Invalid.Is(err) {
			t.Fatal(err)
		}
	})
}
