package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kedge/internal/app/planning"

	"kedge"
	"kedge/internal/app"
	"kedge/internal/app/features"
	"kedge/internal/app/projects"
	"kedge/internal/core/plan"
	"kedge/internal/journal"
)

// yard is a project for the tests of the ledger.
type yard struct {
	t    *testing.T
	dir  string
	home string
	id   string
	s    *app.Service
	now  time.Time
	told []string // what callers were told while they waited
}

// newYard makes a project in a git repository, or in a plain folder.
func newYard(t *testing.T, git bool) *yard {
	t.Helper()
	y := &yard{t: t, dir: t.TempDir(), home: t.TempDir(), now: time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)}
	y.id = kedge.NewID("prj", y.now)
	quietEnvironment(t)
	idFile := ".kedge/id"
	if git {
		idFile = ".git/kedge-id"
		y.git("init", "-q", "-b", "main")
		y.git("config", "user.name", "Ada")
		y.git("config", "user.email", "ada@example.com")
		y.put("a.txt", "one\n")
		y.git("add", ".")
		y.git("commit", "-q", "-m", "first")
	}
	y.put(idFile, y.id+"\n")
	y.put(kedge.ValidateFile, "#!/bin/sh\n") // of init; git does not see it
	if git {
		y.put(".git/info/exclude", kedge.ValidateFile+"\n")
	}
	newJournal(t, y.home, y.id)
	y.open(false)
	return y
}

func (y *yard) open(readOnly bool) {
	y.t.Helper()
	y.s = app.New(app.Config{Home: y.home, ReadOnly: readOnly, Now: func() time.Time { return y.now }})
	s := y.s
	y.t.Cleanup(func() {
		if err := s.Close(); err != nil {
			y.t.Error(err)
		}
	})
}

func (y *yard) git(args ...string) string {
	y.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = y.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		y.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (y *yard) put(name, text string) {
	y.t.Helper()
	path := filepath.Join(y.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		y.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		y.t.Fatal(err)
	}
}

func (y *yard) read(name string) string {
	y.t.Helper()
	b, err := os.ReadFile(filepath.Join(y.dir, name))
	if err != nil {
		y.t.Fatal(err)
	}
	return string(b)
}

// replace edits a file by hand.
func (y *yard) replace(name, old, to string) {
	y.t.Helper()
	was := y.read(name)
	if !strings.Contains(was, old) {
		y.t.Fatalf("%s has no %q", name, old)
	}
	y.put(name, strings.Replace(was, old, to, 1))
}

func (y *yard) caller(actor kedge.Actor) projects.Caller {
	return projects.Caller{Dir: y.dir, Actor: actor, Key: kedge.NewID("req", y.now), Progress: func(v any) {
		b, err := json.Marshal(v)
		if err != nil {
			y.t.Error(err)
		}
		y.told = append(y.told, string(b))
	}}
}

func (y *yard) person() projects.Caller { return y.caller(kedge.Human("ada")) }
func (y *yard) agent() projects.Caller  { return y.caller(kedge.Agent("ses-1")) }

func (y *yard) add(id string, change ...func(*kedge.Definition)) {
	y.t.Helper()
	d := kedge.Definition{ID: kedge.FeatureID(id), Name: "name of " + id, Priority: 10, Checks: []kedge.Check{{Name: "unit", Run: "true"}}}
	for _, f := range change {
		f(&d)
	}
	if _, err := y.s.FeatureAdd(y.t.Context(), y.person(), features.FeatureAddRequest{Definition: d}); err != nil {
		y.t.Fatal(err)
	}
}

func after(ids ...kedge.FeatureID) func(*kedge.Definition) {
	return func(d *kedge.Definition) { d.Dependencies = ids }
}

func unchecked(d *kedge.Definition) { d.Checks = nil }

func (y *yard) feature(id string) features.FeatureShowReply {
	y.t.Helper()
	r, err := y.s.FeatureShow(y.t.Context(), y.person(), features.FeatureShowRequest{ID: kedge.FeatureID(id)})
	if err != nil {
		y.t.Fatal(err)
	}
	return r
}

// journaled reads the store beside the service.
func journaled[T any](y *yard, kind journal.Kind) []T {
	y.t.Helper()
	st, err := journal.Open(filepath.Join(y.home, "projects", y.id), journal.Options{ReadOnly: true})
	if err != nil {
		y.t.Fatal(err)
	}
	defer st.Close()
	docs, err := journal.All[T](y.t.Context(), st, kind)
	if err != nil {
		y.t.Fatal(err)
	}
	return docs
}

// wantEdits compares the hand edits that the journal has.
func (y *yard) wantEdits(want ...string) {
	y.t.Helper()
	var got []string
	for _, e := range journaled[journal.EditDoc](y, journal.KindEdit) {
		found, _, _ := strings.Cut(e.Found, "; Kedge saved the edited file")
		got = append(got, e.Path+": "+found+": "+e.Action)
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		y.t.Errorf("edits in the journal:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func wantKind(t *testing.T, err error, kind kedge.Kind, parts ...string) {
	t.Helper()
	if err == nil || kedge.KindOf(err) != kind {
		t.Fatalf("error %v (%s), want %s", err, kedge.KindOf(err), kind)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("%q does not say %q", err, p)
		}
	}
	if kedge.HintOf(err) == "" {
		t.Errorf("%q has no hint", err)
	}
}

func TestRow87DefinitionEditedByHandIsRestored(t *testing.T) {
	y := newYard(t, true)
	y.add("a")
	y.add("b")
	locked := y.read(".kedge/features.json")
	y.replace(".kedge/features.json", `"run": "true"`, `"run": "echo easier"`)

	_, err := y.s.FeatureBlock(t.Context(), y.agent(), features.FeatureStatusRequest{ID: "b"})
	if err != nil {
		t.Fatal(err)
	}
	y.wantEdits(`.kedge/features.json: the definition of feature "a" was changed: checks: restored`)
	if got := y.feature("a").Feature.Checks[0].Run; got != "true" {
		t.Errorf("the check is %q", got)
	}
	if want := strings.Replace(locked, `"pending"`, `"blocked"`, 2); !strings.Contains(y.read(".kedge/features.json"), `"run": "true"`) || strings.Contains(y.read(".kedge/features.json"), "easier") {
		t.Errorf("file:\n%s\nwant about\n%s", y.read(".kedge/features.json"), want)
	}
	if len(y.told) != 1 || !strings.Contains(y.told[0], "restored") {
		t.Errorf("the caller was told %q", y.told)
	}
	kept, err := filepath.Glob(filepath.Join(y.home, "projects", y.id, "edits", "*-features.json"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("kept copies: %v %v", kept, err)
	}
	if b, err := os.ReadFile(kept[0]); err != nil || !bytes.Contains(b, []byte("echo easier")) {
		t.Errorf("the edited text was not kept: %v", err)
	}
}

func TestRow87RemovedAndBrokenFilesAreRestored(t *testing.T) {
	y := newYard(t, false)
	y.add("a")
	y.add("b", after("a"))
	whole := y.read(".kedge/features.json")

	parsed, err := plan.ParseFeatures("f", []byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	parsed.Features = parsed.Features[1:]
	y.put(".kedge/features.json", string(plan.WriteFeatures(parsed)))
	y.add("c")
	y.put(".kedge/features.json", "<<<<<<< ours\n"+whole)
	y.add("d")
	if err := os.Remove(filepath.Join(y.dir, ".kedge/features.json")); err != nil {
		t.Fatal(err)
	}
	y.add("e")
	y.wantEdits(
		`.kedge/features.json: feature "a" was removed: restored`,
		`.kedge/features.json: .kedge/features.json:1: invalid character '<' looking for beginning of value: restored`,
		`.kedge/features.json: the file was removed: restored`,
	)
	if r, err := y.s.Features(t.Context(), y.person(), features.ListRequest{}); err != nil || len(r.Features) != 5 {
		t.Errorf("%d features, %v", len(r.Features), err)
	}
	if file, err := plan.ParseFeatures("f", []byte(y.read(".kedge/features.json"))); err != nil || len(file.Features) != 5 {
		t.Errorf("file: %v", err)
	}
}

func TestRow88CompletedSetByHandIsReset(t *testing.T) {
	y := newYard(t, true)
	y.add("a")
	y.add("b", after("a"))
	y.replace(".kedge/features.json", `"status": "pending"`, `"status": "completed"`)
	_, err := y.s.FeatureBlock(t.Context(), y.agent(), features.FeatureStatusRequest{ID: "b", Reason: "waits"})
	if err != nil {
		t.Fatal(err)
	}
	y.wantEdits(`.kedge/features.json: the status of feature "a" was set by hand to completed; the real status is pending: reset`)
	if y.feature("a").Feature.Status != kedge.Pending || strings.Contains(y.read(".kedge/features.json"), "completed\"") {
		t.Error("the status stayed")
	}
}

func TestHandAdditionsAreRefused(t *testing.T) {
	y := newYard(t, false)
	y.add("a")
	file, err := plan.ParseFeatures("f", []byte(y.read(".kedge/features.json")))
	if err != nil {
		t.Fatal(err)
	}
	extra := file.Features[0]
	extra.ID, extra.Status = "sneaked", kedge.Completed
	file.Features = append(file.Features, extra)
	y.put(".kedge/features.json", string(plan.WriteFeatures(file)))
	y.add("b")
	y.wantEdits(`.kedge/features.json: feature "sneaked" was added by hand: refused`)
	if _, err := y.s.FeatureShow(t.Context(), y.person(), features.FeatureShowRequest{ID: "sneaked"}); !kedge.NotFound.Is(err) {
		t.Errorf("sneaked: %v", err)
	}
}

// A file that is only behind, as after a crash between the journal and the file
// or in an older checkout, is brought up in silence; one that claims more than
// the journal knows is not.
func TestStaleProjectionIsNoEdit(t *testing.T) {
	y := newYard(t, true)
	y.add("a")
	old := y.read(".kedge/features.json")
	y.add("b")
	y.put(".kedge/features.json", old)
	y.add("c")
	y.wantEdits()
	if !strings.Contains(y.read(".kedge/features.json"), `"b"`) {
		t.Error("the file was not brought up")
	}

	y.add("d", unchecked)
	y.review("d")
	if _, err := y.s.FeatureAccept(t.Context(), y.person(), features.FeatureStatusRequest{ID: "d", Reason: "seen"}); err != nil {
		t.Fatal(err)
	}
	completed := y.read(".kedge/features.json")
	if _, err := y.s.FeatureReopen(t.Context(), y.person(), features.FeatureStatusRequest{ID: "d"}); err != nil {
		t.Fatal(err)
	}
	y.put(".kedge/features.json", completed)
	y.add("e")
	y.wantEdits(`.kedge/features.json: the status of feature "d" was set by hand to completed; the real status is pending: reset`)
}

// review brings a feature to needs_review the way a run would: by the daemon.
func (y *yard) review(id string) {
	y.t.Helper()
	y.fact(kedge.FeatureStatus, kedge.FeatureStatusData{ID: kedge.FeatureID(id), Status: kedge.NeedsReview})
}

// newJournal makes the journal of a project.
func newJournal(t *testing.T, home, id string) {
	t.Helper()
	st, err := journal.Open(filepath.Join(home, "projects", id), journal.Options{Key: keyOf(t, home)})
	if err == nil {
		err = st.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// keyOf is the key of the journals in home.
func keyOf(t *testing.T, home string) []byte {
	t.Helper()
	key, err := journal.OpenKey(home, false)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// fact adds an event beside the service, which is opened anew.
func (y *yard) fact(typ kedge.EventType, data any) {
	y.t.Helper()
	if err := y.s.Close(); err != nil {
		y.t.Fatal(err)
	}
	st, err := journal.Open(filepath.Join(y.home, "projects", y.id), journal.Options{Now: func() time.Time { return y.now }, Key: keyOf(y.t, y.home)})
	if err != nil {
		y.t.Fatal(err)
	}
	ev, err := kedge.NewEvent(typ, kedge.ActorDaemon, data)
	if err != nil {
		y.t.Fatal(err)
	}
	ev.Project = kedge.ProjectID(y.id)
	if _, _, err := st.Append(y.t.Context(), "", ev); err != nil {
		y.t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		y.t.Fatal(err)
	}
	y.open(false)
}

func TestT17AnAgentCannotMoveItsYardstick(t *testing.T) {
	y := newYard(t, true)
	y.add("a")
	y.add("review", unchecked)
	y.review("review")
	ctx := t.Context()
	easier := y.feature("a").Feature.Definition
	easier.Checks = []kedge.Check{{Name: "unit", Run: "echo ok"}}
	for name, try := range map[string]func() error{
		"amend": func() error {
			_, err := y.s.FeatureAmend(ctx, y.agent(), features.FeatureAmendRequest{Definition: easier, Reason: "easier"})
			return err
		},
		"accept": func() error {
			_, err := y.s.FeatureAccept(ctx, y.agent(), features.FeatureStatusRequest{ID: "review", Reason: "trust me"})
			return err
		},
		"skip": func() error {
			_, err := y.s.FeatureSkip(ctx, y.agent(), features.FeatureStatusRequest{ID: "a"})
			return err
		},
		"reopen": func() error {
			_, err := y.s.FeatureReopen(ctx, y.agent(), features.FeatureStatusRequest{ID: "review"})
			return err
		},
		"approve": func() error { _, err := y.s.PlanApprove(ctx, y.agent(), planning.PlanApproveRequest{}); return err },
		"amend plan": func() error {
			_, err := y.s.PlanAmend(ctx, y.agent(), planning.PlanAmendRequest{Reason: "x"})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) { wantKind(t, try(), kedge.Blocked, "agents may not") })
	}
	if y.feature("a").Feature.Status != kedge.Pending || y.feature("review").Feature.Status != kedge.NeedsReview {
		t.Error("something moved")
	}
}

func TestRow87PersonAmendsWithReason(t *testing.T) {
	y := newYard(t, true)
	y.add("a", unchecked)
	y.review("a")
	def := y.feature("a").Feature.Definition
	def.Checks = []kedge.Check{{Name: "unit", Run: "true"}}

	_, err := y.s.FeatureAmend(t.Context(), y.person(), features.FeatureAmendRequest{Definition: def})
	wantKind(t, err, kedge.Invalid, "you need a reason to")
	r, err := y.s.FeatureAmend(t.Context(), y.person(), features.FeatureAmendRequest{Definition: def, Reason: "it can be tested after all"})
	if err != nil {
		t.Fatal(err)
	}
	if r.Feature.Status != kedge.Pending || len(r.Feature.Checks) != 1 {
		t.Errorf("after the amend: %+v", r.Feature)
	}
	if y.feature("a").Reason != "it can be tested after all" {
		t.Errorf("reason %q", y.feature("a").Reason)
	}
	if !strings.Contains(y.read(".kedge/features.json"), `"run": "true"`) {
		t.Error("the file has the old definition")
	}
	_, err = y.s.FeatureAmend(t.Context(), y.person(), features.FeatureAmendRequest{Definition: def, Reason: "again"})
	wantKind(t, err, kedge.Invalid, "already has the values in your command")
	def.Name = "other"
	_, err = y.s.FeatureAmend(t.Context(), y.person(), features.FeatureAmendRequest{Definition: def, Reason: "late", Was: "an older hash"})
	wantKind(t, err, kedge.Conflict, "another command changed feature")
	def.Dependencies = []kedge.FeatureID{"a"}
	_, err = y.s.FeatureAmend(t.Context(), y.person(), features.FeatureAmendRequest{Definition: def, Reason: "loop"})
	wantKind(t, err, kedge.Invalid, "a → a")
	def.ID = "ghost"
	_, err = y.s.FeatureAmend(t.Context(), y.person(), features.FeatureAmendRequest{Definition: def, Reason: "x"})
	wantKind(t, err, kedge.NotFound, "ghost")
	y.wantEdits()
}

func TestRow90And92ReadyAndNext(t *testing.T) {
	y := newYard(t, true)
	ctx := t.Context()
	n, err := y.s.Next(ctx, y.person(), features.NextRequest{})
	if err != nil || n.Feature != nil || n.Why != "there are no features" {
		t.Errorf("next of nothing: %+v %v", n, err)
	}
	y.add("late", func(d *kedge.Definition) { d.Priority = 20 })
	y.add("second")
	y.add("behind", after("second"), func(d *kedge.Definition) { d.Priority = 1 })
	y.add("third")
	r, err := y.s.Ready(ctx, y.person(), features.ReadyRequest{})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, f := range r.Features {
		ids = append(ids, string(f.ID))
	}
	if strings.Join(ids, " ") != "second third late" {
		t.Errorf("ready: %s", ids)
	}
	_, err = y.s.Ready(ctx, y.person(), features.ReadyRequest{ID: "behind"})
	wantKind(t, err, kedge.Blocked, `feature "behind" waits for "second" (pending)`)
	_, err = y.s.Ready(ctx, y.person(), features.ReadyRequest{ID: "ghost"})
	wantKind(t, err, kedge.NotFound, "ghost")
	n, err = y.s.Next(ctx, y.person(), features.NextRequest{})
	if err != nil || n.Feature.ID != "second" || n.Branch != "main" || n.Commit != y.git("rev-parse", "HEAD") || n.Command != "true" {
		t.Errorf("next: %+v %v", n, err)
	}
}

func TestMovesByHand(t *testing.T) {
	y := newYard(t, false)
	ctx := t.Context()
	y.add("a")
	in := features.FeatureStatusRequest{ID: "a", Reason: "because"}
	_, err := y.s.FeatureAccept(ctx, y.person(), in)
	wantKind(t, err, kedge.Conflict, "is pending and cannot become completed")
	_, err = y.s.FeatureAccept(ctx, y.person(), features.FeatureStatusRequest{ID: "a"})
	wantKind(t, err, kedge.Invalid, "you need a reason to")
	if r, err := y.s.FeatureSkip(ctx, y.person(), in); err != nil || r.Feature.Status != kedge.Skipped {
		t.Errorf("skip: %+v %v", r, err)
	}
	_, err = y.s.FeatureSkip(ctx, y.person(), in)
	wantKind(t, err, kedge.Conflict, "is already skipped")
	_, err = y.s.FeatureBlock(ctx, y.person(), in)
	wantKind(t, err, kedge.Conflict, "is skipped and cannot become blocked")
	if r, err := y.s.FeatureReopen(ctx, y.person(), in); err != nil || r.Feature.Status != kedge.Pending {
		t.Errorf("reopen: %+v %v", r, err)
	}
	y.review("a")
	r, err := y.s.FeatureAccept(ctx, y.person(), in)
	if err != nil || r.Feature.Status != kedge.Completed || r.Feature.CompletedAt == nil || !r.Feature.CompletedAt.Equal(y.now) {
		t.Errorf("accept: %+v %v", r, err)
	}
	r, err = y.s.FeatureReopen(ctx, y.person(), in)
	if err != nil || r.Feature.CompletedAt != nil || r.Feature.Evidence != nil {
		t.Errorf("what proved it is still there: %+v %v", r, err)
	}
}

func TestARetriedRequestHasOneEffect(t *testing.T) {
	y := newYard(t, false)
	who := y.person()
	in := features.FeatureAddRequest{Definition: kedge.Definition{ID: "a", Name: "n"}}
	for range 3 {
		r, err := y.s.FeatureAdd(t.Context(), who, in)
		if err != nil || r.Feature.ID != "a" {
			t.Fatalf("%+v %v", r, err)
		}
	}
	_, err := y.s.FeatureAdd(t.Context(), y.person(), in)
	wantKind(t, err, kedge.Conflict, `a feature with the id "a" exists already`)
	list := features.ImportRequest{File: "l.json", Text: `[{"description":"x"}]`}
	who = y.person()
	for range 2 {
		r, err := y.s.FeaturesImport(t.Context(), who, list)
		if err != nil || len(r.Added) != 1 || r.Added[0] != "x" {
			t.Fatalf("%+v %v", r, err)
		}
	}
}

func TestAddRefuses(t *testing.T) {
	y := newYard(t, false)
	secret := "gh" + "p_" + strings.Repeat("a1B2", 9)
	for name, d := range map[string]kedge.Definition{
		"is not a valid feature id": {ID: "../x", Name: "n"},
		"does not exist":            {ID: "a", Name: "n", Dependencies: []kedge.FeatureID{"ghost"}},
		"looks like a sec":          {ID: "a", Name: "n", Checks: []kedge.Check{{Name: "c", Run: "curl -H 'Authorization: Bearer " + secret + "' x"}}},
	} {
		_, err := y.s.FeatureAdd(t.Context(), y.person(), features.FeatureAddRequest{Definition: d})
		wantKind(t, err, kedge.Invalid, name)
	}
}

func TestRow86ImportThroughTheService(t *testing.T) {
	y := newYard(t, true)
	seed, err := os.ReadFile("../core/plan/testdata/seed.json")
	if err != nil {
		t.Fatal(err)
	}
	in := features.ImportRequest{File: "features.json", Text: string(seed)}
	r, err := y.s.FeaturesImport(t.Context(), y.person(), in)
	if err != nil || len(r.Added) != 3 || len(r.Unchanged) != 0 || len(r.Findings) != 0 {
		t.Fatalf("%+v %v", r, err)
	}
	f := y.feature("user-entity")
	if f.Feature.Status != kedge.Pending || f.Claim != kedge.Completed || len(f.Feature.Files) != 2 {
		t.Errorf("user-entity: %+v", f)
	}
	r, err = y.s.FeaturesImport(t.Context(), y.person(), in)
	if err != nil || len(r.Added) != 0 || len(r.Unchanged) != 3 {
		t.Errorf("again: %+v %v", r, err)
	}
	in.Text = strings.Replace(in.Text, "Order entity", "Another entity", 1)
	_, err = y.s.FeaturesImport(t.Context(), y.person(), in)
	wantKind(t, err, kedge.Conflict, `"order-entity" exists already, and its definition differs from the one in the file`)
	x, err := y.s.FeaturesExport(t.Context(), y.person(), features.ExportRequest{Format: "kedge"})
	if err != nil || x.Text != y.read(".kedge/features.json") {
		t.Errorf("export differs from the file: %v", err)
	}
	y.wantEdits()
}

func TestRow91ImportOf5000Features(t *testing.T) {
	y := newYard(t, false)
	var list []map[string]any
	for i := range 5000 {
		list = append(list, map[string]any{"id": fmt.Sprintf("f%d", i), "name": "n", "dependencies": []string{fmt.Sprintf("f%d", (i+1)%5000)}})
	}
	text := func() string {
		b, err := json.Marshal(map[string]any{"features": list})
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	_, err := y.s.FeaturesImport(t.Context(), y.person(), features.ImportRequest{File: "l.json", Text: text()})
	wantKind(t, err, kedge.Invalid, "f0 → f1 → f2", "→ f0")
	list = list[:300] // the whole of it takes the race detector a minute
	list[299]["dependencies"] = []string{}
	r, err := y.s.FeaturesImport(t.Context(), y.person(), features.ImportRequest{File: "l.json", Text: text()})
	if err != nil || len(r.Added) != 300 {
		t.Fatalf("%d added, %v", len(r.Added), err)
	}
	n, err := y.s.Next(t.Context(), y.person(), features.NextRequest{})
	if err != nil || n.Feature.ID != "f299" {
		t.Errorf("next %+v %v", n, err)
	}
}

// A fresh clone has the list but not the journal: Kedge writes nothing over it.
func TestUnknownListIsNotOverwritten(t *testing.T) {
	y := newYard(t, true)
	list := string(plan.WriteFeatures(plan.FeatureFile{Features: []kedge.Feature{{Definition: kedge.Definition{ID: "old", Name: "n"}}}}))
	y.put(".kedge/features.json", list)
	_, err := y.s.FeatureAdd(t.Context(), y.person(), features.FeatureAddRequest{Definition: kedge.Definition{ID: "a", Name: "n"}})
	wantKind(t, err, kedge.Conflict, "1 feature that Kedge on this machine does not know yet")
	_, err = y.s.FeaturesImport(t.Context(), y.person(), features.ImportRequest{File: "other.json", Text: "[]"})
	wantKind(t, err, kedge.Conflict, "does not know")
	if y.read(".kedge/features.json") != list {
		t.Fatal("the list was overwritten")
	}
	r, err := y.s.FeaturesImport(t.Context(), y.person(), features.ImportRequest{File: ".kedge/features.json", Text: list})
	if err != nil || len(r.Added) != 1 {
		t.Errorf("%+v %v", r, err)
	}
	y.add("a")
	y.wantEdits()
}

func TestReadingFeaturesNeedsNoDaemon(t *testing.T) {
	y := newYard(t, false)
	y.add("a")
	y.open(true)
	if r, err := y.s.Features(t.Context(), y.person(), features.ListRequest{}); err != nil || len(r.Features) != 1 {
		t.Errorf("%+v %v", r, err)
	}
	_, err := y.s.FeatureBlock(t.Context(), y.person(), features.FeatureStatusRequest{ID: "a"})
	wantKind(t, err, kedge.Conflict, "needs Kedge's background process (the daemon)")
}
