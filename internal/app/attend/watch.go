package attend

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/app/projects"
	"kedge/internal/app/sessions"
	"kedge/internal/core/config"
	"kedge/internal/core/watch"
)

// lookEvery is how often the transcripts of the sessions that you drive are looked at.
// A look at one that has not changed is a single question to the file system.
const lookEvery = 2 * time.Second

// watching are the conversations that are watched, by the session that each runs in or,
// for one in no session, by the agent's own name of it.
type watching struct {
	mu      sync.Mutex
	known   map[string]*watched
	talks   map[string]talk // by what their agents, or their transcripts, call them
	environ []string        // of the daemon, for sessions whose own is not known
}

// watched is one conversation that is watched: by the transcript that its agent writes,
// and until one is found by what its hooks tell.
type watched struct {
	mu     sync.Mutex
	ses    kedge.Session     // zero for a conversation in no session
	of     sessions.Followed // its project and environment
	dir    string
	key    string // begins the keys of what is written down
	limits watch.Limits
	eye    *watch.Watcher

	agent  string // as its hooks say
	native string // what the agent calls its conversation, as its hooks say
	at     stage  // where that is

	page    page
	past    bool  // what was fed last is older than the session: history of its conversation
	limited bool  // it came to a provider's limit and has not continued since
	told    int64 // the part of its context that the journal was told last
}

// WatchSoon watches the sessions that you drive until the daemon ends. Environ is the
// daemon's, for sessions that an earlier daemon started.
func (s *Attendant) WatchSoon(environ []string) {
	s.watching.mu.Lock()
	s.watching.environ = environ
	s.watching.mu.Unlock()
	s.life.Go(func() {
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				s.lookAll(s.life.Context())
			case <-s.life.Context().Done():
				return
			}
		}
	})
}

// lookAll looks at every session that you drive, and forgets those that have ended.
func (s *Attendant) lookAll(ctx context.Context) {
	living := map[string]bool{}
	for _, f := range s.sessions.Followed() {
		living[string(f.ID)] = true
		w, err := s.watchedAs(ctx, f)
		if err != nil && ctx.Err() == nil {
			s.home.Log.Error("cannot watch a session", "session", string(f.ID), "error", err.Error())
		}
		if w != nil {
			s.look(ctx, w)
			s.retry(ctx, w)
		}
	}
	s.watching.mu.Lock()
	defer s.watching.mu.Unlock()
	for key, w := range s.watching.known {
		if w.of.ID != "" && !living[key] {
			delete(s.watching.known, key)
		}
	}
}

// watchedAs gives what is known of a session that you drive; nil for one of a run.
func (s *Attendant) watchedAs(ctx context.Context, f sessions.Followed) (*watched, error) {
	s.watching.mu.Lock()
	w, ok := s.watching.known[string(f.ID)]
	s.watching.mu.Unlock()
	if ok {
		return w, nil
	}
	ses, err := f.Session(ctx)
	if err != nil || ses.Run != "" {
		return nil, err
	}
	w = &watched{ses: ses, of: f, dir: ses.Dir, key: "watch-" + string(ses.ID)}
	w.limits = s.limitsIn(ctx, ses.Dir, s.envOf(f))
	w.afresh()
	s.watching.mu.Lock()
	defer s.watching.mu.Unlock()
	return s.watching.put(string(f.ID), w), nil
}

// put remembers what is watched, unless somebody has been faster.
func (l *watching) put(key string, w *watched) *watched {
	if old, ok := l.known[key]; ok {
		return old
	}
	if l.known == nil || len(l.known) >= mostKnown {
		l.known = map[string]*watched{}
	}
	l.known[key] = w
	return w
}

// afresh begins to watch from nothing, as a session in which nothing was saved since it
// began, or was last compacted.
func (w *watched) afresh() {
	w.eye = watch.New(w.limits)
	if n := len(w.ses.Compactions); n > 0 {
		w.eye.Since(w.ses.Compactions[n-1].At)
	} else if !w.ses.StartedAt.IsZero() {
		w.eye.Since(w.ses.StartedAt)
	}
}

// limitsIn are the thresholds that you set for a folder's project, and the usual ones
// outside of projects.
func (s *Attendant) limitsIn(ctx context.Context, dir string, env []string) watch.Limits {
	conf := config.Default(catalog.Kinds())
	if p, err := s.home.Open(ctx, projects.Caller{Dir: dir}); err == nil {
		if c, err := (projects.Source{Project: p}).Config(ctx, projects.UserFile(env)); err == nil {
			conf = c
		}
	}
	return watch.Configured(conf).Attended()
}

func (s *Attendant) envOf(f sessions.Followed) []string {
	if len(f.Env) > 0 {
		return f.Env
	}
	s.watching.mu.Lock()
	defer s.watching.mu.Unlock()
	return s.watching.environ
}

// noticed is something to be written down, once for its key.
type noticed struct {
	key       string
	sig       watch.Signal
	compacted bool
	over      bool // the limit that it was at
}

// feed gives what is noticed with the next acts. What was done before the session began,
// in a conversation that it resumed, is known and no news.
func (w *watched) feed(key string, acts []watch.Act) (out []noticed) {
	for i, act := range acts {
		if w.isPast(act) {
			w.eye.Feed(act)
			continue
		}
		if act.Kind == watch.Compact {
			out = append(out, noticed{key: fmt.Sprintf("%s-%d-compacted", key, i), compacted: true})
		}
		if act.Kind == watch.Turn && w.limited {
			out = append(out, noticed{key: fmt.Sprintf("%s-%d-over", key, i), over: true})
		}
		w.limited = act.Kind == watch.Limit || w.limited && act.Kind != watch.Turn
		for _, sig := range w.eye.Feed(act) {
			if sig, ok := sig.ToYou(); ok {
				out = append(out, noticed{key: strings.Join([]string{key, fmt.Sprint(i), string(sig.Kind)}, "-"), sig: sig})
			}
		}
	}
	return out
}

// isPast tells whether an act is older than the session.
func (w *watched) isPast(act watch.Act) bool {
	was := w.past
	w.past = !act.At.IsZero() && act.At.Before(w.ses.StartedAt)
	if was && !w.past {
		w.eye.Resumed(w.ses.StartedAt)
	}
	return w.past
}
