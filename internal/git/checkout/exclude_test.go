package checkout_test

import (
	"os"
	"testing"

	"kedge/internal/testkit/gittest"
)

// TestExclude: a path is passed over for this repository only, once, and taking it
// back leaves the file as it was.
func TestExclude(t *testing.T) {
	r := gittest.New(t)
	r.Must(os.WriteFile(r.Path(".git/info/exclude"), []byte("# mine\nown"), 0o644))
	r.Write("tool/local.json", "{}\n")
	if got := r.Git("status", "--porcelain", "-uall"); got != "?? tool/local.json" {
		t.Fatalf("status is %q", got)
	}
	for i, want := range []bool{true, false} {
		if done, err := r.Open().Exclude(t.Context(), "tool/local.json"); err != nil || done != want {
			t.Errorf("time %d: %t, %v", i+1, done, err)
		}
	}
	if got := r.Git("status", "--porcelain", "-uall"); got != "" {
		t.Errorf("status is %q", got)
	}
	r.Must(r.Open().Include(t.Context(), "tool/local.json"))
	r.Must(r.Open().Include(t.Context(), "tool/local.json"))
	if b, err := os.ReadFile(r.Path(".git/info/exclude")); err != nil || string(b) != "# mine\nown\n" {
		t.Errorf("left is %q, %v", b, err)
	}
	if _, err := r.Open().Exclude(t.Context(), "../x"); err == nil {
		t.Error("a path outside is taken")
	}
}
