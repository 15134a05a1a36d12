package attend

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/app/verify"
	"kedge/internal/core/brief"
	"kedge/internal/engine/gate"
	"kedge/internal/journal"
	"kedge/internal/journal/spool"
)

// HookStopRequest is sent when an agent wants to stop. Again means that it was told to
// continue before and stops a second time. Not every agent says so; Ask, if known,
// identifies the prompt that it works on.
type HookStopRequest struct {
	Agent  string   `json:"agent"`
	Native string   `json:"native"`
	Ask    string   `json:"ask"`
	Again  bool     `json:"again"`
	Env    []string `json:"env,omitempty"` // for the checks; used, never written down
}

// HookStopReply says whether the agent has to continue, and why. Tell is for the user at
// its terminal.
type HookStopReply struct {
	Block   bool         `json:"block"`
	Reason  string       `json:"reason"`
	Tell    string       `json:"tell"`
	Verdict kedge.Marker `json:"verdict"`
}

// HookStop runs the gate on an agent's work and gives it the first failure, once. When
// it stops again, the red checks run once more, and the agent may stop whatever the
// result. Nothing runs without changes, without checks, or in a session of a run.
func (s *Attendant) HookStop(ctx context.Context, who projects.Caller, in HookStopRequest) (HookStopReply, error) {
	_, untaken := s.take(ctx)
	if untaken != nil {
		s.home.Log.Error("cannot read the events of agents' hooks", "error", untaken.Error()) // the work can be judged without them
	}
	p, err := s.home.Open(ctx, who)
	if kedge.NotFound.Is(err) {
		return HookStopReply{}, nil
	}
	if err != nil {
		return HookStopReply{}, err
	}
	if of, err := inRun(ctx, p, who); of || err != nil {
		return HookStopReply{}, err
	}
	if s.idle(in.Native) && !s.mayLack(in.Native, untaken) {
		return HookStopReply{}, nil
	}
	again := in.Again || s.toldBefore(in)
	v, err := s.verdict(ctx, p, asAgent(who), in, again)
	if kedge.Invalid.Is(err) || kedge.Conflict.Is(err) { // no checks, or the tree is being changed: nothing can be said
		s.home.Log.Info("Kedge ran no checks when the agent ended its turn", "agent", in.Agent, "reason", err.Error())
		return HookStopReply{}, nil
	}
	if err != nil {
		return HookStopReply{}, err
	}
	reply := answerTo(v, again)
	if reply.Block {
		s.rememberTold(in)
	}
	return reply, s.noteGate(ctx, p, asAgent(who), in, reply)
}

// mayLack tells whether what was not taken may be of this conversation: it may be work.
// What another project could not be given is not.
func (s *Attendant) mayLack(native string, untaken error) bool {
	return untaken != nil && (native == "" || errors.Is(untaken, spool.ErrBusy) || spool.Mentions(s.home.Dir, native))
}

// answerTo decides: told once, then let go.
func answerTo(v kedge.Verdict, again bool) HookStopReply {
	r := HookStopReply{Verdict: v.Verdict}
	switch {
	case v.Green():
	case again:
		r.Tell = fmt.Sprintf("kedge: the checks are still not green (%s): %s", v.Verdict, brief.FailureText(v))
	default:
		r.Block, r.Reason = true, goOn(v)
	}
	return r
}

// goOn is what an agent is told whose work is red: the first failure and nothing
// else, as data.
func goOn(v kedge.Verdict) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Kedge ran the project's checks on your current work. They are not green (%s). The first failure:\n", v.Verdict)
	for line := range strings.Lines(strings.TrimSpace(failure(v))) {
		b.WriteString("> " + strings.TrimRight(line, "\n") + "\n")
	}
	b.WriteString("Fix this failure, then end your turn. Kedge then runs the checks once more. If you cannot fix it, say why and end your turn. To see every failure: kedge gate --output\n")
	return b.String()
}

// failure is the first thing that is red.
func failure(v kedge.Verdict) string {
	for _, c := range v.Checks {
		if f := c.FirstFailure; f != nil {
			lines := []string{"check " + c.Name + ": " + c.Command, f.Test, f.Place(), f.Message}
			return strings.Join(slices.DeleteFunc(lines, func(l string) bool { return l == "" }), "\n")
		}
	}
	return brief.FailureText(v)
}

// idle tells of a conversation that is known to have used no tool that may change
// something. One that began before this daemon is not known.
func (s *Attendant) idle(native string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	worked, known := s.worked[native]
	return known && !worked
}

// toldBefore tells whether an agent was told to go on with the same words of the
// person.
func (s *Attendant) toldBefore(in HookStopRequest) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	ask, known := s.told[in.Native]
	return known && ask == in.Ask && ask != ""
}

func (s *Attendant) rememberTold(in HookStopRequest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.told) >= mostKnown {
		clear(s.told)
	}
	s.told[in.Native] = in.Ask
}

// verdict is that of the tree as it stands: the one that was given for it before,
// where there is one. To who stops again a red one is not given twice: what made it
// red may lie outside of the tree.
func (s *Attendant) verdict(ctx context.Context, p *projects.Project, who projects.Caller, in HookStopRequest, again bool) (kedge.Verdict, error) {
	if v, ok, err := s.given(ctx, p); err != nil || ok && (v.Green() || !again) {
		return v, err
	}
	r, err := s.verifier.Gate(ctx, who, verify.GateRequest{Env: in.Env})
	return r.Verdict, err
}

// given is the newest verdict, if it is about the very tree that stands there, and
// about every check: one that was asked of a few says nothing of the others.
func (s *Attendant) given(ctx context.Context, p *projects.Project) (kedge.Verdict, bool, error) {
	if !p.Git {
		return kedge.Verdict{}, false, nil
	}
	last, err := projects.Latest[kedge.Evidence](ctx, p, journal.KindEvidence)
	if err != nil || last == nil || last.Feature != "" || last.Verdict.Tree == "" || ofSome(last.Verdict) {
		return kedge.Verdict{}, false, err
	}
	repo, err := s.home.Git(ctx, p)
	if err != nil {
		return kedge.Verdict{}, false, err
	}
	tree, err := repo.Tree(ctx)
	return last.Verdict, err == nil && tree == last.Verdict.Tree, err
}

// ofSome tells of a verdict for which only some checks were asked.
func ofSome(v kedge.Verdict) bool {
	return slices.ContainsFunc(v.Checks, func(c kedge.CheckResult) bool { return c.Skipped == gate.NotAsked })
}

// noteGate writes down what an agent was answered.
func (s *Attendant) noteGate(ctx context.Context, p *projects.Project, who projects.Caller, in HookStopRequest, r HookStopReply) error {
	id, _ := who.Session()
	if id == someAgent {
		id = ""
	}
	d := kedge.HookData{
		Agent: in.Agent, Event: kedge.HookGate, Session: id, Native: in.Native, At: s.home.Now(),
		Verdict: string(r.Verdict), Blocked: r.Block, Text: r.Reason,
	}
	who.Key += "-hook" // the gate's own has another answer
	_, err := s.home.Write(ctx, p, who, func() ([]kedge.Event, error) { return projects.One(projects.Event(kedge.HookSeen, who, d)) })
	return err
}
