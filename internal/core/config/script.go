package config

import (
	"path"
	"slices"
	"strings"
)

// interpreters are programs whose first argument is the script that they run.
var interpreters = []string{"sh", "bash", "dash", "zsh", "ksh", "python", "python3", "node", "ruby", "perl"}

// ScriptOf is the file of the repository that an agent's command runs, either itself or
// with an interpreter; empty: none that is known. Where worktrees are set up, or get files
// copied, an interpreter's script may come from there: then it is not known either.
func (c Config) ScriptOf(a Agent) string {
	if len(a.Command) == 0 {
		return ""
	}
	script := a.Command[0]
	if !strings.Contains(script, "/") || path.IsAbs(script) {
		made := c.Worktree.Setup != "" || len(c.Worktree.Copy) > 0
		if made || len(a.Command) < 2 || !slices.Contains(interpreters, path.Base(script)) || strings.HasPrefix(a.Command[1], "-") {
			return ""
		}
		script = a.Command[1]
	}
	script = path.Clean(script)
	if path.IsAbs(script) || script == ".." || strings.HasPrefix(script, "../") {
		return ""
	}
	return script
}
