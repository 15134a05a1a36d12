package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"kedge/internal/agents/catalog"
	"kedge/internal/testkit/modelserver"
)

// TestLiveRun drives real agents through whole runs against a scripted model:
// every script of testdata/live with the version of its agent that make
// test-agents installed.
func TestLiveRun(t *testing.T) {
	agents := os.Getenv("KEDGE_TEST_AGENTS")
	if agents == "" {
		t.Skip("real agents are driven by make test-agents")
	}
	installed, err := filepath.Glob(filepath.Join(agents, "*", "node_modules", ".bin"))
	if err != nil || len(installed) == 0 {
		t.Skipf("no agent is installed in %s", agents)
	}
	for _, bin := range installed {
		version := filepath.Base(filepath.Dir(filepath.Dir(bin)))
		name, number, _ := strings.Cut(version, "-")
		scripts := name + "*.txtar"
		if catalog.Of(name).Versions.Untried(number) {
			scripts = name + "_killed.txtar" // what it used is known, or unknown, of every version
		}
		files, err := filepath.Glob(filepath.Join("testdata", "live", scripts))
		if err != nil || len(files) == 0 {
			t.Logf("%s: there is no script for it", version)
			continue
		}
		t.Run(version, func(t *testing.T) {
			testscript.Run(t, testscript.Params{
				Files: files, RequireExplicitExec: true, RequireUniqueNames: true,
				Setup: func(env *testscript.Env) error { return liveSetup(env, bin) },
				Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
					"json": jsonHas, "code": exitCode, "await": liveAwait, "edit": edit, "mode": mode,
					"served": served, "asked": asked, "asked-first": askedFirst, "sessions": sessionsOf, "strike": strike, "alone": alone, "accounted": accounted,
				},
			})
		})
	}
}

// modelKey is where a script keeps its model.
type modelKey struct{}

// liveSetup starts the model with the scripts of scripts.json, and points every
// agent at it.
func liveSetup(env *testscript.Env, bin string) error {
	if err := setup(env); err != nil {
		return err
	}
	b, err := os.ReadFile(filepath.Join(env.WorkDir, "scripts.json"))
	if err != nil {
		return err
	}
	var scripts map[string]modelserver.Script
	if err := json.Unmarshal(b, &scripts); err != nil {
		return err
	}
	s, err := modelserver.Start()
	if err != nil {
		return err
	}
	env.Defer(func() { _ = s.Close() })
	for name, script := range scripts {
		s.Play(name, script)
	}
	env.Values[modelKey{}] = s
	for file, text := range map[string]string{
		".codex/config.toml": "model_provider = \"mock\"\nmodel = \"gpt-5.5\"\n[model_providers.mock]\nname = \"mock\"\n" +
			"base_url = \"" + s.URL + "/v1\"\nwire_api = \"responses\"\nenv_key = \"MOCK_KEY\"\nrequest_max_retries = 0\nstream_max_retries = 0\n",
		".gemini/settings.json": `{"security":{"auth":{"selectedType":"gemini-api-key"}},"general":{"maxAttempts":1}}`,
		".qwen/settings.json":   `{"security":{"auth":{"selectedType":"openai"}},"model":{"generationConfig":{"maxRetries":0}}}`,
	} {
		path := filepath.Join(env.Getenv("HOME"), file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	if err := pointOthers(env, s.URL); err != nil {
		return err
	}
	for k, v := range map[string]string{
		"GEMINI_API_KEY": "mock-" + "key-0123456789abcdef", "GOOGLE_GEMINI_BASE_URL": s.URL, "GEMINI_MODEL": "gemini-2.5-pro",
		"OPENAI_API_KEY": "mock-" + "key-0123456789abcdef", "OPENAI_BASE_URL": s.URL + "/v1", "OPENAI_MODEL": "qwen3-coder-plus",
		"PATH": bin + string(os.PathListSeparator) + env.Getenv("PATH"), "MODEL_URL": s.URL,
		"ANTHROPIC_BASE_URL": s.URL, "ANTHROPIC_API_KEY": "sk-" + "ant-mock-0123456789abcdef",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "CLAUDE_CODE_MAX_RETRIES": "1", "MOCK_KEY": "mock-" + "key-0123456789abcdef",
	} {
		env.Setenv(k, v)
	}
	return nil
}
