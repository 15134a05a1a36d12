package execute

import (
	"testing"

	"kedge/internal/engine/gate"
)

// TestGateSaysWhoseItIs: of a gate it is known which run began it.
func TestGateSaysWhoseItIs(t *testing.T) {
	dir := t.TempDir()
	if got := gate.RunOf(dir); got != "" {
		t.Errorf("a folder without a gate is of %q", got)
	}
	if err := (gate.Begun{Version: 1, Run: "run-1"}).Write(dir); err != nil {
		t.Fatal(err)
	}
	if got := gate.RunOf(dir); got != "run-1" {
		t.Errorf("it is of %q", got)
	}
}
