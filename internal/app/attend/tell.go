package attend

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/app/sessions"
	"kedge/internal/app/status"
	"kedge/internal/core/watch"
	"kedge/internal/journal"
	"kedge/internal/process/atomicfile"
)

// tell saves a checkpoint where what was noticed advises it, at most one for all of it,
// and writes down what you are warned of. It never touches the session.
func (s *Attendant) tell(ctx context.Context, w *watched, found []noticed) {
	if key := s.savesAt(ctx, w, found); key != "" {
		s.saveAs(ctx, w, key)
	}
	news := false
	for _, n := range found {
		switch {
		case n.compacted:
			news = s.note(ctx, w, n.key, kedge.SessionCompacted, kedge.SessionCompactedData{ID: w.ses.ID}) || news
		case n.over:
			news = s.note(ctx, w, n.key, kedge.SessionLimitOver, kedge.SessionLimitOverData{ID: w.ses.ID}) || news
		case n.sig.Kind == watch.Provider:
			news = s.limited(ctx, w, n) || news
		case n.warns():
			news = s.warn(ctx, w, n) || news
		}
	}
	s.noteUsed(ctx, w)
	if news {
		s.showWarnings(ctx, w)
	}
}

// warns tells whether it is a warning to you.
func (n noticed) warns() bool { return n.sig.Advice == watch.Fresh || n.sig.Advice == watch.Compacting }

// savesAt is the key of the last thing that asks for a checkpoint; empty where nothing
// does.
func (s *Attendant) savesAt(ctx context.Context, w *watched, found []noticed) (key string) {
	for _, n := range found {
		if n.sig.Kind == watch.Periodic && s.savedSince(ctx, w, n.sig) {
			continue
		}
		if n.warns() || n.sig.Advice == watch.Save {
			key = n.key
		}
	}
	return key
}

func (s *Attendant) warn(ctx context.Context, w *watched, n noticed) bool {
	return s.note(ctx, w, n.key, kedge.SessionWarned, kedge.SessionWarnedData{ID: w.ses.ID, Warning: kedge.Warning{
		Signal: string(n.sig.Kind), At: n.sig.At, Reason: n.sig.Reason, Advice: string(n.sig.Advice), Focus: n.sig.Focus,
	}})
}

// note writes a fact about the session down, once for its key, and tells whether it is
// news. A conversation in no session has no place for it.
func (s *Attendant) note(ctx context.Context, w *watched, key string, typ kedge.EventType, data any) (news bool) {
	if w.ses.ID == "" {
		return false
	}
	who := projects.Caller{Actor: kedge.ActorDaemon, Key: key}
	_, err := s.home.Write(ctx, w.of.Project, who, func() ([]kedge.Event, error) {
		news = true
		return projects.One(projects.Event(typ, who, data))
	})
	if err != nil && ctx.Err() == nil {
		s.home.Log.Error("cannot record what Kedge noticed about a session", "session", string(w.ses.ID), "error", err.Error())
	}
	return news && err == nil
}

// savedSince tells whether somebody saved a checkpoint within the time after which one is
// due, and takes that in.
func (s *Attendant) savedSince(ctx context.Context, w *watched, sig watch.Signal) bool {
	p, err := s.home.Open(ctx, projects.Caller{Dir: w.dir})
	if err != nil {
		return false
	}
	last, err := projects.Latest[kedge.Checkpoint](ctx, p, journal.KindCheckpoint)
	if err != nil || last == nil || sig.At.Sub(last.At) >= w.limits.Every {
		return false
	}
	w.eye.Saved(last.At)
	return true
}

// saveAs saves a checkpoint in the name of the session, once for a key. Outside of a
// project there is nothing to save.
func (s *Attendant) saveAs(ctx context.Context, w *watched, key string) {
	who := projects.Caller{Dir: w.dir, Actor: kedge.ActorDaemon, Key: key + "-checkpoint"}
	if w.ses.ID != "" {
		who.Actor = kedge.Agent(w.ses.ID)
	}
	_, err := s.status.CheckpointSave(ctx, who, status.CheckpointSaveRequest{})
	if err != nil && !kedge.NotFound.Is(err) && ctx.Err() == nil {
		s.home.Log.Error("cannot save a checkpoint of a session", "session", string(w.ses.ID), "error", err.Error())
	}
}

// parts is into how many parts a context is divided: the journal is told when it comes
// to another one.
const parts = 20

// noteUsed writes down how full the context is, where that has changed enough.
func (s *Attendant) noteUsed(ctx context.Context, w *watched) {
	tokens, window := w.eye.Filled()
	if w.ses.ID == "" || tokens <= 0 {
		return
	}
	part := 1 + tokens/10_000
	d := kedge.SessionUsedData{ID: w.ses.ID, ContextTokens: &tokens}
	if window > 0 {
		part, d.ContextWindow = 1+tokens*parts/window, &window
	}
	if part == w.told {
		return
	}
	w.told = part
	who := projects.Caller{Actor: kedge.ActorDaemon}
	_, err := s.home.Write(ctx, w.of.Project, who, func() ([]kedge.Event, error) { return s.used(ctx, w.of.Project, who, d, true) })
	if err != nil && ctx.Err() == nil {
		s.home.Log.Error("cannot record how full a session's context is", "session", string(w.ses.ID), "error", err.Error())
	}
}

// showWarnings leaves what the session is warned of where its status line finds it
// without asking the daemon.
func (s *Attendant) showWarnings(ctx context.Context, w *watched) {
	ses, err := w.of.Session(ctx)
	if err != nil {
		return // ls and status say so
	}
	w.ses = ses
	var lines []string
	for _, warning := range ses.Warnings {
		lines = append(lines, warning.Sentence(ses.Name))
	}
	file := filepath.Join(s.sessions.SessionDir(ses.ID), sessions.WarningFile)
	if len(lines) == 0 {
		_ = os.Remove(file) // it may not be there
		return
	}
	if err := atomicfile.Write(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		s.home.Log.Warn("cannot show the warnings of a session in its status line", "session", string(ses.ID), "error", err.Error())
	}
}
