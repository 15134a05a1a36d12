package catalog_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge/internal/agents/copilot"
	"kedge/internal/agents/kilo"
	"kedge/internal/agents/opencode"
	"kedge/internal/agents/pi"
	"kedge/internal/testkit/agenttest"
)

// mockKey is a key that no provider gave: long, because Copilot blackens it
// wherever it stands in what it prints.
const mockKey = "mock-" + "key-0123456789abcdef0123456789abcdef"

func TestLiveOpenCode(t *testing.T) {
	for version, path := range installed(t, "opencode") {
		t.Run(version, func(t *testing.T) {
			agenttest.RunLive(t, agenttest.Live{
				Adapter: opencode.New([]string{path}), Holder: holder(t), Record: recorder("opencode", version), Note: noter(t, "opencode", version), Point: pointOpenCode,
				Uncached: true, Whole: true, Full: 195_000, Model: "mock/m", Untold: []agenttest.Fact{agenttest.Version, agenttest.Window, agenttest.Retries},
				Skip: map[string]string{
					"subagent":  "it does not print what sub-agents do and use, so Kedge switches them off",
					"ask":       "opencode run has no tool for questions; it asks in its text",
					"handin":    "opencode run has no tool for plans; it prints the plan",
					"steer":     "opencode run reads nothing after its brief",
					"interrupt": "opencode run reads nothing after its brief",
					"shorten":   "opencode run reads nothing after its brief",
					"refuse":    "opencode run reads nothing after its brief",
					"toolong":   "it shortens its context and retries for as long as the provider refuses the prompt",
				},
			})
		})
	}
}

// pointOpenCode makes OpenCode ask the model at url.
func pointOpenCode(t *testing.T, _, url string) []string {
	t.Helper()
	model := map[string]any{"name": "m", "tool_call": true, "limit": map[string]any{"context": 200_000, "output": 8_000}}
	b, err := json.Marshal(map[string]any{
		"provider": map[string]any{"mock": map[string]any{
			"npm": "@ai-sdk/openai-compatible", "name": "mock", "options": map[string]any{"baseURL": url + "/v1", "apiKey": mockKey},
			"models": map[string]any{"m": model},
		}},
		"model": "mock/m", "small_model": "mock/m", "share": "disabled", "autoupdate": false,
	})
	if err != nil {
		t.Fatal(err)
	}
	return []string{"OPENCODE_CONFIG_CONTENT=" + string(b), "OPENCODE_DISABLE_MODELS_FETCH=1"}
}

func TestLiveKilo(t *testing.T) {
	for version, path := range installed(t, "kilo") {
		t.Run(version, func(t *testing.T) {
			agenttest.RunLive(t, agenttest.Live{
				Adapter: kilo.New([]string{path}), Holder: holder(t), Record: recorder("kilo", version), Note: noter(t, "kilo", version), Point: pointKilo,
				Uncached: true, Whole: true, Full: 195_000, Model: "mock/m", Untold: []agenttest.Fact{agenttest.Version, agenttest.Window, agenttest.Retries},
				Skip: map[string]string{
					"subagent":  "it does not print what sub-agents do and use, so Kedge switches them off",
					"ask":       "kilo run has no tool for questions; it asks in its text",
					"handin":    "kilo run has no tool for plans; it prints the plan",
					"steer":     "kilo run reads nothing after its brief",
					"interrupt": "kilo run reads nothing after its brief",
					"shorten":   "kilo run reads nothing after its brief",
					"refuse":    "kilo run reads nothing after its brief",
					"toolong":   "it shortens its context three times, then reports that this did not help; it does not report what the provider said",
				},
			})
		})
	}
}

// pointKilo makes Kilo ask the model at url, and nobody else anything.
func pointKilo(t *testing.T, home, url string) []string {
	t.Helper()
	env := pointOpenCode(t, home, url)
	for i := range env {
		env[i] = strings.Replace(env[i], "OPENCODE_", "KILO_", 1)
	}
	return append(env, "KILO_TELEMETRY_LEVEL=off", "KILO_DISABLE_SESSION_INGEST=1", "KILO_DISABLE_CODEBASE_INDEXING=1")
}

func TestLivePi(t *testing.T) {
	for version, path := range installed(t, "pi") {
		t.Run(version, func(t *testing.T) {
			agenttest.RunLive(t, agenttest.Live{
				Adapter: pi.New([]string{path}), Holder: holder(t), Record: piRecorder(version), Note: noter(t, "pi", version), Point: pointPi,
				Uncached: true, Full: 195_000, Late: true, Deaf: true, Model: "mock/m", Untold: []agenttest.Fact{agenttest.Version, agenttest.Beside},
				Skip: map[string]string{
					"subagent": "it has no sub-agents",
					"ask":      "it has no tool for questions; it asks in its text",
					"handin":   "it has no tool for plans; it prints the plan",
					"refuse":   "no setting makes it refuse, so this cannot be tried; another test covers how Kedge reads a refusal",
				},
			})
		})
	}
}

// piRecorder keeps what Pi printed without the pieces of replies, each of which
// has all that came before it, and which are not read.
func piRecorder(version string) func(*testing.T, string, []byte) {
	record := recorder("pi", version)
	if record == nil {
		return nil
	}
	return func(t *testing.T, scenario string, tape []byte) {
		t.Helper()
		var out []byte
		for line := range bytes.Lines(tape) {
			if !bytes.HasPrefix(line, []byte(`{"type":"message_update"`)) {
				out = append(out, line...)
			}
		}
		record(t, scenario, out)
	}
}

// pointPi makes Pi ask the model at url, and try again twice.
func pointPi(t *testing.T, home, url string) []string {
	t.Helper()
	dir := filepath.Join(home, ".pi", "agent")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]any{
		"models.json": map[string]any{"providers": map[string]any{"mock": map[string]any{
			"baseUrl": url + "/v1", "api": "openai-completions", "apiKey": mockKey,
			"models": []any{map[string]any{
				"id": "m", "name": "m", "contextWindow": 200_000, "maxTokens": 8_000, "reasoning": false, "input": []string{"text"},
				"cost": map[string]any{"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
			}},
		}}},
		"settings.json": map[string]any{
			"defaultProvider": "mock", "defaultModel": "m", "retry": map[string]any{"enabled": true, "maxRetries": 2, "baseDelayMs": 50, "provider": map[string]any{"maxRetries": 0}},
			"compaction": map[string]any{"keepRecentTokens": 50}, // else it has nothing to shorten here
		},
	} {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return []string{"PI_SKIP_VERSION_CHECK=1"}
}

func TestLiveCopilot(t *testing.T) {
	for version, path := range installed(t, "copilot") {
		t.Run(version, func(t *testing.T) {
			agenttest.RunLive(t, agenttest.Live{
				Adapter: copilot.New([]string{path}), Holder: holder(t), Record: copilotRecorder(version, path), Note: noter(t, "copilot", version),
				Point: func(_ *testing.T, _, url string) []string {
					return []string{
						"COPILOT_PROVIDER_BASE_URL=" + url + "/v1", "COPILOT_PROVIDER_TYPE=openai", "COPILOT_PROVIDER_API_KEY=" + mockKey,
						"COPILOT_MODEL=gpt-5", "COPILOT_OFFLINE=true",
					}
				},
				Uncached: true, Model: "gpt-5", Untold: []agenttest.Fact{agenttest.Context, agenttest.Beside, agenttest.Retries},
				Skip: map[string]string{
					"steer":   "it accepts no message while it works, so your message is in the next brief",
					"ask":     "over the Agent Client Protocol it has no tool for questions; it asks in its text",
					"handin":  "over the Agent Client Protocol it has no tool for plans; it prints the plan",
					"shorten": "the Agent Client Protocol has no message for this",
					"refuse":  "the Agent Client Protocol has no message for this",
				},
			})
		})
	}
}

// copilotRecorder keeps what Copilot printed without the list of its commands, and
// without where it is installed.
func copilotRecorder(version, path string) func(*testing.T, string, []byte) {
	record := recorder("copilot", version)
	if record == nil {
		return nil
	}
	root := filepath.Dir(filepath.Dir(filepath.Dir(path)))
	return func(t *testing.T, scenario string, tape []byte) {
		t.Helper()
		var out []byte
		for line := range bytes.Lines(bytes.ReplaceAll(tape, []byte(root), []byte("/opt/copilot"))) {
			if !bytes.Contains(line, []byte(`"sessionUpdate":"available_commands_update"`)) && !bytes.Contains(line, []byte(`"sessionUpdate":"config_option_update"`)) {
				out = append(out, line...)
			}
		}
		record(t, scenario, out)
	}
}
