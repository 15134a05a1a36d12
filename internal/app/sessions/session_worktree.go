package sessions

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"kedge"
	"kedge/internal/app/maintenance"
	"kedge/internal/app/projects"
	"kedge/internal/core/config"
	"kedge/internal/engine/gate"
	"kedge/internal/git"
	"kedge/internal/git/slot"
	"kedge/internal/process"
	"kedge/internal/process/sandbox"
)

// WorktreeWish asks for a git worktree of a session's own, on a branch; empty is
// kedge/NAME, made at HEAD.
type WorktreeWish struct {
	Branch string `json:"branch,omitempty"`
	// Attach says that the caller attaches to the session, for the command that asks again.
	Attach bool `json:"attach,omitempty"`
}

// WorktreeProgress tells how far the worktree of a session is. Line is one line that its
// set-up printed; without one, Step says what begins.
type WorktreeProgress struct {
	Step string `json:"step,omitempty"`
	Line string `json:"line,omitempty"`
}

// newInWorktree starts a session in a worktree of its own. The worktree is whole before
// the session is in the journal; until then every error takes it away again.
func (s *Manager) newInWorktree(ctx context.Context, who projects.Caller, in SessionNew) (kedge.Session, error) {
	if err := projects.PersonOnly(who, "start a session in a worktree of its own"); err != nil {
		return kedge.Session{}, err
	}
	if s.home.ReadOnly {
		return kedge.Session{}, projects.ErrReadOnly()
	}
	if err := checkAsked(in); err != nil {
		return kedge.Session{}, err
	}
	p, repo, err := s.worktreeRepo(ctx, who)
	if err != nil {
		return kedge.Session{}, err
	}
	release, err := s.life.Alone(ctx, "worktree of "+string(p.ID)+"/"+in.Name)
	if err != nil {
		return kedge.Session{}, err
	}
	defer release()
	if _, seen, err := p.Store.Seen(ctx, who.Key); seen || err != nil {
		return s.startedWith(ctx, p, who, in, err)
	}
	if err := s.refuseTaken(ctx, p, who, in.Name); err != nil {
		return kedge.Session{}, err
	}
	ctx, done := s.untilLeaving(ctx, who, in)
	defer done()
	m := making{s: s, p: p, repo: repo, who: who, slots: s.home.Slots(p, repo)}
	in, id, err := m.make(ctx, in)
	if err != nil {
		return kedge.Session{}, err
	}
	return m.start(ctx, in, id)
}

// startedWith answers a request that was made before.
func (s *Manager) startedWith(ctx context.Context, p *projects.Project, who projects.Caller, in SessionNew, err error) (kedge.Session, error) {
	if err != nil {
		return kedge.Session{}, err
	}
	l, err := s.launch(ctx)
	if err != nil {
		return kedge.Session{}, err
	}
	evs, err := s.home.Write(ctx, p, who, func() ([]kedge.Event, error) {
		return nil, kedge.Errorf(kedge.Internal, "Kedge received your command twice, and cannot tell whether the first one started the session").WithHint("see whether the session started: kedge ls")
	})
	return s.launched(ctx, p, l, evs, err, func(ses kedge.Session) SessionNew {
		in.Dir, in.own = ses.Dir, ses.Worktree
		return in
	})
}

// worktreeRepo is the caller's project and repository, with a commit to begin at.
func (s *Manager) worktreeRepo(ctx context.Context, who projects.Caller) (*projects.Project, *git.Repo, error) {
	if pl, ok := git.Locate(who.Dir); !ok || pl.Common == "" {
		return nil, nil, kedge.Errorf(kedge.Invalid, "the folder %q is not in a git repository, and --worktree needs one", who.Dir).WithHint("start the session without --worktree; or first make a repository: git init && kedge init")
	}
	p, repo, err := s.home.Repository(ctx, who)
	if err != nil {
		return nil, nil, err
	}
	head, err := repo.Head(ctx)
	if err == nil {
		err = projects.RefuseUnborn(head)
	}
	return p, repo, err
}

// untilLeaving gives a context that also ends when the daemon is asked to stop: a set-up
// that nobody waits for any more is of no use.
func (s *Manager) untilLeaving(ctx context.Context, who projects.Caller, in SessionNew) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(s.life.Leaving(), func() {
		cancel(kedge.Errorf(kedge.Interrupted, "Kedge's background process (the daemon) was stopped before the worktree was ready, so the session did not start").WithHint("start the session again: %s", again(in, who.Dir)))
	})
	return ctx, func() { stop(); cancel(nil) }
}

// making is the worktree of one session while it is made.
type making struct {
	s     *Manager
	p     *projects.Project
	repo  *git.Repo
	who   projects.Caller
	slots *slot.Slots
}

// make makes the worktree and gives what to start in it, with the id of the session.
func (m making) make(ctx context.Context, in SessionNew) (SessionNew, kedge.SessionID, error) {
	below, err := filepath.Rel(m.p.Dir, in.Dir)
	if err != nil || !filepath.IsLocal(below) {
		return in, "", kedge.Errorf(kedge.Invalid, "the folder %q is outside the project %q, so a worktree of the project does not contain it; Kedge started no session", in.Dir, m.p.Dir).
			WithHint("repeat your command without --dir; or go to that folder first: %s", kedge.Step("cd", in.Dir))
	}
	if bare := in.Command[0]; filepath.IsAbs(bare) || !strings.Contains(bare, "/") {
		if err := checkCommand(in); err != nil {
			return in, "", err
		}
	}
	if err := maintenance.ClearAbandoned(ctx, m.s.home, m.p, m.repo); err != nil {
		m.s.home.Log.Warn("cannot delete the files that are left of a removed worktree", "project", string(m.p.ID), "error", err.Error())
	}
	rules, choice, err := m.allowed(ctx, in)
	if err != nil {
		return in, "", err
	}
	id := kedge.SessionID(kedge.NewID("ses", m.s.home.Now()))
	r, err := m.filled(ctx, in, id, choice, rules)
	if err != nil {
		return in, "", err
	}
	own := r.SessionWorktree
	in.own, in.Dir = &own, nearest(own.Path, below)
	if err := checkCommand(in); err != nil {
		return in, "", m.undone(ctx, r, err)
	}
	return in, id, nil
}

// nearest is the folder below a root, or the one above it that is there.
func nearest(root, below string) string {
	for below != "." {
		if fi, err := os.Stat(filepath.Join(root, below)); err == nil && fi.IsDir() {
			break
		}
		below = filepath.Dir(below)
	}
	return filepath.Join(root, below)
}

// allowed gives the settings that hold for the worktree, and its branch. The settings are
// those of the commit that you have checked out, as for a run: another branch may have a
// set-up that an agent wrote and you never saw. A set-up runs only when you approved the
// files of the branch that runs ask about.
func (m making) allowed(ctx context.Context, in SessionNew) (config.Config, slot.Choice, error) {
	choice, head, err := m.slots.ChooseFor(ctx, in.Name, in.Worktree.Branch)
	if err != nil {
		return config.Config{}, choice, err
	}
	rules, err := projects.Source{Project: m.p, Repo: m.repo, Base: head.Commit}.Config(ctx, projects.UserFile(in.Env))
	if err != nil || rules.Worktree.Setup == "" {
		return rules, choice, err
	}
	err = maintenance.RefuseUntrusted(ctx, m.p, m.repo, choice.Base)
	if kedge.Blocked.Is(err) && choice.Base != head.Commit { // kedge approve looks at what is checked out
		err = kedge.Errorf(kedge.Blocked, "%w", err).WithHint("review the files on that branch: git switch %s && kedge approve", git.Quoted(choice.Branch))
	}
	return rules, choice, err
}

// filled makes the worktree with copied files, submodules and set-up.
func (m making) filled(ctx context.Context, in SessionNew, id kedge.SessionID, c slot.Choice, rules config.Config) (slot.Session, error) {
	m.who.Tell(WorktreeProgress{Step: "making a worktree on branch " + c.Branch})
	r, w, err := m.added(ctx, in, id)
	if err != nil {
		return r, err
	}
	if r.Base != c.Base {
		return r, m.undone(ctx, r, kedge.Errorf(kedge.Conflict, "branch %q got new commits while Kedge made the worktree, so the session did not start", c.Branch).WithHint("start the session again: %s", again(in, m.who.Dir)))
	}
	line := gate.SetupLine{
		Dir: w.Root(), Logs: r.Logs, Env: withWorktree(in.Env, &r.SessionWorktree), Runner: m.s.Runner(),
		Tell: func(line string) { m.who.Tell(WorktreeProgress{Line: line}) },
	}
	if line.Box, err = m.box(rules.Sandbox, w, in.Env); err != nil {
		return r, m.undone(ctx, r, err)
	}
	_, reason, err := gate.Equip(ctx, gate.Equipment{
		Checkout: m.repo.Root(), Tree: w, Whole: r.Base, Rules: rules.Worktree,
		Run: func(ctx context.Context, text string) (process.Result, string, error) {
			m.who.Tell(WorktreeProgress{Step: "setting it up: " + text})
			return line.Run(ctx, text)
		},
	})
	if err == nil && reason != "" {
		err = notEquipped(reason, again(in, m.who.Dir))
	}
	if err == nil {
		err = w.NoteIgnored(ctx) // what is there now may go with it
	}
	if err != nil {
		return r, m.undone(ctx, r, err)
	}
	return r, nil
}

// added makes the worktree with the files of its commit.
func (m making) added(ctx context.Context, in SessionNew, id kedge.SessionID) (slot.Session, *git.Repo, error) {
	m.s.worktrees.Lock()
	defer m.s.worktrees.Unlock()
	at := m.s.home.Now()
	return m.slots.ForSession(ctx, slot.SessionRequest{
		Session: id, Name: in.Name, Branch: in.Worktree.Branch, At: at,
		Logs:  filepath.Join(m.s.home.StateDir(m.p.ID), "gate", kedge.NewID("evd", at)),
		Saved: maintenance.JournalSalvage(m.s.home, m.p, m.who),
		Port:  func(taken []int) (int, error) { return gate.SessionPort(ctx, taken) },
	})
}

// box is what confines the set-up, as you set it.
func (m making) box(c config.Sandbox, w *git.Repo, env []string) (sandbox.Box, error) {
	if !c.Asked() {
		return sandbox.Box{}, nil
	}
	common := m.repo.CommonDir()
	return sandbox.New(c, sandbox.Place{
		Dir: w.Root(), GitDir: sandbox.GitDir(common, w.Root()), Common: common, Home: m.s.home.Dir, Sockets: m.s.with.Sockets,
		Env: env, Kedge: m.s.with.Program,
	})
}

// notEquipped is the error of a worktree that cannot be used, of the words that a run has
// for it.
func notEquipped(reason, command string) error {
	why, next, ok := strings.Cut(strings.TrimSuffix(reason, ")"), " (next: ")
	if !ok {
		why, next = reason, "correct [worktree] setup in .kedge/config.toml and commit it, then: "+command
	}
	return kedge.Errorf(kedge.Blocked, "%s", why).WithHint("%s", next)
}

// undone takes the worktree away again and gives the error that it was for.
func (m making) undone(ctx context.Context, r slot.Session, err error) error {
	gone := m.slots.Undo(context.WithoutCancel(ctx), r)
	if gone == nil {
		return err
	}
	m.s.home.Log.Warn("cannot remove a worktree", "path", r.Path, "error", gone.Error())
	return kedge.Errorf(kedge.KindOf(err), "%w (Kedge could not remove the worktree %s: %s)", err, r.Path, gone.Error()).
		WithHint("%s; to remove the worktree: kedge worktree gc", kedge.HintOf(err))
}

// start starts the session in its worktree.
func (m making) start(ctx context.Context, in SessionNew, id kedge.SessionID) (kedge.Session, error) {
	undo := func(err error) error {
		if r, found := m.slots.At(in.own.Path); found {
			return m.undone(ctx, r, err)
		}
		return err
	}
	l := launch{id: id, dir: m.s.SessionDir(id)}
	if err := m.s.prepare(ctx, &l); err != nil {
		return kedge.Session{}, undo(err)
	}
	evs, err := m.s.home.Write(ctx, m.p, m.who, func() ([]kedge.Event, error) { return m.s.decideSession(ctx, m.p, m.who, in, id, "") })
	if err != nil {
		l.abandon()
		return kedge.Session{}, undo(err)
	}
	return m.s.launched(ctx, m.p, l, evs, nil, func(kedge.Session) SessionNew { return in })
}

// withWorktree is an environment with what programs of a worktree's sessions get: the
// variables that checks and services have.
func withWorktree(env []string, w *kedge.SessionWorktree) []string {
	if w == nil {
		return env
	}
	out := slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		return strings.HasPrefix(kv, "KEDGE_SLOT=") || strings.HasPrefix(kv, "KEDGE_PORT=")
	})
	return append(out, "KEDGE_SLOT="+w.Slot, "KEDGE_PORT="+strconv.Itoa(w.Port))
}

// again is the command that asks, in the folder here, for a session with a worktree.
func again(in SessionNew, here string) string {
	line := "kedge new " + in.Name + " --worktree"
	if in.Worktree.Branch != "" {
		line += "=" + git.Quoted(in.Worktree.Branch)
	}
	if in.Dir != here {
		line += " --dir " + git.Quoted(in.Dir)
	}
	if in.OnLimit != "" {
		line += " --on-limit " + string(in.OnLimit)
	}
	if in.Worktree.Attach {
		line += " --attach"
	}
	line += " --"
	for _, word := range in.Command {
		line += " " + git.Quoted(word)
	}
	return line
}

// refuseRemoved is the error of a session whose worktree somebody removed. The next step
// is for the checkout in which it is asked for.
func refuseRemoved(in SessionNew, checkout string) error {
	if in.own == nil {
		return nil
	}
	if fi, err := os.Stat(in.own.Path); err == nil && fi.IsDir() {
		return nil
	}
	below, err := filepath.Rel(in.own.Path, in.Dir)
	if err != nil {
		below = "."
	}
	next := in
	next.Dir, next.Worktree = nearest(checkout, below), &WorktreeWish{Branch: in.own.Branch}
	return kedge.Errorf(kedge.NotFound, "session %q cannot start, because its worktree was removed: %s", in.Name, in.own.Path).
		WithHint("start a session of this name in a new worktree: %s", again(next, checkout))
}

// ClearAbandonedSoon takes away, in the background, the worktrees of sessions that never
// began: the daemon before this one was killed while it made them.
func (s *Manager) ClearAbandonedSoon() {
	s.life.Go(func() {
		ids, err := s.home.IDs()
		for _, id := range ids {
			err = errors.Join(err, s.clearAbandoned(s.life.Context(), id))
		}
		if err != nil && s.life.Context().Err() == nil {
			s.home.Log.Warn("cannot delete the files that are left of a removed worktree", "error", err.Error())
		}
	})
}

func (s *Manager) clearAbandoned(ctx context.Context, id kedge.ProjectID) error {
	if !s.home.HasSessionWorktrees(id) {
		return nil
	}
	o, err := s.home.Opened(id)
	if err != nil {
		return err
	}
	known, err := projects.Known(ctx, o.Store, id)
	if err != nil || !git.IsProject(known.Dir, id) {
		return err
	}
	p := &projects.Project{Project: known, Opened: o}
	p.Git = true
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return err
	}
	return maintenance.ClearAbandoned(ctx, s.home, p, repo)
}
