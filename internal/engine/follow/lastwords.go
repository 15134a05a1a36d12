package follow

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"kedge"
	"kedge/internal/agents"
	"kedge/internal/core/watch"
	"kedge/internal/process/tape"
	"kedge/internal/text/plain"
	"kedge/internal/text/redact"
	"kedge/internal/text/words"
)

// maxLast bounds what is quoted of an agent, in characters.
const maxLast = 300

// LastWords is the last that a session printed, by the folder of its output: its last
// line or, where that is an event of its program, the last that it said or did. The
// reader of its events is asked for only then; nil: it is unknown. Secrets and what
// could steer a terminal are removed. Empty where it printed nothing.
func LastWords(dir string, reader func() (agents.Reader, error)) (string, error) {
	tail, err := tailOf(dir)
	if err != nil {
		return "", err
	}
	line := shownLine(string(plain.Stripped(tail)))
	if strings.HasPrefix(line, "KEDGE {") || strings.HasPrefix(line, "{") {
		r, err := reader()
		if err != nil || r == nil {
			return "", err
		}
		line = lastEvent(r, tail)
	}
	return words.Clip(line, maxLast), nil
}

// tailBytes is how much of the end of a tape is looked at for the last words.
const tailBytes = 256 << 10

// tailOf is the end of a session's output, from the beginning of a line.
func tailOf(dir string) ([]byte, error) {
	log := tape.Open(dir)
	first, end, err := log.Range()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot read the output of session %q: %w", filepath.Base(dir), err)
	}
	from := max(first, end-tailBytes)
	b, err := io.ReadAll(io.NewSectionReader(log, from, end-from))
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot read the output of session %q: %w", filepath.Base(dir), err)
	}
	if from > first {
		_, b, _ = bytes.Cut(b, []byte("\n"))
	}
	return b, nil
}

// shownLine is the last line of a text that has a word or a number in it, fit to be
// shown: the end of a bracketed block tells nobody anything.
func shownLine(text string) string {
	for text = redact.Text(text); text != ""; {
		i := strings.LastIndexAny(text, "\r\n")
		line := text[i+1:]
		if strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			return strings.TrimSpace(plain.Line(line))
		}
		text = text[:max(i, 0)]
	}
	return ""
}

// lastEvent is the last that a session said or did, by what its program tells at the
// end of what it printed.
func lastEvent(r agents.Reader, tail []byte) string {
	last := ""
	evs, _ := r.Feed(tail, time.Time{})
	for _, ev := range evs {
		if text := eventWords(ev); text != "" {
			last = text
		}
	}
	return last
}

// eventWords is an event in a line; empty for one that tells people nothing.
func eventWords(ev watch.Act) string {
	switch {
	case ev.Kind == watch.Say || ev.Kind == watch.Ask || ev.Kind == watch.NoLogin:
		return shownLine(ev.Text)
	case ev.Kind == watch.Call:
		return strings.TrimSpace(plain.Line(redact.Text(ev.Tool + " " + ev.Input)))
	case ev.Kind == watch.Result && ev.Failed:
		return shownLine(ev.Output)
	}
	return ""
}
