package reports

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	What  []string          `json:"what"`
	Agent string            `json:"agent"`
	Since string            `json:"since"` // an age (7d, 12h) or a date (2026-11-01)
	Env   map[string]string `json:"env"`   // of the caller, where agents keep their files: transcript.Formats.Variables
}

// AuditReply has the figures of every session, oldest first, their sum, and what to
// change.
type AuditReply struct {
	Sessions []audit.Figures `json:"sessions"`
	Total    audit.Figures   `json:"total"`
	Changes  []audit.Change  `json:"changes"`
	Unused   []audit.Offer   `json:"unused_tools"` // offered and never called; null: no transcript says what was offered
	Unread   []UnreadFile    `json:"unread"`
	Folders  []string        `json:"folders,omitempty"` // of which no session has a transcript
	Older    *OlderFiles     `json:"older,omitempty"`   // what ended before the time that was asked for
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
	if in.Agent != "" && !slices.Contains(catalog.Transcripts().Agents(), in.Agent) {
		return AuditReply{}, kedge.Errorf(kedge.Invalid, "Kedge cannot read transcripts of agent %q", in.Agent).
			WithHint("Kedge reads transcripts of these agents: %s", strings.Join(catalog.Transcripts().Agents(), ", "))
	}
	since, err := s.since(in.Since)
	if err != nil {
		return AuditReply{}, err
	}
	files, strict, err := s.transcripts(ctx, who, in)
	if err != nil {
		return AuditReply{}, err
	}
	price, err := auditPrice(in.Env)
	if err != nil {
		return AuditReply{}, err
	}
	r := AuditReply{Sessions: []audit.Figures{}, Unread: []UnreadFile{}}
	if len(files) == 0 {
		r.Folders = record.Folders(who.Dir)
	}
	progress := AuditProgress{Of: len(files)}
	for _, f := range files {
		progress.Total += f.Size
	}
	for _, f := range files {
		who.Tell(progress)
		g, err := catalog.Transcripts().CountFile(ctx, f, price)
		if err != nil && (strict || ctx.Err() != nil) {
			return AuditReply{}, err
		}
		progress.Files++
		progress.Bytes += f.Size
		switch {
		case err != nil:
			r.Unread = append(r.Unread, UnreadFile{File: f.Path, Why: err.Error()})
		case g.EndedAt == nil || *g.EndedAt >= since:
			r.Sessions = append(r.Sessions, g)
		default:
			r.Older = r.Older.with(*g.EndedAt)
		}
	}
	who.Tell(progress)
	slices.SortStableFunc(r.Sessions, func(a, b audit.Figures) int { return strings.Compare(began(a), began(b)) })
	r.Total = audit.Total(r.Sessions)
	r.Changes, r.Unused = audit.Advise(r.Total), audit.Unused(r.Total)
	return r, nil
}

// auditPrice is what tokens cost by the prices of the caller and of Kedge.
func auditPrice(env map[string]string) (audit.Price, error) {
	prices, err := Prices([]string{"HOME=" + env["HOME"], "XDG_CONFIG_HOME=" + env["XDG_CONFIG_HOME"]})
	return func(model, at string, u audit.Usage) *float64 {
		when, err := time.Parse(time.RFC3339, at)
		if err != nil {
			return nil
		}
		return prices.USD(model, when, kedge.TokenKinds{Input: u.Input, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Output: u.Output})
	}, err
}

func began(f audit.Figures) string {
	if f.StartedAt == nil {
		return ""
	}
	return *f.StartedAt
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
		return "", kedge.Errorf(kedge.Invalid, "%q is neither an age nor a date", text).WithHint("give an age, such as --since 7d; or a date, such as --since 2026-11-01")
	}
	return s.home.Now().Add(-d).Format(form), nil
}

// transcripts gives the files that were asked for; strict: one that cannot be
// read is an error, for somebody named it.
func (s *Reports) transcripts(ctx context.Context, who projects.Caller, in AuditRequest) (files []transcript.File, strict bool, err error) {
	where := transcript.Where{Dirs: record.Folders(who.Dir), Agent: in.Agent, Getenv: func(name string) string { return in.Env[name] }}
	if len(in.What) == 0 {
		files, err := catalog.Transcripts().Find(ctx, where)
		return files, false, err
	}
	for _, what := range in.What {
		list, err := s.transcriptsOf(ctx, who, where, what)
		if err != nil {
			return nil, false, err
		}
		files = append(files, list...)
	}
	return files, true, nil
}

// transcriptsOf gives what one argument names.
func (s *Reports) transcriptsOf(ctx context.Context, who projects.Caller, where transcript.Where, what string) ([]transcript.File, error) {
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
		return list, nil
	}
	if f, ok := s.transcriptOfSession(ctx, who, where, what); ok {
		return []transcript.File{f}, nil
	}
	return nil, kedge.Errorf(kedge.NotFound, "%q is neither a file nor a session with a transcript", what).WithHint("see the ids of all transcripts of this project: kedge audit --json")
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
