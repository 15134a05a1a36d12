package planning

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/app/features"
	"kedge/internal/app/ledger"
	"kedge/internal/core/config"
	"kedge/internal/core/plan"
	"kedge/internal/core/run"
	"kedge/internal/core/watch"
	"kedge/internal/engine"
	"kedge/internal/engine/local"
	"kedge/internal/journal"
	"kedge/internal/text/words"
)

const givenPlan = `## Root cause

There are no orders.

## Files expected to change

- order.txt

## Assumptions

none

## Invariants

a.txt stays.

## Risks

none known

## Validation

- ` + "`true`" + `

## Phase 1: users {#p1}

- [ ] p1.1 the user entity
  check: test -f user.txt

## Phase 2: orders {#p2 budget=200k model=big}

prompt: keep the public API as it is

- [ ] p2.1 the order entity
  check: test -f order.txt
`

// planning writes down that the run plans, as PlanGoal does.
func (w *works) planning() {
	w.t.Helper()
	w.ok(w.s.savePlan(w.t.Context(), w.p, w.who(), "Orders for the shop\nwith totals", w.Run))
}

// says lets a planning session say something, twice: the second time it is
// adopted and read again.
func (w *works) says(session kedge.SessionID, evs ...watch.Act) {
	w.t.Helper()
	for range 2 {
		for _, ev := range evs {
			w.ok(w.cfg.Heard(w.t.Context(), run.Command{Run: w.Run, Purpose: run.MakePlan}, session, ev))
		}
	}
}

func (w *works) plan() kedge.PlanData {
	w.t.Helper()
	d, ok, err := ledger.PlanOf(w.t.Context(), w.p, w.Run)
	w.ok(err)
	if !ok {
		w.t.Fatal("there is no plan")
	}
	return d
}

func (w *works) faults() string {
	w.t.Helper()
	f, err := w.cfg.Planned(w.t.Context(), run.Command{Run: w.Run, Purpose: run.MakePlan})
	w.ok(err)
	return f
}

func (w *works) file(name string) string {
	w.t.Helper()
	b, err := os.ReadFile(w.dir + "/" + name)
	w.ok(err)
	return string(b)
}

func question(text string) watch.Act { return watch.Act{Kind: watch.Question, Text: text} }

func planText(text string) watch.Act { return watch.Act{Kind: watch.PlanText, Text: text} }

// Row 32: questions come first; a plan that is given beside them is not taken.
func TestRow32QuestionsFirst(t *testing.T) {
	w := newWorks(t)
	w.planning()
	if f := w.faults(); !strings.Contains(f, "neither questions nor a plan") {
		t.Errorf("a session that gave nothing: %q", f)
	}
	w.says("ses-1", question("Which currency?"), question("Which colour? (optional)"), planText(givenPlan))
	d := w.plan()
	if d.Status != kedge.PlanWaiting || len(questionsOf(d)) != 2 || !strings.Contains(d.Faults, "questions are still open") || w.faults() != "" {
		t.Fatalf("plan %+v, faults %q", d, w.faults())
	}
	if text := w.file(ledger.PlanFile); text != d.Text || !strings.Contains(text, "1. Which currency? (blocking)\n   answer:\n2. Which colour?\n") {
		t.Errorf("plan.md:\n%s", text)
	}
	_, err := w.s.PlanApprove(t.Context(), w.who(), PlanApproveRequest{Path: os.Getenv("PATH")})
	if !kedge.Blocked.Is(err) {
		t.Errorf("approved with an open question: %v", err)
	}
	evs, err := w.p.Store.Events(t.Context(), 0)
	w.ok(err)
	n := 0
	for _, ev := range evs {
		if ev.Type == kedge.PlanSaved {
			n++
		}
	}
	if n != 4 { // begun, two questions, one plan that was not taken
		t.Errorf("%d facts about the plan", n)
	}
}

// Row 9: what a working session prints is no plan, and no plan is work.
func TestRow9OnlyPlanningSessionsPlan(t *testing.T) {
	w := newWorks(t)
	w.planning()
	before := w.plan()
	w.ok(w.cfg.Heard(t.Context(), run.Command{Run: w.Run, Purpose: run.Implement}, "ses-1", planText(givenPlan)))
	w.says("ses-2", watch.Act{Kind: watch.Say, Text: "```kedge-plan"})
	if d := w.plan(); d.Text != before.Text || d.Status != before.Status {
		t.Errorf("plan %+v", d)
	}
}

func TestPlanWithFaultsGoesBack(t *testing.T) {
	w := newWorks(t)
	w.planning()
	for name, c := range map[string]struct{ text, want string }{
		"no risks":   {strings.Replace(givenPlan, "## Risks\n\nnone known\n", "", 1), `"Risks" is missing`},
		"no program": {strings.Replace(givenPlan, "`true`", "`no-such-program`", 1), "no-such-program"},
		"too long":   {givenPlan + strings.Repeat("x", 300<<10), "longer than"},
		"a secret":   {strings.Replace(givenPlan, "There are no orders.", "gh"+"p_"+strings.Repeat("a1B2", 9), 1), "secret"},
	} {
		w.says(kedge.SessionID("ses-"+name), planText(c.text))
		if f := w.faults(); !strings.Contains(f, c.want) || w.plan().Status != kedge.PlanDrafting {
			t.Errorf("%s: %s, faults %q", name, w.plan().Status, f)
		}
	}
	w.says("ses-good", planText(givenPlan))
	if d := w.plan(); d.Status != kedge.PlanReady || d.Faults != "" || w.faults() != "" {
		t.Fatalf("plan %+v", d)
	}
	r, err := w.s.PlanApprove(t.Context(), w.who(), PlanApproveRequest{Path: os.Getenv("PATH")})
	w.ok(err)
	if d := w.plan(); r.ID != d.ID || d.Status != kedge.PlanApproved || d.Goal == "" || len(r.Features) != 2 {
		t.Errorf("approved %+v as %+v", d, r)
	}
	w.says("ses-late", question("One more?"), planText(strings.Replace(givenPlan, "users", "others", 1)))
	if d := w.plan(); d.Status != kedge.PlanApproved || strings.Contains(d.Text, "others") {
		t.Error("a session changed a plan that is approved")
	}
}

// What people write into plan.md themselves counts, and is not lost.
func TestAnswersInTheFileCount(t *testing.T) {
	w := newWorks(t)
	w.planning()
	w.says("ses-1", question("Which currency?"))
	w.Put(ledger.PlanFile, strings.Replace(w.file(ledger.PlanFile), "answer:", "answer: EUR", 1))
	w.says("ses-2", planText(givenPlan))
	d := w.plan()
	if q := questionsOf(d); d.Status != kedge.PlanReady || len(q) != 1 || q[0].Answer != "EUR" {
		t.Errorf("%s, questions %+v, faults %q", d.Status, q, d.Faults)
	}
}

// What people changed while a session worked is kept, and the plan says where.
func TestChangesOfPeopleAreKeptAndNamed(t *testing.T) {
	w := newWorks(t)
	w.planning()
	w.says("ses-1", question("Which currency?"))
	w.Put(ledger.PlanFile, strings.Replace(w.file(ledger.PlanFile), "answer:", "answer: EUR", 1))
	w.says("ses-2", planText(givenPlan))
	if d := w.plan(); d.Status != kedge.PlanReady || len(d.Kept) != 0 {
		t.Fatalf("%s, kept %q: an answer is taken over, and no change", d.Status, d.Kept)
	}
	mine := strings.Replace(w.file(ledger.PlanFile), "test -f user.txt", "test -s user.txt", 1)
	w.Put(ledger.PlanFile, mine)
	w.says("ses-3", question("Which colour?"))
	d := w.plan()
	if len(d.Kept) != 1 || w.file(ledger.PlanFile) != d.Text {
		t.Fatalf("kept %q, plan.md:\n%s", d.Kept, w.file(ledger.PlanFile))
	}
	if b, err := os.ReadFile(d.Kept[0]); err != nil || string(b) != mine {
		t.Errorf("%v, kept:\n%s", err, b)
	}
	r, err := w.s.PlanShow(t.Context(), w.who(), PlanShowRequest{})
	w.ok(err)
	if len(r.Kept) != 1 || r.Kept[0] != d.Kept[0] {
		t.Errorf("shown as kept: %q", r.Kept)
	}
}

// Row 42: the planning brief asks for questions and a plan, and for no work.
func TestRow42PlanningBriefFromTheJournal(t *testing.T) {
	w := newWorks(t)
	w.planning()
	w.says("ses-1", question("Which currency?"))
	w.Put(ledger.PlanFile, strings.Replace(w.file(ledger.PlanFile), "answer:", "answer: EUR", 1))
	w.says("ses-1", question("Which colour?"))
	base := w.Git("rev-parse", "HEAD")
	w.slot(base)
	text := w.brief(run.Command{Kind: run.Brief, Job: 1, Base: base, Purpose: run.MakePlan, Attempt: 1, Failure: "no risks"})
	if !strings.HasPrefix(text, "# Rules\n\n1. Never break the API.\n") {
		t.Errorf("does not start with the rules: %.60q", text)
	}
	for _, want := range []string{"> Orders for the shop\n> with totals", "> Question: Which currency?\n> Answer: EUR", "> no risks", "```kedge-plan"} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "## Task") || strings.Contains(text, "Which colour") {
		t.Errorf("has what it should not:\n%s", text)
	}
}

func TestPlanningTakesNobodysDraft(t *testing.T) {
	w := newWorks(t)
	w.Put(ledger.PlanFile, string(plan.Template("mine")))
	if err := w.s.savePlan(t.Context(), w.p, w.who(), "Orders for the shop", w.Run); !kedge.Conflict.Is(err) {
		t.Errorf("planned over a draft: %v", err)
	}
	if !strings.Contains(w.file(ledger.PlanFile), "title: mine") {
		t.Error("the draft is gone")
	}
}

// Row 70: phases have their own prompt, budget and model.
func TestRow70PhasesHaveBudgetAndModel(t *testing.T) {
	w := newWorks(t)
	w.planning()
	w.says("ses-1", planText(givenPlan))
	_, err := w.s.PlanApprove(t.Context(), w.who(), PlanApproveRequest{Path: os.Getenv("PATH")})
	w.ok(err)
	l, err := ledger.ReadSnapshot(t.Context(), w.p)
	w.ok(err)
	if limits := ledger.PhaseLimits(l); len(limits) != 1 || limits[0] != (config.PhaseLimit{ID: "p2", Tokens: 200_000}) {
		t.Errorf("limits %+v", limits)
	}
	rests := engineOf(t, w, config.Rules{Agent: "bot:small"})
	defer rests()
	for id, want := range map[kedge.FeatureID]string{"p1.1": "bot:small", "p2.1": "bot:big"} {
		got, err := w.cfg.Route(t.Context(), run.Command{Run: w.Run, Feature: id, Purpose: run.Implement})
		w.ok(err)
		if got.Name() != want {
			t.Errorf("%s goes to %+v, want %q", id, got, want)
		}
	}
}

// leaves carries out nothing.
type leaves struct{}

func (leaves) Do(ctx context.Context, _ run.Command, _ func(run.Input)) (run.Input, error) {
	<-ctx.Done()
	return run.Input{}, engine.ErrLeave
}

// engineOf begins the run of the test in an engine that does nothing.
func engineOf(t *testing.T, w *works, rules config.Rules) func() {
	t.Helper()
	e := local.New(local.Config{Project: w.p.ID, Store: w.p.Store, Executor: leaves{}, Now: w.s.projects.Now})
	w.ok(e.Open(t.Context()))
	w.ok(e.Start(t.Context(), run.Input{ID: "begin", Kind: run.Begun, At: w.Now, Run: w.Run, Commit: "c0", Rules: &rules, Specs: []run.Spec{{ID: "p1.1", Hash: "h"}}}))
	return e.Leave
}

// Row 25: the first turn of session 30 is as long as that of the first.
func TestRow25BriefsStayFlat(t *testing.T) {
	w := newWorks(t)
	const features = 30
	for i := range features {
		d := orders
		d.ID, d.Name = kedge.FeatureID("f"+strconv.Itoa(i)), "Entity "+strconv.Itoa(i)
		w.feature(d)
	}
	base := w.Git("rev-parse", "HEAD")
	tree := w.Git("rev-parse", "HEAD^{tree}")
	w.slot(base)
	var least, most int
	for i := range features {
		id := kedge.FeatureID("f" + strconv.Itoa(i))
		c := w.command(run.Command{Kind: run.Brief, Job: 1, Feature: id, Hash: w.hash(id), Base: base, Purpose: run.Implement, Attempt: 1})
		at, err := w.x.Do(t.Context(), c, func(run.Input) {})
		w.ok(err)
		b, err := os.ReadFile(w.cfg.Slots.CleanDir(w.Run) + ".d/" + at.Text)
		w.ok(err)
		n := words.Tokens(string(b))
		if i == 0 {
			least, most = n, n
		}
		least, most = min(least, n), max(most, n)
		green := w.evidence(id, tree, kedge.ValidationOK, nil)
		now := w.Now
		w.ok(w.cfg.Ledger.Mark(t.Context(), "done-"+string(id), kedge.ActorDaemon, kedge.FeatureStatusData{ID: id, Status: kedge.Completed, Evidence: &green, CompletedAt: &now}))
		note := kedge.Note{ID: kedge.NoteID(kedge.NewID("not", now)), Title: "Entity", Feature: id, Date: now, RootCause: strings.Repeat("what was learnt ", 20)}
		w.add(kedge.NoteAdded, note)
	}
	if float64(most) > 1.2*float64(least) {
		t.Errorf("briefs take %d to %d tokens", least, most)
	}
}

// add journals a fact of another area.
func (w *works) add(typ kedge.EventType, data any) {
	w.t.Helper()
	ev, err := kedge.NewEvent(typ, kedge.ActorDaemon, data)
	w.ok(err)
	ev.Project = w.p.ID
	_, _, err = w.p.Store.Append(w.t.Context(), "", ev)
	w.ok(err)
}

// What is Kedge's own does not keep a run from landing; what people wrote does.
func TestLandableIsOnlyWhatKedgeWrote(t *testing.T) {
	w := newWorks(t)
	w.feature(orders)
	ctx := t.Context()
	for _, path := range []string{ledger.FeaturesFile, ledger.ProgressFile} {
		if !w.cfg.Projected(ctx, path) {
			t.Errorf("%s is as Kedge wrote it", path)
		}
	}
	progress := w.file(ledger.ProgressFile)
	w.Put(ledger.ProgressFile, progress+"\nMind the release on Friday.\n")
	w.Put(ledger.FeaturesFile, strings.Replace(w.file(ledger.FeaturesFile), "Order entity", "Another", 1))
	w.Put(".kedge/mine.txt", "mine\n")
	for _, path := range []string{ledger.FeaturesFile, ledger.ProgressFile, ".kedge/mine.txt", ".kedge/rules.md", "a.txt", "none.txt"} {
		if w.cfg.Projected(ctx, path) {
			t.Errorf("%s would be lost", path)
		}
	}
	// Kedge's next text keeps the words, and they are still nowhere else.
	block := func(id kedge.FeatureID) {
		_, err := w.s.FeatureBlock(ctx, w.who(), features.FeatureStatusRequest{ID: id, Reason: "later"})
		w.ok(err)
	}
	w.feature(kedge.Definition{ID: "users", Name: "Users", Checks: orders.Checks})
	block("users")
	if text := w.file(ledger.ProgressFile); !strings.Contains(text, "Friday") || w.cfg.Projected(ctx, ledger.ProgressFile) {
		t.Errorf("progress.md would be lost:\n%s", text)
	}
	w.Git("add", ledger.ProgressFile)
	w.Git("commit", "-q", "-m", "words")
	block("orders")
	if !w.cfg.Projected(ctx, ledger.ProgressFile) {
		t.Error("the words are committed")
	}
}

func TestStoreNewestAndAbout(t *testing.T) {
	w := newWorks(t)
	if _, ok, err := journal.Newest[kedge.Note](t.Context(), w.p.Store, journal.KindNote); ok || err != nil {
		t.Errorf("a note where there is none: %v", err)
	}
	for i, f := range []kedge.FeatureID{"a", "b", "a"} {
		w.add(kedge.NoteAdded, kedge.Note{ID: kedge.NoteID("not-" + strconv.Itoa(9-i)), Feature: f, Title: strconv.Itoa(i), Date: w.Now})
	}
	n, ok, err := journal.Newest[kedge.Note](t.Context(), w.p.Store, journal.KindNote)
	w.ok(err)
	if !ok || n.Title != "2" {
		t.Errorf("the newest is %+v", n)
	}
	list, err := journal.About[kedge.Note](t.Context(), w.p.Store, journal.KindNote, "a")
	w.ok(err)
	if len(list) != 2 || list[0].Title != "0" || list[1].Title != "2" {
		t.Errorf("about a: %+v", list)
	}
}

// The plan follows what a run makes of its features, however much of the ledger is
// read for it.
func TestRow33PlanFollowsTheMarksOfARun(t *testing.T) {
	w := newWorks(t)
	w.planning()
	w.says("ses-1", planText(givenPlan))
	_, err := w.s.PlanApprove(t.Context(), w.who(), PlanApproveRequest{Path: os.Getenv("PATH")})
	w.ok(err)
	for i, c := range []struct {
		id   kedge.FeatureID
		to   kedge.Status
		want kedge.PlanStatus
	}{
		{"p1.1", kedge.InProgress, kedge.PlanApproved},
		{"p1.1", kedge.Completed, kedge.PlanApproved},
		{"p2.1", kedge.InProgress, kedge.PlanApproved},
		{"p2.1", kedge.Skipped, kedge.PlanDone},
		{"p1.1", kedge.Regressed, kedge.PlanApproved},
		{"p2.1", kedge.BlockedWork, kedge.PlanApproved},
	} {
		data := kedge.FeatureStatusData{ID: c.id, Status: c.to}
		if c.to == kedge.Completed {
			id := w.evidence(c.id, "t1", kedge.ValidationOK, nil)
			data.Evidence, data.CompletedAt = &id, &w.Now
		}
		w.ok(w.cfg.Ledger.Mark(t.Context(), "mark-"+strconv.Itoa(i), kedge.ActorDaemon, data))
		if got := w.plan().Status; got != c.want {
			t.Errorf("%s is %s, and the plan is %s", c.id, c.to, got)
		}
		if f, err := w.cfg.Ledger.Feature(t.Context(), c.id, ""); err != nil || f.Status != c.to {
			t.Errorf("%s is %s, %v", c.id, f.Status, err)
		}
	}
	if err := w.cfg.Ledger.Mark(t.Context(), "none", kedge.ActorDaemon, kedge.FeatureStatusData{ID: "none", Status: kedge.Pending}); !kedge.NotFound.Is(err) {
		t.Errorf("a feature that is not there: %v", err)
	}
}
