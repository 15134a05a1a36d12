package follow

import "testing"

// TestShownLineHasAWord: the end of a block in brackets is not what is quoted.
func TestShownLineHasAWord(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "",
		" \n\r\n":                           "",
		"one\ntwo\n":                        "two",
		"{\n  \"error\": \"gone\"\n}\n":     "\"error\": \"gone\"",
		"progress 1\rprogress 2\r\n---\n":   "progress 2",
		"only\n}\n]\n":                      "only",
		"}\n":                               "",
		"größer\n":                          "größer",
		"{\n":                               "",
		"KEDGE {\"type\":\"say\"}\n\n   \n": "KEDGE {\"type\":\"say\"}",
	} {
		if got := shownLine(text); got != want {
			t.Errorf("of %q it shows %q, want %q", text, got, want)
		}
	}
}
