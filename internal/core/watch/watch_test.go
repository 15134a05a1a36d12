package watch_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"kedge/internal/core/watch"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func n(i int64) *int64 { return &i }

// eye feeds a watcher and keeps what it says.
type eye struct {
	w    *watch.Watcher
	at   time.Time
	next int
	got  []watch.Signal
}

func newEye(change func(*watch.Limits)) *eye {
	l := watch.Usual()
	if change != nil {
		change(&l)
	}
	return &eye{w: watch.New(l), at: start}
}

func (e *eye) feed(ev watch.Act) *eye {
	e.at = e.at.Add(time.Second)
	ev.At = e.at
	e.got = append(e.got, e.w.Feed(ev)...)
	return e
}

// full reports how full the context is.
func (e *eye) full(model string, context, window int64) *eye {
	u := &watch.Used{Context: n(context), Model: model}
	if window > 0 {
		u.Window = n(window)
	}
	return e.feed(watch.Act{Kind: watch.Usage, Used: u})
}

// call is a call and its result; paths are what it changes.
func (e *eye) call(input, output string, failed bool, paths ...string) *eye {
	e.next++
	id := fmt.Sprint(e.next)
	e.feed(watch.Act{Kind: watch.Call, ID: id, Tool: "T", Input: input, Paths: paths})
	return e.feed(watch.Act{Kind: watch.Result, ID: id, Output: output, Failed: failed})
}

func (e *eye) turn(text string) *eye { return e.feed(watch.Act{Kind: watch.Turn, Text: text}) }

func (e *eye) step(text string) *eye { return e.feed(watch.Act{Kind: watch.Step, Text: text}) }

// said are the signals as "kind advice".
func (e *eye) said(kinds ...watch.SignalKind) string {
	var out []string
	for _, s := range e.got {
		if s.At.IsZero() || s.Reason == "" {
			return fmt.Sprintf("a signal without a time or a reason: %+v", s)
		}
		for _, k := range kinds {
			if s.Kind == k {
				out = append(out, strings.TrimSpace(string(s.Kind)+" "+string(s.Advice)))
			}
		}
	}
	return strings.Join(out, ", ")
}

func (e *eye) want(t *testing.T, want string, kinds ...watch.SignalKind) {
	t.Helper()
	if got := e.said(kinds...); got != want {
		t.Errorf("signals %q, want %q", got, want)
	}
}

// TestRow77HandsOverAt70Percent: a checkpoint at 60 %, the end at 70 %, by the
// window of each model.
func TestRow77HandsOverAt70Percent(t *testing.T) {
	for _, c := range []struct {
		name  string
		sizes [][2]int64
		model string
		limit func(*watch.Limits)
		want  string
	}{
		{"below", [][2]int64{{59, 100}}, "", nil, ""},
		{"checkpoint once", [][2]int64{{60, 100}, {65, 100}, {69, 100}}, "", nil, "pressure save"},
		{"then the end, once", [][2]int64{{60, 100}, {70, 100}, {80, 100}}, "", nil, "pressure save, pressure handoff"},
		{"at once", [][2]int64{{99, 100}}, "", nil, "pressure handoff"},
		{"by model", [][2]int64{{70, 0}}, "small-1", func(l *watch.Limits) {
			l.Windows = []watch.Window{{Pattern: "*", Tokens: 1000}, {Pattern: "small-*", Tokens: 100}}
		}, "pressure handoff"},
		{"another model", [][2]int64{{70, 0}}, "large-1", func(l *watch.Limits) {
			l.Windows = []watch.Window{{Pattern: "*", Tokens: 1000}, {Pattern: "small-*", Tokens: 100}}
		}, ""},
		{"what people set counts more than what the agent believes", [][2]int64{{70, 1000}}, "m", func(l *watch.Limits) {
			l.Windows = []watch.Window{{Pattern: "m", Tokens: 100}}
		}, "pressure handoff"},
		{"thresholds", [][2]int64{{30, 100}, {40, 100}}, "", func(l *watch.Limits) { l.Checkpoint, l.Handover = 0.3, 0.4 }, "pressure save, pressure handoff"},
		{"a share of the model's own", [][2]int64{{45, 100}, {50, 100}}, "big-1", func(l *watch.Limits) {
			l.Handovers = []watch.Share{{Pattern: "*", Of: 0.9}, {Pattern: "big-*", Of: 0.5}}
		}, "pressure handoff"},
		{"the share of another model", [][2]int64{{45, 100}, {62, 100}}, "small-1", func(l *watch.Limits) {
			l.Handovers = []watch.Share{{Pattern: "big-*", Of: 0.5}}
		}, "pressure save"},
		{"unknown window", [][2]int64{{90_000, 0}, {100_000, 0}}, "", nil, "pressure save, pressure handoff"},
		{"nothing known", [][2]int64{{0, 0}}, "", nil, ""},
		{"switched off", [][2]int64{{99, 100}}, "", func(l *watch.Limits) { l.Checkpoint, l.Handover = 0, 0 }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEye(c.limit)
			for _, s := range c.sizes {
				e.full(c.model, s[0], s[1])
			}
			e.want(t, c.want, watch.Pressure)
		})
	}
}

func TestPressureAfterACompaction(t *testing.T) {
	e := newEye(nil).full("", 75, 100).feed(watch.Act{Kind: watch.Compact}).turn("").full("", 30, 100).full("", 62, 100)
	e.want(t, "pressure handoff, pressure save", watch.Pressure)
}

func TestBudgetOfTheSession(t *testing.T) {
	e := newEye(func(l *watch.Limits) { l.SessionTokens = 100 })
	for range 3 {
		e.feed(watch.Act{Kind: watch.Usage, Used: &watch.Used{Input: n(20), CacheRead: n(500), CacheWrite: n(10), Output: n(10)}})
	}
	e.want(t, "budget handoff", watch.Budget)
	if !strings.Contains(e.got[0].Reason, "120 of its 100") {
		t.Errorf("because %q", e.got[0].Reason)
	}
}

// TestRow82DoesNotEndInTheMiddle: inside an item of several steps, and while a
// failing check is narrowed down, the context is shortened instead.
func TestRow82DoesNotEndInTheMiddle(t *testing.T) {
	steps := func(l *watch.Limits) { l.Steps, l.Focus = 3, "the objective" }
	t.Run("steps", func(t *testing.T) {
		e := newEye(steps).step("one").full("", 72, 100).full("", 75, 100)
		e.want(t, "pressure shorten", watch.Pressure)
		if f := e.got[0].Focus; !strings.Contains(f, "the objective") || !strings.Contains(f, "one") {
			t.Errorf("focus %q", f)
		}
		e.step("two")
		e.want(t, "pressure shorten, pressure handoff", watch.Pressure)
	})
	t.Run("before the first and after the last step", func(t *testing.T) {
		newEye(steps).full("", 72, 100).want(t, "pressure handoff", watch.Pressure)
		newEye(steps).step("1").step("2").step("3").full("", 72, 100).want(t, "pressure handoff", watch.Pressure)
	})
	t.Run("but not for ever", func(t *testing.T) {
		newEye(steps).step("one").full("", 72, 100).full("", 86, 100).want(t, "pressure shorten, pressure handoff", watch.Pressure)
	})
	t.Run("a debugging thread", func(t *testing.T) {
		e := newEye(nil).call("go test", "panic: 3", true).call("edit 1", "ok", false, "a.go").call("go test", "panic: 2", true).full("", 72, 100)
		e.want(t, "pressure shorten", watch.Pressure)
		if f := e.got[0].Focus; !strings.Contains(f, "go test") {
			t.Errorf("focus %q", f)
		}
	})
	t.Run("a check that fails the same way is no thread", func(t *testing.T) {
		newEye(nil).call("go test", "x", true).call("e", "", false, "a.go").call("go test", "x", true).full("", 72, 100).
			want(t, "pressure handoff", watch.Pressure)
	})
	t.Run("and a green one neither", func(t *testing.T) {
		newEye(nil).call("go test", "x", true).call("e", "", false, "a.go").call("go test", "y", true).call("go test", "ok", false).full("", 72, 100).
			want(t, "pressure handoff", watch.Pressure)
	})
	t.Run("circling is in the middle of nothing", func(t *testing.T) {
		e := newEye(steps).step("one")
		for range 3 {
			e.call("ls", "a", false)
		}
		e.want(t, "circling handoff", watch.Circling)
	})
}

// TestRow48Circling: equal calls with equal results three times, near-equal
// turns, A-B-A-B.
func TestRow48Circling(t *testing.T) {
	long := "I will now look at the parser again and see whether the second branch of the switch is taken when the flag is set"
	for _, c := range []struct {
		name string
		do   func(e *eye)
		want string
	}{
		{"three equal", func(e *eye) {
			e.call("ls", "a", false).call("ls", "a", false).call("ls", "a", false).call("ls", "a", false)
		}, "circling handoff"},
		{"two equal", func(e *eye) { e.call("ls", "a", false).call("ls", "a", false) }, ""},
		{"other results", func(e *eye) { e.call("ls", "a", false).call("ls", "b", false).call("ls", "c", false) }, ""},
		{"not in a row", func(e *eye) {
			e.call("ls", "a", false).call("x", "1", false).call("ls", "a", false).call("y", "2", false).call("ls", "a", false)
		}, "circling handoff"},
		{"with changes between", func(e *eye) {
			for i := range 5 {
				e.call(fmt.Sprint("edit ", i), "ok", false, "a.go").call("go test", "FAIL", true)
			}
		}, ""},
		{"with the same change between", func(e *eye) {
			for range 3 {
				e.call("edit", "ok", false, "a.go").call("go test", "FAIL", true)
			}
		}, "circling handoff"},
		{"A-B-A-B", func(e *eye) {
			e.call("a", "1", false).call("b", "2", false).call("a", "1", false).call("b", "2", false)
		}, "circling handoff"},
		{"A-B-A", func(e *eye) { e.call("a", "1", false).call("b", "2", false).call("a", "1", false) }, ""},
		{"A-B-C-A-B-C", func(e *eye) {
			for range 2 {
				e.call("a", "1", false).call("b", "2", false).call("c", "3", false)
			}
		}, "circling handoff"},
		{"near-equal turns", func(e *eye) { e.turn(long).turn(strings.Replace(long, "second", "third", 1)) }, "circling handoff"},
		{"turns that differ", func(e *eye) {
			e.turn(long).turn("Now something else entirely has to be done with the configuration of the build and its cache folder")
		}, ""},
		{"short turns", func(e *eye) { e.turn("ok").turn("ok").turn("ok") }, ""},
		{"near-equal turns with work between", func(e *eye) { e.turn(long).call("edit", "ok", false, "a.go").turn(long) }, ""},
		{"after a compaction it may look again", func(e *eye) {
			e.call("ls", "a", false).call("ls", "a", false).feed(watch.Act{Kind: watch.Compact}).call("ls", "a", false)
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEye(nil)
			c.do(e)
			e.want(t, c.want, watch.Circling)
		})
	}
}

// The three kinds of stall.
func TestStall(t *testing.T) {
	tick := func(doing watch.Doing, silent time.Duration) func(e *eye) {
		return func(e *eye) {
			e.got = append(e.got, e.w.Tick(e.at.Add(silent), watch.Activity{Doing: doing, For: silent})...)
		}
	}
	for _, c := range []struct {
		name string
		do   []func(e *eye)
		want string
	}{
		{"hung", []func(e *eye){tick(watch.DoingNothing, 15*time.Minute)}, "stalled break"},
		{"not yet", []func(e *eye){tick(watch.DoingNothing, 14*time.Minute)}, ""},
		{"spinning", []func(e *eye){tick(watch.DoingCompute, 15*time.Minute), tick(watch.DoingCompute, 45*time.Minute)}, "stalled break"},
		{"silent, nobody knows how", []func(e *eye){tick(watch.DoingSilently, 15*time.Minute), tick(watch.DoingSilently, 45*time.Minute)}, "stalled break"},
		{"working", []func(e *eye){tick(watch.DoingWork, 9*time.Hour)}, ""},
		{"unknown", []func(e *eye){tick(watch.DoingUnknown, 9*time.Hour)}, ""},
		{"once", []func(e *eye){tick(watch.DoingNothing, time.Hour), tick(watch.DoingNothing, 2*time.Hour)}, "stalled break"},
		{"again after work", []func(e *eye){tick(watch.DoingNothing, time.Hour), func(e *eye) { e.turn("") }, tick(watch.DoingNothing, time.Hour)}, "stalled break, stalled break"},
		{
			"waiting for a person",
			[]func(e *eye){func(e *eye) { e.feed(watch.Act{Kind: watch.Ask, Text: "which?"}) }, tick(watch.DoingNothing, 59*time.Second), tick(watch.DoingNothing, time.Minute)},
			"waiting person",
		},
		{
			"asked, and does nothing before the answer",
			[]func(e *eye){func(e *eye) { e.feed(watch.Act{Kind: watch.Ask, ID: "1", Text: "which?"}) }, tick(watch.DoingNothing, time.Hour)},
			"waiting person",
		},
		{
			"asked and went on",
			[]func(e *eye){func(e *eye) { e.feed(watch.Act{Kind: watch.Ask, Text: "which?"}).turn("") }, tick(watch.DoingNothing, time.Minute)},
			"",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEye(nil)
			for _, do := range c.do {
				do(e)
			}
			e.want(t, c.want, watch.Stall, watch.Waiting)
			for _, s := range e.got {
				if s.Kind == watch.Waiting && s.Text != "which?" {
					t.Errorf("asked %q", s.Text)
				}
			}
		})
	}
}

func TestProviderLimit(t *testing.T) {
	until := start.Add(time.Hour)
	e := newEye(nil).feed(watch.Act{Kind: watch.Limit, Until: until}).feed(watch.Act{Kind: watch.Limit})
	e.want(t, "provider_limit, provider_limit", watch.Provider)
	if !e.got[0].Until.Equal(until) || !strings.Contains(e.got[0].Reason, "2026-01-02T04:04:05Z") || !e.got[1].Until.IsZero() {
		t.Errorf("signals %+v", e.got)
	}
}

// TestRow81FourHoursWithoutCompaction: handed off at the next end of a turn.
func TestRow81FourHoursWithoutCompaction(t *testing.T) {
	e := newEye(nil).turn("")
	e.at = start.Add(3*time.Hour + 59*time.Minute)
	e.turn("").want(t, "", watch.Age)
	e.at = start.Add(4 * time.Hour)
	e.call("x", "y", false).want(t, "", watch.Age)
	e.turn("").want(t, "age handoff", watch.Age)
	e.turn("").want(t, "age handoff", watch.Age)

	e = newEye(nil).turn("")
	e.at = start.Add(3 * time.Hour)
	e.feed(watch.Act{Kind: watch.Compact})
	e.at = start.Add(5 * time.Hour)
	e.turn("").want(t, "", watch.Age)
	e.at = start.Add(7*time.Hour + time.Minute)
	e.turn("").want(t, "age handoff", watch.Age)
}

// TestRow58CheckpointEvery30Minutes of work.
func TestRow58CheckpointEvery30Minutes(t *testing.T) {
	e := newEye(nil)
	for range 7 {
		e.turn("").at = e.at.Add(10 * time.Minute)
	}
	e.want(t, "periodic save, periodic save", watch.Periodic)
}

// TestRow80FallingQuality: more and more turns go wrong.
func TestRow80FallingQuality(t *testing.T) {
	bad := func(e *eye, i int) { e.call(fmt.Sprint("try ", i), fmt.Sprint("no ", i), true).turn("") }
	good := func(e *eye, i int) { e.call(fmt.Sprint("do ", i), "yes", false).turn("") }
	t.Run("falls", func(t *testing.T) {
		e := newEye(nil)
		for i := range 10 {
			good(e, i)
		}
		for i := range 6 {
			bad(e, i)
		}
		e.want(t, "quality handoff", watch.Quality)
		if !strings.Contains(e.got[0].Reason, "6 of the last 10") {
			t.Errorf("because %q", e.got[0].Reason)
		}
	})
	t.Run("as bad as ever", func(t *testing.T) {
		e := newEye(func(l *watch.Limits) { l.Failures = 11 })
		for i := range 30 {
			bad(e, i)
		}
		e.want(t, "", watch.Quality)
	})
	t.Run("good", func(t *testing.T) {
		e := newEye(nil)
		for i := range 30 {
			good(e, i)
		}
		e.want(t, "", watch.Quality)
	})
	t.Run("refusals", func(t *testing.T) {
		e := newEye(nil)
		for range 4 {
			e.turn("fine")
		}
		for range 6 {
			e.feed(watch.Act{Kind: watch.Say, Text: "I’m unable to do that"}).turn("")
		}
		e.want(t, "quality handoff", watch.Quality)
	})
	t.Run("narrowing a failing check", func(t *testing.T) {
		e := newEye(nil)
		for i := range 10 {
			e.call(fmt.Sprint("edit ", i), "ok", false, "a.go").call("go test", fmt.Sprint("fails at ", i), true).turn("")
		}
		e.want(t, "quality shorten", watch.Quality)
	})
}

func TestOutOfScope(t *testing.T) {
	e := newEye(func(l *watch.Limits) { l.Paths = []string{"src/**", "go.mod"} })
	e.call("1", "", false, "src/a/b.go", "go.mod").want(t, "", watch.Scope)
	e.call("2", "", false, "docs/x.md").call("3", "", false, "docs/x.md").call("4", "", false, "../else", "/etc/hosts", ".kedge/gate.toml")
	e.want(t, "out_of_scope, out_of_scope, out_of_scope, out_of_scope", watch.Scope)
	newEye(nil).call("1", "", false, "anything").want(t, "", watch.Scope)
	newEye(nil).call("1", "", false, "AGENT_CONTEXT.md").want(t, "out_of_scope", watch.Scope)
}

// Edits and commands against what was decided or ruled out.
func TestPromptDrift(t *testing.T) {
	rules := append(watch.ConstraintRules([]string{
		"- Never edit `db/schema.sql` or `migrations/**`.",
		"2. Do not run `git push`.",
		"Use `gofmt`.",
	}), watch.RejectedRule("dec-1 required flags", []string{"cmd/**"}, []string{"positional arguments", "legacy/**"}))
	if len(rules) != 3 || !reflect.DeepEqual(rules[0].Paths, []string{"db/schema.sql", "migrations/**"}) || !reflect.DeepEqual(rules[1].Words, []string{"git push"}) {
		t.Fatalf("rules %+v", rules)
	}
	eyed := func() *eye { return newEye(func(l *watch.Limits) { l.Rules = rules }) }
	for _, c := range []struct {
		name, input string
		paths       []string
		want        string
	}{
		{"a forbidden path", "x", []string{"migrations/1.sql"}, "prompt_drift"},
		{"a forbidden command", "cd x && git  push origin", nil, "prompt_drift"},
		{"another command", "git pushed", nil, ""},
		{"what a decision rejected, where it applies", "func f() // Positional arguments", []string{"cmd/a.go"}, "prompt_drift"},
		{"elsewhere", "positional arguments", []string{"docs/a.md"}, ""},
		{"a ruled-out path", "x", []string{"legacy/a.go"}, "prompt_drift"},
		{"work", "x", []string{"cmd/a.go"}, ""},
		{"gofmt", "gofmt -w .", nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			eyed().call(c.input, "", false, c.paths...).want(t, c.want, watch.Drift)
		})
	}
	eyed().call("x", "", false, "legacy/a").call("y", "", false, "legacy/b").want(t, "prompt_drift", watch.Drift)
	eyed().call("x", "", false, "legacy/a").call("git push", "", false).want(t, "prompt_drift, prompt_drift handoff", watch.Drift)
}

// TestRow42ModeConfusion: a planning session that edits, an execution session
// that returns a plan, or only talks.
func TestRow42ModeConfusion(t *testing.T) {
	planning := func(l *watch.Limits) { l.Planning = true }
	end := func(e *eye, claimed bool) *eye { e.got = append(e.got, e.w.End(e.at, claimed)...); return e }
	newEye(planning).call("read", "", false).want(t, "", watch.Confusion)
	newEye(planning).call("edit", "", false, "a.go").call("edit", "", false, "b.go").want(t, "mode_confusion", watch.Confusion)
	newEye(planning).feed(watch.Act{Kind: watch.PlanText, Text: "# plan"}).want(t, "", watch.Confusion)
	end(newEye(planning).turn("a plan"), true).want(t, "", watch.Confusion)
	newEye(nil).feed(watch.Act{Kind: watch.PlanText, Text: "# plan"}).want(t, "mode_confusion", watch.Confusion)
	end(newEye(nil).turn("I would do this, then that"), true).want(t, "mode_confusion", watch.Confusion)
	end(newEye(nil).turn("I would"), false).want(t, "", watch.Confusion)
	end(newEye(nil).call("edit", "", false, "a.go").turn(""), true).want(t, "", watch.Confusion)
	end(newEye(nil).call("go generate", "", false).turn(""), true).want(t, "", watch.Confusion)
	end(newEye(nil), true).want(t, "", watch.Confusion)
	e := newEye(nil)
	for i := range 12 {
		e.turn(fmt.Sprint("thought ", i))
	}
	e.want(t, "mode_confusion handoff", watch.Confusion)
}

// The same events give the same signals: an adopted session is read again.
func TestDeterministic(t *testing.T) {
	play := func() []watch.Signal {
		e := newEye(func(l *watch.Limits) { l.Steps, l.Paths, l.SessionTokens = 2, []string{"a/**"}, 50 })
		for i := range 40 {
			e.call(fmt.Sprint(i%3), fmt.Sprint(i%2), i%4 == 0, fmt.Sprint("b/", i%5)).turn(fmt.Sprint(i)).full("m", int64(i*3), 100)
			e.feed(watch.Act{Kind: watch.Usage, Used: &watch.Used{Output: n(3)}})
		}
		return e.got
	}
	if a, b := play(), play(); len(a) < 5 || !reflect.DeepEqual(a, b) {
		t.Errorf("%d and %d signals differ", len(a), len(b))
	}
}

func FuzzWatcher(f *testing.F) {
	f.Add([]byte("\x00\x01\x02\x03\x04\x05\x06\x07"), "text with `path/*` never")
	f.Fuzz(func(t *testing.T, kinds []byte, text string) {
		all := []watch.Kind{watch.Usage, watch.Say, watch.Ask, watch.Call, watch.Result, watch.Turn, watch.Compact, watch.Limit, watch.Step, watch.PlanText}
		e := newEye(func(l *watch.Limits) {
			l.Rules = watch.ConstraintRules([]string{text})
			l.Paths = []string{"a/*"}
			l.Steps = 2
		})
		for i, k := range kinds {
			ev := watch.Act{Kind: all[int(k)%len(all)], ID: fmt.Sprint(k % 7), Text: text, Input: text, Output: text, Failed: k%2 == 0}
			if k%3 == 0 {
				ev.Paths = []string{text}
			}
			if k%5 != 0 {
				ev.Used = &watch.Used{Context: n(int64(i) - 3), Window: n(int64(k) - 9), Input: n(int64(k))}
			}
			e.feed(ev)
		}
		e.got = append(e.got, e.w.Tick(e.at, watch.Activity{Doing: watch.DoingNothing, For: time.Hour})...)
		e.got = append(e.got, e.w.End(e.at, true)...)
		for _, s := range e.got {
			if s.Reason == "" || s.At.IsZero() || s.Kind == "" || s.Advice == watch.Shorten && s.Kind == watch.Circling {
				t.Errorf("signal %+v", s)
			}
		}
	})
}

// A program that speaks on and on and never ends a turn costs no more memory than
// one turn may, and no more time than it says words.
func TestEndlessTurnIsBounded(t *testing.T) {
	w := watch.New(watch.Usual())
	ev := watch.Act{Kind: watch.Say, At: start, Text: strings.Repeat("word ", 200)}
	for range 1000 { // far over what is kept
		w.Feed(ev)
	}
	if got := testing.AllocsPerRun(50, func() { w.Feed(ev) }); got != 0 {
		t.Errorf("what is said past the bound is still kept: %v allocations a word", got)
	}
}
