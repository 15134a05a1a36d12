package brief

import (
	"slices"
	"strconv"
	"strings"

	"kedge"
	"kedge/internal/text/words"
)

// Conflict is work at a feature that could not be merged with what was done meanwhile.
type Conflict struct {
	From    string // the commit that the work began with
	Work    string // the work, as a tree
	Carried bool   // it is in this worktree; else it was set aside
	Files   []ConflictFile
	Why     string          // a command did not make the files that it is there for
	Salvage kedge.SalvageID // with the work that was set aside; empty: unknown
}

// ConflictFile is a file that both sides changed.
type ConflictFile struct {
	Path   string // as it can be pasted into a shell
	Marked bool   // both sides stand in it between markers
	Make   string // the command that makes it: it is as on the base; empty: none does
	By     []Done // the commits that changed it meanwhile, the newest first
}

// How much of a conflict is shown.
const (
	maxConflicts = 10 // files
	maxChangers  = 3  // commits for each
)

// repairWhy says what a repair is for.
func repairWhy(in RunInput) string {
	if in.Conflict != nil && in.Conflict.Carried && clean(in.Failure) == "" {
		return "its work conflicts with other work that was completed in the meantime"
	}
	return "its checks are red with the work that is in this worktree"
}

// conflictText tells which files conflict, with whose work, and how to look at both sides.
func conflictText(in RunInput) string {
	c := in.Conflict
	if c == nil || len(c.Files) == 0 {
		return ""
	}
	var b strings.Builder
	since := "what was done after commit " + words.Hash(c.From) + ", with which it began"
	if c.Carried {
		b.WriteString("The work at this feature conflicts with " + since + ". It is in this worktree, merged onto the new base. Both sides changed:\n")
	} else {
		b.WriteString("The work of the attempt before conflicted with " + since + ". It was set aside and is not in this worktree. Both sides changed:\n")
	}
	var paths []string
	for i, f := range c.Files {
		if i == maxConflicts {
			b.WriteString("(" + words.Count(len(c.Files)-i, "more file") + ")\n")
			break
		}
		paths = append(paths, line(f.Path))
		b.WriteString("> " + words.ClipBytes(line(c.fileText(f)), maxProse) + "\n")
	}
	if c.Why != "" {
		b.WriteString("Kedge could not make the files again: " + line(c.Why) + "\n")
	}
	b.WriteString(c.howTo())
	names := " -- " + strings.Join(paths, " ")
	b.WriteString("To see what this work changed there, and what was changed meanwhile:\n" +
		"> git diff " + words.Hash(c.From) + " " + words.Hash(c.Work) + names + "\n" +
		"> git diff " + words.Hash(c.From) + " " + words.Hash(in.Base) + names + "\n")
	if !c.Carried {
		b.WriteString("All of the work that was set aside:\n> git diff " + words.Hash(c.From) + " " + words.Hash(c.Work) + " -- ." + withoutOwn() + "\n")
	}
	if c.Salvage != "" {
		b.WriteString("A copy of it is kept as " + line(string(c.Salvage)) + ".\n")
	}
	return b.String()
}

// withoutOwn leaves Kedge's own files out of a diff: no work contains them.
func withoutOwn() string {
	out := ""
	for _, p := range kedge.OwnPaths() {
		out += " ':!" + p + "'"
	}
	return out
}

// fileText is one file: what is in it now, and who changed it.
func (c Conflict) fileText(f ConflictFile) string {
	text := f.Path
	switch {
	case c.Carried && f.Marked:
		text += " (has conflict markers)"
	case c.Carried && f.Make != "":
		text += " (as it is on the new base; make it again: " + f.Make + ")"
	case f.Make != "":
		text += " (do not merge it by hand; make it: " + f.Make + ")"
	}
	var by []string
	for i, d := range f.By {
		if i == maxChangers {
			by = append(by, "and "+strconv.Itoa(len(f.By)-i)+" more")
			break
		}
		by = append(by, words.Hash(d.Commit)+" ("+d.Subject+")")
	}
	if len(by) > 0 {
		text += ": changed by " + strings.Join(by, ", ")
	}
	return text
}

// howTo says what is expected of the session.
func (c Conflict) howTo() string {
	if !c.Carried {
		return "Do the task on the files as they are now. Take from that work what fits; do not undo what was done meanwhile.\n"
	}
	const both = "See to it that both sides keep what they are for.\n"
	if !slices.ContainsFunc(c.Files, func(f ConflictFile) bool { return f.Marked }) {
		return "No conflict markers are in them. " + both
	}
	return "Between <<<<<<< and ======= is what the branch has, between ======= and >>>>>>> the work at this feature. " +
		"Where one side deleted or moved a file there are no markers. Remove every marker. " + both
}
