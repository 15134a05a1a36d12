package memory

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"kedge"
	"kedge/internal/text/strict"
)

// The sections of a note, in their order.
const (
	rootCause   = "Root cause"
	filesPart   = "Files changed"
	constraints = "Constraints preserved"
	validation  = "Validation"
	deadEnds    = "Dead ends"
)

var noteForm = form{
	keys:     []string{"version", "id", "feature", "commits", "tags"},
	lists:    []string{"commits", "tags"},
	sections: []string{rootCause, filesPart, constraints, validation, deadEnds},
}

// NoteFiles names the file of every note in .kedge/notes: its day and its title.
// Notes that would share a name are told apart by the end of their id; the
// oldest keeps the plain name, so a new note never renames an old one.
func NoteFiles(notes []kedge.Note) map[kedge.NoteID]string {
	byID := slices.Clone(notes)
	slices.SortStableFunc(byID, func(a, b kedge.Note) int { return strings.Compare(string(a.ID), string(b.ID)) })
	names, taken := map[kedge.NoteID]string{}, map[string]bool{}
	for _, n := range byID {
		base := n.Date.UTC().Format("2006-01-02") + "-" + Slug(n.Title)
		for _, suffix := range []string{"", "-" + tail(string(n.ID), 6), "-" + string(n.ID)} {
			if !taken[base+suffix] {
				base += suffix
				break
			}
		}
		names[n.ID], taken[base] = base+".md", true
	}
	return names
}

func tail(s string, n int) string { return s[max(0, len(s)-n):] }

// CheckNote says what keeps n from being kept; LintNote says whether it is worth
// keeping.
func CheckNote(n kedge.Note) error { return firstProblem(noteProblems(n)).err }

func noteProblems(n kedge.Note) []problem {
	return []problem{
		{"id", checkNoteID(n.ID)},
		{"feature", checkFeatureID(n.Feature)},
		{"commits", checkCommits(n.Commits)},
		{"tags", checkTags(n.Tags)},
		{"title", checkTitle("the title", n.Title)},
		{"title", checkDate(n.Date)},
		{rootCause, checkText("the root cause", n.RootCause)},
		{filesPart, checkFiles(n.Files)},
		{constraints, checkText("constraints", n.Constraints)},
		{validation, checkText("validation", n.Validation)},
		{deadEnds, checkText("dead ends", n.DeadEnds)},
	}
}

func checkNoteID(id kedge.NoteID) error {
	if !kedge.ValidID("not", string(id)) {
		return kedge.Errorf(kedge.Invalid, "%q is not the id of a note", id).WithHint("see the ids: kedge notes")
	}
	return nil
}

func checkFeatureID(id kedge.FeatureID) error {
	if id != "" && !kedge.ValidName(string(id)) {
		return kedge.Errorf(kedge.Invalid, "%q is not the id of a feature", id).WithHint("see the ids: kedge features")
	}
	return nil
}

func checkCommits(commits []string) error {
	for _, c := range commits {
		if len(c) < 7 || len(c) > 64 || strings.Trim(c, "0123456789abcdef") != "" {
			return kedge.Errorf(kedge.Invalid, "%q is not the hash of a commit", c).WithHint("see the hashes: git log --oneline")
		}
	}
	return tooMany("commits", len(commits))
}

func checkTags(tags []string) error {
	for _, t := range tags {
		if err := checkTitle("a tag", t); err != nil {
			return err
		}
	}
	return tooMany("tags", len(tags))
}

func checkFiles(files []string) error {
	for _, f := range files {
		if !ValidPath(f) {
			return kedge.Errorf(kedge.Invalid, "%q is not a path inside the project", f).
				WithHint("write the path as seen from the project's folder, with slashes")
		}
	}
	return nil // as many as git's list has
}

func tooMany(what string, n int) error {
	if n > maxItems {
		return kedge.Errorf(kedge.Invalid, "a note can have at most %d %s", maxItems, what).WithHint("leave some out, or put them into a second note: kedge remember TEXT")
	}
	return nil
}

// WriteNote gives the file of a note. It expects what CheckNote accepts.
func WriteNote(n kedge.Note) []byte {
	files := make([]string, len(n.Files))
	for i, f := range n.Files {
		files[i] = "- " + quotePath(f)
	}
	return writeDocument([]strict.Field{
		strict.Text("version", version),
		strict.Text("id", string(n.ID)),
		strict.Text("feature", string(n.Feature)),
		strict.List("commits", n.Commits),
		strict.List("tags", n.Tags),
	}, n.Title, "Date: "+formatTime(n.Date), []section{
		{name: rootCause, text: n.RootCause},
		{name: filesPart, text: strings.Join(files, "\n")},
		{name: constraints, text: n.Constraints},
		{name: validation, text: n.Validation},
		{name: deadEnds, text: n.DeadEnds},
	})
}

// quotePath writes a path so that it stands on one line and reads back as
// itself: git tracks files with names that are neither.
func quotePath(p string) string {
	if p == OneLine(p) && !strings.HasPrefix(p, `"`) {
		return p
	}
	return strconv.QuoteToASCII(p)
}

func unquotePath(s string) (string, bool) {
	if !strings.HasPrefix(s, `"`) {
		return s, true
	}
	p, err := strconv.Unquote(s)
	return p, err == nil
}

// ParseNote reads the file of a note.
func ParseNote(file string, b []byte) (kedge.Note, error) {
	doc, err := parseNoteDocument(file, b)
	if err != nil {
		return kedge.Note{}, err
	}
	n, err := noteOf(&doc)
	if err != nil {
		return kedge.Note{}, err
	}
	return n, doc.place(firstProblem(noteProblems(n)))
}

func parseNoteDocument(file string, b []byte) (document, error) {
	doc, err := parseDocument(file, b, noteForm)
	if err != nil {
		return doc, err
	}
	if noteDate(&doc).IsZero() {
		return doc, invalid(file, doc.line+1, "there must be a line %q below the title", "Date: 2026-01-02T15:04:05Z")
	}
	return doc, nil
}

func noteDate(doc *document) time.Time {
	date, _ := strings.CutPrefix(doc.intro, "Date: ")
	return parseTime(date)
}

func noteOf(doc *document) (kedge.Note, error) {
	items, err := doc.items(doc.section(filesPart))
	files := []string{}
	for _, it := range items {
		f, ok := unquotePath(it.text)
		if !ok {
			return kedge.Note{}, invalid(doc.file, it.line, "the quoted path %s does not end where its line does", it.text)
		}
		files = append(files, f)
	}
	return kedge.Note{
		ID: kedge.NoteID(doc.text("id")), Feature: kedge.FeatureID(doc.text("feature")), Title: doc.title,
		Commits: doc.list("commits"), Tags: doc.list("tags"), Date: noteDate(doc),
		RootCause: doc.section(rootCause).text, Files: files, Constraints: doc.section(constraints).text,
		Validation: doc.section(validation).text, DeadEnds: doc.section(deadEnds).text,
	}, err
}
