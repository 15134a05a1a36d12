package hold_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge/internal/process/hold"
)

// What somebody left half typed is typed to its end before anything else is, and
// a text of a whole number of pieces holds up nobody.
func TestHalfATextIsEndedFirst(t *testing.T) {
	s := spec(t, false)
	s.Command = []string{"/bin/sh", "-c", "cat > typed"}
	c := start(t, s)
	t.Cleanup(func() { _ = c.Close() })
	long := strings.Repeat("x", 32<<10) + "end\n"
	if err := c.Input(ctx(t), 1<<32, 1, []byte(long[:32<<10])); err != nil {
		t.Fatal(err)
	}
	queue := []hold.Typing{
		{Source: hold.SourceReplies, Number: 1, Text: []byte(strings.Repeat("y", 64<<10))},
		{Source: 1 << 32, Text: []byte(long)},
		{Source: 1<<32 + 1, Text: []byte("bye\n"), Close: true},
	}
	var typed strings.Builder
	for n := range queue {
		w, ok := hold.TypeOne(ctx(t), s.Dir, func() []hold.Typing { return queue[:max(1, 2-n)] })
		if !ok {
			t.Fatalf("text %d was not taken", n)
		}
		typed.Write(w.Text)
		for i := range queue {
			if queue[i].Source == w.Source {
				queue = append(queue[:i:i], queue[i+1:]...)
				break
			}
		}
	}
	st, err := c.State(ctx(t))
	if err != nil || st.Replied != 1 {
		t.Errorf("reply %d was typed, %v", st.Replied, err)
	}
	toEnd(t, c)
	got, err := os.ReadFile(filepath.Join(s.Cwd, "typed"))
	if err != nil || string(got) != typed.String() || !strings.HasPrefix(string(got), long+"y") {
		t.Errorf("%d bytes were typed, want %d; %v", len(got), typed.Len(), err)
	}
}
