package opencode

import (
	_ "embed" // the plugin
	"path"
	"strings"

	"kedge/internal/agents/hooks"
)

//go:embed plugin.js
var plugin string

// hooked is how its hooks are used. It has none that run commands, but plugins: a file
// of JavaScript that it loads, which calls Kedge.
func hooked() hooks.Agent {
	return hooks.Agent{
		Name: name, Replaces: true, Focuses: true, PlanFolders: []string{"/.opencode/plans/", "/opencode/plans/"}, File: pluginText,
		Settings: hooks.Settings{Variable: "XDG_CONFIG_HOME", Folder: ".config", File: "opencode/plugins/kedge.js"},
		Keeps:    func(dir, _, _ string) bool { return path.Base(dir) == "tool-output" },
	}
}

// pluginText is the plugin with the command that it calls, as a list in JavaScript.
func pluginText(w hooks.Wish) string {
	words := []string{w.Program, "hook", name}
	if w.Home != "" {
		words = append(words, hooks.HomeFlag+w.Home)
	}
	for i, word := range words {
		words[i] = hooks.Quoted(word)
	}
	return strings.Replace(plugin, "COMMAND", "["+strings.Join(words, ", ")+"]", 1)
}
