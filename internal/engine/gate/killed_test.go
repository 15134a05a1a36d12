package gate_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/engine/gate"
)

// TestKilledCheckRunsAgain: a check that somebody killed says nothing of the
// work and is run again, not for ever; one that a signal of its own ended is red.
func TestKilledCheckRunsAgain(t *testing.T) {
	for name, tc := range map[string]struct {
		signal string
		from   int // the run that is let alone
		runs   int
		green  bool
	}{
		"once":    {"KILL", 2, 2, true},
		"twice":   {"TERM", 3, 3, true},
		"always":  {"KILL", 9, 3, false},
		"its own": {"SEGV", 2, 1, false},
	} {
		for kind, make := range map[string]func(*testing.T, ...kedge.Check) gate.Request{"held": held, "direct": request} {
			t.Run(name+", "+kind, func(t *testing.T) {
				t.Parallel()
				runs := filepath.Join(t.TempDir(), "runs")
				line := fmt.Sprintf("echo ran >>%s; [ $(wc -l <%s) -ge %d ] || kill -%s $$; echo whole", runs, runs, tc.from, tc.signal)
				v, err := gate.Run(t.Context(), make(t, kedge.Check{Name: "unit", Kind: kedge.CheckTest, Run: line}))
				if err != nil {
					t.Fatal(err)
				}
				text, err := os.ReadFile(runs)
				if n := strings.Count(string(text), "ran"); err != nil || n != tc.runs {
					t.Errorf("it ran %d times, want %d (%v)", n, tc.runs, err)
				}
				if v.Green() != tc.green || len(v.Findings) != tc.runs-1 {
					t.Errorf("the verdict is %+v", v)
				}
				log, err := os.ReadFile(v.Checks[0].Log)
				if whole := string(log) == "whole\n"; err != nil || whole != tc.green {
					t.Errorf("its log is %q, %v", log, err)
				}
			})
		}
	}
}
