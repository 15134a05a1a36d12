package gate_test

import (
	"strings"
	"testing"

	"kedge"
	"kedge/internal/engine/gate"
)

// TestRow109RedAndNotDue: a check that may be red runs, stops nothing and proves nothing;
// where it is green it counts like any other.
func TestRow109RedAndNotDue(t *testing.T) {
	q := request(t)
	q.Own = []kedge.Check{{Name: "later", Run: "echo no; exit 3"}, {Name: "early", Run: "true"}, {Name: "own", Run: "true"}}
	q.Later = map[string]string{"later": "due with the last", "early": "due with the last"}
	v := mustRun(t, q)
	if !v.Green() || v.Partial || gate.Nothing(v) {
		t.Fatalf("verdict %+v", v)
	}
	later, early := v.Checks[0], v.Checks[1]
	if !gate.NotDue(later) || later.FirstFailure != nil || !strings.HasSuffix(later.Skipped, "due with the last") || read(t, later.Log) == "" {
		t.Errorf("the red one: %+v", later)
	}
	if early.Skipped != "" || early.Exit != 0 {
		t.Errorf("the green one: %+v", early)
	}
	q.Own, q.LogDir = q.Own[:1], t.TempDir()
	if v := mustRun(t, q); !v.Green() || !gate.Nothing(v) {
		t.Errorf("a verdict on nothing: %+v", v)
	}
	q.Later, q.LogDir = nil, t.TempDir()
	if v := mustRun(t, q); v.Green() {
		t.Error("one that is due is not red")
	}
}
