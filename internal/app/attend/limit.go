package attend

import (
	"context"
	"strconv"

	"kedge"
	"kedge/internal/agents/record"
	"kedge/internal/app/sessions"
)

// limited writes down that a session came to a provider's limit, and when it is to be
// tried again where you want that.
func (s *Attendant) limited(ctx context.Context, w *watched, n noticed) bool {
	if w.ses.ID == "" {
		return false
	}
	ses, err := w.of.Session(ctx)
	if err != nil {
		return false // it is gone
	}
	at := kedge.ProviderLimit{At: n.sig.At, Reason: n.sig.Reason}
	if !n.sig.Until.IsZero() {
		at.Until = &n.sig.Until
	}
	if typed, err := s.sessions.Typed(ctx, w.of); err == nil {
		at.Typed = &typed
	}
	if ses.OnLimit == kedge.OnLimitWait {
		at.Retry = sessions.RetryAt(at, s.home.Now())
	}
	return s.note(ctx, w, n.key, kedge.SessionLimited, kedge.SessionLimitedData{ID: ses.ID, ProviderLimit: at})
}

// retry lets a session continue that waited for a limit, when its time has come and it
// is still there as it was. If the limit is still there, the session says so again.
func (s *Attendant) retry(ctx context.Context, w *watched) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !s.due(ctx, w) || !s.reread(ctx, w) || !s.due(ctx, w) {
		return
	}
	typed, err := s.sessions.Typed(ctx, w.of)
	if err != nil {
		s.notYet(w, err)
		return
	}
	key := w.key + "-retry-" + strconv.FormatInt(w.ses.Limit.Retry.UnixMilli(), 10)
	if why := unattended(w.ses, typed); why != "" {
		s.giveUp(ctx, w, key, why)
		return
	}
	if err := s.sessions.Continue(ctx, w.of, key); err != nil {
		s.notYet(w, err)
		return
	}
	if s.note(ctx, w, key, kedge.SessionLimitOver, kedge.SessionLimitOverData{ID: w.ses.ID, Retried: true}) {
		s.showWarnings(ctx, w)
	}
}

// due tells whether the time has come at which a session is to be tried again.
func (s *Attendant) due(ctx context.Context, w *watched) bool {
	if w.ses.Limit == nil {
		return false
	}
	ses, err := w.of.Session(ctx)
	if err != nil {
		return false
	}
	w.ses = ses
	return ses.Limit != nil && ses.Limit.Retry != nil && !s.home.Now().Before(*ses.Limit.Retry)
}

// reread reads the transcript up to now, and tells whether the session is still at its
// limit there.
func (s *Attendant) reread(ctx context.Context, w *watched) bool {
	if w.page.file.Path == "" {
		return false // it is looked for
	}
	if err := s.readPage(ctx, w); err != nil {
		s.notYet(w, err)
		return false
	}
	return w.limited
}

func (s *Attendant) notYet(w *watched, err error) {
	s.home.Log.Warn("cannot continue a session after its usage limit; Kedge tries again", "session", string(w.ses.ID), "error", err.Error())
}

// unattended says why nothing may be typed into a session that waited for a limit; empty
// where its own program is the agent, and nobody typed since the limit was noticed. What
// reads the words may be a shell otherwise, or you may have typed half a line.
func unattended(ses kedge.Session, typed int64) string {
	switch {
	case !record.Known(ses):
		return "the session runs " + ses.Agent + ", which is not an agent that Kedge knows"
	case ses.Limit.Typed == nil:
		return "Kedge cannot tell whether you typed into the session since the limit began"
	case *ses.Limit.Typed != typed:
		return "you typed into the session since the limit began"
	default:
		return ""
	}
}

// giveUp leaves it to you to let a session continue, and says so.
func (s *Attendant) giveUp(ctx context.Context, w *watched, key, why string) {
	at := *w.ses.Limit
	at.Retry = nil
	s.note(ctx, w, key+"-left", kedge.SessionLimited, kedge.SessionLimitedData{ID: w.ses.ID, ProviderLimit: at})
	s.note(ctx, w, key+"-warned", kedge.SessionWarned, kedge.SessionWarnedData{ID: w.ses.ID, Warning: kedge.Warning{
		Signal: kedge.WarnedOfLimit, At: s.home.Now(), Reason: "the provider's limit is probably over, but Kedge does not continue the session: " + why,
	}})
	s.showWarnings(ctx, w)
}
