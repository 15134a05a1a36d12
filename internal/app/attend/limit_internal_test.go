package attend

import (
	"strings"
	"testing"

	"kedge"
)

// TestUnattended: Kedge types only into the agent's own session, and only where nobody
// typed since the limit was noticed.
func TestUnattended(t *testing.T) {
	seven := int64(7)
	for _, c := range []struct {
		agent string
		typed *int64
		now   int64
		want  string
	}{
		{"claude", &seven, 7, ""},
		{"claude", &seven, 8, "you typed into the session since the limit began"},
		{"claude", nil, 7, "cannot tell whether you typed"},
		{"bash", &seven, 7, "runs bash"},
	} {
		got := unattended(kedge.Session{Agent: c.agent, Limit: &kedge.ProviderLimit{Typed: c.typed}}, c.now)
		if got != c.want && (c.want == "" || !strings.Contains(got, c.want)) {
			t.Errorf("%s, typed %v, now %d: %q", c.agent, c.typed, c.now, got)
		}
	}
}
