package runs

import (
	"context"
	"strings"

	"kedge/internal/text/words"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/app/supply"
	"kedge/internal/core/run"
)

// AttachWith attaches to a run that lives, and gives it the rules that the flags
// make: nobody gives a flag for nothing.
func (s *Runs) AttachWith(ctx context.Context, p *projects.Project, who projects.Caller, st run.State, in RunStartRequest) (RunReply, error) {
	if in.Flags == (supply.Flags{}) {
		return s.attachRun(ctx, p, st, in)
	}
	if err := refuseFlags(st, in.Flags); err != nil {
		return RunReply{}, err
	}
	said, given := in.Flags.Words(), in.Flags
	repo, head, err := s.Branch(ctx, p)
	if err != nil {
		return RunReply{}, err
	}
	in.Flags = in.Flags.Over(st.Rules.Given)
	anew, versions, err := s.supply.Rules(ctx, p, repo, head.Commit, in.Flags, in.Env, st.Planning()) // that the flags can be had
	if err != nil {
		return RunReply{}, err
	}
	rules := given.Onto(st.Rules, st.Sessions)
	rules.Until, rules.Given.Until = anew.Until, anew.Given.Until
	eng, err := s.Engine(ctx, p)
	if err != nil {
		return RunReply{}, err
	}
	s.keepFirstEnv(st.Run, in.Env)
	reply, err := s.Say(ctx, p, eng, who, st.Run, run.Input{Kind: run.Continued, Rules: &rules})
	reply.Attached = true
	reply.Notes = append(append(reply.Notes, versions...), "from now on the run uses "+said+"; sessions that are already running keep the old values")
	return reply, err
}

// refuseFlags refuses other rules for a run that is halted: to attach to it does not
// lift the halt, and other rules would be lost or lift it.
func refuseFlags(st run.State, f supply.Flags) error {
	said := f.Words()
	switch {
	case said == "" || st.Halt == "":
		return nil
	case st.Halt == run.OverBudget:
		return kedge.Errorf(kedge.OverBudget, "the run stopped at its budget (%s), so it cannot continue with %s alone", st.Why, said).
			WithHint("raise the budget and continue: kedge run --continue %s %s", strings.Join(raisedBudget(&st), " "), said)
	default:
		return kedge.Errorf(kedge.Conflict, "the run is %s (%s), so Kedge did not apply %s", words.Spaced(st.Status), st.Why, said).
			WithHint("continue the run with these flags: kedge run --continue %s", said)
	}
}
