package pickup

import (
	"strings"

	"kedge/internal/lazyre"
)

// settle takes what a git command that worked did to the changes that were not
// committed yet.
func (p *Picker) settle(command, out string) {
	if !strings.Contains(command, "git ") {
		return
	}
	dir := repository(command)
	if dir != "" && !p.files.below(dir) {
		return // another one than that of the work
	}
	subject, made := madeCommit(command, out)
	if made && (subject != "" || !keepsSubject(command)) {
		p.step.commit = subject
	}
	switch {
	case made, strings.Contains(out, "nothing to commit, working tree clean"):
		p.files.committed(dir)
	case hasAny(command, []string{"git stash pop", "git stash apply"}):
		p.files.tookBack()
	case stashes.MatchString(command):
		p.files.setAside(dir, true)
	case hasAny(command, []string{"git reset --hard", "git checkout -- .", "git checkout .", "git restore ."}):
		p.files.setAside(dir, false)
	}
}

// repository gives the folder in which a command runs git, where it says so by a whole
// path; empty is where the session works.
func repository(command string) string {
	dir := ""
	for _, words := range statements(command) {
		switch {
		case len(words) > 1 && words[0] == "cd" && rooted(words[1]):
			dir = words[1]
		case len(words) > 2 && words[0] == "git" && words[1] == "-C" && rooted(words[2]):
			return strings.TrimRight(slashed(words[2]), "/")
		case len(words) > 0 && words[0] == "git":
			return strings.TrimRight(slashed(dir), "/")
		}
	}
	return ""
}

// rooted tells whether a path is a whole one.
func rooted(path string) bool {
	return strings.HasPrefix(path, "/") || len(path) > 2 && path[1] == ':' && (path[2] == '/' || path[2] == '\\')
}

var (
	stashes   = lazyre.New(`\bgit stash(?: (?:push|save|-\S+)\b|\s*(?:$|[;&|\n]))`)
	commitRun = lazyre.New(`\bgit (?:-\S+ \S+ )*commit\b`)
	// commitLine is git's own word on a commit: "[main 1a2b3c4] Subject".
	commitLine = lazyre.New(`(?m)^\[[^\]\n]+ [0-9a-f]{7,40}\] (\S.*)$`)
)

// madeCommit tells whether a git command made commits, and gives the subject of the
// last, as far as git or the command says it. A rebase and its kin make them too.
func madeCommit(command, out string) (subject string, ok bool) {
	if !strings.Contains(command, "git ") {
		return "", false
	}
	if list := commitLine.FindAllStringSubmatch(out, -1); len(list) > 0 {
		return cut(strings.TrimSpace(list[len(list)-1][1]), 120), true
	}
	switch {
	case commitRun.MatchString(command) && !strings.Contains(command, "--dry-run"):
		return subjectOf(command), true
	case strings.Contains(out, "Successfully rebased"):
		return "", true
	default:
		return "", false
	}
}

// keepsSubject tells whether a command that says no subject leaves the one that was.
func keepsSubject(command string) bool {
	return strings.Contains(command, "--amend") || strings.Contains(command, "git rebase")
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
