package execute_test

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"kedge/internal/agents"
	"kedge/internal/core/run"
	"kedge/internal/core/watch"
	"kedge/internal/engine"
	"kedge/internal/process/hold"
)

// talker is a program that is answered: every line "may I X" with "yes X", and
// what people say with "told X". Its input is ended after "bye".
type talker struct{ line string }

func (k talker) Kind() string    { return "talker" }
func (k talker) Program() string { return "/bin/sh" }

func (k talker) Start(agents.Task) (agents.Start, error) {
	return agents.Start{Command: []string{"/bin/sh", "-c", k.line}, Pipes: true}, nil
}

func (k talker) Shortens() bool { return true }

func (k talker) Reader(agents.Task) agents.Reader { return &talk{} }

// talk reads a talker.
type talk struct {
	part []byte
	open string // the question that waits for people
	busy bool   // it hears nobody
}

func (r *talk) Open(brief []byte) agents.Input {
	return agents.Input{Text: append([]byte("brief "), append(bytes.TrimSpace(brief), '\n')...)}
}

func (r *talk) Feed(b []byte, at agents.Time) (evs []watch.Act, in agents.Input) {
	r.part = append(r.part, b...)
	for {
		line, rest, ok := bytes.Cut(r.part, []byte("\n"))
		if !ok {
			return evs, in
		}
		r.part = rest
		verb, what, _ := strings.Cut(string(line), ": ")
		switch verb {
		case "long":
			in.Text = append(in.Text, longReply...)
		case "may I":
			in.Text = append(in.Text, "yes "+what+"\n"...)
		case "which":
			r.open = what
			evs = append(evs, watch.Act{Kind: watch.Ask, At: at, ID: "1", Text: what})
		case "thanks":
			r.open = ""
		case "busy":
			r.busy = what == "yes"
		case "bye":
			in.Close = true
		default:
			evs = append(evs, talkShort(verb, what, at)...)
		}
	}
}

func (r *talk) Say(w agents.Word) (agents.Input, bool) {
	switch w.Kind {
	case agents.Interrupt:
		return agents.Input{Text: []byte("stop\n")}, true
	case agents.Close:
		return agents.Input{Close: true}, true
	case agents.Shorten:
		return agents.Input{Text: []byte("shorten " + w.Text + "\n")}, true
	case agents.Tell:
	}
	if r.busy {
		return agents.Input{}, false
	}
	if r.open == "" {
		return agents.Input{Text: []byte("told " + w.Text + "\n")}, true
	}
	return agents.Input{Text: []byte("answer to " + r.open + " is " + w.Text + "\n")}, true
}

func (r *talk) Asks() bool                   { return r.open != "" }
func (r *talk) Broken() int                  { return 0 }
func (r *talk) Exit(int, string) agents.Exit { return agents.Exit{Meaning: agents.Finished} }

func (s *stage) useTalker(line string) {
	s.cfg.Agent = func(string) (agents.Adapter, string, error) { return talker{line}, "", nil }
	s.renew()
}

// toldBriefs remembers what was told.
type toldBriefs struct {
	engine.Briefs
	mu   sync.Mutex
	told []string
}

func (b *toldBriefs) Told(_ context.Context, c run.Command) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.told = append(b.told, c.Text)
	return nil
}

func tell(epoch int64, text string) run.Command {
	return run.Command{Kind: run.Tell, Run: runID, Job: 1, Epoch: epoch, Text: text}
}

// What a program asks is answered, in its order, and what people say reaches it;
// all of it is typed once, however many owners read the session from its
// beginning.
func TestSessionIsAnsweredOnce(t *testing.T) {
	s := newStage(t)
	briefs := &toldBriefs{}
	s.cfg.Briefs = briefs
	c := s.command("")
	s.useTalker(`exec 3<&0; cat <&3 > typed & echo "may I: one"; echo "may I: two"
		while ! [ -e ask ]; do sleep 0.05; done; echo "which: color"; touch asked
		while ! [ -e go ]; do sleep 0.05; done; echo "may I: three"; echo "bye: now"; wait`)
	typed := func(words string) func() bool {
		return func() bool { return s.exists("typed") && strings.Contains(s.file("typed"), words) }
	}
	out, leave := s.start(c)
	s.until("it is answered", typed("yes two"))
	s.do(tell(c.Epoch+1, "hello"))
	s.put(filepath.Join(s.slot, "ask"), "")
	s.until("it asked", func() bool { return len(s.heardKinds()) > 0 })
	leave(engine.ErrLeave)
	<-out
	s.renew()
	s.do(tell(c.Epoch+2, "blue")) // nobody follows the session yet
	again := adopted(c)
	out, leave = s.start(again)
	s.until("the question is answered", typed("color is blue"))
	leave(engine.ErrLeave)
	<-out
	s.renew()
	out, _ = s.start(adopted(again))
	s.do(tell(c.Epoch+1, "hello")) // both again, as after a crash before they were answered for
	s.do(tell(c.Epoch+2, "blue"))
	s.put(filepath.Join(s.slot, "go"), "")
	if got := <-out; got.err != nil || got.ev.Outcome != run.Finished {
		t.Fatalf("ended as %+v", got)
	}
	want := "brief the brief of this session\nyes one\nyes two\ntold hello\nanswer to color is blue\nyes three\n"
	if s.file("typed") != want {
		t.Errorf("typed %q, want %q", s.file("typed"), want)
	}
	for _, asked := range s.signalled(run.Asked) { // each owner asks, and the run knows by the place
		if asked.Text != "color" || asked.Place != s.signalled(run.Asked)[0].Place || asked.Place == 0 {
			t.Errorf("people are asked %+v", asked)
		}
	}
	if n := s.signals(); len(n) != 1 {
		t.Errorf("written down: %q", n)
	}
	if len(briefs.told) != 4 {
		t.Errorf("for the next brief: %q", briefs.told)
	}
}

// longReply is a line of a whole number of the pieces in which it is typed.
var longReply = strings.Repeat("x", 1<<20-1) + "\n"

// What people say while a long answer is typed comes after it.
func TestTellDuringALongReply(t *testing.T) {
	s := newStage(t)
	briefs := &toldBriefs{}
	s.cfg.Briefs = briefs
	c := s.command("")
	s.useTalker(`exec 3<&0; echo "long: text"; while ! [ -e go ]; do sleep 0.05; done; cat <&3 > typed &
		while ! [ -e end ]; do sleep 0.05; done; echo "bye: now"; wait`)
	out, _ := s.start(c)
	s.until("it is being answered", func() bool {
		f := hold.Look(t.Context(), s.sessionDir())
		if f.Client == nil {
			return false
		}
		defer func() { _ = f.Client.Close() }()
		st, err := f.Client.State(t.Context())
		return err == nil && st.Input > 1<<10
	})
	told := make(chan error, 1)
	go func() {
		_, err := s.x.Do(t.Context(), tell(c.Epoch+1, "hello"), s.report)
		told <- err
	}()
	s.until("it is being told", func() bool { briefs.mu.Lock(); defer briefs.mu.Unlock(); return len(briefs.told) == 1 })
	s.put(filepath.Join(s.slot, "go"), "")
	if err := <-told; err != nil {
		t.Error(err)
	}
	s.put(filepath.Join(s.slot, "end"), "")
	if got := <-out; got.err != nil || got.ev.Outcome != run.Finished {
		t.Fatalf("ended as %+v", got)
	}
	if got := s.file("typed"); got != "brief the brief of this session\n"+longReply+"told hello\n" {
		t.Errorf("%d bytes were typed, told at %d", len(got), strings.Index(got, "told hello"))
	}
}

// A program that reads nothing after its brief is not waited for, and what was
// said before a session was asked for stands in its brief and is not said again.
func TestTellWithoutAnEar(t *testing.T) {
	s := newStage(t)
	s.cfg.Briefs = &toldBriefs{}
	s.renew()
	c := s.command(`{"do":"write","path":"ready","text":"x"},{"do":"wait","path":"go"}`)
	out, _ := s.start(c)
	s.until("it works", func() bool { return s.exists("ready") })
	if ev := s.do(tell(c.Epoch+1, "hello")); ev.Outcome != run.OK {
		t.Errorf("told: %+v", ev)
	}
	s.put(filepath.Join(s.slot, "go"), "")
	<-out
	c = s.command("")
	s.useTalker(`exec 3<&0; cat <&3 > typed & echo "may I: one"; echo "bye: now"; wait`)
	s.do(tell(c.Epoch-1, "old"))
	if ev := s.do(c); ev.Outcome != run.Finished || s.file("typed") != "brief the brief of this session\nyes one\n" {
		t.Errorf("ended as %+v, typed %q", ev, s.file("typed"))
	}
}

// TestRow27SessionIsInterruptedBeforeItIsEnded: a program that can be told stops its
// turn and ends by itself, and nothing kills it; what does not heed that is ended.
func TestRow27SessionIsInterruptedBeforeItIsEnded(t *testing.T) {
	for name, x := range map[string]struct {
		grace time.Duration
		heeds string
		want  string
	}{
		"heeds": {time.Hour, `read line; echo "$line" > stopped; read more || echo closed >> stopped; exit 7`, "stop\nclosed\n"},
		"deaf":  {time.Millisecond, `trap '' TERM; while :; do read line; sleep 0.05; done`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.cfg.Grace = x.grace
			c := s.command("")
			s.useTalker(`read brief; touch ready; ` + x.heeds)
			out, _ := s.start(c)
			s.until("it works", func() bool { return s.exists("ready") })
			s.do(run.Command{Kind: run.EndSession, Run: runID, Job: 1, Epoch: c.Epoch + 1})
			if got := <-out; got.err != nil || got.ev.Outcome != run.Closed && x.want == "" {
				t.Fatalf("ended as %+v", got)
			}
			if x.want != "" && s.file("stopped") != x.want {
				t.Errorf("it was told %q", s.file("stopped"))
			}
		})
	}
}
