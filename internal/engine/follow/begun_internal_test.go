package follow

import (
	"testing"

	"kedge/internal/core/watch"
)

// TestReplyThatNeverEnded: a reply that began and of which no use was told makes what a session
// used more than is known, until its use is told; a second that begins in its place does for good.
func TestReplyThatNeverEnded(t *testing.T) {
	n := int64(7)
	begun, told := &watch.Used{Begun: true}, &watch.Used{Input: &n}
	for name, c := range map[string]struct {
		reports []*watch.Used
		partial bool
	}{
		"told":       {[]*watch.Used{begun, told}, false},
		"refused":    {[]*watch.Used{begun, {}}, false},
		"ended":      {[]*watch.Used{begun, told, begun}, true},
		"went on":    {[]*watch.Used{begun, begun, told}, true},
		"never says": {[]*watch.Used{told, {Partial: true}, told}, true},
	} {
		var u usage
		for _, r := range c.reports {
			u.take(watch.Act{Kind: watch.Usage, Used: r})
		}
		if got := u.less(); got != c.partial {
			t.Errorf("%s: less is known %v, want %v", name, got, c.partial)
		}
	}
}
