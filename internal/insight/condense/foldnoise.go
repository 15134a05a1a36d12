package condense

import (
	"strings"

	"kedge/internal/insight/failure"
	"kedge/internal/text/lazyre"
)

// habit is a line that a tool prints for each of many things. Its keys are parts
// of which every such line has one: to look for them is much faster.
type habit struct {
	kind    string
	keys    []string
	pattern *lazyre.Regexp
}

var habits = []habit{
	// go
	{passed, []string{"--- PASS", "=== "}, lazyre.New(`^\s*--- PASS: |^=== (?:RUN|PAUSE|CONT|NAME)\b`)},
	{skipped, []string{"--- SKIP"}, lazyre.New(`^\s*--- SKIP: `)},
	{passed, []string{"ok  \t", "PASS", "?   \t", "coverage: "}, lazyre.New(`^ok  \t|^PASS$|^\?   \t|^\t\S+\s+coverage: `)},
	{installing, []string{"go: "}, lazyre.New(`^go: (?:downloading|finding|extracting|added|upgraded) `)},
	// jest, vitest, mocha, node --test, Playwright, TAP
	{passed, []string{"✓", "✔", "√", "PASS", "ok "}, lazyre.New(`^\s*(?:[✓✔√] |ok \d+\b)|^ ?PASS\s+\S+\.\w+`)},
	{passed, []string{"# Subtest: ", "duration_ms", "type: 'test'", "..."}, lazyre.New(`^\s*(?:# Subtest: |duration_ms: [\d.]+$|type: 'test'$|\.\.\.$)`)},
	{skipped, []string{"○ ", "↓ "}, lazyre.New(`^\s*[○↓] `)},
	// pytest, unittest, cargo, Gradle, CTest
	{passed, []string{"PASSED"}, lazyre.New(`^\S+::.* PASSED\b|^\S.* > .* PASSED$`)},
	{skipped, []string{"SKIPPED"}, lazyre.New(`^\S+::.* SKIPPED\b|^\S.* > .* SKIPPED$`)},
	{passed, []string{".py "}, lazyre.New(`^\S+\.py [.sxX]+(?:\s+\[\s*\d+%\])?$`)},
	{passed, []string{"... ok"}, lazyre.New(`^test\w* .* \.\.\. ok$`)},
	{skipped, []string{"... ignored", "... skipped"}, lazyre.New(`^test\w* .* \.\.\. (?:ignored|skipped)`)},
	{passed, []string{" Passed "}, lazyre.New(`^\s*\d+/\d+ Test +#\d+: .* Passed `)},
	{passed, []string{"[INFO] Running ", "[INFO] Tests run"}, lazyre.New(`^\[INFO\] (?:Running \S+$|Tests run: .*Failures: 0, Errors: 0.* -+ in )`)},
	{passed, []string{"."}, lazyre.New(`^\.{10,}(?:\s+\[\s*\d+%\])?$`)},
	// cargo
	{installing, []string{" v"}, lazyre.New(`^\s+(?:Compiling|Checking|Downloaded|Downloading|Fresh|Locking|Adding|Installing|Unpacking|Documenting) \S+ v\d`)},
	{installing, []string{"Downloading", "Updating", "Locking"}, lazyre.New(`^\s+(?:Downloading crates|Updating crates|Updating \S+ index|Locking \d+ packages)`)},
	// npm, pnpm, yarn
	{installing, []string{"npm "}, lazyre.New(`^npm (?i:http fetch GET (?:2|3)|sill|verb|verbose|silly|info|timing|notice|warn deprecated)\b`)},
	{installing, []string{"YN0", "Progress: ", "/"}, lazyre.New(`^➤ YN0(?:000|013|019|066|085): |^Progress: resolved |^\[\d/\d\] \S+ \w+\.\.\.$`)},
	// pip, apt
	{installing, []string{"ollecting", "ownload", "cached", "atisfied", "nstall", "wheel", "Stored in", "metadata", "equirements"}, lazyre.New(`^\s*(?:Collecting|Downloading|Using cached|Requirement already satisfied|Installing collected packages|Installing build dependencies|Building wheels?|Created wheel|Stored in directory|Preparing metadata|Getting requirements)\b`)},
	{installing, []string{":", "Sel", "Prep", "Unp", "Sett", "Proc"}, lazyre.New(`^(?:Get|Hit|Ign):\d+ |^(?:Selecting previously unselected|Preparing to unpack|Unpacking|Setting up|Processing triggers for) `)},
	// Maven, Gradle
	{installing, []string{"Download"}, lazyre.New(`^(?:\[INFO\] )?Download(?:ing|ed)(?::| from) `)},
	{advance, []string{"> Task "}, lazyre.New(`^> Task :\S+(?: (?:UP-TO-DATE|NO-SOURCE|FROM-CACHE))?$`)},
	// docker build and pull
	{advance, []string{"#"}, lazyre.New(`^#\d+ (?:sha256:|extracting |transferring |resolve |DONE |CACHED|exporting |writing |naming |pushing )`)},
	{advance, []string{": "}, lazyre.New(`^[0-9a-f]{12}: (?:Pulling|Waiting|Download|Verifying|Pull complete|Already exists|Extracting|Pushed|Preparing|Layer already)`)},
	{advance, []string{"--->", "intermediate"}, lazyre.New(`^ ---> |^(?:Removing|Removed) intermediate container`)},
	// git's merges, Terraform
	{advance, []string{"Auto-merging ", "Rebasing (", "Refreshing state..."}, lazyre.New(`^Auto-merging \S|^Rebasing \(\d+/\d+\)$|^\S+: Refreshing state\.\.\.(?: \[id=\S+\])?$`)},
	// make and its kin, where the command says nothing but what it works on
	{advance, []string{"make"}, lazyre.New(`^g?make(?:\[\d+\])?: (?:Entering|Leaving) directory|^g?make(?:\[\d+\])?: (?:Nothing to be done|'.*' is up to date)`)},
}

// noiseOf gives the kind of a line that only says that one more thing went well.
func noiseOf(text string) string {
	for _, h := range habits {
		if hasAny(text, h.keys) && h.pattern.MatchString(text) {
			return h.kind
		}
	}
	return ""
}

func hasAny(text string, keys []string) bool {
	for _, k := range keys {
		if strings.Contains(text, k) {
			return true
		}
	}
	return false
}

// keyed is a pattern with parts of which every line that it matches has one: to look
// for them is much faster.
type keyed struct {
	keys    []string
	pattern *lazyre.Regexp
}

func (k keyed) match(text string) bool { return hasAny(text, k.keys) && k.pattern.MatchString(text) }

// totals are the last words of tools, beside those by which tests are counted.
var totals = []keyed{
	{[]string{"Test", "Snapshots", "Errors"}, lazyre.New(`^\s*(?:Test Suites|Tests|Snapshots|Test Files|Type Errors|Errors):? .*\d`)},
	{[]string{"# ", "ℹ "}, lazyre.New(`^[#ℹ] (?:tests|suites|pass|fail|cancelled|skipped|todo) \d+`)},
	{
		[]string{"passing", "failing", "pending", "passed", "failed", "flaky", "skipped", "error", "warning", "problem"},
		lazyre.New(`^\s*\d+ (?:passing|failing|pending|passed|failed|flaky|skipped|errors?|warnings?|problems?)\b`),
	},
	{
		[]string{"problem", "error", "warning"},
		lazyre.New(`\b\d+ problems? \(|\bFound \d+ errors?|\bgenerated \d+ warnings?|\b\d+ (?:warnings?|errors?) (?:generated|emitted)`),
	},
	{[]string{"BUILD", "Total time", "Tests run"}, lazyre.New(`^(?:\[\w+\] )?(?:BUILD (?:SUCCESS|FAIL)|Total time|Tests run: )`)},
	{[]string{"Tests run"}, lazyre.New(`^\[(?:INFO|WARNING|ERROR)\] Tests run: \d+, Failures: \d+, Errors: \d+, Skipped: \d+$`)},
	{
		[]string{"Plan: ", "actionable", "package", "vulnerabilit"},
		lazyre.New(`^Plan: \d+ to add, |^\d+ actionable tasks?|^(?:added|removed|changed|audited|up to date)\b.* packages?|\b\d+ .*vulnerabilit`),
	},
	{
		[]string{"Finished ", "test result", "Successfully ", "Done in", "TOTAL", "total", "coverage: ", "All files "},
		lazyre.New(`^\s+Finished |^test result: |^Successfully |^Done in |^TOTAL\s|^total:?\s|^coverage: \d|^All files `),
	},
	{
		[]string{"changed", "test", "spec", "example", "scenario"},
		lazyre.New(`\b\d+ files? changed\b|^\d+ (?:tests?|specs?|examples?|scenarios?)\b|^\d+% tests passed`),
	},
	{[]string{"real", "user", "sys"}, lazyre.New(`^(?:real|user|sys)\s+\d`)},
	{[]string{":", "="}, lazyre.New(`^(?i:summary|result|totals?)\b ?[:=]`)},
}

// summary tells whether a line counts what was done.
func summary(text string) bool {
	if !strings.ContainsAny(text, "0123456789") && !strings.Contains(text, "BUILD") && !strings.Contains(text, "Success") {
		return false
	}
	if strings.HasPrefix(text, "[INFO] Tests run: ") && strings.Contains(text, " in ") {
		return false // of one class
	}
	if failure.Counts(text) {
		return true
	}
	for _, t := range totals {
		if t.match(text) {
			return true
		}
	}
	return false
}
