package config_test

import (
	"strings"
	"testing"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/core/config"
)

func TestSessions(t *testing.T) {
	if got := config.Default(catalog.Kinds()).Sessions; got != (config.Sessions{KeepDays: 30, KeepBytes: 10 << 30}) {
		t.Errorf("default %+v", got)
	}
	user, err := config.ParseConfig("user.toml", []byte("version = 1\n[sessions]\nkeep_days = 0\nkeep_bytes = 5\n"), catalog.Kinds())
	if err != nil {
		t.Fatal(err)
	}
	project, err := config.ParseConfig("project.toml", []byte("version = 1\n"), catalog.Kinds())
	if err != nil {
		t.Fatal(err)
	}
	if c, err := config.Merge(user, project, catalog.Kinds()); err != nil || c.Sessions != (config.Sessions{KeepBytes: 5}) {
		t.Errorf("%+v, %v", c.Sessions, err)
	}
}

// TestSessionsAreNotForTheProject: a repository, or an agent in it, must not be
// able to have the record of a session thrown away.
func TestSessionsAreNotForTheProject(t *testing.T) {
	project, err := config.ParseConfig("project.toml", []byte("version = 1\n\n[sessions]\nkeep_days = 1\n"), catalog.Kinds())
	if err != nil {
		t.Fatal(err)
	}
	_, err = config.Merge(config.Config{}, project, catalog.Kinds())
	if !kedge.Invalid.Is(err) || !strings.HasPrefix(err.Error(), "project.toml:3: ") || kedge.HintOf(err) == "" {
		t.Errorf("%v", err)
	}
}

func TestSessionsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"keep_days = -1":        "config.toml:3: \"sessions.keep_days\" must be from 0 to",
		"keep_days = 36501":     "config.toml:3: \"sessions.keep_days\" must be from 0 to",
		"keep_bytes = -1":       "config.toml:3: \"sessions.keep_bytes\" must be 0 or more",
		"keep_days = \"month\"": "config.toml:3: ",
		"keep = 3":              "config.toml:3: unknown key",
	} {
		_, err := config.ParseConfig("config.toml", []byte("version = 1\n[sessions]\n"+text+"\n"), catalog.Kinds())
		if !kedge.Invalid.Is(err) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
