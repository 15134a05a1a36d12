package agenttest

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"kedge/internal/agents"
	"kedge/internal/core/watch"
	"kedge/internal/testkit/modelserver"
)

// Scenario is something that a program must be able to do, or must say why not.
type Scenario struct {
	Name string
	What string // shown by it, for people
	play func(w *world)
}

// Scenarios are all that there are.
func Scenarios() []Scenario {
	return []Scenario{
		{"work", "works on files and commands, and reports exact usage", work},
		{"subagent", "Kedge sees sub-agents and counts their usage", subagent},
		{"ask", "a question of the agent waits for your answer", ask},
		{"plan", "plans without writing anything", planning},
		{"handin", "has tools of its own for plans and questions", handIn},
		{"steer", "`kedge tell` reaches it while it works", steer},
		{"interrupt", "a turn can be interrupted", interrupt},
		{"resume", "resumes its own conversation", resume},
		{"retry", "reports that it retries at a provider's limit", retry},
		{"overloaded", "a provider that does not answer counts as a limit", overloaded},
		{"nologin", "reports a refused login", nologin},
		{"toolong", "if a prompt is always too long, it fails and reports the cause", toolong},
		{"cut", "repeats a reply whose stream broke, and counts it once", cutOff},
		{"compact", "reports that it shortened its context", compact},
		{"shorten", "shortens its context when Kedge asks for it, and continues", shorten},
		{"refuse", "continues when it refuses to shorten its context", refuse},
		{"kill", "everything that it started ends with it", kill},
	}
}

// RunLive plays every scenario with the real program.
func RunLive(t *testing.T, l Live) {
	for _, sc := range Scenarios() {
		t.Run(sc.Name, func(t *testing.T) {
			if why := l.Skip[sc.Name]; why != "" {
				l.note(sc.Name, why)
				t.Skip(why)
			}
			sc.play(newWorld(t, l, sc.Name))
			switch {
			case t.Failed():
			case sc.Name == "retry" && !l.tells(Retries):
				l.note(sc.Name, "it retries and does not report that")
			default:
				l.note(sc.Name, "")
			}
		})
	}
}

func (s *session) finished() {
	s.t.Helper()
	if e := s.wait(); e.Meaning != agents.Finished {
		s.t.Errorf("ended as %+v", e)
	}
}

// sum is what the session said that it used, and its context at last.
func (s *session) sum() (u modelserver.Usage, context, window int64) {
	for _, ev := range s.evs {
		if ev.Used == nil {
			continue
		}
		for _, f := range []struct{ to, from *int64 }{
			{&u.Input, ev.Used.Input}, {&u.CacheRead, ev.Used.CacheRead}, {&u.CacheWrite, ev.Used.CacheWrite}, {&u.Output, ev.Used.Output},
		} {
			if f.from != nil {
				*f.to += *f.from
			}
		}
		if ev.Used.Context != nil {
			context = *ev.Used.Context
		}
		if ev.Used.Window != nil {
			window = *ev.Used.Window
		}
	}
	return u, context, window
}

// served is what the program can tell of what the server counted.
func (w *world) served(others ...string) modelserver.Usage {
	main := w.server.Totals("main")
	total := main.Usage
	for _, name := range others {
		total = total.Add(w.server.Totals(name).Usage)
	}
	if !w.live.tells(Beside) {
		total = total.Sub(main.Beside)
	}
	if w.live.Uncached {
		total.Input, total.CacheWrite = total.Input+total.CacheWrite, 0
	}
	return total
}

// used holds the figures to what the server counted.
func (s *session) used(others ...string) {
	s.t.Helper()
	want, total := s.server.Totals("main"), s.served(others...)
	got, context, window := s.sum()
	if got != total {
		s.t.Errorf("it says it used %+v, the model served %+v", got, total)
	}
	if s.live.tells(Context) && context != want.Last.All()+want.Last.Output || context == 0 {
		s.t.Errorf("its context is %d, the model saw %d", context, want.Last.All()+want.Last.Output)
	}
	if window < context && s.live.tells(Window) || window > 0 && !s.live.tells(Window) {
		s.t.Errorf("its window is %d", window)
	}
}

func (s *session) of(k watch.Kind) []watch.Act {
	return slices.DeleteFunc(slices.Clone(s.evs), func(ev watch.Act) bool { return ev.Kind != k })
}

// work: a file written, a command run, and every figure right.
func work(w *world) {
	w.play(
		modelserver.Turn{Thinking: "First the file.", Text: "I write it.", Calls: []modelserver.Call{{Do: modelserver.Write, Path: "hello.txt", Text: "hello\n"}}},
		modelserver.Turn{Calls: []modelserver.Call{{Do: modelserver.Run, Line: "sh -c 'cat hello.txt > made.txt; echo seen'"}}},
		modelserver.Turn{Calls: []modelserver.Call{{Do: modelserver.Run, Line: "sh -c 'echo no good; exit 3'"}}},
		modelserver.Turn{Text: "All is done."},
	)
	s := w.start(agents.Task{})
	s.finished()
	if w.file("hello.txt") != "hello\n" || w.file("made.txt") != "hello\n" {
		w.t.Errorf("files: %q, %q", w.file("hello.txt"), w.file("made.txt"))
	}
	calls, results := s.of(watch.Call), s.of(watch.Result)
	if len(calls) != 3 || len(results) != 3 || !slices.Contains(calls[0].Paths, "hello.txt") || len(calls[1].Paths) != 0 {
		w.t.Fatalf("calls %+v, results %+v", calls, results)
	}
	for i := range calls {
		if calls[i].ID != results[i].ID {
			w.t.Errorf("call %q has result %q", calls[i].ID, results[i].ID)
		}
	}
	if results[1].Failed || !strings.Contains(results[1].Output, "seen") || results[2].Failed == w.live.Mute || !strings.Contains(results[2].Output, "no good") {
		w.t.Errorf("results %+v", results)
	}
	if says := s.of(watch.Say); len(says) == 0 || says[len(says)-1].Text != "All is done." {
		w.t.Errorf("it said %+v", says)
	}
	if n := len(s.of(watch.Turn)); n != 4 {
		w.t.Errorf("%d turns", n)
	}
	s.used()
}

// subagent: what a sub-agent did and used is seen too.
func subagent(w *world) {
	w.play(
		modelserver.Turn{Calls: []modelserver.Call{{Do: modelserver.Agent, Text: "Look around. " + modelserver.Mark("sub")}}},
		modelserver.Turn{Text: "Done."},
	)
	w.server.Play("sub", modelserver.Script{Turns: []modelserver.Turn{
		{Calls: []modelserver.Call{{Do: modelserver.Write, Path: "sub.txt", Text: "x\n"}}}, {Text: "Looked."},
	}})
	s := w.start(agents.Task{})
	s.finished()
	paths := slices.ContainsFunc(s.evs, func(ev watch.Act) bool { return slices.Contains(ev.Paths, "sub.txt") })
	if w.file("sub.txt") != "x\n" || !paths {
		w.t.Errorf("the sub-agent's work is not seen: %q, %v", w.file("sub.txt"), paths)
	}
	s.used("sub")
}

// ask: a question waits for you, and their answer reaches the model.
func ask(w *world) {
	w.play(
		modelserver.Turn{Calls: []modelserver.Call{{Do: modelserver.Ask, Text: "Strict or fuzzy?", Options: []string{"Strict", "Fuzzy"}}}},
		modelserver.Turn{Text: "So be it."},
	)
	s := w.start(agents.Task{})
	ev := s.untilKind(watch.Ask)
	if !strings.Contains(ev.Text, "Strict or fuzzy?") || !strings.Contains(ev.Text, "Fuzzy") {
		w.t.Errorf("it asked %q", ev.Text)
	}
	s.say(agents.Word{Kind: agents.Tell, ID: "a", Text: "fuzzy"})
	s.finished()
	if last := w.lastBody(); !strings.Contains(last, `=\"Fuzzy\"`) && !strings.Contains(last, "Fuzzy") {
		w.t.Errorf("the answer did not reach the model: %s", last)
	}
	s.used()
}

// lastBody is the last request of the script, as it came.
func (w *world) lastBody() string {
	records := w.server.Records()
	for _, r := range slices.Backward(records) {
		if r.Conversation == "main" && !r.Request.Aside() {
			return string(r.Body)
		}
	}
	return ""
}

// planning: nothing is written, whatever the model tries, and the plan is handed
// in.
func planning(w *world) {
	const plan = "# The plan\n\nFirst this, then that.\n"
	w.play(
		modelserver.Turn{Calls: []modelserver.Call{{Do: modelserver.Write, Path: "no.txt", Text: "x"}}},
		modelserver.Turn{Calls: []modelserver.Call{{Do: modelserver.Run, Line: "sh -c 'echo x > no2.txt'"}}},
		modelserver.Turn{Text: "Here it is:\n\n```kedge-plan\n" + plan + "```\nThat is all."},
	)
	s := w.start(agents.Task{ReadOnly: true, Purpose: "plan"})
	s.finished()
	if w.file("no.txt") != "" || w.file("no2.txt") != "" {
		w.t.Error("a planning session wrote a file")
	}
	if plans := s.of(watch.PlanText); len(plans) != 1 || plans[0].Text != plan {
		w.t.Errorf("plans %+v", plans)
	}
}

// handIn: a plan that is handed in by the program's own means, and questions that
// a planning session asks, are heard; nothing is begun on it.
func handIn(w *world) {
	const plan = "# The plan\n\nFirst this, then that.\n"
	w.play(
		modelserver.Turn{Calls: []modelserver.Call{{Do: modelserver.Ask, Text: "Strict or fuzzy?", Options: []string{"Strict", "Fuzzy"}}}},
		modelserver.Turn{Calls: []modelserver.Call{{Do: modelserver.Write, Path: filepath.Join(w.home, ".claude", "plans", "p.md"), Text: plan}}},
		modelserver.Turn{Calls: []modelserver.Call{{Do: modelserver.Plan, Text: plan}}},
		modelserver.Turn{Calls: []modelserver.Call{{Do: modelserver.Write, Path: "no.txt", Text: "x"}}},
		modelserver.Turn{Text: "Done."},
	)
	s := w.start(agents.Task{ReadOnly: true, Purpose: "plan"})
	s.finished()
	if plans := s.of(watch.PlanText); len(plans) != 1 || plans[0].Text != plan {
		w.t.Errorf("plans %+v", plans)
	}
	if asked := s.of(watch.Question); len(asked) != 1 || !strings.Contains(asked[0].Text, "Strict or fuzzy?") {
		w.t.Errorf("questions %+v", asked)
	}
	if w.file("no.txt") != "" {
		w.t.Error("a planning session wrote a file")
	}
}

// compact: a context that is shortened is told, with how full it is then.
func compact(w *world) {
	var turns []modelserver.Turn
	for i := range 6 {
		turns = append(turns, modelserver.Turn{Text: words(10*i, 10*i+10), Calls: []modelserver.Call{{Do: modelserver.Run, Line: "seq 1 " + strconv.Itoa(20+i)}}})
	}
	last := modelserver.Turn{Text: "Done."}
	switch full := (&modelserver.Usage{Input: w.live.Full, Output: 5}); {
	case full.Input == 0:
		last.Faults = []modelserver.Fault{{Kind: modelserver.TooLong}}
	case w.live.Late:
		last.Usage = full
	default:
		turns[5].Usage = full
	}
	turns = append(turns, last)
	w.play(turns...)
	s := w.start(agents.Task{})
	s.finished()
	if n := len(s.of(watch.Compact)); n != 1 {
		w.t.Errorf("compacted %d times", n)
	}
	s.used()
}

// steer: what a person says while it works reaches the model.
func steer(w *world) {
	w.play(
		modelserver.Turn{Calls: []modelserver.Call{{Do: modelserver.Run, Line: "sh -c 'touch ready; while ! [ -e go ]; do sleep 0.1; done'"}}},
		modelserver.Turn{Calls: []modelserver.Call{{Do: modelserver.Run, Line: "sh -c 'echo two'"}}},
		modelserver.Turn{Text: "Done."},
	)
	s := w.start(agents.Task{})
	s.untilFile("ready")
	s.say(agents.Word{Kind: agents.Tell, ID: "b", Text: "use the blue one"})
	w.put("go", "")
	s.finished()
	if !strings.Contains(w.lastBody(), "use the blue one") {
		w.t.Error("what was said did not reach the model")
	}
	s.used()
}

// untilFile waits for a file of the worktree.
func (s *session) untilFile(name string) {
	s.t.Helper()
	s.untilTrue("there is no "+name, func() bool {
		m, _ := filepath.Glob(filepath.Join(s.tree, name))
		return len(m) > 0
	})
}

// untilAsked waits until the model was asked so often.
func (s *session) untilAsked(times int) {
	s.t.Helper()
	s.untilTrue("the model was not asked "+strconv.Itoa(times)+" times", func() bool {
		n := 0
		for _, r := range s.server.Records() {
			if r.Conversation == "main" && !r.Request.Aside() {
				n++
			}
		}
		return n >= times
	})
}

// untilHalf waits until the model was asked so often, and stalls in a reply, and until
// the program has read the words that came of it, where it prints pieces of replies.
func (s *session) untilHalf(times int, words string) {
	s.t.Helper()
	s.untilAsked(times)
	s.untilTrue("it prints nothing of what it reads", func() bool {
		return s.live.Whole || bytes.Contains(s.printed(), []byte(words))
	})
}

func (s *session) untilTrue(never string, ok func() bool) {
	s.t.Helper()
	limit, tick := time.NewTimer(patience), time.NewTicker(20*time.Millisecond)
	defer limit.Stop()
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-limit.C:
			s.t.Fatalf("%s\n%s", never, s.tail())
		}
	}
}

// interrupt: the turn stops, the session lives on, and is told what to do next.
func interrupt(w *world) {
	w.play(
		modelserver.Turn{Calls: []modelserver.Call{{Do: modelserver.Run, Line: "sh -c 'touch ready; sleep 100000'"}}},
		modelserver.Turn{Text: "The other thing is done."},
	)
	s := w.start(agents.Task{})
	s.untilFile("ready")
	s.untilKind(watch.Call) // some tell of a call when it runs already, and of one that is interrupted before never
	s.say(agents.Word{Kind: agents.Interrupt, ID: "c"})
	s.untilKind(watch.Result) // of a command that never ends by itself
	s.say(agents.Word{Kind: agents.Tell, ID: "dd", Text: "do the other thing " + modelserver.Mark("main")})
	s.finished()
	if says := s.of(watch.Say); len(says) == 0 || says[len(says)-1].Text != "The other thing is done." {
		w.t.Errorf("it said %+v", says)
	}
}

// resume: a later session goes on with the conversation of an earlier one.
func resume(w *world) {
	w.play(modelserver.Turn{Text: "The word is swordfish."}, modelserver.Turn{Text: "Still swordfish."})
	s := w.start(agents.Task{Model: w.live.model()})
	e := s.wait()
	if e.Meaning != agents.Finished || e.Conversation == "" {
		w.t.Fatalf("ended as %+v", e)
	}
	again := w.start(agents.Task{Model: w.live.model(), Resume: e.Conversation})
	got := again.wait()
	if lost := w.live.Forgets; lost != "" && got.Meaning == agents.Failed && strings.Contains(got.Text, lost) {
		w.t.Logf("it lost the conversation: a run goes on with a fresh session")
		return
	}
	if got.Meaning != agents.Finished || got.Conversation != e.Conversation {
		w.t.Errorf("ended as %+v, after %+v", got, e)
	}
	if !strings.Contains(w.lastBody(), "The word is swordfish.") {
		w.t.Error("the model does not see the conversation before")
	}
	one, _, _ := s.sum()
	two, _, _ := again.sum()
	if sum, all := one.Add(two), w.served(); sum != all {
		w.t.Errorf("they say that they used %+v and %+v, the model served %+v", one, two, all)
	}
}

func faults(n int, f modelserver.Fault) []modelserver.Fault {
	return slices.Repeat([]modelserver.Fault{f}, n)
}

// retry: a limit that passes is told, and overcome.
func retry(w *world) {
	w.play(modelserver.Turn{Text: "Done.", Faults: []modelserver.Fault{{Kind: modelserver.RateLimit, RetryAfter: 1}}})
	s := w.start(agents.Task{})
	s.finished()
	if limits := s.of(watch.Limit); w.live.tells(Retries) != (len(limits) > 0) || len(limits) > 0 && !w.live.Curt && !limits[0].Until.After(printed()) {
		w.t.Errorf("limits %+v", limits)
	}
	s.used()
}

// overloaded: a provider that stays away is a limit, not the agent's failure.
func overloaded(w *world) {
	w.play(modelserver.Turn{Text: "Done.", Faults: faults(50, modelserver.Fault{Kind: modelserver.Overloaded})})
	s := w.start(agents.Task{})
	if e := s.wait(); e.Meaning != agents.Limited {
		w.t.Errorf("ended as %+v", e)
	}
}

func nologin(w *world) {
	w.play(modelserver.Turn{Text: "Done.", Faults: faults(50, modelserver.Fault{Kind: modelserver.Unauthorized})})
	s := w.start(agents.Task{})
	if e := s.wait(); e.Meaning != agents.NoLogin {
		w.t.Errorf("ended as %+v", e)
	}
}

// toolong: a prompt that never fits is a failure with its cause.
func toolong(w *world) {
	w.play(modelserver.Turn{Text: "Done.", Faults: faults(50, modelserver.Fault{Kind: modelserver.TooLong})})
	s := w.start(agents.Task{})
	if e := s.wait(); e.Meaning != agents.Failed || !strings.Contains(strings.ToLower(e.Text), "too long") {
		w.t.Errorf("ended as %+v", e)
	}
}

// words are many, and no two sentences are the same: some programs take what
// comes again for a loop.
func words(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		b.WriteString("Sentence number " + strconv.Itoa(i*i) + " of them. ")
	}
	return b.String()
}

// cutOff: a stream that breaks is made good, and counted once.
func cutOff(w *world) {
	w.play(modelserver.Turn{Text: words(0, 40), Faults: []modelserver.Fault{{Kind: modelserver.Stall}}}, modelserver.Turn{Text: "Done."})
	s := w.start(agents.Task{})
	s.untilHalf(1, "Sentence number")
	w.server.Cut()
	s.finished()
	s.used()
}

// kill: a session is ended with everything that it started, also what ignores
// signals.
func kill(w *world) {
	w.play(modelserver.Turn{Calls: []modelserver.Call{{
		Do: modelserver.Run, Line: "sh -c 'trap \"\" INT TERM HUP; touch ready; while :; do sleep 1; done; : " + w.root + "'",
	}}})
	s := w.start(agents.Task{})
	s.untilFile("ready")
	if n := w.processes(); n == 0 {
		w.t.Fatal("what it runs is not found")
	}
	if err := s.client.End(w.t.Context(), time.Second); err != nil {
		w.t.Fatal(err)
	}
	s.wait()
	if n := w.processes(); n > 0 {
		w.t.Errorf("%d processes that it started are still there", n)
	}
}

// processes counts those that have the scenario's folder in their arguments.
func (w *world) processes() int {
	w.t.Helper()
	out, err := exec.CommandContext(w.t.Context(), "ps", "-eww", "-o", "args").Output()
	if err != nil {
		w.t.Fatal(err)
	}
	return strings.Count(string(out), w.root)
}
