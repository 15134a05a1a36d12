package execute

import (
	"testing"

	"kedge/internal/core/watch"
)

// TestDroppedWishIsNotWaitedFor: a program that was told to compact and plainly works on
// is waited for no longer; one whose turn was under way, or that says what it compacts
// to, is. A compaction that comes after all counts as the one that was asked for.
func TestDroppedWishIsNotWaitedFor(t *testing.T) {
	for name, of := range map[string]struct {
		does []watch.Kind
		want shortStage
	}{
		"nothing":             {nil, shortTold},
		"a turn under way":    {[]watch.Kind{watch.Call, watch.Turn, watch.Say}, shortTold},
		"the end of two":      {[]watch.Kind{watch.Turn, watch.Say, watch.Turn}, shortTold},
		"it calls later":      {[]watch.Kind{watch.Turn, watch.Turn, watch.Call}, shortNot},
		"it says a thing":     {[]watch.Kind{watch.Turn, watch.Call, watch.Turn, watch.Say}, shortNot},
		"only what it costs ": {[]watch.Kind{watch.Turn, watch.Turn, watch.Usage, watch.Result}, shortTold},
	} {
		h := shortening{can: true, stage: shortTold}
		h.compacted("ses", 1, false, nil) // by itself
		for _, kind := range of.does {
			h.forgets(kind)
		}
		if h.stage != of.want {
			t.Errorf("%s: stage %d, want %d", name, h.stage, of.want)
		}
		if h.compacted("ses", 2, true, nil); h.stage != shortOver {
			t.Errorf("%s: a compaction that was asked for leaves stage %d", name, h.stage)
		}
	}
	for _, stage := range []shortStage{shortNot, shortWanted, shortOver, shortGoes} {
		h := shortening{stage: stage, turns: dropped}
		if h.forgets(watch.Call); h.stage != stage {
			t.Errorf("stage %d became %d", stage, h.stage)
		}
	}
}
