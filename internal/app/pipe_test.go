package app_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"kedge"
	"kedge/internal/app/verify"
)

// TestT10PipeInAFilesPlace: a pipe where a file should be is refused; nobody
// waits for somebody to write into it. A link that leads outside is not followed.
func TestT10PipeInAFilesPlace(t *testing.T) {
	y := newYard(t, true)
	path := filepath.Join(y.dir, ".kedge", "gate.toml")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := y.s.Gate(t.Context(), y.person(), verify.GateRequest{Env: os.Environ()}); !kedge.Invalid.Is(err) {
		t.Errorf("a pipe: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "gate.toml")
	if err := os.WriteFile(outside, []byte("version = 1\n[[check]]\nname = \"x\"\nrun = \"true\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, path); err != nil {
		t.Fatal(err)
	}
	if _, err := y.s.Gate(t.Context(), y.person(), verify.GateRequest{Env: os.Environ()}); !kedge.Invalid.Is(err) {
		t.Errorf("a link to outside: %v", err)
	}
}
