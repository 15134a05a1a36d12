package hooks

import (
	_ "embed" // the plugin
	"strings"

	"kedge"
)

// Whole tells whether the file of an agent's hooks is Kedge's alone: without them
// there is none.
func (a Agent) Whole() bool { return a.whole != nil }

// lookWhole is Look for such a file. One of the same name that is not Kedge's is an
// error: it stays.
func (a Agent) lookWhole(text string, w Wish) (State, error) {
	switch {
	case strings.TrimSpace(text) == "":
		return Absent, nil
	case text == a.whole(w):
		return Present, nil
	case strings.Contains(text, " hook "+a.Name) || strings.Contains(text, `"hook", "`+a.Name+`"`):
		return Differs, nil
	default:
		return "", kedge.Errorf(kedge.Invalid, "it is not Kedge's")
	}
}

//go:embed opencode.js
var opencodePlugin string

// opencode has no hooks that run commands, but plugins: a file of JavaScript that it
// loads, which calls Kedge.
func opencode() Agent {
	return Agent{
		Name: "opencode", Replaces: true, Focuses: true,
		whole: func(w Wish) string {
			words := []string{w.Program, "hook", "opencode"}
			if w.Home != "" {
				words = append(words, HomeFlag+w.Home)
			}
			return strings.Replace(opencodePlugin, "COMMAND", list(words), 1)
		},
	}
}

// list is a list of texts in JavaScript, as in JSON.
func list(words []string) string {
	all := make([]string, 0, len(words))
	for _, w := range words {
		all = append(all, quoted(w))
	}
	return "[" + strings.Join(all, ", ") + "]"
}
