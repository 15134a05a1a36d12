package hooks

import (
	"strings"

	"kedge"
)

// Whole tells whether the file of an agent's hooks is Kedge's alone: without them
// there is none.
func (a Agent) Whole() bool { return a.File != nil }

// lookWhole is Look for such a file. One of the same name that is not Kedge's is an
// error: it stays.
func (a Agent) lookWhole(text string, w Wish) (State, error) {
	switch {
	case strings.TrimSpace(text) == "":
		return Absent, nil
	case text == a.File(w):
		return Present, nil
	case strings.Contains(text, " hook "+a.Name) || strings.Contains(text, `"hook", "`+a.Name+`"`):
		return Differs, nil
	default:
		return "", kedge.Errorf(kedge.Invalid, "Kedge did not write this file")
	}
}
