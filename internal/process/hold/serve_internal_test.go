package hold

import (
	"context"
	"errors"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"kedge/internal/process/tape"
)

// refusing is a listener that has no descriptor left for its first client.
type refusing struct {
	net.Listener
	refused bool
}

func (r *refusing) Accept() (net.Conn, error) {
	if !r.refused {
		r.refused = true
		return nil, &net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", syscall.EMFILE)}
	}
	return r.Listener.Accept()
}

// bare is a holder that holds nothing.
func bare(t *testing.T) *holder {
	t.Helper()
	w, err := tape.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return &holder{tape: w, ended: make(chan struct{}), quit: make(chan struct{})}
}

// TestF20TooManyClients: a holder that can take no client for a moment takes the
// next one.
func TestF20TooManyClients(t *testing.T) {
	l, err := listen(t.TempDir() + "/s")
	if err != nil {
		t.Fatal(err)
	}
	h, served := bare(t), make(chan struct{})
	go func() { h.serve(&refusing{Listener: l}); close(served) }()
	nc, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	if f, err := ReadFrame(nc); err != nil || f.Type != VerbHello {
		t.Errorf("%+v, %v", f, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	<-served
}

// TestLateAnswer: an answer that comes after the request was given up is not taken
// for that to the next one.
func TestLateAnswer(t *testing.T) {
	ours, theirs := net.Pipe()
	defer theirs.Close()
	c := &Client{c: ours, Greeting: Greeting{Verbs: Verbs}}
	asked := make(chan struct{})
	go func() {
		_, _ = ReadFrame(theirs)
		close(asked)
	}()
	given, giveUp := context.WithCancel(t.Context())
	go func() { <-asked; giveUp() }()
	if _, err := c.State(given); !errors.Is(err, context.Canceled) {
		t.Fatalf("given up: %v", err)
	}
	if _, err := theirs.Write([]byte{byte(VerbOK), 0, 0, 0, 0}); err == nil {
		t.Error("the late answer was taken")
	}
	if _, err := c.State(t.Context()); err == nil {
		t.Error("a request was made on a connection that was given up")
	}
}

// TestCloseInputLate: the end of a terminal's input is typed however long ago
// something else was.
func TestCloseInputLate(t *testing.T) {
	master, slave, err := openPTY(80, 24)
	if err != nil {
		t.Skip(err)
	}
	defer master.Close()
	defer slave.Close()
	c := &child{tty: true, in: master, out: master, gone: make(chan struct{})}
	if err := c.in.SetWriteDeadline(time.Unix(1, 0)); err != nil { // as typing has left it, long ago
		t.Fatal(err)
	}
	var i input
	if err := i.close(c); err != nil {
		t.Fatal(err)
	}
	if n, err := slave.Read(make([]byte, 10)); n != 0 || err == nil {
		t.Errorf("the program reads %d bytes, %v", n, err)
	}
}
