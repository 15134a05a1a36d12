package condense

import (
	"path"
	"strings"

	"kedge/internal/text/lazyre"
)

// Files of source that are printed stay as they are: who prints one wants to read it.
var (
	printers = lazyre.New(`^(?:cat|bat|batcat|head|tail|sed|nl|less|more|tac)\s`)
	revision = lazyre.New(`^git (?:show|cat-file -p|cat-file blob) \S*:\S+$`)
	// logFiles are named as what programs write while they run.
	logFiles = lazyre.New(`(?i)(?:\.(?:log|out|err|jsonl|ndjson|csv|tsv|trace|prof|stdout|stderr)(?:\.\d+)?|^/(?:proc|sys|var/log)/.*|(?:^|/)(?:syslog|messages|stdout|stderr))$`)
	// anyFiles may be either, which what is in them tells.
	anyFiles = lazyre.New(`(?i)(?:\.(?:txt|json|xml|html)|(?:^|/)[^./]+|[}])$`)
)

// printing tells whether a command prints files, of source or not.
func printing(command string) mode {
	if revision.MatchString(strings.TrimSpace(command)) {
		command = "cat " + command[strings.LastIndexByte(command, ':')+1:]
	}
	if !printers.MatchString(command) {
		return reporting
	}
	is := reporting
	for i, w := range strings.Fields(command) {
		w = strings.Trim(w, `'"`)
		if i == 0 || strings.HasPrefix(w, "-") || strings.ContainsAny(w, "<>$;") || strings.Trim(w, "0123456789,p+&") == "" {
			continue
		}
		switch {
		case logFiles.MatchString(w):
			return reporting
		case anyFiles.MatchString(w) && !known(w):
			is = unsure
		case path.Ext(w) != "" || known(w):
			if is != unsure {
				is = printed
			}
		}
	}
	return is
}

// known tells of files of source whose name has no ending, or one of text.
func known(file string) bool {
	switch path.Base(file) {
	case "Makefile", "Dockerfile", "Jenkinsfile", "Rakefile", "Gemfile", "Procfile", "Vagrantfile", "LICENSE", "README", "CMakeLists.txt", "requirements.txt",
		"package.json", "tsconfig.json", "go.mod", "pom.xml":
		return true
	}
	return false
}

// likeEach is how many lines of three must say the same but for numbers in a log.
const likeEach = 2

// printedOrLog looks at what was printed: the lines of a log begin with a time, or are
// like others but for their numbers.
func printedOrLog(lines []line) mode {
	counts := map[uint64]int{}
	all, like, timed := 0, 0, 0
	var buf []token
	for i := range lines {
		l := lines[i].text
		if blank(l) {
			continue
		}
		all++
		l = l[:min(len(l), oddBytes)]
		if h := maskedHash(hashStart, strings.TrimSpace(l)); len(strings.TrimSpace(l)) > 3 || strings.ContainsAny(l, "0123456789") { // not a brace
			if counts[h]++; counts[h] > rareCount {
				like++
			}
		}
		buf = tokensOf(buf, l)
		if _, ok := clockOf(buf); ok {
			timed++
		}
	}
	if timed*2 > all || like*3 > all*likeEach {
		return reporting
	}
	return printed
}
