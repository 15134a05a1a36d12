package brief

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"time"

	"kedge"
	"kedge/internal/core/memory"
	"kedge/internal/text/glob"
)

// Learned is what is known of a finished piece of work.
type Learned struct {
	Feature   *kedge.Feature // nil: a fix of the baseline
	At        time.Time
	Commits   []string
	Files     []string // that it changed, as git lists them
	Cause     string   // why it was needed, as its agent or its plan says; empty: as its definition does
	Decisions []kedge.Decision
	Verdicts  []kedge.Evidence // on the feature, oldest first
}

// NoteOf makes the note on it, without an id.
func NoteOf(l Learned) kedge.Note {
	n := kedge.Note{
		Date: l.At, Commits: append([]string{}, l.Commits...), Tags: []string{}, Files: append([]string{}, l.Files...),
		Title: "The baseline is green again", RootCause: cmp.Or(memory.Clean(l.Cause), "The project's own checks were red before any new work."),
		Constraints: binding(l.Decisions, l.Files),
	}
	f := l.Feature
	if f == nil {
		return n
	}
	n.Feature, n.Title = f.ID, cmp.Or(memory.OneLine(f.Name), string(f.ID))
	n.RootCause = cmp.Or(memory.Clean(l.Cause), memory.Clean(f.Description), n.Title)
	n.Validation, n.DeadEnds = validation(l.Verdicts, *f), deadEnds(l.Verdicts, *f)
	return n
}

// binding lists the locked decisions that apply to one of the files.
func binding(decisions []kedge.Decision, files []string) string {
	var out []string
	for _, d := range decisions {
		applies := slices.ContainsFunc(d.AppliesTo, func(pattern string) bool {
			return slices.ContainsFunc(files, func(f string) bool { return glob.Match(pattern, f) || glob.Match(pattern, path.Base(f)) })
		})
		if d.Status == kedge.DecisionLocked && applies {
			out = append(out, "- "+string(d.ID)+" "+memory.OneLine(d.Title))
		}
	}
	return strings.Join(out, "\n")
}

// validation is what the newest green verdict on the feature ran.
func validation(verdicts []kedge.Evidence, f kedge.Feature) string {
	for _, e := range slices.Backward(verdicts) {
		if e.Feature != f.ID || !e.Verdict.Green() {
			continue
		}
		out := []string{string(e.Verdict.Verdict) + ", evidence " + string(e.ID)}
		for _, r := range e.Verdict.Checks {
			if r.Skipped == "" && r.Command != "" {
				out = append(out, "- `"+memory.OneLine(strings.ReplaceAll(r.Command, "`", "'"))+"`")
			}
		}
		return strings.Join(out, "\n")
	}
	return ""
}

// maxDeadEnds bounds how many failures a note tells.
const maxDeadEnds = 5

// deadEnds are the failures on the way, each once.
func deadEnds(verdicts []kedge.Evidence, f kedge.Feature) string {
	var out []string
	for _, e := range verdicts {
		if e.Feature != f.ID || e.Verdict.Green() || !e.JudgesWork() {
			continue
		}
		text := "- " + memory.OneLine(FailureText(e.Verdict))
		if !slices.Contains(out, text) && len(out) < maxDeadEnds {
			out = append(out, text)
		}
	}
	return strings.Join(out, "\n")
}
