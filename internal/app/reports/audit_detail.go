package reports

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kedge"
	"kedge/internal/agents/record"
	"kedge/internal/app/projects"
	"kedge/internal/insight/audit"
	"kedge/internal/insight/transcript"
	"kedge/internal/journal"
	"kedge/internal/text/redact"
)

// How many names of files and commands are told of a session, and of all of them.
const (
	namesOfOne = 5
	namesOfAll = 20
	fillings   = 10
)

// sumUp fills in what is told of all sessions, and what is told of each by the names of
// files and commands, which have no secrets.
func (r *AuditReply) sumUp(in AuditRequest, price audit.Price, name func(*audit.Figures, string) string) {
	audit.Divide(r.Sessions, price)
	for i := range r.Sessions {
		f := &r.Sessions[i]
		f.Goal = redact.Text(f.Goal)
		f.FilesAgain, f.CommandsAgain = audit.ReadAgain(r.Sessions[i:i+1], name, namesOfOne), withoutSecrets(audit.RunAgain(r.Sessions[i:i+1], namesOfOne))
		f.Largest = audit.Largest(f, fillings)
		for j := range f.Largest {
			l := &f.Largest[j]
			if l.Tool == audit.ReadTool {
				l.Name = name(f, l.Name)
			}
			l.Name = redact.Text(l.Name)
		}
	}
	r.Total = audit.Total(r.Sessions)
	r.Total.FilesAgain, r.Total.CommandsAgain = audit.ReadAgain(r.Sessions, name, namesOfAll), withoutSecrets(audit.RunAgain(r.Sessions, namesOfAll))
	r.Total.Largest = []audit.Filling{}
	r.Days, r.Tools = audit.Grouped("day", r.Sessions, price, name), audit.Grouped("tool", r.Sessions, price, name)
	if in.By != "" {
		r.By, r.Groups = in.By, audit.Grouped(in.By, r.Sessions, price, name)
	}
}

func withoutSecrets(list []audit.CommandUse) []audit.CommandUse {
	for i := range list {
		list[i].Command = redact.Text(list[i].Command)
	}
	return list
}

// namesIn names a file by its path below the folder in which a session worked, or below
// the innermost of the project's folders that has it; elsewhere by its whole path.
func namesIn(folders []string) func(*audit.Figures, string) string {
	inProject := inFolders(folders)
	return func(f *audit.Figures, path string) string {
		if name := inProject(path); name != "" {
			return name
		}
		if rel, err := filepath.Rel(f.Dir, path); f.Dir != "" && err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
		return filepath.ToSlash(filepath.Clean(path))
	}
}

// workedIn gives the folders of a project in which sessions worked: those that are there,
// and those of its sessions that are gone.
func (s *Reports) workedIn(ctx context.Context, who projects.Caller) []string {
	list := record.Folders(who.Dir)
	for _, ses := range s.ofProject(ctx, who) {
		list = append(list, ses.Dir)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// ofProject lists the sessions of the project of a folder; none where there is no project
// or no journal: an audit needs neither.
func (s *Reports) ofProject(ctx context.Context, who projects.Caller) []kedge.Session {
	p, err := s.home.Open(ctx, who)
	if err != nil {
		return nil
	}
	list, err := projects.All[kedge.Session](ctx, p, journal.KindSession)
	if err != nil {
		return nil
	}
	return list
}

// nameSessions fills in which session of Kedge each transcript is of, with the run and the
// feature that it worked for. A sub-agent works for what its session works for.
func (s *Reports) nameSessions(ctx context.Context, who projects.Caller, list []audit.Figures) {
	all := s.ofProject(ctx, who)
	if len(all) == 0 {
		return
	}
	byID := map[string]*audit.Figures{}
	for i := range list {
		f := &list[i]
		if ses, ok := s.sessionOf(f, all); ok {
			f.Session, f.Run, f.Feature = ses.Name, string(ses.Run), string(ses.Feature)
		}
		byID[f.ID] = f
	}
	for i := range list {
		if f := &list[i]; f.Parent != "" && byID[f.Parent] != nil {
			p := byID[f.Parent]
			f.Session, f.Run, f.Feature = p.Session, p.Run, p.Feature
		}
	}
}

// sessionOf finds the session of Kedge that left a transcript: by the name of its
// conversation, else by its folder and the time.
func (s *Reports) sessionOf(f *audit.Figures, all []kedge.Session) (best kedge.Session, ok bool) {
	file := transcript.File{Path: f.File}.Name()
	at, err := time.Parse(time.RFC3339, stampOf(f.StartedAt))
	for _, ses := range all {
		if c := ses.Conversation; c != "" {
			if transcript.Names(f.ID, c) || transcript.Names(file, c) {
				return ses, true
			}
			continue
		}
		if err != nil || f.Parent != "" || ses.Dir != f.Dir || record.Known(ses) && ses.Agent != f.Agent || at.Before(ses.StartedAt.Truncate(time.Second)) {
			continue
		}
		if ended := s.sessions.Ended(ses); !ended.IsZero() && at.After(ended) {
			continue
		}
		if !ok || ses.StartedAt.After(best.StartedAt) {
			best, ok = ses, true
		}
	}
	return best, ok
}

// withAgents adds the transcripts of the sub-agents that worked for sessions.
func withAgents(all, list []transcript.File) []transcript.File {
	for _, f := range slices.Clone(list) {
		below := strings.TrimSuffix(f.Path, filepath.Ext(f.Path)) + string(filepath.Separator)
		for _, sub := range all {
			if sub.Side && strings.HasPrefix(sub.Path, below) && !slices.Contains(list, sub) {
				list = append(list, sub)
			}
		}
	}
	return list
}
