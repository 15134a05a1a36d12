package app_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/app/features"
	"kedge/internal/app/ledger"
	"kedge/internal/app/memory"
	"kedge/internal/app/setup"
	"kedge/internal/app/status"
	"kedge/internal/journal"
	"kedge/internal/process/atomicfile"
)

// warned lists the files that an answer says are behind.
func warned(a ledger.Notices) []string {
	var out []string
	for _, f := range a.Warnings {
		if f.Level == kedge.LevelWarning && f.Fix != "" && strings.HasPrefix(f.What, "saved in the journal, but") {
			out = append(out, f.Where)
		}
	}
	return out
}

// folder puts a folder with something in it where a file should be.
func (y *yard) folder(name string) {
	y.t.Helper()
	if err := os.RemoveAll(filepath.Join(y.dir, name)); err != nil {
		y.t.Fatal(err)
	}
	y.put(name+"/somebodys", "work\n")
}

// unfolder takes it away again.
func (y *yard) unfolder(name string) {
	y.t.Helper()
	if err := os.RemoveAll(filepath.Join(y.dir, name)); err != nil {
		y.t.Fatal(err)
	}
}

// TestF4UnwrittenFileIsAWarning: what is in the journal is acknowledged, whatever
// becomes of its file, and the next command that writes brings the file up.
func TestF4UnwrittenFileIsAWarning(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		do   func(y *yard) (ledger.Notices, error)
	}{
		"feature": {".kedge/features.json", func(y *yard) (ledger.Notices, error) {
			r, err := y.s.FeatureAdd(t.Context(), y.person(), features.FeatureAddRequest{Definition: kedge.Definition{ID: "x", Name: "X"}})
			return r.Notices, err
		}},
		"risk": {".kedge/risks.md", func(y *yard) (ledger.Notices, error) {
			r, err := y.s.RiskAdd(t.Context(), y.person(), memory.RiskAddRequest{Text: "it may break"})
			return r.Notices, err
		}},
		"progress": {".kedge/progress.md", func(y *yard) (ledger.Notices, error) {
			r, err := y.s.RiskAdd(t.Context(), y.person(), memory.RiskAddRequest{Text: "it may break"})
			return r.Notices, err
		}},
		"checkpoint": {".kedge/checkpoint.md", func(y *yard) (ledger.Notices, error) {
			r, err := y.s.CheckpointSave(t.Context(), y.person(), status.CheckpointSaveRequest{})
			return r.Notices, err
		}},
		"handoff": {".kedge/handoff.md", func(y *yard) (ledger.Notices, error) {
			r, err := y.s.HandoffSave(t.Context(), y.person(), status.HandoffSaveRequest{Percent: 5, State: "s", Approach: "a"})
			return r.Notices, err
		}},
		"submit": {".kedge/features.json", func(y *yard) (ledger.Notices, error) {
			r := y.submit(y.person(), "a")
			return r.Notices, nil
		}},
	} {
		t.Run(name, func(t *testing.T) {
			y := newYard(t, true)
			y.put(".kedge/config.toml", "version = 1\n")
			y.add("a")
			y.folder(c.file)
			before := y.events()
			aside, err := c.do(y)
			if err != nil || !slices.Equal(warned(aside), []string{c.file}) || len(aside.Edits) > 0 {
				t.Fatalf("%+v, %v", aside, err)
			}
			if y.events() == before {
				t.Error("nothing is in the journal")
			}
			if y.read(c.file+"/somebodys") != "work\n" {
				t.Error("somebody's work is gone")
			}
			if aside, err = c.do(y); name != "feature" && (err != nil || !slices.Equal(warned(aside), []string{c.file})) {
				t.Errorf("another command: %+v, %v", aside, err)
			}
			if found := y.doctor(); !has(found.Findings, kedge.LevelWarning, c.file, "could not be written") && !has(found.Findings, kedge.LevelError, c.file, "") {
				t.Errorf("the doctor says nothing of it: %+v", found)
			}
			y.unfolder(c.file)
			y.add("later")
			if y.read(c.file) == "" {
				t.Error("the next command did not write it")
			}
			if c.file != ".kedge/features.json" { // which somebody took away, and that is told
				y.wantEdits()
			}
		})
	}
}

func (y *yard) events() int64 {
	y.t.Helper()
	st, err := journal.Open(y.storeDir(), journal.Options{ReadOnly: true})
	if err != nil {
		y.t.Fatal(err)
	}
	defer st.Close()
	n, err := st.Last(y.t.Context())
	if err != nil {
		y.t.Fatal(err)
	}
	return n
}

// TestF4NoFolderForFiles: without a place for any file everything is saved all
// the same, and the doctor brings it up when there is one.
func TestF4NoFolderForFiles(t *testing.T) {
	y := newYard(t, true)
	y.git("add", "-f", kedge.ValidateFile)
	y.git("commit", "-q", "-m", "set up")
	if err := os.RemoveAll(filepath.Join(y.dir, kedge.Dir)); err != nil {
		t.Fatal(err)
	}
	y.put(".kedge", "in the way\n")
	r, err := y.s.FeatureAdd(t.Context(), y.person(), features.FeatureAddRequest{Definition: kedge.Definition{ID: "x", Name: "X"}})
	if err != nil || !slices.Contains(warned(r.Notices), ".kedge/features.json") {
		t.Fatalf("%+v, %v", r, err)
	}
	d, err := y.s.DecisionAdd(t.Context(), y.person(), memory.DecisionAddRequest{Title: "Strict", Why: "typos"})
	if err != nil || len(warned(d.Notices)) < 2 {
		t.Fatalf("%+v, %v", d, err)
	}
	c, err := y.s.CheckpointSave(t.Context(), y.person(), status.CheckpointSaveRequest{})
	if err != nil || !slices.Contains(warned(c.Notices), ".kedge/checkpoint.md") {
		t.Fatalf("%+v, %v", c, err)
	}
	y.unfolder(".kedge")
	y.put(".kedge/config.toml", "version = 1\n")
	y.doctor()
	for name, has := range map[string]string{".kedge/features.json": `"x"`, d.File: "Strict", ".kedge/checkpoint.md": string(c.ID)} {
		if !strings.Contains(y.read(name), has) {
			t.Errorf("%s:\n%s", name, y.read(name))
		}
	}
	y.wantEdits()
}

// TestF1KilledBeforeTheFile: a daemon that starts writes what the one before it
// had in the journal only, and leaves alone what somebody else changed.
func TestF1KilledBeforeTheFile(t *testing.T) {
	y := newYard(t, true)
	y.put(".kedge/config.toml", "version = 1\n")
	y.fact(kedge.ProjectCreated, kedge.Project{ID: kedge.ProjectID(y.id), Name: "shop", Dir: y.dir, Git: true, CreatedAt: y.now})
	y.add("a")
	save := func() kedge.CheckpointID {
		c, err := y.s.CheckpointSave(t.Context(), y.person(), status.CheckpointSaveRequest{})
		if err != nil {
			t.Fatal(err)
		}
		return c.ID
	}
	first := save()
	texts := map[string]string{}
	for _, name := range []string{".kedge/checkpoint.md", ".kedge/features.json", ".kedge/progress.md"} {
		texts[name] = y.read(name)
	}
	projected := filepath.Join(y.storeDir(), "projected")
	known, err := os.ReadFile(projected)
	if err != nil {
		t.Fatal(err)
	}
	second := save()
	if _, err := y.s.FeatureBlock(t.Context(), y.person(), features.FeatureStatusRequest{ID: "a", Reason: "waiting"}); err != nil {
		t.Fatal(err)
	}
	crash := func() {
		if err := os.WriteFile(projected, known, 0o600); err != nil {
			t.Fatal(err)
		}
		for name, text := range texts {
			y.put(name, text)
		}
	}
	crash()
	y.restart()
	if !strings.Contains(y.read(".kedge/checkpoint.md"), string(second)) || strings.Contains(y.read(".kedge/checkpoint.md"), string(first)) {
		t.Errorf("checkpoint.md:\n%s", y.read(".kedge/checkpoint.md"))
	}
	if !strings.Contains(y.read(".kedge/features.json"), "blocked") || !strings.Contains(y.read(".kedge/progress.md"), "feature a blocked") {
		t.Errorf("features.json:\n%s\nprogress.md:\n%s", y.read(".kedge/features.json"), y.read(".kedge/progress.md"))
	}
	crash()
	mine := strings.Replace(texts[".kedge/checkpoint.md"], "-->\n", "-->\nmine\n", 1)
	y.put(".kedge/checkpoint.md", mine)
	y.restart()
	if y.read(".kedge/checkpoint.md") != mine {
		t.Error("what somebody wrote was replaced")
	}
	y.put(".kedge/checkpoint.md", texts[".kedge/checkpoint.md"])
	y.add("b") // the next command that writes, without a start in between
	if !strings.Contains(y.read(".kedge/checkpoint.md"), string(second)) {
		t.Errorf("after the next command:\n%s", y.read(".kedge/checkpoint.md"))
	}
	for name, text := range texts { // another commit is checked out: these are all Kedge's own
		y.put(name, text)
	}
	y.restart()
	for name, text := range texts {
		if y.read(name) != text {
			t.Errorf("a start changed %s of another commit", name)
		}
	}
	y.wantEdits()
}

// restart is a daemon that goes and one that comes.
func (y *yard) restart() {
	y.t.Helper()
	if err := y.s.Close(); err != nil {
		y.t.Fatal(err)
	}
	y.open(false)
	if err := y.s.SyncFiles(y.t.Context()); err != nil {
		y.t.Fatal(err)
	}
}

// TestF1LeftoversOfADeadWriter: what a killed daemon left of a file that it was
// writing is ignored by git from the first, and gone with the next write.
func TestF1LeftoversOfADeadWriter(t *testing.T) {
	y := newYard(t, true)
	y.git("clean", "-xfdq")
	if _, err := y.s.Init(t.Context(), y.person(), setup.InitRequest{}); err != nil {
		t.Fatal(err)
	}
	left := []string{".kedge/", ".kedge/decisions/", ".kedge/notes/", ""}
	for i, dir := range left {
		left[i] = dir + atomicfile.TempPrefix + "ABCDEFGHIJKLMNOPQRSTUVWXY2"
		y.put(left[i], "half of")
	}
	y.put(".kedge/"+atomicfile.TempPrefix+"is-mine", "mine")
	if got := y.git("status", "--porcelain", "-uall"); got != "?? "+left[3] {
		t.Errorf("git sees %q", got)
	}
	y.restart()
	for _, name := range left {
		if _, err := os.Lstat(filepath.Join(y.dir, name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	y.put(left[0], "half of") // by a writer that is killed while this daemon lives
	y.restart()
	y.add("a")
	if _, err := os.Lstat(filepath.Join(y.dir, left[0])); err == nil {
		t.Error("it is still there")
	}
	if y.read(".kedge/"+atomicfile.TempPrefix+"is-mine") != "mine" {
		t.Error("somebody's file is gone")
	}
}
