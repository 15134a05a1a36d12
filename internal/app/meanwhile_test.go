package app_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/app/features"
	"kedge/internal/app/verify"
)

// kept gives what is in the folder of edited files.
func (y *yard) kept() []string {
	y.t.Helper()
	dir := filepath.Join(y.home, "projects", y.id, "edits")
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		y.t.Fatal(err)
	}
	var texts []string
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			y.t.Fatal(err)
		}
		texts = append(texts, string(b))
	}
	return texts
}

// TestEditWhileAGateRuns: what is typed into Kedge's files after the edits were
// settled, while the checks of a submit run, is kept before it is replaced.
func TestEditWhileAGateRuns(t *testing.T) {
	y := newYard(t, true)
	y.put(".kedge/gate.toml", "version = 1\n[[check]]\nname = \"slow\"\nkind = \"test\"\nrun = \"echo typed-meanwhile >> .kedge/risks.md; echo typed-meanwhile >> .kedge/features.json; true\"\n")
	y.git("add", ".")
	y.git("commit", "-q", "-m", "gate")
	y.risk("the first risk")
	if _, err := y.s.FeatureAdd(t.Context(), y.person(), features.FeatureAddRequest{Definition: kedge.Definition{ID: "one", Name: "One"}}); err != nil {
		t.Fatal(err)
	}
	_, _ = y.s.FeatureSubmit(t.Context(), y.person(), verify.FeatureSubmitRequest{ID: "one", Env: os.Environ()}) // the tree changed: it may be refused
	y.risk("the second risk")
	n := 0
	for _, text := range y.kept() {
		if strings.Contains(text, "typed-meanwhile") {
			n++
		}
	}
	if n < 2 {
		t.Errorf("%d edited files are kept: %q", n, y.kept())
	}
}

// TestEditOfAnySizeIsKept: a file too large to be read is set aside like any
// other.
func TestEditOfAnySizeIsKept(t *testing.T) {
	y := newYard(t, false)
	if _, err := y.s.FeatureAdd(t.Context(), y.person(), features.FeatureAddRequest{Definition: kedge.Definition{ID: "one", Name: "One"}}); err != nil {
		t.Fatal(err)
	}
	large := bytes.Repeat([]byte("x"), 17<<20)
	y.put(".kedge/features.json", string(large))
	y.risk("a risk")
	for _, text := range y.kept() {
		if len(text) == len(large) {
			return
		}
	}
	t.Errorf("%d files are kept, none of them it", len(y.kept()))
}
