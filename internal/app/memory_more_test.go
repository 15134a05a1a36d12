package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/app/maintenance"
	"kedge/internal/app/memory"
	"kedge/internal/app/projects"
	"kedge/internal/app/status"
)

// prime is the brief that a session would get now.
func (y *yard) prime() string {
	y.t.Helper()
	r, err := y.s.Prime(y.t.Context(), y.person(), status.PrimeRequest{})
	if err != nil {
		y.t.Fatal(err)
	}
	return r.Text
}

// TestSupersededRejectionsDoNotCount: the new decision chose what the old one
// had rejected, and what was saved in between does not bring it back.
func TestSupersededRejectionsDoNotCount(t *testing.T) {
	y := newYard(t, true)
	rejected := []kedge.Rejected{{What: "positional arguments", Reason: "the order is unclear"}}
	old, err := y.s.DecisionAdd(t.Context(), y.person(), memory.DecisionAddRequest{Title: "Flags", Why: "plain", Rejected: rejected})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := y.s.CheckpointSave(t.Context(), y.person(), status.CheckpointSaveRequest{Task: "x"}); err != nil {
		t.Fatal(err)
	}
	hand := status.HandoffSaveRequest{Percent: 5, State: "s", Approach: "a", Next: "n", RuledOut: append(rejected, kedge.Rejected{What: "a daemon", Reason: "too heavy"})}
	if _, err := y.s.HandoffSave(t.Context(), y.person(), hand); err != nil {
		t.Fatal(err)
	}
	if text := y.prime(); !strings.Contains(text, "positional arguments: the order is unclear") {
		t.Errorf("a rejection that holds is missing:\n%s", text)
	}
	_, err = y.s.DecisionAdd(t.Context(), y.person(), memory.DecisionAddRequest{
		Title: "Positional arguments", Why: "users asked", Supersedes: old.Decision.ID, Reason: "completion works now",
	})
	if err != nil {
		t.Fatal(err)
	}
	text := y.prime()
	if strings.Contains(text, "the order is unclear") {
		t.Errorf("what was decided for stands under decided against:\n%s", text)
	}
	for _, want := range []string{"> - Flags: superseded by", "a daemon: too heavy"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing:\n%s", want, text)
		}
	}
	r, err := y.s.CheckpointSave(t.Context(), y.person(), status.CheckpointSaveRequest{Task: "x"})
	if err != nil || strings.Contains(r.Text, "the order is unclear") || !strings.Contains(r.Text, "too heavy") {
		t.Errorf("%v\n%s", err, r.Text)
	}
}

func TestDecisionWithdrawn(t *testing.T) {
	y := newYard(t, true)
	id := y.decide("Stict matching", "cmd/**").Decision.ID
	withdraw := func(who projects.Caller, in memory.DecisionWithdrawRequest) error {
		_, err := y.s.DecisionWithdraw(t.Context(), who, in)
		return err
	}
	wantKind(t, withdraw(y.agent(), memory.DecisionWithdrawRequest{ID: id, Reason: "typo"}), kedge.Blocked, "agents may not")
	wantKind(t, withdraw(y.person(), memory.DecisionWithdrawRequest{ID: id, Reason: " "}), kedge.Invalid, "you need a reason")
	wantKind(t, withdraw(y.person(), memory.DecisionWithdrawRequest{ID: "dec-nope", Reason: "typo"}), kedge.NotFound, "dec-nope")
	r, err := y.s.DecisionWithdraw(t.Context(), y.person(), memory.DecisionWithdrawRequest{ID: id, Reason: "a typo"})
	if err != nil || r.Decision.Status != kedge.DecisionSuperseded || r.Decision.Withdrawn != "a typo" {
		t.Fatalf("%+v, %v", r, err)
	}
	if text := y.read(r.File); !strings.Contains(text, "status: superseded") || !strings.Contains(text, "## Withdrawn\n\na typo\n") {
		t.Errorf("on disk:\n%s", text)
	}
	wantKind(t, withdraw(y.person(), memory.DecisionWithdrawRequest{ID: id, Reason: "again"}), kedge.Conflict, "was withdrawn already, for this reason: a typo")
	_, err = y.s.DecisionAdd(t.Context(), y.person(), memory.DecisionAddRequest{Title: "Other", Why: "w", Supersedes: id, Reason: "r"})
	wantKind(t, err, kedge.Conflict, "was withdrawn already, for this reason: a typo")
	if text := y.prime(); strings.Contains(text, "Stict") {
		t.Errorf("a session is still told of it:\n%s", text)
	}
	y.decide("Strict matching", "cmd/**") // nothing is in its way
	y.wantEdits()
	found, err := y.s.Recall(t.Context(), y.person(), memory.RecallRequest{Query: "stict"})
	if err != nil || len(found.Hits) != 1 || found.Hits[0].State != "withdrawn" {
		t.Errorf("recall %+v, %v", found, err)
	}
}

func TestRecallTellsWhatIsDead(t *testing.T) {
	y := newYard(t, true)
	old := y.decide("Fuzzy matching", "cmd/**").Decision.ID
	_, err := y.s.DecisionAdd(t.Context(), y.person(), memory.DecisionAddRequest{
		Title: "Strict matching", Why: "safer", AppliesTo: []string{"cmd/**"}, Supersedes: old, Reason: "too many false hits",
	})
	if err != nil {
		t.Fatal(err)
	}
	risk := y.risk("matching may be slow").Risk.ID
	if _, err := y.s.RiskClose(t.Context(), y.person(), memory.RiskCloseRequest{ID: risk, Reason: "measured"}); err != nil {
		t.Fatal(err)
	}
	y.note("Matching lives in a.txt")
	r, err := y.s.Recall(t.Context(), y.person(), memory.RecallRequest{Query: "matching"})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, h := range r.Hits {
		got[h.Title] = h.State
		if head := y.git("rev-parse", "HEAD"); strings.Contains(h.Snippet, head) || strings.HasPrefix(h.Snippet, h.Title) {
			t.Errorf("snippet %q of %q", h.Snippet, h.Title)
		}
	}
	for title, state := range map[string]string{
		"Fuzzy matching": "superseded", "Strict matching": "locked", "matching may be slow": "closed", "Matching lives in a.txt": "",
	} {
		if s, ok := got[title]; !ok || s != state {
			t.Errorf("%q is %q (found: %v), want %q", title, s, ok, state)
		}
	}
	_, err = y.s.Recall(t.Context(), y.person(), memory.RecallRequest{Query: "matching", Limit: -1})
	wantKind(t, err, kedge.Invalid, "not -1")
}

func TestNoteShowAndFilesThatExist(t *testing.T) {
	y := newYard(t, true)
	n := y.note("Matching lives in a.txt. It is slow.")
	r, err := y.s.NoteShow(t.Context(), y.person(), memory.NoteShowRequest{ID: n.Note.ID})
	if err != nil || r.File != n.File || r.Text != y.read(n.File) || r.Note.Title != n.Note.Title {
		t.Errorf("%+v, %v", r, err)
	}
	_, err = y.s.NoteShow(t.Context(), y.person(), memory.NoteShowRequest{ID: "not-nope"})
	wantKind(t, err, kedge.NotFound, "not-nope")
	_, err = y.s.NoteAdd(t.Context(), y.person(), memory.NoteAddRequest{Text: "It is in nosuch.go", Files: []string{"nosuch.go"}})
	wantKind(t, err, kedge.NotFound, `no file "nosuch.go" in the project`)
	if text := y.prime(); strings.Count(text, "Matching lives in a.txt") != 1 || !strings.Contains(text, "It is slow.") {
		t.Errorf("the note is not told once:\n%s", text)
	}
}

// move renames the project's folder, as a person would.
func (y *yard) move(to string) {
	y.t.Helper()
	if err := os.Rename(y.dir, to); err != nil {
		y.t.Fatal(err)
	}
	y.dir = to
}

func (y *yard) listed() maintenance.ProjectInfo {
	y.t.Helper()
	r, err := y.s.ProjectList(y.t.Context(), projects.Caller{Dir: y.t.TempDir()}, maintenance.ProjectListRequest{})
	if err != nil || len(r.Projects) != 1 {
		y.t.Fatalf("%+v, %v", r, err)
	}
	return r.Projects[0]
}

func TestTheFolderFollowsTheProject(t *testing.T) {
	y := newYard(t, true)
	y.fact(kedge.ProjectCreated, kedge.ProjectData{Dir: y.dir, Name: "shop", Git: true})
	tree := filepath.Join(t.TempDir(), "tree")
	y.git("worktree", "add", "-q", tree)
	main := y.dir
	y.dir = tree
	y.risk("from a worktree")
	if p := y.listed(); p.Dir != main || p.State != maintenance.ProjectPresent {
		t.Errorf("a worktree took the project over: %+v", p)
	}
	y.dir = main
	moved := filepath.Join(t.TempDir(), "moved")
	y.move(moved)
	if p := y.listed(); p.State != maintenance.ProjectGone {
		t.Errorf("nobody can know yet where it is: %+v", p)
	}
	r, err := y.s.ProjectList(t.Context(), y.person(), maintenance.ProjectListRequest{})
	if err != nil || r.Projects[0].State != maintenance.ProjectPresent || r.Projects[0].Dir != moved {
		t.Errorf("it is asked from where it is: %+v, %v", r, err)
	}
	y.risk("from the new place")
	if p := y.listed(); p.Dir != moved || p.State != maintenance.ProjectPresent || p.Name != "shop" {
		t.Errorf("%+v", p)
	}
	if r := y.doctor(); !r.OK {
		t.Errorf("%+v", r.Findings)
	}
}
