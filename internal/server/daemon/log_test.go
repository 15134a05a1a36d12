package daemon_test

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge/internal/server/daemon"
)

// TestT15LogHoldsNoSecret logs a secret in every place a record has for one.
func TestT15LogHoldsNoSecret(t *testing.T) {
	home := newHome(t)
	log, err := daemon.OpenLog(home)
	must(t, err)
	canary := "gh" + "p_" + strings.Repeat("c4N4ry", 6)
	log.Info("cannot push with "+canary, "arg", canary) //nolint:sloglint // what must not be done is done
	log.Error("an error", "error", errors.New("https://ada:"+canary+"@example.com: refused"))
	log.With("bound", canary).WithGroup("g").Warn("in a group", slog.Group("deep", "x", []string{canary}), "m", map[string]any{"k": canary})
	log.Info("escaped", "text", "line\n\""+canary+"\"\tend")
	log.Info("a key", canary, 1)
	log.Info("by its name", "password", "hunter2hunter2")
	log.Info("kept", "dir", "/work/shop", "n", 7)
	must(t, log.Close())
	b, err := os.ReadFile(filepath.Join(home, "daemon", "log"))
	must(t, err)
	if strings.Contains(string(b), canary) || strings.Contains(string(b), "hunter2") {
		t.Errorf("a secret is in the log:\n%s", b)
	}
	lines := logLines(t, home)
	if len(lines) != 7 || strings.Count(string(b), "[redacted:") < 9 {
		t.Errorf("%d lines:\n%s", len(lines), b)
	}
	if last := lines[len(lines)-1]; last["dir"] != "/work/shop" || last["n"] != float64(7) {
		t.Errorf("what is no secret changed: %v", last)
	}
}
