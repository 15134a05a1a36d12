package sessions

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/app/projects"
	"kedge/internal/core/config"
	"kedge/internal/process/hold"
)

// CheckAgent refuses a run whose agent is not named, not known or not installed, before
// anything is paid for. Again is the command that you ran, with its flags, for the hint.
func CheckAgent(cfg config.Config, p *projects.Project, route string, env []string, again kedge.NextStep) error {
	name, _, _ := strings.Cut(route, ":")
	if name == "" {
		return kedge.Errorf(kedge.Blocked, "Kedge does not know which agent to use, because you have not named one").WithHint("%s", nameAgent(InstalledAgents(cfg, p.Dir, env), cfg.AgentNames(), again))
	}
	a, err := cfg.Agent(name)
	if err != nil {
		return kedge.Errorf(kedge.Blocked, "%w", err).WithHint("%s; then commit .kedge/config.toml, because a run reads only the committed file", kedge.HintOf(err))
	}
	ad, err := catalog.New(name, a)
	if err != nil {
		return kedge.Errorf(kedge.Blocked, "%w", err).WithHint("%s", kedge.HintOf(err))
	}
	if script := cfg.ScriptOf(a); script != "" && !isFile(filepath.Join(p.Dir, script)) {
		return missingScript(name, script, again)
	}
	if _, err := hold.LookPath(ad.Program(), p.Dir, env); err != nil {
		refused := kedge.Errorf(kedge.Blocked, "agent %q cannot start: %w", name, err)
		switch hint := kedge.HintOf(err); {
		case hint != "" && filepath.IsAbs(ad.Program()):
			return refused.WithHint("%s && %s", hint, again)
		case hint != "": // a script of the repository, which a run has as it is committed
			return refused.WithHint("%s && %s", hint, CommitAgent(ad.Program(), again))
		}
		return refused.WithHint("%s", installOr(InstalledAgents(cfg, p.Dir, env), again))
	}
	return nil
}

// CommitAgent commits the script of an agent, from any folder of the repository.
func CommitAgent(script string, again kedge.NextStep) kedge.NextStep {
	at := ":/" + path.Clean(script)
	return kedge.Step("git", "add", at).AndThen(kedge.Step("git", "commit", "-m", "the agent", at).AndThen(again))
}

// missingScript is the error about an agent whose script is not in the repository.
func missingScript(name, script string, again kedge.NextStep) error {
	return kedge.Errorf(kedge.Blocked, "agent %q cannot start, because its script %s is not in the repository", name, script).
		WithHint("write the script %s, make it executable and commit it; or correct \"command\" under [agents.%s] in .kedge/config.toml and commit that file; then: %s", script, name, again)
}

// isFile tells whether there is a file, which may be executable or not.
func isFile(name string) bool {
	fi, err := os.Stat(name)
	return err == nil && !fi.IsDir()
}

// InstalledAgents are the agents that a run could start now, sorted by name.
func InstalledAgents(cfg config.Config, dir string, env []string) []string {
	var out []string
	for _, name := range cfg.AgentNames() {
		a, err := cfg.Agent(name)
		if err != nil {
			continue
		}
		ad, err := catalog.New(name, a)
		if err != nil {
			continue
		}
		if _, err := hold.LookPath(ad.Program(), dir, env); err == nil {
			out = append(out, name)
		}
	}
	return out
}

// nameAgent says how to name an agent: with one that is installed, if there is one.
func nameAgent(installed, known []string, again kedge.NextStep) string {
	if len(installed) == 0 {
		return "install an agent (" + strings.Join(known, ", ") + "), then: " + WithAgent(again, "NAME").String()
	}
	line := WithAgent(again, installed[0]).String()
	if more := installed[1:]; len(more) > 0 {
		line += " (also installed: " + strings.Join(more, ", ") + ")"
	}
	return "name the agent: " + line + "; or write agent = \"" + installed[0] + "\" under [run] in .kedge/config.toml, and commit that file"
}

// installOr says what to do about an agent that is not installed.
func installOr(installed []string, again kedge.NextStep) string {
	if len(installed) == 0 {
		return "install that agent, then: " + again.String()
	}
	return "install that agent; or use an installed one: " + WithAgent(again, installed[0]).String()
}

// WithAgent is the command line with this agent in place of the one that it names.
func WithAgent(s kedge.NextStep, name string) kedge.NextStep {
	s.Args = slices.Clone(s.Args)
	if at := slices.Index(s.Args, "--agent"); at >= 0 && at+1 < len(s.Args) {
		s.Args[at+1] = name
		return s
	}
	s.Args = append(s.Args, "--agent", name)
	return s
}
