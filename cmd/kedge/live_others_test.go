package main

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"
)

// pointOthers points OpenCode, Kilo, Pi and Copilot at the model.
func pointOthers(env *testscript.Env, url string) error {
	const key = "mock-" + "key-0123456789abcdef0123456789abcdef" // long: Copilot blackens it wherever it stands
	opencode, err := json.Marshal(map[string]any{
		"provider": map[string]any{"mock": map[string]any{
			"npm": "@ai-sdk/openai-compatible", "name": "mock", "options": map[string]any{"baseURL": url + "/v1", "apiKey": key},
			"models": map[string]any{"m": map[string]any{"name": "m", "tool_call": true, "limit": map[string]any{"context": 200_000, "output": 8_000}}},
		}},
		"model": "mock/m", "small_model": "mock/m", "share": "disabled", "autoupdate": false,
	})
	if err != nil {
		return err
	}
	for k, v := range map[string]string{
		"OPENCODE_CONFIG_CONTENT": string(opencode), "KILO_CONFIG_CONTENT": string(opencode), "KILO_TELEMETRY_LEVEL": "off", "KILO_DISABLE_SESSION_INGEST": "1",
		"COPILOT_PROVIDER_BASE_URL": url + "/v1", "COPILOT_PROVIDER_TYPE": "openai",
		"COPILOT_PROVIDER_API_KEY": key, "COPILOT_MODEL": "gpt-5", "COPILOT_OFFLINE": "true",
	} {
		env.Setenv(k, v)
	}
	return pointPi(filepath.Join(env.Getenv("HOME"), ".pi", "agent"), url, key)
}

func pointPi(dir, url, key string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for name, v := range map[string]any{
		"models.json": map[string]any{"providers": map[string]any{"mock": map[string]any{
			"baseUrl": url + "/v1", "api": "openai-completions", "apiKey": key,
			"models": []any{map[string]any{"id": "m", "contextWindow": 200_000, "maxTokens": 8_000, "input": []string{"text"}}},
		}}},
		"settings.json": map[string]any{
			"defaultProvider": "mock", "defaultModel": "m", "retry": map[string]any{"enabled": false, "provider": map[string]any{"maxRetries": 0}},
			"compaction": map[string]any{"keepRecentTokens": 50}, // else it has nothing to shorten in so short a session
		},
	} {
		b, err := json.Marshal(v)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			return err
		}
	}
	return nil
}
