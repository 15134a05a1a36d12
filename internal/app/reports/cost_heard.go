package reports

import (
	"kedge"
	"kedge/internal/insight/audit"
)

// heardMore finds the conversations whose sessions said that they used more than their
// transcripts have, all of them together: a program that is ended may not come to write
// down its last reply. They are named by their first sessions.
func (m *matching) heardMore(list []audit.Figures) map[*kedge.Session]bool {
	written := map[*kedge.Session]kedge.TokenKinds{}
	heard := map[*kedge.Session]kedge.TokenKinds{}
	for i := range list {
		sessions := m.sessionsOf(&list[i])
		if len(sessions) == 0 || sessions[0].Conversation == "" {
			continue
		}
		sum := written[sessions[0]]
		list[i].EachReply(func(r *audit.ReplyUse) { sum = sum.Plus(kindsOf(r.Usage)) })
		written[sessions[0]] = sum
		if said, ok := saidBy(sessions); ok {
			heard[sessions[0]] = said
		}
	}
	out := map[*kedge.Session]bool{}
	for first, said := range heard {
		out[first] = exceeds(said, written[first])
	}
	return out
}

// saidBy is what all of the sessions said that they used; nothing where one did not.
func saidBy(sessions []*kedge.Session) (sum kedge.TokenKinds, ok bool) {
	for _, ses := range sessions {
		if ses.Kinds == nil {
			return sum, false
		}
		sum = sum.Plus(*ses.Kinds)
	}
	return sum, true
}

// exceeds tells whether a is nowhere less than b, and somewhere more. What is written to a
// cache is part of the input where a protocol has no figure for it.
func exceeds(a, b kedge.TokenKinds) bool {
	input := a.Input + a.CacheWrite - b.Input - b.CacheWrite
	read, output := a.CacheRead-b.CacheRead, a.Output-b.Output
	return min(input, read, output) >= 0 && max(input, read, output) > 0
}
