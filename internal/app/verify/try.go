package verify

import (
	"context"
	"errors"
	"fmt"
	"time"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/engine/gate"
	"kedge/internal/text/words"
)

// Tried is what one check says before any work.
type Tried struct {
	Name    string   `json:"name"`
	Command string   `json:"command"`
	State   TryState `json:"state"`
	Why     string   `json:"why,omitempty"` // the first failure, or why it is unknown
}

// TryState is how a check ended that was tried.
type TryState string

// The states. Unknown: it gave no result.
const (
	TryGreen   TryState = "green"
	TryRed     TryState = "red"
	TryUnknown TryState = "unknown"
)

// TryLimit is how long all checks together may take that are tried.
const TryLimit = time.Minute

// Try runs checks on the present files, each by itself, so that one that is red hides no
// other. What they say is recorded as what held before the work. It takes no longer than
// TryLimit.
func (s *Verifier) Try(ctx context.Context, p *projects.Project, who projects.Caller, checks []kedge.Check, env []string) ([]Tried, error) {
	b, err := s.headBase(ctx, p)
	if err != nil || len(checks) == 0 {
		return []Tried{}, err
	}
	q, err := s.gateRequest(ctx, p, who, judgement{env: env, scope: gate.Full, base: b})
	if err != nil {
		return nil, err
	}
	at := s.home.Now()
	ev := kedge.Evidence{ID: kedge.EvidenceID(kedge.NewID("evd", at)), For: kedge.StageProve, At: at, By: who.Actor, Environment: environment(env)}
	ev.Verdict = kedge.Verdict{Verdict: kedge.ValidationOK, Checks: []kedge.CheckResult{}, Findings: []kedge.Finding{}}
	q.Checks, q.Later, q.Protect, q.LogDir = nil, nil, nil, s.gateDir(p, ev.ID)
	limited, done := context.WithTimeout(ctx, TryLimit)
	defer done()
	out := []Tried{}
	for _, c := range checks {
		q.Own = []kedge.Check{c}
		one, err := tryOne(limited, q, &ev.Verdict)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	word := who
	word.Key += "-tried"
	_, err = s.home.Write(ctx, p, word, func() ([]kedge.Event, error) {
		return projects.One(projects.Event(kedge.GateFinished, who, ev))
	})
	return out, err
}

// tryOne runs one check and adds its result to the verdict.
func tryOne(ctx context.Context, q gate.Request, all *kedge.Verdict) (Tried, error) {
	c := q.Own[0]
	out := Tried{Name: c.Name, Command: c.Run, State: TryUnknown}
	v, err := gate.Run(ctx, q)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		out.Why = fmt.Sprintf("not finished within %s", words.Age(TryLimit))
		return out, nil
	case kedge.Blocked.Is(err), kedge.Conflict.Is(err):
		out.Why = words.FirstLine(err.Error())
		return out, nil
	case err != nil:
		return out, err
	}
	all.Tree = v.Tree
	all.Checks = append(all.Checks, v.Checks...)
	for _, r := range v.Checks {
		switch {
		case r.Skipped != "":
			out.Why = r.Skipped
		case r.FirstFailure != nil:
			out.State, out.Why, all.Verdict = TryRed, gate.Render(*r.FirstFailure), v.Verdict
		default:
			out.State = TryGreen
		}
	}
	return out, nil
}
