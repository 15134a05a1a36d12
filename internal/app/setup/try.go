package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/agents/trust"
	"kedge/internal/app/ledger"
	"kedge/internal/app/maintenance"
	"kedge/internal/app/projects"
	"kedge/internal/core/check"
	"kedge/internal/core/config"
	"kedge/internal/core/detect"
	"kedge/internal/engine/gate"
	"kedge/internal/git"
	"kedge/internal/git/slot"
	"kedge/internal/process"
	"kedge/internal/process/sandbox"
	"kedge/internal/text/redact"
	"kedge/internal/text/words"
)

// TryLimit is how long one command may take that init tries, unless you say otherwise.
const TryLimit = 5 * time.Minute

// SetupName is the name of the set-up among trials. WorktreeName is that of what git and
// config.toml put into a worktree, where that failed.
const (
	SetupName    = "setup"
	WorktreeName = "worktree"
)

// InitTryRequest asks to run once what init would propose.
type InitTryRequest struct {
	Path    string   `json:"path,omitempty"`    // where programs are looked for; empty: all are there
	Env     []string `json:"env,omitempty"`     // the caller's environment; used, never written down
	Seconds int      `json:"seconds,omitempty"` // how long one command may take; 0: TryLimit
}

// InitTryReply says how what init proposes ended.
type InitTryReply struct {
	Commit  string  `json:"commit"`  // that was tried in a fresh worktree; empty: the folder as it is
	Trials  []Trial `json:"trials"`  // the set-up first
	Untried string  `json:"untried"` // why nothing was tried; empty: all was, or there was nothing
	Dirty   bool    `json:"dirty"`   // something was red, and the folder has changes that the commit does not have
}

// Trial is how one command ended that init proposes.
type Trial struct {
	Name    string     `json:"name"` // of the check; SetupName of the set-up
	Command string     `json:"command"`
	State   TrialState `json:"state"`
	Seconds float64    `json:"seconds"`
	Why     string     `json:"why,omitempty"`  // the first failure, or why there is no result
	Left    bool       `json:"left,omitempty"` // it is only a comment in the file that it belongs to
}

// TrialState is how a trial ended.
type TrialState string

// The states. Cut: it was not over in time. Untried: what it needs did not work. Trying is
// one that is under way; no answer has it.
const (
	TrialGreen   TrialState = "green"
	TrialRed     TrialState = "red"
	TrialCut     TrialState = "cut"
	TrialUntried TrialState = "untried"
	Trying       TrialState = "trying"
)

// TryProgress tells of a trial that begins or has ended. The first one has the commit, as
// the answer has it, and how long each may take.
type TryProgress struct {
	Trial  Trial  `json:"trial"`
	Commit string `json:"commit"`
	Limit  int    `json:"limit"` // in seconds
}

// InitTry runs the set-up and the checks that Init would propose, once each: in a fresh
// worktree of HEAD, since that is where runs work; in the folder itself where there is no
// commit. It leaves nothing behind. Code of a repository with settings that you did not
// approve is not run.
func (s *Setup) InitTry(ctx context.Context, who projects.Caller, in InitTryRequest) (InitTryReply, error) {
	none := InitTryReply{Trials: []Trial{}}
	at, err := s.site(ctx, who)
	if err != nil {
		return none, err
	}
	if s.home.ReadOnly {
		return none, projects.ErrReadOnly()
	}
	pl, err := at.plan(ctx, InitRequest{Path: in.Path}, ledger.Snapshot{}, nil)
	if err == nil {
		err = at.refuseCommit(ctx, pl.changes)
	}
	if err != nil || !pl.proposes() {
		return none, err
	}
	t := &trial{Setup: s, at: at, pl: pl, who: who, env: in.Env, limit: TryLimit, reply: none, root: at.trials(), where: at.Root}
	if in.Seconds > 0 {
		t.limit = time.Duration(in.Seconds) * time.Second
	}
	return t.run(ctx)
}

// trial is an InitTry under way.
type trial struct {
	*Setup
	at    *site
	pl    initPlan
	who   projects.Caller
	env   []string
	limit time.Duration
	root  string // of the project, for the folder of its trials
	where string // the folder in which the commands run
	rules config.Config
	ran   int // commands, for the folders of their logs
	reply InitTryReply
}

func (t *trial) run(ctx context.Context) (InitTryReply, error) {
	release, err := t.life.Alone(ctx, "trial in "+t.root)
	if err != nil {
		return t.reply, err
	}
	defer release()
	if err := maintenance.ClearTrials(ctx, t.home, t.at.repo, t.root); err != nil {
		t.reply.Untried = "Kedge cannot remove the files that are left of an earlier trial of the commands: " + gate.Why(err)
		return t.reply, ctx.Err()
	}
	head := git.Head{Unborn: true}
	if t.at.repo != nil {
		if head, err = t.at.repo.Head(ctx); err != nil {
			return t.reply, err
		}
	}
	if t.rules, err = (projects.Source{Project: t.at.Project}).Config(ctx, projects.UserFile(t.env)); err != nil {
		return t.reply, err
	}
	ctx, done := t.untilLeaving(ctx)
	defer done()
	defer func() {
		gone := maintenance.ClearTrials(context.WithoutCancel(ctx), t.home, t.at.repo, t.root)
		if gone != nil {
			t.home.Log.Warn("cannot delete the files that are left after kedge init tried the commands", "folder", t.root, "error", gone.Error())
		}
	}()
	if t.reply.Untried, err = t.untrusted(ctx, head); err != nil || t.reply.Untried != "" {
		return t.reply, err
	}
	if head.Unborn {
		err = t.checks(ctx, t.at.Root, t.at.repo, "")
	} else {
		err = t.inWorktree(ctx, head)
	}
	return t.reply, err
}

// untilLeaving gives a context that also ends when the daemon is asked to stop: nobody would
// hear of the result.
func (t *trial) untilLeaving(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(t.life.Leaving(), func() {
		cancel(kedge.Errorf(kedge.Interrupted, "Kedge's background process (the daemon) was stopped while kedge init tried the commands, so Kedge wrote nothing").WithHint("repeat the command: kedge init"))
	})
	return ctx, func() { stop(); cancel(nil) }
}

// inWorktree tries in a fresh worktree of a commit, with the files that init would write.
func (t *trial) inWorktree(ctx context.Context, head git.Head) error {
	t.reply.Commit = head.Commit
	slots := maintenance.TrialSlots(t.home, t.at.repo)
	now := t.home.Now()
	r, w, err := slots.ForSession(ctx, slot.SessionRequest{
		Session: kedge.SessionID(kedge.NewID("ses", now)), Name: "init-trial", At: now, Logs: maintenance.TrialLogs(maintenance.TrialDir(t.home, t.root)),
		Port: func([]int) (int, error) { return 0, nil }, // the gate finds its own
	})
	if kedge.Blocked.Is(err) || kedge.Conflict.Is(err) {
		t.reply.Commit, t.reply.Untried = "", "Kedge could not make a worktree: "+gate.Why(err)
		return nil
	}
	if err != nil {
		return err
	}
	defer func() {
		if gone := slots.Undo(context.WithoutCancel(ctx), r); gone != nil {
			t.home.Log.Warn("cannot remove the worktree in which kedge init tried the commands", "path", r.Path, "error", gone.Error())
		}
	}()
	t.where = w.Root()
	if err := t.write(t.where); err != nil {
		return err
	}
	state, err := t.equip(ctx, w, head.Commit)
	if err != nil {
		return err
	}
	if state == TrialCut {
		t.untried()
		return nil
	}
	if err := t.checks(ctx, w.Root(), w, head.Commit); err != nil {
		return err
	}
	if slices.ContainsFunc(t.reply.Trials, func(one Trial) bool { return one.State == TrialRed }) {
		t.reply.Dirty, err = t.at.repo.Dirty(ctx)
	}
	return err
}

// untrusted says why no code of the project may run; empty: it may.
func (t *trial) untrusted(ctx context.Context, head git.Head) (string, error) {
	open, err := t.executables(ctx, head)
	if err == nil {
		err = maintenance.RefuseUnapproved(open)
	}
	if kedge.Blocked.Is(err) {
		return err.Error() + " (next: review them: kedge approve; then: kedge gate --all)", nil
	}
	return "", err
}

// executables finds the files that run code or steer agents where the trial is, and that you
// did not approve. Before there is a commit, they are those of the folder.
func (t *trial) executables(ctx context.Context, head git.Head) (trust.Found, error) {
	if head.Unborn {
		all := func(string) (bool, error) { return true, nil } // whoever brought the folder brought it
		return catalog.Trust().ScanDir(t.at.Root, all)
	}
	if p, err := t.home.Open(ctx, t.who); err == nil {
		return maintenance.Unapproved(ctx, p, t.at.repo, head.Commit)
	}
	return maintenance.Executables(ctx, t.at.Project, t.at.repo, head.Commit)
}

// write puts what init would write into the worktree: runs will have it.
func (t *trial) write(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot open the folder %q, in which kedge init tries the commands: %w", dir, err)
	}
	defer func() { _ = root.Close() }()
	for _, c := range t.pl.changes {
		var text *string
		if b, err := root.ReadFile(filepath.FromSlash(c.path)); err == nil {
			s := string(b)
			text = &s
		}
		if next := c.again(text); next != nil && !same(text, next) {
			if err := set(root, c.path, next, c.perm); err != nil {
				return err
			}
		}
	}
	return nil
}

// tell reports a trial.
func (t *trial) tell(one Trial) {
	t.who.Tell(TryProgress{Trial: one, Commit: t.reply.Commit, Limit: int(t.limit / time.Second)})
}

// mostWhy bounds what is said of a failure.
const mostWhy = 300

// ended adds a trial to the answer. What is not green is proposed to be left out, unless it
// only took long.
func (t *trial) ended(one Trial, since time.Time) {
	one.Seconds = t.home.Now().Sub(since).Round(100 * time.Millisecond).Seconds()
	again := slices.ContainsFunc(t.reply.Trials, func(o Trial) bool { return o.Name == one.Name }) // another way to do it
	one.Left = one.State == TrialRed && one.Name != WorktreeName && !again
	one.Why = words.Clip(redact.Text(strings.ReplaceAll(one.Why, t.where+"/", "")), mostWhy) // a file that is committed has it
	t.tell(one)
	t.reply.Trials = append(t.reply.Trials, one)
}

// equip sets the worktree up. After a set-up that is red the checks are tried all the same:
// they may not need it.
func (t *trial) equip(ctx context.Context, w *git.Repo, commit string) (TrialState, error) {
	rules := t.rules.Worktree
	one := Trial{Name: SetupName, Command: t.pl.found.Setup}
	if rules.Setup == "" {
		rules.Setup = t.pl.found.Setup
	} else {
		one.Command = rules.Setup
	}
	if one.Command != "" {
		one.State = Trying
		t.tell(one)
	}
	line := gate.SetupLine{Dir: w.Root(), Logs: t.logs(), Env: t.env, Runner: t.lines()}
	var err error
	if line.Box, err = t.box(w.Root(), w); err != nil {
		return TrialRed, err
	}
	limited, done := context.WithTimeout(ctx, t.limit)
	defer done()
	since := t.home.Now()
	_, reason, err := gate.Equip(limited, gate.Equipment{
		Checkout: t.at.Root, Tree: w, Whole: commit, Rules: rules,
		Run: func(ctx context.Context, text string) (process.Result, string, error) { return line.Run(ctx, text) },
	})
	switch {
	case ctx.Err() != nil:
		return TrialRed, context.Cause(ctx)
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		one.State, one.Why = TrialCut, t.late()
	case err != nil:
		return TrialRed, err
	case reason != "" && !strings.HasPrefix(reason, "the setup "): // it did not come to that
		one.Name, one.Command, one.State, one.Why = WorktreeName, "submodules and copied files", TrialRed, reason
	case reason != "":
		said, _, _ := strings.Cut(reason, " (log: ") // it goes with the worktree
		one.State, one.Why = TrialRed, strings.TrimSpace(strings.TrimPrefix(said, fmt.Sprintf("the setup %q failed: ", one.Command)))
	case one.Command == "":
		return TrialGreen, nil
	default:
		one.State = TrialGreen
	}
	t.ended(one, since)
	return one.State, nil
}

// late says that a command was not over in time.
func (t *trial) late() string { return fmt.Sprintf("not finished within %s", Span(t.limit)) }

// Span is a bound of time as people write it.
func Span(d time.Duration) string {
	if d >= time.Minute && d%time.Minute == 0 {
		return strconv.Itoa(int(d/time.Minute)) + "m"
	}
	return d.String()
}

// untried says that the checks would run without what the set-up was to make.
func (t *trial) untried() {
	for _, c := range t.pl.found.Checks {
		t.ended(Trial{Name: c.Name, Command: check.Text(c), State: TrialUntried, Why: "the set-up was not finished"}, t.home.Now())
	}
}

// logs is a fresh folder for the logs of one command: a holder there is of that command.
func (t *trial) logs() string {
	t.ran++
	return filepath.Join(maintenance.TrialLogs(maintenance.TrialDir(t.home, t.root)), strconv.Itoa(t.ran))
}

// box is what confines the commands, as you set it.
func (t *trial) box(dir string, repo *git.Repo) (sandbox.Box, error) {
	if !t.rules.Sandbox.Asked() {
		return sandbox.Box{}, nil
	}
	at := sandbox.Place{Dir: dir, Home: t.home.Dir, Sockets: t.with.Sockets, Env: t.env, Kedge: t.with.Program}
	if repo != nil {
		at.Common = repo.CommonDir()
		at.GitDir = sandbox.GitDir(at.Common, dir)
	}
	return sandbox.New(t.rules.Sandbox, at)
}

// checks runs each check by itself, so that one that is red hides no other.
func (t *trial) checks(ctx context.Context, dir string, repo *git.Repo, base string) error {
	q := gate.Request{
		Dir: dir, Base: base, Scope: gate.Full, Env: t.env, Services: t.pl.found.Services, Runner: t.lines(), Now: t.home.Now,
		LockDir: filepath.Join(maintenance.TrialDir(t.home, t.root), "locks"), Guard: kedge.LevelWarning, Slot: "0",
	}
	if repo != nil {
		q.Repo = repo
	}
	var err error
	if q.Box, err = t.box(dir, repo); err != nil {
		return err
	}
	for _, c := range t.pl.found.Checks {
		if err := t.ways(ctx, q, c); err != nil {
			return err
		}
	}
	return nil
}

// mostWays bounds how often a check is tried without the tests that were red: a test that
// ends the runner hides the red ones after it.
const mostWays = 4

// ways tries a check, and where it is red the other ways to do what it does: without the few
// tests that are red here, then those that the project has besides.
func (t *trial) ways(ctx context.Context, q gate.Request, c kedge.Check) error {
	red, output, err := t.one(ctx, q, c)
	for n := 0; n < mostWays && err == nil && red; n++ {
		next := c
		if next.Run = detect.Without(c.Run, output); next.Run == "" {
			break
		}
		c = next
		red, output, err = t.one(ctx, q, c)
	}
	for _, other := range t.pl.instead(c.Name) {
		if err != nil || !red {
			break
		}
		red, _, err = t.one(ctx, q, other)
	}
	return err
}

// one runs one check. It gives whether it is red, and what it printed then.
func (t *trial) one(ctx context.Context, q gate.Request, c kedge.Check) (red bool, output string, err error) {
	q.Checks, q.LogDir = []kedge.Check{c}, t.logs()
	out := Trial{Name: c.Name, Command: check.Text(c), State: Trying}
	t.tell(out)
	limited, done := context.WithTimeout(ctx, t.limit)
	defer done()
	since := t.home.Now()
	v, err := gate.Run(limited, q)
	switch {
	case ctx.Err() != nil:
		return false, "", context.Cause(ctx)
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		out.State, out.Why = TrialCut, t.late()
	case kedge.Blocked.Is(err), kedge.Conflict.Is(err):
		out.State, out.Why = TrialRed, gate.Why(err)
	case err != nil:
		return false, "", err
	case v.Green():
		out.State = TrialGreen
	default:
		out.State = TrialRed
		out.Why, output = failureOf(v)
	}
	t.ended(out, since)
	return out.State == TrialRed, output, gate.Forget(context.WithoutCancel(ctx), q.LogDir)
}

// failureOf is the first failure of a verdict, and the whole output of its check.
func failureOf(v kedge.Verdict) (why, output string) {
	for _, r := range v.Checks {
		if r.FirstFailure != nil {
			output, _ = gate.ReadLog(r.Log) // then there is no other way
			return gate.Render(*r.FirstFailure), output
		}
	}
	return "red, without a message", ""
}
