package scripted_test

import (
	"strings"
	"testing"

	"kedge/internal/app/demo/scripted"
)

func TestHelpIsPrinted(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"-h"}, {"script.json", "--help"}} {
		s := newStage(t)
		if code := scripted.Main(args, s.world("")); code != 0 || s.errs.Len() > 0 {
			t.Errorf("%q: %d, %s", args, code, s.errs.String())
		}
		for _, want := range []string{"usage: kedge fakeagent SCRIPT", `"plays"`, "  write ", "  ignore_signals  "} {
			if !strings.Contains(s.out.String(), want) {
				t.Errorf("%q does not say %q:\n%s", args, want, s.out.String())
			}
		}
	}
	s := newStage(t)
	if code := scripted.Main(nil, s.world("")); code != 2 || !strings.Contains(s.errs.String(), "kedge fakeagent --help") {
		t.Errorf("without a script: %d, %s", code, s.errs.String())
	}
}
