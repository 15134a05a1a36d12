package check_test

import (
	"testing"

	"kedge/internal/core/check"
)

// TestUnwrapped: a line is shown as somebody wrote it.
func TestUnwrapped(t *testing.T) {
	for _, line := range []string{"sh tests/all.sh", "make check; make more", "if [ -e x ]; then y; fi", ""} {
		if got := check.Unwrapped(check.Once(line, "tests/all.sh")); got != line {
			t.Errorf("%q is shown as %q", line, got)
		}
		if got := check.Unwrapped(line); got != line {
			t.Errorf("%q is shown as %q", line, got)
		}
	}
}
