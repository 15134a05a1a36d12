package supply

import (
	"context"
	"slices"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/journal"
)

// talking tells whether a living session of the project has a conversation.
func (l recorder) talking(ctx context.Context, conversation string) (bool, error) {
	all, err := projects.All[kedge.Session](ctx, l.p, journal.KindSession)
	return slices.ContainsFunc(all, func(s kedge.Session) bool { return s.Live() && s.Conversation == conversation }), err
}
