package transcript

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/insight/audit"
	"kedge/internal/insight/resume"
)

// File is one transcript.
type File struct {
	Agent   string
	Path    string
	Session string // which one of a database; empty elsewhere
	Side    bool   // it is a sub-agent's, and no session that a person began
	Size    int64
}

// Read reads the transcript of an agent from r.
func (all Formats) Read(ctx context.Context, agent string, r io.Reader, o Options, emit Emit) (Meta, error) {
	f := all.of(agent)
	if f.Read == nil {
		return Meta{}, kedge.Errorf(kedge.Invalid, "Kedge cannot read a transcript of agent %q from standard input", agent).
			WithHint("name the file of the transcript instead; Kedge reads standard input only for %s", strings.Join(all.Agents(), ", "))
	}
	if o.Before <= 0 {
		return f.Read(ctx, r, o, emit)
	}
	head, err := newFirstLines(r, o.Before-1)
	if err != nil {
		return Meta{}, err
	}
	m, err := f.Read(ctx, head, o, emit)
	m.Lines = head.n
	return m, err
}

// ReadFile reads a transcript.
func (all Formats) ReadFile(ctx context.Context, f File, o Options, emit Emit) (Meta, error) {
	format := all.of(f.Agent)
	if format.Database != nil {
		return format.Database.Read(ctx, f.Path, f.Session, o, emit)
	}
	r, err := os.Open(f.Path)
	if err != nil {
		return Meta{}, kedge.Errorf(kedge.NotFound, "cannot open the transcript %q: %w", f.Path, err)
	}
	defer func() { _ = r.Close() }() // it was only read
	o.Side = f.Side
	in := io.Reader(r)
	if o.Room != nil {
		in = o.Room.From(r)
	}
	m, err := all.Read(ctx, f.Agent, in, o, emit)
	if err != nil {
		return m, err
	}
	if len(m.Untold) > 0 && format.Lacks != nil && format.Lacks(f.Path, m.Untold) {
		m.Partial = true
	}
	if m.ID == "" || format.ByFile {
		m.ID = strings.TrimSuffix(strings.TrimSuffix(filepath.Base(f.Path), ".gz"), ".jsonl")
	}
	return m, nil
}

// Name is what a session is called by where its transcript lies: its id, in most
// programs, or a name that ends in it.
func (f File) Name() string {
	if f.Session != "" {
		return f.Session
	}
	name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(f.Path), ".jsonl"), ".json")
	if name == "events" { // of a folder for each session
		name = filepath.Base(filepath.Dir(f.Path))
	}
	return name
}

// shortID is how much of a session's id stands in the names of Gemini's files.
const shortID = 8

// Names tells whether the name of a transcript is that of a conversation: it ends in the
// conversation's id, or in the beginning of the id.
func Names(name, conversation string) bool {
	if strings.HasSuffix(name, conversation) {
		return true
	}
	id, rest, ok := strings.Cut(conversation, "-")
	return ok && rest != "" && len(id) == shortID && strings.HasPrefix(name, "session-") && strings.HasSuffix(name, "-"+id)
}

// Began is the first time that a transcript tells of; empty is unknown. Little more
// is read than what comes before it.
func (all Formats) Began(ctx context.Context, f File) string {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	at := ""
	_, _ = all.ReadFile(ctx, f, Options{}, func(e *audit.Entry) { // what was not understood has no time, and the end is ours
		if at == "" && e.At != "" {
			at = e.At
			stop()
		}
	})
	return at
}

// Folder is where the session of a transcript worked, as far as its first lines say;
// empty is unknown.
func (all Formats) Folder(ctx context.Context, f File) string {
	if all.of(f.Agent).Database != nil { // which does not say
		return ""
	}
	m, _ := all.ReadFile(ctx, f, Options{Before: Sniffed}, func(*audit.Entry) {}) // what cannot be read says nothing
	return m.Dir
}

// Count reads a transcript from r and counts it.
func (all Formats) Count(ctx context.Context, agent string, r io.Reader, price audit.Price) (audit.Figures, Meta, error) {
	c := audit.NewCounter(agent, audit.Names{})
	m, err := all.Read(ctx, agent, r, Options{}, c.Add)
	return figures(c, m, price), m, err
}

// CountFile counts the transcript in a file. The replies are packed: there are many files.
// Room is as in Options.
func (all Formats) CountFile(ctx context.Context, f File, price audit.Price, room *Room) (audit.Figures, error) {
	c := audit.NewCounter(f.Agent, room.shared())
	var goal resume.Goal
	m, err := all.ReadFile(ctx, f, Options{Asks: true, Room: room}, func(e *audit.Entry) {
		goal.Take(e)
		c.Add(e)
	})
	out := figures(c, m, price)
	out.File, out.Goal = f.Path, goal.Text()
	out.Divide(price)
	out.Pack()
	return out, err
}

// SpentIn counts only what the replies in a file used and cost: there are no other figures.
// It takes a fraction of the time and of the memory.
func (all Formats) SpentIn(ctx context.Context, f File, price audit.Price, room *Room) (audit.Figures, error) {
	if side := all.of(f.Agent).Side; side != nil && !f.Side {
		f.Side = side(f.Path)
	}
	c := audit.NewCounter(f.Agent, room.shared())
	m, err := all.ReadFile(ctx, f, Options{Spent: true, Room: room}, func(e *audit.Entry) {
		if e.Kind == audit.Reply || e.Kind == audit.Moment {
			c.Add(e)
		}
	})
	out := figures(c, m, price)
	out.File = f.Path
	out.Pack()
	return out, err
}

func figures(c *audit.Counter, m Meta, price audit.Price) audit.Figures {
	f := c.Figures(price, m.Unseen...)
	if m.Partial {
		f.LacksUsage()
	}
	f.ID, f.Parent, f.Dir, f.SkippedLines = m.ID, m.Parent, m.Dir, m.Skipped
	return f
}

// Open says whose transcripts a file holds: one, or all sessions of a database.
func (all Formats) Open(ctx context.Context, path string) ([]File, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return nil, kedge.Errorf(kedge.NotFound, "cannot open the transcript %q: %w", path, err)
	}
	if !fi.Mode().IsRegular() {
		return nil, kedge.Errorf(kedge.Invalid, "%q is a folder or a special file, and a transcript must be a plain file", path)
	}
	format, err := all.detect(path)
	if err != nil {
		return nil, err
	}
	if format.Database != nil {
		return format.InDatabase(ctx, path, nil)
	}
	return []File{{Agent: format.Agent, Path: path, Size: fi.Size(), Side: format.Side != nil && format.Side(path)}}, nil
}

// InDatabase lists the sessions of a database that worked in one of the folders; all
// where no folder is given.
func (f Format) InDatabase(ctx context.Context, path string, dirs []string) ([]File, error) {
	ids, err := f.Database.Sessions(ctx, path, dirs)
	var list []File
	for _, id := range ids {
		list = append(list, File{Agent: f.Agent, Path: path, Session: id})
	}
	return list, err
}

// Sniffed is how many lines are looked at to tell what a transcript is.
const Sniffed = 50

// detect looks at the first lines.
func (all Formats) detect(path string) (Format, error) {
	r, err := os.Open(path)
	if err != nil {
		return Format{}, kedge.Errorf(kedge.NotFound, "cannot open the transcript %q: %w", path, err)
	}
	defer func() { _ = r.Close() }() // it was only read
	l, err := FirstLines(r)
	if err != nil {
		return Format{}, err
	}
	for l.N < Sniffed {
		line, err := l.Next()
		if err != nil {
			break
		}
		h := headOf(filepath.Base(path), line)
		if i := slices.IndexFunc(all, func(f Format) bool { return f.Is(h) }); i >= 0 {
			return all[i], nil
		}
	}
	usual := slices.IndexFunc(all, func(f Format) bool { return f.Usual })
	if usual >= 0 && (strings.HasSuffix(path, ".jsonl") || strings.HasSuffix(path, ".jsonl.gz")) {
		return all[usual], nil // without a line that tells, its lines will be counted as skipped
	}
	return Format{}, kedge.Errorf(kedge.Invalid, "%q is not a transcript that Kedge can read", path).
		WithHint("name a transcript of one of these agents: %s", strings.Join(all.Agents(), ", "))
}
