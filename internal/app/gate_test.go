package app_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/app"
	"kedge/internal/app/projects"
	"kedge/internal/app/verify"
)

// gateProject is a repository with a project id, and the service over it.
type gateProject struct {
	*app.Service
	t    *testing.T
	home string
	dir  string
	env  []string
}

const gateProjectID = "prj-01h00000000000000000000000"

func newGateProject(t *testing.T) *gateProject {
	t.Helper()
	quietEnvironment(t)
	home, dir := t.TempDir(), t.TempDir()
	p := &gateProject{t: t, home: home, dir: dir}
	p.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b",
	}
	p.git("init", "-q", "-b", "main")
	p.file(".git/kedge-id", gateProjectID+"\n")
	newJournal(t, home, gateProjectID)
	p.Service = app.New(app.Config{Home: home})
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func (p *gateProject) git(args ...string) {
	p.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = p.dir, p.env
	if out, err := cmd.CombinedOutput(); err != nil {
		p.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (p *gateProject) file(name, text string) {
	p.t.Helper()
	path := filepath.Join(p.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p *gateProject) commit() {
	p.t.Helper()
	p.git("add", "-A")
	p.git("commit", "-q", "-m", "x")
}

func (p *gateProject) who() projects.Caller {
	return projects.Caller{Dir: p.dir, Actor: kedge.Human("ada"), Key: kedge.NewID("req", time.Unix(0, 0))}
}

func (p *gateProject) agent() projects.Caller {
	who := p.who()
	who.Actor = kedge.Agent("ses-01h00000000000000000000000")
	return who
}

func (p *gateProject) gate(who projects.Caller) verify.GateReply {
	p.t.Helper()
	out, err := p.Gate(p.t.Context(), who, verify.GateRequest{Env: p.env})
	if err != nil {
		p.t.Fatal(err)
	}
	return out
}

const greenGate = "version = 1\n[[check]]\nname = 'unit'\nrun = 'echo ran >> $HOME/runs'\n"

func (p *gateProject) runs() int {
	b, err := os.ReadFile(filepath.Join(p.home, "runs"))
	if err != nil {
		return 0
	}
	return strings.Count(string(b), "ran\n")
}

func TestRow4And5EvidenceOfAFailingCheck(t *testing.T) {
	p := newGateProject(t)
	p.file(".kedge/gate.toml", "version = 1\n[[check]]\nname = 'unit'\nrun = 'echo a.go:4: error: first; echo a.go:5: error: second; exit 3'\n")
	who := p.who()
	p.gate(who)
	c := p.gate(who).Checks[0] // the second time it is read from the journal
	if c.Name != "unit" || c.Exit != 3 || c.FirstFailure == nil || c.FirstFailure.Line != 4 || strings.Contains(c.FirstFailure.Message, "second") {
		t.Errorf("%+v, failure %+v", c, c.FirstFailure)
	}
	if b, err := os.ReadFile(c.Log); err != nil || !strings.Contains(string(b), "second") {
		t.Errorf("the log has all of it: %q, %v", b, err)
	}
}

func TestGateKeepsEvidence(t *testing.T) {
	p := newGateProject(t)
	p.file(".kedge/gate.toml", greenGate)
	p.commit()
	out := p.gate(p.who())
	if !out.Green() || !kedge.ValidID("evd", string(out.Evidence)) || len(out.Tree) != 40 {
		t.Fatalf("%+v", out)
	}
	want := filepath.Join(p.home, "projects", gateProjectID, "gate", string(out.Evidence), "01-unit.log")
	if out.Checks[0].Log != want {
		t.Errorf("log %q, want %q", out.Checks[0].Log, want)
	}
	if info, err := os.Stat(want); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("log: %v, %v", info, err)
	}
}

func TestF27GateRequestMadeTwice(t *testing.T) {
	p := newGateProject(t)
	p.file(".kedge/gate.toml", greenGate)
	who := p.who()
	first := p.gate(who)
	p.file("new.txt", "the tree has changed since")
	again := p.gate(who)
	if again.Evidence != first.Evidence || again.Tree != first.Tree || p.runs() != 1 {
		t.Errorf("evidence %s, then %s, after %d runs", first.Evidence, again.Evidence, p.runs())
	}
	if next := p.gate(p.who()); next.Evidence == first.Evidence || next.Tree == first.Tree || p.runs() != 2 {
		t.Errorf("another request: %+v after %d runs", next, p.runs())
	}
}

func TestGateWithoutChecks(t *testing.T) {
	p := newGateProject(t)
	for name, text := range map[string]string{"no file": "", "no check": "version = 1\n"} {
		if text != "" {
			p.file(".kedge/gate.toml", text)
		}
		if _, err := p.Gate(t.Context(), p.who(), verify.GateRequest{Env: p.env}); !kedge.Invalid.Is(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestGateNamesFileAndLine(t *testing.T) {
	p := newGateProject(t)
	p.file(".kedge/gate.toml", "version = 1\n[[check]]\nnome = 'x'\n")
	_, err := p.Gate(t.Context(), p.who(), verify.GateRequest{Env: p.env})
	if !kedge.Invalid.Is(err) || !strings.HasPrefix(err.Error(), ".kedge/gate.toml:3: ") {
		t.Errorf("error %v", err)
	}
	p.file(".kedge/gate.toml", greenGate)
	p.file(".kedge/config.toml", "version = 1\n[protekt]\n")
	_, err = p.Gate(t.Context(), p.who(), verify.GateRequest{Env: p.env})
	if !kedge.Invalid.Is(err) || !strings.HasPrefix(err.Error(), ".kedge/config.toml:2: ") {
		t.Errorf("error %v", err)
	}
}

func TestGateInAPlainFolder(t *testing.T) {
	p := newGateProject(t)
	plain := t.TempDir()
	p.dir = plain
	p.file(".kedge/id", gateProjectID+"\n")
	p.file(".kedge/gate.toml", greenGate+"paths = ['**/*.go']\n")
	out := p.gate(p.who())
	if !out.Green() || out.Tree != "" || out.Partial {
		t.Errorf("%+v: the tree is unknown, so nothing is left out", out)
	}
}

func TestGateFromASubfolder(t *testing.T) {
	p := newGateProject(t)
	p.file(".kedge/gate.toml", "version = 1\n[[check]]\nname = 'unit'\nrun = 'test -f .kedge/gate.toml'\n")
	p.file("deep/er/x", "")
	who := p.who()
	who.Dir = filepath.Join(p.dir, "deep", "er")
	if out := p.gate(who); !out.Green() {
		t.Errorf("%+v: checks run in the project's folder", out.Checks[0])
	}
}

func TestT17AgentCannotLoosenTheGate(t *testing.T) {
	p := newGateProject(t)
	p.file(".kedge/gate.toml", "version = 1\n[[check]]\nname = 'unit'\nrun = 'false'\n")
	p.commit()
	p.file(".kedge/gate.toml", "version = 1\n[[check]]\nname = 'unit'\nrun = 'true'\n")
	out := p.gate(p.agent())
	if out.Verdict.Verdict != kedge.TestFailure || out.Checks[0].Command != "false" || len(out.Findings) == 0 || out.Findings[0].Where != ".kedge/gate.toml" {
		t.Errorf("an agent's edit counts: %+v", out)
	}
	out = p.gate(p.who())
	if !out.Green() || len(out.Findings) != 1 || out.Findings[0].Level != kedge.LevelWarning {
		t.Errorf("a person may edit the gate: %+v", out)
	}
}

func TestT17AgentCannotLoosenTheGateByConfig(t *testing.T) {
	p := newGateProject(t)
	p.file(".kedge/gate.toml", greenGate)
	p.file(".kedge/config.toml", "version = 1\n[protect]\npaths = ['spec.txt', '.kedge/**']\n")
	p.file("spec.txt", "1")
	p.commit()
	p.file(".kedge/config.toml", "version = 1\n[protect]\npaths = []\n")
	p.file("spec.txt", "another")
	out := p.gate(p.agent())
	var where []string
	for _, f := range out.Findings {
		where = append(where, f.Where)
	}
	if out.Green() || strings.Join(where, " ") != ".kedge/config.toml spec.txt" {
		t.Errorf("findings %v in %+v", where, out)
	}
}

func TestGateMarksFlakyChecks(t *testing.T) {
	p := newGateProject(t)
	p.file(".kedge/gate.toml", "version = 1\n[[check]]\nname = 'unit'\nrun = 'test -f $HOME/go'\n")
	if out := p.gate(p.who()); out.Green() || out.Flaky {
		t.Errorf("first: %+v", out)
	}
	if err := os.WriteFile(filepath.Join(p.home, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if out := p.gate(p.who()); !out.Green() || !out.Flaky {
		t.Errorf("the same tree, the other way: %+v", out)
	}
}

func TestT15GateAnswersWithoutSecrets(t *testing.T) {
	p := newGateProject(t)
	secret := "gh" + "p_" + strings.Repeat("a1B2", 9)
	p.file(".kedge/gate.toml", "version = 1\n[[check]]\nname = 'unit'\nrun = 'echo main.go:1: error: token $TOKEN; exit 1'\n")
	p.env = append(p.env, "TOKEN="+secret)
	out := p.gate(p.who())
	if f := out.Checks[0].FirstFailure; f == nil || strings.Contains(f.Message, secret) || !strings.Contains(f.Message, "redacted") {
		t.Errorf("failure %+v", f)
	}
}

func TestGateEndsWithItsCaller(t *testing.T) {
	p := newGateProject(t)
	p.file(".kedge/gate.toml", "version = 1\n[[check]]\nname = 'unit'\nrun = 'sleep 1000'\n")
	ctx, cancel := context.WithCancel(t.Context())
	who := p.who()
	who.Progress = func(any) { cancel() }
	if _, err := p.Gate(ctx, who, verify.GateRequest{Env: p.env}); !kedge.Interrupted.Is(err) {
		t.Errorf("error %v", err)
	}
}

// TestRow23GateOutputIsCondensed: of a red check what matters of its output is
// shown where it was asked for, without secrets; its log stays whole.
func TestRow23GateOutputIsCondensed(t *testing.T) {
	p := newGateProject(t)
	secret := "gh" + "p_" + strings.Repeat("aB3dE5gH7j", 4)[:36]
	p.file("check.sh", "i=0; while [ $i -lt 500 ]; do i=$((i+1)); echo \"ok $i\"; done\necho 'a.c:3: error: broken'\necho 'b.c:4: error: token "+secret+"'\nexit 1\n")
	p.file(".kedge/gate.toml", "version = 1\n[[check]]\nname = 'unit'\nrun = 'sh check.sh'\n")
	p.commit()
	p.file("a.txt", "x\n")
	plain, err := p.Gate(t.Context(), p.who(), verify.GateRequest{Env: p.env})
	if err != nil || plain.Output != nil {
		t.Fatalf("without being asked: %+v, %v", plain.Output, err)
	}
	r, err := p.Gate(t.Context(), p.who(), verify.GateRequest{Env: p.env, Output: true})
	if err != nil || len(r.Output) != 1 {
		t.Fatalf("%+v, %v", r.Output, err)
	}
	o := r.Output[0]
	if o.Check != "unit" || o.Lines != 502 || o.Shown > 40 || len(o.Cut) == 0 || strings.Contains(o.Text, "ok 250\n") || strings.Contains(o.Text, secret) {
		t.Errorf("%+v", o)
	}
	for _, want := range []string{"a.c:3: error: broken", "b.c:4: error: token [redacted:"} {
		if !strings.Contains(o.Text, want) {
			t.Errorf("no %q in\n%s", want, o.Text)
		}
	}
	whole, err := os.ReadFile(o.Log)
	if err != nil || strings.Count(string(whole), "\n") != 502 {
		t.Errorf("the log has %d lines, %v", strings.Count(string(whole), "\n"), err)
	}
}
