package hold

import (
	"bytes"
	"io"
	"os"
	"testing"

	"kedge"
)

// reading is a program that reads all that is typed; text ends its input and
// gives it.
func reading(t *testing.T) (c *child, text func() string) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	done := make(chan error, 1)
	go func() { _, err := io.Copy(&got, r); done <- err }()
	return &child{in: w, gone: make(chan struct{})}, func() string {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
		_ = r.Close()
		return got.String()
	}
}

// While a text is half typed nobody else types, and what was typed before is
// known all the same.
func TestNoTextAmongThePiecesOfAnother(t *testing.T) {
	c, text := reading(t)
	var i input
	take := func(want bool, source, seq uint64, b []byte) {
		t.Helper()
		if err := i.take(c, source, seq, b); (err == nil) != want || err != nil && !kedge.Conflict.Is(err) {
			t.Errorf("source %d, %d: %v", source, seq, err)
		}
	}
	long := bytes.Repeat([]byte("x"), typePiece)
	take(true, SourceReplies, 1, []byte("one"))
	take(true, 1<<32, 1, long)
	take(true, SourceReplies, 1, []byte("one"))
	take(false, SourceReplies, 2, []byte("two"))
	take(false, 1<<60, 1, []byte("three"))
	take(true, 1<<32, 2, []byte("end"))
	take(true, SourceReplies, 2, []byte("two"))
	take(true, 1<<60, 1, long) // who is not known to go on holds up nobody
	take(true, SourceReplies, 3, []byte("four"))
	if got, want := text(), "one"+string(long)+"endtwo"+string(long)+"four"; got != want {
		t.Errorf("%d bytes were typed, want %d", len(got), len(want))
	}
}

// A part of a piece is half a text too, and nothing of one is none.
func TestWhatATextLeaves(t *testing.T) {
	pipe, slow := &child{}, io.ErrShortWrite
	for _, c := range []struct {
		name  string
		child *child
		id    uint64
		done  int
		piece int
		err   error
		half  uint64
	}{
		{"a part", pipe, 7, 5, 10, slow, 7},
		{"nothing", pipe, 7, 0, 10, slow, 0},
		{"a piece", pipe, 7, typePiece, typePiece, nil, 7},
		{"the end", pipe, 7, 10, 10, nil, 0},
		{"a terminal", &child{tty: true}, 7, typePiece, typePiece, nil, 0},
		{"once", pipe, sourceTyped, 5, 10, slow, 0},
	} {
		var i input
		if i.leaves(c.child, c.id, &source{done: c.done}, c.piece, c.err); i.half != c.half {
			t.Errorf("%s leaves %d half typed", c.name, i.half)
		}
	}
}

// However many people type, the brief, the replies and what shortens the context are
// typed once, and so is what was tried lately.
func TestSourcesAreForgottenByLastUse(t *testing.T) {
	c, text := reading(t)
	var i input
	take := func(source uint64, b string) {
		t.Helper()
		if err := i.take(c, source, 1, []byte(b)); err != nil {
			t.Error(err)
		}
	}
	take(SourceBrief, "brief")
	take(SourceReplies, "reply")
	take(SourceShort, "short")
	take(1<<32, "first")
	for n := range uint64(3 * sources) {
		take(1<<33+n, ".")
		take(1<<32, "first")
	}
	take(SourceBrief, "brief")
	take(SourceReplies, "reply")
	take(SourceShort, "short")
	if got, want := text(), "briefreplyshortfirst"+string(bytes.Repeat([]byte("."), 3*sources)); got != want {
		t.Errorf("typed %q", got)
	}
	if len(i.from) > sources+3 || len(i.order) > sources {
		t.Errorf("%d sources are remembered", len(i.from))
	}
}
