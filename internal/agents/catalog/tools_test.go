package catalog_test

import (
	"strings"
	"testing"

	"kedge/internal/agents"
	"kedge/internal/agents/claude"
	"kedge/internal/agents/codex"
)

// Programs that can be are told of the server of Kedge's tools: by name, command
// and the names of the variables it needs, never by a value.
func TestTools(t *testing.T) {
	task := agents.Task{Session: "ses-00000000000000000000000001", Tools: []string{`/opt/a "b"/kedge`, "mcp"}}
	for _, c := range []struct {
		adapter agents.Adapter
		want    []string
	}{
		{claude.New(nil), []string{"--mcp-config", `{"mcpServers":{"kedge":{"args":["mcp"],"command":"/opt/a \"b\"/kedge","type":"stdio"}}}`}},
		{codex.New(nil), []string{
			"-c", `mcp_servers.kedge.command="/opt/a \"b\"/kedge"`, "-c", `mcp_servers.kedge.args=["mcp"]`,
			"-c", `mcp_servers.kedge.env_vars=["KEDGE_HOME","KEDGE_SESSION","KEDGE_TOKEN"]`, "-c", "mcp_servers.kedge.tool_timeout_sec=7200",
		}},
	} {
		for _, attended := range []bool{false, true} {
			task := task
			task.Attended, task.Brief = attended, "/b"
			s, err := c.adapter.Start(task)
			if err != nil {
				t.Fatal(err)
			}
			words := strings.Join(s.Command, "\x00")
			if at := strings.Index(words, strings.Join(c.want, "\x00")+"\x00"); at < 0 && (attended || !strings.HasSuffix(words, strings.Join(c.want, "\x00"))) {
				t.Errorf("%s: %q", c.adapter.Kind(), s.Command)
			}
			task.Tools = nil
			if s, err = c.adapter.Start(task); err != nil || strings.Contains(strings.Join(s.Command, " "), "mcp") {
				t.Errorf("%s without: %q (%v)", c.adapter.Kind(), s.Command, err)
			}
		}
	}
}
