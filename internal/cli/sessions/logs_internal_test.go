package sessions

import (
	"strings"
	"testing"
	"time"

	"kedge/internal/process/tape"
)

// TestTailFrom: the last lines of a tape begin where they begin, also far before its end; the end
// of the last line begins no line.
func TestTailFrom(t *testing.T) {
	long := strings.Repeat("x", 70<<10)
	for _, c := range []struct {
		text  string
		lines int
		want  string
	}{
		{"one\ntwo\nthree\n", 1, "three\n"}, {"one\ntwo\nthree", 1, "three"}, {"one\ntwo\nthree\n", 2, "two\nthree\n"},
		{"one\ntwo\n", 9, "one\ntwo\n"}, {"", 1, ""}, {"a\n" + long + "\nb\n", 2, long + "\nb\n"}, {"\n\n", 1, "\n"},
	} {
		dir := t.TempDir()
		w, err := tape.Create(dir)
		if err != nil {
			t.Fatal(err)
		}
		w.Append([]byte(c.text), time.Now())
		if got := c.text[tailFrom(dir, c.lines):]; got != c.want {
			t.Errorf("%d of %.20q: %.20q", c.lines, c.text, got)
		}
	}
}
