package reports

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/agents/record"
	"kedge/internal/app/projects"
	"kedge/internal/git"
	"kedge/internal/insight/audit"
	"kedge/internal/insight/stats"
	"kedge/internal/insight/transcript"
	"kedge/internal/journal"
)

// spentPart is what one session used at one moment: a reply of its transcript, or all that
// Kedge knows of a session without one.
type spentPart struct {
	of        string // the session: Kedge's id, else the agent's
	ses       *kedge.Session
	agent     string
	model     string
	project   string // its folder; empty is unknown
	at        time.Time
	tokens    *int64 // nil: it did not say
	kinds     *kedge.TokenKinds
	usd       *float64 // nil: unknown
	estimated bool     // usd is computed from prices
	printed   int64    // by one that did not say
}

// session gives what Kedge knows of the session; nothing of one that it did not start.
func (p *spentPart) session() kedge.Session {
	if p.ses == nil {
		return kedge.Session{}
	}
	return *p.ses
}

// spentAll is what was used.
type spentAll struct {
	in     CostRequest
	prices stats.PriceTable
	read   []audit.Figures // of transcripts
	match  matching
	phases map[kedge.FeatureID]string
	unread []UnreadFile
}

// each gives every part that was asked for. There are as many as replies: nobody keeps
// them.
func (a *spentAll) each(take func(*spentPart)) {
	give := func(p spentPart) {
		if p.at.Before(a.in.Since) || !a.in.Until.IsZero() && !p.at.Before(a.in.Until) || a.in.Agent != "" && p.agent != a.in.Agent {
			return
		}
		take(&p)
	}
	a.match.ofTranscripts(a.read, give)
	a.match.ofRecords(a.prices, give)
}

// spent collects what sessions used: of the project, or of all.
func (s *Reports) spent(ctx context.Context, who projects.Caller, in CostRequest, prices stats.PriceTable) (spentAll, error) {
	out := spentAll{in: in, prices: prices, phases: map[kedge.FeatureID]string{}}
	ps, err := s.home.AllOfSessions(ctx, who, in.All)
	if err != nil {
		return out, err
	}
	var known []*kedge.Session
	homes := map[*kedge.Session]string{}
	for _, p := range ps {
		list, err := projects.All[kedge.Session](ctx, p, journal.KindSession)
		if err != nil {
			return out, err
		}
		for i := range list {
			known = append(known, &list[i])
			homes[&list[i]] = s.folderOf(ctx, p)
		}
		if err := out.takePhases(ctx, p, in.By); err != nil {
			return out, err
		}
	}
	price := requestPrice(prices)
	read, unread, err := s.transcriptsSpent(ctx, who, in, known, price)
	if err != nil {
		return out, err
	}
	for _, u := range unread {
		out.unread = append(out.unread, UnreadFile{File: u.file.Path, Why: u.err.Error()})
	}
	out.read = read
	out.match = matching{known: known, homes: homes, roots: map[string]string{}, price: price, ended: s.sessions.Ended}
	return out, nil
}

func (a *spentAll) takePhases(ctx context.Context, p *projects.Project, by string) error {
	if by != "phase" {
		return nil
	}
	features, err := projects.All[journal.FeatureDoc](ctx, p, journal.KindFeature)
	for _, f := range features {
		a.phases[f.ID] = f.Phase
	}
	return err
}

// folderOf is the folder of a project; empty is unknown.
func (s *Reports) folderOf(ctx context.Context, p *projects.Project) string {
	if p.Dir != "" {
		return git.MainFolder(p.Dir)
	}
	known, err := projects.Known(ctx, p.Store, p.ID)
	if err != nil {
		return ""
	}
	return known.Dir
}

// transcriptsSpent counts what transcripts say was used. Files that were last written
// before the time that matters are left out: all that they tell is older.
func (s *Reports) transcriptsSpent(ctx context.Context, who projects.Caller, in CostRequest, known []*kedge.Session, price audit.Price) ([]audit.Figures, []unreadable, error) {
	env := named(in.Env)
	if len(env) == 0 {
		return nil, nil, nil // nobody says where they are
	}
	where := transcript.Where{
		Dirs: foldersOf(who.Dir, known), Branch: record.Branches(who.Dir), All: in.All, Agent: in.Agent, Since: in.Since, Getenv: func(name string) string { return env[name] },
	}
	if in.Agent != "" && !slices.Contains(catalog.Transcripts().Agents(), in.Agent) {
		return nil, nil, nil
	}
	files, err := catalog.Transcripts().Find(ctx, where)
	if err != nil {
		return nil, nil, err
	}
	files = slices.DeleteFunc(files, func(f transcript.File) bool { return f.Session == "" && !touchedSince(f.Path, in.Since) })
	return countAll(ctx, who, files, price, catalog.Transcripts().SpentIn)
}

// touchedSince tells whether a file was written to since a time. Some file systems keep
// whole seconds.
func touchedSince(path string, t time.Time) bool {
	if t.IsZero() {
		return true
	}
	fi, err := os.Stat(path)
	return err == nil && !fi.ModTime().Before(t.Add(-2*time.Second))
}

// foldersOf gives the folders of a project, with those in which its sessions worked, which
// may be gone.
func foldersOf(dir string, known []*kedge.Session) []string {
	list := record.Folders(dir)
	for _, ses := range known {
		if ses.Dir != "" {
			list = append(list, ses.Dir)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// named makes a map of an environment.
func named(environ []string) map[string]string {
	out := map[string]string{}
	for _, kv := range environ {
		if name, value, ok := strings.Cut(kv, "="); ok && value != "" {
			out[name] = value
		}
	}
	return out
}

// matching brings sessions and transcripts together.
type matching struct {
	known []*kedge.Session
	homes map[*kedge.Session]string // folder of their project
	roots map[string]string         // folder of the project of a folder
	price audit.Price
	ended func(kedge.Session) time.Time // zero: it runs
	told  map[*kedge.Session]bool       // by their transcripts
}

// ofTranscripts gives the replies of transcripts, each with its session.
func (m *matching) ofTranscripts(list []audit.Figures, give func(spentPart)) {
	m.told = map[*kedge.Session]bool{}
	more := m.heardMore(list)
	for i := range list {
		f := &list[i]
		sessions := m.sessionsOf(f)
		if f.OutputTokens == nil || fallsShort(f, sessions) || len(sessions) > 0 && more[sessions[0]] {
			if len(sessions) == 0 {
				give(m.silent(f))
			}
			continue // what Kedge knows of the session is more
		}
		f.EachReply(func(r *audit.ReplyUse) { give(m.reply(f, r, sessions)) })
		if f.PartialUsage {
			give(m.reply(f, &audit.ReplyUse{At: stampOf(f.EndedAt), Model: f.Model}, sessions)) // usage that is unknown
		}
		for _, ses := range sessions {
			m.told[ses] = true
		}
	}
}

// fallsShort tells whether a transcript has replies without a price, and the agent itself
// said what the session cost.
func fallsShort(f *audit.Figures, sessions []*kedge.Session) bool {
	return f.UnpricedCalls > 0 && len(sessions) > 0 && !slices.ContainsFunc(sessions, func(ses *kedge.Session) bool { return ses.USD == nil })
}

// reply is one reply of a transcript.
func (m *matching) reply(f *audit.Figures, r *audit.ReplyUse, sessions []*kedge.Session) spentPart {
	at, _ := time.Parse(time.RFC3339, r.At) // one that is unknown is before all
	p := spentPart{of: cmp.Or(f.Parent, f.ID), agent: f.Agent, model: r.Model, at: at, usd: r.Cost(m.price), estimated: r.USD == nil}
	for _, ses := range sessions { // by time: the last that had begun
		if p.ses == nil || !ses.StartedAt.After(at.Add(2*time.Second)) {
			p.ses = ses
		}
	}
	p.project = m.project(p.ses, f.Dir)
	if p.ses != nil {
		p.of = string(p.ses.ID)
	}
	if r.Known {
		k := kindsOf(r.Usage)
		tokens := k.Input + k.CacheWrite + k.Output
		p.tokens, p.kinds = &tokens, &k
	}
	return p
}

// silent is a session that Kedge did not start and whose transcript does not say what it
// used.
func (m *matching) silent(f *audit.Figures) spentPart {
	at, _ := time.Parse(time.RFC3339, stampOf(f.StartedAt))
	return spentPart{of: cmp.Or(f.Parent, f.ID), agent: f.Agent, model: f.Model, at: at, project: m.project(nil, f.Dir)}
}

// ofRecords gives what Kedge knows of the sessions without a transcript. Programs that are
// no agents use nothing.
func (m *matching) ofRecords(prices stats.PriceTable, give func(spentPart)) {
	for _, ses := range m.known {
		if m.told[ses] || !usesTokens(*ses) {
			continue
		}
		p := spentPart{
			of: string(ses.ID), ses: ses, agent: ses.Agent, model: ses.Model, project: m.project(ses, ses.Dir), at: ses.StartedAt,
			tokens: ses.Tokens, kinds: ses.Kinds, usd: ses.USD, printed: ses.Bytes,
		}
		if p.usd == nil && ses.Kinds != nil {
			p.usd = prices.USD(ses.Model, ses.StartedAt, *ses.Kinds)
			p.estimated = p.usd != nil
		}
		give(p)
		if ses.PartialUsage {
			p.tokens, p.kinds, p.usd, p.printed = nil, nil, nil, 0
			give(p)
		}
	}
}

// usesTokens tells whether the program of a session is an agent: runs start nothing else,
// Kedge knows it, or it said what it used.
func usesTokens(ses kedge.Session) bool {
	return ses.Run != "" || ses.Tokens != nil || ses.USD != nil || ses.Route != nil || catalog.Of(ses.Agent).Name != ""
}

// project is the folder of the project of a session that worked in a folder.
func (m *matching) project(ses *kedge.Session, dir string) string {
	if ses != nil && m.homes[ses] != "" {
		return m.homes[ses]
	}
	if dir == "" {
		return ""
	}
	root, ok := m.roots[dir]
	if !ok {
		root = git.MainFolder(dir)
		m.roots[dir] = root
	}
	return root
}

// sessionsOf gives the sessions that wrote a transcript, the first one first: those with
// its conversation, else the one that began it in the same folder.
func (m *matching) sessionsOf(f *audit.Figures) []*kedge.Session {
	conversation := cmp.Or(f.Parent, f.ID)
	var list []*kedge.Session
	for _, ses := range m.known {
		if ses.Conversation != "" && sameAgent(ses, f.Agent) && (ses.Conversation == conversation || transcript.Names(nameOf(f), ses.Conversation)) {
			list = append(list, ses)
		}
	}
	slices.SortFunc(list, func(a, b *kedge.Session) int { return a.StartedAt.Compare(b.StartedAt) })
	if len(list) > 0 || f.Parent != "" {
		return list
	}
	began, err := time.Parse(time.RFC3339, stampOf(f.StartedAt))
	if err != nil {
		return nil
	}
	for _, ses := range m.known {
		if ses.Conversation == "" && !m.told[ses] && ses.Agent == f.Agent && ses.Dir == f.Dir && m.ranAt(ses, began) {
			return []*kedge.Session{ses}
		}
	}
	return nil
}

// ranAt tells whether a session was running at a time.
func (m *matching) ranAt(ses *kedge.Session, at time.Time) bool {
	ended := m.ended(*ses)
	return !at.Before(ses.StartedAt) && (ended.IsZero() || !at.After(ended))
}

// sameAgent tells whether a session is of an agent; in a run agents have names of the
// user's own.
func sameAgent(ses *kedge.Session, agent string) bool { return ses.Agent == agent || ses.Run != "" }

// nameOf is what a transcript is called by where it lies.
func nameOf(f *audit.Figures) string {
	return transcript.File{Path: filepath.Clean(f.File)}.Name()
}

// kindsOf brings what a reply used into the form of sessions.
func kindsOf(u audit.Usage) kedge.TokenKinds {
	return kedge.TokenKinds{Input: u.Input, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, CacheWriteHour: u.Hour, Output: u.Output}
}

// requestPrice is what a request costs by a table of prices. A table is looked up once for
// each model and day.
func requestPrice(prices stats.PriceTable) audit.Price {
	type key struct{ model, day string }
	var mu sync.Mutex
	found := map[key]*stats.Price{}
	return func(model, at string, u audit.Usage) *float64 {
		if len(at) < len(time.DateOnly) {
			return nil
		}
		k := key{model, at[:len(time.DateOnly)]}
		mu.Lock()
		defer mu.Unlock()
		p, known := found[k]
		if !known {
			if day, err := time.Parse(time.DateOnly, k.day); err == nil {
				if of, ok := prices.Of(model, day); ok {
					p = &of
				}
			}
			found[k] = p
		}
		if p == nil {
			return nil
		}
		return p.Request(kindsOf(u))
	}
}
