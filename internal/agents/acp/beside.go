package acp

import "kedge/internal/core/watch"

// Beside parts what a program prints beside the protocol from the lines of the
// protocol, in whatever pieces the output comes.
type Beside interface {
	// Split gives the bytes of the protocol to rest, and every whole reading to each,
	// in their order.
	Split(b []byte, rest func([]byte), each func(Reading))
}

// Reading is something that a program tells beside the protocol.
type Reading struct {
	Reply  *Tokens // what a reply used; nil: it is about something else
	Model  string  // of the reply
	Main   bool    // the reply fills the session's own context
	Events []watch.Act
}

// beside makes the splitter of a program; nil where it tells nothing beside the
// protocol.
func (p Program) beside() Beside {
	if p.Beside == nil {
		return nil
	}
	return p.Beside()
}

// metered is what a reading means.
func (r *reader) metered(m Reading) []watch.Act {
	if m.Reply == nil {
		return m.Events
	}
	return append(r.usage.reply(*m.Reply, m.Model, m.Main), m.Events...)
}
