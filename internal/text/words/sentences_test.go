package words

import (
	"slices"
	"testing"
)

func TestSentences(t *testing.T) {
	const text = "# Title\n\nIt is done. Is it fast, e.g. for 1.5 GB? Yes!\n\n1. **Lock** the file\n- see a.go\n\n```\nno sentence here.\n```\n| a | b |\n> quoted\n"
	want := []string{"It is done.", "Is it fast, e.g. for 1.5 GB?", "Yes!", "Lock the file", "see a.go"}
	if got := Sentences(text); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
