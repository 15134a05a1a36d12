package config

import (
	"path"
	"slices"
	"sort"
	"strings"

	"kedge"
	"kedge/internal/text/glob"
	"kedge/internal/text/lazyre"
)

// freeKeys are the tables of config.toml in which any name is a key.
var freeKeys = []string{"agents.", "context.window.", "context.handover_of."}

// agentKeys are the keys of one agent.
var agentKeys = []string{"kind", "command"}

func (c Config) validate() error {
	if err := c.src.strict(func(key string) bool { return c.free(key) }); err != nil {
		return err
	}
	for _, check := range []func() error{c.checkTop, c.checkEnums, c.checkNumbers, c.checkLists, c.checkAgentTables, c.checkRows, c.checkTools, c.checkMerge} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// free lets names of agents and of models pass; the keys of an agent stay
// strict.
func (c Config) free(key string) bool {
	if strings.HasPrefix(key, freeKeys[1]) || strings.HasPrefix(key, freeKeys[2]) {
		return true
	}
	rest, ok := strings.CutPrefix(key, freeKeys[0])
	if !ok {
		return false
	}
	i := strings.LastIndexByte(rest, '.')
	return i < 0 || oneOf(rest[i+1:], agentKeys)
}

func (c Config) checkTop() error {
	return checkVersion(c.src, c.Version)
}

func checkVersion(s *source, v int) error {
	if v == 1 && s.md.IsDefined("version") {
		return nil
	}
	if !s.md.IsDefined("version") {
		return s.bad(1, "the file has no version").WithHint("add a first line: version = 1")
	}
	return s.at("version", "the file has version %d, and this version of Kedge reads version 1", v)
}

func (c Config) checkEnums() error {
	for _, e := range []struct {
		key, value string
		allowed    []string
	}{
		{"run.land", c.Run.Land, []string{"end", "each", "never"}},
		{"run.regression", c.Run.Regression, []string{"sample", "all", "none"}},
		{"sandbox.kind", c.Sandbox.Kind, []string{"none", "bwrap", "seatbelt"}},
		{"sandbox.missing", c.Sandbox.Missing, []string{"refuse", "run"}},
		{"forge.kind", c.Forge.Kind, []string{"github", "gitea"}},
	} {
		if !oneOf(e.value, e.allowed) {
			return c.src.at(e.key, "%q must be one of %s, not %q", e.key, strings.Join(e.allowed, ", "), e.value)
		}
	}
	if c.Forge.Repo != "" && !repoName.MatchString(c.Forge.Repo) {
		return c.src.at("forge.repo", "%q must have the form owner/name, not %q", "forge.repo", c.Forge.Repo)
	}
	return nil
}

var (
	repoName = lazyre.New(`^[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9._-]+$`)
	envName  = lazyre.New(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// maxNumber bounds tokens and money, far above any real budget.
const maxNumber = 1e15

// MaxParallel bounds worktrees and agents that live at the same time.
const MaxParallel = 64

// maxKeepDays is a hundred years; for ever is 0.
const maxKeepDays = 36_500

// minMemoryMB is what a program needs to start at all.
const minMemoryMB = 64

// maxMB is a petabyte: more is a slip of the pen.
const maxMB = 1 << 30

func (c Config) checkNumbers() error {
	if c.Run.Parallel < 1 || c.Run.Parallel > MaxParallel {
		return c.src.at("run.parallel", "%q must be from 1 to %d, not %d", "run.parallel", MaxParallel, c.Run.Parallel)
	}
	if c.Gate.Parallel < 0 || c.Gate.Parallel > MaxParallel {
		return c.src.at("gate.parallel", "%q must be from 0 (half the cores) to %d, not %d", "gate.parallel", MaxParallel, c.Gate.Parallel)
	}
	for _, n := range []struct {
		key   string
		value float64
	}{
		{"budget.session_tokens", float64(c.Budget.SessionTokens)},
		{"budget.feature_usd", c.Budget.FeatureUSD},
		{"budget.run_usd", c.Budget.RunUSD},
		{"budget.day_usd", c.Budget.DayUSD},
		{"context.compact_tokens", float64(c.Context.CompactTokens)},
		{"sessions.keep_bytes", float64(c.Sessions.KeepBytes)},
		{"sandbox.file_mb", float64(c.Sandbox.FileMB)},
		{"protect.max_file_mb", float64(c.Protect.MaxFileMB)},
		{"sandbox.processes", float64(c.Sandbox.Processes)},
	} {
		if !(n.value >= 0 && n.value <= maxNumber) { // also refuses NaN
			return c.src.at(n.key, "%q must be 0 or more", n.key)
		}
	}
	if c.Sessions.KeepDays < 0 || c.Sessions.KeepDays > maxKeepDays {
		return c.src.at("sessions.keep_days", "%q must be from 0 to %d, not %d", "sessions.keep_days", maxKeepDays, c.Sessions.KeepDays)
	}
	if c.Protect.MaxFileMB > maxMB {
		return c.src.at("protect.max_file_mb", "%q must be at most %d", "protect.max_file_mb", maxMB)
	}
	if m := c.Sandbox.MemoryMB; m != 0 && (m < minMemoryMB || m > maxMB) || c.Sandbox.FileMB > maxMB {
		return c.src.at("sandbox.memory_mb", "%q must be 0 or from %d to %d; %q must not be above %[3]d", "sandbox.memory_mb", minMemoryMB, maxMB, "sandbox.file_mb")
	}
	if !(c.Context.Checkpoint > 0 && c.Context.Checkpoint <= 1) {
		return c.src.at("context.checkpoint", "%q must be above 0 and at most 1, such as 0.5", "context.checkpoint")
	}
	if !(c.Context.Handover >= c.Context.Checkpoint && c.Context.Handover <= 1) {
		return c.src.at("context.handover", "%q must be from context.checkpoint to 1", "context.handover")
	}
	return nil
}

func (c Config) checkLists() error {
	if err := checkGlobs(c.src, "protect.paths", c.Protect.Paths); err != nil {
		return err
	}
	if err := checkGlobs(c.src, "gate.tests", c.Gate.Tests); err != nil {
		return err
	}
	if err := checkGlobs(c.src, "worktree.inputs", c.Worktree.Inputs); err != nil {
		return err
	}
	for _, p := range c.Worktree.Copy {
		if !insidePath(p) {
			return c.src.at("worktree.copy", "%q must name paths inside the project, not %q", "worktree.copy", p)
		}
	}
	for _, w := range c.Sandbox.Write {
		if !path.IsAbs(w) && w != "~" && !strings.HasPrefix(w, "~/") {
			return c.src.at("sandbox.write", "%q must name absolute paths or paths that begin with ~/, not %q", "sandbox.write", w)
		}
	}
	for _, name := range c.Env.Pass {
		if !envName.MatchString(name) {
			return c.src.at("env.pass", "%q must name variables of the environment, not %q", "env.pass", name)
		}
	}
	for _, pattern := range sortedKeys(c.Context.Window) {
		if n := c.Context.Window[pattern]; n < 1 {
			return c.src.at("context.window", "the window of %q must be at least 1 token, not %d", pattern, n)
		}
		if err := glob.Valid(pattern); err != nil {
			return c.src.at("context.window", "%q: %v", pattern, err)
		}
	}
	for _, pattern := range sortedKeys(c.Context.HandoverOf) {
		if share := c.Context.HandoverOf[pattern]; !(share > 0 && share <= 1) {
			return c.src.at("context.handover_of", "the handover of %q must be above 0 and at most 1, such as 0.7, not %v", pattern, share)
		}
		if err := glob.Valid(pattern); err != nil {
			return c.src.at("context.handover_of", "%q: %v", pattern, err)
		}
	}
	return nil
}

func checkGlobs(s *source, key string, patterns []string) error {
	for _, p := range patterns {
		if err := glob.Valid(p); err != nil {
			return s.at(key, "%q has a bad pattern: %v", key, err)
		}
	}
	return nil
}

// insidePath tells whether p is a relative path that does not climb out.
func insidePath(p string) bool {
	return p != "" && !path.IsAbs(p) && path.Clean(p) != ".." && !strings.HasPrefix(path.Clean(p), "../")
}

func (c Config) checkAgentTables() error {
	for _, name := range sortedKeys(c.Agents) {
		key, a := "agents."+name, c.Agents[name]
		switch {
		case !kedge.ValidName(name):
			return c.src.at(key, "the agent name %q may have only a-z, 0-9, dot, dash and underscore", name)
		case !oneOf(a.Kind, c.kinds.Names):
			return c.src.at(key+".kind", "the kind of agent %q must be one of %s, not %q", name, strings.Join(c.kinds.Names, ", "), a.Kind)
		case a.Kind == "command" && (len(a.Command) == 0 || a.Command[0] == ""):
			return c.src.at(key, "agent %q has no command", name).WithHint(`add a command to its table, for example: command = ["./bot.sh"]`)
		}
	}
	return nil
}

// purposes are what a row of [[route.rows]] may be for.
var purposes = []string{"plan", "implement", "repair", "fix"}

func (c Config) checkRows() error {
	for _, row := range c.Route.Rows {
		switch {
		case row.Use == "":
			return c.src.at("route.rows", "an entry of %q does not say which agent to use", "route.rows").WithHint(`add an agent to the entry, for example: use = "claude:opus"`)
		case row.Purpose != "" && !oneOf(row.Purpose, purposes):
			return c.src.at("route.rows", "the purpose of an entry of %q must be one of %s, not %q", "route.rows", strings.Join(purposes, ", "), row.Purpose)
		case row.Priority < 0:
			return c.src.at("route.rows", "the priority of an entry of %q must be 0 or more, not %d", "route.rows", row.Priority)
		}
	}
	return nil
}

// Use is a route, "agent" or "agent:model", and the key that names it.
type Use struct{ Key, Route string }

// Uses are all routes that the configuration names.
func (c Config) Uses() []Use {
	all := []Use{
		{"route.plan", c.Route.Plan},
		{"route.implement", c.Route.Implement},
		{"route.repair", c.Route.Repair},
		{"route.fix", c.Route.Fix},
		{"route.test", c.Route.Test},
		{"route.review", c.Route.Review},
		{"run.agent", c.Run.Agent},
	}
	for _, r := range c.Route.Fallback {
		all = append(all, Use{"route.fallback", r})
	}
	for _, row := range c.Route.Rows {
		all = append(all, Use{"route.rows", row.Use})
	}
	return slices.DeleteFunc(all, func(u Use) bool { return u.Route == "" })
}

// checkAgents finds names of agents that neither file defines. The message
// names the file that uses the name.
func (c Config) checkAgents(user, project *source) error {
	for _, use := range c.Uses() {
		name, _, _ := strings.Cut(use.Route, ":")
		if _, err := c.Agent(name); err != nil {
			return user.orThisWith(project, use.Key).at(use.Key, "%q names agent %q, which does not exist", use.Key, name).
				WithHint("%s", kedge.HintOf(err))
		}
	}
	return nil
}

// orThisWith gives the file that sets the key: the project's where it does.
func (s *source) orThisWith(project *source, key string) *source {
	if project != nil && (s == nil || project.md.IsDefined(strings.Split(key, ".")...)) {
		return project
	}
	return s
}

func oneOf(s string, list []string) bool {
	for _, v := range list {
		if s == v {
			return true
		}
	}
	return false
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
