package hold_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"kedge/internal/process/hold"
)

// TestTypist: what is given to it is typed in order, and nobody waits for a program that does
// not read: what that does not take is dropped, and told.
func TestTypist(t *testing.T) {
	s := spec(t, true)
	s.Command = []string{"sh", "-c", "stty -echo; printf ready; head -n 3; stty raw; exec sleep 1000"}
	start(t, s)
	eventually(t, "ready", func() bool { return strings.Contains(text(t, s.Dir), "ready") })
	keys := hold.NewTypist(s.Dir, 77)
	run, stop := context.WithCancel(ctx(t))
	refused, done := make(chan error, 100), make(chan error, 1)
	go func() { done <- keys.Run(run, func(err error) { refused <- err }) }()
	for _, line := range []string{"one\n", "two\n", "three\n"} {
		keys.Type(run, []byte(line))
	}
	eventually(t, "three lines", func() bool { return strings.HasSuffix(text(t, s.Dir), "readyone\r\ntwo\r\nthree\r\n") })
	piece := []byte(strings.Repeat("x", 4096))
	for range 1000 {
		keys.Offer(piece) // it never waits
	}
	keys.Flush(run, time.Millisecond)
	select {
	case <-refused:
		t.Error("it waited until the program was given up")
	default:
	}
	select {
	case <-refused:
	case <-ctx(t).Done():
		t.Fatal("nobody was told that the program does not read")
	}
	keys.Flush(run, time.Minute) // all that waited was dropped
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
