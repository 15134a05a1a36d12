package memory

import (
	"context"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	docs "kedge/internal/core/memory"
	"kedge/internal/journal"
	"kedge/internal/text/words"
)

// NoteAddRequest makes a note. Files are relative to the caller's folder. Without
// Commits the note refers to the present commit.
type NoteAddRequest struct {
	Text        string          `json:"text"`
	Title       string          `json:"title,omitempty"`
	Feature     kedge.FeatureID `json:"feature,omitempty"`
	Files       []string        `json:"files,omitempty"`
	Commits     []string        `json:"commits,omitempty"`
	Tags        []string        `json:"tags,omitempty"`
	Constraints string          `json:"constraints,omitempty"`
	Validation  string          `json:"validation,omitempty"`
	DeadEnds    string          `json:"dead_ends,omitempty"`
}

// NoteReply is a note and the path of its file.
type NoteReply struct {
	Note kedge.Note `json:"note"`
	File string     `json:"file"`
	ledger.Notices
}

// NoteAdd records what was learnt. A note that teaches nothing is Invalid.
func (s *Memory) NoteAdd(ctx context.Context, who projects.Caller, in NoteAddRequest) (NoteReply, error) {
	r, err := s.ledger.Record(ctx, who, func(p *projects.Project, _ ledger.Memory) (kedge.Event, error) {
		n, err := s.newNote(ctx, p, who, in)
		if err != nil {
			return kedge.Event{}, err
		}
		return projects.Event(kedge.NoteAdded, who, n)
	})
	if err != nil {
		return NoteReply{}, err
	}
	v, err := projects.Data[kedge.Note](r.Event)
	if err != nil {
		return NoteReply{}, err
	}
	notes, err := projects.All[kedge.Note](ctx, r.Project, journal.KindNote)
	file := ledger.NotesDir + "/" + docs.NoteFiles(notes)[v.ID]
	r.Notices.Unlanded = s.ledger.Unlanded(ctx, r.Project, file, docs.WriteNote(v))
	return NoteReply{Note: v, File: file, Notices: r.Notices}, err
}

func (s *Memory) newNote(ctx context.Context, p *projects.Project, who projects.Caller, in NoteAddRequest) (kedge.Note, error) {
	now := s.home.Now()
	n := kedge.Note{
		ID: kedge.NoteID(kedge.NewID("not", now)), Feature: in.Feature, Title: docs.OneLine(in.Title), Date: now,
		Commits: []string{}, Tags: []string{}, Files: []string{},
		RootCause: docs.Clean(in.Text), Constraints: docs.Clean(in.Constraints),
		Validation: docs.Clean(in.Validation), DeadEnds: docs.Clean(in.DeadEnds),
	}
	if n.Title == "" {
		n.Title = titleOf(n.RootCause)
	}
	for _, t := range in.Tags {
		n.Tags = append(n.Tags, docs.OneLine(t))
	}
	if err := knownFeature(ctx, p, in.Feature); err != nil {
		return n, err
	}
	if err := noteFiles(p, who, in.Files, &n); err != nil {
		return n, err
	}
	if err := s.noteCommits(ctx, p, in.Commits, &n); err != nil {
		return n, err
	}
	if err := docs.CheckNote(n); err != nil {
		return n, err
	}
	if f := docs.LintNote("", n); len(f) > 0 {
		return n, kedge.Errorf(kedge.Invalid, "%s", f[0].What).WithHint("%s", f[0].Fix)
	}
	return n, nil
}

// titleLength is how much of a note's text becomes its title.
const titleLength = 72

// titleOf makes a title of a text: its first sentence or line, cut between
// words.
func titleOf(text string) string {
	line, _, _ := strings.Cut(strings.TrimLeft(text, "#- \t\n"), "\n")
	line, _, _ = strings.Cut(line, ". ")
	line = strings.TrimRight(docs.OneLine(line), ".")
	if utf8.RuneCountInString(line) <= titleLength {
		return line
	}
	line = string([]rune(line)[:titleLength])
	if i := strings.LastIndexByte(line, ' '); i > titleLength/2 {
		line = line[:i]
	}
	return strings.TrimSpace(line) + "…"
}

func knownFeature(ctx context.Context, p *projects.Project, id kedge.FeatureID) error {
	if id == "" {
		return nil
	}
	_, ok, err := journal.Get[journal.FeatureDoc](ctx, p.Store, journal.KindFeature, string(id))
	if err == nil && !ok {
		return kedge.Errorf(kedge.NotFound, "there is no feature %q", id).WithHint("see the features and their ids: kedge features")
	}
	return err
}

// noteFiles turns paths as the caller sees them into paths of the project. A file
// that is not there would teach the next reader a wrong name.
func noteFiles(p *projects.Project, who projects.Caller, files []string, n *kedge.Note) error {
	for _, f := range files {
		abs := f
		if !filepath.IsAbs(f) {
			abs = filepath.Join(who.Dir, f)
		}
		rel, err := filepath.Rel(p.Dir, abs)
		if err != nil || !docs.ValidPath(filepath.ToSlash(rel)) {
			return kedge.Errorf(kedge.Invalid, "the file %q is not inside the project", f).WithHint("repeat your command with files in the folder %s", p.Dir)
		}
		_, ok, err := p.Read(filepath.ToSlash(rel))
		if err != nil {
			return err
		}
		if !ok {
			return kedge.Errorf(kedge.NotFound, "there is no file %q in the project", filepath.ToSlash(rel)).
				WithHint("repeat your command with a file that exists: kedge remember TEXT --file FILE")
		}
		n.Files = append(n.Files, filepath.ToSlash(rel))
	}
	return nil
}

// noteCommits links the note to the commits it is about; unless they are named,
// to the present one, if there is one.
func (s *Memory) noteCommits(ctx context.Context, p *projects.Project, revs []string, n *kedge.Note) error {
	if len(revs) == 0 {
		if _, commit := s.home.Head(ctx, p); commit != "" {
			n.Commits = []string{commit}
		}
		return nil
	}
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return err
	}
	for _, rev := range revs {
		sha, err := repo.Resolve(ctx, rev)
		if err != nil {
			return err
		}
		n.Commits = append(n.Commits, sha)
	}
	return nil
}

// NoteShowRequest names a note.
type NoteShowRequest struct {
	ID kedge.NoteID `json:"id"`
}

// NoteShowReply is a note, the path of its file, and its text there.
type NoteShowReply struct {
	Note kedge.Note `json:"note"`
	File string     `json:"file"`
	Text string     `json:"text"`
}

// NoteShow gives one note; NotFound when there is none.
func (s *Memory) NoteShow(ctx context.Context, who projects.Caller, in NoteShowRequest) (NoteShowReply, error) {
	p, err := s.home.Open(ctx, who)
	if err != nil {
		return NoteShowReply{}, err
	}
	m, err := ledger.ReadMemory(ctx, p)
	if err != nil {
		return NoteShowReply{}, err
	}
	n, ok := m.Note(in.ID)
	if !ok {
		return NoteShowReply{}, kedge.Errorf(kedge.NotFound, "there is no note %q", in.ID).WithHint("see the notes and their ids: kedge notes")
	}
	return NoteShowReply{Note: n, File: ledger.NotesDir + "/" + docs.NoteFiles(m.Notes)[n.ID], Text: string(docs.WriteNote(n))}, nil
}

// NotesRequest asks for the three tiers of memory.
type NotesRequest struct{}

// NotesReply is memory in its three tiers: the live contexts of sessions (L1),
// notes on disk (L2), the commits they summarise (L3).
type NotesReply struct {
	Live    []LiveContext        `json:"live"`
	Notes   []NoteEntry          `json:"notes"`
	Commits []NoteCommit         `json:"commits"`
	Edits   []kedge.HandEditData `json:"edits"`
}

// LiveContext is the context of a live session. Nil is unknown.
type LiveContext struct {
	Session       kedge.SessionID `json:"session"`
	Name          string          `json:"name"`
	ContextTokens *int64          `json:"context_tokens"`
	ContextWindow *int64          `json:"context_window"`
}

// NoteEntry is a note in the list.
type NoteEntry struct {
	ID      kedge.NoteID    `json:"id"`
	Title   string          `json:"title"`
	Feature kedge.FeatureID `json:"feature"`
	Date    time.Time       `json:"date"`
	File    string          `json:"file"`
	Tokens  int             `json:"tokens"`
	Commits []string        `json:"commits"`
	Tags    []string        `json:"tags"`
}

// NoteCommit is a commit that notes refer to. Found is nil where there is no git.
type NoteCommit struct {
	Commit string         `json:"commit"`
	Found  *bool          `json:"found"`
	Notes  []kedge.NoteID `json:"notes"`
}

// Notes shows the three tiers.
func (s *Memory) Notes(ctx context.Context, who projects.Caller, _ NotesRequest) (NotesReply, error) {
	p, m, edits, err := s.ledger.ReadMemoryAndEdits(ctx, who)
	if err != nil {
		return NotesReply{}, err
	}
	r := NotesReply{Live: []LiveContext{}, Notes: []NoteEntry{}, Commits: []NoteCommit{}, Edits: edits}
	sessions, err := projects.All[kedge.Session](ctx, p, journal.KindSession)
	for _, ses := range sessions {
		if ses.State == kedge.SessionRunning || ses.State == kedge.SessionWaiting {
			r.Live = append(r.Live, LiveContext{ses.ID, ses.Name, ses.ContextTokens, ses.ContextWindow})
		}
	}
	names := docs.NoteFiles(m.Notes)
	for _, n := range m.Notes {
		r.Notes = append(r.Notes, NoteEntry{
			ID: n.ID, Title: n.Title, Feature: n.Feature, Date: n.Date, File: ledger.NotesDir + "/" + names[n.ID],
			Tokens: words.Tokens(string(docs.WriteNote(n))), Commits: n.Commits, Tags: n.Tags,
		})
		r.link(n)
	}
	s.findCommits(ctx, p, r.Commits)
	return r, err
}

func (r *NotesReply) link(n kedge.Note) {
	for _, c := range n.Commits {
		at := -1
		for i := range r.Commits {
			if r.Commits[i].Commit == c {
				at = i
			}
		}
		if at < 0 {
			at = len(r.Commits)
			r.Commits = append(r.Commits, NoteCommit{Commit: c})
		}
		r.Commits[at].Notes = append(r.Commits[at].Notes, n.ID)
	}
}

// findCommits says which commits the repository has: a rebase or a shallow clone
// may have left one behind.
func (s *Memory) findCommits(ctx context.Context, p *projects.Project, commits []NoteCommit) {
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return // a plain folder, or no git: unknown
	}
	for i := range commits {
		_, err := repo.Resolve(ctx, commits[i].Commit)
		if err == nil || kedge.NotFound.Is(err) {
			found := err == nil
			commits[i].Found = &found
		}
	}
}

// NotesLintRequest asks for a lint of every note on disk.
type NotesLintRequest struct{}

// NotesLintReply is what the lint found.
type NotesLintReply struct {
	OK       bool            `json:"ok"`
	Notes    int             `json:"notes"`
	Findings []kedge.Finding `json:"findings"`
}

// NotesLint checks the notes in the folder, whoever wrote them.
func (s *Memory) NotesLint(ctx context.Context, who projects.Caller, _ NotesLintRequest) (NotesLintReply, error) {
	p, err := s.home.Open(ctx, who)
	if err != nil {
		return NotesLintReply{}, err
	}
	names, err := p.List(ledger.NotesDir)
	if err != nil {
		return NotesLintReply{}, err
	}
	r := NotesLintReply{Findings: []kedge.Finding{}}
	for _, name := range names {
		if !strings.HasSuffix(name, ".md") {
			continue
		}
		file := ledger.NotesDir + "/" + name
		b, _, err := p.Read(file)
		if err != nil {
			return r, err
		}
		r.Notes++
		r.Findings = append(r.Findings, docs.LintNoteFile(file, ledger.ToLF(b))...)
	}
	r.OK = len(r.Findings) == 0
	return r, nil
}
