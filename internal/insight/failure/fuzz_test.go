package failure_test

import (
	"strconv"
	"strings"
	"testing"

	"kedge/internal/insight/failure"
)

func FuzzFirst(f *testing.F) {
	for _, name := range recordings(f) {
		r, out := read(f, name)
		f.Add(r.Command, out)
	}
	f.Add("x", "\x1b[\x1b]\x1b")
	f.Fuzz(func(t *testing.T, command, out string) {
		got, ok := failure.First(command, out)
		if !ok {
			return
		}
		checkFailure(t, got)
		if !plain(out) || strings.HasSuffix(got.File, "…") {
			return // escape codes may stand inside a name
		}
		if !strings.Contains(out, got.File) || !strings.Contains(out, strconv.Itoa(got.Line)) && got.Line != 0 {
			t.Errorf("%s:%d is not in the output %q", got.File, got.Line, out)
		}
		if again, _ := failure.First(command, out); again != got {
			t.Errorf("found %+v, then %+v", got, again)
		}
	})
}

// plain tells whether all of s stays as it is; a backslash may begin an escape
// in JSON.
func plain(s string) bool {
	for _, c := range []byte(s) {
		if c != '\n' && c != '\t' && (c < 0x20 || c >= 0x7f || c == '\\') {
			return false
		}
	}
	return true
}

func FuzzNoTests(f *testing.F) {
	for _, name := range recordings(f) {
		r, out := read(f, name)
		f.Add(r.Command, out)
	}
	f.Fuzz(func(t *testing.T, command, out string) {
		if failure.NoTests(command, out) && failure.NoTests(command, out+"\n--- PASS: TestX (0.00s)\n") {
			t.Errorf("a test that passed does not count after %q", out)
		}
	})
}
