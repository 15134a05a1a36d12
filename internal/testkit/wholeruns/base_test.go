package wholeruns_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/app/features"
	"kedge/internal/app/maintenance"
	"kedge/internal/app/runs"
	"kedge/internal/app/supply"
	"kedge/internal/core/run"
)

// again starts a run and leaves the checkout as it is.
func (w *world) again() runs.RunReply {
	w.t.Helper()
	r, err := w.svc.RunStart(w.ctx, w.caller(), runs.RunStartRequest{Env: os.Environ()})
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// tracked tells whether the user's branch holds a file.
func (w *world) tracked(name string) bool {
	w.t.Helper()
	return w.git("ls-tree", "--name-only", "HEAD", name) != ""
}

// notTogether is a gate that is red where a.txt and person.txt are both there.
var notTogether = gateOf("! { test -f a.txt && test -f person.txt; }")

func TestMergeThatNoGateSawDoesNotLand(t *testing.T) {
	w := newWorld(t, notTogether, `[{"feature":"b","do":[{"do":"write","path":"no.txt","text":"{{purpose}}\n"}]},
		{"do":[{"do":"write","path":"{{feature}}.txt","text":"ok\n"}]}]`, "")
	w.feature("a", "test -f a.txt")
	w.feature("b", "test -f never.txt")
	w.feature("c", "test -f c.txt")
	if v := w.run(supply.Flags{MaxSessions: 3}); v.Halt != run.MaxSessions {
		t.Fatalf("%s (%s) %s\n%s", v.State, v.Reason, v.Halt, w.story())
	}
	if _, err := w.svc.FeatureSkip(w.ctx, w.caller(), features.FeatureStatusRequest{ID: "c", Reason: "not now"}); err != nil {
		t.Fatal(err)
	}
	w.put("person.txt", "mine\n")
	w.commit("a person's")
	w.again()
	v := w.rest()
	if w.tracked("a.txt") {
		t.Fatalf("a red merge landed: %s (%s)\n%s", v.State, v.Reason, w.story())
	}
	if !strings.Contains(v.Reason, "not landed") || !strings.Contains(v.Reason, "red") {
		t.Errorf("%s (%s) does not say that a red merge did not land\n%s", v.State, v.Reason, w.story())
	}
	r, err := w.svc.RunLand(w.ctx, w.caller(), runs.RunLandRequest{})
	if err != nil || r.Refused == "" || w.tracked("a.txt") {
		t.Fatalf("kedge land: refused %q, %v; a.txt is there: %v\n%s", r.Refused, err, w.tracked("a.txt"), w.story())
	}
	n := len(w.sessions())
	w.git("rm", "-q", "person.txt")
	w.git("commit", "-q", "-m", "mended")
	w.again()
	if v = w.rest(); !w.tracked("a.txt") || w.tracked("person.txt") || len(w.sessions()) != n {
		t.Errorf("what is green now did not land: %s (%s), %d sessions\n%s", v.State, v.Reason, len(w.sessions()), w.story())
	}
}

// movedOn plays a run whose branch moves while it works. Because a file is being written, it does not
// land by itself.
func movedOn(t *testing.T) *world {
	script, let := waits(t)
	w := newWorld(t, gateOf("true"), script, "")
	w.feature("a", "test -f a.txt")
	w.start(supply.Flags{})
	w.until("a session works", working)
	w.put("person.txt", "mine\n")
	w.commit("a person's")
	w.put("person.txt", "being written\n")
	let()
	v := w.rest()
	if v.State != run.StatusDone || !strings.Contains(v.Reason, "not landed") || w.tracked("a.txt") {
		t.Fatalf("%s (%s)\n%s", v.State, v.Reason, w.story())
	}
	return w
}

func TestSecondRunLandsWhatTheFirstCouldNot(t *testing.T) {
	w := movedOn(t)
	w.again()
	v := w.rest()
	if v.State != run.StatusDone || !strings.Contains(v.Reason, "not landed") || !slices.Contains(v.Next, "kedge land") {
		t.Fatalf("nobody says that the work is on no branch: %s (%s), next %q\n%s", v.State, v.Reason, v.Next, w.story())
	}
	w.git("reflog", "expire", "--expire=now", "--all")
	w.git("gc", "-q", "--prune=now")
	w.git("checkout", "-q", "person.txt")
	r, err := w.svc.RunLand(w.ctx, w.caller(), runs.RunLandRequest{})
	if err != nil || r.Refused != "" || !w.tracked("a.txt") || !w.tracked("person.txt") {
		t.Fatalf("refused %q, %v; the branch holds\n%s\n%s", r.Refused, err, w.git("ls-tree", "--name-only", "HEAD"), w.story())
	}
}

func TestLostWorkIsNotPassedOver(t *testing.T) {
	w := movedOn(t)
	for _, ref := range strings.Fields(w.git("for-each-ref", "--format=%(refname)", "refs/heads/kedge/", "refs/kedge/")) {
		w.git("update-ref", "-d", ref)
	}
	w.git("reflog", "expire", "--expire=now", "--all")
	w.git("gc", "-q", "--prune=now")
	_, err := w.svc.RunStart(w.ctx, w.caller(), runs.RunStartRequest{Env: os.Environ()})
	if !kedge.Conflict.Is(err) || !strings.Contains(kedge.HintOf(err), "kedge feature reopen a") {
		t.Fatalf("the work of the run is gone, and: %v (%s)", err, kedge.HintOf(err))
	}
	if _, err := w.svc.FeatureReopen(w.ctx, w.caller(), features.FeatureStatusRequest{ID: "a", Reason: "lost"}); err != nil {
		t.Fatal(err)
	}
	w.want(w.run(supply.Flags{}), run.StatusDone, "", "a:completed")
	if !w.tracked("a.txt") {
		t.Errorf("made again, and not landed\n%s", w.story())
	}
}

func TestResetOfAPersonStays(t *testing.T) {
	w := newWorld(t, nil, writes, "")
	w.feature("a", "test -f a.txt")
	w.commit("ledger")
	before := w.git("rev-parse", "HEAD")
	w.want(w.run(supply.Flags{}), run.StatusDone, "", "a:completed")
	if !w.tracked("a.txt") {
		t.Fatalf("not landed\n%s", w.story())
	}
	thrown := w.git("rev-parse", "HEAD")
	w.git("reset", "-q", "--hard", before)
	w.feature("two", "test -f two.txt")
	r := w.start(supply.Flags{})
	if said := strings.Join(r.Notes, "\n"); !strings.Contains(said, "features whose commits are gone: a") || !strings.Contains(said, "kedge feature reopen a") {
		t.Errorf("the notes %q do not say what is gone", r.Notes)
	}
	w.want(w.rest(), run.StatusDone, "", "a:completed two:completed")
	if strings.Contains(w.git("rev-list", "HEAD"), thrown) || !w.tracked("two.txt") {
		t.Errorf("what a person threw away is back, or the new work is not there:\n%s\n%s", w.git("log", "--oneline", "--name-only", "-8"), w.story())
	}
}

func TestF10KilledSessionsBlock(t *testing.T) {
	w := newWorld(t, nil, `[{"do":[{"do":"crash","signal":"KILL"}]}]`, "")
	w.feature("a", "test -f a.txt")
	w.want(w.run(supply.Flags{}), run.StatusStopped, kedge.Blocked, "a:blocked")
	if n := len(w.sessions()); n != 3 {
		t.Errorf("%d sessions that were all killed, want 3", n)
	}
	if f := w.of("a"); !strings.Contains(f.Notes, "killed 3 times") {
		t.Errorf("the explanation %q", f.Notes)
	}
}

// TestF10BlockedAfterCrashesSaysTheLast: what the agent said last, without secrets and
// escapes, is in the explanation; a salvage is spoken of where there is one.
func TestF10BlockedAfterCrashesSaysTheLast(t *testing.T) {
	says := `{"do":"say","text":"I give up\nthe database is gone"},{"do":"exit","code":3}`
	w := newWorld(t, nil, `[
		{"feature":"b","do":[{"do":"write","path":"half.txt","text":"half\n"},`+says+`]},
		{"feature":"c","do":[{"do":"exit","code":3}]}]`, "")
	w.feature("b", "test -f b.txt")
	w.feature("c", "test -f c.txt")
	w.want(w.run(supply.Flags{}), run.StatusStopped, kedge.Blocked, "b:blocked c:blocked")
	b, c := w.of("b").Notes, w.of("c").Notes
	if !strings.Contains(b, "\nThe last message of its agent: the database is gone\n") {
		t.Errorf("b: %q", b)
	}
	if strings.Contains(c, "salvage") || strings.Contains(c, "The last from") || !strings.Contains(c, "It left no work.") {
		t.Errorf("c: %q", c)
	}
	_, rest, _ := strings.Cut(b, "kedge salvage restore ")
	id, _, _ := strings.Cut(rest, ")")
	got, err := w.svc.SalvageRestore(w.ctx, w.caller(), maintenance.SalvageRestoreRequest{ID: kedge.SalvageID(id)})
	if err != nil || got.Salvage.Files != 1 {
		t.Errorf("what is advised does not help: %+v, %v\n%q", got, err, b)
	}
}

// TestT15LastLineOfACrash: a line that an agent printed is told without secrets, and
// without what could steer a terminal.
func TestT15LastLineOfACrash(t *testing.T) {
	secret := "gh" + "p_" + strings.Repeat("aB3dE5gH7j", 4)[:36]
	files := map[string]string{"dies.sh": "printf 'first\\n\\033[31mError: no module named x " + secret + "\\033[0m\\007\\n' >&2\nexit 3\n"}
	w := newWorld(t, files, "", "[agents.dies]\nkind = \"command\"\ncommand = [\"sh\", \"dies.sh\"]\n")
	w.feature("a", "test -f a.txt")
	w.want(w.run(supply.Flags{Agent: "dies"}), run.StatusStopped, kedge.Blocked, "a:blocked")
	if a := w.of("a").Notes; !strings.Contains(a, "\nThe last message of its agent: Error: no module named x [redacted:github]\nIt left no work.") {
		t.Errorf("a: %q", a)
	}
}

func TestDayBudgetIsOfAllRuns(t *testing.T) {
	today := func() string { return time.Now().UTC().Format(time.DateOnly) }
	day := today()
	w := newWorld(t, nil, spends, "[budget]\nday_usd = 1.5\n")
	w.feature("a", "test -f a.txt")
	w.want(w.run(supply.Flags{}), run.StatusDone, "", "a:completed")
	w.feature("b", "test -f b.txt")
	w.feature("c", "test -f c.txt")
	v := w.run(supply.Flags{})
	if day != today() {
		t.Skip("it is another day by now")
	}
	if v.State != run.StatusOverBudget || !strings.Contains(v.Reason, "of the day") || len(w.sessions()) != 2 {
		t.Errorf("%s (%s) after %d sessions\n%s", v.State, v.Reason, len(w.sessions()), w.story())
	}
}
