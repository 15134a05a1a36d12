package catalog_test

import (
	"slices"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/agents"
	"kedge/internal/agents/catalog"
	"kedge/internal/core/config"
	"kedge/internal/testkit/agenttest"
)

// offers is one limit of each kind, with a name that a start must contain.
var offers = map[agents.Limit]struct {
	offer agents.Offer
	names []string
}{
	agents.LimitOnly:    {agents.Offer{Only: []string{"read", "view"}}, []string{"read", "view"}},
	agents.LimitWithout: {agents.Offer{Without: []string{"mcp__db"}}, []string{"db"}},
	agents.LimitServers: {agents.Offer{Servers: []string{agents.ToolsName}}, nil},
}

// TestRow111EachAgentIsToldOrRefuses: an adapter tells its program every limit that its
// profile names, and refuses the others: none is dropped in silence.
func TestRow111EachAgentIsToldOrRefuses(t *testing.T) {
	for _, p := range catalog.All() {
		a := config.Agent{Kind: p.Name}
		if p.Generic {
			a.Command = []string{"bot"}
		}
		ad, err := catalog.New(p.Name, a)
		if err != nil {
			t.Fatal(err)
		}
		task := agents.Task{Session: "ses-1", Purpose: "implement", Brief: "/home/brief.md", Dir: "/work", Tools: []string{"kedge", "mcp"}}
		plain, err := ad.Start(task)
		if err != nil {
			t.Fatal(err)
		}
		for limit, c := range offers {
			task.Offer = c.offer
			got, err := ad.Start(task)
			if !slices.Contains(p.Limits, limit) {
				if kedge.KindOf(err) != kedge.Invalid || kedge.HintOf(err) == "" {
					t.Errorf("%s: %s is not refused: %v", p.Name, limit, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %s: %v", p.Name, limit, err)
				continue
			}
			was, is := words(plain), words(got)
			if was == is {
				t.Errorf("%s: %s changes nothing: %q", p.Name, limit, is)
			}
			for _, name := range c.names {
				if !strings.Contains(is, name) || strings.Contains(was, name+",") {
					t.Errorf("%s: %s does not name %q: %q", p.Name, limit, name, is)
				}
			}
		}
	}
}

func words(s agents.Start) string { return strings.Join(slices.Concat(s.Command, s.Env), " ") }

// TestRow111PlanningStaysReadOnly: a limit does not give a planning session what keeps it
// from writing.
func TestRow111PlanningStaysReadOnly(t *testing.T) {
	for kind, writes := range map[string]string{"pi": "bash", "copilot": "bash"} {
		ad, err := catalog.New(kind, config.Agent{Kind: kind})
		if err != nil {
			t.Fatal(err)
		}
		s, err := ad.Start(agents.Task{Session: "ses-1", Purpose: "plan", ReadOnly: true, Offer: agents.Offer{Only: []string{"grep", writes}}})
		if err != nil || strings.Contains(words(s), writes) || !strings.Contains(words(s), "grep") {
			t.Errorf("%s: %q, %v", kind, words(s), err)
		}
	}
}

// TestLiveRow111 limits the tools of real programs, and looks at what the model is
// offered.
func TestLiveRow111(t *testing.T) {
	pointClaude := func(_ *testing.T, _, url string) []string {
		return []string{"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=sk-" + "ant-mock-0123456789abcdef", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"}
	}
	pointCopilot := func(_ *testing.T, _, url string) []string {
		return []string{"COPILOT_PROVIDER_BASE_URL=" + url + "/v1", "COPILOT_PROVIDER_TYPE=openai", "COPILOT_PROVIDER_API_KEY=" + mockKey, "COPILOT_MODEL=gpt-5", "COPILOT_OFFLINE=true"}
	}
	silent := []agenttest.Fact{agenttest.Version, agenttest.Window, agenttest.Context, agenttest.Retries, agenttest.Beside} // another test's matter
	for _, c := range []struct {
		kind  string
		point func(t *testing.T, home, url string) []string
		model string
		offer agents.Offer
		has   []string
		not   []string
	}{
		{"claude", pointClaude, "", agents.Offer{Only: []string{"Read", "Edit"}, Servers: []string{}}, []string{"Read", "Edit"}, []string{"Bash", "WebFetch", "Write"}},
		{"claude", pointClaude, "", agents.Offer{Without: []string{"WebFetch", "WebSearch"}}, []string{"Read", "Bash"}, []string{"WebFetch", "WebSearch"}},
		{"codex", pointCodex, "", agents.Offer{Without: []string{"create_goal"}}, []string{"exec_command"}, []string{"create_goal", "get_goal"}},
		{"pi", pointPi, "mock/m", agents.Offer{Only: []string{"read", "bash"}}, []string{"read", "bash"}, []string{"write", "edit"}},
		{"opencode", pointOpenCode, "mock/m", agents.Offer{Without: []string{"webfetch"}}, []string{"read", "bash"}, []string{"webfetch"}},
		{"kilo", pointKilo, "mock/m", agents.Offer{Without: []string{"webfetch"}}, []string{"read", "bash"}, []string{"webfetch"}},
		{"qwen", pointQwen, "", agents.Offer{Only: []string{"read_file", "edit"}}, []string{"read_file"}, []string{"run_shell_command", "write_file"}},
		{"qwen", pointQwen, "", agents.Offer{Without: []string{"web_fetch"}, Servers: []string{}}, []string{"read_file"}, []string{"web_fetch"}},
		{"copilot", pointCopilot, "gpt-5", agents.Offer{Only: []string{"view", "grep"}}, []string{"view"}, []string{"bash"}},
		{"copilot", pointCopilot, "gpt-5", agents.Offer{Without: []string{"sql"}}, []string{"bash"}, []string{"sql"}},
		{"gemini", pointGemini, "", agents.Offer{Servers: []string{}}, []string{"read_file"}, nil},
	} {
		t.Run(c.kind, func(t *testing.T) {
			for version, path := range installed(t, c.kind) {
				ad, err := catalog.New(c.kind, config.Agent{Kind: c.kind, Command: []string{path}})
				if err != nil {
					t.Fatal(err)
				}
				live := agenttest.Live{Adapter: ad, Holder: holder(t), Point: c.point, Model: c.model, Untold: silent}
				all := agenttest.Offered(t, live, agents.Offer{})
				got := agenttest.Offered(t, live, c.offer)
				t.Logf("%s: %q, then %q", version, all, got)
				for _, name := range c.has {
					if !slices.Contains(got, name) {
						t.Errorf("%s: %s is not offered: %q", version, name, got)
					}
				}
				for _, name := range c.not {
					if slices.Contains(got, name) || !slices.Contains(all, name) {
						t.Errorf("%s: %s: without a limit %q, then %q", version, name, all, got)
					}
				}
			}
		})
	}
}
