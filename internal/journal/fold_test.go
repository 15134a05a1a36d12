package journal_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/journal"
)

func definition(t *testing.T, d kedge.Definition) json.RawMessage {
	t.Helper()
	b, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func get[T any](t *testing.T, s *journal.Store, kind journal.Kind, id string) T {
	t.Helper()
	d, ok, err := journal.Get[T](t.Context(), s, kind, id)
	if err != nil || !ok {
		t.Fatalf("%s %q: found %v, %v", kind, id, ok, err)
	}
	return d
}

func all[T any](t *testing.T, s *journal.Store, kind journal.Kind) []T {
	t.Helper()
	d, err := journal.All[T](t.Context(), s, kind)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func addFeature(t *testing.T, s *journal.Store, id kedge.FeatureID, order int) {
	t.Helper()
	def := definition(t, kedge.Definition{ID: id, Name: "Feature " + string(id), Description: "does things", Acceptance: []string{"it works"}})
	appendAll(t, s, "", event(t, kedge.FeatureAdded, kedge.FeatureAddedData{Definition: def, Hash: "h-" + string(id), Order: order, Claim: kedge.Completed, Notes: "imported", Source: "features.json"}))
}

func TestFoldFeatures(t *testing.T) {
	s := open(t, t.TempDir(), journal.Options{})
	addFeature(t, s, "b", 2)
	addFeature(t, s, "z", 1)
	addFeature(t, s, "a", 2)
	var order []string
	for _, f := range all[journal.FeatureDoc](t, s, journal.KindFeature) {
		order = append(order, string(f.ID))
	}
	if got := strings.Join(order, " "); got != "z a b" {
		t.Errorf("order %q", got)
	}
	f := get[journal.FeatureDoc](t, s, journal.KindFeature, "a")
	if f.Status != kedge.Pending || f.Claim != kedge.Completed || f.Hash != "h-a" || f.Files == nil || f.Notes != "imported" || f.Source != "features.json" {
		t.Errorf("added: %+v", f)
	}
	def := definition(t, kedge.Definition{ID: "a", Name: "other"})
	if _, _, err := s.Append(t.Context(), "", event(t, kedge.FeatureAdded, kedge.FeatureAddedData{Definition: def})); !kedge.Conflict.Is(err) {
		t.Errorf("added twice: %v", err)
	}
	appendAll(t, s, "", event(t, kedge.FeatureAmended, kedge.FeatureAmendedData{ID: "a", Definition: def, Hash: "h2", Was: "h-a", Reason: "was wrong"}))
	f = get[journal.FeatureDoc](t, s, journal.KindFeature, "a")
	if f.Name != "other" || f.Hash != "h2" || f.Reason != "was wrong" || f.Order != 2 || f.Notes != "imported" {
		t.Errorf("amended: %+v", f)
	}
	sound(t, s)
}

// TestFoldAmendedAlike: a definition that depends on something else asks for the same
// work; any other does not.
func TestFoldAmendedAlike(t *testing.T) {
	s := open(t, t.TempDir(), journal.Options{})
	addFeature(t, s, "a", 1)
	amend := func(hash, name string, needs ...kedge.FeatureID) journal.FeatureDoc {
		def := definition(t, kedge.Definition{ID: "a", Name: name, Dependencies: needs})
		appendAll(t, s, "", event(t, kedge.FeatureAmended, kedge.FeatureAmendedData{ID: "a", Definition: def, Hash: hash, Reason: "r"}))
		return get[journal.FeatureDoc](t, s, journal.KindFeature, "a")
	}
	amend("h2", "other")
	amend("h3", "other", "b")
	for hash, want := range map[string]bool{"h-a": false, "h2": true, "h3": true, "h4": true, "h9": false} {
		if d := amend("h4", "other", "b", "c"); d.Asks(hash) != want {
			t.Errorf("%s: %v of %+v", hash, !want, d)
		}
	}
	if d := amend("h5", "again", "b", "c"); d.Asks("h4") || !d.Asks("h5") || len(d.Alike) > 0 {
		t.Errorf("another name: %+v", d)
	}
	sound(t, s)
}

func TestFoldFeatureStatus(t *testing.T) {
	s := open(t, t.TempDir(), journal.Options{})
	addFeature(t, s, "a", 1)
	at, evd, notes := t0.Truncate(time.Millisecond), kedge.EvidenceID("evd-1"), "done well"
	appendAll(t, s, "", event(t, kedge.FeatureStatus, kedge.FeatureStatusData{ID: "a", Status: kedge.Completed, Evidence: &evd, CompletedAt: &at, Files: []string{"x.go"}, Notes: &notes}))
	f := get[journal.FeatureDoc](t, s, journal.KindFeature, "a")
	if f.Status != kedge.Completed || *f.Evidence != evd || !f.CompletedAt.Equal(at) || len(f.Files) != 1 || f.Notes != notes {
		t.Errorf("completed: %+v", f)
	}
	appendAll(t, s, "", event(t, kedge.FeatureStatus, kedge.FeatureStatusData{ID: "a", Status: kedge.Regressed, Reason: "red"}))
	g := get[journal.FeatureDoc](t, s, journal.KindFeature, "a")
	if g.Status != kedge.Regressed || g.Reason != "red" || *g.Evidence != evd || g.CompletedAt == nil || g.Notes != notes || len(g.Files) != 1 {
		t.Errorf("what was nil did not stay: %+v", g)
	}
	none, never := kedge.EvidenceID(""), time.Time{}
	appendAll(t, s, "", event(t, kedge.FeatureStatus, kedge.FeatureStatusData{ID: "a", Status: kedge.Pending, Evidence: &none, CompletedAt: &never}))
	g = get[journal.FeatureDoc](t, s, journal.KindFeature, "a")
	if g.Evidence != nil || g.CompletedAt != nil {
		t.Errorf("not taken back to null: %+v", g)
	}
	if _, _, err := s.Append(t.Context(), "", event(t, kedge.FeatureStatus, kedge.FeatureStatusData{ID: "a", Status: "finished"})); !kedge.Invalid.Is(err) {
		t.Errorf("unknown status: %v", err)
	}
	sound(t, s)
}

// TestFoldSaid: a person's word is a status that changed. Files are none, and take none back.
func TestFoldSaid(t *testing.T) {
	s := open(t, t.TempDir(), journal.Options{})
	addFeature(t, s, "a", 1)
	says := func(by kedge.Actor, d kedge.FeatureStatusData) (seq, said int64) {
		t.Helper()
		d.ID = "a"
		ev := event(t, kedge.FeatureStatus, d)
		ev.Actor = by
		return appendAll(t, s, "", ev)[0].Seq, get[journal.FeatureDoc](t, s, journal.KindFeature, "a").Said
	}
	if _, said := says(kedge.Human("ada"), kedge.FeatureStatusData{Status: kedge.Pending, Files: []string{"x.go"}}); said != 0 {
		t.Errorf("the files of a pending feature are a word: %d", said)
	}
	seq, said := says(kedge.Human("ada"), kedge.FeatureStatusData{Status: kedge.Skipped})
	if said != seq {
		t.Errorf("the word is %d, want %d", said, seq)
	}
	if _, said := says(kedge.ActorDaemon, kedge.FeatureStatusData{Status: kedge.Skipped, Files: []string{"y.go"}}); said != seq {
		t.Errorf("files take the word %d back: %d", seq, said)
	}
	if _, said := says(kedge.ActorDaemon, kedge.FeatureStatusData{Status: kedge.Pending}); said != 0 {
		t.Errorf("Kedge's own status is a word: %d", said)
	}
	sound(t, s)
}

func TestFoldDecisions(t *testing.T) {
	s := open(t, t.TempDir(), journal.Options{})
	save := func(d kedge.Decision, reason string) {
		appendAll(t, s, "", event(t, kedge.DecisionSaved, kedge.DecisionData{Decision: d, Reason: reason}))
	}
	status := func(id string) kedge.DecisionStatus {
		return get[kedge.Decision](t, s, journal.KindDecision, id).Status
	}
	save(kedge.Decision{ID: "dec-1", Status: kedge.DecisionLocked, Title: "flags"}, "")
	save(kedge.Decision{ID: "dec-2", Status: kedge.DecisionProposed, Title: "arguments", Supersedes: "dec-1"}, "")
	if status("dec-1") != kedge.DecisionLocked {
		t.Error("a proposal superseded a locked decision")
	}
	save(kedge.Decision{ID: "dec-2", Status: kedge.DecisionLocked, Title: "arguments", Supersedes: "dec-1"}, "shells")
	if status("dec-1") != kedge.DecisionSuperseded || status("dec-2") != kedge.DecisionLocked {
		t.Errorf("got %s, %s", status("dec-1"), status("dec-2"))
	}
	save(kedge.Decision{ID: "dec-3", Status: kedge.DecisionLocked, Supersedes: "dec-gone"}, "")
	ds := all[kedge.Decision](t, s, journal.KindDecision)
	if len(ds) != 3 || ds[0].ID != "dec-1" || ds[1].Reason != "shells" {
		t.Errorf("order and reason: %+v", ds)
	}
	sound(t, s)
}

func TestFoldTheRest(t *testing.T) {
	s := open(t, t.TempDir(), journal.Options{})
	code, at := 3, t0.Truncate(time.Millisecond)
	evs := appendAll(t, s, "",
		event(t, kedge.ProjectCreated, kedge.ProjectData{Dir: "/x", Name: "x", Git: true}),
		event(t, kedge.ProjectCreated, kedge.ProjectData{Dir: "/y", Name: "y", Git: true}),
		event(t, kedge.RiskOpened, kedge.Risk{ID: "rsk-1", Text: "it may break", OpenedAt: at}),
		event(t, kedge.RiskClosed, kedge.RiskClosedData{ID: "rsk-1", Reason: "did not"}),
		event(t, kedge.PlanSaved, kedge.PlanData{ID: "pln-1", Title: "a", Status: kedge.PlanDrafting}),
		event(t, kedge.PlanSaved, kedge.PlanData{ID: "pln-1", Title: "b", Status: kedge.PlanApproved}),
		event(t, kedge.CheckpointSaved, kedge.Checkpoint{ID: "ckp-1", Task: "t"}),
		event(t, kedge.HandoffSaved, kedge.Handoff{ID: "ckp-2", Next: "n"}),
		event(t, kedge.GateFinished, kedge.Evidence{ID: "evd-1", Verdict: kedge.Verdict{Verdict: kedge.ValidationOK}}),
		event(t, kedge.SessionStarted, kedge.Session{ID: "ses-1", Name: "s", State: kedge.SessionRunning}),
		event(t, kedge.SessionEnded, kedge.SessionEndedData{ID: "ses-1", State: kedge.SessionExited, ExitCode: &code, Bytes: 7}),
		event(t, kedge.FilesSeen, kedge.FilesSeenData{Tree: "t1", Cause: "gate"}),
		event(t, kedge.FilesSeen, kedge.FilesSeenData{Tree: "t2", Cause: "gate"}),
		event(t, kedge.HandEditFound, kedge.HandEditData{Path: "p", Action: "refused"}),
		event(t, kedge.SalvageMade, kedge.Salvage{ID: "sal-1", Ref: "r"}),
		event(t, kedge.FilterApproved, kedge.FilterApprovedData{Name: "lfs", Hash: "h1"}),
		event(t, kedge.FilterApproved, kedge.FilterApprovedData{Name: "lfs", Hash: "h2"}))
	if p := get[kedge.Project](t, s, journal.KindProject, "prj-1"); p.Dir != "/y" || p.ID != "prj-1" || !p.CreatedAt.Equal(at) {
		t.Errorf("project %+v", p)
	}
	if r := get[kedge.Risk](t, s, journal.KindRisk, "rsk-1"); r.ClosedAt == nil || !r.ClosedAt.Equal(at) || r.Reason != "did not" || r.Text != "it may break" {
		t.Errorf("risk %+v", r)
	}
	if ps := all[kedge.PlanData](t, s, journal.KindPlan); len(ps) != 1 || ps[0].Title != "b" {
		t.Errorf("plans %+v", ps)
	}
	if c := get[kedge.Session](t, s, journal.KindSession, "ses-1"); c.State != kedge.SessionExited || *c.ExitCode != 3 || c.Bytes != 7 || c.Name != "s" {
		t.Errorf("session %+v", c)
	}
	if d := get[journal.SeenDoc](t, s, journal.KindSeen, journal.SeenLast); d.Tree != "t2" || !d.At.Equal(at) {
		t.Errorf("seen %+v", d)
	}
	if d := get[journal.EditDoc](t, s, journal.KindEdit, string(evs[13].ID)); d.Action != "refused" {
		t.Errorf("edit %+v", d)
	}
	if d := all[kedge.FilterApprovedData](t, s, journal.KindFilter); len(d) != 1 || d[0].Hash != "h2" {
		t.Errorf("filters %+v", d)
	}
	if get[kedge.Checkpoint](t, s, journal.KindCheckpoint, "ckp-1").Task != "t" || get[kedge.Handoff](t, s, journal.KindHandoff, "ckp-2").Next != "n" ||
		get[kedge.Evidence](t, s, journal.KindEvidence, "evd-1").Verdict.Verdict != kedge.ValidationOK || get[kedge.Salvage](t, s, journal.KindSalvage, "sal-1").Ref != "r" {
		t.Error("a document is not its payload")
	}
	if _, ok, err := journal.Get[kedge.Note](t.Context(), s, journal.KindNote, "not-1"); ok || err != nil {
		t.Errorf("a note that is not there: %v, %v", ok, err)
	}
	if notes := all[kedge.Note](t, s, journal.KindNote); notes == nil || len(notes) != 0 {
		t.Errorf("no notes are %#v", notes)
	}
	sound(t, s)
}

// unfolded are the types that change no document: they are history.
var unfolded = []kedge.EventType{
	kedge.SalvageRestored, kedge.SalvageDropped, kedge.WorktreeRemoved, kedge.WorktreeKept, kedge.SessionRefused,
	kedge.SessionSignalled, kedge.InitFinished, kedge.InitRemoved, kedge.HookSeen,
}

// TestEveryEventTypeFolds fails when a type is added and its fold forgotten.
func TestEveryEventTypeFolds(t *testing.T) {
	s := open(t, t.TempDir(), journal.Options{})
	for _, typ := range eventTypes(t) {
		ev := event(t, typ, []int{1}) // no payload is a list
		_, _, err := s.Append(t.Context(), "", ev)
		if listed := slices.Contains(unfolded, typ); listed != (err == nil) || err != nil && !kedge.Invalid.Is(err) {
			t.Errorf("%s: %v, and it is said to be unfolded: %v", typ, err, listed)
		}
	}
}

// eventTypes are the constants of the root package.
func eventTypes(t *testing.T) (out []kedge.EventType) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`(?m)^\t\w+ +EventType = "([a-z.]+)"`)
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range declared.FindAllSubmatch(b, -1) {
			out = append(out, kedge.EventType(m[1]))
		}
	}
	if len(out) < 35 {
		t.Errorf("only %d types: %q", len(out), out)
	}
	return out
}

func TestSearch(t *testing.T) {
	s := open(t, t.TempDir(), journal.Options{})
	addFeature(t, s, "order-entity", 1)
	appendAll(t, s, "",
		event(t, kedge.NoteAdded, kedge.Note{ID: "not-1", Title: "Flaky parser", RootCause: "The lexer dropped a café token", Tags: []string{"parsing"}, Files: []string{"cmd/parse.go"}}),
		event(t, kedge.NoteAdded, kedge.Note{ID: "not-2", Title: "Matcher", RootCause: "parser and matcher shared a buffer"}),
		event(t, kedge.DecisionSaved, kedge.DecisionData{Decision: kedge.Decision{ID: "dec-1", Status: kedge.DecisionLocked, Title: "Use flags", Why: "positional arguments confuse", Rejected: []kedge.Rejected{{What: "cobra persistent flags", Reason: "break completion"}}}}),
		event(t, kedge.RiskOpened, kedge.Risk{ID: "rsk-1", Text: "disk may fill"}),
		event(t, kedge.CheckpointSaved, kedge.Checkpoint{ID: "ckp-1", Task: "Phase two", Resume: "Start at the tokenizer"}))
	for query, want := range map[string]string{
		"parser":             "note/not-1 note/not-2",
		"PARSER flaky":       "note/not-1",
		"cafe":               "note/not-1",
		"pars":               "note/not-1 note/not-2",
		"cmd/parse.go":       "note/not-1",
		"completion":         "decision/dec-1",
		"disk full":          "risk/rsk-1",
		"tokenizer":          "checkpoint/ckp-1",
		"entity order":       "feature/order-entity",
		"zebra-crossing!":    "",
		"":                   "",
		`"'*()-^:+{}[] NEAR`: "",
		"XOR NEAR(":          "",
	} {
		hits, err := s.Search(t.Context(), query, 0)
		if err != nil {
			t.Errorf("%q: %v", query, err)
		}
		var got []string
		for _, h := range hits {
			got = append(got, string(h.Kind)+"/"+h.ID)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q found %q, want %q", query, got, want)
		}
	}
	appendAll(t, s, "", event(t, kedge.NoteAdded, kedge.Note{ID: "not-2", Title: "Matcher", RootCause: "something else"}))
	hits, err := s.Search(t.Context(), "parser", 1)
	if err != nil || len(hits) != 1 || hits[0].ID != "not-1" || hits[0].Title != "Flaky parser" || !strings.HasPrefix(hits[0].Excerpt, "The lexer dropped") {
		t.Errorf("after a change: %+v, %v", hits, err)
	}
	sound(t, s)
}

func TestProjectMoved(t *testing.T) {
	s := open(t, t.TempDir(), journal.Options{})
	if _, _, err := s.Append(t.Context(), "", event(t, kedge.ProjectMoved, kedge.ProjectMovedData{Dir: "/b"})); !kedge.NotFound.Is(err) {
		t.Errorf("a project that was never made moved: %v", err)
	}
	made := event(t, kedge.ProjectCreated, kedge.ProjectData{Dir: "/a", Name: "shop", Git: true})
	moved := event(t, kedge.ProjectMoved, kedge.ProjectMovedData{Dir: "/b", Was: "/a"})
	made.Project, moved.Project = "prj-1", "prj-1"
	appendAll(t, s, "", made, moved)
	p, ok, err := journal.Get[kedge.Project](t.Context(), s, journal.KindProject, "prj-1")
	if err != nil || !ok || p.Dir != "/b" || p.Name != "shop" || !p.Git || p.CreatedAt.IsZero() {
		t.Errorf("%+v, %v, %v", p, ok, err)
	}
	sound(t, s)
}

func TestRebuildGivesTheSameDump(t *testing.T) {
	s := open(t, t.TempDir(), journal.Options{})
	addFeature(t, s, "a", 1)
	appendAll(t, s, "", note(t, 1), note(t, 2),
		event(t, kedge.FeatureStatus, kedge.FeatureStatusData{ID: "a", Status: kedge.InProgress}))
	before := dump(t, s)
	found, err := s.Search(t.Context(), "note", 0)
	if err != nil || len(found) != 2 {
		t.Fatalf("search: %+v, %v", found, err)
	}
	if !strings.Contains(before, `feature "a"`) || strings.Count(before, "\n") != 3 {
		t.Errorf("dump:\n%s", before)
	}
	if err := s.Rebuild(t.Context()); err != nil {
		t.Fatal(err)
	}
	if after := dump(t, s); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	again, err := s.Search(t.Context(), "note", 0)
	if err != nil || !reflect.DeepEqual(again, found) {
		t.Errorf("search after: %+v, %v", again, err)
	}
	sound(t, s)
}

// The last compactions of a session are kept with it.
func TestRow65FoldSessionCompacted(t *testing.T) {
	s := open(t, t.TempDir(), journal.Options{})
	appendAll(t, s, "", event(t, kedge.SessionStarted, kedge.Session{ID: "ses-1", Name: "a", State: kedge.SessionRunning}))
	for i := range int64(kedge.MaxCompactions + 2) {
		before, after := 100_000+i, 20_000+i
		appendAll(t, s, "", event(t, kedge.SessionCompacted, kedge.SessionCompactedData{ID: "ses-1", Asked: true, Before: &before, After: &after, Focus: "x"}))
	}
	got := get[kedge.Session](t, s, journal.KindSession, "ses-1").Compactions
	if len(got) != kedge.MaxCompactions || *got[0].Before != 100_002 || *got[len(got)-1].After != 20_021 || !got[0].Asked || got[0].At.IsZero() {
		t.Errorf("folded to %d: %+v", len(got), got)
	}
}

// What a session says that it used stays known when a later report says less, and
// when the session ends.
func TestFoldSessionUsed(t *testing.T) {
	s := open(t, t.TempDir(), journal.Options{})
	tokens, more, usd, window := int64(10), int64(20), 0.5, int64(100)
	appendAll(t, s, "",
		event(t, kedge.SessionStarted, kedge.Session{ID: "ses-1", Name: "a", State: kedge.SessionRunning}),
		event(t, kedge.SessionUsed, kedge.SessionUsedData{ID: "ses-1", Tokens: &tokens, USD: &usd, ContextTokens: &tokens, ContextWindow: &window}),
		event(t, kedge.SessionUsed, kedge.SessionUsedData{ID: "ses-1", Tokens: &more}),
		event(t, kedge.SessionActed, kedge.SessionActedData{ID: "ses-1", First: kedge.ActAction, FirstAct: kedge.FirstAct{Tool: "Bash", Calls: 1}}),
		event(t, kedge.SessionActed, kedge.SessionActedData{ID: "ses-1", First: kedge.ActEdit, FirstAct: kedge.FirstAct{Tool: "Edit", Calls: 2, ReadTokens: 9}}),
		event(t, kedge.SessionActed, kedge.SessionActedData{ID: "ses-1", First: kedge.ActEdit, FirstAct: kedge.FirstAct{Tool: "Edit", Calls: 3}}),
		event(t, kedge.SessionEnded, kedge.SessionEndedData{ID: "ses-1", State: kedge.SessionExited}),
	)
	got := get[kedge.Session](t, s, journal.KindSession, "ses-1")
	if *got.Tokens != 20 || *got.USD != 0.5 || *got.ContextTokens != 10 || *got.ContextWindow != 100 || got.State != kedge.SessionExited {
		t.Errorf("folded to %+v", got)
	}
	if got.FirstAction == nil || got.FirstAction.Tool != "Bash" || got.FirstEdit == nil || got.FirstEdit.Calls != 2 || got.FirstEdit.ReadTokens != 9 {
		t.Errorf("first acts %+v, %+v", got.FirstAction, got.FirstEdit)
	}
	appendAll(t, s, "", event(t, kedge.SessionStarted, kedge.Session{ID: "ses-2", Name: "b", State: kedge.SessionRunning}))
	if quiet := get[kedge.Session](t, s, journal.KindSession, "ses-2"); quiet.Tokens != nil || quiet.USD != nil || quiet.ContextTokens != nil {
		t.Errorf("a session that said nothing used %+v", quiet)
	}
}
