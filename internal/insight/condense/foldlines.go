package condense

import (
	"strings"

	"kedge/internal/insight/failure"
	"kedge/internal/text/lazyre"
)

// The kinds of what is left out, as a marker names them.
const (
	passed     = "passing tests"
	skipped    = "skipped tests"
	logs       = "of what passing tests log"
	advance    = "of progress"
	installing = "of installing"
	frames     = "frames of libraries"
	equal      = "repeated"
	lines      = "other"
	blanks     = "blank"
)

// mode is how the lines of a command are looked at.
type mode int

const (
	reporting  mode = iota // a tool that tells what it did
	listing                // names, one per line
	matches                // lines of files, found by a pattern
	difference             // lines of files, changed
	printed                // files of source as they are
	unsure                 // files that may be logs
)

var (
	assigned  = lazyre.New(`^(?:\s*(?:[A-Za-z_]\w*=\S*|sudo|env|time|nice|command|exec|xargs)\s+)+`)
	listTools = lazyre.New(`^(?:ls|ll|find|tree|fd|du|git (?:ls-files|ls-tree|log|shortlog|branch|tag|status|stash list|reflog|rev-list|remote)|docker (?:ps|images)|ps)\b`)
	findTools = lazyre.New(`^(?:e?grep|fgrep|rg|ag|ack|git grep)\b`)
	diffTools = lazyre.New(`^(?:diff|git (?:diff|show|log (?:.* )?(?:-p|-u|-L|--patch|--stat|--numstat|--shortstat|--name-status|--name-only))|colordiff)\b`)
	executes  = lazyre.New(`^(?:find|fd)\b.* (?:-exec|-execdir|-ok|-x|-X|--exec|--exec-batch) `)
	gitOption = lazyre.New(`^git(?: -C \S+| -c \S+| --no-pager| -P)+ `)
)

// modeOf looks at the commands whose output is seen. Where they differ, a line may be
// of any of them: then all are looked at as what a tool reports, which loses least.
func modeOf(command string) mode {
	var is mode
	for i, s := range sources(command) {
		m := modeOfOne(s)
		if i > 0 && m != is {
			return reporting
		}
		is = m
	}
	return is
}

func modeOfOne(command string) mode {
	if at := executes.FindStringIndex(command); at != nil {
		return modeOfOne(bare(command[at[1]:])) // what it runs is what prints
	}
	switch {
	case revision.MatchString(strings.TrimSpace(command)):
		return printing(command)
	case diffTools.MatchString(command):
		return difference
	case findTools.MatchString(command):
		return matches
	case listTools.MatchString(command):
		return listing
	default:
		return printing(command)
	}
}

var (
	dataTrouble = lazyre.New(`^(?:\S*/)?(?:ls|find|tree|fd|du|diff|e?grep|fgrep|rg|ag|ack|git|ps|docker|sh|bash|zsh|fatal|error|warning|usage|xargs)(?:: |\[\d+\]: )`)
	dataFinding = lazyre.New(`^(?:diff |@@ |\+\+\+ |--- |Binary files |rename |new file|deleted file|commit [0-9a-f]{7,})|\b\d+ files? changed|^\d+ (?:directories|matches)|^total \d`)
	matchPlace  = lazyre.New(`^([^\s:][^:]*:)?(\d+):`) // of one file, the number of the line alone
)

// stuck is what a listing of the state of things says of one that is in a bad one:
// a conflict of git's, a container that ended with an error. Sections are the
// headings of such a listing.
var (
	stuck    = lazyre.New(`^\s*both (?:modified|added|deleted): |^\s*(?:added|deleted) by (?:us|them): |^(?:UU|AA|DD|AU|UA|UD|DU) \S|\bExited \([1-9]\d*\)|\(unhealthy\)`)
	sections = lazyre.New(`^(?:Unmerged paths|Changes to be committed|Changes not staged for commit|Untracked files|You have unmerged paths|HEAD detached|Your branch|and have \d)`)
)

// look tells what a line is.
func (m mode) look(text string) (class, string) {
	switch {
	case m == printed:
		return finding, ""
	case blank(text):
		return empty, ""
	case m == reporting:
		return lookReport(text)
	case dataTrouble.MatchString(text):
		return trouble, ""
	case m == difference && dataFinding.MatchString(text),
		m == listing && (isStuck(text) || sections.MatchString(text)),
		m == matches && matchPlace.MatchString(text) && !stamp.MatchString(text):
		return finding, ""
	default:
		return other, ""
	}
}

func lookReport(text string) (class, string) {
	if e, ok := failure.ParseGoEvent(text); ok {
		return lookEvent(e)
	}
	if kind := noiseOf(text); kind != "" && (kind != installing && kind != advance || !broke.MatchString(text)) {
		return noise, kind
	}
	if summary(text) {
		return finding, ""
	}
	if strings.Contains(text, "=0") {
		text = none.ReplaceAllString(text, "")
	}
	switch {
	case fails(text) || failure.Complains(text):
		return trouble, ""
	case failure.ForeignFrame(text):
		return noise, frames
	case failure.Placed(text) || warns(text) || compares(text) || troubled(text) || isStuck(text):
		return finding, ""
	case redrawn(text):
		return noise, advance
	default:
		return other, ""
	}
}

// none is how a line says that something bad did not happen.
var none = lazyre.New(`\b\w+=0(?:\s|$)`)

// broke is what a line says that began as one more step and ended badly: "Download
// failed, retrying".
var broke = lazyre.New(`(?i)\b(?:failed|failure|error\b|denied|refused|timed out|unauthorized|forbidden|no space left)`)

// troubleStems and troubleWords are how tools say, without a word of failing, that
// something is not as it should be.
var (
	troubleStems = []string{
		"conflict", "unmet", "invalid", "reject", "missing", "space left", "memory", "oom", "backoff", "unhealthy", "exit", "unable", "unresolved", "unauthor", "forbid",
		"deadlock", "overflow", "corrupt", "mismatch", "violat", "destroy", "replace", "unreachable", "incompatib", "unsupported", "illegal", "leak", "rolled back", "evict",
	}
	troubleWords = lazyre.New(`(?i)\b(?:conflicts?|unmet|invalid|rejected|missing|no space left|out of memory|oomkilled|\w*backoff|unhealthy|unable to|unresolved|unauthorized|forbidden|deadlock|overflow|corrupt(?:ed)?|mismatch|violat(?:es|ed|ion)|(?:will|must) be (?:destroyed|replaced)|forces replacement|unreachable|incompatible|unsupported|illegal|leaks?|leaked|rolled back|evicted)\b|\bexit(?:ed)?(?: with)?(?: status| code)?:? ?\(?[1-9]\d*\b`)
)

// troubled tells whether a line says that something is not as it should be.
func troubled(text string) bool {
	return hasAny(strings.ToLower(text), troubleStems) && troubleWords.MatchString(text)
}

// lookEvent looks at a line of go test -json by what the event says.
func lookEvent(e failure.GoEvent) (class, string) {
	switch e.Action {
	case "fail", "build-fail":
		return trouble, ""
	case "output", "build-output":
		return lookReport(strings.TrimSuffix(e.Output, "\n"))
	case "skip":
		return noise, skipped
	default:
		return noise, passed
	}
}

// failing are the marks of a failure that has no word in it.
var failing = lazyre.New(`^\s*(?:[✖✗✘✕×❌●❯] |not ok \d|\d+\) \S|E   |>   |[-_]{4,} .+ [-_]{4,}$|={4,} (?:FAILURES|ERRORS) )|^\S+\.py [.sxX]*[FE]|^FAIL\b|^\s*--- FAIL|^(?:goroutine \d+ |panic:|Traceback |thread '|\[ERROR\])`)

// compared are the lines by which assertions show both sides.
var compared = lazyre.New(`^\s*(?:[-+] )?(?i:expected|received|actual|got|want(?:ed)?|left|right|caused by|help|note|hint)\b ?[:=]|^\s*(?:\^|~)+\s*$`)

// moves is what is redrawn while something goes on.
var moves = lazyre.New(`^\s*\[?\s*\d{1,3}(?:\.\d+)?%|\b\d{1,3}%\s*[\[|(]|[#=█▓━╸▏▎▍▌▋▊▉]{8,}|^\[\s*\d+/\d+\] |^(?:remote: )?(?:Counting|Compressing|Receiving|Writing|Resolving|Enumerating|Updating|Checking out) (?:objects|deltas|files)|^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]`)

// warns tells whether a line is a warning or counts warnings.
func warns(text string) bool {
	return strings.Contains(text, "arn") && warning.MatchString(text) || strings.Contains(text, "WARN")
}

var warning = lazyre.New(`(?i)\bwarn(?:ings?)?\b`)
