package execute_test

import (
	"os"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/run"
)

// baseline is the gate before any work.
func (y *yard) baseline() run.Command {
	p := y.prepared(1, "", y.head())
	return y.command(run.Gate, 1, run.Command{Base: y.head(), Scope: "full", Tree: p.Tree})
}

func TestRow95BaselineIsVerifiedFirst(t *testing.T) {
	for name, of := range map[string]struct {
		files   map[string]string
		outcome run.Outcome
		says    string
	}{
		"green":     {nil, run.Green, ""},
		"red":       {map[string]string{"check.sh": "echo 'a.go:7: it is broken' >&2; exit 3\n"}, run.Red, "it is broken"},
		"no checks": {map[string]string{".kedge/gate.toml": "version = 1\n"}, run.Empty, ""},
		"a tool is missing": {
			map[string]string{".kedge/gate.toml": strings.Replace(gateOK, "sh check.sh", "no-such-tool test", 1)}, run.CannotRun, "no-such-tool",
		},
		"a script is missing":   {map[string]string{"check.sh": "./absent.sh\n"}, run.CannotRun, "absent.sh"},
		"a check changes files": {map[string]string{"check.sh": "date +%N >> a.txt\n"}, run.Void, "a.txt"},
	} {
		t.Run(name, func(t *testing.T) {
			y := newYard(t, of.files)
			c := y.baseline()
			ev := y.want(of.outcome, c)
			if !strings.Contains(ev.Reason+ev.Failure, of.says) {
				t.Errorf("it says %q, %q", ev.Reason, ev.Failure)
			}
			if of.outcome != run.Void && ev.Tree != c.Tree {
				t.Errorf("the verdict is about %q, not %q", ev.Tree, c.Tree)
			}
			if ev.Evidence == "" && (of.outcome == run.Green || of.outcome == run.Red) {
				t.Error("no evidence is kept")
			}
		})
	}
}

func TestAPortThatAnswersIsTheEnvironments(t *testing.T) {
	l := newListener(t)
	toml := gateOK + "[[check]]\nname = \"api\"\nhttp = { url = \"http://" + l + "/\", status = 200 }\n" +
		"[[service]]\nname = \"web\"\nrun = \"true\"\nready = \"tcp://" + l + "\"\n"
	y := newYard(t, map[string]string{".kedge/gate.toml": toml})
	ev := y.want(run.CannotRun, y.baseline())
	if !strings.Contains(ev.Reason, "another program already answers at") {
		t.Errorf("it says %q", ev.Reason)
	}
}

func TestRow15OneFailureIsTold(t *testing.T) {
	y := newYard(t, map[string]string{
		"check.sh": "cat out.txt; exit 1\n",
		"out.txt": "=== RUN   TestOrder\n    order_test.go:12: total is 3, want 4\n--- FAIL: TestOrder (0.00s)\n" +
			"=== RUN   TestUser\n    user_test.go:40: no user\n--- FAIL: TestUser (0.00s)\nFAIL\n" + strings.Repeat("noise\n", 500),
	})
	ev := y.want(run.Red, y.baseline())
	if !strings.Contains(ev.Failure, "TestOrder") || !strings.Contains(ev.Failure, "order_test.go:12") || strings.Contains(ev.Failure, "TestUser") {
		t.Errorf("it is told %q", ev.Failure)
	}
	if n := strings.Count(ev.Failure, "\n") + 1; n > 20 {
		t.Errorf("it is told %d lines", n)
	}
}

func TestGateOfTheWork(t *testing.T) {
	y := newYard(t, map[string]string{"check.sh": "test ! -e broken\n"})
	y.feature("one", own("grep -q done a.txt"))
	base := y.head()
	p := y.prepared(1, "one", base)
	ev := y.gated(run.Red, 1, "one", base)
	if ev.Tree != p.Tree || !strings.Contains(ev.Failure, `"own"`) {
		t.Errorf("before the work %+v", ev)
	}
	y.put(y.slot(1), "a.txt", "done\n")
	c := y.command(run.Gate, 1, run.Command{Feature: "one", Base: base, Scope: "touched"})
	green := y.twice(c)
	if green.Outcome != run.Green || green.Tree == p.Tree {
		t.Errorf("after the work %+v", green)
	}
	y.put(y.slot(1), "broken", "x\n")
	tree := y.gated(run.Green, 1, "one", base).Tree // it is for the clean worktree to say
	if red := y.integrated(run.Red, 1, "one", base, tree); !strings.Contains(red.Failure, `"unit"`) {
		t.Errorf("a broken project %+v", red)
	}
	for i, ev := range y.book.evidence {
		if ev.Feature != "one" || ev.By != kedge.ActorDaemon || ev.Verdict.Tree == "" || ev.Environment == "" {
			t.Errorf("evidence %d: %+v", i, ev)
		}
	}
	if len(y.book.evidence) != 4 {
		t.Errorf("%d verdicts are kept, not one for each gate", len(y.book.evidence))
	}
}

func TestAMissingScriptAfterTheWorkIsTheAgents(t *testing.T) {
	y := newYard(t, map[string]string{"check.sh": "./tool.sh\n", "tool.sh": "#!/bin/sh\ntrue\n"})
	y.must(os.Chmod(y.root+"/tool.sh", 0o755))
	y.git("-C", y.root, "commit", "-qam", "can be run")
	base := y.head()
	y.prepared(1, "", base)
	y.must(os.Remove(y.slot(1) + "/tool.sh"))
	y.want(run.Red, y.command(run.Gate, 1, run.Command{Base: base, Scope: "full", Purpose: run.FixFirst}))
}

func TestProve(t *testing.T) {
	y := newYard(t, nil)
	f := y.feature("one")
	y.prepared(1, "one", y.head())
	for name, of := range map[string]struct {
		checks  []kedge.Check
		outcome run.Outcome
	}{
		"none":               {nil, run.NoChecks},
		"fails":              {[]kedge.Check{own("grep -q done a.txt")}, run.Fails},
		"no test ran":        {[]kedge.Check{own("printf 'ok  \\tkedge\\t0.1s [no tests to run]\\n' # go test")}, run.Fails},
		"green already":      {[]kedge.Check{own("grep -q a a.txt")}, run.Green},
		"one is green":       {[]kedge.Check{own("true"), {Name: "second", Run: "false"}}, run.Fails},
		"holds":              {[]kedge.Check{{Name: "own", Run: "true", Prove: "holds"}}, run.Fails},
		"does not hold":      {[]kedge.Check{{Name: "own", Run: "false", Prove: "holds"}}, run.Broken},
		"holds, and a green": {[]kedge.Check{{Name: "own", Run: "true", Prove: "holds"}, own("true")}, run.Green},
		"no such program":    {[]kedge.Check{own("no-such-program")}, run.Broken},
		"not shell":          {[]kedge.Check{own("if then")}, run.Broken},
		"exits like that":    {[]kedge.Check{own("exit 2")}, run.Fails},
		"not executable":     {[]kedge.Check{own("./a.txt")}, run.Broken},
		"never ends":         {[]kedge.Check{{Name: "own", Run: "sleep 86400", Timeout: "50ms"}}, run.Broken},
		"an old lock name":   {[]kedge.Check{{Name: "own", Run: "true", Exclusive: "../../x"}}, run.Broken},
		"changes files":      {[]kedge.Check{own("echo x >> a.txt; false")}, run.Broken},
	} {
		t.Run(name, func(t *testing.T) {
			y.t = t
			f.Checks = of.checks
			ev := y.want(of.outcome, y.command(run.Prove, 1, run.Command{Feature: "one", Base: y.head()}))
			if of.outcome == run.Broken && !strings.Contains(ev.Reason, `"own"`) {
				t.Errorf("it says %q", ev.Reason)
			}
			if y.read(y.slot(1), "a.txt") != "a\n" {
				y.prepared(1, "one", y.head())
			}
		})
	}
}

// TestProveTellsOfThePlansRed: a check of the plan that is red on the base is told before
// the work, and stops nothing.
func TestProveTellsOfThePlansRed(t *testing.T) {
	y := newYard(t, nil)
	y.feature("one", own("grep -q done a.txt"))
	y.prepared(1, "one", y.head())
	for _, of := range []struct {
		plans []kedge.Check
		text  string
	}{
		{nil, ""},
		{[]kedge.Check{{Name: "plan-validation-1", Run: "true"}}, ""},
		{
			[]kedge.Check{{Name: "plan-validation-1", Run: "test -e old"}, {Name: "plan-validation-2", Run: "true"}, {Name: "plan-invariant-1", Run: "no-such-program"}},
			"red before the work, by the plan: plan-validation-1 (test -e old), plan-invariant-1 (no-such-program)",
		},
		{
			[]kedge.Check{{Name: "plan-validation-1", Run: "test -e old"}, {Name: "later", Run: "test -e new"}},
			"red before the work, by the plan: plan-validation-1 (test -e old); red before the work, must be green when the plan's last feature is done: later (test -e new)",
		},
	} {
		y.book.plans, y.book.later = of.plans, map[string]string{"later": "due with the last"}
		ev := y.want(run.Fails, y.command(run.Prove, 1, run.Command{Feature: "one", Base: y.head()}))
		if ev.Text != of.text {
			t.Errorf("it says %q", ev.Text)
		}
	}
}

func TestProveTwice(t *testing.T) {
	y := newYard(t, nil)
	count := t.TempDir() + "/count"
	y.feature("one", own("echo x >> "+count+"; false"))
	y.prepared(1, "one", y.head())
	c := y.command(run.Prove, 1, run.Command{Feature: "one", Base: y.head()})
	y.book.fails = map[string]int{"evidence": 1} // the power goes before its verdict is kept
	if _, err := y.x.Do(t.Context(), c, func(run.Input) {}); err == nil {
		t.Fatal("the power did not go")
	}
	if ev := y.twice(adopted(c)); ev.Outcome != run.Fails {
		t.Errorf("proved %+v", ev)
	}
	if got := y.read("", count); got != "x\n" {
		t.Errorf("a check with a verdict ran again: %q", got)
	}
}

func TestAGateThatIsLeftIsFinishedByTheNext(t *testing.T) {
	y := newYard(t, nil)
	y.held()
	dir := t.TempDir()
	y.feature("one", own("echo x >> "+dir+"/count; until test -e "+dir+"/go; do sleep 0.05; done"))
	base := y.head()
	y.prepared(1, "one", base)
	c := y.command(run.Gate, 1, run.Command{Feature: "one", Base: base, Scope: "touched"})
	left := y.leave(c, func() bool { return y.read(dir, "count") != "" })
	if left == nil {
		t.Fatal("it did not wait")
	}
	y.put(dir, "go", "")
	y.open()
	if ev := y.do(adopted(c)); ev.Outcome != run.Green || ev.Evidence == "" {
		t.Errorf("adopted: %+v", ev)
	}
	if got := y.read(dir, "count"); got != "x\n" {
		t.Errorf("the check was started again: %q", got)
	}
}

func TestWithdrawnGateEnds(t *testing.T) {
	y := newYard(t, nil)
	y.held()
	dir := t.TempDir()
	y.feature("one", own("echo $$ > "+dir+"/pid; exec sleep 86400"))
	base := y.head()
	y.prepared(1, "one", base)
	c := y.command(run.Gate, 1, run.Command{Feature: "one", Base: base, Scope: "touched"})
	y.withdraw(c, func() bool { return strings.HasSuffix(y.read(dir, "pid"), "\n") })
	pid := strings.TrimSpace(y.read(dir, "pid"))
	if b, err := os.ReadFile("/proc/" + pid + "/cmdline"); err == nil && strings.Contains(string(b), "sleep") {
		t.Error("the check still runs")
	}
}

func TestWhatASessionLeftRunningIsGone(t *testing.T) {
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("no /proc: whose a process is cannot be seen")
	}
	y := newYard(t, nil)
	base := y.head()
	y.prepared(1, "", base)
	const id kedge.SessionID = "ses-00000000000000000000000009"
	y.sessionOf(1, id)
	server := newServer(t, "KEDGE_SESSION="+string(id)) // anywhere: only its mark says whose it is
	bystander := newSleeper(t, t.TempDir(), "KEDGE_SESSION=ses-00000000000000000000000008")
	defer bystander()
	y.feature("one", own("true"))
	ev := y.want(run.Green, y.command(run.Gate, 1, run.Command{Feature: "one", Base: base, Scope: "touched"}))
	if server() {
		t.Error("it still listens")
	}
	last := y.book.evidence[len(y.book.evidence)-1]
	if last.ID != ev.Evidence || !strings.Contains(findings(last.Verdict.Findings), "left processes running (1)") {
		t.Errorf("found %s", findings(last.Verdict.Findings))
	}
}

// TestChecksOfAnotherDefinitionAreNotRun: what was amended meanwhile is not judged
// by checks that the run does not know of yet; the command waits to be taken back.
func TestChecksOfAnotherDefinitionAreNotRun(t *testing.T) {
	y := newYard(t, nil)
	base := y.head()
	y.prepared(1, "one", base)
	y.feature("one", own("true"))
	y.book.hash = "new"
	for _, kind := range []run.CommandKind{run.Gate, run.Prove} {
		before := y.book.refusals()
		y.withdraw(y.command(kind, 1, run.Command{Feature: "one", Hash: "old", Base: base, Scope: "touched"}),
			func() bool { return y.book.refusals() > before })
	}
	if len(y.book.evidence) > 0 {
		t.Errorf("it was judged: %+v", y.book.evidence)
	}
	y.want(run.Green, y.command(run.Gate, 1, run.Command{Feature: "one", Hash: "new", Base: base, Scope: "touched"}))
}

func (b *book) refusals() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.refused
}
