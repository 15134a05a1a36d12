package resume

import (
	"strings"

	"kedge/internal/insight/audit"
	"kedge/internal/text/lazyre"
	"kedge/internal/text/redact"
)

// whereabouts is where the work is and what the session may do there, as the record last said.
type whereabouts struct{ mode, branch, pull string }

// planning is what a brief says of a session that only planned.
const planning = "The session was in plan mode: do not edit; finish the plan first.\n"

// maxPlace bounds each of them, in bytes.
const maxPlace = 300

// told takes what a line says of it.
func (w *whereabouts) told(e *audit.Entry) {
	for _, x := range []struct {
		of *string
		to string
	}{{&w.mode, e.Mode}, {&w.branch, e.Branch}, {&w.pull, e.Pull}} {
		if x.to != "" {
			*x.of = strings.Clone(cut(redact.Text(x.to), maxPlace))
		}
	}
}

// pulls is the address of a pull request, or of a merge request.
var pulls = lazyre.New(`https://[\w.-]+/[\w./-]+/(?:pull|merge_requests)/\d+\b`)

// writesToPull is a command that makes a pull request or writes to one, and not one that
// only reads of some.
var writesToPull = lazyre.New(`\b(?:gh pr|glab mr) (?:create|new|edit|update|comment|note|ready|merge)\b|\bgh api \S*/pulls/\d+/\S*(?:replies|reviews)\b`)

// answered takes a call that ended: by one a model begins or ends to plan, and one that
// makes a pull request, or writes to it, prints where that is.
func (w *whereabouts) answered(c *call, e *audit.Entry, ofWork bool) {
	if e.Failed || strings.HasPrefix(e.Text, refusal) {
		return
	}
	switch tool := strings.ToLower(strings.ReplaceAll(c.tool, "_", "")); {
	case tool == "enterplanmode", tool == "planenter":
		w.mode = audit.PlanMode
	case tool == "exitplanmode", tool == "planexit":
		w.mode = ""
	case c.act == audit.Edit && ofWork && !strings.HasSuffix(c.path, ".md"): // it no longer only plans
		w.mode = ""
	case c.act == audit.Shell && writesToPull.MatchString(c.command):
		if list := pulls.FindAllStringSubmatch(e.Text[:min(len(e.Text), maxOutput)], -1); len(list) > 0 {
			w.pull = strings.Clone(cut(list[len(list)-1][0], maxPlace))
		}
	}
}

// line is the place in one line; empty is unknown.
func (w *whereabouts) line(dir string) string {
	var list []string
	switch w.branch {
	case "":
	case "HEAD":
		list = append(list, "no branch (detached HEAD)")
	default:
		list = append(list, "branch "+w.branch)
	}
	if w.branch+w.pull != "" && dir != "" {
		list = append(list, "folder "+dir)
	}
	if w.pull != "" {
		list = append(list, "pull request "+w.pull)
	}
	return strings.Join(list, ", ")
}
