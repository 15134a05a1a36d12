package runs

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/app/status"
	"kedge/internal/core/run"
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
	Agent     string               `json:"agent"`
	Parallel  int                  `json:"parallel"`
	StartedAt time.Time            `json:"started_at"`
	Features  status.FeatureCounts `json:"features"`
	Sessions  int                  `json:"sessions"`
	Usage     status.Usage         `json:"usage"`
	Limits    RunLimits            `json:"limits"`
	Jobs      []RunJob             `json:"jobs"`
	Gate      *status.GateInfo     `json:"gate"` // the last verdict
	ETA       *int64               `json:"eta_seconds"`
	Resting   bool                 `json:"resting"` // it does nothing by itself any more
	Kind      kedge.Kind           `json:"kind"`    // of what it rests for: empty is all done
	Next      []string             `json:"next"`    // what to do next, each a command that can be pasted
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
	Until         *time.Time      `json:"until"` // when a provider's limit passes
}

// whileRunning is what a person can do about a run that works: watch it, hold it,
// end it.
var whileRunning = []string{"kedge run", "kedge run --pause", "kedge run --stop"}

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
		Jobs:   []RunJob{}, Resting: st.Resting(),
	}
	if v.Next, err = s.nextSteps(ctx, p, st); err != nil {
		return v, err
	}
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
	last, err := status.LastVerdict(ctx, p)
	if err != nil {
		return v, err
	}
	if last != nil {
		v.Gate = &status.GateInfo{Verdict: last.Verdict.Verdict, Partial: last.Verdict.Partial, Feature: last.Feature, At: last.At}
	}
	v.ETA, err = s.eta(ctx, p, &st, v.StartedAt)
	return v, err
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

func countRun(st run.State) status.FeatureCounts {
	list := make([]kedge.Feature, len(st.Features))
	for i, f := range st.Features {
		list[i].Status = f.Status
	}
	return status.CountFeatures(list)
}

// usageOf is what the sessions said they used; unknown as long as none did.
func usageOf(st run.State) status.Usage {
	silent := st.Unmetered
	for i := range st.Jobs {
		if j := &st.Jobs[i]; j.Used == nil && st.Live(j.ID) {
			silent++ // as far as is known
		}
	}
	if st.Sessions <= silent && st.Spent == (run.Spend{}) {
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
	if !st.Live(j.ID) || j.Session == "" {
		return v, nil
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

// nextOf says what a person does next about a run and its features: what it asks
// for and, while it works by itself, how to watch, hold and end it.
func nextOf(st *run.State) []string {
	out := []string{}
	add := func(line string) {
		if !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	for _, phase := range []run.Phase{run.Asking, run.Reviewing} {
		for i := range st.Jobs {
			if j := &st.Jobs[i]; j.Phase == phase && len(out) < shownNext { // the others come when these are done
				for _, line := range askedBy(st, j) {
					add(line)
				}
			}
		}
	}
	switch {
	case !st.Resting() && (st.Halt == run.Paused || st.Halt == run.Stopped):
		return append(out, "kedge run", "kedge run --continue") // to see how it comes to rest, or to go on
	case !st.Resting() && st.Halt != "":
		return append(out, "kedge run")
	}
	if !st.Resting() {
		for _, line := range leftSteps(st) {
			if len(out) < shownNext {
				add(line)
			}
		}
		return append(out, whileRunning...)
	}
	switch st.Halt {
	case run.RedBaseline:
		add("kedge gate --all")
		add("kedge run --continue")
	case run.Paused, run.Stopped, run.Fault, run.Environment, run.NoAgent:
		add("kedge run --continue")
	case run.Returned:
		add("kedge run")
	case run.Untrusted:
		add("kedge approve")
		add("kedge run --continue")
	case run.OverBudget:
		add("kedge run --continue " + raisedBudget(st))
	case run.MaxSessions:
		add("kedge run --continue --max-sessions " + strconv.Itoa(max(st.Rules.MaxSessions, 1)))
	}
	if len(st.Unaccepted()) == 0 && toLandBy(st) { // else it would refuse
		add(landCommand)
	}
	for _, line := range featureSteps(st) {
		if len(out) < shownNext {
			add(line)
		}
	}
	return out
}

// toLandBy tells whether a run has work that only a person's word lands.
func toLandBy(st *run.State) bool {
	return st.LandRefusal != "" || st.Rules.Land == "never" && st.Ended() && st.Halt == "" && st.Landed != st.Tip && !st.Planning()
}

// askedBy is what a parked job wants of a person.
func askedBy(st *run.State, j *run.Job) []string {
	if j.Feature < 0 || j.Feature >= len(st.Features) {
		return nil
	}
	id := string(st.Features[j.Feature].ID)
	switch j.Phase {
	case run.Asking:
		return []string{"kedge answer " + id + " TEXT"}
	case run.Reviewing:
		look := []string{}
		if j.Base != "" && j.Tree != "" { // both are in the repository, wherever one looks from
			look = append(look, "git diff "+words.Hash(j.Base)+" "+words.Hash(j.Tree)+" -- ':/' ':(top,exclude).kedge'")
		}
		return append(look, "kedge approve "+id, "kedge deny "+id+" --reason WHY")
	default:
		return nil
	}
}

// shownNext bounds a list of what to do next.
const shownNext = 8

// raisedBudget is the flag that lets a run go on whose budget is spent.
func raisedBudget(st *run.State) string {
	n := st.Rules.Tokens
	if n > 0 && st.Spent.Tokens >= n || spentInTokens(st) {
		return "--budget-tokens " + strconv.FormatInt(max(n, 2*st.Spent.Tokens), 10)
	}
	return "--budget-usd " + raised(st.Rules.USD, st.Spent.USD)
}

// spentInTokens tells whether the budget of a phase is spent that counts tokens.
func spentInTokens(st *run.State) bool {
	return slices.ContainsFunc(st.Phases, func(p run.Bounded) bool { return p.Tokens > 0 && p.Over() })
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
		if f.Status == kedge.Pending || f.Status == kedge.InProgress || f.Status == kedge.Regressed {
			open++
		}
	}
	if open == 0 || st.Resting() {
		return nil, nil
	}
	done, err := s.paces.of(p.ID).since(ctx, p.Store, started)
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
func (s *Runs) runStatus(ctx context.Context, p *projects.Project, r *status.StatusReply) error {
	st, found, err := ledger.LastRun(ctx, p)
	if err != nil {
		return err
	}
	if r.Steps, err = s.nextSteps(ctx, p, st); err != nil || !found {
		return err
	}
	reason, err := s.planning.PlanReason(ctx, p, &st)
	if s.landing.MergedByUser(ctx, p, st) {
		reason = strings.TrimSuffix(reason, "; not landed: "+st.LandRefusal)
	}
	if reason == "" && st.Status == run.StatusQuota {
		reason = untilWhen(st)
	}
	r.Run = &status.RunInfo{ID: st.Run, State: string(st.Status), Reason: reason, Halt: string(st.Halt), Next: r.Steps}
	r.Usage = usageOf(st)
	return err
}

// untilWhen says when the first limit of a provider's that a run waits for passes;
// nothing where no provider said.
func untilWhen(st run.State) string {
	var first time.Time
	for _, j := range st.Jobs {
		if j.Phase == run.Limited && !j.Until.IsZero() && (first.IsZero() || j.Until.Before(first)) {
			first = j.Until
		}
	}
	if first.IsZero() {
		return "a provider's limit; nobody said until when"
	}
	return "a provider's limit, until " + first.UTC().Format("2006-01-02 15:04 UTC")
}
