package app_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/app/status"
	"kedge/internal/core/brief"
	"kedge/internal/testkit/redacttest"
)

func TestCheckpointSaveWritesTheFile(t *testing.T) {
	pl := newPlace(t, true)
	pl.fact(kedge.FeatureAdded, featureFact(t, 1, kedge.Definition{ID: "login", Name: "Log in", Priority: 1, Checks: []kedge.Check{{Name: "unit", Run: "make test"}}}))
	pl.put("b.txt", "new\n")
	r := pl.save(status.CheckpointSaveRequest{})
	if r.Task != "login: Log in" || r.Agent != "human:ada" || r.Tokens != nil || r.USD != nil {
		t.Errorf("checkpoint = %+v", r.Checkpoint)
	}
	if want := "Start at feature login. Re-read the files above before editing. First command: make test"; r.Resume != want {
		t.Errorf("resume = %q", r.Resume)
	}
	if r.Commit != pl.git("rev-parse", "HEAD") || len(r.Files) != 1 || r.Files[0].Path != "b.txt" || r.Files[0].State != kedge.FileUnchanged {
		t.Errorf("commit %s, files %v", r.Commit, r.Files)
	}
	file := pl.read(".kedge/checkpoint.md")
	c, err := brief.ParseCheckpoint("checkpoint.md", []byte(file))
	if err != nil || c.ID != r.ID || file != r.Text {
		t.Errorf("file of %s: %v\n%s", c.ID, err, file)
	}
	if l, err := pl.s.CheckpointLint(t.Context(), pl.who(), status.LintRequest{}); err != nil || !l.OK {
		t.Errorf("lint = %+v, %v", l, err)
	}
	if !strings.Contains(file, "- [ ] login: Log in\n") {
		t.Errorf("no status line in\n%s", file)
	}
}

func TestCheckpointSaveTwiceByKey(t *testing.T) {
	pl := newPlace(t, true)
	who := pl.who()
	first, err := pl.s.CheckpointSave(t.Context(), who, status.CheckpointSaveRequest{})
	if err != nil {
		t.Fatal(err)
	}
	pl.now = pl.now.Add(time.Hour)
	again, err := pl.s.CheckpointSave(t.Context(), who, status.CheckpointSaveRequest{})
	if err != nil || again.ID != first.ID || !again.At.Equal(first.At) {
		t.Errorf("a retried request made %s at %s, first %s: %v", again.ID, again.At, first.ID, err)
	}
}

func TestCheckpointKeepsPeoplesText(t *testing.T) {
	pl := newPlace(t, true)
	pl.save(status.CheckpointSaveRequest{})
	const file = ".kedge/checkpoint.md"
	pl.put(file, pl.read(file)+"\nMind the release.\n")
	r := pl.save(status.CheckpointSaveRequest{})
	if !strings.HasSuffix(pl.read(file), "-->\n\nMind the release.\n") || len(r.Moved) > 0 {
		t.Errorf("moved %q, file\n%s", r.Moved, pl.read(file))
	}
	pl.put(file, strings.Replace(pl.read(file), "## Open risks\n", "## Open risks\n- by hand\n", 1))
	r = pl.save(status.CheckpointSaveRequest{})
	if !strings.HasSuffix(pl.read(file), "Mind the release.\n- by hand\n") || len(r.Moved) != 1 || r.Moved[0] != "- by hand" {
		t.Errorf("moved %q, file\n%s", r.Moved, pl.read(file))
	}
	if _, err := brief.ParseCheckpoint(file, []byte(pl.read(file))); err != nil {
		t.Error(err)
	}
}

func TestRow40FilesToReread(t *testing.T) {
	pl := newPlace(t, true)
	pl.put("src/b.txt", "two\n")
	pl.put("src/c.txt", "three\n")
	who := pl.who()
	who.Dir = filepath.Join(pl.dir, "src")
	if _, err := pl.s.CheckpointSave(t.Context(), who, status.CheckpointSaveRequest{Files: []string{"../a.txt", "b.txt", "c.txt"}}); err != nil {
		t.Fatal(err)
	}
	pl.put("src/b.txt", "changed\n")
	if err := os.Remove(filepath.Join(pl.dir, "src/c.txt")); err != nil {
		t.Fatal(err)
	}
	r, err := pl.s.CheckpointShow(t.Context(), pl.who(), status.CheckpointShowRequest{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]kedge.FileState{}
	for _, f := range r.Files {
		got[f.Path] = f.State
	}
	if got["a.txt"] != kedge.FileUnchanged || got["src/b.txt"] != kedge.FileChanged || got["src/c.txt"] != kedge.FileGone {
		t.Errorf("files = %v", got)
	}
	text := pl.prime(0).Text
	for _, want := range []string{"> - changed src/b.txt, since the checkpoint\n", "> - gone src/c.txt, since the checkpoint\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, bad := range []string{"../outside", "none.txt", "."} {
		if _, err := pl.s.CheckpointSave(t.Context(), pl.who(), status.CheckpointSaveRequest{Files: []string{bad}}); !kedge.Invalid.Is(err) && !kedge.NotFound.Is(err) {
			t.Errorf("--file %s: %v", bad, err)
		}
	}
}

func TestRow41DriftByContent(t *testing.T) {
	pl := newPlace(t, true)
	if r := pl.status(); len(r.Drift) != 0 || !strings.Contains(r.DriftUnknown, "has not recorded the files yet") {
		t.Errorf("before Kedge looked: %v, %q", r.Drift, r.DriftUnknown)
	}
	pl.put("b.txt", "1\n2\n3\n")
	pl.save(status.CheckpointSaveRequest{})
	if r := pl.status(); len(r.Drift) != 0 || r.DriftUnknown != "" {
		t.Errorf("nothing was touched: %v, %q", r.Drift, r.DriftUnknown)
	}
	pl.put("b.txt", "1\nzwei\n3\n4\n")
	pl.put("new.txt", "x\n")
	pl.git("rm", "-q", "a.txt")
	pl.git("add", ".")
	pl.git("commit", "-q", "-m", "out of band")
	want := []kedge.Drift{
		{Path: "a.txt", State: kedge.FileGone, Removed: 1},
		{Path: "b.txt", State: kedge.FileChanged, Added: 2, Removed: 1},
		{Path: "new.txt", State: kedge.FileNew, Added: 1},
	}
	got := pl.status().Drift
	if len(got) != len(want) {
		t.Fatalf("drift = %v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("drift %d = %+v, want %+v", i, got[i], want[i])
		}
	}
	if text := pl.prime(0).Text; !strings.Contains(text, "> - changed b.txt (+2 -1 lines), since Kedge last looked\n") {
		t.Errorf("no drift in\n%s", text)
	}
	pl.save(status.CheckpointSaveRequest{})
	if r := pl.status(); len(r.Drift) != 0 {
		t.Errorf("seen again: %v", r.Drift)
	}
}

func TestRow41DriftSurvivesGarbageCollection(t *testing.T) {
	pl := newPlace(t, true)
	pl.put("b.txt", "not committed\n")
	pl.save(status.CheckpointSaveRequest{})
	pl.put("b.txt", "changed\n")
	pl.git("gc", "-q", "--prune=now")
	if r := pl.status(); len(r.Drift) != 1 || r.Drift[0].Path != "b.txt" {
		t.Errorf("drift = %v, %q", r.Drift, r.DriftUnknown)
	}
	pl.git("update-ref", "-d", "refs/kedge/seen")
	pl.put("b.txt", "changed again\n") // what two trees differ in may be remembered
	pl.git("gc", "-q", "--prune=now")
	if r := pl.status(); len(r.Drift) != 0 || !strings.Contains(r.DriftUnknown, "no longer has the files") {
		t.Errorf("the tree is gone: drift = %v, %q", r.Drift, r.DriftUnknown)
	}
}

func TestT15CheckpointsAreRedacted(t *testing.T) {
	pl := newPlace(t, true)
	canaries := redacttest.Canaries()
	var text strings.Builder
	for _, family := range slices.Sorted(maps.Keys(canaries)) {
		text.WriteString(canaries[family] + "\n")
	}
	pl.put(".kedge/checkpoint.md", text.String())
	r := pl.save(status.CheckpointSaveRequest{Task: "t", Resume: "Start at item p1.1. " + text.String()})
	h, err := pl.s.HandoffSave(t.Context(), pl.who(), status.HandoffSaveRequest{State: "s", Approach: "a", Next: "n", BlockedOn: firstLine(text.String())})
	if err != nil {
		t.Fatal(err)
	}
	for where, got := range map[string]string{
		"checkpoint.md": pl.read(".kedge/checkpoint.md"), "reply": r.Text + r.Resume, "handoff": h.Text, "brief": pl.prime(0).Text,
	} {
		for family, secret := range redacttest.Secrets() {
			if strings.Contains(got, secret[:min(len(secret), 24)]) {
				t.Errorf("%s holds a secret of %s", where, family)
			}
		}
	}
	if _, err := brief.ParseCheckpoint("c.md", []byte(r.Text)); err != nil {
		t.Error(err)
	}
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

func TestPlainFolderHasNoDrift(t *testing.T) {
	pl := newPlace(t, false)
	pl.put("a.txt", "one\n")
	r := pl.save(status.CheckpointSaveRequest{Files: []string{"a.txt"}})
	if r.Commit != "" || r.Tree != "" || len(r.Files) != 1 {
		t.Errorf("checkpoint = %+v", r.Checkpoint)
	}
	if l, err := pl.s.CheckpointLint(t.Context(), pl.who(), status.LintRequest{}); err != nil || !l.OK {
		t.Errorf("lint = %+v, %v", l, err)
	}
	st := pl.status()
	if len(st.Drift) != 0 || !strings.Contains(st.DriftUnknown, "is not a git repository") {
		t.Errorf("drift = %v, %q", st.Drift, st.DriftUnknown)
	}
	if text := pl.prime(0).Text; !strings.Contains(text, "Kedge cannot tell whether files changed") {
		t.Errorf("the brief hides that drift is unknown:\n%s", text)
	}
}

// TestT15RulesWithASecret: a brief is clean whatever it was made of, also of a
// file that no journal has seen.
func TestT15RulesWithASecret(t *testing.T) {
	pl := newPlace(t, true)
	secret := "gh" + "p_" + strings.Repeat("aB3dE5gH7j", 4)[:36]
	pl.put(".kedge/rules.md", "# Rules\n- push with "+secret+"\n")
	if text := pl.prime(0).Text; strings.Contains(text, secret) || !strings.Contains(text, "[redacted:github]") {
		t.Errorf("the brief is\n%s", text)
	}
}
