package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/cli/frame"
	"kedge/internal/server"
	"kedge/internal/testkit/clitest"
)

// shown is what commands print with --json, by the command and arguments that make
// them do so: the answer of a call, whole, as internal/server holds it in its goldens.
// A command that is not here, nor among those that show no answer, is called as its
// first example says.
var shown = map[string]string{
	"init --json":                   "init",
	"init --remove --json":          "init.remove",
	"new work --json -- cat":        "session.new",
	"ls --json":                     "session.list",
	"send work hello --json":        "session.send",
	"kill work --json":              "session.kill",
	"rename work job --json":        "session.rename",
	"next --json":                   "next",
	"ready --json":                  "ready",
	"features --json":               "features",
	"features import LIST --json":   "features.import",
	"feature add x --name X --json": "feature.add",
	"feature amend orders --name X --reason r --json":   "feature.amend",
	"feature submit orders --json":                      "feature.submit",
	"feature accept orders --reason r --json":           "feature.accept",
	"feature block orders --reason r --json":            "feature.block",
	"feature reopen orders --reason r --json":           "feature.reopen",
	"feature skip orders --reason r --json":             "feature.skip",
	"feature show orders --json":                        "feature.show",
	"plan new Title --json":                             "plan.new",
	"plan --json":                                       "plan.show",
	"checkpoint --json":                                 "checkpoint.save",
	"handoff --percent 5 --state s --approach a --json": "handoff.save",
	"plan show --json":                                  "plan.show",
	"plan check --json":                                 "plan.check",
	"plan approve --json":                               "plan.approve",
	"plan amend --reason r --json":                      "plan.amend",
	"plan drop --json":                                  "plan.drop",
	"plan diff 1 --json":                                "plan.diff",
	"decide Title --why w --json":                       "decision.add",
	"decide ls --json":                                  "decision.list",
	"decide show dec-1 --json":                          "decision.show",
	"decide withdraw dec-1 --reason r --json":           "decision.withdraw",
	"risk add text --json":                              "risk.add",
	"risk close rsk-1 --reason r --json":                "risk.close",
	"risk ls --json":                                    "risk.list",
	"remember text --json":                              "note.add",
	"recall words --json":                               "recall",
	"notes --json":                                      "note.list",
	"notes lint --json":                                 "note.lint",
	"notes show nte-1 --json":                           "note.show",
	"rules show --json":                                 "rules.show",
	"status --json":                                     "status",
	"prime --json":                                      "prime",
	"checkpoint save --json":                            "checkpoint.save",
	"checkpoint show --json":                            "checkpoint.show",
	"checkpoint lint --json":                            "checkpoint.lint",
	"handoff save --percent 5 --state s --json":         "handoff.save",
	"handoff show --json":                               "handoff.show",
	"handoff lint --json":                               "handoff.lint",
	"audit --json":                                      "audit",
	"brief --transcript session.jsonl --json":           "brief",
	"show 13da966e --at 120 --json":                     "conversation",
	"gate --json":                                       "gate",
	"salvage ls --json":                                 "salvage.list",
	"salvage restore sal-1 --json":                      "salvage.restore",
	"salvage gc --json":                                 "salvage.gc",
	"salvage gc --dry-run --json":                       "salvage.old",
	"worktree ls --json":                                "worktree.list",
	"worktree gc --json":                                "worktree.gc",
	"worktree gc --dry-run --json":                      "worktree.old",
	"approve --json":                                    "filter.list",
	"approve filter:shout@00000000 --json":              "filter.approve",
	"approve files@00000000 --json":                     "trust.approve",
	"run --detach --json":                               "run.start",
	"run --pause --json":                                "run.pause",
	"run --continue --detach --json":                    "run.continue",
	"run --stop --json":                                 "run.stop",
	"tell works text --json":                            "run.tell",
	"plan a goal --detach --json":                       "plan.goal",
	"answer asks EUR --json":                            "answer",
	"approve approved --json":                           "run.approve",
	"deny denied --reason r --json":                     "run.deny",
	"land --json":                                       "run.land",
	"explain HEAD --json":                               "explain",
	"show job --json":                                   "session.find",
	"cost --json":                                       "cost",
	"forecast --json":                                   "forecast",
	"hygiene --json":                                    "hygiene",
	"stats --json":                                      "stats",
	"rebuild --json":                                    "rebuild",
	"backup --json":                                     "backup",
	"restore --json":                                    "restore",
	"project ls --json":                                 "project.list",
	"project rm prj-1 --json":                           "project.remove",
	"operator add desk --json":                          "operator.add",
	"operator ls --json":                                "operator.list",
	"operator rm desk --json":                           "operator.remove",
}

// notShown are the commands whose output is no answer of a call, and the calls
// that no command shows, each with what holds its form.
var notShown = map[string]string{
	"up":              "the daemon's own answer: TestJSONWithoutACall",
	"down":            "likewise",
	"attach":          "a terminal",
	"mcp":             "messages of a protocol: TestRow2And45StockClient of cmd/kedge",
	"branch.list":     "completes kedge new --worktree=: the script new_worktree_row20 of cmd/kedge",
	"question.ask":    "asked by sessions only, over mcp: TestRow2ToolsAreCalls of internal/mcpserver",
	"statusline":      "one line for an agent: the script statusline of cmd/kedge",
	"version":         "its own: the script help of cmd/kedge",
	"logs":            "the bytes of a session; --json is refused: the script logs_json of cmd/kedge",
	"export":          "an asciicast, or text; with --out TestJSONWithoutACall",
	"features export": "another program's format: the text of features.export",
	"exec":            "its own: TestExecJSON, the script exec_row23 of cmd/kedge",
	"hooks install":   "its own: the script hooks of cmd/kedge",
	"hooks remove":    "likewise",
	"hooks ls":        "likewise",
	"hook.brief":      "asked by hooks: TestHookAnswers of internal/hook",
	"hook.take":       "likewise",
	"hook.stop":       "likewise",
	"demo":            "its own report: the script demo of cmd/kedge",
	"run.watch":       "a stream, and its end: TestRunJSON",
	"run.show":        "the run in the answers of the others, without a daemon",
	"init.plan":       "asked before init, on a terminal",
	"init.try":        "its trials are in the answer of init",
	"session.attach":  "asked on the way to a terminal",
	"session.away":    "asked on the way to a terminal",
	"steps":           "asked after what changes something, and said on stderr: the script steps of cmd/kedge",
	"run.going":       "asked by down, whose answer holds it",
	"session.retain":  "asked by up, whose answer holds it",
	"features.export": "see features export",
}

func TestEveryCommandShowsItsAnswer(t *testing.T) {
	list := filepath.Join(t.TempDir(), "list.json")
	if err := os.WriteFile(list, []byte("[]"), 0o600); err != nil {
		t.Fatal(err)
	}
	for line, call := range shown {
		t.Run(line, func(t *testing.T) { showsAnswer(t, strings.Fields(strings.Replace(line, "LIST", list, 1)), call) })
	}
	for _, line := range byExample() {
		t.Run(line, func(t *testing.T) { showsAnswer(t, strings.Fields(line), "") })
	}
}

// showsAnswer runs a command. What it prints is the answer of the call, or, where none
// is named, of the last one that it made.
func showsAnswer(t *testing.T, args []string, call string) (made []string) {
	t.Helper()
	var out, talk bytes.Buffer
	g := &clitest.Goldens{T: t}
	Main(t.Context(), frame.Env{Args: args, In: strings.NewReader(""), Out: &out, Err: &talk, Dir: t.TempDir(), Call: g})
	if call == "" && len(g.Calls) > 0 {
		call = g.Calls[len(g.Calls)-1]
	}
	if !slices.Contains(g.Calls, call) {
		t.Fatalf("the calls were %q, said was %q: if it shows no answer, add it to notShown", g.Calls, talk.String())
	}
	if !sameJSON(t, out.Bytes(), clitest.Golden(t, call)) {
		t.Errorf("printed is\n%s\nwhich is not the answer of %s; said is %q", out.String(), call, talk.String())
	}
	if talk.Len() > 0 {
		t.Errorf("with --json it said %q", talk.String())
	}
	return g.Calls
}

// byExample are the first examples of the commands that no table has, with --json.
func byExample() (lines []string) {
	root := newRoot(&frame.Env{Args: []string{"help"}})
	known := map[string]bool{}
	for name := range notShown {
		known[name] = true
	}
	for line := range shown {
		if c, _, err := root.Find(strings.Fields(line)); err == nil {
			known[nameOf(c)] = true
		}
	}
	eachCommand(root, func(c *cobra.Command) {
		only := c.Annotations["group"] != "" || !c.Runnable() || c.GroupID == "help"
		if !only && !known[nameOf(c)] {
			line := strings.TrimPrefix(firstExample(c), "kedge ")
			lines = append(lines, strings.Replace(line, nameOf(c), nameOf(c)+" --json", 1))
		}
	})
	return lines
}

// nameOf is how a command is called, without the program.
func nameOf(c *cobra.Command) string { return strings.TrimPrefix(c.CommandPath(), "kedge ") }

// TestEveryCallIsShown: a call whose answer no command shows fails, unless the table
// says what else holds it; and so does a line for a command that is not there.
func TestEveryCallIsShown(t *testing.T) {
	root := newRoot(&frame.Env{Args: []string{"help"}})
	seen := map[string]bool{}
	for name := range notShown {
		seen[name] = true
	}
	for line, call := range shown {
		seen[call] = true
		if c, _, err := root.Find(strings.Fields(line)); err != nil || c == root {
			t.Errorf("%s: %v", line, err)
		}
	}
	for _, line := range byExample() {
		for _, call := range showsAnswer(t, strings.Fields(line), "") {
			seen[call] = true
		}
	}
	for _, c := range server.Calls() {
		if !seen[c.Name] {
			t.Errorf("no command shows the answer of call %q: add it to a table", c.Name)
		}
	}
}

// noDaemon is a machine on which a daemon runs, or none.
type noDaemon struct {
	frame.Daemon
	pid int
}

func (d noDaemon) Start(context.Context) (int, bool, error) { return d.pid, true, nil }

func (d noDaemon) Stop(context.Context) (int, error) {
	if d.pid == 0 {
		return 0, kedge.Errorf(kedge.NotFound, "no daemon runs")
	}
	return d.pid, nil
}

// TestJSONWithoutACall holds what is printed by commands that are no call.
func TestJSONWithoutACall(t *testing.T) {
	for _, c := range []struct {
		args string
		pid  int
		want string
	}{
		{"--version --json", 0, `{"version": "` + kedge.Version + `"}`},
		{"up --json", 7, `{"pid": 7, "started": true, "retention": {"sessions": 3, "kept": 0, "bytes": 1}}`},
		{"down --json", 7, `{"pid": 7, "stopped": true, "runs": [{"id": "run-ID", "project": "shop", "dir": "DIR", "state": "running", "sessions": 1}]}`},
		{"down --json", 0, `{"pid": null, "stopped": false, "runs": []}`},
	} {
		var out, talk bytes.Buffer
		code := Main(t.Context(), frame.Env{Args: strings.Fields(c.args), Out: &out, Err: &talk, Call: &clitest.Goldens{T: t}, Daemon: noDaemon{pid: c.pid}})
		if code != 0 || talk.Len() > 0 || !sameJSON(t, out.Bytes(), []byte(c.want)) {
			t.Errorf("%s: code %d, printed %s, said %q", c.args, code, out.String(), talk.String())
		}
	}
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal(a, &x); err != nil {
		t.Errorf("%q: %v", a, err)
	}
	if err := json.Unmarshal(b, &y); err != nil {
		t.Errorf("%q: %v", b, err)
	}
	return reflect.DeepEqual(x, y)
}
