package condense_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge"
)

// recording is the .json beside a recorded output.
type recording struct {
	Command string         `json:"command"`
	Failure *kedge.Failure `json:"failure"`
}

// short are the outputs by which the first failure is tested; few of them are long.
func short(t testing.TB) []string {
	t.Helper()
	names, err := filepath.Glob("../failure/testdata/*/*.txt")
	if err != nil || len(names) < 75 {
		t.Fatalf("%d outputs (%v), want at least 75", len(names), err)
	}
	return names
}

func read(t testing.TB, name string) (recording, string) {
	t.Helper()
	out, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(strings.TrimSuffix(name, ".txt") + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var r recording
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r, string(out)
}
