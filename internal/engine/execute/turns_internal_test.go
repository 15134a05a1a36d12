package execute

import "testing"

func TestHalfTheCores(t *testing.T) {
	for _, x := range []struct{ said, cores, want int }{{0, 1, 1}, {0, 2, 1}, {0, 8, 4}, {0, 9, 4}, {3, 1, 3}} {
		if got := suites(x.said, x.cores); got != x.want {
			t.Errorf("gate.parallel = %d on %d cores: %d at once, want %d", x.said, x.cores, got, x.want)
		}
	}
}
