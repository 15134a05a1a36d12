package scripted_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/agents"
	"kedge/internal/agents/command"
	"kedge/internal/app/demo/scripted"
	"kedge/internal/core/watch"
)

// stage is a folder to play in, and what came of it.
type stage struct {
	dir  string
	env  map[string]string
	out  bytes.Buffer
	errs bytes.Buffer
	once []string
}

func newStage(t *testing.T) *stage {
	return &stage{dir: t.TempDir(), env: map[string]string{"KEDGE_FEATURE": "user", "KEDGE_PURPOSE": "implement"}}
}

func (s *stage) world(brief string) scripted.World {
	return scripted.World{
		Dir: s.dir, In: strings.NewReader(brief), Out: &s.out, Err: &s.errs, OneShot: s.once,
		Getenv: func(name string) string { return s.env[name] },
		Now:    func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) },
	}
}

func (s *stage) play(t *testing.T, script, brief string) int {
	t.Helper()
	parsed, err := scripted.Parse("script.json", []byte(script))
	if err != nil {
		t.Fatal(err)
	}
	s.out.Reset()
	return scripted.Run(context.Background(), parsed, s.world(brief))
}

// events are what the agent reported, read as Kedge reads it.
func (s *stage) events(t *testing.T, kinds ...watch.Kind) []watch.Act {
	t.Helper()
	a, err := command.New([]string{"x"})
	if err != nil {
		t.Fatal(err)
	}
	r := a.Reader(agents.Task{})
	evs, _ := r.Feed(s.out.Bytes(), time.Time{})
	if r.Broken() > 0 {
		t.Errorf("%d lines cannot be read:\n%s", r.Broken(), s.out.String())
	}
	var out []watch.Act
	for _, ev := range evs {
		for _, k := range kinds {
			if ev.Kind == k {
				out = append(out, ev)
			}
		}
	}
	return out
}

func (s *stage) file(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func (s *stage) put(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// one is a script of one play.
func one(actions string) string { return `{"version":1,"plays":[{"do":[` + actions + `]}]}` }

func TestFiles(t *testing.T) {
	s := newStage(t)
	s.put(t, "old.txt", "one two\n")
	s.put(t, "gone.txt", "x")
	code := s.play(t, one(`{"do":"write","path":"a/{{feature}}.txt","text":"{{attempt}} {{purpose}} {{number}}\n"},
		{"do":"append","path":"a/{{feature}}.txt","text":"more\n"},
		{"do":"replace","path":"old.txt","old":"two","new":"three"},
		{"do":"replace","path":"old.txt","old":"absent","new":"x"},
		{"do":"read","path":"nowhere"},
		{"do":"remove","path":"gone.txt"}`), "brief")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, s.errs.String())
	}
	if got := s.file(t, "a/user.txt"); got != "1 implement 1\nmore\n" {
		t.Errorf("written %q", got)
	}
	if got := s.file(t, "old.txt"); got != "one three\n" {
		t.Errorf("replaced %q", got)
	}
	if _, err := os.Stat(filepath.Join(s.dir, "gone.txt")); !os.IsNotExist(err) {
		t.Error("what was removed is there")
	}
	failed := 0
	for _, ev := range s.events(t, watch.Result) {
		if ev.Failed {
			failed++
		}
	}
	if failed != 2 {
		t.Errorf("%d failed calls, want 2", failed)
	}
	if calls := s.events(t, watch.Call); len(calls) < 6 || calls[0].Paths[0] != "a/user.txt" {
		t.Errorf("calls %v", calls)
	}
}

func TestRunAndEnds(t *testing.T) {
	for _, c := range []struct {
		name, actions string
		code          int
		exit          agents.Meaning
	}{
		{"run", `{"do":"run","line":"echo hi > hi.txt"}`, 0, agents.Finished},
		{"a failing line goes on", `{"do":"run","line":"exit 3"}`, 0, agents.Finished},
		{"unless it must not", `{"do":"run","line":"exit 3","must":true}`, 1, agents.Failed},
		{"done", `{"do":"done"},{"do":"exit","code":9}`, 0, agents.Finished},
		{"exit", `{"do":"exit","code":9}`, 9, agents.Failed},
		{"crash", `{"do":"crash","code":7}`, 7, agents.Failed},
		{"ask", `{"do":"ask","text":"which?"}`, 0, agents.Asked},
		{"limit", `{"do":"limit","for":"90s"}`, 1, agents.Limited},
		{"no login", `{"do":"no_login","text":"log in"}`, 1, agents.NoLogin},
		{"loop", `{"do":"loop","times":3,"actions":[{"do":"run","line":"echo x >> n"}]}`, 0, agents.Finished},
		{"pause", `{"do":"pause","for":"1ms"}`, 0, agents.Finished},
		{"talk", `{"do":"say","text":"a"},{"do":"step","text":"b"},{"do":"question","text":"c"},{"do":"plan","text":"# d"}`, 0, agents.Finished},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t)
			if code := s.play(t, one(c.actions), "b"); code != c.code {
				t.Errorf("exit %d, want %d: %s", code, c.code, s.errs.String())
			}
			a, _ := command.New([]string{"x"})
			r := a.Reader(agents.Task{})
			r.Feed(s.out.Bytes(), time.Time{})
			if e := r.Exit(c.code, "exited"); e.Meaning != c.exit {
				t.Errorf("its end means %q, want %q", e.Meaning, c.exit)
			}
			if c.name == "loop" && s.file(t, "n") != "x\nx\nx\n" {
				t.Errorf("looped %q", s.file(t, "n"))
			}
			if evs := s.events(t, watch.Limit); c.name == "limit" && !evs[0].Until.Equal(time.Date(2026, 1, 2, 3, 5, 35, 0, time.UTC)) {
				t.Errorf("limit until %v", evs[0].Until)
			}
		})
	}
}

func TestChoosesAPlay(t *testing.T) {
	const script = `{"version":1,"plays":[
		{"brief":"answer: blue","do":[{"do":"exit","code":40}]},
		{"feature":"user*","number":2,"do":[{"do":"exit","code":41}]},
		{"feature":"user*","attempt":2,"do":[{"do":"exit","code":42}]},
		{"feature":"user*","purpose":"repair","do":[{"do":"exit","code":43}]},
		{"feature":"user*","do":[{"do":"exit","code":44}]},
		{"purpose":"plan","do":[{"do":"exit","code":45}]}]}`
	for _, c := range []struct {
		feature, attempt, purpose, number, brief string
		code                                     int
	}{
		{"user", "1", "implement", "1", "the answer: blue it is", 40},
		{"user", "1", "implement", "2", "", 41},
		{"user-x", "2", "implement", "1", "", 42},
		{"user", "1", "repair", "1", "", 43},
		{"user", "", "", "", "", 44},
		{"", "1", "plan", "1", "", 45},
		{"order", "1", "implement", "1", "", 2},
	} {
		s := newStage(t)
		s.env = map[string]string{"KEDGE_FEATURE": c.feature, "KEDGE_ATTEMPT": c.attempt, "KEDGE_PURPOSE": c.purpose, "KEDGE_NUMBER": c.number}
		if code := s.play(t, script, c.brief); code != c.code {
			t.Errorf("%+v: exit %d", c, code)
		}
	}
}

// The window fills with what is read; full, the agent fails or forgets.
func TestWindow(t *testing.T) {
	actions := `{"do":"read","path":"big"},{"do":"grow","tokens":400},{"do":"append","path":"big","text":"x"}`
	script := func(overflow string) string {
		return `{"version":1,"window":1000,"overflow":"` + overflow + `","usd_per_mtok":2,"model":"m","plays":[{"do":[` + actions + `]}]}`
	}
	s := newStage(t)
	s.put(t, "big", strings.Repeat("word", 600))
	if code := s.play(t, script("fail"), "brief"); code != 1 || !strings.Contains(s.errs.String(), "too long") {
		t.Errorf("a full window: exit %d, %q", code, s.errs.String())
	}
	s.put(t, "big", strings.Repeat("word", 600))
	if code := s.play(t, script("forget"), "brief"); code != 0 {
		t.Errorf("a forgetful agent: exit %d", code)
	}
	if n := len(s.events(t, watch.Compact)); n == 0 {
		t.Error("it does not tell that it forgot")
	}
	reads := 0
	for _, ev := range s.events(t, watch.Call) {
		if ev.Tool == "Read" {
			reads++
		}
	}
	if reads != 2 {
		t.Errorf("it read %d times, not again after it forgot", reads)
	}
	usage := s.events(t, watch.Usage)
	if first := usage[0].Used; *first.Context != 2 || *first.Window != 1000 || first.Model != "m" || first.USD == nil {
		t.Errorf("the first report is %+v", first)
	}
	var sum int64
	for _, ev := range usage {
		sum += *ev.Used.Input + *ev.Used.Output
	}
	if sum < 1600 {
		t.Errorf("reported %d tokens for more than that", sum)
	}
}

func TestOneShotSharesOneContext(t *testing.T) {
	s := newStage(t)
	s.once = []string{"a", "b", "c"}
	script := `{"version":1,"window":1000,"plays":[{"do":[{"do":"grow","tokens":400},{"do":"write","path":"{{feature}}","text":"x"},{"do":"done"}]}]}`
	if code := s.play(t, script, "brief"); code != 1 {
		t.Errorf("exit %d, the context of three features should be too small", code)
	}
	if s.file(t, "a") != "x" || s.file(t, "b") != "x" {
		t.Error("the first two are not done")
	}
	if _, err := os.Stat(filepath.Join(s.dir, "c")); err == nil {
		t.Error("the third is done in a full context")
	}
}

func TestSilentReportsNothing(t *testing.T) {
	s := newStage(t)
	if code := s.play(t, `{"version":1,"silent":true,"plays":[{"do":[{"do":"say","text":"x"},{"do":"grow","tokens":5}]}]}`, "b"); code != 0 || s.out.Len() > 0 {
		t.Errorf("exit %d, said %q", code, s.out.String())
	}
}

func TestUsageAsItIs(t *testing.T) {
	s := newStage(t)
	s.play(t, one(`{"do":"usage","usage":{"input_tokens":5,"context_tokens":70,"context_window":100,"usd":0.25,"model":"m"}}`), "b")
	evs := s.events(t, watch.Usage)
	if u := evs[1].Used; *u.Input != 5 || *u.Context != 70 || *u.Window != 100 || *u.USD != 0.25 || u.Model != "m" || u.Output != nil {
		t.Errorf("reported %+v", u)
	}
}

func TestCheats(t *testing.T) {
	s := newStage(t)
	s.put(t, ".kedge/features.json", "{\n  \"status\": \"pending\"\n}\n")
	s.put(t, ".kedge/gate.toml", "version = 1\n")
	s.put(t, "a_test.go", "package a\n\nfunc TestA(t *testing.T) {\n\tt.Fatal(1)\n}\n")
	s.put(t, "test_a.py", "def test_a(x):\n    assert False\n")
	s.put(t, "a.test.js", "it('works', () => {})\n")
	code := s.play(t, one(`{"do":"cheat","what":"features"},{"do":"cheat","what":"gate"},{"do":"weaken","path":"a_test.go"},
		{"do":"weaken","path":"test_a.py"},{"do":"weaken","path":"a.test.js"},{"do":"poison","path":"node_modules/m/index.js","text":"//"}`), "b")
	if code != 0 {
		t.Fatalf("exit %d", code)
	}
	for name, want := range map[string]string{
		".kedge/features.json":    `"status": "completed"`,
		".kedge/gate.toml":        `run = "true"`,
		"a_test.go":               "{\n\tt.Skip(",
		"test_a.py":               "(x):\n    return",
		"a.test.js":               "it.skip('works'",
		"node_modules/m/index.js": "//",
	} {
		if got := s.file(t, name); !strings.Contains(got, want) {
			t.Errorf("%s is %q", name, got)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, script := range []string{
		``, `{}`, `{"version":2}`, `{"version":1,"plays":[{"do":[{"do":"fly"}]}]}`, `{"version":1,"unknown":1}`,
		`{"version":1,"overflow":"explode"}`, `{"version":1,"window":-1}`, one(`{"do":"write"}`), one(`{"do":"run"}`),
		one(`{"do":"ask"}`), one(`{"do":"pause","for":"soon"}`), one(`{"do":"loop","actions":[{"do":"fly"}]}`),
	} {
		if _, err := scripted.Parse("s.json", []byte(script)); !kedge.Invalid.Is(err) {
			t.Errorf("%q is taken: %v", script, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(one(`{"do":"loop","times":2,"actions":[{"do":"say","text":"x"}]}`)))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := scripted.Parse("s.json", b)
		if err != nil {
			return
		}
		again, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := scripted.Parse("s.json", again); err != nil {
			t.Errorf("%q is taken and what it means is not: %v", b, err)
		}
	})
}

func TestEndsWithItsContext(t *testing.T) {
	for _, actions := range []string{
		`{"do":"hang"}`, `{"do":"spin"}`, `{"do":"wait","path":"never"}`, `{"do":"loop","actions":[]}`, `{"do":"pause","for":"9h"}`,
	} {
		s := newStage(t)
		parsed, err := scripted.Parse("s.json", []byte(one(actions)))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan int, 1)
		go func() { done <- scripted.Run(ctx, parsed, s.world("b")) }()
		cancel()
		if code := <-done; code != 130 {
			t.Errorf("%s: exit %d", actions, code)
		}
	}
}
