package supply

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/app/status"
	"kedge/internal/core/brief"
	docs "kedge/internal/core/memory"
	"kedge/internal/core/plan"
	"kedge/internal/core/run"
	"kedge/internal/engine"
	"kedge/internal/journal"
)

// Checkpoint saves where a job of a run stands.
func (b Writer) Checkpoint(ctx context.Context, c run.Command, at engine.Position) (kedge.CheckpointID, error) {
	key := runKey(c, "checkpoint")
	id := kedge.CheckpointID(kedge.DeriveID("ckp", c.At, key))
	who := b.caller(key, kedge.ActorDaemon)
	_, err := b.s.home.Write(ctx, b.p, who, func() ([]kedge.Event, error) {
		v, err := b.checkpoint(ctx, c, at, id)
		if err != nil {
			return nil, err
		}
		return projects.One(projects.Event(kedge.CheckpointSaved, who, v))
	})
	return id, err
}

// checkpoint gathers what is known.
func (b Writer) checkpoint(ctx context.Context, c run.Command, at engine.Position, id kedge.CheckpointID) (kedge.Checkpoint, error) {
	st, err := b.State(ctx)
	if err != nil {
		return kedge.Checkpoint{}, err
	}
	ses, _, err := journal.Get[kedge.Session](ctx, b.p.Store, journal.KindSession, string(at.Session))
	if err != nil {
		return kedge.Checkpoint{}, err
	}
	st.Ledger = soon(c, st.Ledger)
	st.Next = b.nextOf(c, st.Ledger)
	v := kedge.Checkpoint{
		ID: id, At: c.At, Session: at.Session, Agent: ses.Agent, Plan: st.Plan.ID, Commit: at.Commit, Tree: at.Tree,
		Status: st.Checklist(), Decisions: st.Locked(), RuledOut: st.RuledOut(), Risks: st.RiskTexts(), Task: b.taskOf(c, st),
	}
	if u := at.Trail.Used; u != nil {
		v.Tokens = &u.Tokens
		if u.USD > 0 {
			v.USD = &u.USD
		}
	}
	v.Files = b.filesToRead(c, at, st.Ledger)
	v.Resume = status.ResumeText(b.resumeAt(c), st.Next, len(v.Files) > 0)
	if v.HumanNotes, err = b.peoplesNotes(ctx, at.Commit); err != nil {
		return v, err
	}
	if v, err = status.Redacted(v); err != nil {
		return v, err
	}
	v = brief.Fit(v)
	_, err = brief.WriteCheckpoint(v)
	return v, err
}

// taskOf names what the job is about.
func (b Writer) taskOf(c run.Command, st status.State) string {
	switch {
	case c.Scope == run.PhaseEnd:
		return c.Reason
	case c.Feature == "" && c.Purpose == run.MakePlan:
		return "plan: " + st.Plan.Title
	case c.Feature == "":
		return "make the red baseline green"
	}
	if d, err := st.Ledger.Find(c.Feature); err == nil {
		return string(d.ID) + ": " + d.Name
	}
	return string(c.Feature)
}

// resumeAt is the resume instruction where the work is not at a feature.
func (b Writer) resumeAt(c run.Command) string {
	switch {
	case c.Commit != "" || c.Feature != "" || c.Kind == run.Ledger:
		return ""
	case c.Purpose == run.MakePlan:
		return "Planning continues, item none: kedge plan show"
	default:
		return "Make the project's own checks green first, item none: kedge gate"
	}
}

// soon is the ledger as it will be when the job's work is written down: the checkpoint
// that comes just before that agrees with it. What says no status is completed.
func soon(c run.Command, l ledger.Snapshot) ledger.Snapshot {
	if c.Commit == "" || c.Kind == run.Ledger {
		return l
	}
	l.Docs = slices.Clone(l.Docs)
	for i := range l.Docs {
		if d := &l.Docs[i]; d.ID == c.Feature {
			d.Status = cmp.Or(c.Status, kedge.Completed)
			if c.Evidence != "" {
				d.Evidence = &c.Evidence
			}
		}
	}
	return l
}

// nextOf is where to go on: at the job's own feature, or behind it once its work
// is in a commit.
func (b Writer) nextOf(c run.Command, l ledger.Snapshot) kedge.Next {
	features := l.Features()
	if c.Commit != "" || c.Kind == run.Ledger {
		f, ok := plan.Next(features)
		if !ok {
			return kedge.Next{Why: plan.WhyNothing(features)}
		}
		return b.nextAt(f, l)
	}
	if d, err := l.Find(c.Feature); err == nil {
		return b.nextAt(d.Feature, l)
	}
	return kedge.Next{Why: plan.WhyNothing(features)}
}

func (b Writer) nextAt(f kedge.Feature, l ledger.Snapshot) kedge.Next {
	return kedge.Next{Feature: &f, Phase: f.Phase, Item: l.PlanItem(f.ID), Command: ledger.FirstCommand(f)}
}

// filesToRead are the files that the job changed, those first that its session
// needed next, then its feature's own, with their hashes.
func (b Writer) filesToRead(c run.Command, at engine.Position, l ledger.Snapshot) []kedge.FileRef {
	p := b.p.In(at.Dir)
	var out []kedge.FileRef
	add := func(path, by string) {
		if len(out) >= status.MaxReread || slices.ContainsFunc(out, func(f kedge.FileRef) bool { return f.Path == path }) {
			return
		}
		if h, ok := status.FileHash(p, path); ok {
			out = append(out, kedge.FileRef{Path: path, SHA256: h, ChangedBy: by})
		}
	}
	changed := map[string]bool{}
	for _, f := range at.Files {
		changed[f.Path] = f.Status != "D"
	}
	for _, path := range at.Trail.Stood.Files {
		if changed[path] {
			add(path, "agent")
		}
	}
	for _, f := range at.Files {
		if changed[f.Path] {
			add(f.Path, "agent")
		}
	}
	if d, err := l.Find(c.Feature); err == nil {
		for _, path := range d.Files {
			add(path, "")
		}
	}
	return out
}

// peoplesNotes is what people wrote below the checkpoint that the commit holds.
func (b Writer) peoplesNotes(ctx context.Context, commit string) (string, error) {
	repo, err := b.s.home.Git(ctx, b.p)
	if err != nil || commit == "" {
		return "", err
	}
	old, err := repo.ReadFile(ctx, commit, ledger.CheckpointFile)
	if kedge.NotFound.Is(err) {
		return "", nil
	}
	return brief.HumanNotes(old), err
}

// Note saves what a finished feature taught. One that would teach nothing, a
// feature without a file, a check or a decision, has none.
func (b Writer) Note(ctx context.Context, c run.Command, at engine.Position) error {
	if err := b.settleHandoff(ctx, c); err != nil {
		return err
	}
	key := runKey(c, "note")
	who := b.caller(key, kedge.ActorDaemon)
	_, err := b.s.home.Write(ctx, b.p, who, func() ([]kedge.Event, error) {
		n, err := b.runNote(ctx, c, at)
		if err != nil {
			return nil, err
		}
		n.ID = kedge.NoteID(kedge.DeriveID("not", c.At, key))
		if len(docs.LintNote("", n)) > 0 {
			return nil, nil
		}
		if err := docs.CheckNote(n); err != nil {
			return nil, err
		}
		return projects.One(projects.Event(kedge.NoteAdded, who, n))
	})
	return err
}

// runNote puts together what is known of a piece of work: its definition, git's
// list of files, the decisions that bind them, the verdicts.
func (b Writer) runNote(ctx context.Context, c run.Command, at engine.Position) (kedge.Note, error) {
	l := brief.Learned{At: c.At, Commits: []string{c.Commit}, Cause: brief.StatedCause(at.Trail.Said)}
	for _, f := range at.Files {
		l.Files = append(l.Files, f.Path)
	}
	var err error
	if l.Decisions, err = projects.All[kedge.Decision](ctx, b.p, journal.KindDecision); err != nil {
		return kedge.Note{}, err
	}
	if c.Feature == "" {
		return brief.NoteOf(l), nil
	}
	f, err := b.Feature(ctx, c.Feature, "")
	if err != nil {
		return kedge.Note{}, err
	}
	l.Feature = &f
	snap, err := ledger.ReadSnapshot(ctx, b.p)
	if err != nil {
		return kedge.Note{}, err
	}
	l.Cause = cmp.Or(l.Cause, snap.PlannedCause(f.ID))
	l.Verdicts, err = journal.About[kedge.Evidence](ctx, b.p.Store, journal.KindEvidence, string(c.Feature))
	return brief.NoteOf(l), err
}

// TakenBack corrects the notes on work that a person refused: it is not there any
// more, whatever its checks said.
func (b Writer) TakenBack(ctx context.Context, c run.Command) error {
	back := slices.DeleteFunc(strings.Split(c.Text, ","), func(short string) bool { return short == "" })
	if len(back) == 0 {
		return nil // the beginning of every name is nothing
	}
	notes, err := journal.About[kedge.Note](ctx, b.p.Store, journal.KindNote, string(c.Feature))
	if err != nil {
		return err
	}
	who := b.caller(runKey(c, "taken-back"), kedge.ActorDaemon)
	_, err = b.s.home.Write(ctx, b.p, who, func() (evs []kedge.Event, err error) {
		for _, n := range notes {
			of := slices.ContainsFunc(n.Commits, func(sha string) bool {
				return slices.ContainsFunc(back, func(short string) bool { return strings.HasPrefix(sha, short) })
			})
			if !of {
				continue
			}
			n.Validation = "Kedge reverted the work: " + docs.OneLine(c.Reason)
			ev, err := projects.Event(kedge.NoteAdded, who, n)
			if err != nil {
				return nil, err
			}
			evs = append(evs, ev)
		}
		return evs, nil
	})
	return err
}
