package supply

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/app/status"
	"kedge/internal/core/brief"
	"kedge/internal/core/run"
	"kedge/internal/engine"
	"kedge/internal/insight/resume"
	"kedge/internal/journal"
	"kedge/internal/text/glob"
	"kedge/internal/text/words"
)

// Writer writes what the sessions of a project's runs are told, and what they
// leave behind.
type Writer struct {
	recorder
	settings *settings
}

// runKey names what a command of a run writes: the same for every owner that
// carries it out.
func runKey(c run.Command, what string) string {
	return string(c.Run) + "-" + strconv.FormatInt(c.Origin(), 10) + "-" + what
}

// Brief makes the text that a session starts with.
func (b Writer) Brief(ctx context.Context, c run.Command, at engine.Position) (string, error) {
	if c.Purpose == run.MakePlan {
		return b.s.planner.PlanningBrief(ctx, b.p, b, c)
	}
	in, err := b.runInput(ctx, c, at)
	if err != nil {
		return "", err
	}
	if c.Resume != "" {
		return brief.ForResume(in, c.Reason), nil
	}
	return brief.ForRun(in, brief.DefaultBudget).Text, nil
}

// runInput gathers what a working session has to know.
func (b Writer) runInput(ctx context.Context, c run.Command, at engine.Position) (brief.RunInput, error) {
	in := brief.RunInput{
		Project: b.p.Title(), Purpose: brief.Purpose(c.Purpose), Base: c.Base, Attempt: c.Attempt, Failure: c.Failure,
	}
	st, err := b.State(ctx)
	if err != nil {
		return in, err
	}
	in.Decisions, in.Risks, in.Status = st.Decisions, st.Risks, bare(st.Checklist())
	if in.Rules, in.RulesFrom, err = b.RulesAt(ctx, c.Base); err != nil {
		return in, err
	}
	cfg, gate, err := b.settings.At(ctx, c.Base)
	if err != nil {
		return in, err
	}
	in.GateChecks = gate.Checks
	if err := b.conflict(ctx, c, at, cfg.Merge, &in); err != nil {
		return in, err
	}
	if c.Feature != "" {
		if err := b.featureInput(ctx, c, st.Ledger, &in); err != nil {
			return in, err
		}
	}
	if err := b.constrain(ctx, &in); err != nil {
		return in, err
	}
	if err := b.past(ctx, c, at, st.Ledger, &in); err != nil {
		return in, err
	}
	if err := b.earlierSession(ctx, c, at, &in); err != nil {
		return in, err
	}
	in.NeedsTests = c.Scope == run.NewTests
	if in.Told, in.Answers, err = b.Sayings(ctx, c.Run, c.Feature); err == nil && c.Scope == run.Wanted {
		in.Wanted, err = b.wanted(ctx, c)
	}
	return in, err
}

// bare leaves out what a mark says already: a brief must not grow with what is
// done.
func bare(lines []kedge.StatusLine) []kedge.StatusLine {
	for i := range lines {
		if lines[i].Done {
			lines[i].Text = strings.TrimSuffix(lines[i].Text, " ("+string(kedge.ValidationOK)+")")
		}
	}
	return lines
}

// State is where the work of the project stands, whatever worktree is asked
// from.
func (b Writer) State(ctx context.Context) (status.State, error) {
	var st status.State
	var err error
	if st.Ledger, err = ledger.ReadSnapshot(ctx, b.p); err != nil {
		return st, err
	}
	st.Plan = st.Ledger.Current()
	if st.Decisions, err = projects.All[kedge.Decision](ctx, b.p, journal.KindDecision); err != nil {
		return st, err
	}
	st.Risks, err = status.OpenRisks(ctx, b.p)
	return st, err
}

// RulesAt reads the rules at the base: what an agent wrote counts for nothing.
func (b Writer) RulesAt(ctx context.Context, base string) (rules []byte, from string, err error) {
	repo, err := b.s.home.Git(ctx, b.p)
	if err != nil {
		return nil, "", err
	}
	rules, err = repo.ReadFile(ctx, base, ledger.RulesFile)
	if kedge.NotFound.Is(err) {
		return nil, "", nil
	}
	return rules, "commit " + words.Hash(base), err
}

// featureInput is what concerns the one feature: its definition, its place in
// the plan, what earlier phases came to, and where to begin reading.
func (b Writer) featureInput(ctx context.Context, c run.Command, l ledger.Snapshot, in *brief.RunInput) error {
	d, err := l.Find(c.Feature)
	if err != nil {
		return err
	}
	f := d.Feature
	in.Feature, in.Item = &f, l.PlanItem(f.ID)
	if in.Objective, err = ledger.Objective(ctx, b.p, l); err != nil {
		return err
	}
	if l.Plan != nil {
		if in.Objective == "" {
			in.Objective = l.Plan.Title // of a plan that is done but for this feature
		}
		if err := b.phaseInput(ctx, l, f.ID, in); err != nil {
			return err
		}
	}
	if in.Purpose == brief.Implement && c.Attempt > 1 {
		if in.Failed, err = b.failures(ctx, f.ID); err != nil {
			return err
		}
	}
	in.Reread, err = b.startFiles(ctx, c.Base, f, l)
	return err
}

// failures are how earlier attempts at a feature ended, in one line each.
func (b Writer) failures(ctx context.Context, id kedge.FeatureID) ([]string, error) {
	list, err := journal.About[kedge.Evidence](ctx, b.p.Store, journal.KindEvidence, string(id))
	var out []string
	for _, e := range list {
		if !e.Verdict.Green() && e.JudgesWork() {
			out = append(out, e.At.UTC().Format("2006-01-02 15:04")+" UTC: "+brief.FailureText(e.Verdict))
		}
	}
	return out, err
}

// startFiles is where a session begins to read: the files of the feature, those
// of what it builds on, and those at the base that its paths name.
func (b Writer) startFiles(ctx context.Context, base string, f kedge.Feature, l ledger.Snapshot) ([]kedge.FileRef, error) {
	repo, err := b.s.home.Git(ctx, b.p)
	if err != nil {
		return nil, err
	}
	entries, err := repo.List(ctx, base, "")
	if err != nil {
		return nil, err
	}
	there := make(map[string]bool, len(entries))
	for _, e := range entries {
		there[e.Path] = e.Type == "blob"
	}
	var out []kedge.FileRef
	add := func(path string) {
		named := slices.ContainsFunc(out, func(o kedge.FileRef) bool { return o.Path == path })
		if there[path] && !named && !kedge.IsGenerated(path) && len(out) < status.MaxReread {
			out = append(out, kedge.FileRef{Path: path})
		}
	}
	for _, path := range f.Files {
		add(path)
	}
	for _, e := range entries {
		if slices.ContainsFunc(f.Paths, func(p string) bool { return glob.Match(p, e.Path) }) {
			add(e.Path)
		}
	}
	for _, id := range f.Dependencies {
		if d, err := l.Find(id); err == nil {
			for _, path := range d.Files {
				add(path)
			}
		}
	}
	return out, nil
}

// earlierSession is what the session before this one of the same job left: its
// handoff, what it was doing when it was cut, and the files that it changed.
func (b Writer) earlierSession(ctx context.Context, c run.Command, at engine.Position, in *brief.RunInput) error {
	made, err := b.handoffFor(ctx, c, at)
	if err != nil {
		return err
	}
	in.Handoff = stillRejected(made, in.Decisions)
	if at.Session == "" {
		return nil
	}
	ses, _, err := journal.Get[kedge.Session](ctx, b.p.Store, journal.KindSession, string(at.Session))
	if err != nil {
		return err
	}
	b.rankedFiles(at, in)
	why := cutBy(ses)
	switch {
	case neverWentOn(ses):
		why = c.Reason // the work that it was to go on with was cut, whatever it ended with itself
	case finished(ses):
		return nil
	}
	in.Flight = brief.Flight{Why: why, Stood: at.Trail.Stood.Sections(resume.DefaultBudget), Salvage: at.Salvage}
	for _, f := range at.Files {
		in.Flight.Changed = append(in.Flight.Changed, f.Status+" "+f.Path)
	}
	return b.sinceCheckpoint(ctx, c.Base, at, in)
}

// rankedFiles puts the files that the session before needed next in front of those
// to begin with, in its order, and behind them the others that it changed.
func (b Writer) rankedFiles(at engine.Position, in *brief.RunInput) {
	begin := in.Reread
	in.Reread = nil
	if in.Why == nil {
		in.Why = map[string]string{}
	}
	changed := map[string]bool{}
	for _, f := range at.Files {
		changed[f.Path] = f.Status != "D"
	}
	add := func(f kedge.FileRef) {
		named := slices.ContainsFunc(in.Reread, func(o kedge.FileRef) bool { return o.Path == f.Path })
		if named || kedge.IsGenerated(f.Path) {
			return
		}
		if changed[f.Path] {
			f.State = kedge.FileChanged
		}
		in.Reread = append(in.Reread, f)
	}
	for i, path := range at.Trail.Stood.Files {
		if _, ok := status.FileHash(b.p.In(at.Dir), path); ok {
			add(kedge.FileRef{Path: path})
			in.Why[path] = at.Trail.Stood.Why[i]
		}
	}
	for _, f := range at.Files {
		if changed[f.Path] {
			add(kedge.FileRef{Path: f.Path})
		}
	}
	for _, f := range begin {
		add(f)
	}
}

// finished tells whether a session ended by itself, and well: nothing of it was
// cut.
func finished(ses kedge.Session) bool {
	return ses.State == kedge.SessionExited && ses.ExitCode != nil && *ses.ExitCode == 0
}

// neverWentOn tells of a session that was to go on with a conversation and never came to
// it: it used nothing.
func neverWentOn(ses kedge.Session) bool {
	return ses.Begun != nil && ses.Begun.How == kedge.BegunNative && ses.Tokens == nil && ses.ContextTokens == nil
}

func cutBy(ses kedge.Session) string {
	text := string(ses.State)
	if ses.Cause != "" && ses.Cause != text {
		text += ": " + ses.Cause
	}
	return text
}

// Sayings are what people told the work at a feature, and their answers.
func (b Writer) Sayings(ctx context.Context, id kedge.RunID, f kedge.FeatureID) (told, answers []brief.Saying, err error) {
	list, err := b.saidOn(ctx, id, f)
	for _, d := range list {
		s := brief.Saying{By: d.By, At: d.At, Question: d.Question, Text: d.Text}
		switch d.How {
		case kedge.SaidTold:
			told = append(told, s)
		case kedge.SaidWanted: // of its task, where it still is that
		case kedge.SaidAnswer:
			answers = append(answers, s)
		case kedge.SaidNotified:
		}
	}
	return told, answers, err
}

// saidOn is all that was said to the work at a feature, with what it was told and
// the executor has not written down yet: a brief that is made meanwhile has it too.
// The run is read first, so that nothing is between the two.
func (b Writer) saidOn(ctx context.Context, id kedge.RunID, f kedge.FeatureID) ([]kedge.RunSaidData, error) {
	doc, _, err := b.p.Store.Run(ctx, id)
	if err != nil {
		return nil, err
	}
	list, err := journal.About[kedge.RunSaidData](ctx, b.p.Store, journal.KindSaid, journal.Work(id, f))
	for _, c := range doc.State.Outbox {
		d := wordOf(c, howTold(c), c.Text)
		if c.Kind == run.Tell && d.Feature == f && !slices.ContainsFunc(list, func(k kedge.RunSaidData) bool { return k.ID == d.ID }) {
			list = append(list, d)
		}
	}
	return list, err
}

// wanted is the last that a person said the work on the feature is for.
func (b Writer) wanted(ctx context.Context, c run.Command) (brief.Saying, error) {
	list, err := b.saidOn(ctx, c.Run, c.Feature)
	for _, d := range slices.Backward(list) {
		if d.How == kedge.SaidWanted {
			return brief.Saying{By: d.By, At: d.At, Text: d.Text}, err
		}
	}
	return brief.Saying{}, err
}

// howTold is the way in which something is told.
func howTold(c run.Command) kedge.SaidHow {
	if c.Scope == run.Wanted {
		return kedge.SaidWanted
	}
	return kedge.SaidTold
}

// Told keeps what a person told a job, for its next session.
func (b Writer) Told(ctx context.Context, c run.Command) error {
	return b.say(ctx, c, howTold(c), c.Text)
}

// Notify tells people: in the log and in the journal.
func (b Writer) Notify(ctx context.Context, c run.Command) error {
	text := c.Text
	if c.Reason != "" {
		text += ": " + c.Reason
	}
	if err := b.phaseEnds(ctx, c); err != nil {
		return err
	}
	b.s.home.Log.InfoContext(ctx, "a run has something to say", "project", b.p.ID, "run", c.Run, "says", text)
	return b.say(ctx, c, kedge.SaidNotified, text)
}

func (b Writer) say(ctx context.Context, c run.Command, how kedge.SaidHow, text string) error {
	d := wordOf(c, how, text)
	return b.add(ctx, d.ID, d.By, kedge.RunSaid, d)
}

func wordOf(c run.Command, how kedge.SaidHow, text string) kedge.RunSaidData {
	by := c.Actor
	if by == "" {
		by = kedge.ActorDaemon
	}
	return kedge.RunSaidData{
		ID: runKey(c, string(how)), Run: c.Run, How: how, Feature: c.Feature, Text: text, By: by, At: c.At,
	}
}
