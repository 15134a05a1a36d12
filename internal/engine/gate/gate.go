// Package gate runs checks and gives one verdict with its evidence. It promises that
// checks run in the order of their kinds (see core/check) and stop at the first red
// check. The verdict is void if the tree changed while the checks ran. When Run returns,
// every process that a check or a service started has ended. Logs and memory are bounded.
// The package never believes a result that it did not see itself, never completes
// anything, and never writes into the worktree that it judges.
//
// It also prepares a fresh worktree (Equip): copied files, submodules, set-up.
package gate

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"kedge"
	"kedge/internal/core/check"
	"kedge/internal/git"
	"kedge/internal/process/sandbox"
	"kedge/internal/text/glob"
)

// Repo is what the gate asks of a repository.
type Repo interface {
	Tree(ctx context.Context) (string, error)
	Diff(ctx context.Context, from, to string) ([]git.Change, error)
	ReadFile(ctx context.Context, rev, path string) ([]byte, error)
	Files(ctx context.Context, from, to string) ([]git.File, error)
}

// Request is one gate.
type Request struct {
	Dir    string   // the worktree
	Repo   Repo     // nil for a plain folder: the tree and what changed are then unknown
	Base   string   // what "changed" is measured from; empty: nothing existed before
	Since  []string // more revisions that findings, and nothing else, are measured from
	Checks []kedge.Check
	Own    []kedge.Check // a feature's own checks; in these "no test ran" is red

	// OwnAlways has the first of Own, so many, run also where a check before them is red: whether
	// they were red before the work is known only then.
	OwnAlways int

	// Later has the checks which may be red, by name, and why: such a red one runs, and is
	// left out of the verdict. Nil: there are none.
	Later    map[string]string
	Feature  kedge.FeatureID // the feature whose checks these are, for messages; empty: unknown
	Services []kedge.Service
	Protect  []string // patterns of protected paths
	Tests    []string // patterns of tests, beside those that are known
	MaxBytes int64    // a file that is bigger is told of; 0: none is

	// Review has what needs your approval wait for it instead of being red: protected files,
	// big ones, executables, archives. Nothing waits that Named, the paths in the definition
	// of the feature, names explicitly. Obeyed tells which paths steer agents or run by
	// themselves, from the folder where somebody works; nil: none.
	Review bool
	Named  []string
	Obeyed func(path string) bool

	// TestsWait has work that weakens tests wait for your approval instead of being red. Tests
	// that match Announced, patterns in the definition of the feature, may be weakened.
	TestsWait bool
	Announced []string

	Guard    kedge.Level // of a change to Kedge's, CI's or an agent's settings; empty: error
	Names    []string    // run only these checks, even if nothing they cover changed
	Scope    Scope
	LogDir   string // made; one log per check
	LockDir  string // made; shared by all gates that must respect each other's exclusive names
	Env      []string
	Slot     string // KEDGE_SLOT of services and checks; empty: not a worktree of Kedge's own
	Now      func() time.Time
	Progress func(Step)
	Runner   Runner // nil: lines are children of this process
	Box      sandbox.Box
	// Expect is the tree of a gate that is run again to finish it: the verdict
	// is about that one. Empty: the tree as it stands.
	Expect string
	Found  []kedge.Finding // what is known besides; an error among them is red
	// Look gives more of that, once the tree is known. Nil: nothing.
	Look func(ctx context.Context) ([]kedge.Finding, error)
	// Begin is told the tree before anything is started; an error ends the gate.
	Begin func(tree string) error
	// Known gives the green result that a check had on the tree before, so that it need
	// not run again; Learn is told the green ones of this gate. Nil: nothing is known.
	Known func(tree string, c kedge.Check, line string) (kedge.CheckResult, bool)
	Learn func(tree string, c kedge.Check, line string, r kedge.CheckResult)
}

// Scope says what may be left out.
type Scope string

// Changed, the default, leaves out checks that cover nothing that changed. Full
// leaves out nothing; only such a verdict completes anything.
const (
	Changed Scope = "changed"
	Full    Scope = "full"
)

// Step tells how the gate goes on: with a check, or with a service that is
// waited for.
type Step struct {
	State   State             `json:"state"`
	Check   kedge.CheckResult `json:"check"`
	Service string            `json:"service,omitempty"`
	Note    string            `json:"note,omitempty"`
}

// State is where a check stands.
type State string

// The states of a check. A skipped one says why in its result. Waiting is that of
// a service.
const (
	Started  State = "started"
	Finished State = "finished"
	Skipped  State = "skipped"
	Waiting  State = "waiting"
)

// gate is a Request under way.
type gate struct {
	Request
	before  string
	changed []git.Change
	ports   map[string]int  // by service
	told    map[string]bool // findings that need not be said again
	ours    bool            // the worktree is Kedge's own
	left    []string        // evidence that was not there before a check
	verdict kedge.Verdict
}

// Run runs the gate. A red verdict is no error. Errors: Invalid when there is no
// check at all, Conflict when the tree changed meanwhile, Blocked when the
// environment is not fit.
func Run(ctx context.Context, q Request) (kedge.Verdict, error) {
	g := &gate{Request: q, ports: map[string]int{}, told: map[string]bool{}}
	if err := g.prepare(ctx); err != nil {
		return kedge.Verdict{}, err
	}
	defer g.clearEvidence()
	steps, err := g.plan(ctx)
	if err != nil {
		return kedge.Verdict{}, err
	}
	g.verdict = kedge.Verdict{Verdict: kedge.ValidationOK, Tree: g.before, Checks: []kedge.CheckResult{}, Findings: []kedge.Finding{}}
	if err := g.inspect(ctx); err != nil {
		return kedge.Verdict{}, err
	}
	if err := g.look(ctx); err != nil {
		return kedge.Verdict{}, err
	}
	if g.Begin != nil {
		if err := g.Begin(g.before); err != nil {
			return kedge.Verdict{}, err
		}
	}
	if err := g.runAll(ctx, steps); err != nil {
		if left(ctx) {
			err = ErrLeft // whatever broke off
		}
		return kedge.Verdict{}, err
	}
	return g.verdict, g.unchanged(ctx)
}

// look takes in what others found.
func (g *gate) look(ctx context.Context) error {
	found := g.Found
	if g.Look != nil {
		more, err := g.Look(ctx)
		if err != nil {
			return err
		}
		found = append(slices.Clone(found), more...)
	}
	for _, f := range found {
		g.find(f.Level, f.What, f.Where, f.Fix)
	}
	return nil
}

func (g *gate) prepare(ctx context.Context) error {
	if g.Now == nil {
		g.Now = time.Now
	}
	if g.Guard == "" {
		g.Guard = kedge.LevelError
	}
	if g.Runner == nil {
		g.Runner = direct{}
	}
	g.ours = g.Slot != ""
	g.Slot = orElse(g.Slot, "0")
	for _, dir := range []string{g.LogDir, g.LockDir} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return kedge.Errorf(kedge.Internal, "cannot make a folder for the logs or locks of the checks: %w", err)
		}
	}
	if g.Repo == nil {
		return nil
	}
	var err error
	if g.before = g.Expect; g.before == "" {
		if g.before, err = g.Repo.Tree(ctx); err != nil {
			return err
		}
	}
	if g.Base == "" {
		g.Base = emptyTree(g.before)
	}
	g.changed, err = g.Repo.Diff(ctx, g.Base, g.before)
	return err
}

// emptyTree is git's tree of nothing, in the repository's kind of hash.
func emptyTree(like string) string {
	if len(like) == 64 {
		return "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
	}
	return "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
}

// runAll runs the steps in order until one is red.
func (g *gate) runAll(ctx context.Context, steps []step) (err error) {
	services := &services{g: g}
	defer func() {
		if left(ctx) {
			services.freePorts() // what listens goes on listening
			return
		}
		services.stop()
	}()
	var red string
	for i, s := range steps {
		if red != "" && s.skip == "" && !s.always {
			s.skip = fmt.Sprintf("did not run, because %s is red", red)
		}
		res, err := g.runStep(ctx, i, s, services)
		if err != nil {
			return err
		}
		g.verdict.Checks = append(g.verdict.Checks, res)
		g.verdict.Partial = g.verdict.Partial || res.Skipped != "" && !NotDue(res)
		if res.Skipped == "" && res.Red() && red == "" {
			red = res.Name
			g.mark(check.Named(res.Kind).Marker)
		}
	}
	if !slices.ContainsFunc(g.verdict.Checks, func(c kedge.CheckResult) bool { return c.Skipped == "" || NotDue(c) }) {
		g.find(kedge.LevelWarning, "no check ran: none of their files changed", "", "kedge gate "+steps[0].check.Name)
	}
	return cause(ctx)
}

// isRed: a check is green only when it ended by itself with 0 and nothing was
// found wrong with it.
// mark makes the verdict red; the first marker stays.
func (g *gate) mark(m kedge.Marker) {
	if g.verdict.Verdict == kedge.ValidationOK {
		g.verdict.Verdict = m
	}
}

// find adds a finding; an error among them is red, as a failing test is.
func (g *gate) find(level kedge.Level, what, where, fix string) {
	g.verdict.Findings = append(g.verdict.Findings, kedge.Finding{Level: level, What: what, Where: where, Fix: fix})
	if level == kedge.LevelError {
		g.mark(kedge.TestFailure)
	}
}

// runStep runs one check, or says why not.
func (g *gate) runStep(ctx context.Context, i int, s step, services *services) (kedge.CheckResult, error) {
	res := kedge.CheckResult{
		Name: s.check.Name, Kind: check.KindOf(s.check).Name, Command: s.line, Selected: s.selected,
		Skipped: s.skip, Exit: -1, Started: g.Now().UTC(),
	}
	if s.skip != "" {
		g.tell(Skipped, res)
		return res, nil
	}
	if was, ok := g.known(s); ok {
		was.Name, was.Selected, was.MS = res.Name, res.Selected, 0
		g.tell(Finished, was)
		return was, nil
	}
	res.Log = g.logPath(i, s.check.Name)
	unlock, err := g.lockExclusive(ctx, s.check.Exclusive)
	if err != nil {
		return res, err
	}
	defer unlock()
	res.Started = g.Now().UTC()
	g.tell(Started, res)
	found := len(g.verdict.Findings)
	if err := g.perform(ctx, s, services, &res); err != nil {
		return res, err
	}
	res.MS = max(g.Now().Sub(res.Started).Milliseconds(), 0)
	if g.Learn != nil && g.before != "" && !res.Red() && len(g.verdict.Findings) == found { // what is worth a word is said each time
		g.Learn(g.before, s.check, s.line, res)
	}
	if why := g.Later[s.check.Name]; why != "" && res.Red() {
		res = excused(res, why)
		g.tell(Skipped, res)
		return res, nil
	}
	g.tell(Finished, res)
	return res, nil
}

// known is the result that a check had on this tree before.
func (g *gate) known(s step) (kedge.CheckResult, bool) {
	if g.Known == nil || g.before == "" {
		return kedge.CheckResult{}, false
	}
	return g.Known(g.before, s.check, s.line)
}

// perform runs the check itself, after the services it may need.
func (g *gate) perform(ctx context.Context, s step, services *services, res *kedge.CheckResult) error {
	if check.Named(res.Kind).Services {
		failed, err := services.start(ctx)
		if err != nil {
			return err
		}
		if failed != nil {
			res.FirstFailure, res.Log = &failed.failure, failed.log
			return nil
		}
	}
	return runners[check.Of(s.check).Name](g, ctx, s, res)
}

func (g *gate) tell(state State, res kedge.CheckResult) {
	if g.Progress != nil {
		g.Progress(Step{State: state, Check: res})
	}
}

// unchanged tells whether the verdict still speaks of the tree that is there.
func (g *gate) unchanged(ctx context.Context) error {
	if g.Repo == nil {
		return nil
	}
	after, err := g.Repo.Tree(ctx)
	if err != nil || after == g.before {
		return err
	}
	changes, err := g.Repo.Diff(ctx, g.before, after)
	if err != nil {
		return err
	}
	var paths []string
	for _, c := range changes {
		if !g.mayChange(c.Path) {
			paths = append(paths, c.Path)
		}
	}
	if len(paths) == 0 {
		return nil
	}
	return kedge.Errorf(kedge.Conflict, "files changed while the checks ran, so their result does not count: %s", shorten(paths, 5)).
		WithHint("if a check writes the file %q, add this file to .gitignore or to the check's \"evidence\" in .kedge/gate.toml; then run the checks again", paths[0])
}

// mayChange: what Kedge itself projects, and what checks leave as evidence.
func (g *gate) mayChange(path string) bool {
	if kedge.IsGenerated(path) {
		return true
	}
	for _, c := range slices.Concat(g.Checks, g.Own) {
		if matchAny(check.Leaves(c), path) {
			return true
		}
	}
	return false
}

func matchAny(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return glob.Match(p, path) })
}

// shorten joins the first n of a list and counts the rest.
func shorten(list []string, n int) string {
	if len(list) <= n {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:n], ", "), len(list)-n)
}
