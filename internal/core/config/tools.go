package config

import (
	"slices"
	"strings"

	"kedge/internal/text/lazyre"
)

// ToolsRow limits the tools that sessions of an agent are offered, for one purpose or for
// all of them. Of the rows for a session the first counts. A nil list is no limit.
type ToolsRow struct {
	Agent   string   `toml:"agent"`
	Purpose string   `toml:"purpose"`
	Only    []string `toml:"only"`    // of the program's own tools
	Without []string `toml:"without"` // tools, mcp__SERVER__TOOL, or mcp__SERVER for all of a server
	Servers []string `toml:"servers"` // of the Model Context Protocol; Kedge's own is "kedge"
}

// ToolsFor gives the row for sessions of an agent; false when nothing is limited.
func (c Config) ToolsFor(agent, purpose string) (ToolsRow, bool) {
	for _, row := range c.Tools {
		if row.Agent == agent && (row.Purpose == "" || row.Purpose == purpose) {
			return row, true
		}
	}
	return ToolsRow{}, false
}

// keys are those of the limits that a row has.
func (r ToolsRow) keys() []string {
	var out []string
	for _, l := range []struct {
		key string
		has bool
	}{{"only", r.Only != nil}, {"without", len(r.Without) > 0}, {"servers", r.Servers != nil}} {
		if l.has {
			out = append(out, l.key)
		}
	}
	return out
}

// toolName is the name of a tool or a server: what programs take in a list, and never an
// option.
var toolName = lazyre.New(`^[A-Za-z0-9_][A-Za-z0-9_.:/*-]*(\([^,"\\]*\))?$`)

func (c Config) checkTools() error {
	for _, row := range c.Tools {
		switch {
		case row.Agent == "":
			return c.src.at("tools", "an entry of %q does not say which agent it is for", "tools").WithHint(`add an agent to the entry: agent = "NAME"`)
		case row.Purpose != "" && !oneOf(row.Purpose, purposes):
			return c.src.at("tools", "the purpose of an entry of %q must be one of %s, not %q", "tools", strings.Join(purposes, ", "), row.Purpose)
		case len(row.keys()) == 0:
			return c.src.at("tools", "an entry of %q limits nothing", "tools").WithHint(`add the tools that the agent may use, for example: only = ["Read", "Edit", "Bash"]`)
		}
		for _, name := range slices.Concat(row.Only, row.Without, row.Servers) {
			if !toolName.MatchString(name) {
				return c.src.at("tools", "%q does not name a tool or a server", name)
			}
		}
	}
	return nil
}

// checkLimits refuses limits that an agent cannot be told: one that has no effect would
// cost what it was meant to save.
func (c Config) checkLimits(user, project *source) error {
	for _, row := range c.Tools {
		src := user.orThisWith(project, "tools")
		a, err := c.Agent(row.Agent)
		if err != nil {
			return src.at("tools", "an entry of %q names agent %q, which does not exist", "tools", row.Agent).WithHint("use one of %s", strings.Join(c.AgentNames(), ", "))
		}
		can := c.kinds.Limits[a.Kind]
		for _, key := range row.keys() {
			if oneOf(key, can) {
				continue
			}
			hint := "remove the entry: Kedge cannot limit the tools of this agent"
			if len(can) > 0 {
				hint = "remove the key; this agent supports: " + strings.Join(can, ", ")
			}
			return src.at("tools", "agents of kind %[3]q do not support %[1]q in an entry of %[2]q", key, "tools", a.Kind).WithHint("%s", hint)
		}
	}
	return nil
}
