package server

import (
	"context"
	"encoding/json"

	"kedge"
	"kedge/internal/app"
	"kedge/internal/app/projects"
	"kedge/internal/text/strict"
)

// Mode says what a call may do.
type Mode string

// A reading call works without a daemon; a writing one needs it.
const (
	Reading Mode = "reading"
	Writing Mode = "writing"
)

// Call is one entry of the table.
type Call struct {
	Name     string
	Mode     Mode
	Local    bool // answered in the caller's own process: it reads the caller's files, and may take long
	Homeless bool // answered where there is no state folder, too, or none that can be used
	Long     bool // may take long: that it is being answered is said at once
	ForRuns  bool // writes, and may be asked for by a session of a run, too
	Operate  bool // may be made with an operator's token
	Personal bool // for people only: who asks is found out, although nothing is written
	run      func(ctx context.Context, s *app.Service, who projects.Caller, in json.RawMessage) (any, error)
}

// call makes an entry of a method of the service; the request is decoded
// strictly, so that a key this build does not know is never dropped in silence.
func call[In, Out any](name string, mode Mode, f func(*app.Service, context.Context, projects.Caller, In) (Out, error)) Call {
	return Call{Name: name, Mode: mode, run: func(ctx context.Context, s *app.Service, who projects.Caller, raw json.RawMessage) (any, error) {
		var in In
		if len(raw) > 0 {
			if err := strict.Decode("request "+name, raw, &in); err != nil {
				return nil, err
			}
		}
		return f(s, ctx, who, in)
	}}
}

func local(c Call) Call {
	c.Local = true
	return c
}

func homeless(c Call) Call {
	c.Homeless = true
	return c
}

func long(c Call) Call {
	c.Long = true
	return c
}

func personal(c Call) Call {
	c.Personal = true
	return c
}

// forRuns marks a writing call that a session of a run may make: whatever else writes
// is refused to it, so that a call added later is until somebody thinks of it.
func forRuns(c Call) Call {
	c.ForRuns = true
	return c
}

// operate marks a call that an operator's token is good for.
func operate(c Call) Call {
	c.Operate = true
	return c
}

// areas are the parts of the table. They are made when they are looked at: a
// command needs one entry and not the rest.
var areas = [...]func() []Call{
	initCalls, sessionCalls, featureCalls, memoryCalls, briefCalls, gateCalls, runCalls, gitCalls, careCalls, lookCalls, hookCalls,
}

// Calls is the whole table.
func Calls() []Call {
	var all []Call
	for _, area := range areas {
		all = append(all, area()...)
	}
	return all
}

// Find gives the entry with this name.
func Find(name string) (Call, error) {
	for _, area := range areas {
		for _, c := range area() {
			if c.Name == name {
				return c, nil
			}
		}
	}
	return Call{}, kedge.Errorf(kedge.NotFound, "the daemon cannot do what your command asks (request %q)", name).
		WithHint("restart the daemon, which may be another version of Kedge: kedge down && kedge up")
}

// Run carries out one call on s.
func (c Call) Run(ctx context.Context, s *app.Service, env Envelope, progress func(any)) (any, error) {
	who := projects.Caller{Dir: env.Dir, Actor: env.Actor(), Key: env.Key, Progress: progress}
	if c.Mode == Writing && !c.ForRuns {
		if err := s.RefuseToRuns(ctx, who, c.Name); err != nil {
			return nil, err
		}
	}
	return c.run(ctx, s, who, env.In)
}
