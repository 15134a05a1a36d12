package watch_test

import (
	"testing"

	"kedge/internal/core/watch"
)

// TestWindowsAgree: the window that you set for a model counts, whatever the agent says of
// it, also where a report does not name the model; the agent's counts where you set none.
func TestWindowsAgree(t *testing.T) {
	n := func(i int64) *int64 { return &i }
	report := func(model string, window int64) watch.Act {
		return watch.Act{Kind: watch.Usage, Used: &watch.Used{Model: model, Context: n(50_000), Window: n(window)}}
	}
	for _, c := range []struct {
		name string
		acts []watch.Act
		want int64
	}{
		{"set", []watch.Act{report("claude-x", 1_000_000)}, 200_000},
		{"set, and not named again", []watch.Act{report("claude-x", 200_000), report("", 1_000_000)}, 200_000},
		{"not set", []watch.Act{report("gpt-x", 258_400)}, 258_400},
		{"another model", []watch.Act{report("claude-x", 200_000), report("gpt-x", 258_400), report("", 300_000)}, 300_000},
	} {
		w := watch.New(watch.Limits{Handover: 0.7, Windows: []watch.Window{{Pattern: "claude-*", Tokens: 200_000}}})
		for _, act := range c.acts {
			w.Feed(act)
		}
		if tokens, window := w.Filled(); tokens != 50_000 || window != c.want {
			t.Errorf("%s: %d of %d, want %d", c.name, tokens, window, c.want)
		}
	}
}
