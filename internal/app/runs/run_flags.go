package runs

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/core/run"
)

// words are the flags as they are typed.
func (f RunFlags) words() string {
	var out []string
	add := func(given bool, flag, value string) {
		if given {
			out = append(out, "--"+flag+" "+value)
		}
	}
	add(f.Agent != "", "agent", f.Agent)
	add(f.Parallel != 0, "parallel", strconv.Itoa(f.Parallel))
	add(f.MaxSessions != 0, "max-sessions", strconv.Itoa(f.MaxSessions))
	add(f.BudgetUSD != 0, "budget-usd", strconv.FormatFloat(f.BudgetUSD, 'f', -1, 64))
	add(f.BudgetTokens != 0, "budget-tokens", strconv.FormatInt(f.BudgetTokens, 10))
	return strings.Join(out, " ")
}

// attachWith attaches to a run that lives, and gives it the rules that the flags
// make: nobody gives a flag for nothing.
func (s *Driver) attachWith(ctx context.Context, p *projects.Project, who projects.Caller, st run.State, in RunStartRequest) (RunReply, error) {
	if in.Flags == (RunFlags{}) {
		return s.attachRun(ctx, p, st, in)
	}
	if err := refuseFlags(st, in.Flags); err != nil {
		return RunReply{}, err
	}
	said, given := in.Flags.words(), in.Flags
	repo, head, err := s.branch(ctx, p)
	if err != nil {
		return RunReply{}, err
	}
	in.Flags = in.Flags.over(st.Rules.Given)
	_, versions, err := s.runRules(ctx, p, repo, head.Commit, in) // that the flags can be had
	if err != nil {
		return RunReply{}, err
	}
	rules := given.onto(st.Rules, st.Sessions)
	eng, err := s.engineOf(ctx, p)
	if err != nil {
		return RunReply{}, err
	}
	s.keepFirstEnv(st.Run, in.Env)
	reply, err := s.say(ctx, p, eng, who, st.Run, run.Event{Kind: run.Continued, Rules: &rules})
	reply.Attached = true
	reply.Notes = append(append(reply.Notes, versions...), "the run has these rules from now on: "+said+"; sessions that work already go on as they began")
	return reply, err
}

// onto are the rules of a run that lives with what the flags say, and nothing else,
// changed. Sessions is how many it has had.
func (f RunFlags) onto(r run.Rules, sessions int) run.Rules {
	if f.Agent != "" {
		r.Agent, r.Given.Agent = f.Agent, f.Agent
	}
	if f.Parallel > 0 {
		r.Parallel, r.Given.Parallel = f.Parallel, f.Parallel
	}
	if f.BudgetTokens > 0 {
		r.Tokens, r.Given.Tokens = f.BudgetTokens, f.BudgetTokens
	}
	if f.BudgetUSD > 0 {
		r.USD, r.Given.USD = f.BudgetUSD, f.BudgetUSD
	}
	if f.MaxSessions > 0 {
		r.MaxSessions = sessions + f.MaxSessions // so many more
	}
	return r
}

// raisePhases lets phases of the plan go on whose budget is spent, where a person
// gives more: each may cost what the run may. What was raised before stays raised.
func (f RunFlags) raisePhases(r run.Rules, st *run.State) run.Rules {
	r.Given.Phases = slices.Clone(st.Rules.Given.Phases)
	for _, p := range st.Phases {
		if p.Over() && (f.BudgetTokens > 0 || f.BudgetUSD > 0) {
			r.Given.Phases = limited(r.Given.Phases, run.PhaseLimit{ID: p.ID, Tokens: f.BudgetTokens, USD: f.BudgetUSD})
		}
	}
	for _, l := range r.Given.Phases {
		r.Phases = limited(r.Phases, l)
	}
	return r
}

// limited are the limits with this one in the place of its phase's.
func limited(all []run.PhaseLimit, l run.PhaseLimit) []run.PhaseLimit {
	return append(slices.DeleteFunc(slices.Clone(all), func(o run.PhaseLimit) bool { return o.ID == l.ID }), l)
}

// refuseFlags refuses other rules for a run that is halted: to attach to it does not
// lift the halt, and other rules would be lost or lift it.
func refuseFlags(st run.State, f RunFlags) error {
	said := f.words()
	switch {
	case said == "" || st.Halt == "":
		return nil
	case st.Halt == run.OverBudget:
		return kedge.Errorf(kedge.OverBudget, "%s: it goes on, and with %s, only with a larger budget", st.Why, said).
			WithHint("kedge run --continue %s %s", raisedBudget(&st), said)
	default:
		return kedge.Errorf(kedge.Conflict, "the run is %s (%s): it goes on with %s only when you say so", st.Status, st.Why, said).
			WithHint("kedge run --continue %s", said)
	}
}
