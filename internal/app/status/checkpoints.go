package status

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/core/brief"
	"kedge/internal/journal"
	"kedge/internal/text/redact"
)

// MaxReread is how many changed files a checkpoint lists unless the caller names files.
const MaxReread = 40

// CheckpointSaveRequest asks for a checkpoint. Kedge fills in what is empty: the task
// and the resume instruction from the next feature, the files from what changed.
type CheckpointSaveRequest struct {
	Task   string   `json:"task,omitempty"`
	Resume string   `json:"resume,omitempty"`
	Files  []string `json:"files,omitempty"` // from the caller's folder
}

// CheckpointShowRequest names a checkpoint; empty is the latest.
type CheckpointShowRequest struct {
	ID kedge.CheckpointID `json:"id,omitempty"`
}

// CheckpointReply is a checkpoint, with its files compared with the folder now.
type CheckpointReply struct {
	kedge.Checkpoint
	Summary     string    `json:"summary"`
	BudgetSpent Usage     `json:"budget_spent"`
	Timestamp   time.Time `json:"timestamp"`
	Path        string    `json:"path"`
	Moved       []string  `json:"moved"` // lines found above the end marker, now below it
	ledger.Notices
	Text string `json:"text"`
}

// Usage is tokens and money spent; nil is unknown, never 0.
type Usage struct {
	Tokens *int64   `json:"tokens"`
	USD    *float64 `json:"usd"`
}

// LintRequest names a document; empty is the latest one in the repository.
type LintRequest struct {
	File string `json:"file,omitempty"` // from the caller's folder
}

// LintReply is what a lint found.
type LintReply struct {
	OK       bool            `json:"ok"`
	File     string          `json:"file"`
	Findings []kedge.Finding `json:"findings"`
}

// CheckpointSave records a checkpoint in the journal and writes checkpoint.md. Sessions
// save theirs in every project; where it is not set up, in the journal only.
func (s *Reporter) CheckpointSave(ctx context.Context, who projects.Caller, in CheckpointSaveRequest) (CheckpointReply, error) {
	p, err := s.home.Open(ctx, who)
	if err != nil {
		return CheckpointReply{}, err
	}
	evs, notices, err := s.ledger.ChangeIn(ctx, p, who, func(p *projects.Project, _ ledger.Snapshot) ([]kedge.Event, error) {
		c, moved, err := s.newCheckpoint(ctx, p, who, in)
		if err != nil {
			return nil, err
		}
		evs, err := s.savedEvents(ctx, p, who, kedge.CheckpointSaved, c, "checkpoint")
		return withMoved(evs, err, who, ledger.CheckpointFile, moved)
	})
	if err != nil {
		return CheckpointReply{}, err
	}
	c, err := projects.DataOf[kedge.Checkpoint](evs, kedge.CheckpointSaved)
	if err != nil {
		return CheckpointReply{}, err
	}
	s.keepSeen(ctx, p, evs)
	left, err := s.ledger.WriteLatest(ctx, p)
	if err != nil {
		return CheckpointReply{}, err
	}
	notices.Warnings = ledger.MergeWarnings(notices.Warnings, left)
	r, err := checkpointReply(p, c)
	notices.Unlanded = s.ledger.Unlanded(ctx, p, r.Path, []byte(r.Text))
	r.Moved, r.Notices = movedLines(evs), notices
	return r, err
}

// CheckpointShow gives a checkpoint, its files compared with the folder now.
func (s *Reporter) CheckpointShow(ctx context.Context, who projects.Caller, in CheckpointShowRequest) (CheckpointReply, error) {
	p, err := s.home.Open(ctx, who)
	if err != nil {
		return CheckpointReply{}, err
	}
	c, err := Saved[kedge.Checkpoint](ctx, p, journal.KindCheckpoint, string(in.ID))
	if err != nil {
		return CheckpointReply{}, err
	}
	return checkpointReply(p, c)
}

// CheckpointLint checks a checkpoint file as it is in the folder.
func (s *Reporter) CheckpointLint(ctx context.Context, who projects.Caller, in LintRequest) (LintReply, error) {
	p, err := s.home.Open(ctx, who)
	if err != nil {
		return LintReply{}, err
	}
	name, b, err := document(p, who, in.File, ledger.CheckpointFile)
	if err != nil {
		return LintReply{}, err
	}
	return lintReply(name, brief.LintCheckpoint(name, b, s.existsAt(ctx, p, name, b))), nil
}

func lintReply(name string, found []kedge.Finding) LintReply {
	if found == nil {
		found = []kedge.Finding{}
	}
	return LintReply{OK: len(found) == 0, File: name, Findings: found}
}

// existsAt tells whether a path exists at a checkpoint's commit, or in the tree
// that it was made of: work that was not committed yet is there only. Without
// either, and in a plain folder, it is the folder that counts.
func (s *Reporter) existsAt(ctx context.Context, p *projects.Project, name string, b []byte) func(string) bool {
	inFolder := func(path string) bool { _, ok, err := p.Read(path); return ok && err == nil }
	c, err := brief.ParseCheckpoint(name, b)
	repo, gitErr := s.home.Git(ctx, p)
	if err != nil || gitErr != nil || c.Commit == "" && c.Tree == "" {
		return inFolder
	}
	return func(path string) bool {
		for _, rev := range []string{c.Commit, c.Tree} {
			if rev == "" {
				continue
			}
			if ok, err := repo.Exists(ctx, rev, path); err == nil && ok {
				return true
			}
		}
		return false
	}
}

// newCheckpoint gathers what is known. moved are the lines that somebody wrote
// above the end marker of the file it replaces.
func (s *Reporter) newCheckpoint(ctx context.Context, p *projects.Project, who projects.Caller, in CheckpointSaveRequest) (kedge.Checkpoint, []string, error) {
	now := s.home.Now()
	c := kedge.Checkpoint{ID: kedge.CheckpointID(kedge.NewID("ckp", now)), At: now}
	st, err := s.stateOf(ctx, p, who)
	if err != nil {
		return c, nil, err
	}
	c.Session, c.Agent, c.USD = st.session.ID, st.agent(who), st.session.USD
	c.Plan, c.Status, c.Commit, c.Tree = st.Plan.ID, st.Checklist(), st.head.Commit, st.tree
	c.Decisions, c.RuledOut, c.Risks = st.Locked(), st.RuledOut(), st.RiskTexts()
	if c.Files, err = s.reread(ctx, p, who, st, in.Files); err != nil {
		return c, nil, err
	}
	c.Task, c.Resume = in.Task, ResumeText(in.Resume, st.Next, len(c.Files) > 0)
	if strings.TrimSpace(c.Task) == "" {
		c.Task = st.task()
	}
	var moved []string
	c.HumanNotes, moved, err = humanNotes(p, ledger.CheckpointFile, func() ([]byte, error) {
		last, err := projects.Latest[kedge.Checkpoint](ctx, p, journal.KindCheckpoint)
		if last == nil || err != nil {
			return nil, err
		}
		return brief.WriteCheckpoint(*last)
	}, func(b []byte) error { _, err := brief.ParseCheckpoint(ledger.CheckpointFile, b); return err })
	if err != nil {
		return c, nil, err
	}
	if c, err = Redacted(c); err != nil {
		return c, nil, err
	}
	c = brief.Fit(c)
	_, err = brief.WriteCheckpoint(c)
	return c, moved, err
}

// Redacted removes secrets before a text is shortened. The journal would not recognise
// half a secret.
func Redacted[T any](v T) (T, error) {
	var out T
	b, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(redact.JSON(b), &out)
	}
	if err != nil {
		return out, kedge.Errorf(kedge.Internal, "Kedge saved nothing, because it could not search the text for secrets: %w", err)
	}
	return out, nil
}

// ResumeText gives the instruction to start at the next item, in the caller's words if
// there are any.
func ResumeText(text string, next kedge.Next, files bool) string {
	text = strings.TrimSpace(text)
	if text != "" && brief.NamesItem(text) {
		return text
	}
	if next.Feature == nil {
		if text == "" {
			text = next.Why
		}
		return "Nothing is ready to start, item none: " + text
	}
	start := "Start at "
	if next.Phase != "" {
		start += "phase " + next.Phase + ", "
	}
	if next.Item != "" {
		start += "item " + next.Item + " (feature " + string(next.Feature.ID) + ")."
	} else {
		start += "feature " + string(next.Feature.ID) + "."
	}
	if text != "" {
		return start + " " + text
	}
	if files {
		start += " Re-read the files above before editing."
	}
	if next.Command != "" {
		start += " First command: " + next.Command
	}
	return start
}

// reread lists the files that a fresh session has to read: those the caller
// names, else those that differ from the last commit and the feature's own.
func (s *Reporter) reread(ctx context.Context, p *projects.Project, who projects.Caller, st State, named []string) ([]kedge.FileRef, error) {
	paths := []string{}
	for _, name := range named {
		path, err := inside(p, who, name)
		if err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	changed, err := s.changedSinceCommit(ctx, p, st)
	if err != nil {
		return nil, err
	}
	if len(named) == 0 {
		paths = append(paths, changed...)
		if st.Next.Feature != nil {
			paths = append(paths, st.Next.Feature.Files...)
		}
	}
	var out []kedge.FileRef
	for _, path := range paths {
		if slices.ContainsFunc(out, func(f kedge.FileRef) bool { return f.Path == path }) {
			continue
		}
		b, ok, err := p.Read(path)
		if len(named) > 0 && err != nil {
			return nil, err
		}
		if len(named) > 0 && !ok {
			return nil, kedge.Errorf(kedge.NotFound, "there is no file %q in the project", path).WithHint("repeat your command with a file that exists: kedge checkpoint save --file FILE")
		}
		if !ok || err != nil || len(named) == 0 && len(out) == MaxReread {
			continue
		}
		f := kedge.FileRef{Path: path, SHA256: brief.Hash(b)}
		if who.IsAgent() && slices.Contains(changed, path) {
			f.ChangedBy = "agent"
		}
		out = append(out, f)
	}
	return out, nil
}

// inside makes a path given in the caller's folder one from the project's.
func inside(p *projects.Project, who projects.Caller, name string) (string, error) {
	abs := name
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(who.Dir, name)
	}
	rel, err := filepath.Rel(p.Dir, abs)
	if err != nil || !filepath.IsLocal(rel) || rel == "." {
		return "", kedge.Errorf(kedge.Invalid, "the file %q is not inside the project %q", name, p.Dir).WithHint("repeat your command with files in that folder")
	}
	return filepath.ToSlash(rel), nil
}

// document reads the file that a lint is about.
func document(p *projects.Project, who projects.Caller, given, standard string) (string, []byte, error) {
	name := standard
	if given != "" {
		var err error
		if name, err = inside(p, who, given); err != nil {
			return "", nil, err
		}
	}
	b, ok, err := p.Read(name)
	if err == nil && !ok {
		err = kedge.Errorf(kedge.NotFound, "there is no file %q in the project", name).WithHint("write %s: %s", standard, brief.SaveCommand(strings.TrimSuffix(filepath.Base(standard), ".md")))
	}
	return name, b, err
}

// humanNotes gives what people wrote into a document that is about to be
// replaced. One that Kedge can read has it below the end marker; in one that was
// edited above it the foreign lines are moved there.
func humanNotes(p *projects.Project, name string, last func() ([]byte, error), parse func([]byte) error) (string, []string, error) {
	old, ok, err := p.Read(name)
	if p.IsFolder(name) {
		return "", nil, nil
	}
	if err != nil || !ok {
		return "", nil, err
	}
	if parse(old) == nil {
		return brief.HumanNotes(old), nil, nil
	}
	known, err := last()
	if err != nil {
		return "", nil, err
	}
	notes, moved := brief.Rescue(old, known)
	return notes, moved, nil
}

// savedEvents is a document's fact and the tree as it was seen with it.
func (s *Reporter) savedEvents(ctx context.Context, p *projects.Project, who projects.Caller, typ kedge.EventType, doc any, cause string) ([]kedge.Event, error) {
	ev, err := projects.Event(typ, who, doc)
	if err != nil {
		return nil, err
	}
	seen, ok, err := s.FilesSeen(ctx, p, who, cause)
	if err != nil || !ok {
		return []kedge.Event{ev}, err
	}
	return []kedge.Event{ev, seen}, nil
}

// withMoved adds the report of lines that were moved below the end marker.
func withMoved(evs []kedge.Event, err error, who projects.Caller, path string, moved []string) ([]kedge.Event, error) {
	if err != nil || len(moved) == 0 {
		return evs, err
	}
	ev, err := projects.Event(kedge.HandEditFound, who, kedge.HandEditData{Path: path, Found: strings.Join(moved, "\n"), Action: "imported"})
	return append(evs, ev), err
}

func movedLines(evs []kedge.Event) []string {
	edit, err := projects.DataOf[kedge.HandEditData](evs, kedge.HandEditFound)
	if err != nil {
		return []string{}
	}
	return strings.Split(edit.Found, "\n")
}

// Saved gives one checkpoint or handoff, or the newest when id is empty.
func Saved[T any](ctx context.Context, p *projects.Project, kind journal.Kind, id string) (T, error) {
	if id != "" {
		v, ok, err := journal.Get[T](ctx, p.Store, kind, id)
		if err == nil && !ok {
			err = kedge.Errorf(kedge.NotFound, "there is no %s %q", kind, id).WithHint("see the latest %[1]s and its id: kedge %[1]s show", kind)
		}
		return v, err
	}
	v, err := projects.Latest[T](ctx, p, kind)
	if err != nil || v == nil {
		var zero T
		if err == nil {
			err = kedge.Errorf(kedge.NotFound, "no %s was saved yet", kind).WithHint("save a %s: %s", kind, brief.SaveCommand(string(kind)))
		}
		return zero, err
	}
	return *v, nil
}

func checkpointReply(p *projects.Project, c kedge.Checkpoint) (CheckpointReply, error) {
	text, err := brief.WriteCheckpoint(c)
	if err != nil {
		return CheckpointReply{}, err
	}
	c.Files = brief.Compare(c.Files, func(path string) (string, bool) { return FileHash(p, path) })
	return CheckpointReply{
		Checkpoint: c, Summary: brief.Summary(c), BudgetSpent: Usage{c.Tokens, c.USD}, Timestamp: c.At,
		Path: ledger.CheckpointFile, Moved: []string{}, Text: string(text),
	}, nil
}

// FileHash gives the hash of a file as it is now, and false when it does not exist.
func FileHash(p *projects.Project, path string) (string, bool) {
	b, ok, err := p.Read(path)
	return brief.Hash(b), ok && err == nil
}
