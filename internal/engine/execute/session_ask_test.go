package execute_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"kedge/internal/core/run"
	"kedge/internal/engine"
	"kedge/internal/process/tape"
)

// taped tells whether the session printed it.
func (s *stage) taped(text string) bool {
	log := tape.Open(s.sessionDir())
	_, end, err := log.Range()
	b := make([]byte, end)
	if err == nil && end > 0 {
		_, err = log.ReadAt(b, 0)
	}
	return err == nil && bytes.Contains(b, []byte(text))
}

// What a session asks while nobody follows it, people are asked by who takes it
// up; what it asked and is past, they are not.
func TestQuestionThatNobodyHeard(t *testing.T) {
	s := newStage(t)
	c := s.command("")
	s.useTalker(`exec 3<&0; cat <&3 > typed & touch ready
		while ! [ -e go ]; do sleep 0.05; done; echo "which: size"; echo "thanks: all"; echo "which: color"; touch asked
		while ! [ -e end ]; do sleep 0.05; done; echo "bye: now"; wait`)
	out, leave := s.start(c)
	s.until("it works", func() bool { return s.exists("ready") })
	leave(engine.ErrLeave)
	<-out
	s.put(filepath.Join(s.slot, "go"), "")
	s.until("it asked, and it is on the tape", func() bool { return s.exists("asked") && s.taped("which: color\n") })
	if n := len(s.signalled(run.Asked)); n != 0 {
		t.Fatalf("%d questions were heard by nobody", n)
	}
	s.renew()
	out, _ = s.start(adopted(c))
	s.until("people are asked", func() bool { return len(s.signalled(run.Asked)) > 0 })
	s.put(filepath.Join(s.slot, "end"), "")
	if got := <-out; got.err != nil || got.ev.Outcome != run.Finished {
		t.Fatalf("ended as %+v", got)
	}
	asked := s.signalled(run.Asked)
	if len(asked) != 1 || asked[0].Text != "color" || asked[0].Place == 0 {
		t.Errorf("people are asked %+v", asked)
	}
}
