package term_test

import (
	"strings"
	"testing"

	"kedge/internal/process/term"
)

// TestScreens: the last switch counts, wherever the stream is cut.
func TestScreens(t *testing.T) {
	for text, want := range map[string]bool{
		"":                              false,
		"plain text":                    false,
		"\x1b[?1049hvim":                true,
		"\x1b[?1049hvim\x1b[?1049l$ ":   false,
		"\x1b[?1049l\x1b[?47h":          true,
		"\x1b[?1047h\x1b[?47l":          false,
		"\x1b[?47l\x1b[?1047h":          true,
		"\x1b[?1049":                    false,
		"\x1b[?1049$p":                  false,
		"\x1b[?1049h\x1b[31mred\x1b[?2": true,
		strings.Repeat("x", 5000) + "\x1b[?1049h" + strings.Repeat("y\x1b[K", 999): true,
	} {
		for _, size := range []int{1, 2, 3, 7, 1000, 1 << 20} {
			var s term.Screens
			for rest := []byte(text); len(rest) > 0; {
				n := min(size, len(rest))
				s.Saw(rest[:n])
				rest = rest[n:]
			}
			if s.Second() != want {
				t.Errorf("%.40q in pieces of %d: second %v", text, size, s.Second())
			}
		}
	}
}

// FuzzScreens: where the stream is cut makes no difference.
func FuzzScreens(f *testing.F) {
	f.Add("a\x1b[?1049hb\x1b[?47l", 3)
	f.Add("\x1b\x1b[?1047h\x1b[?1047", 9)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		var whole, cutUp term.Screens
		whole.Saw([]byte(text))
		cut = min(max(cut, 0), len(text))
		cutUp.Saw([]byte(text[:cut]))
		cutUp.Saw([]byte(text[cut:]))
		if whole.Second() != cutUp.Second() {
			t.Errorf("%q cut at %d: %v and %v", text, cut, whole.Second(), cutUp.Second())
		}
	})
}
