package cli

import "strings"

// purposes are what the commands are for that a run names as next; of those that
// begin alike the longer comes first.
var purposes = []struct{ command, purpose string }{
	{"git diff", "see the work"},
	{"kedge answer", "answer it"},
	{"kedge approve", "let the work pass"},
	{"kedge deny", "send the work back"},
	{"kedge feature accept", "call it done"},
	{"kedge feature reopen", "have it tried again"},
	{"kedge feature show", "see what is in its way"},
	{"kedge gate", "see what is red"},
	{"kedge land", "bring the work into the branch"},
	{"kedge plan approve", "have the plan worked off"},
	{"kedge plan drop", "give the plan up"},
	{"kedge plan show", "read the plan"},
	{"kedge run --continue", "let the run go on"},
	{"kedge run --pause", "hold the run"},
	{"kedge run --stop", "end the run"},
	{"kedge run", "watch the run"},
}

// whatFor puts before a command that a run names what it is for; the command
// stays at the end, to be copied.
func whatFor(line string) string {
	if line == "kedge approve" {
		return "see what is to be approved: " + line
	}
	for _, p := range purposes {
		if strings.HasPrefix(line+" ", p.command+" ") {
			return p.purpose + ": " + line
		}
	}
	return line
}
