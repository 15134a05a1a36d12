package modelserver

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// Request is what every protocol comes down to.
type Request struct {
	Model  string
	Stream bool
	System string
	Said   []string        // texts of the user's side, in order
	Spoken []string        // texts of the model's own side, where the protocol tells them
	Tools  map[string]Tool // offered, by name
	Forced bool            // the answer has to be a call of a tool
	Size   int             // characters of the whole request
}

// Tool is a tool that the agent offers.
type Tool struct {
	Schema Schema
	Custom bool // takes free text instead of JSON
}

// Schema is as much of a tool's JSON schema as a call needs.
type Schema struct {
	Properties map[string]Property `json:"properties"`
	Required   []string            `json:"required"`
}

// Property is one argument of a tool.
type Property struct {
	Type any `json:"type"`
}

var (
	marker   = regexp.MustCompile(`\[\[script:([A-Za-z0-9._-]+)\]\]`)
	reminder = regexp.MustCompile(`(?s)<system-reminder>.*?</system-reminder>`) // not what anybody asked for
	folder   = regexp.MustCompile(`(?i:working (?:in the )?directory(?: is)?:?\s*|<cwd>)\x60?(/[^\s<"'\x60]+)`)
)

// Mark is the text that makes a conversation play a script.
func Mark(name string) string { return "[[script:" + name + "]]" }

// Conversation is the name of the script that the first marked text names, the
// last one where it names several: what a prompt asks for stands at its end. Where
// the user's side has none any more, a summary of the model's may. Empty when none
// does.
func (r Request) Conversation() string {
	for _, text := range slices.Concat(r.Said, r.Spoken) {
		if all := marker.FindAllStringSubmatch(reminder.ReplaceAllString(text, ""), -1); all != nil {
			return all[len(all)-1][1]
		}
	}
	return ""
}

// says tells whether a text of the user's side has one of the words, which a "|"
// stands between.
func (r Request) says(words string) bool {
	return words != "" && slices.ContainsFunc(strings.Split(words, "|"), func(word string) bool {
		return slices.ContainsFunc(r.Said, func(text string) bool { return strings.Contains(text, word) })
	})
}

// Dir is the folder that the agent says it works in; empty when it does not say.
func (r Request) Dir() string {
	for _, text := range append([]string{r.System}, r.Said...) {
		if m := folder.FindStringSubmatch(text); m != nil {
			return strings.TrimSuffix(m[1], ".")
		}
	}
	return ""
}

// summaries are words by which agents ask for a summary of the conversation.
var summaries = []string{"create a detailed summary of", "CONTEXT CHECKPOINT COMPACTION", "state_snapshot"}

// form is the only tool by which a request can be answered: what has to be answered so
// is a question beside the work, whether something is allowed or how it is called.
func (r Request) form() (name string, ok bool) {
	if !r.Forced || len(r.Tools) != 1 {
		return "", false
	}
	for name = range r.Tools {
	}
	return name, true
}

// Aside tells whether the request is beside the work: a title, a summary, a form. It is
// answered, and no turn of the script is played for it.
func (r Request) Aside() bool {
	if _, form := r.form(); form || len(r.Tools) == 0 {
		return true
	}
	if len(r.Said) == 0 {
		return false
	}
	last := r.Said[len(r.Said)-1]
	for _, words := range summaries {
		if strings.Contains(last, words) {
			return true
		}
	}
	return false
}

// texts gives the texts of a value that is a string or a list of parts with
// texts in them, one inside the other as in results of tools.
func texts(raw json.RawMessage) []string {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return []string{one}
	}
	var parts []struct {
		Text    string          `json:"text"`
		Content json.RawMessage `json:"content"`
		Output  json.RawMessage `json:"output"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return nil
	}
	var out []string
	for _, p := range parts {
		if p.Text != "" {
			out = append(out, p.Text)
		}
		out = append(append(out, texts(p.Content)...), texts(p.Output)...)
	}
	return out
}
