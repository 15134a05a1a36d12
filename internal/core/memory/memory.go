// Package memory owns the documents in which a repository keeps its memory: one file per
// decision and per note, risks.md, rules.md and progress.md. It reads and writes them,
// finds decisions that contradict each other, and lints notes and rules. It promises that
// it reads what it writes back as the same value, whatever text is in it, and that your
// own paragraphs in progress.md survive. It is pure: it never touches a disk, a clock or
// the network. The service decides what is stored.
package memory

import (
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"kedge"
	"kedge/internal/text/plain"
)

// version is the version of every document here.
const version = "1"

// Limits on what one document may hold, so that memory stays something a
// session can afford to read.
const (
	maxTitle = 200
	maxText  = 16 << 10
	maxItems = 200
)

// maxSlug keeps file names short enough for every file system and for reading.
const maxSlug = 40

// Slug makes the readable part of a file name: lower-case ASCII letters, digits
// and single dashes, at most 40, cut between words where it can be. It is never
// empty and never the name of anything but a plain file.
func Slug(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9')
	})
	s := ""
	for _, w := range words {
		if s == "" {
			s = w[:min(len(w), maxSlug)]
			continue
		}
		if len(s)+1+len(w) > maxSlug {
			break
		}
		s += "-" + w
	}
	if s == "" {
		return "untitled"
	}
	return s
}

// Clean makes text fit to be kept: line feeds only, no control or reordering
// characters, no blanks at the end of lines, no blank lines around it.
func Clean(s string) string {
	lines := strings.Split(plain.Text(strings.ReplaceAll(s, "\r\n", "\n")), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \t")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// OneLine is Clean on one line, with single blanks.
func OneLine(s string) string { return strings.Join(strings.Fields(plain.Text(s)), " ") }

// ValidPath tells whether p may stand in a document as a path of the project:
// relative, with slashes, inside the folder.
func ValidPath(p string) bool {
	return utf8.ValidString(p) && !strings.Contains(p, "\x00") && path.Clean(p) == p &&
		!path.IsAbs(p) && p != "." && p != ".." && !strings.HasPrefix(p, "../")
}

func checkTitle(what, s string) error {
	switch {
	case s == "":
		return kedge.Errorf(kedge.Invalid, "%s is empty", what)
	case s != OneLine(s):
		return kedge.Errorf(kedge.Invalid, "%s must be one line of plain text, not %q", what, s)
	case utf8.RuneCountInString(s) > maxTitle:
		return kedge.Errorf(kedge.Invalid, "%s is longer than %d characters", what, maxTitle)
	}
	return nil
}

func checkText(what, s string) error {
	switch {
	case s != Clean(s):
		return kedge.Errorf(kedge.Invalid, "%s has control characters, or spaces at the start or the end", what)
	case len(s) > maxText:
		return kedge.Errorf(kedge.Invalid, "%s is longer than %d bytes", what, maxText)
	}
	return nil
}

// firstError gives the first of several checks that failed.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func formatTime(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// parseTime reads what formatTime writes, and nothing else; the zero time is no
// time.
func parseTime(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil || formatTime(t) != s {
		return time.Time{}
	}
	return t.UTC()
}

func checkDate(t time.Time) error {
	if y := t.Year(); t.IsZero() || y < 1 || y > 9999 {
		return kedge.Errorf(kedge.Invalid, "the date is missing, or does not have the form 2026-01-02T15:04:05Z (UTC)")
	}
	return nil
}

func checkActor(a kedge.Actor) error {
	if !a.IsKnown() || string(a) != OneLine(string(a)) || len(a) > maxTitle {
		return kedge.Errorf(kedge.Invalid, "%q is not a valid author", a).WithHint("use human:NAME, agent:SESSION or daemon")
	}
	return nil
}

func oneOf(what, s string, values []string) error {
	if !slices.Contains(values, s) {
		return kedge.Errorf(kedge.Invalid, "%q is not %s", s, what).WithHint("use one of %s", strings.Join(values, ", "))
	}
	return nil
}

func invalid(file string, line int, format string, args ...any) *kedge.Error {
	return kedge.Errorf(kedge.Invalid, "%s:%d: "+format, append([]any{file, line}, args...)...)
}
