package stream

import (
	"bytes"
	"encoding/json"
	"path"
	"strings"
	"time"

	"kedge/internal/core/watch"
	"kedge/internal/text/plain"
)

// Bounds of what is kept of one event.
const (
	maxText = 64 << 10
	maxName = 200

	// MaxPaths is how many files one event names.
	MaxPaths = 1000
)

// Cut shortens what is shown of an event to what is kept of one.
func Cut(s string) string { return cut(s, maxText) }

// Name shortens what a program calls something.
func Name(s string) string { return cut(s, maxName) }

// cut shortens a text to at most n bytes of whole characters.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}

// OneLine is the first line of a text that says something, bounded.
func OneLine(text, otherwise string) string {
	const most = 200
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return cut(line, most)
		}
	}
	return otherwise
}

// Plain is a line that is no event, as text: often what a program says before it
// gives up.
func Plain(line []byte) string {
	return Cut(strings.TrimSpace(strings.ToValidUTF8(string(plain.Stripped(line)), "\uFFFD")))
}

// InputText is a string as it is, anything else as compact JSON.
func InputText(raw json.RawMessage) string {
	var text string
	if len(raw) == 0 || json.Unmarshal(raw, &text) == nil {
		return text
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return ""
	}
	return b.String()
}

// Until reads a time as text or as seconds since 1970; zero when it is neither:
// the limit is there all the same.
func Until(raw json.RawMessage) time.Time {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return time.Time{}
		}
		return at
	}
	var seconds int64
	if json.Unmarshal(raw, &seconds) == nil && seconds > 0 && seconds < 1<<36 {
		return time.Unix(seconds, 0).UTC()
	}
	return time.Time{}
}

// Inside is a file's path from the root of the worktree, which is one of dirs;
// false for one that lies elsewhere.
func Inside(file string, dirs ...string) (string, bool) {
	if file == "" {
		return "", false
	}
	if !path.IsAbs(file) {
		return path.Clean(file), true
	}
	for _, dir := range dirs {
		if rest, ok := strings.CutPrefix(path.Clean(file), dir+"/"); ok && dir != "" {
			return rest, true
		}
	}
	return "", false
}

// JSONLine is a value as one line. Only values that can be written are given.
func JSONLine(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return append(b, '\n')
}

// JSON is a value as it stands in an argument; of strings and lists of them this is
// TOML too.
func JSON(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return `""` // of texts and lists: it cannot be
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Used is the event of figures; none of none.
func Used(u *watch.Used) []watch.Act {
	if u == nil {
		return nil
	}
	return []watch.Act{{Kind: watch.Usage, Used: u}}
}
