package projects

import (
	"context"

	"kedge"
	"kedge/internal/journal"
)

// maxDepth bounds how far sessions that start sessions are followed.
const maxDepth = 100

// RunSessionOf gives the session of a run that the caller works in, or from which the
// caller's session was started, or nil. Known is false if the journal does not have the
// caller's session.
func RunSessionOf(ctx context.Context, st *journal.Store, who Caller) (ses *kedge.Session, known bool, err error) {
	id, _ := who.Session()
	for range maxDepth {
		if id == "" {
			break
		}
		at, ok, err := journal.Get[kedge.Session](ctx, st, journal.KindSession, string(id))
		if err != nil || !ok {
			return nil, known, err
		}
		if known = true; at.Run != "" {
			return &at, known, nil
		}
		id = at.Parent
	}
	return nil, known, nil
}

// Refused records what a caller that works for a run tried and may not do. The request
// itself has no effect; made again, it is refused again.
func (h *Home) Refused(ctx context.Context, p *Project, who Caller, ses kedge.SessionID, act, why string) error {
	by, _ := who.Session()
	ev, err := Event(kedge.SessionRefused, who, kedge.SessionRefusedData{ID: ses, By: by, Act: act, Reason: why})
	if err != nil {
		return err
	}
	ev.Project = p.ID
	p.Writing.Lock()
	defer p.Writing.Unlock()
	_, _, err = p.Store.Append(ctx, "", ev)
	return err
}
