package history_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"kedge/internal/insight/history"
	"kedge/internal/text/redact"
)

// spoken is a message as the finder below has it.
type spoken struct {
	place string // as in places
	text  string // in small letters, on one line
}

// finder is the slow way to find messages in transcripts of Claude Code, written from what
// docs/guides/history.md says is searched, and from nothing else.
func finder(t *testing.T, id string, transcript []byte) (list []spoken) {
	t.Helper()
	for i, raw := range bytes.Split(transcript, []byte("\n")) {
		var l map[string]any
		if json.Unmarshal(raw, &l) != nil || l["isSidechain"] == true {
			continue
		}
		for _, text := range texts(l, inputsOf(raw)) {
			low := strings.ToLower(strings.Join(strings.Fields(redact.Text(text)), " "))
			list = append(list, spoken{fmt.Sprintf("%s:%d", id, i+1), low})
		}
	}
	return list
}

// texts are the messages of a line.
func texts(l map[string]any, inputs []json.RawMessage) (list []string) {
	switch l["type"] {
	case "summary":
		return []string{l["summary"].(string)}
	case "queue-operation":
		if l["operation"] == "enqueue" {
			list = append(list, l["content"].(string))
		}
		return list
	case "user", "assistant":
	default:
		return nil
	}
	m, _ := l["message"].(map[string]any)
	if m == nil || l["isMeta"] == true {
		return nil
	}
	if s, ok := m["content"].(string); ok {
		return []string{s}
	}
	blocks, _ := m["content"].([]any)
	for i, b := range blocks {
		b := b.(map[string]any)
		switch b["type"] {
		case "text":
			list = append(list, b["text"].(string))
		case "thinking":
			list = append(list, b["thinking"].(string))
		case "tool_use":
			list = append(list, toolText(b["name"].(string), b["input"].(map[string]any), inputs[i]))
		}
	}
	return list
}

// inputsOf are the inputs of tools in the blocks of a message, as they are written.
func inputsOf(line []byte) []json.RawMessage {
	var l struct {
		Message struct {
			Content []struct {
				Input json.RawMessage `json:"input"`
			} `json:"content"`
		} `json:"message"`
	}
	_ = json.Unmarshal(line, &l) // a message that is a text has no blocks
	var list []json.RawMessage
	for _, b := range l.Message.Content {
		list = append(list, b.Input)
	}
	return list
}

// toolText is a tool call as it is searched.
func toolText(name string, in map[string]any, raw []byte) string {
	var list []string
	switch name {
	case "Bash":
		list = append(list, in["command"].(string))
	case "Read", "Edit", "Write", "MultiEdit":
		list = append(list, in["file_path"].(string))
	default:
		list = inOrder(json.NewDecoder(bytes.NewReader(raw)))
	}
	return name + ": " + strings.Join(list, "\n")
}

// inOrder are the strings of a JSON value as they stand in it, without the keys.
func inOrder(d *json.Decoder) (list []string) {
	tok, err := d.Token()
	if err != nil {
		return nil
	}
	switch tok := tok.(type) {
	case string:
		return []string{tok}
	case json.Delim:
		for d.More() {
			if tok == '{' {
				_, _ = d.Token() // the key
			}
			list = append(list, inOrder(d)...)
		}
		_, _ = d.Token() // the end
	}
	return list
}

// corpus are the transcripts that there are: an excerpt that is always there, and real
// sessions where somebody put them beside the repository.
func corpus(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no excerpt: %v", err)
	}
	more, _ := filepath.Glob("../../../../shared/corpus/*.jsonl.gz")
	for _, path := range append(files, more...) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(path, ".gz") {
			z, err := gzip.NewReader(bytes.NewReader(b))
			if err != nil {
				t.Fatal(err)
			}
			if b, err = io.ReadAll(z); err != nil {
				t.Fatal(err)
			}
		}
		// Each under an id of its own, by the name of its file.
		id := strings.TrimSuffix(filepath.Base(path), ".gz")
		var l struct {
			ID string `json:"sessionId"`
		}
		for line := range bytes.Lines(b) {
			if json.Unmarshal(line, &l) == nil && l.ID != "" {
				break
			}
		}
		id = strings.TrimSuffix(id, ".jsonl")
		all[id] = bytes.ReplaceAll(b, []byte(l.ID), []byte(id))
	}
	return all
}

// TestFindsWhatAScriptFinds: a search finds exactly the messages that the slow finder
// finds: for words, parts of words, several words, and phrases that stand in the texts.
func TestFindsWhatAScriptFinds(t *testing.T) {
	m := newMachine(t)
	var all []spoken
	for id, b := range corpus(t) {
		m.write(m.claude(id), string(b))
		all = append(all, finder(t, id, b)...)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	queries := [][]string{{"per-file pools"}, {"per-file", "pools"}, {"the"}, {"e"}, {"go test"}, {"=>"}, {"://"}, {"nothing has this"}}
	for range 300 {
		queries = append(queries, queryFrom(all[rnd.IntN(len(all))].text, rnd))
	}
	found := 0
	for _, q := range queries {
		var want []string
		for _, s := range all {
			if !slices.ContainsFunc(q, func(part string) bool { return !strings.Contains(s.text, part) }) {
				want = append(want, s.place)
			}
		}
		slices.Sort(want)
		var words strings.Builder
		for _, part := range q {
			words.WriteString(` "` + part + `"`)
		}
		if got := m.find(words.String()); !slices.Equal(got, want) {
			t.Fatalf("%s: %d are found and %d are there: %v, %v", words.String(), len(got), len(want), got, want)
		}
		found += len(want)
	}
	if found < 1000 {
		t.Errorf("only %d messages were found: this shows little", found)
	}
}

// queryFrom takes some words, parts of words, or a phrase out of a text.
func queryFrom(text string, rnd *rand.Rand) []string {
	fields := strings.Fields(strings.ReplaceAll(text, `"`, " "))
	if len(fields) == 0 {
		return []string{"x"}
	}
	at := rnd.IntN(len(fields))
	switch rnd.IntN(4) {
	case 0: // a phrase
		return []string{strings.Join(fields[at:min(len(fields), at+1+rnd.IntN(4))], " ")}
	case 1: // part of a word
		r := []rune(fields[at])
		from := rnd.IntN(len(r))
		return []string{string(r[from:min(len(r), from+1+rnd.IntN(6))])}
	case 2: // a word without what is around it
		if w := strings.TrimFunc(fields[at], func(r rune) bool { return !unicode.IsLetter(r) }); w != "" {
			return []string{w}
		}
		return []string{fields[at]}
	default: // some words
		return []string{fields[at], fields[rnd.IntN(len(fields))], fields[rnd.IntN(len(fields))]}
	}
}

// TestAQuestionFindsTheDecision: a question in plain words gives the place where it was
// answered first, among conversations that have the same words.
func TestAQuestionFindsTheDecision(t *testing.T) {
	m := newMachine(t)
	for id, b := range corpus(t) {
		m.write(m.claude(id), string(b))
	}
	m.write(m.claude("other"), line("other", "user", "where did we put the pools of the threads? decide per file.")+line("other", "assistant", "pools per-file"))
	r, err := m.lib.Search(t.Context(), m.where(), history.Parse("where did we decide on per-file pools", false), history.Filter{}, history.Options{Matches: 1, Size: 200})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Found) == 0 || !strings.Contains(r.Found[0].Matches[0].Passage, "Why Option 4 (per-file pools) was selected") {
		t.Errorf("first found: %+v", r.Found)
	}
	if want := []string{"per-file", "pools"}; !slices.Equal(r.Words, want) {
		t.Errorf("looked for %v, want %v", r.Words, want)
	}
	for _, f := range r.Found {
		for _, h := range f.Matches {
			for _, mark := range h.Marks {
				if got := strings.ToLower(h.Passage[mark.From:mark.To]); !slices.Contains(r.Words, got) {
					t.Errorf("%q is marked in %q", got, h.Passage)
				}
			}
		}
	}
}

// TestMissingWords: where no message has all words, those with the rarest are found, and
// the rest is told.
func TestMissingWords(t *testing.T) {
	m := newMachine(t)
	m.write(m.claude("a"), strings.Repeat(line("a", "user", "alpaca alpaca"), 20)+line("a", "user", "zebra crossing")+line("a", "user", "crossing alpaca"))
	r, err := m.lib.Search(t.Context(), m.where(), history.Parse("zebra alpaca crossing quagga", false), history.Filter{}, history.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(r.Missing, []string{"alpaca", "quagga"}) || r.Messages != 1 || r.Found[0].Matches[0].Line != 21 {
		t.Errorf("%+v", r)
	}
	if got := m.find("zebra alpaca"); len(got) != 0 {
		t.Errorf("an exact search finds %v", got)
	}
}

func TestParse(t *testing.T) {
	for in, want := range map[string]string{
		"where did we decide on per-file pools?": "per-file pools",
		"decision table":                         "decision table",
		"the who":                                "the who",
		`"to be" or not`:                         "to be",
		"what was decided":                       "decided",
		"Foo foo FOO":                            "foo",
		`unfinished "quote here`:                 "unfinished|quote here",
		"":                                       "",
	} {
		q := history.Parse(in, false)
		var got []string
		for _, w := range q.Words {
			if !w.Asks {
				got = append(got, w.Text)
			}
		}
		if s := strings.Join(got, "|"); s != want && strings.Join(got, " ") != want {
			t.Errorf("%q looks for %q, want %q", in, s, want)
		}
	}
}

// FuzzParse: every query can be searched, and what is exact needs every word.
func FuzzParse(f *testing.F) {
	f.Add("where did we decide on per-file pools", false)
	f.Add(`"a b" c"d`, true)
	f.Add("\xff\u0130 \u212a ǅ", true)
	f.Fuzz(func(t *testing.T, s string, exact bool) {
		m := newMachine(t)
		m.write(m.claude("a"), line("a", "user", "where did we decide on per-file pools")+line("a", "user", s))
		q := history.Parse(s, exact)
		for _, w := range q.Words {
			if exact && w.Asks || w.Text == "" {
				t.Errorf("%q: %+v", s, w)
			}
		}
		if _, err := m.lib.Search(t.Context(), m.where(), q, history.Filter{}, history.Options{Matches: 2, Size: 40}); err != nil {
			t.Error(err)
		}
	})
}
