package catalog_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kedge/internal/agents"
	"kedge/internal/agents/catalog"
	"kedge/internal/agents/claude"
	"kedge/internal/agents/codex"
	"kedge/internal/agents/gemini"
	"kedge/internal/agents/qwen"
	"kedge/internal/core/config"
	"kedge/internal/process/hold"
	"kedge/internal/testkit/agenttest"
)

var update = flag.Bool("update", false, "write what the real programs print, and what it means, to testdata")

// TestMain makes this binary also the holder of the real programs.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "hold" {
		if err := hold.Main(context.Background(), os.Stdin, os.Stdout); err != nil {
			_, _ = os.Stderr.Write(hold.Complain(err))
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// installed are the versions of a real program under KEDGE_TEST_AGENTS, where make
// test-agents puts them.
func installed(t *testing.T, name string) map[string]string {
	t.Helper()
	dir := os.Getenv("KEDGE_TEST_AGENTS")
	if dir == "" {
		t.Skip("real programs are driven by make test-agents")
	}
	found, err := filepath.Glob(filepath.Join(dir, name+"-*", "node_modules", ".bin", name))
	if err != nil || len(found) == 0 {
		t.Skipf("%s is not installed in %s", name, dir)
	}
	out := map[string]string{}
	for _, path := range found {
		out[strings.TrimPrefix(filepath.Base(filepath.Dir(filepath.Dir(filepath.Dir(path)))), name+"-")] = path
	}
	return out
}

func holder(t *testing.T) *hold.Launcher {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return hold.NewLauncher(exe, "hold")
}

// recorder keeps what a version printed, when that is asked for.
func recorder(kind, version string) func(*testing.T, string, []byte) {
	if !*update {
		return nil
	}
	return func(t *testing.T, scenario string, tape []byte) {
		t.Helper()
		dir := filepath.Join("testdata", kind+"-"+version)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, scenario+".jsonl"), short(tape), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// short leaves out of a recording what fills pages and is not read: the picture of
// the context in the answer to how large it is, and the commands that people could
// type; and where the programs are installed.
func short(tape []byte) []byte {
	var out []byte
	tape = bytes.ReplaceAll(tape, []byte(os.Getenv("KEDGE_TEST_AGENTS")), []byte("/agents"))
	for line := range bytes.Lines(tape) {
		if before, _, ok := bytes.Cut(line, []byte(`,"availableCommands":[`)); ok {
			line = append(slices.Clone(before), "}}}\n"...)
		}
		var answer struct {
			Type     string `json:"type"`
			Response struct {
				Subtype  string         `json:"subtype"`
				ID       string         `json:"request_id"`
				Response map[string]any `json:"response"`
			} `json:"response"`
		}
		if json.Unmarshal(line, &answer) == nil && answer.Type == "control_response" {
			maps.DeleteFunc(answer.Response.Response, func(_ string, v any) bool { _, list := v.([]any); return list })
			if b, err := json.Marshal(answer); err == nil {
				line = append(b, '\n')
			}
		}
		out = append(out, line...)
	}
	return out
}

func TestLiveClaude(t *testing.T) {
	for version, path := range installed(t, "claude") {
		t.Run(version, func(t *testing.T) {
			agenttest.RunLive(t, agenttest.Live{
				Adapter: claude.New([]string{path}), Holder: holder(t), Record: recorder("claude", version), Note: noter(t, "claude", version),
				Point: func(_ *testing.T, _, url string) []string {
					return []string{
						"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=sk-" + "ant-mock-0123456789abcdef", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
						"CLAUDE_CODE_MAX_RETRIES=2",
					}
				},
			})
		})
	}
}

func TestLiveCodex(t *testing.T) {
	for version, path := range installed(t, "codex") {
		t.Run(version, func(t *testing.T) {
			agenttest.RunLive(t, agenttest.Live{
				Adapter: codex.New([]string{path}), Holder: holder(t), Record: recorder("codex", version), Note: noter(t, "codex", version), Point: pointCodex,
				Uncached: true, Curt: true, Full: 250_000, Deaf: true,
				Skip: map[string]string{
					"subagent": "it offers no sub-agents by default",
					"handin":   "it has no tool for plans; it prints the plan",
					"refuse":   "no setting makes it refuse, so this cannot be tried; another test covers how Kedge reads a refusal",
				},
			})
		})
	}
}

// pointCodex makes Codex ask the model at url, and try again once. Its home must not
// lie in the folder of temporary files: there it makes no links to itself, without
// which it cannot use a bubblewrap before 0.9.0 of the system's, and no command of
// its sandbox is found.
func pointCodex(t *testing.T, home, url string) []string {
	t.Helper()
	dir := filepath.Join(home, ".codex")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	text := "model_provider = \"mock\"\nmodel = \"gpt-5.5\"\n[model_providers.mock]\nname = \"mock\"\nbase_url = \"" + url + "/v1\"\n" +
		"wire_api = \"responses\"\nenv_key = \"MOCK_KEY\"\nrequest_max_retries = 1\nstream_max_retries = 1\n"
	if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	tmp := filepath.Join(home, "tmp")
	if err := os.MkdirAll(tmp, 0o700); err != nil {
		t.Fatal(err)
	}
	return []string{"CODEX_HOME=" + dir, "TMPDIR=" + tmp, "MOCK_KEY=mock-" + "key-0123456789abcdef"}
}

func TestLiveGemini(t *testing.T) {
	for version, path := range installed(t, "gemini") {
		t.Run(version, func(t *testing.T) {
			agenttest.RunLive(t, agenttest.Live{
				Adapter: gemini.New([]string{path}), Holder: holder(t), Record: recorder("gemini", version), Note: noter(t, "gemini", version), Point: pointGemini,
				Uncached: true, Curt: true, Mute: true, Forgets: "No previous sessions found",
				Skip: map[string]string{
					"subagent": "over the Agent Client Protocol it does not let itself start sub-agents",
					"cut":      "it gives up when a stream breaks; the run treats that as a provider's limit and continues with a fresh session",
					"compact":  "it shortens its context only between two prompts, and a session has only one",
					"shorten":  "the Agent Client Protocol has no message for this",
					"refuse":   "the Agent Client Protocol has no message for this",
					"ask":      "over the Agent Client Protocol it has no tool for questions; it asks in its text",
					"handin":   "its tool writes the plan to a file outside the worktree, and it has no tool for questions; so it prints both",
					"steer":    "a second prompt would end the first, so your message is in the next brief",
				},
			})
		})
	}
}

// pointGemini makes Gemini ask the model at url.
func pointGemini(t *testing.T, home, url string) []string {
	t.Helper()
	dir := filepath.Join(home, ".gemini")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	// Its own cleaning of old sessions loses some that go on.
	text := `{"security":{"auth":{"selectedType":"gemini-api-key"}},"general":{"sessionRetention":{"enabled":false},"maxAttempts":2}}`
	if err := os.WriteFile(filepath.Join(dir, "settings.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"GEMINI_API_KEY=mock-" + "key-0123456789abcdef", "GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_MODEL=gemini-2.5-pro"}
}

func TestLiveQwen(t *testing.T) {
	for version, path := range installed(t, "qwen") {
		t.Run(version, func(t *testing.T) {
			if qwen.Profile().Versions.Untried(version) {
				t.Skip("Kedge was not made with this version: only what its sessions used is held to the model's count, by qwen_killed")
			}
			agenttest.RunLive(t, agenttest.Live{
				Adapter: qwen.New([]string{path, "--auth-type", "openai"}), Holder: holder(t), Record: recorder("qwen", version), Note: noter(t, "qwen", version),
				Point: pointQwen, Uncached: true, Curt: true, Full: 950_000, Untold: []agenttest.Fact{agenttest.Retries, agenttest.Beside},
				Skip: map[string]string{
					"cut":     "it gives up when a stream breaks; the run treats that as a provider's limit and continues with a fresh session",
					"steer":   "a second prompt would end the first, so your message is in the next brief",
					"shorten": "the Agent Client Protocol has no message for this",
					"refuse":  "the Agent Client Protocol has no message for this",
				},
			})
		})
	}
}

// pointQwen makes Qwen Code ask the model at url.
func pointQwen(t *testing.T, home, url string) []string {
	t.Helper()
	dir := filepath.Join(home, ".qwen")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "settings.json"), []byte(`{"model":{"generationConfig":{"maxRetries":0}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"OPENAI_BASE_URL=" + url + "/v1", "OPENAI_API_KEY=mock-" + "key-0123456789abcdef", "OPENAI_MODEL=qwen3-coder-plus"}
}

// What the real programs once printed still means what it meant.
func TestRecordings(t *testing.T) {
	tapes, err := filepath.Glob(filepath.Join("testdata", "*", "*.jsonl"))
	if err != nil || len(tapes) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	for _, path := range tapes {
		kind, _, _ := strings.Cut(filepath.Base(filepath.Dir(path)), "-")
		scenario := strings.TrimSuffix(filepath.Base(path), ".jsonl")
		t.Run(filepath.Base(filepath.Dir(path))+"/"+scenario, func(t *testing.T) {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := agenttest.Meaning(t, adapterOf(t, kind), b, agents.Task{Dir: "/kedge/tree", ReadOnly: scenario == "plan" || scenario == "handin"})
			golden := strings.TrimSuffix(path, ".jsonl") + ".golden"
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%v; it means now\n%s\nand meant\n%s", err, got, want)
			}
		})
	}
}

func adapterOf(t *testing.T, kind string) agents.Adapter {
	t.Helper()
	a, err := catalog.New(kind, config.Agent{Kind: kind})
	if err != nil {
		t.Fatal(err)
	}
	return a
}
