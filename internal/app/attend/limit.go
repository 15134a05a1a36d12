package attend

import (
	"context"
	"strconv"

	"kedge"
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
	if ses.OnLimit == kedge.OnLimitWait {
		at.Retry = sessions.RetryAt(at, s.home.Now())
	}
	return s.note(ctx, w, n.key, kedge.SessionLimited, kedge.SessionLimitedData{ID: ses.ID, ProviderLimit: at})
}

// retry lets a session continue that waited for a limit, when its time has come. If the
// limit is still there, the session says so again.
func (s *Attendant) retry(ctx context.Context, w *watched) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ses.Limit == nil {
		return
	}
	ses, err := w.of.Session(ctx)
	if err != nil {
		return
	}
	w.ses = ses
	if ses.Limit == nil || ses.Limit.Retry == nil || s.home.Now().Before(*ses.Limit.Retry) {
		return
	}
	key := w.key + "-retry-" + strconv.FormatInt(ses.Limit.Retry.UnixMilli(), 10)
	if err := s.sessions.Continue(ctx, w.of, key); err != nil {
		s.home.Log.Warn("a session that waited for a limit is not told to continue yet", "session", string(ses.ID), "error", err.Error())
		return
	}
	if s.note(ctx, w, key, kedge.SessionLimitOver, kedge.SessionLimitOverData{ID: ses.ID, Retried: true}) {
		s.showWarnings(ctx, w)
	}
}
