package execute

import (
	"context"
	"fmt"
	"strings"

	"kedge/internal/core/run"
	"kedge/internal/engine/gate"
)

// takenBack is the gate of what is left when work was taken back. A person wants
// it gone: that its tests go with it weakens nothing, and its own checks are none
// of what is left.
func takenBack(q gate.Request, tree string) gate.Request {
	q.Own, q.Later, q.Protect, q.Base = nil, nil, nil, tree
	return q
}

// undoMessage is that of a commit which takes work back.
func (x *Executor) undoMessage(ctx context.Context, c run.Command, tree string) (string, error) {
	f, err := x.cfg.Ledger.Feature(ctx, c.Feature, "")
	if err != nil {
		return "", err
	}
	name := f.Name
	if name == "" {
		name = string(c.Feature)
	}
	trailers := "Kedge-Reverts: " + c.Commit
	if v := validated(c, tree); v != "" {
		trailers += "\nKedge-Validated: " + v
	}
	return fmt.Sprintf("%s\n\n%s\n\n%s\nKedge-Run: %s", subject("Take back "+name), strings.Join(strings.Fields(c.Reason), " "), trailers, c.Run), nil
}
