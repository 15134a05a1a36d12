package verify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/core/config"
	"kedge/internal/engine/gate"
	"kedge/internal/git"
	"kedge/internal/journal"
	"kedge/internal/process"
	"kedge/internal/process/sandbox"
)

// GateRequest asks to run the project's checks on the present tree.
type GateRequest struct {
	Names  []string `json:"names,omitempty"`  // only these
	All    bool     `json:"all,omitempty"`    // those too that cover nothing that changed
	Output bool     `json:"output,omitempty"` // give what matters of the output of red checks, too
	Env    []string `json:"env,omitempty"`    // the caller's environment; used, never written down
}

// GateReply is `gate --json`: the verdict and its evidence.
type GateReply struct {
	kedge.Verdict
	Evidence kedge.EvidenceID `json:"evidence"`
	Output   []GateOutput     `json:"output,omitempty"` // of red checks, where it was asked for
}

// Gate runs the project's checks and records the verdict as evidence. A red verdict is
// an answer, not an error. The checks run without the project's lock; only recording
// takes it.
func (s *Verifier) Gate(ctx context.Context, who projects.Caller, in GateRequest) (reply GateReply, err error) {
	p, err := s.home.Open(ctx, who)
	if err != nil {
		return GateReply{}, err
	}
	release, err := s.life.Alone(ctx, who.Key)
	if err != nil {
		return GateReply{}, err
	}
	defer release()
	defer func() { s.gateOver(ctx, p, who, err) }()
	if evs, seen, err := s.seenBefore(ctx, p, who); seen || err != nil {
		return in.reply(evs, err)
	}
	j := judgement{names: in.Names, env: in.Env, scope: gate.Changed}
	if in.All {
		j.scope = gate.Full
	}
	if j.base, err = s.gateBase(ctx, p, who); err != nil {
		return GateReply{}, err
	}
	ev, err := s.judge(ctx, p, who, j)
	if err != nil {
		return GateReply{}, err
	}
	edits, err := s.editFindings(ctx, p)
	if err != nil {
		return GateReply{}, err
	}
	ev.Verdict.Findings = append(ev.Verdict.Findings, edits...)
	ev.Anchor = !who.IsAgent() && ProvesAll(ev.Verdict) // a person looked at it
	evs, err := s.home.Write(ctx, p, who, func() ([]kedge.Event, error) { return s.gateEvents(p, who, ev) })
	if err == nil {
		s.keepAnchor(ctx, p, evs)
	}
	return in.reply(evs, err)
}

// gateBase: a person's changes are since HEAD; an agent's since what it cannot
// move.
func (s *Verifier) gateBase(ctx context.Context, p *projects.Project, who projects.Caller) (base, error) {
	if who.IsAgent() {
		return s.heldBase(ctx, p)
	}
	return s.headBase(ctx, p)
}

// editFindings tells of hand edits of the ledger. They decide nothing: the
// journal does.
func (s *Verifier) editFindings(ctx context.Context, p *projects.Project) ([]kedge.Finding, error) {
	l, err := ledger.ReadSnapshot(ctx, p)
	if err != nil {
		return nil, err
	}
	var out []kedge.Finding
	for _, e := range s.ledger.HandEdits(ctx, p, l) {
		out = append(out, kedge.Finding{
			Level: kedge.LevelWarning, What: "edited by hand: " + e.Found, Where: e.Path,
			Fix: "nothing to do: the next command that changes something restores the file and keeps a copy of your edit",
		})
	}
	return out, nil
}

// seenBefore gives the events of a request that was answered before: its checks
// are not run a second time.
func (s *Verifier) seenBefore(ctx context.Context, p *projects.Project, who projects.Caller) ([]kedge.Event, bool, error) {
	if who.Key == "" || s.home.ReadOnly {
		return nil, false, nil
	}
	return p.Store.Seen(ctx, who.Key)
}

// gateEvents are the facts of a finished gate: the evidence, and that Kedge has
// seen this tree, where drift is measured.
func (s *Verifier) gateEvents(p *projects.Project, who projects.Caller, ev kedge.Evidence) ([]kedge.Event, error) {
	finished, err := projects.Event(kedge.GateFinished, who, ev)
	if err != nil || ev.Verdict.Tree == "" || !s.home.MeasuresDrift(p) {
		return []kedge.Event{finished}, err
	}
	seen, err := projects.Event(kedge.FilesSeen, who, kedge.FilesSeenData{Tree: ev.Verdict.Tree, Cause: "gate", Head: ev.Commit})
	return []kedge.Event{finished, seen}, err
}

// gateReply makes the answer of what stands in the journal, where secrets are
// already taken out.
func gateReply(evs []kedge.Event, err error) (GateReply, error) {
	if err != nil {
		return GateReply{}, err
	}
	for _, e := range evs {
		if e.Type != kedge.GateFinished {
			continue
		}
		var ev kedge.Evidence
		if err := json.Unmarshal(e.Data, &ev); err != nil {
			return GateReply{}, kedge.Errorf(kedge.Internal, "cannot read the result of the checks in Kedge's journal of this project: %w", err).WithHint("see what is wrong: kedge doctor")
		}
		return GateReply{Verdict: ev.Verdict, Evidence: ev.ID}, nil
	}
	return GateReply{}, kedge.Errorf(kedge.Internal, "the checks ran, but Kedge's journal of this project lacks the result").WithHint("see what is wrong: kedge doctor")
}

// judgement is one gate as a command asks for it.
type judgement struct {
	names     []string
	env       []string
	scope     gate.Scope
	feature   kedge.FeatureID
	own       []kedge.Check // the feature's checks
	named     []string      // the paths that you let it change explicitly
	announced []string      // and the existing tests
	base      base
}

// gateFeature judges a feature: all of the project's checks and its own, nothing
// left out. The evidence is returned, not written down, so that the caller can
// write it together with what follows from it.
func (s *Verifier) gateFeature(ctx context.Context, p *projects.Project, who projects.Caller, f journal.FeatureDoc, b base, env []string) (kedge.Evidence, error) {
	return s.judge(ctx, p, who, submission(f, b, env))
}

// submission is the gate that a submitted feature needs.
func submission(f journal.FeatureDoc, b base, env []string) judgement {
	return judgement{env: env, scope: gate.Full, feature: f.ID, own: f.Checks, named: f.Named(), announced: f.Announced(), base: b}
}

// judge runs a gate on the caller's worktree.
func (s *Verifier) judge(ctx context.Context, p *projects.Project, who projects.Caller, j judgement) (kedge.Evidence, error) {
	if s.home.ReadOnly {
		return kedge.Evidence{}, projects.ErrReadOnly()
	}
	at := s.home.Now()
	ev := kedge.Evidence{ID: kedge.EvidenceID(kedge.NewID("evd", at)), Feature: j.feature, At: at, By: who.Actor, Environment: environment(j.env)}
	q, err := s.gateRequest(ctx, p, who, j)
	if err != nil {
		return ev, err
	}
	if err := s.holdGate(ctx, p, who, j, &ev, &q); err != nil {
		return ev, err
	}
	q.LogDir = s.gateDir(p, ev.ID)
	run, done := s.life.UntilLeft(ctx)
	defer done()
	if ev.Verdict, err = gate.Run(run, q); err != nil {
		return ev, err
	}
	ev.Verdict.Findings = append(ev.Verdict.Findings, j.base.findings()...)
	if ev.Commit, err = s.commitOf(ctx, j.base.repo, j.base.head, ev.Verdict.Tree); err != nil {
		return ev, err
	}
	ev.Verdict.Flaky, err = flaky(ctx, p, ev)
	return ev, err
}

func (s *Verifier) gateRequest(ctx context.Context, p *projects.Project, who projects.Caller, j judgement) (gate.Request, error) {
	q := gate.Request{
		Dir: p.Dir, Base: j.base.rev, Since: j.base.since, Own: j.own, Feature: j.feature, Names: j.names, Scope: j.scope, Env: j.env, Guard: kedge.LevelWarning,
		LockDir: filepath.Join(s.home.StateDir(p.ID), "locks"), Now: s.home.Now, Progress: func(st gate.Step) { who.Tell(st) },
	}
	if j.base.repo != nil {
		q.Repo = j.base.repo
	}
	if own, found := s.home.SessionWorktree(p); found { // its own database, not yours
		q.Slot = own.Slot
	}
	rules, env := rulesFor(p, who, j.base), j.env
	if who.IsAgent() {
		q.Guard, env = kedge.LevelError, os.Environ() // an agent's own HOME would be another user's
	}
	g, err := rules.Gate(ctx)
	if err != nil {
		return q, err
	}
	cfg, err := rules.Config(ctx, projects.UserFile(env))
	if err != nil {
		return q, err
	}
	q.Checks, q.Services, q.Named = g.Checks, g.Services, j.named
	q = q.Reviewed(cfg)
	q.Review = j.feature != ""
	q.TestsWait, q.Announced = q.Review, j.announced
	demands, err := demanded(ctx, p, j, g.Checks)
	if err != nil {
		return q, err
	}
	q.Own, q.OwnAlways, q.Later = slices.Concat(j.own, demands.Checks), len(j.own), demands.Later
	q.Box, err = s.box(cfg.Sandbox, p, j)
	return q, err
}

// box is what confines the checks, as people set it.
func (s *Verifier) box(c config.Sandbox, p *projects.Project, j judgement) (sandbox.Box, error) {
	if !c.Asked() {
		return sandbox.Box{}, nil
	}
	at := sandbox.Place{Dir: p.Dir, Home: s.home.Dir, Sockets: s.with.Sockets, Env: j.env, Kedge: s.with.Program}
	if r := j.base.repo; r != nil {
		at.Common = r.CommonDir()
		at.GitDir = sandbox.GitDir(at.Common, p.Dir)
	}
	return sandbox.New(c, at)
}

func rulesFor(p *projects.Project, who projects.Caller, b base) projects.Source {
	if who.IsAgent() && b.rev != "" {
		return projects.Source{Project: p, Repo: b.repo, Base: b.rev}
	}
	return projects.Source{Project: p}
}

// environment names what a verdict depends on beside the tree, without any
// value: the system, and a hash of where programs are looked for.
func environment(env []string) string {
	sum := sha256.Sum256([]byte(process.Getenv(env, "PATH")))
	return runtime.GOOS + "/" + runtime.GOARCH + " path:" + hex.EncodeToString(sum[:4])
}

// commitOf is the commit that has exactly the judged tree; empty when the work
// tree differs from it.
func (s *Verifier) commitOf(ctx context.Context, repo *git.Repo, head, tree string) (string, error) {
	if repo == nil || head == "" {
		return "", nil
	}
	changes, err := repo.Diff(ctx, head, tree)
	if err != nil || len(changes) > 0 {
		return "", err
	}
	return head, nil
}

// flaky tells whether the same check on the same tree in the same environment
// once ended the other way.
func flaky(ctx context.Context, p *projects.Project, ev kedge.Evidence) (bool, error) {
	if ev.Verdict.Tree == "" {
		return false, nil
	}
	earlier, err := projects.All[kedge.Evidence](ctx, p, journal.KindEvidence)
	if err != nil {
		return false, err
	}
	for _, e := range earlier {
		if e.Verdict.Tree == ev.Verdict.Tree && e.Environment == ev.Environment && disagree(e.Verdict, ev.Verdict) {
			return true, nil
		}
	}
	return false, nil
}

func disagree(a, b kedge.Verdict) bool {
	for _, x := range a.Checks {
		for _, y := range b.Checks {
			same := x.Name == y.Name && x.Command == y.Command && x.Skipped == "" && y.Skipped == ""
			if same && (x.FirstFailure == nil) != (y.FirstFailure == nil) {
				return true
			}
		}
	}
	return false
}
