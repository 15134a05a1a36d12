package wholeruns_test

import (
	"strings"
	"testing"

	"kedge"
	"kedge/internal/app/maintenance"
	"kedge/internal/app/runs"
	"kedge/internal/app/supply"
	"kedge/internal/core/run"
)

// TestRow21WorktreesOfARunThatStopped: the daemon that made them works in none of
// them. Those that nothing needs go, and what is in them is set aside; what a run goes
// on in stays, and why is true.
func TestRow21WorktreesOfARunThatStopped(t *testing.T) {
	w := newWorld(t, map[string]string{".gitignore": "cache/\n"}, `[
		{"feature":"held","do":[{"do":"write","path":"held.txt","text":"ok\n"},{"do":"write","path":"elsewhere.txt","text":"x\n"}]},
		{"do":[{"do":"write","path":"cache/x","text":"x\n"},{"do":"write","path":"half.txt","text":"half\n"}]}]`, "")
	w.feature("a", "test -f a.txt")
	w.want(w.run(supply.Flags{}), run.StatusStopped, kedge.Blocked, "a:blocked")
	trees := func() string {
		t.Helper()
		list, err := w.svc.WorktreeList(w.ctx, w.caller(), maintenance.WorktreeListRequest{})
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, x := range list.Worktrees {
			if !x.Main {
				out = append(out, x.Path)
				w.write(x.Path+"/left.txt", "somebody's\n")
			}
		}
		return strings.Join(out, " ")
	}
	if got := trees(); !strings.Contains(got, "slot-1") {
		t.Fatalf("a run that stopped left %q", got)
	}
	old, err := w.svc.WorktreeOld(w.ctx, w.caller(), maintenance.WorktreeGCRequest{})
	if err != nil || len(old.Removed) == 0 || len(old.Kept) != 1 {
		t.Fatalf("would go: %+v, %v", old, err)
	}
	got, err := w.svc.WorktreeGC(w.ctx, w.caller(), maintenance.WorktreeGCRequest{})
	if err != nil || len(got.Removed) != len(old.Removed) || len(got.Kept) != 1 || trees() != "" {
		t.Fatalf("%+v, %v\nleft: %s", got, err, trees())
	}
	saved, err := w.svc.SalvageList(w.ctx, w.caller(), maintenance.SalvageListRequest{})
	found := false
	for _, s := range saved.Salvages {
		found = found || strings.Contains(s.Reason, "slot-1") && strings.Contains(w.git("show", "--name-only", "--format=", s.Commit), "left.txt")
	}
	if err != nil || !found {
		t.Errorf("what was in the worktree is nowhere: %+v, %v", saved, err)
	}

	w.feature("held", "test -f held.txt", func(d *kedge.Definition) { d.Paths = []string{"held.txt"} })
	if v := w.run(supply.Flags{}); v.State != run.StatusWaiting {
		t.Fatalf("%s (%s)\n%s", v.State, v.Reason, w.story())
	}
	got, err = w.svc.WorktreeGC(w.ctx, w.caller(), maintenance.WorktreeGCRequest{})
	if err != nil || len(got.Removed) != 0 {
		t.Fatalf("work that is held back went: %+v, %v", got, err)
	}
	for _, k := range got.Kept {
		if strings.Contains(k.Why, "process") || strings.Contains(k.Path, "slot-") && !strings.Contains(k.Why, "run-") {
			t.Errorf("%s stays: %s", k.Path, k.Why)
		}
	}
	if _, err := w.svc.RunApprove(w.ctx, w.caller(), runs.RunDecideRequest{ID: "held"}); err != nil {
		t.Fatal(err)
	}
	if w.rest(); w.statuses()["held"] != kedge.Completed {
		t.Errorf("held is %s\n%s", w.statuses()["held"], w.story())
	}
}
