package audit

import (
	"fmt"
	"reflect"
	"testing"
)

// filling is a session of so many replies whose context grows by a thousand tokens with
// each, and is compacted after some.
func filling(replies int, compacted ...int) Figures {
	c := NewCounter("claude", Names{})
	tokens := int64(0)
	for i := 1; i <= replies; i++ {
		tokens += 1000
		id := fmt.Sprint("r", i)
		c.Add(&Entry{Kind: Reply, Reply: id, Asked: id, Model: "m", At: fmt.Sprintf("2026-01-02T00:%02d:%02d.000Z", i/60, i%60), Usage: &Usage{Input: tokens, Output: 1}})
		c.Add(&Entry{Kind: Reply, Reply: id, Asked: id, Model: "m", Usage: &Usage{Input: tokens, Output: 2}}) // told again
		c.Add(&Entry{Kind: Reply, Reply: "side" + id, Asked: id, Model: "m", Nested: true, Usage: &Usage{Input: 900_000}})
		for _, n := range compacted {
			if n == i {
				c.Add(&Entry{Kind: Compaction, Line: 10 * i, At: "2026-01-02T00:59:00.000Z"})
				tokens = 500
			}
		}
	}
	return c.Figures(noPrice)
}

// A curve has the largest context of each of its parts, never that of a sub-agent, and says
// where a compaction was, and what it did.
func TestCurve(t *testing.T) {
	f := filling(200, 100)
	if len(f.Curve) != points || f.Curve[0] != (Point{Reply: 5, At: "2026-01-02T00:00:05.000Z", Tokens: 5000}) {
		t.Errorf("%d points, the first %+v", len(f.Curve), f.Curve[0])
	}
	most, drops := int64(0), 0
	for i, p := range f.Curve {
		most = max(most, p.Tokens)
		if i > 0 && p.Tokens < f.Curve[i-1].Tokens {
			drops++
		}
	}
	if most != 100_500 || *f.MaxContextTokens != most || drops != 1 {
		t.Errorf("up to %d tokens, largest %d, %d drops", most, *f.MaxContextTokens, drops)
	}
	want := []Compacted{{Line: 1000, At: "2026-01-02T00:59:00.000Z", Reply: 100, Before: ptr(int64(100_000)), After: ptr(int64(1500))}}
	if !reflect.DeepEqual(f.Compacted, want) {
		t.Errorf("compacted %+v", f.Compacted)
	}
	if short := filling(3); len(short.Curve) != 3 || short.Curve[2].Tokens != 3000 || short.Compacted == nil {
		t.Errorf("%+v, %+v", short.Curve, short.Compacted)
	}
	if none := count(); none.Curve == nil || len(none.Curve) != 0 {
		t.Errorf("of nothing %+v", none.Curve)
	}
	if last := filling(2, 2).Compacted[0]; last.After != nil || *last.Before != 2000 {
		t.Errorf("at the end %+v", last)
	}
}

func TestLevels(t *testing.T) {
	curve := []Point{{Tokens: 1}, {Tokens: 5}, {Tokens: 3}, {Tokens: 2}}
	if got := Levels(curve, 2); !reflect.DeepEqual(got, []int64{5, 3}) {
		t.Errorf("%v", got)
	}
	if got := Levels(curve, 9); len(got) != 4 {
		t.Errorf("a short curve became %v", got)
	}
}
