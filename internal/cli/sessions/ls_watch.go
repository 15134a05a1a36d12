package sessions

import (
	"context"
	"time"

	"kedge"
	"kedge/internal/app/sessions"
	"kedge/internal/cli/frame"
	"kedge/internal/text/plain"
)

// watchSessions shows the list until Ctrl-C: on a terminal drawn again in place, else a line
// for each change.
func watchSessions(ctx context.Context, env *frame.Env, in sessions.SessionList, f lsFlags) error {
	if env.JSON {
		return kedge.Errorf(kedge.Invalid, "--watch draws on a terminal, so it cannot be combined with --json").WithHint("print the list once: kedge ls --json")
	}
	r, err := sessionsNow(ctx, env, in)
	if err != nil {
		return err
	}
	show := func(sessions.SessionListReply) {}
	if env.Redraws() {
		live := frame.NewLive(env, func(cols, rows int) []string { return watchedLines(env, r, f, cols, rows) })
		live.Update(func() {})
		defer live.Over()
		defer live.Follow(env)()
		show = func(now sessions.SessionListReply) { live.Update(func() { r = now }) }
	} else {
		seen := changes{}
		sayChanges(env, seen, r)
		show = func(now sessions.SessionListReply) { sayChanges(env, seen, now) }
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return frame.Printed(kedge.Interrupted)
		case <-tick.C:
		}
		now, err := sessionsNow(ctx, env, in)
		switch {
		case ctx.Err() != nil:
			return frame.Printed(kedge.Interrupted)
		case err == nil:
			show(now)
		case kedge.KindOf(err) != kedge.Internal: // else a daemon is being replaced
			return err
		}
	}
}

// watchedLines are the list as it fits a terminal; the last line, which counts, stays.
func watchedLines(env *frame.Env, r sessions.SessionListReply, f lsFlags, cols, rows int) []string {
	p := env.LivePage(cols)
	if len(r.Sessions) == 0 {
		frame.PutLine(p, frame.Cell{Text: "no sessions; start one: kedge new NAME -- COMMAND"})
		return p.Lines()
	}
	printSessions(p, env, r, f, time.Now())
	lines, room := p.Lines(), max(rows-1, 1)
	if len(lines) <= room {
		return lines
	}
	return append(lines[:room-1:room-1], lines[len(lines)-1])
}

// changes are the sessions that were told of, each with what was said of it.
type changes map[kedge.SessionID]string

// sayChanges prints a line for each session whose state is another one than was said.
func sayChanges(env *frame.Env, seen changes, r sessions.SessionListReply) {
	for _, s := range r.Sessions {
		said, known := seen[s.ID]
		text := stateWord(s)
		seen[s.ID] = text
		if said == text || !known && !s.Live() {
			continue
		}
		line := env.Clock(time.Now()) + "  " + s.Name + ": " + text
		if last := lastCell(s).Text; last != "" {
			line += ", " + last
		}
		env.Talk("%s", plain.Line(line))
	}
}
