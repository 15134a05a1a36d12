package config

import (
	"reflect"
	"strings"
	"testing"

	"kedge"
)

var limitedKinds = Kinds{Names: []string{"claude", "aider", "command"}, Offered: []string{"aider", "claude"}, Limits: map[string][]string{"claude": {"only", "servers"}}}

func merged(t *testing.T, text string) (Config, error) {
	t.Helper()
	c, err := ParseConfig("config.toml", []byte("version = 1\n"+text), limitedKinds)
	if err != nil {
		return c, err
	}
	return Merge(Config{}, c, limitedKinds)
}

func TestRow111ToolsByAgentAndPurpose(t *testing.T) {
	c, err := merged(t, `
[[tools]]
agent = "claude"
purpose = "plan"
only = ["Read"]
servers = []
[[tools]]
agent = "claude"
servers = ["kedge"]
`)
	if err != nil {
		t.Fatal(err)
	}
	if row, ok := c.ToolsFor("claude", "plan"); !ok || !reflect.DeepEqual(row.Only, []string{"Read"}) || row.Servers == nil || len(row.Servers) != 0 {
		t.Errorf("plan: %+v", row)
	}
	for _, purpose := range []string{"implement", "repair", "fix"} {
		if row, ok := c.ToolsFor("claude", purpose); !ok || row.Only != nil || !reflect.DeepEqual(row.Servers, []string{"kedge"}) {
			t.Errorf("%s: %+v", purpose, row)
		}
	}
	if row, ok := c.ToolsFor("aider", "plan"); ok {
		t.Errorf("another agent: %+v", row)
	}
}

func TestRow111LimitsThatCannotBeToldAreRefused(t *testing.T) {
	for _, c := range []struct{ name, text, want, hint string }{
		{"no agent", "[[tools]]\nonly = [\"Read\"]\n", "does not say which agent it is for", "NAME"},
		{"no such agent", "[[tools]]\nagent = \"nobody\"\nonly = [\"Read\"]\n", "names agent \"nobody\", which does not exist", "aider, claude"},
		{"no limit", "[[tools]]\nagent = \"claude\"\n", "limits nothing", "only ="},
		{"purpose", "[[tools]]\nagent = \"claude\"\npurpose = \"review\"\nonly = []\n", "must be one of plan, implement, repair, fix, not", ""},
		{"an option", "[[tools]]\nagent = \"claude\"\nonly = [\"--yolo\"]\n", "does not name a tool", ""},
		{"two in one", "[[tools]]\nagent = \"claude\"\nonly = [\"Read,Bash\"]\n", "does not name a tool", ""},
		{"cannot", "[[tools]]\nagent = \"aider\"\nonly = [\"Read\"]\n", `agents of kind "aider" do not support "only"`, "remove the entry"},
		{"cannot that", "[[tools]]\nagent = \"claude\"\nwithout = [\"Read\"]\n", `"without" in an entry of "tools"`, "remove the key; this agent supports: only, servers"},
	} {
		_, err := merged(t, c.text)
		if kedge.KindOf(err) != kedge.Invalid || !strings.Contains(err.Error(), c.want) || !strings.Contains(kedge.HintOf(err), c.hint) {
			t.Errorf("%s: %v, hint %q", c.name, err, kedge.HintOf(err))
		}
	}
}
