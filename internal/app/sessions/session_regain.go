package sessions

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kedge"
	"kedge/internal/agents"
	"kedge/internal/agents/catalog"
	"kedge/internal/agents/record"
	"kedge/internal/app/projects"
	"kedge/internal/core/brief"
	"kedge/internal/core/config"
	"kedge/internal/insight/transcript"
	"kedge/internal/journal"
	"kedge/internal/process"
	"kedge/internal/process/atomicfile"
	"kedge/internal/process/hold"
	"kedge/internal/text/lazyre"
	"kedge/internal/text/redact"
)

// maxBack is how many sessions back a record is looked for: one that was killed at
// once left none, and the one before it did.
const maxBack = 8

// regained is what the session that resumes another is told: where the work stood,
// from the transcript that the other's program left, below the brief of the project.
// Empty where there is no transcript.
func (s *Manager) regained(ctx context.Context, who projects.Caller, p *projects.Project, name string, env []string) string {
	old, err := s.Find(ctx, p, name)
	if err != nil {
		return ""
	}
	stood := s.stood(ctx, p, old, env)
	if stood == "" {
		return ""
	}
	mine, err := s.home.Open(ctx, who)
	if err != nil {
		return stood // of a folder that is no project
	}
	input, err := s.status.BriefInput(ctx, mine, who)
	if err != nil {
		return stood
	}
	input.Stood = stood
	return redact.Text(brief.Prime(input, brief.DefaultBudget).Text)
}

// Ended gives the time at which a session's program ended, as its holder recorded it. It
// is zero while the program runs, and if nothing was recorded.
func (s *Manager) Ended(ses kedge.Session) time.Time {
	r, err := hold.ReadResult(s.SessionDir(ses.ID))
	if ses.Live() || err != nil || r.At <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(r.At)
}

// stood is where a session, or the last before it that left a transcript, stood.
func (s *Manager) stood(ctx context.Context, p *projects.Project, ses kedge.Session, env []string) string {
	if b := s.stoodAs(ctx, p, ses, env); b != nil {
		return b.Text
	}
	return ""
}

// left is the transcript of a session, or of the last before it that left one.
func (s *Manager) left(ctx context.Context, p *projects.Project, ses kedge.Session, env []string) (transcript.File, bool) {
	for range maxBack {
		if !record.Known(ses) {
			return transcript.File{}, false
		}
		if f, ok := record.Left(ctx, ses, s.Ended(ses), transcript.Where{Getenv: func(name string) string { return process.Getenv(env, name) }}); ok {
			return f, true
		}
		before, ok, err := journal.Get[kedge.Session](ctx, p.Store, journal.KindSession, string(ses.Previous))
		if !ok || err != nil {
			return transcript.File{}, false
		}
		ses = before
	}
	return transcript.File{}, false
}

// conversation is what the program of a session calls the conversation that it had,
// and that it can be told to go on with.
func (s *Manager) conversation(ctx context.Context, p *projects.Project, ses kedge.Session, env []string) (string, error) {
	id := ses.Conversation
	if f, ok := s.left(ctx, p, ses, env); id == "" && ok {
		if _, m, err := record.Transcript(ctx, f, 0); err == nil {
			id = m.ID
		}
	}
	if !plainName.MatchString(id) { // it becomes an argument
		return "", kedge.Errorf(kedge.NotFound, "Kedge cannot use --native: it found no conversation that the program of session %q can resume", ses.Name).
			WithHint("start a fresh session with a summary instead: kedge resume %s", ses.Name)
	}
	return id, nil
}

var plainName = lazyre.New(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,199}$`)

// goesOn gives what to start for a session that goes on from a text: the text lies in
// a file of its folder that KEDGE_BRIEF names. A program that can be told where its
// brief lies is, unless its arguments say already what it is to do. Where it continues
// its own conversation they do not.
func (s *Manager) goesOn(ctx context.Context, fresh SessionNew, ses kedge.Session, text string) SessionNew {
	native := ses.Begun != nil && ses.Begun.How == kedge.BegunNative
	if native && text == "" {
		text = "Continue where you stopped.\n"
	}
	if text == "" {
		return fresh
	}
	file := filepath.Join(s.SessionDir(ses.ID), "brief.md")
	if err := atomicfile.Write(file, []byte(text), 0o600); err != nil {
		s.home.Log.ErrorContext(ctx, "a session continues without its brief", "session", ses.ID, "error", err.Error())
		return fresh
	}
	fresh.Env = append(slices.Clone(fresh.Env), "KEDGE_BRIEF="+file)
	talk := ""
	if native {
		talk = ses.Conversation
	}
	if start, ok := reading(ses, fresh, file, talk); ok {
		fresh.Command, fresh.Env = start.Command, append(fresh.Env, start.Env...)
	}
	return fresh
}

// reading is how the program of a session is started so that it reads a brief; false
// where it cannot be told to.
func reading(ses kedge.Session, fresh SessionNew, file, talk string) (agents.Start, bool) {
	command := briefed(ses, fresh)
	ad, err := catalog.New(ses.Agent, config.Agent{Kind: ses.Agent, Command: command})
	if err != nil || command == nil {
		return agents.Start{}, false
	}
	start, err := ad.Start(agents.Task{Session: ses.ID, Attempt: 1, Purpose: "implement", Dir: fresh.Dir, Brief: file, Attended: true, Resume: talk})
	return start, err == nil && !start.Pipes
}

// briefed is the command of a session without what a brief takes the place of: the choice
// of a conversation and, where the session is told what was asked, the prompt. Nil: the
// program was given something else to do, and does that again.
func briefed(ses kedge.Session, fresh SessionNew) []string {
	command := fresh.Command
	args := catalog.Of(ses.Agent).CommandLine.Split(command[1:])
	native := ses.Begun != nil && ses.Begun.How == kedge.BegunNative
	if !fresh.asked && len(args.Prompt) > 0 || !native && len(args.Apart) > 0 {
		return nil
	}
	return append(command[:1:1], args.Options...)
}

// askedOf is what the command of a session asked its program to do; empty where it asked
// nothing, or it is unknown how the program is asked.
func askedOf(ses kedge.Session) string {
	line := catalog.Of(ses.Agent)
	if line.New == nil || len(ses.Command) == 0 {
		return ""
	}
	words := slices.DeleteFunc(line.CommandLine.Split(ses.Command[1:]).Prompt, func(word string) bool {
		return word == "--" || slices.Contains(line.CommandLine.Asks, word)
	})
	return strings.Join(words, " ")
}
