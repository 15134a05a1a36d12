package resume

import (
	"path"
	"slices"
	"strings"

	"kedge/internal/text/lazyre"
)

// settle takes what a command that worked did by git to the changes that were not
// committed yet.
func (p *Picker) settle(command, out string) {
	if !strings.Contains(command, "git") {
		return
	}
	for _, r := range gitRuns(command, p.files.base) {
		if r.repo == "" || r.repo == p.files.base || p.files.below(r.repo) { // and not another one than that of the work
			p.settleOne(r, command, out)
		}
	}
}

func (p *Picker) settleOne(r gitRun, command, out string) {
	subject, made := r.commits(command, out)
	if made && (subject != "" || !r.keepsSubject()) {
		p.step.commit = subject
	}
	switch {
	case made, r.is("status", "commit") && strings.Contains(out, "nothing to commit, working tree clean"):
		p.files.committed(r.repo)
	case r.is("stash") && r.has("pop", "apply"):
		p.files.tookBack()
	case r.is("stash") && (len(r.words) == 1 || r.has("push", "save") || strings.HasPrefix(r.words[1], "-")):
		p.files.setAside(r.repo, true)
	case r.is("reset") && r.has("--hard"):
		p.files.setAside(r.repo, false)
	case r.is("checkout") && r.has("."), r.is("restore") && r.has(".") && (!r.has("--staged", "-S") || r.has("--worktree", "-W")):
		if dir, known := r.folder(p.files.base); known {
			p.files.setAside(dir, false)
		}
	}
}

// gitRun is one run of git: what it was told, from the name of what it does on.
type gitRun struct {
	spot
	words []string
}

// gitRuns gives the runs of git in a command of a session that works in base.
func gitRuns(command, base string) []gitRun {
	var list []gitRun
	eachStatement(command, base, func(at spot, words []string) {
		if lastWord(slashed(words[0])) != "git" {
			return
		}
		words = words[1:]
		for len(words) > 0 && strings.HasPrefix(words[0], "-") {
			if len(words) > 1 && words[0] == "-C" {
				at = at.moved(words[1], base)
			}
			if words[0] == "-C" || words[0] == "-c" {
				words = words[1:]
			}
			words = words[min(1, len(words)):]
		}
		if len(words) > 0 {
			list = append(list, gitRun{at, words})
		}
	})
	return list
}

// is tells whether git was told to do one of these.
func (r gitRun) is(names ...string) bool { return slices.Contains(names, r.words[0]) }

// has tells whether one of these words stands behind it.
func (r gitRun) has(words ...string) bool {
	return slices.ContainsFunc(r.words[1:], func(w string) bool { return slices.Contains(words, w) })
}

// commitLine is git's own word on a commit: "[main 1a2b3c4] Subject".
var commitLine = lazyre.New(`(?m)^\[[^\]\n]+ [0-9a-f]{7,40}\] (\S.*)$`)

// commits tells whether the run made commits, and gives the subject of the last, as far
// as git or the command says it. A rebase and its kin make them too.
func (r gitRun) commits(command, out string) (subject string, ok bool) {
	if !r.is("commit", "rebase", "cherry-pick", "revert", "merge", "am", "pull") || r.has("--dry-run") {
		return "", false
	}
	if list := commitLine.FindAllStringSubmatch(out, -1); len(list) > 0 {
		return cut(strings.TrimSpace(list[len(list)-1][1]), 120), true
	}
	if r.is("commit") {
		return subjectOf(command), true
	}
	return "", strings.Contains(out, "Successfully rebased")
}

// keepsSubject tells whether a run that says no subject leaves the one that was.
func (r gitRun) keepsSubject() bool { return r.has("--amend") || r.is("rebase") }

// spot is where a statement of a command runs, as far as the command says.
type spot struct {
	repo string // a whole path; empty is where the session works
	sub  string // a folder below it
}

// moved is the place after one more cd, in a session that works in base. What is below
// a folder is taken as a part of the same repository.
func (at spot) moved(to, base string) spot {
	to = strings.TrimRight(slashed(to), "/")
	if rooted(to) {
		return spot{repo: to}
	}
	to = path.Join(at.sub, to)
	whole := path.Join(firstOf(at.repo, slashed(base)), to)
	switch {
	case to == ".":
		return spot{repo: at.repo}
	case to != ".." && !strings.HasPrefix(to, "../"):
		return spot{at.repo, to}
	case rooted(whole):
		return spot{repo: whole}
	default: // nobody said above what
		return at
	}
}

// folder gives the folder of a place, where it is known; empty is where the session
// works.
func (at spot) folder(base string) (dir string, known bool) {
	if at.sub == "" {
		return at.repo, true
	}
	dir = path.Join(firstOf(at.repo, slashed(base)), at.sub)
	return dir, rooted(dir)
}

// lead are words that may stand before a program, between spaces.
const lead = " if then else elif do while until ! { time env sudo command exec nohup nice "

// eachStatement gives the statements of a command that run a program, with where they
// run and without what stands before its name.
func eachStatement(command, base string, do func(at spot, words []string)) {
	var at spot
	for _, words := range statements(command) {
		for len(words) > 0 && (strings.Contains(lead, " "+words[0]+" ") || assigns(words[0])) {
			words = words[1:]
		}
		switch {
		case len(words) == 0:
		case words[0] == "cd" && len(words) > 1:
			at = at.moved(words[1], base)
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

// rooted tells whether a path is a whole one.
func rooted(path string) bool {
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
	return cut(strings.TrimSpace(first), 120)
}
