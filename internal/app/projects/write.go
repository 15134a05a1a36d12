package projects

import (
	"context"
	"encoding/json"

	"kedge"
	"kedge/internal/git"
	"kedge/internal/journal"
)

// Caller says who asks, from which folder, and which request it is.
type Caller struct {
	Dir      string
	Actor    kedge.Actor
	Key      string    // idempotency key; empty for reading
	Progress func(any) // told about long work as it goes on; may be nil
}

// Tell reports progress to the caller.
func (c Caller) Tell(v any) {
	if c.Progress != nil {
		c.Progress(v)
	}
}

// IsAgent tells whether the caller runs inside a session.
func (c Caller) IsAgent() bool { return c.Actor.IsAgent() }

// Session gives the session that the caller runs in, and false for a user.
func (c Caller) Session() (kedge.SessionID, bool) { return c.Actor.Session() }

// PersonOnly refuses agents what only a user may do: change what their work is measured
// by.
func PersonOnly(who Caller, what string) error {
	if who.IsAgent() {
		id, _ := who.Session()
		return kedge.Errorf(kedge.Blocked, "this is session %q, and agents may not %s", id, what).WithHint("ask the user to run this command in a terminal of their own")
	}
	return nil
}

// ErrReadOnly is the error of a call that has to write, in a process that only reads.
func ErrReadOnly() error {
	return kedge.Errorf(kedge.Conflict, "this command needs Kedge's background process (the daemon), which is not running").WithHint("start the daemon, then repeat your command: kedge up")
}

// Write runs a writing command under the project's lock. A request seen before gives its
// first events again. Otherwise decide looks at the present state and gives the facts to
// add. Build the answer from the events returned, so that a retry gets the same answer.
func (h *Home) Write(ctx context.Context, p *Project, who Caller, decide func() ([]kedge.Event, error)) ([]kedge.Event, error) {
	if h.ReadOnly {
		return nil, ErrReadOnly()
	}
	p.Writing.Lock()
	defer p.Writing.Unlock()
	if who.Key != "" {
		evs, seen, err := p.Store.Seen(ctx, who.Key)
		if err != nil || seen {
			return evs, err
		}
	}
	if err := followFolder(ctx, p); err != nil {
		return nil, err
	}
	evs, err := decide()
	if err != nil || len(evs) == 0 {
		return nil, err
	}
	for i := range evs {
		evs[i].Project = p.ID
	}
	out, _, err := p.Store.Append(ctx, who.Key, evs...)
	return out, err
}

// followFolder lets the journal know when a project's folder was moved: a command
// writes from a place that has its id, and the place where it was has not. Work
// trees of one repository share the id: it is the main one that counts, and only
// when the one that is known is gone. It runs under the project's lock.
func followFolder(ctx context.Context, p *Project) error {
	known, err := Known(ctx, p.Store, p.ID)
	if err != nil || known.Dir == "" {
		return err // not set up yet
	}
	dir := git.MainFolder(p.Dir)
	if dir == known.Dir || git.IsProject(known.Dir, p.ID) || !git.IsProject(dir, p.ID) {
		return nil
	}
	ev, err := kedge.NewEvent(kedge.ProjectMoved, kedge.ActorDaemon, kedge.ProjectMovedData{Dir: dir, Was: known.Dir})
	if err != nil {
		return err
	}
	ev.Project = p.ID
	_, _, err = p.Store.Append(ctx, "", ev)
	return err
}

// Event makes an event of the caller. Data that cannot be encoded is a bug.
func Event(typ kedge.EventType, who Caller, data any) (kedge.Event, error) {
	return kedge.NewEvent(typ, who.Actor, data)
}

// One gives one event as a list, for a command that adds one fact.
func One(ev kedge.Event, err error) ([]kedge.Event, error) { return []kedge.Event{ev}, err }

// EventsOf makes one event of each value.
func EventsOf[T any](typ kedge.EventType, who Caller, values []T) ([]kedge.Event, error) {
	var out []kedge.Event
	for _, v := range values {
		ev, err := Event(typ, who, v)
		if err != nil {
			return nil, err
		}
		out = append(out, ev)
	}
	return out, nil
}

// Data decodes an event's data as the journal has it, with secrets removed.
func Data[T any](ev kedge.Event) (T, error) {
	var v T
	if err := json.Unmarshal(ev.Data, &v); err != nil {
		return v, kedge.Errorf(kedge.Internal, "cannot read entry %[2]q (%[1]s) in Kedge's journal of this project: %[3]w", ev.Type, ev.ID, err).WithHint("see what is wrong: kedge doctor")
	}
	return v, nil
}

// DataOf decodes the data of the first event of a type.
func DataOf[T any](evs []kedge.Event, typ kedge.EventType) (T, error) {
	var v T
	for _, ev := range evs {
		if ev.Type != typ {
			continue
		}
		if err := json.Unmarshal(ev.Data, &v); err != nil {
			return v, kedge.Errorf(kedge.Internal, "cannot read event %d in Kedge's journal of this project: %w", ev.Seq, err).WithHint("see what is wrong: kedge doctor")
		}
		return v, nil
	}
	return v, kedge.Errorf(kedge.Internal, "Kedge's journal of this project lacks the change %q of your command", typ).WithHint("see what is wrong: kedge doctor")
}

// All reads every document of a kind.
func All[T any](ctx context.Context, p *Project, kind journal.Kind) ([]T, error) {
	return journal.All[T](ctx, p.Store, kind)
}

// Latest gives the newest document of a kind, nil when there is none.
func Latest[T any](ctx context.Context, p *Project, kind journal.Kind) (*T, error) {
	last, found, err := journal.Newest[T](ctx, p.Store, kind)
	if err != nil || !found {
		return nil, err
	}
	return &last, nil
}
