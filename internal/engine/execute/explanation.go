package execute

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"time"
	"unicode"

	"kedge"
	"kedge/internal/agents"
	"kedge/internal/core/brief"
	"kedge/internal/core/run"
	"kedge/internal/core/watch"
	"kedge/internal/git/slot"
	"kedge/internal/process/tape"

	"kedge/internal/text/plain"
	"kedge/internal/text/redact"
	"kedge/internal/text/words"
)

// explanation is why a feature is blocked, for the person who looks at it: the reason,
// the last that its agent said or did, and where its work is, if there is any. What
// cannot be read of what the agent printed is left out: it is no reason not to say the rest.
func (x *Executor) explanation(ctx context.Context, c run.Command) (string, error) {
	j, err := x.job(c)
	if err != nil {
		return "", err
	}
	last, err := x.lastWords(ctx, c, j)
	if err != nil {
		x.log().Error("the last words of a session are not known", "session", string(j.Session), "error", err.Error())
		last = ""
	}
	var b strings.Builder
	b.WriteString("Blocked: " + strings.TrimSpace(c.Reason))
	if f := strings.TrimSpace(c.Failure); f != "" && f != strings.TrimSpace(c.Reason) {
		b.WriteString("\nThe first failure, which the one repair was told: " + f)
	}
	if strings.TrimSpace(c.Failure) != "" {
		b.WriteString("\nThe cause, as its agent stated it: " + x.statedCause(ctx, c, j))
	}
	if last != "" {
		b.WriteString("\nThe last from its agent: " + last)
	}
	b.WriteString("\n" + leftWords(j) + " If the check is wrong: kedge feature amend " + string(c.Feature) +
		" --check CMD --reason WHY. To try again: kedge feature reopen " + string(c.Feature) + ".")
	return b.String(), nil
}

// statedCause is what the job's last session gave as the cause of the failure.
func (x *Executor) statedCause(ctx context.Context, c run.Command, j slot.Job) string {
	t, err := x.trail(ctx, c, j, "")
	if err != nil {
		x.log().Error("what a session stated is not known", "session", string(j.Session), "error", err.Error())
		return "unknown"
	}
	return cmp.Or(brief.StatedCause(t.Said), "it stated none")
}

// leftWords says where the work is. A salvage that does not exist is not spoken of.
func leftWords(j slot.Job) string {
	switch {
	case j.Salvage != "":
		return "The work was set aside (kedge salvage restore " + string(j.Salvage) + ") and the files are as before."
	case j.Earlier:
		return "The last attempt left no work; what was set aside before is in: kedge salvage ls."
	}
	return "It left no work."
}

// maxLast bounds what is quoted of an agent, in characters.
const maxLast = 300

// lastWords is the last that the job's latest session printed: its last line or, where
// that is an event of its program, the last that it said or did. Secrets and what
// could steer a terminal are taken out. Empty where it printed nothing.
func (x *Executor) lastWords(ctx context.Context, c run.Command, j slot.Job) (string, error) {
	if j.Session == "" || x.cfg.Agent == nil {
		return "", nil
	}
	tail, err := tailOf(x.sessionDir(j.Session))
	if err != nil {
		return "", err
	}
	line := shownLine(string(plain.Stripped(tail)))
	if strings.HasPrefix(line, "KEDGE {") || strings.HasPrefix(line, "{") {
		if line, err = x.lastEvent(ctx, c, j, tail); err != nil {
			return "", err
		}
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
		return nil, kedge.Errorf(kedge.Internal, "cannot read what a session printed: %w", err)
	}
	from := max(first, end-tailBytes)
	b, err := io.ReadAll(io.NewSectionReader(log, from, end-from))
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot read what a session printed: %w", err)
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
func (x *Executor) lastEvent(ctx context.Context, c run.Command, j slot.Job, tail []byte) (string, error) {
	route, err := x.routeOf(ctx, c, j)
	if err != nil {
		return "", err
	}
	adapter, _, err := x.cfg.Agent(route)
	if err != nil {
		return "", nil //nolint:nilerr // an agent that is gone from the configuration: what it said is unknown
	}
	last := ""
	evs, _ := adapter.Reader(agents.Task{Session: j.Session, Resume: j.Resume}).Feed(tail, time.Time{})
	for _, ev := range evs {
		if text := eventWords(ev); text != "" {
			last = text
		}
	}
	return last, nil
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
