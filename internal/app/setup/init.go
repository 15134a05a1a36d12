package setup

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/core/config"
	"kedge/internal/core/detect"
	docs "kedge/internal/core/memory"
	"kedge/internal/core/plan"
	"kedge/internal/core/scaffold"
	"kedge/internal/git"
	"kedge/internal/journal"
	"kedge/internal/process/atomicfile"
	"kedge/internal/text/words"
)

// InitRequest asks for a project to be set up.
type InitRequest struct {
	Agent  string  `json:"agent,omitempty"`  // for unattended work
	Path   string  `json:"path,omitempty"`   // where programs are looked for; empty: all are there
	Trials []Trial `json:"trials,omitempty"` // how the proposals ended; what is Left is not switched on
}

// InitReply says what init did, or would do.
type InitReply struct {
	Project  kedge.Project   `json:"project"`
	Written  []string        `json:"written"`
	Commit   *string         `json:"commit"`   // nil: nothing was committed
	Checks   []kedge.Check   `json:"checks"`   // those of gate.toml
	Services []kedge.Service `json:"services"` // likewise: what Kedge starts for some of the checks
	Setup    string          `json:"setup"`    // of fresh worktrees, as config.toml has it
	Left     []LeftOut       `json:"left"`     // what was found and is a comment in its file
	Trials   []Trial         `json:"trials"`   // how the proposals ended that were tried
	Notes    []string        `json:"notes"`
	Next     string          `json:"next"` // what to do now
}

// LeftOut is a check, or the set-up, that init found and did not switch on.
type LeftOut struct {
	Name    string `json:"name"` // SetupName of the set-up
	Command string `json:"command"`
	Why     string `json:"why"`
}

// site is the folder that init works on, before and after it is a project.
type site struct {
	*projects.Project
	git.Place
	repo *git.Repo // nil: a plain folder
	from string    // where the caller stands
}

// initPlan is what init would do, and what it noticed.
type initPlan struct {
	changes []change // one per file, also where nothing is to be done
	found   detect.Found
	left    scaffold.Left
	here    string // the set-up, where this folder has not been set up; empty: it has
	notes   []string
}

// writes tells whether a file is to be written.
func (pl initPlan) writes(path string) bool {
	return slices.ContainsFunc(pl.changes, func(c change) bool { return c.path == path && !c.done() })
}

// proposes tells whether there is something to try.
func (pl initPlan) proposes() bool {
	return pl.writes(scaffold.GateFile) && (len(pl.found.Checks) > 0 || pl.found.Setup != "")
}

// Init makes a project of the caller's folder: an id, the files below .kedge, a few
// lines in existing files, and one commit of exactly these. Existing content stays. What
// cannot be finished is refused before anything is written.
func (s *Setup) Init(ctx context.Context, who projects.Caller, in InitRequest) (InitReply, error) {
	at, err := s.site(ctx, who)
	if err != nil {
		return InitReply{}, err
	}
	if err := at.refuse(ctx, in); err != nil {
		return InitReply{}, err
	}
	if err := s.clearTrials(ctx, at); err != nil {
		return InitReply{}, err
	}
	if err := s.giveID(ctx, at); err != nil {
		return InitReply{}, err
	}
	p, err := s.home.OpenBy(ctx, who, s.home.Created)
	if err != nil {
		return InitReply{}, err
	}
	if p.Name == "" {
		p.Name = filepath.Base(p.Dir)
	}
	at.Project = p
	var pl initPlan
	evs, err := s.home.Write(ctx, p, who, func() (evs []kedge.Event, err error) {
		evs, pl, err = s.setUp(ctx, at, who, in)
		return evs, err
	})
	if err != nil {
		return InitReply{}, err
	}
	r, err := s.initReply(ctx, at, evs, pl)
	r.Trials = append(r.Trials, in.Trials...)
	return r, err
}

// InitPlan says what Init would write. It writes nothing.
func (s *Setup) InitPlan(ctx context.Context, who projects.Caller, in InitRequest) (InitReply, error) {
	at, err := s.site(ctx, who)
	if err != nil {
		return InitReply{}, err
	}
	if err := at.refuse(ctx, in); err != nil {
		return InitReply{}, err
	}
	pl, err := at.plan(ctx, in, ledger.Snapshot{}, nil)
	if err != nil {
		return InitReply{}, err
	}
	id, _ := git.ReadID(at.Place) // there may be none yet
	r := InitReply{
		Project: kedge.Project{ID: id, Name: filepath.Base(at.Root), Dir: at.Root, Git: at.repo != nil},
		Written: []string{}, Checks: append([]kedge.Check{}, pl.found.Checks...), Services: append([]kedge.Service{}, pl.found.Services...),
		Setup: pl.found.Setup, Left: pl.leftOut(), Trials: append([]Trial{}, in.Trials...), Notes: append([]string{}, pl.notes...),
	}
	for _, c := range pl.changes {
		if !c.done() {
			r.Written = append(r.Written, c.path)
		}
	}
	if g, err := at.gate(); err == nil && g != nil {
		r.use(*g)
	}
	r.Next = "kedge init"
	return r, nil
}

// site finds the folder and opens its repository.
func (s *Setup) site(ctx context.Context, who projects.Caller) (*site, error) {
	if who.IsAgent() {
		id, _ := who.Session()
		return nil, kedge.Errorf(kedge.Blocked, "this is session %q, and agents may not set up or remove a project", id).
			WithHint("ask the user to run this command in a terminal of their own")
	}
	repo, err := git.Open(ctx, who.Dir, git.Options{Now: s.home.Clock, Program: s.home.Program})
	if err != nil && !kedge.NotFound.Is(err) {
		return nil, err
	}
	pl, ok := git.Locate(who.Dir)
	switch {
	case err != nil: // no repository
		repo = nil
		if !ok {
			pl = git.Place{Root: filepath.Clean(who.Dir)}
		}
		if pl.Root == filepath.Dir(pl.Root) {
			return nil, kedge.Errorf(kedge.Invalid, "the root folder %q cannot be a project", pl.Root).WithHint("go to the folder of your project, then: kedge init")
		}
	case repo.Root() == "" || !ok:
		return nil, kedge.Errorf(kedge.Invalid, "the folder %q is a bare repository or a .git folder, so Kedge finds no files to work on there", who.Dir).
			WithHint("go to a clone, then: kedge init; or make a worktree: git worktree add ../work && cd ../work && kedge init")
	}
	if fi, err := os.Stat(pl.Root); err != nil || !fi.IsDir() {
		return nil, kedge.Errorf(kedge.NotFound, "the folder %q does not exist any more", pl.Root).WithHint("go to the folder of your project, then: kedge init")
	}
	p := &projects.Project{Project: kedge.Project{Dir: pl.Root, Git: repo != nil}}
	return &site{Project: p, Place: pl, repo: repo, from: who.Dir}, nil
}

// refuse looks for what would stop init halfway.
func (at *site) refuse(ctx context.Context, in InitRequest) error {
	pl, err := at.plan(ctx, in, ledger.Snapshot{}, nil)
	if err != nil {
		return err
	}
	return at.refuseCommit(ctx, pl.changes)
}

// plan compares what should be there with what is. The projections are those of
// the journal; before there is one they are empty.
func (at *site) plan(ctx context.Context, in InitRequest, l ledger.Snapshot, facts *docs.Facts) (initPlan, error) {
	root, err := os.OpenRoot(at.Root)
	if err != nil {
		return initPlan{}, kedge.Errorf(kedge.Invalid, "cannot open the project's folder %q: %w", at.Root, err)
	}
	defer func() { _ = root.Close() }()
	pl := initPlan{found: detect.Project(root.FS(), onPath(in.Path))}
	if err := at.planAgent(in.Agent, &pl); err != nil {
		return pl, err
	}
	pl.leave(in.Trials)
	at.planSetup(&pl)
	if facts == nil {
		facts = &docs.Facts{}
	}
	p := *at.Project
	p.Name = projectName(p.Name, at.Root)
	for _, f := range scaffold.Files(scaffold.Input{
		Agent: in.Agent, Agents: catalog.Kinds().Offered, Protect: protectedByDefault(), Checks: pl.found.Checks, Services: pl.found.Services,
		Setup: pl.found.Setup, Left: pl.left, Features: plan.WriteFeatures(l.File(&p)), Progress: docs.WriteProgress(nil, *facts),
	}) {
		c, err := at.fileChange(f)
		if err != nil {
			return pl, err
		}
		pl.changes = append(pl.changes, c)
	}
	ignore, err := at.planIgnore(ctx, &pl)
	if err != nil {
		return pl, err
	}
	pieces, err := at.pieceChanges(root, &pl, ignore)
	pl.changes = append(pl.changes, pieces...)
	pl.note(at, l)
	return pl, err
}

func projectName(name, root string) string {
	if name == "" {
		return filepath.Base(root)
	}
	return name
}

// protectedByDefault is what a config.toml that says nothing protects.
func protectedByDefault() []string { return config.Default(catalog.Kinds()).Protect.Paths }

// planAgent refuses an unknown agent, and says where one is set that
// init will not touch.
func (at *site) planAgent(agent string, pl *initPlan) error {
	b, there, err := at.Read(scaffold.ConfigFile)
	if err != nil || agent == "" {
		return err
	}
	cfg := config.Default(catalog.Kinds())
	if there {
		if cfg, err = config.ParseConfig(scaffold.ConfigFile, b, catalog.Kinds()); err != nil {
			return err
		}
		if cfg.Run.Agent != agent {
			pl.notes = append(pl.notes, fmt.Sprintf("Kedge did not change your %s; to use the agent, write agent = %q under [run] in that file", scaffold.ConfigFile, agent))
		}
	}
	a, err := cfg.Agent(agent)
	if err != nil && !there {
		return kedge.Errorf(kedge.NotFound, "%w", err).WithHint(
			"%sname one of these agents: %s; or run kedge init without --agent, then define [agents.%s] in %s (see docs/reference/config.md of Kedge)",
			words.DidYouMean(agent, cfg.AgentNames()), strings.Join(cfg.AgentNames(), ", "), agent, scaffold.ConfigFile)
	}
	if err == nil {
		pl.noteUndriven(agent, a)
	}
	return err
}

// noteUndriven says that a run cannot drive the agent, where it cannot: other
// commands may, so init goes on.
func (pl *initPlan) noteUndriven(name string, a config.Agent) {
	if _, err := catalog.New(name, a); err != nil {
		pl.notes = append(pl.notes, fmt.Sprintf("a run cannot use agent %q: %s; %s", name, err.Error(), kedge.HintOf(err)))
	}
}

// note says what a person should know.
func (pl *initPlan) note(at *site, l ledger.Snapshot) {
	if filepath.Clean(at.from) != at.Root {
		pl.notes = append(pl.notes, fmt.Sprintf("the project is the whole folder %q, not only the folder that you are in", at.Root))
	}
	for _, c := range pl.changes {
		if c.path == scaffold.GateFile && !c.done() {
			pl.notes = append(pl.notes, pl.found.Notes...)
		}
	}
	back := slices.ContainsFunc(pl.changes, func(c change) bool { return c.path == ledger.FeaturesFile && !c.done() })
	if n := len(l.Docs); n > 0 && back {
		pl.notes = append(pl.notes, fmt.Sprintf("Kedge still has %s of this project from before, with their status; to see the list: kedge features", words.Count(n, "feature")))
	}
	if n := at.unknownFeatures(l); n > 0 {
		pl.notes = append(pl.notes, fmt.Sprintf("%s lists %s that Kedge on this machine does not know yet", ledger.FeaturesFile, words.Count(n, "feature")))
	}
}

// unknownFeatures counts the features of a repository that was set up elsewhere.
func (at *site) unknownFeatures(l ledger.Snapshot) int {
	if len(l.Docs) > 0 {
		return 0
	}
	b, ok, err := at.Read(ledger.FeaturesFile)
	if err != nil || !ok {
		return 0
	}
	f, err := plan.ParseFeatures(ledger.FeaturesFile, b)
	if err != nil {
		return 0
	}
	return len(f.Features)
}

// next is what to do after init.
func (at *site) next(l ledger.Snapshot, checks []kedge.Check) string {
	switch {
	case at.unknownFeatures(l) > 0:
		return "kedge features import " + ledger.FeaturesFile
	case len(checks) == 0:
		return "write a check into " + scaffold.GateFile + ", then: kedge gate"
	case len(l.Docs) > 0:
		return "kedge next"
	}
	return "kedge gate, then: kedge feature add --help"
}

// giveID makes sure that the folder has a project id.
func (s *Setup) giveID(ctx context.Context, at *site) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := git.ReadID(at.Place); !kedge.NotFound.Is(err) {
		return err
	}
	id := kedge.ProjectID(kedge.NewID("prj", s.home.Now()))
	if at.repo != nil {
		return at.repo.SetProjectID(ctx, id)
	}
	root, err := os.OpenRoot(at.Root)
	if err != nil {
		return kedge.Errorf(kedge.Invalid, "cannot open the project's folder %q: %w", at.Root, err)
	}
	defer func() { _ = root.Close() }()
	return atomicfile.WriteIn(root, filepath.Join(kedge.Dir, "id"), []byte(string(id)+"\n"), 0o644)
}

// setUp writes, commits, and says what was done. It runs under the project's
// lock.
func (s *Setup) setUp(ctx context.Context, at *site, who projects.Caller, in InitRequest) ([]kedge.Event, initPlan, error) {
	l, facts, err := readFacts(ctx, at.Project)
	if err != nil {
		return nil, initPlan{}, err
	}
	pl, err := at.plan(ctx, in, l, facts)
	if err != nil {
		return nil, pl, err
	}
	first := at.unborn(ctx)
	commit, left, err := s.carryOut(ctx, at, pl.changes, "Set up Kedge\n\nThe feature list, progress, rules and checks, and a word to agents.")
	if err != nil {
		return nil, pl, err
	}
	data := kedge.InitData{Files: []kedge.InitFile{}, Commit: commit}
	for _, c := range pl.changes {
		if !c.done() {
			data.Files = append(data.Files, kedge.InitFile{Path: c.path, SHA256: projects.Sum([]byte(*c.text)), Inserted: c.inserted, Created: c.old == nil})
		}
	}
	for _, path := range left {
		pl.notes = append(pl.notes, fmt.Sprintf("Kedge wrote the file %s but did not commit it, because git ignores the file or you have changes in it", path))
	}
	more := first && commit != "" && at.hasMore(ctx)
	if more {
		pl.notes = append(pl.notes, "the first commit of the repository has only Kedge's files, and a run sees only committed files; commit yours: git add -A && git commit -m start")
	}
	evs, err := s.initEvents(ctx, at.Project, who, data, !more)
	if err != nil {
		return nil, pl, err
	}
	news, said, err := s.ledger.ImportMemory(ctx, at.Project, who)
	if said != "" {
		pl.notes = append(pl.notes, said)
	}
	return append(evs, news...), pl, err
}

// unborn tells whether the repository has no commit yet.
func (at *site) unborn(ctx context.Context) bool {
	if at.repo == nil {
		return false
	}
	head, err := at.repo.Head(ctx)
	return err == nil && head.Unborn
}

// hasMore tells whether the folder has files that are not committed. It writes none
// of them anywhere: they may be gigabytes.
func (at *site) hasMore(ctx context.Context) bool {
	more, err := at.repo.Dirty(ctx)
	return err == nil && more
}

func readFacts(ctx context.Context, p *projects.Project) (ledger.Snapshot, *docs.Facts, error) {
	l, err := ledger.ReadSnapshot(ctx, p)
	if err != nil {
		return l, nil, err
	}
	facts := docs.Facts{Features: l.Features()}
	if facts.Risks, err = projects.All[kedge.Risk](ctx, p, journal.KindRisk); err != nil {
		return l, nil, err
	}
	facts.Decisions, err = projects.All[kedge.Decision](ctx, p, journal.KindDecision)
	return l, &facts, err
}

// initEvents are the facts. The folder is not looked at where nothing of the user's
// was ever committed: git would have to store all of it first.
func (s *Setup) initEvents(ctx context.Context, p *projects.Project, who projects.Caller, data kedge.InitData, look bool) ([]kedge.Event, error) {
	var evs []kedge.Event
	add := func(typ kedge.EventType, data any) error {
		ev, err := projects.Event(typ, who, data)
		evs = append(evs, ev)
		return err
	}
	_, known, err := journal.Get[kedge.Project](ctx, p.Store, journal.KindProject, string(p.ID))
	if err == nil && !known {
		err = add(kedge.ProjectCreated, kedge.ProjectData{Dir: p.Dir, Name: p.Name, Git: p.Git})
	}
	if err == nil && (len(data.Files) > 0 || data.Commit != "") {
		err = add(kedge.InitFinished, data)
	}
	if err != nil || len(evs) == 0 || !look {
		return evs, err
	}
	if seen, ok, err := s.status.FilesSeen(ctx, p, who, "init"); err == nil && ok {
		evs = append(evs, seen)
	}
	return evs, nil
}

func (s *Setup) initReply(ctx context.Context, at *site, evs []kedge.Event, pl initPlan) (InitReply, error) {
	r := InitReply{
		Written: []string{}, Checks: []kedge.Check{}, Services: []kedge.Service{}, Left: pl.leftOut(), Trials: []Trial{}, Notes: append([]string{}, pl.notes...),
	}
	if slices.ContainsFunc(evs, func(ev kedge.Event) bool { return ev.Type == kedge.InitFinished }) {
		data, err := projects.DataOf[kedge.InitData](evs, kedge.InitFinished)
		if err != nil {
			return r, err
		}
		for _, f := range data.Files {
			r.Written = append(r.Written, f.Path)
		}
		if data.Commit != "" {
			r.Commit = &data.Commit
		}
	}
	var err error
	if r.Project, err = projects.Known(ctx, at.Store, at.ID); err != nil {
		return r, err
	}
	r.Project.Dir, r.Project.Git = at.Root, at.repo != nil
	g, err := at.gate()
	if err != nil {
		r.Notes = append(r.Notes, err.Error())
	}
	if g != nil {
		r.use(*g)
	}
	r.Setup = at.setup()
	l, err := ledger.ReadSnapshot(ctx, at.Project)
	r.Next = at.next(l, r.Checks)
	switch {
	case pl.here != "" && len(r.Checks) > 0:
		r.Next = pl.here + " && " + r.Next
	case len(r.Checks) == 0 && len(r.Left) > 0:
		r.Next = "make one of these green, switch it on in " + scaffold.GateFile + ", then: kedge gate"
	}
	return r, err
}

// use shows what gate.toml has.
func (r *InitReply) use(g config.Gate) {
	r.Checks, r.Services = append([]kedge.Check{}, g.Checks...), append([]kedge.Service{}, g.Services...)
}
