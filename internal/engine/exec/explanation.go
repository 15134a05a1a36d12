package exec

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"

	"kedge"
	"kedge/internal/agent"
	"kedge/internal/ansi"
	"kedge/internal/hold/tape"
	"kedge/internal/plain"
	"kedge/internal/redact"
	"kedge/internal/regain"
	"kedge/internal/run"
	"kedge/internal/slot"
	"kedge/internal/watch"
)

// explanation is why a feature is blocked, for the person who looks at it: the reason,
// the last that its agent said or did, and where its work is, if there is any.
func (x *Executor) explanation(ctx context.Context, c run.Command) (string, error) {
	j, err := x.job(c)
	if err != nil {
		return "", err
	}
	last, err := x.lastWords(ctx, c, j)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("Blocked: " + strings.TrimSpace(c.Reason))
	if f := strings.TrimSpace(c.Failure); f != "" && f != strings.TrimSpace(c.Reason) {
		b.WriteString("\nThe first failure, which the one repair was told: " + f)
	}
	if last != "" {
		b.WriteString("\nThe last from its agent: " + last)
	}
	b.WriteString("\n" + leftWords(j.Salvage) + " Next: kedge feature amend " + string(c.Feature) +
		", where the check is wrong, or kedge feature reopen " + string(c.Feature) + ".")
	return b.String(), nil
}

// leftWords says where the work is. A salvage that does not exist is not spoken of.
func leftWords(id kedge.SalvageID) string {
	if id == "" {
		return "It left no work."
	}
	return "The work was set aside (kedge salvage restore " + string(id) + ") and the files are as before."
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
	line, err := lastLine(x.sessionDir(j.Session))
	if err != nil || line == "" {
		return "", err
	}
	if strings.HasPrefix(line, "KEDGE {") || strings.HasPrefix(line, "{") {
		if line, err = x.lastEvent(ctx, c, j); err != nil {
			return "", err
		}
	}
	if r := []rune(line); len(r) > maxLast {
		line = string(r[:maxLast-1]) + "…"
	}
	return line, nil
}

// tailBytes is how much of the end of a tape is looked at for its last line.
const tailBytes = 64 << 10

// lastLine is the last line of a session's output that has anything in it.
func lastLine(dir string) (string, error) {
	log := tape.Open(dir)
	from, end, err := log.Range()
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", kedge.Errorf(kedge.Internal, "read what a session printed: %w", err)
	}
	from = max(from, end-tailBytes)
	b, err := io.ReadAll(io.NewSectionReader(log, from, end-from))
	if err != nil {
		return "", kedge.Errorf(kedge.Internal, "read what a session printed: %w", err)
	}
	return shownLine(string(ansi.Text(b))), nil
}

// shownLine is the last line of a text that has anything in it, fit to be shown.
func shownLine(text string) string {
	text = strings.TrimRight(redact.Text(text), " \t\r\n")
	return strings.TrimSpace(plain.Line(text[strings.LastIndexAny(text, "\r\n")+1:]))
}

// lastEvent is the last that a session said or did, by what its program tells.
func (x *Executor) lastEvent(ctx context.Context, c run.Command, j slot.Job) (string, error) {
	route, err := x.routeOf(ctx, c, j)
	if err != nil {
		return "", err
	}
	adapter, _, err := x.cfg.Agent(route)
	if err != nil {
		return "", nil //nolint:nilerr // an agent that is gone from the configuration: what it said is unknown
	}
	last := ""
	_, err = regain.Output(x.sessionDir(j.Session), x.cfg.Slots.Dir(j.Slot), adapter.Reader(agent.Task{Session: j.Session, Resume: j.Resume}), func(ev watch.Event) {
		if text := eventWords(ev); text != "" {
			last = text
		}
	})
	return last, err
}

// eventWords is an event in a line; empty for one that tells people nothing.
func eventWords(ev watch.Event) string {
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
