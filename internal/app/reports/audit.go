package reports

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/agents/record"
	"kedge/internal/app/projects"
	"kedge/internal/insight/audit"
	"kedge/internal/insight/transcript"
	"kedge/internal/text/words"
)

// AuditRequest asks what filled the context of sessions. What is a transcript's file,
// the id that an agent gave its session (or the id's beginning), or a session of Kedge.
// Empty stands for every transcript of the project.
type AuditRequest struct {
	What       []string          `json:"what"`
	Agent      string            `json:"agent"`
	Since      string            `json:"since"`                // an age (7d, 12h) or a date (2026-11-01)
	By         string            `json:"by"`                   // one of audit.GroupedBy: groups are wanted, too
	Everywhere bool              `json:"everywhere,omitempty"` // every transcript of this machine stands for an empty What
	Env        map[string]string `json:"env"`                  // of the caller, where agents keep their files: transcript.Formats.Variables
}

// AuditReply has the figures of every session, oldest first, their sum, and what to
// change.
type AuditReply struct {
	Sessions  []audit.Figures `json:"sessions"`
	Total     audit.Figures   `json:"total"`
	Changes   []audit.Change  `json:"changes"`
	Unused    []audit.Offer   `json:"unused_tools"` // offered and never called; null: no transcript says what was offered
	Unread    []UnreadFile    `json:"unread"`
	Days      []audit.Group   `json:"days"`
	Tools     []audit.Group   `json:"tools"`               // what tools cost, those first that filled contexts most
	Folders   []string        `json:"folders,omitempty"`   // of which no session has a transcript
	Older     *OlderFiles     `json:"older,omitempty"`     // what ended before the time that was asked for
	Elsewhere int             `json:"elsewhere,omitempty"` // transcripts of other folders, where those of Folders have none

	Everywhere bool `json:"everywhere,omitempty"` // sessions of every folder were asked for

	By     string        `json:"by,omitempty"`
	Groups []audit.Group `json:"groups,omitempty"` // by what was asked for
}

// WriteJSON writes the answer session by session: there can be very many.
func (r AuditReply) WriteJSON(w io.Writer, encode func(v any) (json.RawMessage, error)) error {
	const head = `{"sessions":[`
	sessions := r.Sessions
	r.Sessions = []audit.Figures{}
	rest, err := encode(r)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, head)
	for i := 0; i < len(sessions) && err == nil; i++ {
		var b json.RawMessage
		if b, err = encode(&sessions[i]); err == nil {
			_, err = w.Write(append(b, ","[:min(1, len(sessions)-1-i)]...))
		}
	}
	if err == nil {
		_, err = w.Write(rest[len(head):])
	}
	return err
}

// OlderFiles are transcripts that ended before the time of a request.
type OlderFiles struct {
	Count  int    `json:"count"`
	Newest string `json:"newest"` // when the last of them ended
}

// with adds a transcript that ended at a time.
func (o *OlderFiles) with(ended string) *OlderFiles {
	if o == nil {
		o = &OlderFiles{}
	}
	return &OlderFiles{Count: o.Count + 1, Newest: max(o.Newest, ended)}
}

// UnreadFile is a transcript that was found and could not be read.
type UnreadFile struct {
	File string `json:"file"`
	Why  string `json:"why"`
}

// AuditProgress tells how much of the transcripts has been read.
type AuditProgress struct {
	Files int   `json:"files"`
	Of    int   `json:"of"`
	Bytes int64 `json:"bytes"`
	Total int64 `json:"total"`
}

// Audit counts transcripts on disk. It needs no project and writes nothing.
func (s *Reports) Audit(ctx context.Context, who projects.Caller, in AuditRequest) (AuditReply, error) {
	r, err := s.audited(ctx, who, in)
	for i := range r.Sessions {
		r.Sessions[i].Bare() // there are many, and the answer is made of them next
	}
	return r, err
}

// audited is the answer to a request, with what it was summed up from.
func (s *Reports) audited(ctx context.Context, who projects.Caller, in AuditRequest) (AuditReply, error) {
	if in.Agent != "" && !slices.Contains(catalog.Transcripts().Agents(), in.Agent) {
		return AuditReply{}, kedge.Errorf(kedge.Invalid, "Kedge cannot read transcripts of agent %q", in.Agent).
			WithHint("name one of these agents: %s", strings.Join(catalog.Transcripts().Agents(), ", "))
	}
	if in.By != "" && !slices.Contains(audit.GroupedBy, in.By) {
		return AuditReply{}, kedge.Errorf(kedge.Invalid, "cannot group sessions by %q", in.By).WithHint("choose one of these groupings: kedge audit --by %s", strings.Join(audit.GroupedBy, "|"))
	}
	since, err := s.since(in.Since)
	if err != nil {
		return AuditReply{}, err
	}
	files, unopened, err := s.transcripts(ctx, who, in)
	if err != nil {
		return AuditReply{}, err
	}
	price, err := auditPrice(in.Env)
	if err != nil {
		return AuditReply{}, err
	}
	r := AuditReply{Everywhere: in.Everywhere, Sessions: []audit.Figures{}, Unread: []UnreadFile{}}
	if len(files) == 0 {
		r.Folders = record.Folders(who.Dir)
		r.Elsewhere = elsewhere(ctx, who, in.Agent, in.Env)
	}
	read, unread, err := countAll(ctx, who, files, price, catalog.Transcripts().CountFile)
	if err != nil {
		return AuditReply{}, err
	}
	unread = append(unopened, unread...)
	if len(in.What) > 0 && len(read) == 0 && len(unread) > 0 {
		return AuditReply{}, unread[0].err
	}
	for _, u := range unread {
		r.Unread = append(r.Unread, UnreadFile{File: u.file.Path, Why: u.err.Error()})
	}
	for _, g := range read {
		if g.EndedAt == nil || *g.EndedAt >= since {
			r.Sessions = append(r.Sessions, g)
		} else {
			r.Older = r.Older.with(*g.EndedAt)
		}
	}
	s.nameSessions(ctx, who, r.Sessions)
	r.sumUp(in, price, namesIn(record.Folders(who.Dir)))
	r.Changes, r.Unused = audit.Advise(r.Total), audit.Unused(r.Total)
	return r, nil
}

// unreadable is a transcript with why it cannot be read.
type unreadable struct {
	file transcript.File
	err  error
}

// counter counts one transcript.
type counter func(ctx context.Context, f transcript.File, price audit.Price, room *transcript.Room) (audit.Figures, error)

// countAll counts transcripts, the oldest session first. A reply that several have counts
// in one.
func countAll(ctx context.Context, who projects.Caller, files []transcript.File, price audit.Price, count counter) (read []audit.Figures, unread []unreadable, err error) {
	progress := AuditProgress{Of: len(files)}
	for _, f := range files {
		progress.Total += f.Size
	}
	who.Tell(progress)
	counted := make([]audit.Figures, len(files))
	failed := make([]error, len(files))
	eachFile(ctx, files, func(ctx context.Context, room *transcript.Room, i int) {
		counted[i], failed[i] = count(ctx, files[i], price, room)
	}, func(i int) {
		progress.Files++
		progress.Bytes += files[i].Size
		who.Tell(progress)
	})
	if ctx.Err() != nil {
		return nil, nil, kedge.Errorf(kedge.Interrupted, "the command was stopped while Kedge read the transcripts: %w", context.Cause(ctx))
	}
	for i, f := range files {
		if failed[i] != nil {
			unread = append(unread, unreadable{f, failed[i]})
			continue
		}
		read = append(read, counted[i])
	}
	slices.SortStableFunc(read, func(a, b audit.Figures) int {
		return cmp.Or(strings.Compare(stampOf(a.StartedAt), stampOf(b.StartedAt)), strings.Compare(stampOf(a.EndedAt), stampOf(b.EndedAt)), strings.Compare(a.File, b.File))
	})
	audit.Once(read, price)
	return read, unread, nil
}

// eachFile calls do for every file, for as many at once as there are cores, the largest
// first; done is called for one at a time. Those that are read one after the other are read
// in the same room.
func eachFile(ctx context.Context, files []transcript.File, do func(ctx context.Context, room *transcript.Room, i int), done func(i int)) {
	order := make([]int, len(files))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(files[b].Size, files[a].Size) })
	todo, over := make(chan int), make(chan int)
	var working sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		working.Go(func() {
			room := &transcript.Room{}
			for i := range todo {
				do(ctx, room, i)
				over <- i
			}
		})
	}
	go func() {
		defer close(over)
		for _, i := range order {
			if ctx.Err() == nil {
				todo <- i
			}
		}
		close(todo)
		working.Wait()
	}()
	for i := range over {
		done(i)
	}
}

// auditPrice is what tokens cost by the prices of the caller and of Kedge.
func auditPrice(env map[string]string) (audit.Price, error) {
	prices, err := Prices([]string{"HOME=" + env["HOME"], "XDG_CONFIG_HOME=" + env["XDG_CONFIG_HOME"]})
	return requestPrice(prices), err
}

// stampOf is a time of figures; empty is unknown.
func stampOf(at *string) string {
	if at == nil {
		return ""
	}
	return *at
}

// since gives the time in the form of the figures; empty is the beginning.
func (s *Reports) since(text string) (string, error) {
	const form = "2006-01-02T15:04:05.000Z"
	if text == "" {
		return "", nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC().Format(form), nil
		}
	}
	d, err := words.ParseAge(text)
	if err != nil {
		return "", kedge.Errorf(kedge.Invalid, "--since needs an age or a date, and %q is neither", text).WithHint("give an age, such as --since 7d; or a date, such as --since 2026-11-01")
	}
	return s.home.Now().Add(-d).Format(form), nil
}

// transcripts gives the files that were asked for, each once, and those that somebody named
// and that are no transcripts.
func (s *Reports) transcripts(ctx context.Context, who projects.Caller, in AuditRequest) (files []transcript.File, unread []unreadable, err error) {
	where := transcript.Where{Dirs: s.workedIn(ctx, who), Branch: record.Branches(who.Dir), All: in.Everywhere, Agent: in.Agent, Getenv: func(name string) string { return in.Env[name] }}
	if len(in.What) == 0 {
		files, err := catalog.Transcripts().Find(ctx, where)
		return files, nil, err
	}
	seen := map[transcript.File]bool{}
	for _, what := range in.What {
		list, err := s.transcriptsOf(ctx, who, where, in, what)
		if path, ok := fileOf(who, what); err != nil && ok && ctx.Err() == nil {
			unread = append(unread, unreadable{transcript.File{Path: path}, err})
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		for _, f := range list {
			if !seen[f] {
				seen[f] = true
				files = append(files, f)
			}
		}
	}
	return files, unread, nil
}

// transcriptsOf gives what one argument names.
func (s *Reports) transcriptsOf(ctx context.Context, who projects.Caller, where transcript.Where, in AuditRequest, what string) ([]transcript.File, error) {
	if path, ok := fileOf(who, what); ok {
		list, err := catalog.Transcripts().Open(ctx, path)
		for i := range list {
			if where.Agent != "" && list[i].Session == "" {
				list[i].Agent = where.Agent
			}
		}
		return list, err
	}
	all, err := catalog.Transcripts().Find(ctx, where)
	if err != nil {
		return nil, err
	}
	if list := withID(all, what); len(list) > 0 {
		return withAgents(all, list), nil
	}
	if f, ok := s.transcriptOfSession(ctx, who, where, what); ok {
		return []transcript.File{f}, nil
	}
	if f, err := s.pastConversation(ctx, who, in.Env, what); !kedge.NotFound.Is(err) {
		return []transcript.File{f.File}, err
	}
	return nil, kedge.Errorf(kedge.NotFound, "there is no file %[1]q, and no session with the name or id %[1]q left a transcript", what).WithHint("find a conversation by its words: kedge history WORDS; or see the ids of this project's transcripts: kedge audit --json")
}

// fileOf gives the file that an argument names, if it names one.
func fileOf(who projects.Caller, what string) (string, bool) {
	if !filepath.IsAbs(what) {
		what = filepath.Join(who.Dir, what)
	}
	fi, err := os.Stat(what)
	return what, err == nil && fi.Mode().IsRegular()
}

// shortest is the fewest characters that stand for an id.
const shortest = 6

// withID gives the transcripts of the session whose id this is, or starts so.
func withID(all []transcript.File, id string) []transcript.File {
	var list []transcript.File
	for _, f := range all {
		name := f.Name()
		if name == id || len(id) >= shortest && (strings.HasPrefix(name, id) || strings.HasSuffix(name, id)) {
			list = append(list, f)
		}
	}
	return list
}

// transcriptOfSession gives the transcript that an agent in a session of Kedge
// left: of its folder, the first that began while the session ran.
func (s *Reports) transcriptOfSession(ctx context.Context, who projects.Caller, where transcript.Where, name string) (transcript.File, bool) {
	p, err := s.home.OfSessions(ctx, who)
	if err != nil {
		return transcript.File{}, false
	}
	ses, err := s.sessions.Find(ctx, p, name)
	if err != nil {
		return transcript.File{}, false
	}
	return record.Left(ctx, ses, s.sessions.Ended(ses), where)
}
