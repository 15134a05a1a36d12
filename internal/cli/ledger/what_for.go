package ledger

import "strings"

// purposes are what the commands are for that a run names as next; of those that
// begin alike the longer comes first.
var purposes = []struct{ command, purpose string }{
	{"git diff", "see the work"},
	{"git revert", "say no to it, and take it off your branch"},
	{"git show", "see the work"},
	{"kedge answer", "answer it"},
	{"kedge approve", "say yes to the work"},
	{"kedge deny", "say no to it"},
	{"kedge feature accept", "say yes to it"},
	{"kedge feature amend", "let it go on without what was skipped"},
	{"kedge feature reopen", "have it tried again"},
	{"kedge feature show", "see what is in its way"},
	{"kedge feature skip", "leave it out too"},
	{"kedge gate", "see what is red"},
	{"kedge land", "bring the work into the branch"},
	{"kedge next", "or do it by hand, which one and how"},
	{"kedge plan approve", "say yes to the plan"},
	{"kedge plan drop", "say no to it, give it up"},
	{"kedge plan show", "read the plan"},
	{"kedge salvage ls", "see what was set aside"},
	{"kedge run --continue", "let the run go on"},
	{"kedge run --pause", "hold the run"},
	{"kedge run --stop", "end the run"},
	{"kedge run", "watch the run"},
}

// whatFor puts before a command that comes next what it is for; the command stays
// at the end, to be copied. Where no run works, kedge run starts one.
func whatFor(line string, idle bool) string {
	switch {
	case line == "kedge approve":
		return "see what is to be approved: " + line
	case line == "kedge run" && idle:
		return "have the features worked on: " + line
	}
	for _, p := range purposes {
		if strings.HasPrefix(line+" ", p.command+" ") {
			return p.purpose + ": " + line
		}
	}
	return line
}
