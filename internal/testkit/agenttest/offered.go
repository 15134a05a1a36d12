package agenttest

import (
	"maps"
	"slices"
	"testing"

	"kedge/internal/agents"
	"kedge/internal/testkit/modelserver"
)

// Offered starts a session of a real program with limited tools, and gives the names of
// those that the model was offered.
func Offered(t *testing.T, l Live, o agents.Offer) []string {
	t.Helper()
	w := newWorld(t, l, "offered")
	w.play(modelserver.Turn{Text: "Done."})
	w.start(agents.Task{Purpose: "implement", Offer: o}).finished()
	names := map[string]bool{}
	for _, r := range w.server.Records() {
		for name := range r.Request.Tools {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
