package check

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"kedge/internal/text/lazyre"
)

// GitRun is one run of git: what it was told, from the name of what it does on.
type GitRun struct {
	Place
	Words []string
}

// GitRuns gives the runs of git in a command of a session that works in base.
func GitRuns(command, base string) []GitRun {
	var list []GitRun
	EachStatement(command, base, func(at Place, words []string) {
		if path.Base(slashed(words[0])) != "git" {
			return
		}
		words = words[1:]
		for len(words) > 0 && strings.HasPrefix(words[0], "-") {
			if len(words) > 1 && words[0] == "-C" {
				at = at.Moved(words[1], base)
			}
			if words[0] == "-C" || words[0] == "-c" {
				words = words[1:]
			}
			words = words[min(1, len(words)):]
		}
		if len(words) > 0 {
			list = append(list, GitRun{at, words})
		}
	})
	return list
}

// Is tells whether git was told to do one of these.
func (r GitRun) Is(names ...string) bool { return slices.Contains(names, r.Words[0]) }

// Has tells whether one of these words stands behind it.
func (r GitRun) Has(words ...string) bool {
	return slices.ContainsFunc(r.Words[1:], func(w string) bool { return slices.Contains(words, w) })
}

// commitLine is git's own word on a commit: "[main 1a2b3c4] Subject".
var commitLine = lazyre.New(`(?m)^\[[^\]\n]+ [0-9a-f]{7,40}\] (\S.*)$`)

// Commits tells whether the run made commits, and gives the subject of the last, as far
// as git or the command says it. A rebase and its kin make them too.
func (r GitRun) Commits(command, out string) (subject string, ok bool) {
	if !r.Is("commit", "rebase", "cherry-pick", "revert", "merge", "am", "pull") || r.Has("--dry-run") {
		return "", false
	}
	rebased := r.KeepsSubject() && strings.Contains(out, "Successfully rebased")
	if list := commitLine.FindAllStringSubmatch(out, -1); len(list) > 0 && !rebased { // a rebase tells of one in its middle
		return shortSubject(strings.TrimSpace(list[len(list)-1][1])), true
	}
	if r.Is("commit") {
		return subjectOf(command), true
	}
	return "", rebased
}

// KeepsSubject tells whether a run that says no subject leaves the one that was.
func (r GitRun) KeepsSubject() bool {
	return r.Has("--amend") || r.Is("rebase", "pull")
}

// Pushes tells whether the run pushed what was committed.
func (r GitRun) Pushes(out string) bool {
	return r.Is("push") && !r.Has("--dry-run", "-n", "--delete", "-d", "--tags") && strings.Contains(out, " -> ") && !strings.Contains(out, "! [") && !strings.Contains(out, "error: failed to push")
}

// Place is where a statement of a command runs, as far as the command says.
type Place struct {
	Repo string // a whole path; empty is where the session works
	Sub  string // a folder below it
}

// Moved is the place after one more cd, in a session that works in base. What is below
// a folder is taken as a part of the same repository.
func (at Place) Moved(to, base string) Place {
	to = strings.TrimRight(slashed(to), "/")
	if Rooted(to) {
		return Place{Repo: to}
	}
	to = path.Join(at.Sub, to)
	whole := path.Join(cmp.Or(at.Repo, slashed(base)), to)
	switch {
	case to == ".":
		return Place{Repo: at.Repo}
	case to != ".." && !strings.HasPrefix(to, "../"):
		return Place{at.Repo, to}
	case Rooted(whole):
		return Place{Repo: whole}
	default: // nobody said above what
		return at
	}
}

// Folder gives the folder of a place, where it is known; empty is where the session
// works.
func (at Place) Folder(base string) (dir string, known bool) {
	if at.Sub == "" {
		return at.Repo, true
	}
	dir = path.Join(cmp.Or(at.Repo, slashed(base)), at.Sub)
	return dir, Rooted(dir)
}

// lead are words that may stand before a program, between spaces.
const lead = " if then else elif do while until ! { time env sudo command exec nohup nice "

// EachStatement gives the statements of a command that run a program, with where they
// run and without what stands before its name.
func EachStatement(command, base string, do func(at Place, words []string)) {
	var at Place
	for _, words := range Statements(command) {
		for len(words) > 0 && (strings.Contains(lead, " "+words[0]+" ") || assigns(words[0])) {
			words = words[1:]
		}
		switch {
		case len(words) == 0:
		case words[0] == "cd" && len(words) > 1:
			at = at.Moved(words[1], base)
		default:
			do(at, words)
		}
	}
}

// assigns tells whether a word gives a variable its value.
func assigns(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789") == ""
}

// Rooted tells whether a path is a whole one.
func Rooted(path string) bool {
	return strings.HasPrefix(path, "/") || len(path) > 2 && path[1] == ':' && (path[2] == '/' || path[2] == '\\')
}

// subjectOf gives the first line of a commit's message, as far as the command has
// it.
func subjectOf(cmd string) string {
	_, rest, ok := strings.Cut(cmd, " -m ")
	if !ok {
		if _, rest, ok = strings.Cut(cmd, " -am "); !ok {
			return ""
		}
	}
	if _, doc, ok := strings.Cut(rest, "EOF'\n"); ok {
		rest = doc
	} else if _, doc, ok := strings.Cut(rest, "EOF\n"); ok {
		rest = doc
	}
	rest = strings.TrimLeft(rest, "\"'$( \n")
	first, _, _ := strings.Cut(rest, "\n")
	if i := strings.LastIndexAny(first, "\"'"); i > 0 && strings.Count(rest, "\n") == 0 {
		first = first[:i]
	}
	return shortSubject(strings.TrimSpace(first))
}

// mostSubject bounds the subject of a commit, in bytes.
const mostSubject = 120

// shortSubject gives a subject, cut at the end of a word where it is long.
func shortSubject(s string) string {
	if len(s) <= mostSubject {
		return s
	}
	s = s[:mostSubject-len("…")]
	if i := strings.LastIndexByte(s, ' '); i > 0 {
		s = s[:i]
	}
	return strings.ToValidUTF8(s, "") + "…"
}

func slashed(path string) string { return strings.ReplaceAll(path, `\`, "/") }
