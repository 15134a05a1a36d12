package hold_test

import (
	"context"
	"strings"
	"testing"

	"kedge/internal/process/hold"
)

// seat is a viewer of a test, and what it was told.
type seat struct {
	*hold.Attached
	roles chan hold.Role
	done  chan struct{}
}

func sit(t *testing.T, dir string, v hold.Viewer) *seat {
	t.Helper()
	a, err := hold.Attach(ctx(t), dir, v)
	if err != nil {
		t.Fatal(err)
	}
	s := &seat{a, make(chan hold.Role, 100), make(chan struct{})}
	go func() {
		defer close(s.done)
		_, _ = a.Follow(context.Background(), func(r hold.Role) error { s.roles <- r; return nil }, func(int64) error { return nil }) // ended by leave
	}()
	t.Cleanup(func() { s.leave() })
	return s
}

func (s *seat) leave() {
	_ = s.Close()
	<-s.done
}

// await waits for a role like this one, wherever it begins.
func (s *seat) await(t *testing.T, want hold.Role) hold.Role {
	t.Helper()
	for {
		select {
		case r := <-s.roles:
			want.At = r.At
			if r == want {
				return r
			}
		case <-ctx(t).Done():
			t.Fatalf("the role %+v never came", want)
		}
	}
}

func (s *seat) update(t *testing.T, v hold.Viewer) {
	t.Helper()
	if err := s.Update(ctx(t), v); err != nil {
		t.Fatal(err)
	}
}

// TestSizeOfWhoTypedLast: a viewer that comes alone has the session to itself; else the
// session takes the size of where somebody typed last, and of that one's changes. Who
// only watches has no say.
func TestSizeOfWhoTypedLast(t *testing.T) {
	s := spec(t, true, "cat")
	s.Command = []string{"cat"}
	c := start(t, s)
	watcher := sit(t, s.Dir, hold.Viewer{Cols: 45, Rows: 17, Watch: true, Typed: true})
	watcher.await(t, hold.Role{Cols: 80, Rows: 24})
	one := sit(t, s.Dir, hold.Viewer{Cols: 120, Rows: 40})
	one.await(t, hold.Role{Cols: 120, Rows: 40, Owns: true, Answers: true, Others: 1})
	watcher.await(t, hold.Role{Cols: 120, Rows: 40, Others: 1})
	two := sit(t, s.Dir, hold.Viewer{Cols: 100, Rows: 30})
	two.await(t, hold.Role{Cols: 120, Rows: 40, Others: 2})
	two.update(t, hold.Viewer{Cols: 100, Rows: 30, Typed: true})
	two.await(t, hold.Role{Cols: 100, Rows: 30, Owns: true, Answers: true, Others: 2})
	one.await(t, hold.Role{Cols: 100, Rows: 30, Others: 2})
	one.update(t, hold.Viewer{Cols: 121, Rows: 41}) // its window changes
	two.update(t, hold.Viewer{Cols: 99, Rows: 29})
	one.await(t, hold.Role{Cols: 99, Rows: 29, Others: 2})
	two.leave()
	one.await(t, hold.Role{Cols: 121, Rows: 41, Owns: true, Answers: true, Others: 1}) // it was the one before
	if st, err := c.State(ctx(t)); err != nil || st.Cols != 121 || st.Rows != 41 {
		t.Errorf("the state: %+v, %v", st, err)
	}
	if err := one.Update(ctx(t), hold.Viewer{Cols: 0, Rows: 5}); err != nil {
		t.Error(err) // it is refused in the answer
	}
	one.update(t, hold.Viewer{Cols: 90, Rows: 20, Typed: true})
	one.await(t, hold.Role{Cols: 90, Rows: 20, Owns: true, Answers: true, Others: 1})
}

// asking asks where its cursor is, and says what it was answered, for every line that it
// reads.
const asking = `stty raw -echo; while :; do printf 'at \033[6n'; a=$(head -c 6 | tr -d '\033'); printf '<%s>\r\n' "$a"; head -c 1 >/dev/null; done`

// TestHolderAnswersQueries: while no terminal is attached that gets what is printed, the
// holder answers what the program asks; once, with what the screen says; and nothing while
// a viewer's terminal is to answer.
func TestHolderAnswersQueries(t *testing.T) {
	s := spec(t, true)
	s.Command = []string{"sh", "-c", asking}
	c := start(t, s)
	said := func(n int) func() bool {
		return func() bool { return strings.Count(text(t, s.Dir), ">") == n }
	}
	eventually(t, "the first answer", said(1))
	if got := text(t, s.Dir); !strings.Contains(got, "<[1;4R>") {
		t.Errorf("printed %q", got)
	}
	if st, err := c.State(ctx(t)); err != nil || st.Input != 0 {
		t.Errorf("the answer counts as typed: %+v, %v", st, err)
	}
	typed := uint64(0)
	typeIn := func(b string) {
		t.Helper()
		typed++
		if err := c.Input(ctx(t), 77, typed, []byte(b)); err != nil {
			t.Fatal(err)
		}
	}
	v := sit(t, s.Dir, hold.Viewer{Cols: 80, Rows: 24})
	v.await(t, hold.Role{Cols: 80, Rows: 24, Owns: true, Answers: true})
	typeIn("\r")
	eventually(t, "it asked again", func() bool { return strings.Count(text(t, s.Dir), "at") == 2 })
	typeIn("\x1b[9;9R") // the viewer's terminal
	eventually(t, "the second answer", said(2))
	if got := text(t, s.Dir); !strings.HasSuffix(got, "<[9;9R>\r\n") {
		t.Errorf("printed %q", got)
	}
	v.leave()
	eventually(t, "the holder knows", func() bool {
		typeIn("\r")
		return strings.Count(text(t, s.Dir), "<[") >= 3
	})
}
