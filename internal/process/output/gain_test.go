package output_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kedge/internal/process/output"
)

// TestGains: what was saved is read back in its order; a line that was cut short, and a file
// that became old, are no trouble.
func TestGains(t *testing.T) {
	home := t.TempDir()
	if list, err := output.Gains(home); err != nil || len(list) != 0 {
		t.Fatalf("%v, %v", list, err)
	}
	if err := os.MkdirAll(filepath.Join(home, "exec"), 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(home, "exec", "gain.jsonl")
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if err := output.AddGain(home, output.Gain{At: at, Command: "go test", Tokens: 1000, Shown: 100}); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(string(b)+"{\"at\":\n"+strings.Repeat(strings.Repeat("x", 1000)+"\n", 1100)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := output.AddGain(home, output.Gain{At: at.Add(time.Hour), Command: "make", Tokens: 50, Shown: 50}); err != nil {
		t.Fatal(err)
	}
	list, err := output.Gains(home)
	if err != nil || len(list) != 2 || list[0].Command != "go test" || list[1].Command != "make" || list[0].Tokens != 1000 || list[1].Shown != 50 {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := os.Stat(filepath.Join(home, "exec", "gain.1.jsonl")); err != nil {
		t.Error(err)
	}
}
