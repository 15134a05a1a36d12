package frame

import "testing"

func TestShares(t *testing.T) {
	for _, c := range []struct {
		n, of int64
		want  string
	}{
		{0, 0, "0%"}, {1, 0, "0%"}, {0, 7, "0%"}, {1, 1000, "<1%"}, {1, 200, "1%"}, {1, 3, "33%"}, {2, 3, "67%"}, {299, 1000, "30%"}, {7, 7, "100%"},
	} {
		if got := Percent(c.n, c.of); got != c.want {
			t.Errorf("%d of %d is %s, want %s", c.n, c.of, got, c.want)
		}
	}
}

func TestAbout(t *testing.T) {
	for chars, want := range map[int64]string{0: "~0", 1: "~0", 2: "~1", 4: "~1", 3996: "~999", 4000: "~1,000", 49_384: "~12,300", 49_400: "~12,400", 39_999_999: "~10,000,000"} {
		if got := AboutTokens(chars); got != want {
			t.Errorf("%d characters are %s tokens, want %s", chars, got, want)
		}
	}
}
