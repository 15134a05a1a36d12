package config_test

import (
	"strings"
	"testing"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/core/config"
)

// TestT6UsersSandboxStays: what a repository says takes nothing away from the
// sandbox that the user asked for; without one the project's counts.
func TestT6UsersSandboxStays(t *testing.T) {
	parse := func(text string) config.Config {
		t.Helper()
		c, err := config.ParseConfig("config.toml", []byte("version = 1\n"+text), catalog.Kinds())
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	mine := parse("[sandbox]\nkind = \"bwrap\"\nnetwork = false\nprocesses = 9\n")
	theirs := parse("[sandbox]\nkind = \"none\"\nnetwork = true\nwrite = [\"/\"]\n")
	c, err := config.Merge(mine, theirs, catalog.Kinds())
	if err != nil || c.Sandbox.Kind != "bwrap" || c.Sandbox.Network || c.Sandbox.Processes != 9 || len(c.Sandbox.Write) > 0 {
		t.Errorf("over the user's: %+v (%v)", c.Sandbox, err)
	}
	c, err = config.Merge(config.Config{}, parse("[sandbox]\nkind = \"bwrap\"\nmemory_mb = 512\n"), catalog.Kinds())
	if err != nil || c.Sandbox.Kind != "bwrap" || c.Sandbox.MemoryMB != 512 || !c.Sandbox.Network || c.Sandbox.Missing != "refuse" {
		t.Errorf("the project's alone: %+v (%v)", c.Sandbox, err)
	}
}

func TestSandboxRefused(t *testing.T) {
	for line, want := range map[string]string{
		`kind = "jail"`:        "sandbox.kind",
		`missing = "ignore"`:   "sandbox.missing",
		`write = ["cache"]`:    "sandbox.write",
		`write = ["~ada/x"]`:   "sandbox.write",
		`memory_mb = 5`:        "sandbox.memory_mb",
		`memory_mb = -1`:       "sandbox.memory_mb",
		`file_mb = -1`:         "sandbox.file_mb",
		`file_mb = 9999999999`: "sandbox.file_mb",
		`processes = -1`:       "sandbox.processes",
		`disk = 1`:             "disk",
	} {
		_, err := config.ParseConfig("config.toml", []byte("version = 1\n[sandbox]\n"+line+"\n"), catalog.Kinds())
		if !kedge.Invalid.Is(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", line, err)
		}
	}
}
