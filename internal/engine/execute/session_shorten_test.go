package execute_test

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/agents"
	"kedge/internal/core/run"
	"kedge/internal/core/watch"
	"kedge/internal/engine"
)

// talkShort is what a talker says of its context and its tools.
func talkShort(verb, what string, at agents.Time) []watch.Act {
	n, _ := strconv.ParseInt(what, 10, 64) // of those that are numbers
	window := int64(200_000)
	full := watch.Act{Kind: watch.Usage, At: at, Used: &watch.Used{Context: &n, Window: &window}}
	switch verb {
	case "call":
		return []watch.Act{{Kind: watch.Call, At: at, ID: what, Tool: "Bash", Input: what}}
	case "result":
		return []watch.Act{{Kind: watch.Result, At: at, ID: what}}
	case "full":
		return []watch.Act{full}
	case "short":
		return []watch.Act{{Kind: watch.Compact, At: at, Asked: true}, full}
	case "shrank":
		return []watch.Act{{Kind: watch.Compact, At: at}, full}
	case "no":
		return []watch.Act{{Kind: watch.Spared, At: at, Asked: true, Text: what}}
	default:
		return nil
	}
}

const waits = `while ! [ -e %s ]; do sleep 0.05; done; `

func waitFor(file string) string { return strings.Replace(waits, "%s", file, 1) }

// TestRow65And66ContextIsCompacted: at the threshold the session is told, once, to
// compact its context, with what to keep and to drop, when its tool is done; then it
// goes on. What was in the context before and after is in the journal, with the text.
func TestRow65And66ContextIsCompacted(t *testing.T) {
	s := newStage(t)
	s.cfg.Bounds = func(context.Context, run.Command) (watch.Bounds, error) {
		return watch.Bounds{Focus: "the objective: orders; locked: flags; drop: output"}, nil
	}
	c := s.command("")
	s.useTalker(`exec 3<&0; cat <&3 > typed & echo "call: a"; echo "full: 120000"; echo "full: 121000"
		` + waitFor("tool") + `echo "result: a"
		` + waitFor("done") + `echo "short: 20000"
		` + waitFor("end") + `echo "bye: now"; wait`)
	typed := func(words string) func() bool {
		return func() bool { return s.exists("typed") && strings.Contains(s.file("typed"), words) }
	}
	out, leave := s.start(c)
	s.until("it tells that its context is full", func() bool { return len(s.heardKinds()) >= 3 })
	if typed("shorten ")() {
		t.Error("it was stopped in the middle of a tool")
	}
	s.put(filepath.Join(s.slot, "tool"), "")
	s.until("it is told", typed("shorten the objective: orders; locked: flags; drop: output"))
	leave(engine.ErrLeave) // the next owner reads all of it again
	<-out
	s.renew()
	out, _ = s.start(adopted(c))
	s.put(filepath.Join(s.slot, "done"), "")
	s.until("it is told to go on", typed("told Your context became large"))
	s.put(filepath.Join(s.slot, "end"), "")
	if got := <-out; got.err != nil || got.ev.Outcome != run.Finished {
		t.Fatalf("ended as %+v", got)
	}
	if text := s.file("typed"); strings.Count(text, "shorten ") != 1 || strings.Count(text, "told Your context") != 1 {
		t.Errorf("typed was %q", text)
	}
	before, after := int64(121_000), int64(20_000)
	got := of[kedge.SessionCompactedData](t, s.ledger, kedge.SessionCompacted)
	if len(got) != 1 || !got[0].Asked || *got[0].Before != before || *got[0].After != after || !strings.Contains(got[0].Focus, "locked: flags") || got[0].Failed != "" {
		t.Errorf("the journal has %+v", got)
	}
	asked := 0
	for _, d := range of[kedge.SessionSignalledData](t, s.ledger, kedge.SessionSignalled) {
		if d.Advice == string(watch.Shorten) && strings.Contains(d.Focus, "the objective") {
			asked++
		}
	}
	if asked != 1 {
		t.Errorf("the journal has %d wishes", asked)
	}
}

// A program that cannot compact goes on, and is not asked again; one that does it by
// itself is not told anything.
func TestContextThatIsNotCompacted(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		typed  string
		want   kedge.SessionCompactedData
	}{
		"it cannot": {
			`echo "full: 120000"; ` + waitFor("go") + `echo "no: too few"; echo "full: 121000"; ` + waitFor("end") + `echo "bye: now"; wait`,
			"told Your context",
			kedge.SessionCompactedData{Asked: true, Failed: "too few"},
		},
		"by itself": {
			`echo "call: a"; echo "full: 120000"; echo "shrank: 9000"; echo "result: a"; echo "may I: go"; ` + waitFor("end") + `echo "bye: now"; wait`,
			"yes go",
			kedge.SessionCompactedData{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.useTalker(`exec 3<&0; cat <&3 > typed & ` + c.script)
			out, _ := s.start(s.command(""))
			if c.want.Asked {
				s.until("it is told", func() bool { return s.exists("typed") && strings.Contains(s.file("typed"), "shorten ") })
			}
			s.put(filepath.Join(s.slot, "go"), "")
			s.until("it goes on", func() bool { return s.exists("typed") && strings.Contains(s.file("typed"), c.typed) })
			s.put(filepath.Join(s.slot, "end"), "")
			if got := <-out; got.err != nil || got.ev.Outcome != run.Finished {
				t.Fatalf("ended as %+v", got)
			}
			if n := strings.Count(s.file("typed"), "shorten "); (n == 1) != c.want.Asked || n > 1 {
				t.Errorf("it was told %d times", n)
			}
			got := of[kedge.SessionCompactedData](t, s.ledger, kedge.SessionCompacted)
			if len(got) != 1 || got[0].Asked != c.want.Asked || got[0].Failed != c.want.Failed || *got[0].Before != 120_000 {
				t.Errorf("the journal has %+v", got)
			}
		})
	}
}

// What was due while nobody followed the session is judged by what it does now: it is
// not stopped in the middle of a tool, and one that compacted by itself meanwhile is
// told nothing.
func TestContextThatBecameLargeUnseen(t *testing.T) {
	for name, c := range map[string]struct {
		unseen string
		told   bool
	}{
		"in a tool now":       {`echo "full: 120000"; echo "call: b"`, true},
		"compacted by itself": {`echo "full: 120000"; echo "shrank: 20000"; echo "call: b"`, false},
		"went on before":      {`echo "full: 120000"; echo "short: 20000"; echo "call: b"`, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			cmd := s.command("")
			s.useTalker(`exec 3<&0; cat <&3 > typed & touch ready; ` + waitFor("go") + c.unseen + `; echo "may I: see"; touch unseen
				` + waitFor("tool") + `echo "result: b"; echo "may I: rest"; ` + waitFor("done") + `if [ -e asked ]; then echo "short: 9000"; fi
				` + waitFor("end") + `echo "bye: now"; wait`)
			typed := func(words string) func() bool {
				return func() bool { return s.exists("typed") && strings.Contains(s.file("typed"), words) }
			}
			out, leave := s.start(cmd)
			s.until("it works", func() bool { return s.exists("ready") && s.exists("typed") })
			leave(engine.ErrLeave)
			<-out
			s.put(filepath.Join(s.slot, "go"), "")
			s.until("it did something unseen, and that is on the tape", func() bool { return s.exists("unseen") && s.taped("may I: see\n") })
			s.renew()
			out, _ = s.start(adopted(cmd))
			s.until("all of it is read", typed("yes see"))
			if text := s.file("typed"); strings.Contains(text, "shorten ") || strings.Contains(text, "told ") {
				t.Errorf("in the middle of a tool it was told %q", text)
			}
			s.put(filepath.Join(s.slot, "tool"), "")
			s.until("its tool is done", typed("yes rest"))
			if c.told {
				s.until("it is told", typed("shorten "))
				s.put(filepath.Join(s.slot, "asked"), "")
			}
			s.put(filepath.Join(s.slot, "done"), "")
			if c.told {
				s.until("it is told to go on", typed("told Your context"))
			}
			s.put(filepath.Join(s.slot, "end"), "")
			if got := <-out; got.err != nil || got.ev.Outcome != run.Finished {
				t.Fatalf("ended as %+v", got)
			}
			text := s.file("typed")
			if strings.Contains(text, "shorten ") != c.told || strings.Contains(text, "told Your context") != c.told {
				t.Errorf("typed was %q", text)
			}
		})
	}
}

// What a person says while the context is shortened is kept, and said when the session
// goes on.
func TestTellWhileTheContextIsShortened(t *testing.T) {
	s := newStage(t)
	briefs := &toldBriefs{}
	s.cfg.Briefs = briefs
	c := s.command("")
	s.useTalker(`exec 3<&0; cat <&3 > typed & echo "full: 120000"; ` + waitFor("stopped") + `echo "busy: yes"; touch busy
		` + waitFor("done") + `echo "short: 20000"; echo "busy: no"; ` + waitFor("on") + `echo "call: b"; ` + waitFor("end") + `echo "bye: now"; wait`)
	typed := func(words string) func() bool {
		return func() bool { return s.exists("typed") && strings.Contains(s.file("typed"), words) }
	}
	out, _ := s.start(c)
	s.until("it is told", typed("shorten "))
	s.put(filepath.Join(s.slot, "stopped"), "")
	s.until("it hears nobody", func() bool { return s.exists("busy") })
	told := make(chan error, 2)
	say := func(n int64, text string) {
		go func() {
			_, err := s.x.Do(t.Context(), tell(c.Epoch+n, text), s.report)
			told <- err
		}()
		s.until("it is being told", func() bool { briefs.mu.Lock(); defer briefs.mu.Unlock(); return len(briefs.told) == int(n) })
	}
	say(1, "hello")
	s.put(filepath.Join(s.slot, "done"), "")
	s.until("it is told to go on", typed("told Your context"))
	say(2, "again")
	s.put(filepath.Join(s.slot, "on"), "")
	for range 2 {
		if err := <-told; err != nil {
			t.Error(err)
		}
	}
	s.put(filepath.Join(s.slot, "end"), "")
	if got := <-out; got.err != nil || got.ev.Outcome != run.Finished {
		t.Fatalf("ended as %+v", got)
	}
	_, after, _ := strings.Cut(s.file("typed"), "told Your context")
	if strings.Count(after, "told hello\n") != 1 || strings.Count(after, "told again\n") != 1 {
		t.Errorf("after it was told to go on it was told %q", after)
	}
}
