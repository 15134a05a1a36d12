package wholeruns_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kedge/internal/app/supply"

	"kedge"
	"kedge/internal/app/features"
	"kedge/internal/app/reports"
	"kedge/internal/app/runs"
	"kedge/internal/core/run"
)

func TestRow13And89And99CommitsAreWhatWasVerified(t *testing.T) {
	w := newWorld(t, nil, writes, "")
	w.feature("a", "test -f a.txt")
	w.want(w.run(supply.Flags{}), run.StatusDone, "", "a:completed")
	sha := w.git("log", "--format=%H", "--grep=Kedge-Feature: a")
	if sha == "" || strings.Contains(sha, "\n") {
		t.Fatalf("work commits %q", sha)
	}
	trailers := w.git("log", "-1", "--format=%(trailers)", sha)
	for _, want := range []string{"Kedge-Feature: a", "Kedge-Session: ses-", "Kedge-Validated: "} {
		if !strings.Contains(trailers, want) {
			t.Errorf("no %q in\n%s", want, trailers)
		}
	}
	x, err := w.svc.Explain(w.ctx, w.caller(), reports.ExplainRequest{Commit: sha})
	if err != nil {
		t.Fatal(err)
	}
	if x.Feature == nil || x.Feature.ID != "a" || x.Session == nil || x.Evidence == nil {
		t.Fatalf("explain: %+v", x)
	}
	e := x.Evidence.Verdict
	if !e.Green() || e.Partial || len(e.Checks) == 0 || e.Checks[0].Exit != 0 || e.Checks[0].Log == "" || e.Tree == "" || x.Evidence.At.IsZero() {
		t.Errorf("evidence %+v", x.Evidence)
	}
	if tree := w.git("rev-parse", sha+"^{tree}"); e.Tree != tree || !strings.Contains(trailers, "Kedge-Validated: "+tree) {
		t.Errorf("verified is tree %s, committed %s\n%s", e.Tree, tree, trailers)
	}
	if f := w.of("a"); f.Evidence == nil || *f.Evidence != x.Evidence.ID || f.CompletedAt == nil {
		t.Errorf("the status has no evidence: %+v", f)
	}
	if changed := w.git("diff", "--name-only", sha+"^", sha); changed != "a.txt" {
		t.Errorf("the work commit changes %q", changed)
	}
	for _, name := range strings.Fields(w.git("diff", "--name-only", sha, "main")) {
		if !strings.HasPrefix(name, ".kedge/") && name != "AGENT_CONTEXT.md" {
			t.Errorf("the ledger commit changes %q", name)
		}
	}
}

func TestRow37And94StepsInOrder(t *testing.T) {
	w := newWorld(t, gateOf("true"), writes, "")
	w.feature("a", "test -f a.txt")
	w.run(supply.Flags{})
	want := []run.InputKind{run.Prepared, run.Gated, run.Proved, run.Briefed, run.Exited, run.Gated, run.Inspected, run.Integrated, run.Committed, run.Ledgered}
	var got []run.InputKind
	for _, l := range w.lines {
		if l.At.IsZero() {
			t.Errorf("step %d has no time", l.N)
		}
		if slices.Contains(want, l.Event) {
			got = append(got, l.Event)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("steps %v, want %v", got, want)
	}
}

// TestRow94ReusedVerdictIsAStep: a base that is not checked again has its step all
// the same, and that says which verdict it goes by.
func TestRow94ReusedVerdictIsAStep(t *testing.T) {
	w := newWorld(t, gateOf("true"), writes, "")
	w.feature("a", "test -f a.txt")
	w.feature("b", "test -f b.txt", func(d *kedge.Definition) { d.Dependencies = []kedge.FeatureID{"a"} })
	w.want(w.run(supply.Flags{}), run.StatusDone, "", "a:completed b:completed")
	verified := *w.of("a").Evidence
	for _, c := range []struct {
		feature, text string
	}{{"a", "the baseline: green"}, {"b", "the baseline: green, reused from " + string(verified) + " (a: merged and checked in full)"}} {
		x, err := w.svc.Explain(w.ctx, w.caller(), reports.ExplainRequest{Commit: w.git("log", "--format=%H", "--grep=Kedge-Feature: "+c.feature)})
		if err != nil {
			t.Fatal(err)
		}
		verify := slices.IndexFunc(x.Steps, func(s reports.RunStep) bool { return s.Event == run.Gated })
		if verify < 0 || x.Steps[verify].Outcome != run.Green || x.Steps[verify].Text != c.text || x.Steps[verify].At.IsZero() {
			t.Errorf("steps of %s: %+v", c.feature, x.Steps)
		}
		if i := slices.IndexFunc(x.Steps, func(s reports.RunStep) bool { return s.Event == run.Proved }); i < verify {
			t.Errorf("%s: its work is proved at %d, the baseline at %d", c.feature, i, verify)
		}
	}
}

// TestRow97CleanEnd: an end is clean only with a commit of everything that the
// session left, and a green verdict on that.
func TestRow97CleanEnd(t *testing.T) {
	w := newWorld(t, gateOf("test ! -f bad.txt"), `[{"number":1,"do":[{"do":"write","path":"bad.txt","text":"x\n"}]},
		{"do":[{"do":"remove","path":"bad.txt"},{"do":"write","path":"{{feature}}.txt","text":"ok\n"}]}]`, "")
	w.feature("a", "test -f a.txt")
	w.want(w.run(supply.Flags{}), run.StatusDone, "", "a:completed")
	sha := w.git("log", "--format=%H", "--grep=Kedge-Feature: a")
	x, err := w.svc.Explain(w.ctx, w.caller(), reports.ExplainRequest{Commit: sha})
	if err != nil {
		t.Fatal(err)
	}
	all := w.sessions()
	if len(x.Ends) != 2 || len(all) != 2 {
		t.Fatalf("%d sessions, ends %+v", len(all), x.Ends)
	}
	if e := x.Ends[0]; e.Clean || e.Session != all[0].ID || e.Commit != "" || !strings.HasPrefix(e.Why, "checked: red") {
		t.Errorf("a red end: %+v", e)
	}
	if e := x.Ends[1]; !e.Clean || e.Session != all[1].ID || e.Commit != sha || e.Evidence != x.Evidence.ID || e.Why != "" {
		t.Errorf("a clean end: %+v", e)
	}
}

func TestRow97And98UnfinishedWorkLeavesACleanState(t *testing.T) {
	w := newWorld(t, gateOf("test ! -f bad.txt"), `[{"do":[{"do":"write","path":"bad.txt","text":"x\n"},{"do":"write","path":"new.txt","text":"kept\n"}]}]`, "")
	w.feature("a", "test -f a.txt")
	w.commit("ledger")
	w.put("mine.txt", "the user's own\n")
	head := w.git("rev-parse", "HEAD")
	if _, err := w.svc.RunStart(w.ctx, w.caller(), runs.RunStartRequest{Env: os.Environ()}); err != nil {
		t.Fatal(err)
	}
	v := w.rest()
	if v.Kind != kedge.Blocked || w.statuses()["a"] != kedge.BlockedWork {
		t.Fatalf("%s (%s)\n%s", v.State, v.Reason, w.story())
	}
	if got := w.read(w.dir + "/mine.txt"); got != "the user's own\n" {
		t.Errorf("the user's file is %q", got)
	}
	if now := w.git("rev-parse", "HEAD"); now != head && w.git("diff", "--name-only", head, now, "--", ".", ":!.kedge", ":!AGENT_CONTEXT.md") != "" {
		t.Errorf("unfinished work landed")
	}
	found := false
	for _, ref := range strings.Fields(w.git("for-each-ref", "--format=%(refname)", "refs/kedge/salvage")) {
		found = found || strings.Contains(w.git("ls-tree", "-r", "--name-only", ref), "new.txt")
	}
	if !found {
		t.Error("the unfinished work is in no salvage")
	}
}

func TestRow85OneFeaturePerSession(t *testing.T) {
	w := newWorld(t, nil, `[{"feature":"a","number":1,"do":[{"do":"write","path":"a.txt","text":"x\n"},{"do":"write","path":"b.txt","text":"x\n"}]},{"do":[{"do":"write","path":"{{feature}}.txt","text":"ok {{feature}}\n"}]}]`, "")
	w.feature("a", "test -f a.txt", func(d *kedge.Definition) { d.Paths = []string{"a.*"} })
	w.feature("b", "test -f b.txt", func(d *kedge.Definition) { d.Paths = []string{"b.*"} })
	v := w.run(supply.Flags{})
	if s := w.statuses(); s["a"] != kedge.NeedsReview || !strings.Contains(w.record()+v.Reason, "b.txt") {
		t.Fatalf("a session that works for two features completed one: %s (%s)\n%s", v.State, v.Reason, w.story())
	}
	if got := w.git("log", "--format=%(trailers:key=Kedge-Feature,valueonly)", "--", "a.txt"); strings.TrimSpace(got) != "" {
		t.Errorf("what it did is in a commit for %s", got)
	}
	for _, s := range w.sessions() {
		if s.Feature == "" || s.Feature != kedge.FeatureID(s.Name) {
			t.Errorf("session %s is for %q, its record says %q", s.ID, s.Name, s.Feature)
		}
		if b := w.brief(s.ID); strings.Contains(b, "test -f a.txt") && strings.Contains(b, "test -f b.txt") {
			t.Errorf("session %s was told two tasks", s.ID)
		}
	}
}

func TestRow34And104ContinuesAfterTheDaemonWasStopped(t *testing.T) {
	script, let := waits(t)
	w := newWorld(t, nil, script, "")
	w.feature("a", "test -f a.txt")
	w.feature("b", "test -f b.txt")
	w.start(supply.Flags{})
	v := w.until("a session works", working)
	was := v.Jobs[0].Session
	w.reopen()
	let()
	w.want(w.rest(), run.StatusDone, "", "a:completed b:completed")
	all := w.sessions()
	if len(all) != 2 || all[0].ID != was {
		t.Errorf("the session that lived was not adopted: %d sessions, the first %s, it was %s\n%s", len(all), all[0].ID, was, w.story())
	}
}

func TestRow17And19And29WhatAFeatureLeavesBehind(t *testing.T) {
	w := newWorld(t, nil, `[{"feature":"bad","do":[{"do":"write","path":"bad.txt","text":"x\n"}]},{"do":[{"do":"write","path":"{{feature}}.txt","text":"ok\n"}]}]`, "")
	w.feature("a", "test -f a.txt")
	w.feature("bad", "echo 'x.go:3: not like this' >&2; exit 1")
	w.want(w.run(supply.Flags{}), run.StatusStopped, kedge.Blocked, "a:completed bad:blocked")
	notes := w.git("ls-files", ".kedge/notes")
	if notes == "" {
		t.Fatal("no note was committed")
	}
	if name := regexp.MustCompile(`^\.kedge/notes/\d{4}-\d\d-\d\d-[a-z0-9-]+\.md$`); !name.MatchString(strings.Fields(notes)[0]) {
		t.Errorf("notes %q", notes)
	}
	note := w.read(w.dir + "/" + strings.Fields(notes)[0])
	sha := w.git("log", "--format=%H", "--grep=Kedge-Feature: a")
	_, files, _ := strings.Cut(note, "## Files changed\n\n")
	files, _, _ = strings.Cut(files, "\n\n")
	if want := "- " + strings.ReplaceAll(w.git("diff", "--name-only", sha+"^", sha), "\n", "\n- "); files != want || !strings.Contains(note, sha) {
		t.Errorf("the note of commit %s says that\n%s\nchanged, git says\n%s", sha, files, want)
	}
	for _, want := range []string{"Root cause", "Files changed", "Constraints preserved", "Validation", "a.txt"} {
		if !strings.Contains(note, want) {
			t.Errorf("no %q in the note:\n%s", want, note)
		}
	}
	if inspected, committed := w.place(run.Inspected), w.place(run.Committed); inspected < 0 || inspected > committed {
		t.Errorf("inspected at %d, committed at %d", inspected, committed)
	}
	if _, err := w.svc.FeatureReopen(w.ctx, w.caller(), features.FeatureStatusRequest{ID: "bad", Reason: "once more"}); err != nil {
		t.Fatal(err)
	}
	w.run(supply.Flags{})
	again := w.brief(lastOf(w.sessions(), "bad"))
	if !strings.Contains(again, "not like this") {
		t.Errorf("the attempt that failed is not shown again:\n%s", again)
	}
}

// lastOf is the newest first session of a feature's last attempt, its repair left
// out.
func lastOf(all []kedge.Session, name string) kedge.SessionID {
	var ids []kedge.SessionID
	for _, s := range all {
		if s.Name == name {
			ids = append(ids, s.ID)
		}
	}
	return ids[len(ids)-2]
}

// TestT15SecretsOfACrashedSession: what a session printed before it crashed is
// told to the next one without the secrets in it, also one that would be cut in
// half to fit.
func TestT15SecretsOfACrashedSession(t *testing.T) {
	secret := "gh" + "p_" + strings.Repeat("aB3dE5gH7j", 4)[:36]
	say := func(before int) string {
		return `{"do":"say","text":"` + strings.Repeat("x", before) + ` ` + secret + ` and more"}`
	}
	w := newWorld(t, nil, `[{"number":1,"do":[`+say(1)+`,`+say(370)+`,{"do":"run","line":"echo `+secret+`; exit 1"},{"do":"exit","code":3}]},
		{"do":[{"do":"write","path":"{{feature}}.txt","text":"ok\n"}]}]`, "")
	w.feature("a", "test -f a.txt")
	w.want(w.run(supply.Flags{}), run.StatusDone, "", "a:completed")
	ids := w.sessions()
	if len(ids) != 2 {
		t.Fatalf("%d sessions\n%s", len(ids), w.story())
	}
	next := w.brief(ids[1].ID)
	if strings.Contains(next, secret[:12]) || !strings.Contains(next, "[redacted:github]") {
		t.Errorf("the next session is told:\n%s", next)
	}
}
