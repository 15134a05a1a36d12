package scaffold_test

import (
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/config"
	"kedge/internal/core/scaffold"
)

func TestRow121ChecksAreAddedOnce(t *testing.T) {
	first := scaffold.Gate([]kedge.Check{{Name: "test", Kind: kedge.CheckTest, Run: "mine"}}, nil, scaffold.Left{})
	more := []kedge.Check{{Name: "test", Kind: kedge.CheckTest, Run: "theirs"}, {Name: "build", Kind: kedge.CheckBuild, Run: `make "all"`}}
	text, added, err := scaffold.WithChecks("gate.toml", []byte(first), more)
	if err != nil || strings.Join(added, " ") != "build" || !strings.HasPrefix(string(text), strings.TrimRight(first, "\n")) {
		t.Fatalf("%v, %v\n%s", added, err, text)
	}
	g, err := config.ParseGate("gate.toml", text)
	if err != nil || len(g.Checks) != 2 || g.Checks[0].Run != "mine" || g.Checks[1].Run != `make "all"` {
		t.Errorf("%+v, %v", g.Checks, err)
	}
	again, added, err := scaffold.WithChecks("gate.toml", text, more)
	if err != nil || len(added) > 0 || string(again) != string(text) {
		t.Errorf("a second time: %v, %v", added, err)
	}
	if _, _, err := scaffold.WithChecks("gate.toml", []byte("version = 7\n"), more); err == nil {
		t.Error("a file that cannot be read is changed")
	}
}

func TestRow121SetUpIsAddedWhereThereIsNone(t *testing.T) {
	kinds := config.Kinds{Names: []string{"command"}}
	for _, c := range []struct {
		name, text string
		changed    bool
	}{
		{"no table", "version = 1\n", true},
		{"a table", "version = 1\n[worktree] # fresh ones\ncopy = [\".env\"]\n[run]\nland = \"each\"\n", true},
		{"one of yours", "version = 1\n[worktree]\nsetup = \"mine\"\n", false},
		{"an example", "version = 1\n# [worktree]\n# setup = \"npm ci\"\n", true},
	} {
		text, changed, err := scaffold.WithSetup("config.toml", []byte(c.text), `make "deps"`, kinds)
		if err != nil || changed != c.changed {
			t.Errorf("%s: %v, %v", c.name, changed, err)
			continue
		}
		got, err := config.ParseConfig("config.toml", text, kinds)
		if err != nil || c.changed && got.Worktree.Setup != `make "deps"` || !c.changed && string(text) != c.text {
			t.Errorf("%s: %q, %v\n%s", c.name, got.Worktree.Setup, err, text)
		}
	}
}
