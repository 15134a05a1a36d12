package stats

import "testing"

// TestSumsAreExact: adding up leaves nothing behind a figure, whatever its size.
func TestSumsAreExact(t *testing.T) {
	list := add(nil, 0.1, dataPoint{})
	for _, v := range []float64{0.2, 0.049203} {
		list = add(list, v, dataPoint{})
	}
	if got := list[0].Value; len(list) != 1 || got != 0.349203 {
		t.Errorf("%v in %d points", got, len(list))
	}
	if got := millionths(9_123_456_789_013); got != 9_123_456_789_013 {
		t.Errorf("a large number became %v", got)
	}
}
