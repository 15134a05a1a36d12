package scaffold

import (
	"strings"

	"kedge"
	"kedge/internal/text/plain"
)

// Left is what init proposes and does not switch on: a comment for each, with the reason.
type Left struct {
	Checks   []LeftCheck
	Services []kedge.Service // that only these checks ask
	Setup    string          // of fresh worktrees; empty: none
	Why      string          // of the set-up
}

// LeftCheck is a check and why it is left out.
type LeftCheck struct {
	kedge.Check
	Why string
}

// tables writes what is left out as gate.toml would have it, in comments.
func (l Left) tables() string {
	var b strings.Builder
	for _, c := range l.Checks {
		b.WriteString("\n# kedge init left this check out: " + plain.Line(c.Why) + "\n")
		b.WriteString(comment(Tables([]kedge.Check{c.Check}, nil)))
	}
	if len(l.Services) > 0 {
		b.WriteString("\n# The service that these checks ask.\n" + comment(Tables(nil, l.Services)))
	}
	return b.String()
}

// comment makes lines of a file comments.
func comment(text string) string {
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	return "# " + strings.Join(lines, "\n# ") + "\n"
}

// setupExample is how the template shows a set-up.
const setupExample = "# [worktree]\n# setup = \"npm ci\"                  #"

// worktree puts the set-up into config.toml, or why there is none.
func (in Input) worktree(text string) string {
	switch {
	case in.Setup != "":
		return strings.Replace(text, setupExample, "[worktree]\nsetup = "+quote(in.Setup)+" #", 1)
	case in.Left.Setup != "":
		said := "# kedge init left this set-up out: " + plain.Line(in.Left.Why) + "\n"
		return strings.Replace(text, setupExample, said+"# [worktree]\n# setup = "+quote(in.Left.Setup)+" #", 1)
	}
	return text
}
