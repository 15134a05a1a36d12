package status

import (
	"context"
	"os"
	"time"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/core/plan"
	"kedge/internal/git"
	"kedge/internal/insight/stats"
	"kedge/internal/journal"
)

// Request asks for the status of a project.
type Request struct{}

// Reply is `status --json`.
type Reply struct {
	Daemon       *DaemonInfo          `json:"daemon"`
	Project      kedge.ProjectID      `json:"project"`
	Name         string               `json:"name"`
	Dir          string               `json:"dir"`
	NotSetUp     bool                 `json:"not_set_up,omitempty"` // the files that init writes are not there
	Plan         *PlanInfo            `json:"plan"`
	Run          *RunInfo             `json:"run"`
	Features     FeatureCounts        `json:"features"`
	Sessions     SessionCounts        `json:"sessions"`
	Warnings     []SessionWarning     `json:"warnings,omitempty"` // about living sessions that you drive
	Settings     []kedge.Finding      `json:"settings,omitempty"` // mistakes in config.toml or gate.toml
	Drift        []kedge.Drift        `json:"drift"`
	DriftUnknown string               `json:"drift_unknown,omitempty"` // why drift is not known
	Usage        Usage                `json:"usage"`
	Checkpoint   *kedge.CheckpointID  `json:"checkpoint"`
	Handoff      *HandoffInfo         `json:"handoff"`
	Gate         *GateInfo            `json:"gate"`
	OpenRisks    int                  `json:"open_risks"`
	Edits        []kedge.HandEditData `json:"edits"`              // of files that only Kedge writes
	Behind       []string             `json:"behind,omitempty"`   // of these, what is older than the journal: the next command that writes brings it up
	Stranded     []plan.Stranded      `json:"stranded,omitempty"` // features behind one that was skipped
	Steps        []string             `json:"steps"`              // what you do next, each a command that can be pasted
	NextSteps    []kedge.NextStep     `json:"next_steps"`
	Next         *kedge.Next          `json:"next"`
	Why          string               `json:"why,omitempty"` // why nothing is next
}

// DaemonInfo is the daemon that answers.
type DaemonInfo struct {
	PID     int    `json:"pid"`
	Version string `json:"version"`
}

// PlanInfo is the plan that is followed or, without one, the draft in plan.md.
type PlanInfo struct {
	ID     kedge.PlanID     `json:"id"`
	Status kedge.PlanStatus `json:"status"`

	NotGreen []plan.NotGreen `json:"not_green,omitempty"` // its commands that are not green although it is done
}

// RunInfo is the newest run.
type RunInfo struct {
	ID       kedge.RunID `json:"id"`
	State    string      `json:"state"`
	Reason   string      `json:"reason"`
	Halt     string      `json:"halt,omitempty"` // why nothing new starts
	HaltedAt *time.Time  `json:"halted_at,omitempty"`
	HaltedBy kedge.Actor `json:"halted_by,omitempty"`
	Next     []string    `json:"next,omitempty"`    // what a person does about it
	Notices  []string    `json:"notices,omitempty"` // the last compaction, or refusal of the provider, of each living session

	Forecast *stats.Course `json:"forecast,omitempty"` // and how far a run that is not over is off
}

// FeatureCounts counts features by status.
type FeatureCounts struct {
	Total       int `json:"total"`
	Pending     int `json:"pending"`
	InProgress  int `json:"in_progress"`
	Completed   int `json:"completed"`
	Blocked     int `json:"blocked"`
	NeedsReview int `json:"needs_review"`
	Regressed   int `json:"regressed"`
	Skipped     int `json:"skipped"`
}

// SessionCounts counts sessions.
type SessionCounts struct {
	Total       int `json:"total"`
	Live        int `json:"live"`
	Waiting     int `json:"waiting"`     // of these, for you
	Interrupted int `json:"interrupted"` // as `stats` counts them
}

// Status gives the progress of the work and the changes made outside Kedge.
func (s *Reporter) Status(ctx context.Context, who projects.Caller, _ Request) (Reply, error) {
	p, err := s.home.Open(ctx, who)
	if err != nil {
		return Reply{}, err
	}
	st, err := s.stateOf(ctx, p, who)
	if err != nil {
		return Reply{}, err
	}
	r := Reply{Daemon: s.daemonInfo(), Project: p.ID, Name: p.Title(), Dir: p.Dir, Features: CountFeatures(st.Ledger.Features()), Stranded: plan.StrandedIn(st.Ledger.Features())}
	if r.Plan = planInfo(p, st); r.Plan != nil {
		if r.Plan.NotGreen, err = ledger.NotGreen(ctx, p); err != nil {
			return Reply{}, err
		}
	}
	if st.Next.Feature != nil {
		r.Next = &st.Next
	} else {
		r.Why = st.Next.Why
	}
	sessions, err := projects.All[kedge.Session](ctx, p, journal.KindSession)
	if err != nil {
		return Reply{}, err
	}
	if r.Sessions, err = s.countSessions(ctx, p, sessions); err != nil {
		return Reply{}, err
	}
	r.Warnings, r.Usage = warningsOf(sessions), usageOf(sessions)
	r.Settings = projects.BrokenSettings(p, projects.UserFile(os.Environ()))
	last, err := projects.Latest[kedge.Checkpoint](ctx, p, journal.KindCheckpoint)
	if err != nil {
		return Reply{}, err
	}
	if last != nil {
		r.Checkpoint = &last.ID
	}
	if err := s.lastThings(ctx, p, st, &r); err != nil {
		return Reply{}, err
	}
	if err := s.runs.Status(ctx, p, &r); err != nil {
		return Reply{}, err
	}
	if r.NotSetUp = s.home.NotSetUp(ctx, p); r.NotSetUp {
		r.NextSteps = []kedge.NextStep{kedge.Step("kedge", "init").For("set Kedge up here")}
		r.Steps = kedge.StepLines(r.NextSteps)
	}
	if r.Drift, r.DriftUnknown, err = s.drift(ctx, p, st); err != nil {
		return Reply{}, err
	}
	p = s.ledger.AsCheckedOut(ctx, p)
	r.Behind = s.ledger.OutdatedFiles(p, st.Ledger)
	_, _, inMemory, err := s.ledger.ReadMemoryAndEdits(ctx, who)
	r.Edits = append(append([]kedge.HandEditData{}, s.ledger.HandEdits(ctx, p, st.Ledger)...), inMemory...)
	return r, err
}

func planInfo(p *projects.Project, st State) *PlanInfo {
	if st.Plan.ID != "" {
		return &PlanInfo{ID: st.Plan.ID, Status: st.Plan.Status}
	}
	b, ok, err := p.Read(ledger.PlanFile)
	if err != nil || !ok {
		return nil
	}
	if d, err := plan.ParsePlan(ledger.PlanFile, b); d != nil && err == nil {
		return &PlanInfo{ID: d.Plan.ID, Status: d.Plan.Status}
	}
	return nil
}

// daemonInfo is nil when no daemon answers: a service that may not write runs in
// the caller's own process.
func (s *Reporter) daemonInfo() *DaemonInfo {
	if s.home.ReadOnly {
		return nil
	}
	return &DaemonInfo{PID: os.Getpid(), Version: kedge.Version}
}

// CountFeatures counts features by their status.
func CountFeatures(features []kedge.Feature) FeatureCounts {
	n := map[kedge.Status]int{}
	for _, f := range features {
		n[f.Status]++
	}
	return FeatureCounts{
		Total: len(features), Pending: n[kedge.Pending], InProgress: n[kedge.InProgress], Completed: n[kedge.Completed],
		Blocked: n[kedge.BlockedWork], NeedsReview: n[kedge.NeedsReview], Regressed: n[kedge.Regressed], Skipped: n[kedge.Skipped],
	}
}

// drift lists what differs between the folder now and the tree that Kedge last
// saw. unknown says why it cannot be told; then the list is empty.
func (s *Reporter) drift(ctx context.Context, p *projects.Project, st State) (list []kedge.Drift, unknown string, err error) {
	list = []kedge.Drift{}
	if st.tree == "" {
		return list, st.treeErr, nil
	}
	if _, apart := s.home.SessionWorktree(p); apart {
		return list, "Kedge compares the files of your checkout, not those in the worktree of a session", nil
	}
	seen, ok, err := journal.Get[journal.SeenDoc](ctx, p.Store, journal.KindSeen, journal.SeenLast)
	if err != nil {
		return list, "", err
	}
	if !ok || seen.Tree == "" {
		return list, "Kedge has not recorded the files yet; to record them: kedge checkpoint save", nil
	}
	changes, err := s.Diff(ctx, p, seen.Tree, st.tree)
	if kedge.NotFound.Is(err) {
		return list, "git no longer has the files that Kedge recorded last; to record them: kedge checkpoint save", nil
	}
	if err == nil {
		changes, err = s.outOfBand(ctx, p, seen.FilesSeenData, st, changes)
	}
	for _, c := range changes {
		list = append(list, kedge.Drift{Path: c.Path, State: DriftState(c.Status), Added: c.Added, Removed: c.Removed})
	}
	return list, "", err
}

// DriftState translates a status letter of git's.
func DriftState(status string) kedge.FileState {
	switch status {
	case "A":
		return kedge.FileNew
	case "D":
		return kedge.FileGone
	default:
		return kedge.FileChanged
	}
}

// Diff lists the paths that differ between two trees, without generated files.
func (s *Reporter) Diff(ctx context.Context, p *projects.Project, from, to string) ([]git.Change, error) {
	if from == to {
		return nil, nil
	}
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return nil, err
	}
	changes, err := repo.Diff(ctx, from, to)
	var out []git.Change
	for _, c := range changes {
		if !kedge.IsGenerated(c.Path) {
			out = append(out, c)
		}
	}
	return out, err
}

// changedSinceCommit lists the files that differ from HEAD.
func (s *Reporter) changedSinceCommit(ctx context.Context, p *projects.Project, st State) ([]string, error) {
	if st.tree == "" || st.head.Commit == "" {
		return nil, nil
	}
	changes, err := s.Diff(ctx, p, st.head.Commit, st.tree)
	var out []string
	for _, c := range changes {
		if c.Status != "D" && !kedge.IsOwnPath(c.Path) {
			out = append(out, c.Path)
		}
	}
	return out, err
}

// FilesSeen makes the event that records the present tree, from which drift is measured.
// OK is false if there is no tree, and where drift is not measured: in the worktrees of runs
// and of sessions.
func (s *Reporter) FilesSeen(ctx context.Context, p *projects.Project, who projects.Caller, cause string) (ev kedge.Event, ok bool, err error) {
	if !s.home.MeasuresDrift(p) {
		return ev, false, nil
	}
	var st State
	s.lookAtTree(ctx, p, &st)
	if st.tree == "" {
		return ev, false, nil
	}
	ev, err = projects.Event(kedge.FilesSeen, who, kedge.FilesSeenData{Tree: st.tree, Cause: cause, Head: st.head.Commit})
	return ev, err == nil, err
}

// Look records the present tree in the journal.
func (s *Reporter) Look(ctx context.Context, p *projects.Project, who projects.Caller, cause string) error {
	who.Key = "" // beside what was asked for
	evs, err := s.home.Write(ctx, p, who, func() ([]kedge.Event, error) {
		ev, ok, err := s.FilesSeen(ctx, p, who, cause)
		if err != nil || !ok {
			return nil, err
		}
		return []kedge.Event{ev}, nil
	})
	s.keepSeen(ctx, p, evs)
	return err
}

// seenRef keeps the tree that Kedge saw last from being collected by git.
const seenRef = "refs/kedge/seen"

// keepSeen points seenRef at the tree of a FilesSeen event. That it cannot is no
// error: the fact is in the journal, and without the tree drift is unknown.
func (s *Reporter) keepSeen(ctx context.Context, p *projects.Project, evs []kedge.Event) {
	seen, err := projects.DataOf[kedge.FilesSeenData](evs, kedge.FilesSeen)
	if err != nil {
		return // nothing was seen
	}
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return
	}
	old, err := repo.Resolve(ctx, seenRef)
	if err == nil || kedge.NotFound.Is(err) {
		err = repo.UpdateRef(ctx, seenRef, seen.Tree, old)
	}
	if err != nil {
		s.home.Log.WarnContext(ctx, "cannot save which files Kedge saw last", "project", p.ID, "error", err.Error())
	}
}
