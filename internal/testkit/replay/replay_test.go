package replay_test

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kedge/internal/testkit/replay"
)

var keep = flag.String("keep", "", "a folder for the histories that are replayed; it stays")

// TestReplayHistories replays the repositories that replay.json lists in the folder that
// KEDGE_REPLAY_REPOS names: bare ones named OWNER+NAME, or OWNER+NAME/repo. KEDGE_REPLAY_ONLY chooses
// some of them by name, and KEDGE_REPLAY_BINARY a binary of Kedge that is there.
func TestReplayHistories(t *testing.T) {
	dir := os.Getenv("KEDGE_REPLAY_REPOS")
	if dir == "" {
		t.Skip("KEDGE_REPLAY_REPOS names no folder of repositories; with one: make test-replay")
	}
	program := build(t)
	var results []replay.Result
	for _, p := range listed(t, dir) {
		r, err := replay.Play(t.Context(), program, p, place(t, strings.ReplaceAll(p.Name, "/", "+")), t.Logf)
		if err != nil {
			t.Error(err)
		}
		results = append(results, r)
		t.Log("\n" + replay.Table([]replay.Result{r}))
	}
	t.Log("\n" + replay.Table(results))
	b, err := json.MarshalIndent(results, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "replay-results.json")
	if *keep != "" {
		out = filepath.Join(*keep, "replay-results.json")
	}
	if err := os.WriteFile(out, b, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Logf("every try: %s", out)
	for _, r := range results {
		l := r.Line()
		if l.FalsePasses > 0 || l.FalseRefusals > 0 || l.DeadEnds > 0 || l.Wrong > 0 || !l.Same {
			t.Errorf("%s: %d false passes, %d false refusals, %d dead ends, %d wrong; the end is the real one: %v", r.Project, l.FalsePasses, l.FalseRefusals, l.DeadEnds, l.Wrong, l.Same)
		}
	}
}

// listed are the projects of replay.json.
func listed(t *testing.T, dir string) []replay.Project {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "replay.json"))
	if errors.Is(err, os.ErrNotExist) {
		t.Skipf("%s has no replay.json that lists histories to replay (docs/extending.md)", dir)
	}
	var out []replay.Project
	if err == nil {
		err = json.Unmarshal(b, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	only := strings.Fields(os.Getenv("KEDGE_REPLAY_ONLY"))
	out = slices.DeleteFunc(out, func(p replay.Project) bool { return len(only) > 0 && !slices.Contains(only, p.Name) })
	for i, p := range out {
		at := filepath.Join(dir, strings.ReplaceAll(p.Name, "/", "+"))
		if _, err := os.Stat(filepath.Join(at, "repo")); err == nil {
			at = filepath.Join(at, "repo")
		}
		if p.Git == "" {
			out[i].Git = at
		}
	}
	return out
}

// build makes the binary.
func build(t *testing.T) string {
	t.Helper()
	if program := os.Getenv("KEDGE_REPLAY_BINARY"); program != "" {
		return program
	}
	program := filepath.Join(t.TempDir(), "kedge")
	cmd := exec.Command("go", "build", "-o", program, "kedge/cmd/kedge")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}
