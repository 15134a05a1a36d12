package runs

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/app/status"
	"kedge/internal/core/config"
	"kedge/internal/core/run"
	"kedge/internal/insight/stats"
	"kedge/internal/journal"
	"kedge/internal/text/words"
)

// RunView is a run as it is shown; its JSON is that of `run --json`. A nil
// figure is unknown.
type RunView struct {
	ID        kedge.RunID          `json:"id"`
	State     run.Status           `json:"state"`
	Reason    string               `json:"reason"`
	Halt      run.Halt             `json:"halt"` // why nothing new starts; empty while it runs
	HaltedAt  *time.Time           `json:"halted_at,omitempty"`
	HaltedBy  kedge.Actor          `json:"halted_by,omitempty"` // who asked for it; empty: Kedge itself
	Agent     string               `json:"agent"`
	Parallel  int                  `json:"parallel"`
	StartedAt time.Time            `json:"started_at"`
	Features  status.FeatureCounts `json:"features"`
	Sessions  int                  `json:"sessions"`
	Usage     status.Usage         `json:"usage"`
	Limits    RunLimits            `json:"limits"`
	Jobs      []RunJob             `json:"jobs"`
	Done      []RunDone            `json:"done,omitempty"` // the features that it completed
	Gate      *status.GateInfo     `json:"gate"`           // the last verdict
	ETA       *int64               `json:"eta_seconds"`
	Forecast  *stats.Course        `json:"forecast"` // and how far it is off; nil while it plans
	Resting   bool                 `json:"resting"`  // it does nothing by itself any more
	Kind      kedge.Kind           `json:"kind"`     // of what it rests for: empty is all done
	Next      []string             `json:"next"`     // what you do next, each a command that can be pasted
	NextSteps []kedge.NextStep     `json:"next_steps"`
	Phase     *PhaseView           `json:"phase,omitempty"` // that it ended with, where it was to end with one
}

// RunLimits are the limits of the run as a whole; 0 is none.
type RunLimits struct {
	Tokens   int64   `json:"tokens"`
	USD      float64 `json:"usd"`
	Sessions int     `json:"sessions"`
}

// RunJob is one piece of work that is on its way.
type RunJob struct {
	ID            int             `json:"id"`
	Kind          run.JobKind     `json:"kind"`
	Feature       kedge.FeatureID `json:"feature"`
	Phase         run.Phase       `json:"phase"`
	Attempt       int             `json:"attempt"`
	Repair        bool            `json:"repair"`
	Session       kedge.SessionID `json:"session"`
	ContextTokens *int64          `json:"context_tokens"`
	ContextWindow *int64          `json:"context_window"`
	Tokens        *int64          `json:"tokens"`
	Question      string          `json:"question"`
	Reason        string          `json:"reason"`
	Waits         []RunWait       `json:"waits,omitempty"`    // the files that need your approval
	Until         *time.Time      `json:"until"`              // when a provider's limit passes, as it said
	NextTry       *time.Time      `json:"next_try,omitempty"` // when a provider is asked again whose limit the job waits for
	Notice        string          `json:"notice,omitempty"`   // the last compaction, or refusal of the provider, of its session
	NoticedAt     *time.Time      `json:"noticed_at,omitempty"`
}

// whileRunning is what you can do about a run that works: watch it, hold it, end it.
func whileRunning() []kedge.NextStep {
	return []kedge.NextStep{
		runStep().For("watch the run"), runStep("--pause").For("pause the run"), runStep("--stop").For("end the run"),
	}
}

// runStep is kedge run with flags.
func runStep(flags ...string) kedge.NextStep {
	return kedge.Step("kedge", append([]string{"run"}, flags...)...)
}

// continueStep lets a halted run go on.
func continueStep(flags ...string) kedge.NextStep {
	return runStep(append([]string{"--continue"}, flags...)...).For("continue the run")
}

// landStep lands the work of runs.
func landStep() kedge.NextStep {
	return kedge.Step("kedge", "land").For("land the work on your branch")
}

// isLand tells whether a step lands the work of runs, at once or as its end.
func isLand(s kedge.NextStep) bool { return strings.HasSuffix(s.String(), "kedge land") }

// View shows a state; what stands in the ledger and not in the state comes
// from the project.
func (s *Runs) View(ctx context.Context, p *projects.Project, st run.State) (RunView, error) {
	reason, err := s.planning.PlanReason(ctx, p, &st)
	if err != nil {
		return RunView{}, err
	}
	v := RunView{
		ID: st.Run, State: st.Status, Reason: reason, Halt: st.Halt, Agent: st.Rules.Agent, Parallel: st.Rules.Parallel,
		StartedAt: startOf(st.Run), Features: countRun(st), Sessions: st.Sessions, Usage: usageOf(st),
		Limits: RunLimits{Tokens: st.Rules.Tokens, USD: st.Rules.USD, Sessions: st.Rules.MaxSessions},
		Jobs:   []RunJob{}, Done: doneIn(&st), Resting: st.Resting(),
	}
	v.HaltedAt, v.HaltedBy = haltedAt(&st), st.HaltedBy
	if text := waitText(&st, s.home.Now()); text != "" {
		v.Reason = text
	}
	if v.NextSteps, err = s.nextSteps(ctx, p, st); err != nil {
		return v, err
	}
	v.Next = kedge.StepLines(v.NextSteps)
	for i := range st.Jobs {
		j, err := jobView(ctx, p, &st, &st.Jobs[i])
		if err != nil {
			return v, err
		}
		v.Jobs = append(v.Jobs, j)
	}
	if v.Resting {
		v.Kind = kindOf(&st)
	}
	if v.Phase, err = phaseView(ctx, p, &st); err != nil {
		return v, err
	}
	last, err := status.LastVerdict(ctx, p)
	if err != nil {
		return v, err
	}
	if last != nil {
		v.Gate = &status.GateInfo{Verdict: last.Verdict.Verdict, Partial: last.Verdict.Partial, Feature: last.Feature, At: last.At}
	}
	if v.ETA, err = s.eta(ctx, p, &st, v.StartedAt); err != nil {
		return v, err
	}
	if v.Forecast, err = s.course(ctx, p, &st); err != nil { // a broken price table stops nobody
		s.home.Log.Error("cannot compute the forecast of a run", "run", string(st.Run), "error", err.Error())
	}
	return v, nil
}

// haltedAt is when a halted run was halted; nil where that is unknown.
func haltedAt(st *run.State) *time.Time {
	if st.Halt == "" || st.HaltedAt.IsZero() {
		return nil
	}
	return &st.HaltedAt
}

// startOf reads the moment at which a run began out of its id.
func startOf(id kedge.RunID) time.Time {
	const digits = "0123456789abcdefghjkmnpqrstvwxyz"
	_, text, _ := strings.Cut(string(id), "-")
	if len(text) < 10 {
		return time.Time{}
	}
	var ms int64
	for _, c := range text[:10] {
		ms = ms<<5 | int64(max(strings.IndexRune(digits, c), 0))
	}
	return time.UnixMilli(ms).UTC()
}

// countRun counts the features of the run: without those that were done before it began,
// unless all were.
func countRun(st run.State) status.FeatureCounts {
	var own, all []kedge.Feature
	for _, f := range st.Features {
		var is kedge.Feature
		is.Status = f.Status
		all = append(all, is)
		if !f.Before || f.Sessions > 0 || !f.Status.Over() { // the run has, or had, something to do for it
			own = append(own, is)
		}
	}
	if len(own) == 0 {
		own = all
	}
	return status.CountFeatures(own)
}

// usageOf is what the sessions said they used; unknown as long as none did.
func usageOf(st run.State) status.Usage {
	silent := st.Unmetered
	for i := range st.Jobs {
		if j := &st.Jobs[i]; j.Used == nil && st.Live(j.ID) {
			silent++ // as far as is known
		}
	}
	if st.Sessions <= silent && st.Spent == (kedge.Spend{}) {
		return status.Usage{}
	}
	tokens := st.Spent.Tokens
	u := status.Usage{Tokens: &tokens}
	if usd := st.Spent.USD; usd > 0 {
		u.USD = &usd
	}
	return u
}

// jobView shows a job, with what its living session said of its context.
func jobView(ctx context.Context, p *projects.Project, st *run.State, j *run.Job) (RunJob, error) {
	v := RunJob{
		ID: j.ID, Kind: j.Kind, Phase: j.Phase, Attempt: j.Attempt, Repair: j.Repairs > 0,
		Question: j.Question, Reason: j.Reason,
	}
	if j.Feature >= 0 && j.Feature < len(st.Features) {
		v.Feature = st.Features[j.Feature].ID
	}
	if !j.Until.IsZero() {
		v.Until = &j.Until
	}
	v.NextTry = nextTry(st, j)
	var err error
	if v.Waits, err = waitsOf(ctx, p, st, j); err != nil {
		return v, err
	}
	if !st.Live(j.ID) || j.Session == "" {
		return v, nil
	}
	if n := j.Notice; n.Text != "" {
		v.Notice, v.NoticedAt = n.Text, &n.At
	}
	v.Session = j.Session
	if j.Used != nil {
		v.Tokens = &j.Used.Tokens
	}
	ses, _, err := journal.Get[kedge.Session](ctx, p.Store, journal.KindSession, string(j.Session))
	v.ContextTokens, v.ContextWindow = ses.ContextTokens, ses.ContextWindow
	return v, err
}

// kindOf says what kind of end a resting run came to; empty is the good one.
func kindOf(st *run.State) kedge.Kind {
	stuck := slices.ContainsFunc(st.Jobs, func(j run.Job) bool { return j.Phase == run.Stuck })
	switch {
	case st.Status == run.StatusDone && st.LandRefusal != "":
		return kedge.Blocked // the work is not where a person looks for it
	case st.Status == run.StatusDone:
		return ""
	case st.Halt == run.OverBudget, st.Halt == run.MaxSessions:
		return kedge.OverBudget
	case st.Halt == run.Stopped:
		return kedge.Interrupted
	case st.Halt == run.RedBaseline:
		return kedge.Red
	case st.Halt == run.Fault:
		return kedge.Internal
	case st.Halt == run.Paused && stuck:
		return kedge.Conflict
	default:
		return kedge.Blocked
	}
}

// steps collects next steps, each once.
type steps []kedge.NextStep

func (out *steps) add(list ...kedge.NextStep) {
	for _, s := range list {
		if !slices.ContainsFunc(*out, func(have kedge.NextStep) bool { return have.String() == s.String() }) {
			*out = append(*out, s)
		}
	}
}

// addUpTo adds steps as long as there is room.
func (out *steps) addUpTo(most int, list ...kedge.NextStep) {
	for _, s := range list {
		if len(*out) < most {
			out.add(s)
		}
	}
}

// nextOf says what you do next about a run and its features: what it asks for and,
// while it works by itself, how to watch, hold and end it.
func nextOf(st *run.State) []kedge.NextStep {
	out := steps{}
	for _, phase := range []run.Phase{run.Asking, run.Reviewing} {
		for i := range st.Jobs {
			if j := &st.Jobs[i]; j.Phase == phase && len(out) < shownNext { // the others come when these are done
				out.add(askedBy(st, j)...)
			}
		}
	}
	switch {
	case !st.Resting() && (st.Halt == run.Paused || st.Halt == run.Stopped):
		return append(out, runStep().For("watch the run"), continueStep()) // to see how it comes to rest, or to go on
	case !st.Resting() && st.Halt != "":
		return append(out, runStep().For("watch the run"))
	case !st.Resting():
		if st.Status == run.StatusQuota {
			out.add(continueStep().For("try now"))
		}
		out.addUpTo(shownNext, leftSteps(st)...)
		return append(out, whileRunning()...)
	}
	out.add(haltSteps(st)...)
	if len(st.Unaccepted()) == 0 && toLandBy(st) { // else it would refuse
		out.add(landSteps(st)...)
	}
	out.addUpTo(shownNext, featureSteps(st)...)
	return out
}

// haltSteps let a run go on that rests because it was halted.
func haltSteps(st *run.State) []kedge.NextStep {
	switch st.Halt {
	case run.RedBaseline:
		return []kedge.NextStep{kedge.Step("kedge", "gate", "--all").For("see what is red"), continueStep()}
	case run.Paused, run.Stopped, run.Fault, run.Environment, run.NoAgent:
		return []kedge.NextStep{continueStep()}
	case run.Returned:
		return returnedSteps(st)
	case run.Untrusted:
		return []kedge.NextStep{kedge.Step("kedge", "approve").For("see what needs your approval"), continueStep()}
	case run.OverBudget:
		return []kedge.NextStep{continueStep(raisedBudget(st)...)}
	case run.MaxSessions:
		return []kedge.NextStep{continueStep("--max-sessions", strconv.Itoa(max(st.Rules.MaxSessions, 1)))}
	default:
		return nil
	}
}

// landSteps bring the work of a run that is over to your branch: where landing was
// refused, what you do about that.
func landSteps(st *run.State) []kedge.NextStep {
	switch {
	case len(st.Broken()) > 0:
		return []kedge.NextStep{kedge.Step("kedge", "land", "--regressed").For("land the work although it breaks features that were done")}
	case len(st.LandNext) > 0:
		return slices.Clone(st.LandNext)
	default:
		return []kedge.NextStep{landStep()}
	}
}

// toLandBy tells whether a run has work that only your word lands.
func toLandBy(st *run.State) bool {
	return st.LandRefusal != "" || st.Rules.Land == "never" && st.Ended() && st.Halt == "" && st.Landed != st.Tip && !st.Planning()
}

// askedBy is what a parked job wants of you.
func askedBy(st *run.State, j *run.Job) []kedge.NextStep {
	if j.Feature < 0 || j.Feature >= len(st.Features) {
		return nil
	}
	id := string(st.Features[j.Feature].ID)
	switch j.Phase {
	case run.Asking:
		return []kedge.NextStep{kedge.Step("kedge", "answer", id, "TEXT").For("answer " + id)}
	case run.Reviewing:
		var look []kedge.NextStep
		if j.Base != "" && j.Tree != "" { // both are in the repository, wherever one looks from
			look = append(look, kedge.Step("git", "diff", words.Hash(j.Base), words.Hash(j.Tree), "--", ":/", ":(top,exclude)"+kedge.Dir, ":(top,exclude)"+kedge.ContextFile).For("see the work of "+id))
		}
		return append(look, kedge.Step("kedge", "approve", id).For("approve the work of "+id), denyStep(id))
	default:
		return nil
	}
}

// denyStep says no to the work on a feature.
func denyStep(id string) kedge.NextStep {
	return kedge.Step("kedge", "deny", id, "--reason", "WHY").For("reject the work of " + id)
}

// shownNext bounds a list of what to do next.
const shownNext = 8

// raisedBudget is the flag that lets a run go on whose budget is spent.
func raisedBudget(st *run.State) []string {
	n := st.Rules.Tokens
	if n > 0 && st.Spent.Tokens >= n || spentInTokens(st) {
		return []string{"--budget-tokens", strconv.FormatInt(max(n, 2*st.Spent.Tokens), 10)}
	}
	return []string{"--budget-usd", raised(st.Rules.USD, st.Spent.USD)}
}

// spentInTokens tells whether the budget of a phase is spent that counts tokens.
func spentInTokens(st *run.State) bool {
	return slices.ContainsFunc(st.Phases, func(p config.Bounded) bool { return p.Tokens > 0 && p.Over() })
}

// raised is twice a limit, or twice what was spent where there is none.
func raised(limit, spent float64) string {
	if limit <= 0 {
		limit = max(spent, 1)
	}
	return strconv.FormatFloat(2*limit, 'f', -1, 64)
}

// eta is how long what is open may take: by the middle one of the times between
// two completed features of this run. A night for which it was paused is one of
// them and moves nothing.
func (s *Runs) eta(ctx context.Context, p *projects.Project, st *run.State, started time.Time) (*int64, error) {
	open := 0
	for _, f := range st.Features {
		if isOpen(f.Status) {
			open++
		}
	}
	if open == 0 || st.Resting() {
		return nil, nil
	}
	done, err := s.paces.Of(p.ID).since(ctx, p.Store, started)
	if err != nil || len(done) == 0 {
		return nil, err
	}
	gaps := make([]time.Duration, len(done))
	for i, at := range done {
		gaps[i], started = at.Sub(started), at
	}
	slices.Sort(gaps)
	seconds := int64((gaps[len(gaps)/2] * time.Duration(open)).Seconds())
	return &seconds, nil
}

// runStatus fills in the newest run, what its sessions used, and what comes next.
func (s *Runs) runStatus(ctx context.Context, p *projects.Project, r *status.Reply) error {
	st, found, err := ledger.LastRun(ctx, p)
	if err != nil {
		return err
	}
	if r.NextSteps, err = s.nextSteps(ctx, p, st); err != nil {
		return err
	}
	r.Steps = kedge.StepLines(r.NextSteps)
	if !found {
		return nil
	}
	reason, err := s.planning.PlanReason(ctx, p, &st)
	if s.landing.MergedByUser(ctx, p, st) {
		before, _, _ := strings.Cut(reason, "; not landed: ") // all that older builds stored
		reason = cmp.Or(st.Outcome, before)
	}
	if text := waitText(&st, s.home.Now()); text != "" {
		reason = text
	}
	r.Run = &status.RunInfo{Notices: s.notices(&st), ID: st.Run, State: string(st.Status), Reason: reason, Halt: string(st.Halt), HaltedAt: haltedAt(&st), HaltedBy: st.HaltedBy, Next: r.Steps}
	r.Usage = usageOf(st)
	if err != nil || st.Ended() {
		return err
	}
	r.Run.Forecast, err = s.course(ctx, p, &st)
	return err
}
