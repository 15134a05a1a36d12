package execute

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"kedge"
	"kedge/internal/core/check"
	"kedge/internal/core/run"
	"kedge/internal/engine/gate"
	"kedge/internal/git"
	"kedge/internal/git/slot"
	"kedge/internal/process/atomicfile"
	"kedge/internal/text/environ"
	"kedge/internal/text/strictjson"
)

// candidate is a job's worktree as the gate sees it: with what is Kedge's as at
// the base, since no change of that is part of the work.
type candidate struct {
	*git.Repo
	base string
	seen *string // the whole tree as it was found last; nil: nobody asks
}

// Tree is the tree that would be committed on the base.
func (w candidate) Tree(ctx context.Context) (string, error) {
	tree, err := w.Repo.Tree(ctx)
	if err != nil {
		return "", err
	}
	if w.seen != nil {
		*w.seen = tree
	}
	return w.TreeWith(ctx, tree, w.base, slot.Kedges...)
}

// begunGate is what is written down of a gate before anything of it runs, and
// when it has its verdict.
type begunGate struct {
	Version int            `json:"version"`
	Run     kedge.RunID    `json:"run,omitempty"`
	Tree    string         `json:"tree"`
	Verdict *kedge.Verdict `json:"verdict,omitempty"`
}

func begunFile(dir string) string { return filepath.Join(dir, "gate.json") }

func readBegun(dir string) (begunGate, error) {
	b := begunGate{Version: 1}
	text, err := os.ReadFile(begunFile(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return b, nil
	}
	if err != nil {
		return b, kedge.Errorf(kedge.Internal, "cannot read a gate: %w", err)
	}
	return b, strictjson.Decode(begunFile(dir), text, &b)
}

// GateRun is the run whose gate or setup has its logs in a folder; empty when it
// is none's.
func GateRun(dir string) kedge.RunID {
	b, err := readBegun(dir)
	if err != nil {
		return ""
	}
	return b.Run
}

func (b begunGate) write(dir string) error {
	text, err := json.Marshal(b)
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot encode a gate: %w", err)
	}
	return atomicfile.Write(begunFile(dir), append(text, '\n'), 0o600)
}

// judge runs one gate of the command and keeps its verdict. Carried out again it
// finishes the gate that was begun, or finds its verdict.
func (x *Executor) judge(ctx context.Context, c run.Command, what, env string, q gate.Request) (kedge.Evidence, error) {
	ev := kedge.Evidence{ID: evidenceID(c, what), Feature: c.Feature, At: c.At, By: kedge.ActorDaemon, Environment: env, For: stage(c)}
	dir := x.gateDir(ev.ID)
	again := x.reuse(ctx, c, q.Slot, env, ev.ID)
	q.Known, q.Learn = again.known, again.learn
	v, err := x.verdict(ctx, c, dir, q)
	if err != nil {
		return ev, err
	}
	again.keep()
	ev.Verdict = v
	return ev, x.cfg.Ledger.KeepEvidence(ctx, key(c, what), ev)
}

func (x *Executor) verdict(ctx context.Context, c run.Command, dir string, q gate.Request) (kedge.Verdict, error) {
	was, err := readBegun(dir)
	if err != nil || was.Verdict != nil {
		return was.given(), errors.Join(err, x.forget(ctx, dir))
	}
	q.LogDir, q.LockDir = dir, filepath.Join(x.cfg.Home, "projects", string(x.cfg.Project), "locks")
	q.Env, q.Now, q.Runner, q.Expect = x.env(c.Run), x.cfg.Now, x.cfg.Runner, was.Tree
	if q.Box, err = x.box(ctx, c, q.Dir, nil); err != nil {
		return kedge.Verdict{}, err
	}
	q.Begin = func(tree string) error {
		was.Run, was.Tree = c.Run, tree
		return was.write(dir)
	}
	held, done := lasting(ctx)
	defer done()
	v, err := gate.Run(held, q)
	if leaving(ctx, err) {
		return v, err
	}
	if err == nil {
		was.Verdict = &v
		err = was.write(dir)
	}
	return v, errors.Join(err, x.forget(ctx, dir))
}

// given is the verdict, where there is one.
func (b begunGate) given() kedge.Verdict {
	if b.Verdict == nil {
		return kedge.Verdict{}
	}
	return *b.Verdict
}

// forget lets the holders of a gate go that is over.
func (x *Executor) forget(ctx context.Context, dir string) error {
	return gate.Forget(context.WithoutCancel(ctx), dir)
}

// outcome is a verdict, or why there is none, as the run understands it.
func (x *Executor) outcome(c run.Command, ev kedge.Evidence, err error) (run.Input, error) {
	out := c.Reply(run.Green)
	out.Environment = ev.Environment
	switch {
	case kedge.Conflict.Is(err):
		out.Outcome, out.Reason = run.Void, why(err)
		return out, nil
	case kedge.Blocked.Is(err):
		out.Outcome, out.Reason = run.CannotRun, why(err)
		return out, nil
	case err != nil:
		return run.Input{}, err
	}
	out.Evidence = ev.ID
	missing := x.missingTool(c, ev.Verdict)
	switch {
	case missing != "":
		out.Outcome, out.Reason = run.CannotRun, missing
	case !ev.Verdict.Green():
		out.Outcome, out.Failure = run.Red, firstFailure(ev.Verdict)
	case ev.Verdict.Partial:
		out.Outcome = run.Partial
	}
	return out, nil
}

// The exit codes of a shell that finds no such command, or may not run it.
const (
	notExecutable = 126
	notFound      = 127
)

// missingTool says which program a check of the project needs that is not there;
// empty for none. After the work of an agent only a program that is looked for
// on the path counts: a script that is gone is the agent's doing.
func (x *Executor) missingTool(c run.Command, v kedge.Verdict) string {
	for _, r := range v.Checks {
		if r.FirstFailure == nil || r.Exit != notFound && r.Exit != notExecutable {
			continue
		}
		if c.Kind == run.Gate && c.Tree != "" || x.absent(c, r.Command) {
			return fmt.Sprintf("check %q cannot run: %s", r.Name, render(*r.FirstFailure))
		}
	}
	return ""
}

// absent tells whether the program of a line is on no path.
func (x *Executor) absent(c run.Command, line string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	if word == "" || strings.ContainsAny(word, "/$\"'=;&|()<>`\\") {
		return false
	}
	for _, dir := range filepath.SplitList(environ.Get(x.env(c.Run), "PATH")) {
		if fi, err := os.Stat(filepath.Join(dir, word)); err == nil && !fi.IsDir() && fi.Mode()&0o111 != 0 {
			return false
		}
	}
	return true
}

// maxFailureLines bounds what a repair is told.
const maxFailureLines = 20

// firstFailure is the one failure of a red verdict: of its first red check, or
// else its first finding.
func firstFailure(v kedge.Verdict) string {
	for _, f := range v.Findings {
		if f.Level == kedge.LevelError {
			return clip(findingText(f))
		}
	}
	for _, r := range v.Checks {
		if r.Skipped == "" && r.FirstFailure != nil {
			return clip(fmt.Sprintf("check %q (%s) is red: %s%s", r.Name, r.Command, exitText(r), render(*r.FirstFailure)))
		}
	}
	return "its checks are not green"
}

// exitText is how a check's command ended; empty where it did not end by itself, or
// the failure says so.
func exitText(r kedge.CheckResult) string {
	text := fmt.Sprintf("exit %d", r.Exit)
	if r.Exit < 0 || !check.OfKind(r.Kind).Shell || strings.HasPrefix(r.FirstFailure.Message, text) {
		return ""
	}
	return text + ": "
}

func findingText(f kedge.Finding) string {
	text := f.What
	if f.Where != "" {
		text += ": " + f.Where
	}
	if f.Fix != "" {
		text += " (" + f.Fix + ")"
	}
	return text
}

// render shows a failure as test, place and message.
func render(f kedge.Failure) string {
	var parts []string
	if f.Test != "" {
		parts = append(parts, f.Test)
	}
	if f.File != "" {
		place := f.File
		if f.Line > 0 {
			place = fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		parts = append(parts, place)
	}
	return strings.Join(append(parts, f.Message), ": ")
}

func clip(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) > maxFailureLines {
		lines = append(lines[:maxFailureLines-1], fmt.Sprintf("(%d more lines)", len(lines)-maxFailureLines+1))
	}
	return strings.Join(lines, "\n")
}

// stage is where on a feature's way the command judges.
func stage(c run.Command) kedge.GateStage {
	switch {
	case c.Kind == run.Prove:
		return kedge.StageProve
	case c.Kind == run.Recheck:
		return kedge.StageRecheck
	case c.Kind == run.Integrate:
		return kedge.StageIntegrate
	case c.Tree != "": // the base's own
		return kedge.StageBaseline
	default:
		return kedge.StageGate
	}
}
