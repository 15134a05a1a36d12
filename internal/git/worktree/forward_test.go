package worktree_test

import (
	"os/exec"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/testkit/gittest"
)

// TestStashHintNamesFiles: the command that sets files aside takes only those, whatever
// their names look like.
func TestStashHintNamesFiles(t *testing.T) {
	r := gittest.New(t)
	r.Write("[ab].txt", "1\n")
	r.Write("a.txt", "1\n")
	base := r.Commit("both")
	r.Write("[ab].txt", "2\n")
	ahead := r.Commit("ahead")
	r.Git("reset", "-q", "--hard", strings.TrimSpace(base))
	r.Write("[ab].txt", "mine\n")
	r.Write("a.txt", "mine, too\n")
	err := r.Open().Forward(t.Context(), git.ForwardRequest{Branch: "main", To: strings.TrimSpace(ahead)})
	gittest.WantKind(t, err, kedge.Conflict, "[ab].txt")
	c := exec.CommandContext(t.Context(), "sh", "-c", kedge.HintOf(err))
	c.Env = r.Env()
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if r.Read("[ab].txt") != "1\n" || r.Read("a.txt") != "mine, too\n" {
		t.Errorf("set aside: %q, %q", r.Read("[ab].txt"), r.Read("a.txt"))
	}
}
