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
	"kedge/internal/insight/history"
	"kedge/internal/insight/transcript"
	"kedge/internal/text/words"
)

// HistoryRequest asks for past conversations that have words. Project is a folder, or the
// last name of one; empty stands for all.
type HistoryRequest struct {
	Words   string            `json:"words"`
	Exact   bool              `json:"exact"` // every word must be there as it is written
	Agent   string            `json:"agent"`
	Since   string            `json:"since"` // as in AuditRequest
	Project string            `json:"project"`
	Output  bool              `json:"output"` // what tools gave and edits wrote, too: an index of its own
	Limit   int               `json:"limit"`  // conversations; 0 is all
	Apart   bool              `json:"apart"`  // those with the same passage one by one
	Env     map[string]string `json:"env"`    // as in AuditRequest
}

// HistoryReply has the conversations, the best first.
type HistoryReply struct {
	Words    []string       `json:"words"`             // that every message has, but for the missing ones
	Missing  []string       `json:"missing,omitempty"` // no message has these together with the others
	Found    []Conversation `json:"found"`
	Messages int            `json:"messages"` // that have the words, in all conversations
	Sessions int            `json:"sessions"` // conversations that have such messages
	Searched int            `json:"searched"` // conversations
	Unread   []UnreadFile   `json:"unread"`
	Unkept   string         `json:"unkept,omitempty"` // why the index could not be kept
}

// Conversation is one that was found, with the messages that have the words.
type Conversation struct {
	Talk
	Same    int       `json:"same,omitempty"` // as many others have the same passage
	Matches []Message `json:"matches"`        // the best first; the first of them with their passages
}

// Talk is what is known of a conversation.
type Talk struct {
	ID     string     `json:"id"`
	Agent  string     `json:"agent"`
	Parent string     `json:"parent,omitempty"` // of a sub-agent
	Folder string     `json:"folder"`           // empty is unknown
	Title  string     `json:"title"`
	Began  *time.Time `json:"began"`
	Ended  *time.Time `json:"ended"`
	File   string     `json:"file"`
}

// Message is one that has the words.
type Message struct {
	Line    int        `json:"line"`
	At      *time.Time `json:"at"`
	Who     string     `json:"who"`
	Passage string     `json:"passage,omitempty"`
	Marks   [][2]int   `json:"marks,omitempty"` // of the words in the passage, from and to, in bytes
}

// How much of what was found is told.
const (
	passages    = 3   // of a conversation
	passageSize = 320 // bytes
)

// History finds past conversations on this machine. It needs no project and no daemon. The
// one thing that it writes is its index.
func (s *Reports) History(ctx context.Context, who projects.Caller, in HistoryRequest) (HistoryReply, error) {
	if err := readable(in.Agent); err != nil {
		return HistoryReply{}, err
	}
	if strings.TrimSpace(in.Words) == "" {
		return HistoryReply{}, kedge.Errorf(kedge.Invalid, "you gave no words to search for").WithHint("name the words: kedge history WORDS")
	}
	since, err := s.sinceTime(in.Since)
	if err != nil {
		return HistoryReply{}, err
	}
	f := history.Filter{Agent: in.Agent, Since: since, Project: projectFilter(who.Dir, in.Env["HOME"], in.Project)}
	o := history.Options{Limit: in.Limit, Matches: passages, Size: passageSize, Now: s.home.Now(), Apart: in.Apart}
	var found history.Result
	unkept, err := s.library(who, in.Env, func(l *history.Library, where transcript.Where) error {
		l.Output = in.Output
		found, err = l.Search(ctx, where, history.Parse(in.Words, in.Exact), f, o)
		return err
	})
	return historyReply(found, unkept), err
}

// readable refuses an agent whose transcripts Kedge cannot read.
func readable(agent string) error {
	if list := catalog.Transcripts().Agents(); agent != "" && !slices.Contains(list, agent) {
		return kedge.Errorf(kedge.Invalid, "Kedge cannot read transcripts of agent %q", agent).
			WithHint("name one of these agents: %s", strings.Join(list, ", "))
	}
	return nil
}

func (s *Reports) sinceTime(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := s.since(text)
	if err != nil {
		return time.Time{}, err
	}
	return time.Parse(time.RFC3339, at)
}

// library gives the index to who uses it. Where it cannot be kept, it is made for this one
// call, and unkept says why.
func (s *Reports) library(who projects.Caller, env map[string]string, use func(*history.Library, transcript.Where) error) (unkept string, err error) {
	where := transcript.Where{Dirs: record.Folders(who.Dir), Getenv: func(name string) string { return env[name] }}
	l := &history.Library{Dir: filepath.Join(s.home.Dir, "history"), Formats: catalog.Transcripts(), Tell: func(p history.Progress) { who.Tell(p) }}
	if err = os.MkdirAll(l.Dir, 0o700); err == nil {
		err = use(l, where)
	}
	if err == nil || !history.Unkept(err) {
		return "", err
	}
	unkept = err.Error()
	if l.Dir, err = os.MkdirTemp("", "kedge-history-"); err != nil {
		return "", kedge.Errorf(kedge.Internal, "cannot make a temporary folder for the search index: %w", err)
	}
	defer func() { _ = os.RemoveAll(l.Dir) }() // it is a folder for such files
	return unkept, use(l, where)
}

// projectFilter tells whether a conversation belongs to the project that is meant: it worked
// in the folder, or in one whose last name this is.
func projectFilter(here, home, project string) func(dir string) bool {
	if project == "" {
		return nil
	}
	path := project
	switch rest, tilde := strings.CutPrefix(project, "~"); {
	case tilde && (rest == "" || rest[0] == '/'):
		path = filepath.Join(home, rest)
	case !filepath.IsAbs(project):
		path = filepath.Join(here, project)
	}
	dirs := []string{filepath.Clean(path)}
	if fi, err := os.Stat(path); err == nil && fi.IsDir() {
		dirs = append(dirs, record.Folders(dirs[0])...) // its worktrees too
	}
	return func(dir string) bool {
		if dir == "" {
			return false
		}
		return transcript.Within(dirs, dir) || !strings.Contains(project, "/") && slices.Contains(strings.Split(dir, "/"), project)
	}
}

func historyReply(found history.Result, unkept string) HistoryReply {
	r := HistoryReply{
		Words: found.Words, Missing: found.Missing, Found: []Conversation{}, Messages: found.Messages, Sessions: found.Sessions,
		Searched: found.Searched, Unread: []UnreadFile{}, Unkept: unkept,
	}
	if r.Words == nil {
		r.Words = []string{}
	}
	for _, u := range found.Unread {
		r.Unread = append(r.Unread, UnreadFile{File: u.File.Path, Why: u.Why})
	}
	for _, f := range found.Found {
		c := Conversation{Talk: talkOf(f.Conversation), Same: f.Same}
		for _, m := range f.Matches {
			out := Message{Line: m.Line, At: known(m.At), Who: m.Who.String(), Passage: m.Passage}
			for _, mark := range m.Marks {
				out.Marks = append(out.Marks, [2]int{mark.From, mark.To})
			}
			c.Matches = append(c.Matches, out)
		}
		r.Found = append(r.Found, c)
	}
	return r
}

func talkOf(c history.Conversation) Talk {
	return Talk{ID: c.ID, Agent: c.File.Agent, Parent: c.Parent, Folder: c.Dir, Title: c.Title, Began: known(c.Began), Ended: known(c.Ended), File: c.File.Path}
}

// known gives a time; nil is unknown.
func known(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// pastConversation finds a conversation of any folder by its id, or by its beginning.
func (s *Reports) pastConversation(ctx context.Context, who projects.Caller, env map[string]string, id string) (history.Conversation, error) {
	var list []history.Conversation
	_, err := s.library(who, env, func(l *history.Library, where transcript.Where) error {
		x, err := l.Update(ctx, where)
		if err == nil {
			list = x.Named(id)
			x.Close()
		}
		return err
	})
	switch {
	case err != nil:
		return history.Conversation{}, err
	case len(list) == 0:
		return history.Conversation{}, kedge.Errorf(kedge.NotFound, "no session and no past conversation has the id %q", id).WithHint("find the conversation by its words: kedge history WORDS")
	case len(list) > 1:
		var ids []string
		for _, c := range list {
			ids = append(ids, c.ID)
		}
		return history.Conversation{}, kedge.Errorf(kedge.Invalid, "%[1]s have an id that begins with %[2]q: %[3]s", words.Count(len(list), "conversation"), id, strings.Join(ids, ", ")).
			WithHint("repeat your command with more of the id")
	}
	return list[0], nil
}
