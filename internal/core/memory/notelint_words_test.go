package memory

import "testing"

func TestWordList(t *testing.T) {
	const list wordList = "default|defaults|a.m\n\tgo test|over"
	for word, want := range map[string]bool{
		"default": true, "defaults": true, "a.m": true, "go test": true, "over": true,
		"": false, "def": false, "fault": false, "go": false, "test": false, "ove": false,
		"default|defaults": false, "a.m\n\tgo test": false, "overt": false,
	} {
		if got := list.has(word); got != want {
			t.Errorf("has(%q) = %v", word, got)
		}
	}
}
