package sessions

import (
	"context"
	"time"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/agents/record"
	"kedge/internal/app/projects"
	"kedge/internal/core/detect"
	"kedge/internal/insight/audit"
	"kedge/internal/insight/transcript"
	"kedge/internal/process"
)

// SessionAway asks what happened in a session since somebody looked at it.
type SessionAway struct {
	Name  string    `json:"name"`
	Since time.Time `json:"since"`
}

// SessionAwayReply says what is known of it.
type SessionAwayReply struct {
	Edits     *int     `json:"edits"`     // of files, by its agent; nil: unknown
	Tests     []string `json:"tests"`     // how they stood, in turn: red, green; empty: unknown
	Questions int      `json:"questions"` // that wait for you
}

// SessionAway says what happened in a session meanwhile.
func (s *Manager) SessionAway(ctx context.Context, who projects.Caller, in SessionAway) (SessionAwayReply, error) {
	reply := SessionAwayReply{Tests: []string{}}
	p, err := s.owner(ctx, who, in.Name)
	if err != nil {
		return reply, err
	}
	ses, err := s.Find(ctx, p, in.Name)
	if err != nil {
		return reply, err
	}
	if ses.State == kedge.SessionWaiting {
		reply.Questions = 1
	}
	reply.Edits, reply.Tests = s.didSince(ctx, ses, in.Since)
	return reply, nil
}

// didSince is what the transcript of a session says that its agent did since: how many
// edits it made, and how its tests stood, each time that this changed. Nothing where there
// is no transcript.
func (s *Manager) didSince(ctx context.Context, ses kedge.Session, since time.Time) (edits *int, tests []string) {
	tests = []string{}
	if !record.Known(ses) {
		return nil, tests
	}
	followed, _ := s.FollowedAs(ses.ID) // of an earlier daemon: the usual places
	where := transcript.Where{Getenv: func(name string) string { return process.Getenv(followed.Env, name) }}
	f, ok := record.Current(ctx, ses, "", func(string) bool { return false }, where)
	if !ok {
		return nil, tests
	}
	d := &doings{since: since, tests: tests, runs: map[string]bool{}}
	if _, err := catalog.Transcripts().ReadFile(ctx, f, transcript.Options{Text: true}, d.take); err != nil {
		return nil, []string{}
	}
	return &d.edits, d.tests
}

// doings are counted from the entries of a transcript.
type doings struct {
	since time.Time
	edits int
	tests []string
	runs  map[string]bool // calls that run tests
	late  bool            // since has passed
}

func (d *doings) take(e *audit.Entry) {
	if at, err := time.Parse(time.RFC3339, e.At); err == nil {
		d.late = at.After(d.since)
	}
	switch {
	case e.Kind == audit.ToolCall && e.Act == audit.Edit && d.late:
		d.edits++
	case e.Kind == audit.ToolCall && e.Act == audit.Shell && detect.RunsTests(e.Command):
		d.runs[e.Call] = true
	case e.Kind == audit.ToolResult && d.runs[e.Call]:
		d.tested(e.Failed)
	}
}

// tested takes in how tests ended. The last ones before count as how they stood.
func (d *doings) tested(failed bool) {
	now := "green"
	if failed {
		now = "red"
	}
	n := len(d.tests)
	switch {
	case !d.late:
		d.tests = []string{now}
	case n == 0 || d.tests[n-1] != now:
		d.tests = append(d.tests, now)
	}
}
