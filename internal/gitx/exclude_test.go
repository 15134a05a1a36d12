package gitx_test

import (
	"os"
	"testing"
)

// TestExclude: a path is passed over for this repository only, once, and taking it
// back leaves the file as it was.
func TestExclude(t *testing.T) {
	r := newRepo(t)
	r.must(os.WriteFile(r.path(".git/info/exclude"), []byte("# mine\nown"), 0o644))
	r.write("tool/local.json", "{}\n")
	if got := r.git("status", "--porcelain", "-uall"); got != "?? tool/local.json" {
		t.Fatalf("status is %q", got)
	}
	for i, want := range []bool{true, false} {
		if done, err := r.open().Exclude(t.Context(), "tool/local.json"); err != nil || done != want {
			t.Errorf("time %d: %t, %v", i+1, done, err)
		}
	}
	if got := r.git("status", "--porcelain", "-uall"); got != "" {
		t.Errorf("status is %q", got)
	}
	r.must(r.open().Include(t.Context(), "tool/local.json"))
	r.must(r.open().Include(t.Context(), "tool/local.json"))
	if b, err := os.ReadFile(r.path(".git/info/exclude")); err != nil || string(b) != "# mine\nown\n" {
		t.Errorf("left is %q, %v", b, err)
	}
	if _, err := r.open().Exclude(t.Context(), "../x"); err == nil {
		t.Error("a path outside is taken")
	}
}
