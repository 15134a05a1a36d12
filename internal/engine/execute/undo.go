package execute

import "kedge/internal/engine/gate"

// takenBack is the gate of what is left when work was taken back. A person wants
// it gone: that its tests go with it weakens nothing, and its own checks are none
// of what is left.
func takenBack(q gate.Request, tree string) gate.Request {
	q.Own, q.Later, q.Protect, q.Base = nil, nil, nil, tree
	return q
}
