package drive

import (
	"context"
	"slices"

	"kedge"
	"kedge/internal/project"
	"kedge/internal/store"
)

// talking tells whether a living session of the project has a conversation.
func (l runLedger) talking(ctx context.Context, conversation string) (bool, error) {
	all, err := project.All[kedge.Session](ctx, l.p, store.KindSession)
	return slices.ContainsFunc(all, func(s kedge.Session) bool { return s.Live() && s.Conversation == conversation }), err
}
