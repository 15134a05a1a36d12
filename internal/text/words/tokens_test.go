package words_test

import (
	"strings"
	"testing"

	"kedge/internal/text/words"
)

func TestEstimate(t *testing.T) {
	tests := []struct {
		name string
		in   string
		want int
	}{
		{"empty", "", 0},
		{"one character is a token", "a", 1},
		{"rounded up", "abcde", 2},
		{"ASCII by fours", strings.Repeat("word", 1500), 1500},
		{"other scripts by character", "设计决定", 4},
		{"mixed", "abcd é", 3},
		{"broken bytes count too", "\xff\xfe", 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := words.Tokens(tt.in); got != tt.want {
				t.Errorf("Estimate(%q) = %d, want %d", tt.in, got, tt.want)
			}
		})
	}
}

// FuzzEstimate: more text never costs less, and the whole never more than its
// parts, so that a budget may be filled part by part.
func FuzzEstimate(f *testing.F) {
	f.Add("some text", "and more")
	f.Add("", "é")
	f.Fuzz(func(t *testing.T, a, b string) {
		whole, parts := words.Tokens(a+b), words.Tokens(a)+words.Tokens(b)
		if whole > parts {
			t.Errorf("Estimate(%q) = %d, its parts %d", a+b, whole, parts)
		}
		if words.Tokens(a+"x") < words.Tokens(a) {
			t.Errorf("Estimate(%q) shrinks when text is added", a)
		}
	})
}
