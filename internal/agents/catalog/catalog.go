// Package catalog lists the profiles of all agents that Kedge knows. It owns the list,
// and the parts of it that other packages ask for. It is the only package that names all
// agents. Its tests check every profile against its contract, and every adapter against
// the suite of real programs. The recordings and the results of that suite are here too.
package catalog

import (
	"slices"

	"kedge"
	"kedge/internal/agents"
	"kedge/internal/agents/acp"
	"kedge/internal/agents/aider"
	"kedge/internal/agents/claude"
	"kedge/internal/agents/codex"
	"kedge/internal/agents/command"
	"kedge/internal/agents/copilot"
	"kedge/internal/agents/gemini"
	"kedge/internal/agents/hooks"
	"kedge/internal/agents/kilo"
	"kedge/internal/agents/opencode"
	"kedge/internal/agents/pi"
	"kedge/internal/agents/qwen"
	"kedge/internal/agents/trust"
	"kedge/internal/core/config"
	"kedge/internal/insight/transcript"
)

// all are the profiles, in the order in which messages name the agents.
var all = []agents.Profile{
	claude.Profile(), codex.Profile(), gemini.Profile(), kilo.Profile(), opencode.Profile(), qwen.Profile(), pi.Profile(), copilot.Profile(), aider.Profile(),
	acp.Profile(), command.Profile(),
}

// All gives the profiles.
func All() []agents.Profile { return slices.Clone(all) }

// Of gives the profile of a kind of agent; of one that Kedge does not know it is empty.
func Of(kind string) agents.Profile {
	for _, p := range all {
		if p.Name == kind {
			return p
		}
	}
	return agents.Profile{}
}

// New gives the adapter of an agent in config.toml.
func New(name string, a config.Agent) (agents.Adapter, error) {
	p := Of(a.Kind)
	if p.New == nil {
		return nil, kedge.Errorf(kedge.NotFound, "a run cannot use agents of kind %q yet", a.Kind).
			WithHint("under [agents.%s] in .kedge/config.toml, set kind = \"command\", and set command to a program that reads a brief from its standard input", name)
	}
	return p.New(a.Command)
}

// transcripts are the formats that can be read.
var transcripts = formats()

func formats() transcript.Formats {
	var out transcript.Formats
	for _, p := range all {
		if p.Transcript != nil {
			out = append(out, *p.Transcript)
		}
	}
	return out
}

// Transcripts are how agents keep what their sessions did, of all agents of which Kedge
// can read that.
func Transcripts() transcript.Formats { return transcripts }

// Hooks are the agents whose hooks Kedge uses.
func Hooks() []hooks.Agent {
	var out []hooks.Agent
	for _, p := range all {
		if p.Hooks != nil {
			out = append(out, *p.Hooks)
		}
	}
	return out
}

// HooksOf gives the agent of a name, where Kedge uses its hooks.
func HooksOf(name string) (hooks.Agent, bool) {
	p := Of(name)
	if p.Hooks == nil {
		return hooks.Agent{}, false
	}
	return *p.Hooks, true
}

// obeyed is what agents obey, together with what holds for all.
var obeyed = rules()

func rules() trust.Rules {
	out := trust.Common()
	for _, p := range all {
		out = out.And(p.Title, p.Obeys)
	}
	return out
}

// Trust are the rules by which a repository is looked through for what agents run or
// obey.
func Trust() trust.Rules { return obeyed }

// Kinds are the kinds of agents, as config.toml has them.
func Kinds() config.Kinds {
	var out config.Kinds
	for _, p := range all {
		out.Names = append(out.Names, p.Name)
		out.Guards = append(out.Guards, p.Guards...)
		for _, l := range p.Limits {
			if out.Limits == nil {
				out.Limits = map[string][]string{}
			}
			out.Limits[p.Name] = append(out.Limits[p.Name], string(l))
		}
		if !p.Generic {
			out.Offered = append(out.Offered, p.Name)
		}
	}
	slices.Sort(out.Offered)
	return out
}
