package engine

import (
	"cmp"
	"fmt"
	"strings"

	"kedge"
	"kedge/internal/core/brief"
	"kedge/internal/core/run"
	"kedge/internal/git/slot"
	"kedge/internal/text/words"
)

// Subject is the first line of a commit message.
func Subject(text string) string {
	const most = 72
	return words.Clip(strings.Join(strings.Fields(text), " "), most)
}

// WorkMessage is that of a work commit: f is the feature, nil for the fix of a baseline, and said
// the last that its agent said.
func WorkMessage(c run.Command, j slot.Job, f *kedge.Feature, said, tree string, paths func() ([]string, error)) (string, error) {
	title := "fix the baseline"
	var trailers []string
	if f != nil {
		title = cmp.Or(Subject(f.Name), string(c.Feature))
		trailers = append(trailers, "Kedge-Feature: "+string(c.Feature))
	}
	for _, t := range []struct{ name, value string }{
		{"Kedge-Session", string(j.Session)},
		{"Kedge-Checkpoint", string(j.Checkpoint)},
		{"Kedge-Validated", validated(c, tree)},
		{"Kedge-Run", string(c.Run)},
	} {
		if t.value != "" {
			trailers = append(trailers, t.name+": "+t.value)
		}
	}
	text, err := brief.CommitText(title, said, f, paths)
	return fmt.Sprintf("%s\n\n%s", text, strings.Join(trailers, "\n")), err
}

// validated is the tree that was checked; empty where there was no check.
func validated(c run.Command, tree string) string {
	if c.Evidence == "" {
		return ""
	}
	return tree
}

// UndoMessage is that of a commit which takes the work on a feature back.
func UndoMessage(c run.Command, f kedge.Feature, tree string) string {
	trailers := "Kedge-Reverts: " + c.Commit
	if v := validated(c, tree); v != "" {
		trailers += "\nKedge-Validated: " + v
	}
	name := Subject("Take back " + cmp.Or(f.Name, string(c.Feature)))
	return fmt.Sprintf("%s\n\n%s\n\n%s\nKedge-Run: %s", name, strings.Join(strings.Fields(c.Reason), " "), trailers, c.Run)
}

// BlockedText is why a feature is blocked: the reason, the cause that its agent stated for the
// failure that it was told, its last words, and where its work is.
func BlockedText(c run.Command, j slot.Job, cause, last string) string {
	var b strings.Builder
	b.WriteString("Blocked: " + strings.TrimSpace(c.Reason))
	if f := strings.TrimSpace(c.Failure); f != "" && f != strings.TrimSpace(c.Reason) {
		b.WriteString("\nThe first failure, which the repair session received: " + f)
	}
	if cause != "" {
		b.WriteString("\nThe cause that its agent named: " + cause)
	}
	if last != "" {
		b.WriteString("\nThe last message of its agent: " + last)
	}
	b.WriteString("\n" + j.Left() + " If the check is wrong: kedge feature amend " + string(c.Feature) +
		" --check COMMAND --reason WHY. To try again: kedge feature reopen " + string(c.Feature) + ".")
	return b.String()
}

// RedBefore names the checks that are red before the work: those that it must make green,
// then those that are not due with it.
func RedBefore(checks []kedge.Check, due, red map[string]string) string {
	var now, later []string
	for _, c := range checks {
		switch what := red[c.Name]; {
		case what == "":
		case due[c.Name] == "":
			now = append(now, what)
		default:
			later = append(later, what)
		}
	}
	var out []string
	if len(now) > 0 {
		out = append(out, "red before the work, by the plan: "+strings.Join(now, ", "))
	}
	if len(later) > 0 {
		out = append(out, "red before the work, must be green when the plan's last feature is done: "+strings.Join(later, ", "))
	}
	return strings.Join(out, "; ")
}

// LedgerMessage says what the ledger says from now on.
func LedgerMessage(c run.Command) string {
	what := "the baseline is green again"
	if c.Status != kedge.Completed {
		what = "the baseline is red"
	}
	if c.Feature != "" {
		what = string(c.Feature) + " is " + string(c.Status)
	}
	if c.Purpose == run.TakeOn {
		what += "\n\n" + strings.Join(strings.Fields(c.Reason), " ")
	}
	return "kedge: " + what + "\n\nKedge-Ledger: " + cmp.Or(c.Commit, "none") + "\nKedge-Run: " + string(c.Run)
}
