package reports

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"kedge"
	"kedge/internal/app/landing"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/core/delta"
	"kedge/internal/core/run"
	"kedge/internal/git"
	"kedge/internal/journal"
	"kedge/internal/text/glob"
	"kedge/internal/text/words"
)

// ExplainRequest names what is to be explained: a feature, a commit, or the id of a
// session or a verdict, of which the end is enough.
type ExplainRequest struct {
	Commit string `json:"commit"`
}

// CommitKind says whose a commit is.
type CommitKind string

// The kinds of commit.
const (
	WorkCommit   CommitKind = "work"   // verified work on a feature
	LedgerCommit CommitKind = "ledger" // what Kedge wrote down about it
	OtherCommit  CommitKind = "other"  // not made by a run
	NoCommit     CommitKind = "none"   // of a feature that has none
)

// ExplainReply is the story of a commit: `explain --json`. What is not known is
// null or empty.
type ExplainReply struct {
	Commit     string              `json:"commit"`
	Kind       CommitKind          `json:"kind"`
	Subject    string              `json:"subject"`
	Work       string              `json:"work"` // the work commit that a ledger commit is about
	Run        kedge.RunID         `json:"run"`
	Feature    *kedge.Feature      `json:"feature"`
	Session    *kedge.Session      `json:"session"`
	Checkpoint kedge.CheckpointID  `json:"checkpoint"`
	Validated  string              `json:"validated"` // the tree that was checked
	Evidence   *kedge.Evidence     `json:"evidence"`
	Corners    *kedge.Corners      `json:"corners,omitempty"` // of the evidence; without evidence, of the last verdict that looked at them
	Red        []kedge.Evidence    `json:"red"`               // verdicts on the work on the way that were not green
	Checks     []CheckRuns         `json:"checks"`            // how often each ran on the way
	Files      []git.Change        `json:"files"`
	Decisions  []kedge.DecisionRef `json:"decisions"` // locked ones that apply to the files
	Attempts   int                 `json:"attempts"`
	Findings   []kedge.Finding     `json:"findings"` // what the verdicts on the way had to say
	Ends       []SessionEnd        `json:"ends"`     // of the run's sessions on this feature
	Steps      []RunStep           `json:"steps"`    // of the run, about this feature
}

// noWork stands in a ledger commit that is about no work commit: of a feature
// that was blocked, or of what was there before a run.
const noWork = "none"

// Explain tells what a commit is for, who made it, what proved it and what
// happened on the way: from its trailers and the journal.
func (s *Reports) Explain(ctx context.Context, who projects.Caller, in ExplainRequest) (ExplainReply, error) {
	p, err := s.home.Open(ctx, who)
	if err != nil {
		return ExplainReply{}, err
	}
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return ExplainReply{}, err
	}
	about, err := s.aboutOf(ctx, p, repo, in.Commit)
	if err != nil {
		return ExplainReply{}, err
	}
	if about.commit == "" {
		return s.explainFeature(ctx, p, about)
	}
	return s.explainCommit(ctx, p, repo, about.commit)
}

// untold is a story of which nothing is known yet.
func untold() ExplainReply {
	return ExplainReply{
		Kind: OtherCommit, Files: []git.Change{}, Decisions: []kedge.DecisionRef{}, Red: []kedge.Evidence{}, Findings: []kedge.Finding{},
		Checks: []CheckRuns{},
		Ends:   []SessionEnd{}, Steps: []RunStep{},
	}
}

// explainCommit tells the story of a commit.
func (s *Reports) explainCommit(ctx context.Context, p *projects.Project, repo *git.Repo, rev string) (ExplainReply, error) {
	c, err := repo.ReadCommit(ctx, rev)
	if err != nil {
		return ExplainReply{}, err
	}
	r := untold()
	r.Commit, r.Subject = c.SHA, words.FirstLine(c.Message)
	work := c
	switch sha := c.Trailer("Kedge-Ledger"); sha {
	case "":
	case noWork:
		r.Kind, r.Run = LedgerCommit, kedge.RunID(c.Trailer("Kedge-Run"))
		return r, s.explainLedger(ctx, p, c.SHA, &r)
	default:
		r.Kind, r.Work = LedgerCommit, sha
		if work, err = repo.ReadCommit(ctx, sha); err != nil {
			return r, err
		}
	}
	if work.Trailer("Kedge-Feature") != "" {
		if r.Kind == OtherCommit {
			r.Kind = WorkCommit
		}
		return r, s.explainWork(ctx, p, repo, work, &r)
	}
	if r.Kind == OtherCommit {
		err = s.explainOther(ctx, p, repo, &r)
	}
	return r, err
}

// explainLedger tells of the feature whose status a ledger commit without work is
// about, and what happened to it. Its subject names the feature.
func (s *Reports) explainLedger(ctx context.Context, p *projects.Project, sha string, r *ExplainReply) error {
	words := strings.Fields(r.Subject) // kedge: ID is STATUS
	if r.Run == "" || len(words) != 4 || words[2] != "is" {
		return nil
	}
	d, ok, err := journal.Get[journal.FeatureDoc](ctx, p.Store, journal.KindFeature, words[1])
	if err != nil || !ok {
		return err
	}
	r.Feature = &d.Feature
	if err := s.storyOf(ctx, p, d.Feature.ID, sha, r); err != nil {
		return err
	}
	return explainVerdicts(ctx, p, d.Feature.ID, r)
}

func (s *Reports) explainWork(ctx context.Context, p *projects.Project, repo *git.Repo, c git.CommitInfo, r *ExplainReply) error {
	r.Checkpoint, r.Validated = kedge.CheckpointID(c.Trailer("Kedge-Checkpoint")), c.Trailer("Kedge-Validated")
	id := kedge.FeatureID(c.Trailer("Kedge-Feature"))
	if d, ok, err := journal.Get[journal.FeatureDoc](ctx, p.Store, journal.KindFeature, string(id)); err != nil {
		return err
	} else if ok {
		r.Feature = &d.Feature
	}
	if ses, ok, err := journal.Get[kedge.Session](ctx, p.Store, journal.KindSession, c.Trailer("Kedge-Session")); err != nil {
		return err
	} else if ok {
		ses = s.sessions.Seen(ctx, ses)
		r.Session = &ses
	}
	if err := s.explainFiles(ctx, p, repo, c, r); err != nil {
		return err
	}
	if err := s.storyOf(ctx, p, id, c.SHA, r); err != nil {
		return err
	}
	if err := describedEnds(ctx, repo, r.Ends); err != nil {
		return err
	}
	return explainVerdicts(ctx, p, id, r)
}

// explainFiles lists what the commit changes, and the decisions that apply.
func (s *Reports) explainFiles(ctx context.Context, p *projects.Project, repo *git.Repo, c git.CommitInfo, r *ExplainReply) error {
	if len(c.Parents) == 0 {
		return nil
	}
	files, err := repo.Diff(ctx, c.Parents[0], c.SHA)
	if err != nil {
		return err
	}
	r.Files = files
	decisions, err := projects.All[kedge.Decision](ctx, p, journal.KindDecision)
	for _, d := range decisions {
		if d.Status == kedge.DecisionLocked && applies(d, files) {
			r.Decisions = append(r.Decisions, kedge.DecisionRef{ID: d.ID, Title: d.Title})
		}
	}
	return err
}

func applies(d kedge.Decision, files []git.Change) bool {
	return slices.ContainsFunc(files, func(f git.Change) bool {
		return slices.ContainsFunc(d.AppliesTo, func(g string) bool { return glob.Match(g, f.Path) })
	})
}

// storyOf reads the steps of the run that made the commit, as far as they are
// about the feature.
func (s *Reports) storyOf(ctx context.Context, p *projects.Project, id kedge.FeatureID, commit string, r *ExplainReply) error {
	stories := map[kedge.RunID]*story{}
	for ev, err := range p.Store.Since(ctx, 0) {
		if err != nil {
			return err
		}
		if ev.Type != kedge.RunStepped {
			continue
		}
		var d delta.Stepped
		if err := json.Unmarshal(ev.Data, &d); err != nil {
			return kedge.Errorf(kedge.Internal, "cannot read event %d in Kedge's journal of this project: %w", ev.Seq, err).WithHint("see what is wrong: kedge doctor")
		}
		if stories[d.Run] == nil {
			stories[d.Run] = newStory(id)
		}
		if stories[d.Run].take(d) == commit {
			r.Run = d.Run
		}
	}
	if st := stories[r.Run]; st != nil && r.Run != "" {
		r.Steps, r.Ends, r.Attempts = st.steps, st.ends, st.attempts
	}
	return toldEnds(ctx, p, r.Ends)
}

// explainVerdicts finds the evidence, and everything that was found in the work
// on the feature.
func explainVerdicts(ctx context.Context, p *projects.Project, id kedge.FeatureID, r *ExplainReply) error {
	evidence, err := journal.About[kedge.Evidence](ctx, p.Store, journal.KindEvidence, string(id))
	if err != nil {
		return err
	}
	r.Checks = runsOf(evidence)
	for i, ev := range evidence {
		if r.Feature != nil && r.Feature.Evidence != nil && *r.Feature.Evidence == ev.ID {
			r.Evidence = &evidence[i]
		}
		if !ev.Verdict.Green() && ev.JudgesWork() {
			r.Red = append(r.Red, ev)
		}
	}
	r.Corners = cornersOf(r.Evidence, evidence)
	r.Findings, err = ledger.FindingsOn(ctx, p, id)
	return err
}

// cornersOf are the corners of a feature's evidence. If it has none yet, those of the last verdict
// that looked at them: you may be about to decide about it.
func cornersOf(proved *kedge.Evidence, all []kedge.Evidence) *kedge.Corners {
	if proved != nil {
		return proved.Corners
	}
	var last kedge.Evidence
	for _, ev := range all {
		if ev.Corners != nil && !ev.At.Before(last.At) {
			last = ev
		}
	}
	return last.Corners
}

// StepOf tells a step in words; asked is what is outstanding, and is kept up.
func StepOf(d delta.Stepped, asked map[int64]run.Command) RunStep {
	about, answers := asked[d.Event.Epoch], false
	if about.Kind != "" {
		answers = about.Kind.Answer() == d.Event.Kind
	}
	if answers {
		delete(asked, d.Event.Epoch)
	}
	for _, c := range d.Commands() {
		asked[c.Epoch] = c
	}
	feature := about.Feature
	if feature == "" {
		feature = d.Event.Feature
	}
	return RunStep{
		N: d.N, At: d.Event.At, Event: d.Event.Kind, Outcome: d.Event.Outcome, Feature: feature,
		Text: strings.TrimSpace(wordsFor(d, about)),
	}
}

// explainOther tells of a commit that no run made whether it came to a branch while a
// session worked, and which one that was.
func (s *Reports) explainOther(ctx context.Context, p *projects.Project, repo *git.Repo, r *ExplainReply) error {
	moves, err := landing.RefMoves(ctx, p)
	if err != nil {
		return err
	}
	for _, m := range moves {
		if brought, err := m.Brought(ctx, repo, r.Commit); err != nil {
			return err
		} else if !brought {
			continue
		}
		r.Findings = append(r.Findings, m.Finding())
		if r.Session != nil && !m.Within {
			continue
		}
		ses, ok, err := journal.Get[kedge.Session](ctx, p.Store, journal.KindSession, string(m.Session))
		if err != nil {
			return err
		}
		if ok {
			ses = s.sessions.Seen(ctx, ses)
			r.Session = &ses
		}
	}
	return nil
}

// RunStep is one step of a run, in words.
type RunStep struct {
	N       int64           `json:"n"`
	At      time.Time       `json:"at"`
	Event   run.InputKind   `json:"event"`
	Outcome run.Outcome     `json:"outcome,omitempty"`
	Feature kedge.FeatureID `json:"feature,omitempty"`
	Text    string          `json:"text"` // empty: nothing that a person has to read
	Stage   Stage           `json:"stage,omitempty"`
}
