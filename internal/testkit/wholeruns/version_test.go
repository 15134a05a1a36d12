package wholeruns_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/app/maintenance"
	"kedge/internal/app/runs"
)

// says makes a program that says a version, and otherwise ends with an error. It is
// written by another process: what this one has open for writing, a child of another
// test may have open too, and then it cannot be started.
func (w *world) says(text string) string {
	w.t.Helper()
	file := filepath.Join(filepath.Dir(w.dir), "agent.sh")
	w.write(file+".says", text+"\n")
	if _, err := os.Stat(file); err == nil {
		return file
	}
	write := exec.Command("sh", "-c", `cat >"$0" && chmod 755 "$0"`, file)
	write.Stdin = strings.NewReader("#!/bin/sh\nif [ \"$1\" = --version ]; then cat " + file + ".says; pwd > " + file + ".in; exit 0; fi\nexit 9\n")
	if out, err := write.CombinedOutput(); err != nil {
		w.t.Fatalf("%v: %s", err, out)
	}
	return file
}

// TestRow56VersionsOfAgents: a run says at its start which version an agent is and
// whether it was tried; one that is known to be broken is refused. The doctor says
// the same. The program is asked outside of the repository.
func TestRow56VersionsOfAgents(t *testing.T) {
	w := newWorld(t, nil, "", "")
	w.feature("a", "test -f a.txt")
	file := w.says("2.1.1 (Claude Code)")
	w.alsoCalled("[agents.coder]\nkind = \"claude\"\ncommand = [\"" + file + "\"]\n[route]\nimplement = \"coder\"\n")
	_, err := w.svc.RunStart(w.ctx, w.caller(), runs.RunStartRequest{Env: os.Environ()})
	if !kedge.Blocked.Is(err) || !strings.Contains(err.Error(), "has version 2.1.1, and Kedge needs at least 2.1.2") || !strings.HasPrefix(kedge.HintOf(err), "npm install") {
		t.Fatalf("%v (%s)", err, kedge.HintOf(err))
	}
	if dir := strings.TrimSpace(w.read(file + ".in")); strings.HasPrefix(dir, w.dir) {
		t.Errorf("it was asked in %s", dir)
	}
	for text, want := range map[string]struct {
		level kedge.Level
		what  string
	}{
		"2.1.1":                 {kedge.LevelError, "has version 2.1.1, and Kedge needs at least 2.1.2"},
		"9.9.9 (Claude Code)":   {kedge.LevelWarning, "has version 9.9.9, and Kedge was tested only with"},
		"2.1.325 (Claude Code)": {kedge.LevelInfo, "has version 2.1.325, and Kedge was tested with this version"},
		"no number":             {kedge.LevelWarning, "cannot find out the version"},
	} {
		w.says(text)
		r, err := w.svc.Doctor(w.ctx, w.caller(), maintenance.DoctorRequest{Env: os.Environ()})
		if err != nil || len(r.Findings) == 0 || r.OK != (want.level != kedge.LevelError) {
			t.Fatalf("%s: %+v, %v", text, r, err)
		}
		if f := r.Findings[len(r.Findings)-1]; f.Level != want.level || !strings.Contains(f.What, want.what) || f.Where != file {
			t.Errorf("%s: %+v", text, f)
		}
	}
	w.says("9.9.9 (Claude Code)")
	r, err := w.svc.RunStart(w.ctx, w.caller(), runs.RunStartRequest{Env: os.Environ()})
	if err != nil || len(r.Notes) == 0 || !strings.Contains(r.Notes[0], "9.9.9, and Kedge was tested only with") {
		t.Errorf("%+v, %v", r.Notes, err)
	}
}
