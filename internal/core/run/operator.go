package run

import (
	"cmp"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/core/config"
)

// begin makes the first state of a run.
func (t *stepper) begin() {
	ev := t.ev
	t.s = State{Version: Version, Run: ev.Run, Goal: ev.Goal}
	t.standAt(ev.Commit)
	if ev.Rules != nil {
		t.s.Rules = *ev.Rules
	}
	t.s.Rules = t.s.Rules.WithDefaults()
	t.newDay()
	if ev.Day.Date == t.s.Day.Date {
		t.s.Day.USD = ev.Day.USD
	}
	t.setPhases()
	t.addFeatures(ev.Specs, ev.Goal != "")
	if t.planning() {
		t.newJob(Plan, unknown)
	}
}

// standAt makes a commit the tip. Where the user's branch is there too, nothing
// is left to land, and what is put on top of it is theirs already.
func (t *stepper) standAt(commit string) {
	t.s.Tip = commit
	if t.ev.Head == "" || t.ev.Head == commit {
		t.s.Verified, t.s.Landed = commit, commit
		t.s.refuseLanding("")
		for i := range t.s.Features {
			t.s.Features[i].Work, t.s.Features[i].Let = "", "" // whatever there was, they have it
		}
	}
}

func (t *stepper) planning() bool { return t.s.Planning() }

// setPhases takes the limits of the rules over; what was spent stays.
func (t *stepper) setPhases() {
	for _, l := range t.s.Rules.Phases {
		t.s.Phases[t.phase(l.ID)].PhaseLimit = l
	}
}

// phase is the place of a phase of the plan, which is added where it is new.
func (t *stepper) phase(id string) int {
	i := slices.IndexFunc(t.s.Phases, func(p config.Bounded) bool { return p.ID == id })
	if i < 0 {
		i = len(t.s.Phases)
		t.s.Phases = append(t.s.Phases, config.Bounded{PhaseLimit: config.PhaseLimit{ID: id}})
	}
	return i
}

// addFeatures appends what is new, in its order. A feature that is in progress
// is one whose run is gone: it starts again. Of one that is known, work of earlier
// runs is taken over; one that was early gets its definition with the plan.
func (t *stepper) addFeatures(specs []Spec, early bool) {
	places := make(map[kedge.FeatureID]int, len(t.s.Features)+len(specs))
	for i, f := range t.s.Features {
		places[f.ID] = i
	}
	var added []Spec
	for _, spec := range specs {
		i, known := places[spec.ID]
		switch {
		case !kedge.ValidName(string(spec.ID)):
			continue
		case known && !(t.s.Features[i].Early && !early):
			t.carry(&t.s.Features[i], spec)
			continue
		case known:
			t.define(i, spec)
		default:
			places[spec.ID] = len(t.s.Features)
			t.s.Features = append(t.s.Features, t.featureOf(spec, early))
		}
		added = append(added, spec)
	}
	for _, spec := range added {
		f := &t.s.Features[places[spec.ID]]
		f.Needs = nil // another list: the one before may be part of the state before
		for _, id := range spec.Needs {
			place, ok := places[id]
			if !ok {
				place = unknown
			}
			f.Needs = append(f.Needs, place)
		}
		if open(f.Status) && !early {
			t.want(f, spec.Wanted, t.ev.Actor)
		}
		if spec.Status == kedge.InProgress && !early && t.jobOf(f.ID) == nil {
			t.mark(f, "the run that worked on it is gone")
		}
	}
}

// featureOf is a feature as a run begins with it.
func (t *stepper) featureOf(spec Spec, early bool) Feature {
	f := Feature{
		ID: spec.ID, Hash: shortHash(spec.Hash), Status: spec.Status, Phase: t.phase(spec.Phase),
		Budget: spec.Budget, Work: spec.Work, Early: early, Regressions: spec.Broken, Red: spec.Broken > 0,
		Denied: spec.Denied && spec.Status != kedge.Completed,
		Aside:  spec.Aside && spec.Status == kedge.NeedsReview,
	}
	if spec.Claim {
		f.Claim = ClaimSaid
	}
	if f.Status == kedge.Regressed { // as regress leaves it
		f.Claim, f.Regressions, f.Red = ClaimDone, max(f.Regressions, 1), true
	}
	if f.Status == kedge.InProgress || !f.Status.Valid() {
		f.Status = kedge.Pending
	}
	f.Before = f.Status.Over()
	return f
}

// define makes an early feature one of the plan. What a job does with it goes on.
func (t *stepper) define(i int, spec Spec) {
	was := t.s.Features[i]
	f := t.featureOf(spec, false)
	f.Work, f.Let, f.Sessions, f.Spent, f.Red, f.Wanted = was.Work, was.Let, was.Sessions, was.Spent, f.Red || was.Red, was.Wanted
	if t.jobOf(was.ID) != nil {
		f.Status = was.Status
	}
	t.carry(&f, spec)
	t.s.Features[i] = f
}

// carry takes over what work of an earlier run the tip holds that nobody accepted.
func (t *stepper) carry(f *Feature, spec Spec) {
	if f.Work == "" && f.Status != kedge.Completed {
		f.Work = spec.Work
	}
}

// newDay starts another day's sum; a clock that goes back starts none.
func (t *stepper) newDay() {
	if date := t.ev.At.UTC().Format("2006-01-02"); date > t.s.Day.Date {
		t.s.Day = Day{Date: date}
	}
}

// takeOver gives everything outstanding a new number: the earlier owner's
// answers are refused from now on.
func (t *stepper) takeOver() {
	for i := range t.s.Outbox {
		c := &t.s.Outbox[i]
		t.s.Epoch++
		for k := range t.s.Jobs {
			if t.s.Jobs[k].Turn == c.Epoch {
				t.s.Jobs[k].Turn = t.s.Epoch
			}
		}
		c.First, c.Adopts, c.Epoch = c.Origin(), c.Epoch, t.s.Epoch
		t.out = append(t.out, *c)
	}
}

// operator does what a person wants of the run.
func (t *stepper) operator() {
	if rested := t.s.rests(); rested {
		defer t.staysAtRest()
	}
	switch t.ev.Kind {
	case PauseAsked:
		t.halt(Paused, "paused by "+t.who())
		t.dropVerify()
	case StopAsked:
		t.halt(Stopped, "stopped by "+t.who())
		t.dropVerify()
	case Continued:
		t.goAhead()
	case LandAsked:
		t.landAsked()
	case Planned:
		t.addFeatures(t.ev.Specs, false)
	case Said:
		t.issue(t.jobOf(t.ev.Feature), Command{Kind: Tell, Feature: t.ev.Feature, Text: t.ev.Text, Actor: t.ev.Actor})
	case Answered:
		t.answered()
	case Approved, Denied:
		t.decided()
	default:
		t.changeFeature()
	}
}

// staysAtRest: a word about the features is no word to go on. Where a run at rest would
// begin work because of it, or come to its end and land, it is halted until a person
// wants that.
func (t *stepper) staysAtRest() {
	switch t.ev.Kind {
	case Planned, Amended, Reopened, Skipped, Barred:
	default:
		return
	}
	moves := t.next() >= 0 || !t.s.has(func(j *Job) bool { return j.Phase.Parked() })
	switch {
	case t.s.Halt == "" && moves:
	case t.s.Halt != "" && t.s.Halt != Paused && t.s.Halt != Stopped && t.allLeft():
	default:
		return
	}
	t.setHalt(Returned, strings.ReplaceAll(string(t.ev.Kind), "_", " ")+" by "+t.who())
	if t.ev.Feature != "" {
		t.s.Why = quote(string(t.ev.Feature)) + " was " + t.s.Why
	}
}

// allLeft tells whether every feature is done or given up, or on its way there.
func (t *stepper) allLeft() bool {
	return !slices.ContainsFunc(t.s.Features, func(f Feature) bool {
		j := t.jobOf(f.ID)
		return !f.Status.Over() && (j == nil || j.End != kedge.Skipped)
	})
}

// landAsked is a person's wish to have it all landed, with the features named that
// need not be accepted before.
func (t *stepper) landAsked() {
	t.addFeatures(t.ev.Specs, t.planning())
	for i := range t.s.Features {
		if f := &t.s.Features[i]; f.Waits() && t.ev.human() && slices.Contains(t.ev.Features, f.ID) {
			f.Let = LetUnseen
		}
	}
	t.s.LandBy, t.s.LandScope = t.ev.Actor, ""
	if t.ev.human() && t.ev.Scope == Breaking {
		t.s.LandScope = Breaking
	}
	t.land()
}

// word is what a person said of a feature, and why where they said that.
func (t *stepper) word() string {
	return strings.TrimSuffix(string(t.ev.Kind)+" by "+t.who()+": "+t.ev.Reason, ": ")
}

func (t *stepper) who() string { return cmp.Or(t.ev.Actor.Name(), "a person") }

// goAhead lifts the halt; whatever still holds will halt again.
func (t *stepper) goAhead() {
	if t.ev.Rules != nil {
		t.s.Rules = t.ev.Rules.WithDefaults()
		t.setPhases()
	}
	if t.s.Halt == RedBaseline { // somebody may have mended it: look again
		t.s.Red, t.s.Doubt = Seen{}, Seen{}
		t.lookAgain()
	}
	if t.s.Halt != "" {
		t.tellLiving(Going)
	}
	t.setHalt("", "")
	t.acceptedSince()
	if t.ev.Commit != "" && t.s.Movable() {
		t.standAt(t.ev.Commit)
	}
	for _, i := range t.s.Barred {
		if f := &t.s.Features[i]; f.Status == kedge.BlockedWork {
			f.Status = kedge.Pending
			t.mark(f, "continued by "+t.who())
		}
	}
	t.s.Barred = nil
	t.tryNow()
	for i := range t.s.Jobs {
		j := &t.s.Jobs[i]
		if j.Phase == Stuck {
			t.queue(j, j.Resume)
		}
		t.nextTurn(j)
	}
}

// acceptedSince: while the run was over people accepted work, and the ledger says so.
// As it goes on, what needs that can go on too.
func (t *stepper) acceptedSince() {
	for i := range t.s.Features {
		f := &t.s.Features[i]
		if f.Let == LetAccepted && f.Status == kedge.NeedsReview && t.jobOf(f.ID) == nil {
			f.Status, f.Claim, f.Attempts, f.Spent, f.Let, f.Red = kedge.Completed, "", 0, kedge.Spend{}, "", false
		}
	}
}

// jobOf is the job of a feature; with no feature named, the one that has none.
func (t *stepper) jobOf(id kedge.FeatureID) *Job {
	place := unknown
	if id != "" {
		if place = t.s.place(id); place < 0 {
			return nil
		}
	}
	for i := range t.s.Jobs {
		if j := &t.s.Jobs[i]; j.Feature == place && j.Phase != Done {
			return j
		}
	}
	return nil
}

// answered lets the job that asked go on.
func (t *stepper) answered() {
	j := t.jobOf(t.ev.Feature)
	switch {
	case j == nil:
		if t.planning() && t.ev.Feature == "" {
			t.newJob(Plan, unknown)
		}
	case j.Then == Asking: // on its way there
		j.Then = Briefing
	case j.Phase != Asking:
	case t.s.Live(j.ID):
		t.issue(j, Command{Kind: Tell, Text: t.ev.Text, Actor: t.ev.Actor})
		j.Phase, j.Question = Working, ""
		if j.Turn == 0 {
			j.Phase = Idle
			t.nextTurn(j)
		}
	default:
		t.queue(j, Briefing)
	}
}

// changeFeature is a person's word about a feature. What is being committed, or written into
// the ledger, comes to its end first: then the word is heard.
func (t *stepper) changeFeature() {
	i := t.s.place(t.ev.Feature)
	if i < 0 {
		return
	}
	f, j := &t.s.Features[i], t.jobOf(t.ev.Feature)
	if j != nil && committing(j.Phase) && t.ev.Kind != Amended && (t.ev.Kind != Accepted || j.Acceptable()) {
		j.Word = Word{Kind: t.ev.Kind, Reason: t.ev.Reason, Scope: t.ev.Scope, Actor: t.ev.Actor}
		return
	}
	switch t.ev.Kind {
	case Amended:
		t.amend(f, j)
	case Accepted:
		t.accept(f, j)
	case Reopened:
		t.reopened(f, j)
	case Skipped:
		t.setStatus(f, j, kedge.Skipped)
	case Barred:
		t.setStatus(f, j, kedge.BlockedWork)
	default:
	}
}

// heard is the last word that a person said of a feature while its job came to its end.
func (t *stepper) heard(f *Feature, j *Job) {
	if w := j.Word; w.Kind != "" {
		t.ev = Input{Kind: w.Kind, At: t.ev.At, Feature: f.ID, Reason: w.Reason, Scope: w.Scope, Actor: w.Actor}
		t.changeFeature()
	}
	if j.Kind == Accept || j.Kind == Undo {
		t.overAgain(f, j)
	}
}

// reopened takes a feature up again. What a job did for it is set aside first; work that you
// refused is taken back all the same.
func (t *stepper) reopened(f *Feature, j *Job) {
	switch {
	case j == nil && (f.Status == kedge.Pending || f.Status == kedge.InProgress):
	case j == nil:
		claim := Claim("")
		if f.Status == kedge.Completed && t.ev.Reason == "" {
			claim = ClaimDone
		}
		t.reopen(f, claim, t.ev.Reason)
	default:
		f.Claim, f.Attempts, f.Regressions, f.Spent = "", 0, 0, kedge.Spend{}
		t.want(f, t.ev.Reason, t.ev.Actor)
		t.setStatus(f, j, kedge.Pending)
	}
}

// Approved tells whether you approved the work of a job, and nothing of it is committed yet.
func (j *Job) Approved() bool {
	lifted := j.Wide || j.Doubt == DoubtLifted
	return lifted && (j.Phase == Integrating || j.Phase == Ready && j.Resume == Integrating)
}

// givesUp tells whether the job ends without completing its feature.
func (j *Job) givesUp() bool { return j.End != "" && j.End != kedge.Completed }

// amend replaces a locked definition: with a reason, or not at all. Whatever was said
// of the one before is not said of this one, unless it asks for the same work: then that
// continues.
func (t *stepper) amend(f *Feature, j *Job) {
	hash := shortHash(t.ev.Hash)
	if t.ev.Reason == "" || hash == "" || hash == f.Hash {
		return
	}
	if t.ev.Alike && j != nil && j.Hash == f.Hash {
		j.Hash = hash
	}
	f.Hash = hash
	t.redefine(f)
	if t.ev.Alike {
		return
	}
	f.Claim, f.Denied = "", false
	if f.Let == LetAccepted {
		f.Let = ""
	}
	if j != nil && j.Word.Kind != Skipped {
		j.Word = Word{}
	}
	switch {
	case j == nil && f.Status != kedge.Skipped:
		t.reopen(f, "", "")
	case j != nil && !committing(j.Phase):
		t.setAside(j, kedge.Pending, "amended by "+t.who()+": "+t.ev.Reason)
	}
}

// redefine takes over what the run itself knows of an amended definition.
func (t *stepper) redefine(f *Feature) {
	for _, spec := range t.ev.Specs {
		if spec.ID != f.ID {
			continue
		}
		f.Budget, f.Phase, f.Needs = spec.Budget, t.phase(spec.Phase), nil
		for _, id := range spec.Needs {
			f.Needs = append(f.Needs, t.s.place(id))
		}
	}
}

func (t *stepper) setStatus(f *Feature, j *Job, to kedge.Status) {
	switch {
	case j == nil && f.Status != to:
		f.Status, f.Red = to, f.Red && to != kedge.Skipped
		t.mark(f, t.word())
	case j == nil:
	case j.Kind == Undo: // you refused the work before
		j.End, j.Word = to, Word{}
	case j.givesUp(): // it ends already, and otherwise
		j.Hash, j.Word, j.End, j.Reason = f.Hash, Word{}, to, t.word()
	default:
		j.Hash, j.Word = f.Hash, Word{} // it proves nothing any more
		t.setAside(j, to, t.word())
	}
}

// committing tells whether the work is verified and on its way into history.
func committing(p Phase) bool { return p.OnTrunk() && p != Integrating }
