package words_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"kedge/internal/text/words"
)

func TestHash(t *testing.T) {
	for sha, want := range map[string]string{"": "", "4f1c2ab": "4f1c2ab", strings.Repeat("ab", 20): "abababababab"} {
		if got := words.Hash(sha); got != want {
			t.Errorf("%q is shown as %q, want %q", sha, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 files", 1: "1 file", 2: "2 files", 1200: "1200 files"} {
		if got := words.Count(n, "file"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"", 0, ""},
		{"word", 4, "word"},
		{"words", 4, "wor…"},
		{"设计决定", 4, "设计决定"},
		{"设计决定", 3, "设计…"},
		{"one two", 5, "one…"},
		{"word", 1, "…"},
		{"word", 0, "…"},
	} {
		if got := words.Clip(c.in, c.n); got != c.want {
			t.Errorf("%q to %d characters: %q, want %q", c.in, c.n, got, c.want)
		}
	}
}

func TestClipBytes(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"word", 4, "word"}, {"words", 4, "w…"}, {"设计", 6, "设计"}, {"设计决", 8, "设…"}, {"a b cdef", 6, "a b…"}, {"word", 0, "…"},
	} {
		if got := words.ClipBytes(c.in, c.n); got != c.want {
			t.Errorf("%q to %d bytes: %q, want %q", c.in, c.n, got, c.want)
		}
	}
}

// FuzzClip: what is cut is short enough, is text where the whole was, and begins as
// the whole does.
func FuzzClip(f *testing.F) {
	f.Add("some text that is long", 7)
	f.Add("设计决定", 2)
	f.Fuzz(func(t *testing.T, s string, n int) {
		n = max(min(n, 1000), 3)
		short, bytes := words.Clip(s, n), words.ClipBytes(s, n)
		if utf8.RuneCountInString(short) > n || len(bytes) > n {
			t.Errorf("%q to %d: %q, %q", s, n, short, bytes)
		}
		for _, got := range []string{short, bytes} {
			if utf8.ValidString(s) && !utf8.ValidString(got) {
				t.Errorf("%q is broken in %q", s, got)
			}
			if got != s && !strings.HasPrefix(s, strings.TrimSuffix(got, "…")) {
				t.Errorf("%q does not begin with %q", s, got)
			}
		}
	})
}

func TestAge(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 0: "0s", 59 * time.Second: "59s", time.Minute: "1m", 119 * time.Minute: "1h", 47 * time.Hour: "1d", 800 * 24 * time.Hour: "800d",
	} {
		if got := words.Age(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}
