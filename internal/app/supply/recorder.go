package supply

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/app/sessions"

	"kedge/internal/app/verify"
	"kedge/internal/core/config"
	"kedge/internal/core/run"
	"kedge/internal/core/watch"
	"kedge/internal/engine/execute"
	"kedge/internal/journal"
)

// recorder is the ledger as the executor of a project's runs needs it.
type recorder struct {
	s *Supply
	p *projects.Project
}

// caller is the run itself, asking for the writes of one command.
func (l recorder) caller(key string, actor kedge.Actor) projects.Caller {
	return projects.Caller{Dir: l.p.Dir, Actor: actor, Key: key}
}

// add journals one fact, once by its key.
func (l recorder) add(ctx context.Context, key string, actor kedge.Actor, typ kedge.EventType, data any) error {
	who := l.caller(key, actor)
	_, err := l.s.home.Write(ctx, l.p, who, func() ([]kedge.Event, error) { return projects.One(projects.Event(typ, who, data)) })
	return err
}

// Feature gives a feature of the ledger; Conflict when its definition is not the
// one with the hash, of which the first digits suffice.
func (l recorder) Feature(ctx context.Context, id kedge.FeatureID, hash string) (kedge.Feature, error) {
	d, ok, err := journal.Get[journal.FeatureDoc](ctx, l.p.Store, journal.KindFeature, string(id))
	switch {
	case err != nil:
		return kedge.Feature{}, err
	case !ok:
		return kedge.Feature{}, kedge.Errorf(kedge.NotFound, "there is no feature %q", id).WithHint("see the features and their ids: kedge features")
	case !d.Asks(hash):
		return kedge.Feature{}, kedge.Errorf(kedge.Conflict, "the definition of feature %q changed while the run worked on it", id).WithHint("see the current definition: kedge feature show %s", id)
	}
	return d.Feature, nil
}

// Allowed are the paths, and the existing tests, in the definition of a feature, unless an agent
// wrote it: an agent lets nothing in.
func (l recorder) Allowed(ctx context.Context, id kedge.FeatureID) (paths, tests []string, err error) {
	d, _, err := journal.Get[journal.FeatureDoc](ctx, l.p.Store, journal.KindFeature, string(id))
	return d.Named(), d.Announced(), err
}

// Features gives all of them in the order of the ledger.
func (l recorder) Features(ctx context.Context) ([]kedge.Feature, error) {
	led, err := ledger.ReadSnapshot(ctx, l.p)
	return led.Features(), err
}

// Mark journals a status. One that says nothing new is not journaled, nor one that a run decided
// before it heard of what a person said of the feature: then the run hears it here, so that it and
// the ledger come to say the same. Completed needs a full green verdict on the feature in the journal.
func (l recorder) Mark(ctx context.Context, key string, actor kedge.Actor, data kedge.FeatureStatusData) error {
	who := l.caller(key, actor)
	var word run.Input
	var unheard bool
	_, err := l.s.home.Write(ctx, l.p, who, func() ([]kedge.Event, error) {
		led, err := ledger.ReadFeature(ctx, l.p, data.ID, data.Status)
		if err != nil {
			return nil, err
		}
		d, err := led.Find(data.ID)
		if err != nil {
			return nil, err
		}
		if word, unheard, err = ledger.Unheard(ctx, l.p, runOf(key), *d); err != nil || unheard {
			return nil, err
		}
		if data.Status == kedge.Completed {
			if err := l.proven(ctx, data); err != nil {
				return nil, err
			}
		} else {
			data = takeBack(data)
		}
		if d.Status == data.Status && data.Files == nil && data.Notes == nil && (data.Evidence == nil || *data.Evidence == "") {
			return nil, nil
		}
		return led.SetStatus(who, data)
	})
	if err == nil && unheard {
		err = l.s.planner.TellUnheard(ctx, l.p, runOf(key), word)
	}
	return err
}

// runOf is the run whose command a key names.
func runOf(key string) kedge.RunID {
	rest, _ := strings.CutPrefix(key, "run-")
	id, _, _ := strings.Cut(rest, "-")
	return kedge.RunID("run-" + id)
}

// takeBack takes back what only a completed feature has: its date, and a proof
// where there is no other.
func takeBack(data kedge.FeatureStatusData) kedge.FeatureStatusData {
	proof := data.Evidence
	data = ledger.WithoutProof(data)
	if proof != nil {
		data.Evidence = proof
	}
	return data
}

// proven refuses to complete a feature without its verdict.
func (l recorder) proven(ctx context.Context, data kedge.FeatureStatusData) error {
	if data.Evidence == nil {
		return kedge.Errorf(kedge.Conflict, "feature %q is not completed, because it has no result in which all checks are green", data.ID).WithHint("see the feature's results: kedge explain %s", data.ID)
	}
	ev, ok, err := journal.Get[kedge.Evidence](ctx, l.p.Store, journal.KindEvidence, string(*data.Evidence))
	if err != nil {
		return err
	}
	if !ok || ev.Feature != data.ID || !verify.ProvesAll(ev.Verdict) {
		return kedge.Errorf(kedge.Conflict, "feature %[2]q is not completed, because not all checks are green in verdict %[1]q", *data.Evidence, data.ID).WithHint("see the feature's results: kedge explain %s", data.ID)
	}
	return nil
}

// KeepEvidence journals a verdict.
func (l recorder) KeepEvidence(ctx context.Context, key string, ev kedge.Evidence) error {
	by := ev.By
	if by == "" {
		by = kedge.ActorDaemon
	}
	return l.add(ctx, key, by, kedge.GateFinished, ev)
}

// Session journals that a session of a run began or ended. Its name is made
// unique among those that live.
func (l recorder) Session(ctx context.Context, key string, ev kedge.Event) error {
	who := l.caller(key, ev.Actor)
	_, err := l.s.home.Write(ctx, l.p, who, func() ([]kedge.Event, error) {
		if ev.Type != kedge.SessionStarted {
			return []kedge.Event{ev}, nil
		}
		ses, err := projects.Data[kedge.Session](ev)
		if err != nil {
			return nil, err
		}
		if ses.Name, err = l.freeName(ctx, ses); err != nil {
			return nil, err
		}
		return projects.One(projects.Event(ev.Type, who, ses))
	})
	return err
}

// freeName is the session's name, or with the least number behind it that no
// living session has.
func (l recorder) freeName(ctx context.Context, ses kedge.Session) (string, error) {
	for name, n := ses.Name, 2; ; n++ {
		same, err := sessions.Named(ctx, l.p, name)
		if err != nil || !slices.ContainsFunc(same, func(o kedge.Session) bool { return o.ID != ses.ID && o.Live() }) {
			return name, err
		}
		name = numbered(ses.Name, n)
	}
}

// numbered puts a number behind a name, within what a name may be long.
func numbered(name string, n int) string {
	const most = 64
	tail := "-" + strconv.Itoa(n)
	return strings.TrimRight(name[:min(len(name), most-len(tail))], ".") + tail
}

// Salvaged journals what was set aside.
func (l recorder) Salvaged(ctx context.Context, key string, v kedge.Salvage) error {
	return l.add(ctx, key, kedge.ActorDaemon, kedge.SalvageMade, v)
}

// Project writes the projections into a worktree of the project, whichever it
// is. The user's own is left alone.
func (l recorder) Project(ctx context.Context, dir string) error {
	return l.s.book.SyncToCommit(ctx, l.in(dir))
}

// in is the project as seen from another worktree of it.
func (l recorder) in(dir string) *projects.Project { return l.p.In(dir) }

// settings reads config.toml and gate.toml as they are at a commit.
type settings struct {
	s *Supply
	p *projects.Project

	mu    sync.Mutex
	known map[string]settingsAt // by commit: what a commit holds never changes
}

type settingsAt struct {
	cfg  config.Config
	gate config.Gate
}

// knownSettings bounds how many commits are remembered.
const knownSettings = 16

// At gives what people set at the commit, over the user's own file. A commit
// without the files has the defaults, and no checks.
func (r *settings) At(ctx context.Context, commit string) (config.Config, config.Gate, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at, ok := r.known[commit]; ok {
		return at.cfg, at.gate, nil
	}
	repo, err := r.s.home.Git(ctx, r.p)
	if err != nil {
		return config.Config{}, config.Gate{}, err
	}
	at, err := readSettings(ctx, projects.Source{Project: r.p, Repo: repo, Base: commit})
	if err != nil {
		return config.Config{}, config.Gate{}, err
	}
	if r.known == nil || len(r.known) >= knownSettings {
		r.known = map[string]settingsAt{}
	}
	r.known[commit] = at
	return at.cfg, at.gate, nil
}

// readSettings reads both files of a commit, and of nowhere else: a gate.toml
// that the commit does not have is none.
func readSettings(ctx context.Context, src projects.Source) (settingsAt, error) {
	var at settingsAt
	var err error
	if at.cfg, err = src.Config(ctx, projects.UserFile(os.Environ())); err != nil {
		return at, err
	}
	const name = ".kedge/gate.toml"
	b, err := src.Read(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return at, nil
	}
	if err == nil {
		at.gate, err = config.ParseGate(name, b)
	}
	return at, err
}

// Planning answers what the executor asks about sessions that make a plan.
type Planning interface {
	// PlanningBrief is what a planning session starts with.
	PlanningBrief(ctx context.Context, p *projects.Project, b Writer, c run.Command) (string, error)
	// HearPlanning takes what a planning session said: its questions, and its plan.
	HearPlanning(ctx context.Context, p *projects.Project, c run.Command, session kedge.SessionID, ev watch.Act) error
	// PlanFaults says what is wrong with what the planning sessions of a run gave.
	PlanFaults(ctx context.Context, p *projects.Project, c run.Command) (string, error)
	// TellUnheard tells a run what a person said of a feature, which did not reach it yet.
	TellUnheard(ctx context.Context, p *projects.Project, id kedge.RunID, word run.Input) error
}

// Equip fills in what an executor of the project's runs needs of the service:
// the ledger, what sessions are told and leave behind, what people set, and who
// listens to planning sessions.
func (s *Supply) Equip(p *projects.Project, cfg *execute.Config) {
	ledger := recorder{s: s, p: p}
	settings := &settings{s: s, p: p}
	briefs := Writer{recorder: ledger, settings: settings}
	cfg.Ledger, cfg.Briefs, cfg.Rules = ledger, briefs, settings
	cfg.Projected = func(ctx context.Context, path string) bool { return s.landing.Replaceable(ctx, p, path) }
	cfg.Approvals, cfg.Sneaked = approvals{ledger}, s.landing.MovedBySessions(p)
	cfg.Heard = func(ctx context.Context, c run.Command, session kedge.SessionID, ev watch.Act) error {
		return s.planner.HearPlanning(ctx, p, c, session, ev)
	}
	cfg.Planned = func(ctx context.Context, c run.Command) (string, error) { return s.planner.PlanFaults(ctx, p, c) }
	cfg.Route = briefs.route
	cfg.Bounds, cfg.Holding = briefs.bounds, s.keeper.Holding
	cfg.Talking = ledger.talking
}
