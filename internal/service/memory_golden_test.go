package service_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"kedge"
	"kedge/internal/service"
)

// shape compares the JSON of an answer with the file that holds its shape.
func (y *yard) shape(name string, v any, err error) {
	y.t.Helper()
	if err != nil {
		y.t.Fatal(err)
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		y.t.Fatal(err)
	}
	got := buf.String()
	for _, r := range varying {
		got = r.pattern.ReplaceAllString(got, r.as)
	}
	file := filepath.Join("testdata", "memory", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			y.t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			y.t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		y.t.Fatal(err)
	}
	if got != string(want) {
		y.t.Errorf("%s differs (-update writes it anew):\n%s", file, got)
	}
}

// TestShapesOfMemory holds the JSON that scripts rely on.
func TestShapesOfMemory(t *testing.T) {
	y := newYard(t, true)
	ctx := t.Context()
	first, err := y.s.DecisionAdd(ctx, y.person(), service.DecisionAddRequest{
		Title: "Strict", Why: "typos are rare", Rejected: []kedge.Rejected{{What: "fuzzy", Reason: "slow"}}, AppliesTo: []string{"cmd/**"},
	})
	y.shape("decide.json", first, err)
	y.now = y.now.Add(time.Minute)
	_, err = y.s.DecisionAdd(ctx, y.person(), service.DecisionAddRequest{
		Title: "Fuzzy", Why: "users mistype", Supersedes: first.Decision.ID, Reason: "it is fast now", Reversibility: "one-way",
	})
	if err != nil {
		t.Fatal(err)
	}
	shown, err := y.s.DecisionShow(ctx, y.person(), service.DecisionShowRequest{ID: first.Decision.ID})
	y.shape("decide-show.json", shown, err)
	list, err := y.s.DecisionList(ctx, y.person(), service.DecisionListRequest{})
	y.shape("decide-ls.json", list, err)
	risk, err := y.s.RiskAdd(ctx, y.person(), service.RiskAddRequest{Text: "no load test"})
	y.shape("risk-add.json", risk, err)
	closed, err := y.s.RiskClose(ctx, y.person(), service.RiskCloseRequest{ID: risk.Risk.ID, Reason: "measured"})
	y.shape("risk-close.json", closed, err)
	risks, err := y.s.RiskList(ctx, y.person(), service.RiskListRequest{All: true})
	y.shape("risk-ls.json", risks, err)
	note, err := y.s.NoteAdd(ctx, y.person(), service.NoteAddRequest{Text: "Fuzzy matching is in a.txt", Files: []string{"a.txt"}})
	y.shape("remember.json", note, err)
	notes, err := y.s.Notes(ctx, y.person(), service.NotesRequest{})
	y.shape("notes.json", notes, err)
	lint, err := y.s.NotesLint(ctx, y.person(), service.NotesLintRequest{})
	y.shape("notes-lint.json", lint, err)
	hits, err := y.s.Recall(ctx, y.person(), service.RecallRequest{Query: "fuzzy matching"})
	y.shape("recall.json", hits, err)
	y.put(".kedge/rules.md", "# 1. Constraints\n- Keep the API.\n")
	rules, err := y.s.RulesLint(ctx, y.person(), service.RulesLintRequest{})
	y.shape("rules-lint.json", rules, err)
	text, err := y.s.RulesShow(ctx, y.person(), service.RulesShowRequest{})
	y.shape("rules-show.json", text, err)
}
