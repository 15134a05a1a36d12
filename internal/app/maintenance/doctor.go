package maintenance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/projects"
	"kedge/internal/core/brief"
	docs "kedge/internal/core/memory"
	"kedge/internal/core/plan"
	"kedge/internal/git"
)

// DoctorRequest asks for everything that is wrong with a project. Env is the caller's
// environment; the doctor looks for agents in its PATH.
type DoctorRequest struct {
	Env []string `json:"env,omitempty"`
}

// DoctorReply is `doctor --json`. OK means that no finding is an error.
type DoctorReply struct {
	OK       bool            `json:"ok"`
	Findings []kedge.Finding `json:"findings"`
}

// doctorChecks are what the doctor looks at, in this order. Each says what is
// wrong on its side and changes nothing, except that files which a crash left
// behind the journal are written. A project whose journal does not open
// has no store; the checks that read it pass over that, since the first of them
// has said so.
var doctorChecks = []func(*Maintenance, context.Context, *projects.Project) []kedge.Finding{
	(*Maintenance).checkHome,
	(*Maintenance).checkJournal,
	(*Maintenance).checkSettings,
	(*Maintenance).checkStateFiles,
	(*Maintenance).checkFeatures,
	(*Maintenance).checkRules,
	(*Maintenance).checkRepository,
	(*Maintenance).checkTrust,
	(*Maintenance).checkEdits,
	(*Maintenance).checkUnwritten,
	(*Maintenance).checkOpenPlan,
	(*Maintenance).checkLinger,
	(*Maintenance).checkSandbox,
	(*Maintenance).checkWork,
}

// Doctor checks everything that belongs to a project: the state folder, the journal, the
// format of every state file, the features, the repository.
func (s *Maintenance) Doctor(ctx context.Context, who projects.Caller, in DoctorRequest) (DoctorReply, error) {
	p, opening, err := s.patient(ctx, who)
	if err != nil {
		return DoctorReply{}, err
	}
	r := DoctorReply{OK: true, Findings: []kedge.Finding{}}
	if opening != nil {
		r.Findings = append(r.Findings, projects.FindingOf(s.home.StateDir(p.ID), opening))
	}
	for _, check := range doctorChecks {
		r.Findings = append(r.Findings, check(s, ctx, p)...)
	}
	r.Findings = append(r.Findings, s.work.CheckAgents(ctx, p, in.Env)...)
	for _, f := range r.Findings {
		r.OK = r.OK && f.Level != kedge.LevelError
	}
	return r, ctx.Err()
}

// patient is the caller's project even when its journal does not open: opening
// is why.
func (s *Maintenance) patient(ctx context.Context, who projects.Caller) (p *projects.Project, opening, err error) {
	pl, ok := git.Locate(who.Dir)
	if !ok {
		return nil, nil, kedge.Errorf(kedge.NotFound, "the folder %q is not in a project", who.Dir).WithHint("go to your project's folder; or make this folder a project: kedge init")
	}
	id, err := git.ReadID(pl)
	if err != nil {
		return nil, nil, err
	}
	if _, err := os.Stat(s.home.StateDir(id)); errors.Is(err, fs.ErrNotExist) { // looking must not make one
		return nil, nil, kedge.Errorf(kedge.NotFound, "Kedge is not set up in the folder %q", pl.Root).WithHint("set up Kedge there: kedge init")
	}
	if p, opening = s.home.Open(ctx, who); opening == nil {
		return p, nil, nil
	}
	return &projects.Project{Project: kedge.Project{ID: id, Dir: pl.Root, Git: pl.Common != ""}, Opened: &projects.Opened{}}, opening, nil
}

func (s *Maintenance) checkHome(_ context.Context, _ *projects.Project) []kedge.Finding {
	fi, err := os.Stat(s.home.Dir)
	if err != nil {
		return []kedge.Finding{projects.FindingOf(s.home.Dir, err)}
	}
	if fi.Mode().Perm()&0o077 != 0 {
		return []kedge.Finding{{
			Level: kedge.LevelWarning, What: "other users can read Kedge's state folder", Where: s.home.Dir,
			Fix: kedge.Step("chmod", "700", s.home.Dir).String(),
		}}
	}
	return nil
}

func (s *Maintenance) checkJournal(ctx context.Context, p *projects.Project) []kedge.Finding {
	if p.Store == nil {
		return nil
	}
	found, err := p.Store.Check(ctx)
	if err != nil {
		found = append(found, projects.FindingOf(p.Store.Dir(), err))
	}
	return found
}

// checkSettings reads the settings strictly.
func (s *Maintenance) checkSettings(_ context.Context, p *projects.Project) []kedge.Finding {
	return projects.BrokenSettings(p, projects.UserFile(os.Environ()))
}

// stateFiles are the files that Kedge writes and that have a format, and how each is
// read; in a folder, every file whose name ends as told.
var stateFiles = []struct {
	path  string // of a file, or of a folder when it ends in a slash
	ext   string
	parse func(file string, b []byte) error
}{
	{ledger.FeaturesFile, "", func(f string, b []byte) error { _, err := plan.ParseFeatures(f, b); return err }},
	{ledger.PlanFile, "", func(f string, b []byte) error { _, err := plan.ParsePlan(f, b); return err }},
	{ledger.DecisionsDir + "/", ".md", func(f string, b []byte) error { _, err := docs.ParseDecision(f, b); return err }},
	{ledger.NotesDir + "/", ".md", func(f string, b []byte) error { _, err := docs.ParseNote(f, b); return err }},
	{ledger.RisksFile, "", func(f string, b []byte) error { _, err := docs.ParseRisks(f, b); return err }},
	{ledger.ProgressFile, "", func(f string, b []byte) error { _, err := docs.ParseProgress(f, b); return err }},
	{ledger.CheckpointFile, "", func(f string, b []byte) error { _, err := brief.ParseCheckpoint(f, b); return err }},
	{ledger.HandoffFile, "", func(f string, b []byte) error { _, err := brief.ParseHandoff(f, b); return err }},
}

// checkStateFiles reads every state file strictly.
func (s *Maintenance) checkStateFiles(ctx context.Context, p *projects.Project) []kedge.Finding {
	var found []kedge.Finding
	answers := s.answers(ctx, p)
	for _, sf := range stateFiles {
		names, err := filesOf(p, sf.path, sf.ext)
		if err != nil {
			found = append(found, projects.FindingOf(sf.path, err))
		}
		for _, n := range names {
			b, ok, err := p.Read(n)
			if err == nil && ok {
				err = sf.parse(n, b)
			}
			if err != nil {
				f := projects.FindingOf(n, err)
				if fix, ok := answers[n]; ok {
					f.Fix = fix
				}
				found = append(found, f)
			}
		}
	}
	return found
}

// filesOf gives a file, or those in a folder whose names end in ext.
func filesOf(p *projects.Project, name, ext string) ([]string, error) {
	if ext == "" {
		return []string{name}, nil
	}
	listed, err := p.List(path.Clean(name))
	var names []string
	for _, n := range listed {
		if path.Ext(n) == ext {
			names = append(names, name+n)
		}
	}
	return names, err
}

// answers says, by path, what the next writing command makes of hand edits: a
// file that only Kedge writes is not for people to correct.
func (s *Maintenance) answers(ctx context.Context, p *projects.Project) map[string]string {
	if p.Store == nil {
		return nil
	}
	edits, err := s.pending(ctx, p)
	if err != nil {
		return nil // checkEdits tells it
	}
	out := map[string]string{}
	for _, e := range edits {
		out[e.Path] = answer(p, e)
	}
	return out
}

// answer is what to do about a hand edit.
func answer(p *projects.Project, e kedge.HandEditData) string {
	if e.Action == plan.Refused {
		file := filepath.Join(p.Dir, e.Path)
		return "correct the file; or move it away: " + kedge.Step("mv", file, file+".old").String()
	}
	return "nothing to do: " + ledger.Settles(e.Action)
}

// checkFeatures looks for cycles, unknown ids and impossible definitions: in
// the file, with the line, and in the journal.
func (s *Maintenance) checkFeatures(ctx context.Context, p *projects.Project) []kedge.Finding {
	var found []kedge.Finding
	if b, ok, err := p.Read(ledger.FeaturesFile); err == nil && ok {
		if f, err := plan.ParseFeatures(ledger.FeaturesFile, b); err == nil {
			for _, pr := range plan.Problems(f.Features) {
				where := fmt.Sprintf("%s:%d", ledger.FeaturesFile, lineOfFeature(b, pr.Feature))
				found = append(found, kedge.Finding{Level: kedge.LevelError, What: pr.What, Where: where, Fix: pr.Fix})
			}
		}
	}
	if p.Store == nil {
		return found
	}
	l, err := ledger.ReadSnapshot(ctx, p)
	if err != nil {
		return append(found, projects.FindingOf(p.Store.Dir(), err))
	}
	for _, pr := range plan.Problems(l.Features()) {
		if !slices.ContainsFunc(found, func(f kedge.Finding) bool { return f.What == pr.What }) {
			found = append(found, kedge.Finding{Level: kedge.LevelError, What: pr.What, Where: p.Store.Dir(), Fix: pr.Fix + "; to change the feature: kedge feature amend --help"})
		}
	}
	return found
}

// lineOfFeature is the line on which a feature's id stands.
func lineOfFeature(b []byte, id kedge.FeatureID) int {
	at := regexp.MustCompile(`"id"\s*:\s*` + regexp.QuoteMeta(strconv.Quote(string(id)))).FindIndex(b)
	if at == nil {
		return 1
	}
	return 1 + bytes.Count(b[:at[0]], []byte("\n"))
}

// checkRules repeats what `rules lint` says, as warnings: the rules are the
// people's.
func (s *Maintenance) checkRules(_ context.Context, p *projects.Project) []kedge.Finding {
	b, ok, err := p.Read(ledger.RulesFile)
	if err != nil {
		return []kedge.Finding{projects.FindingOf(ledger.RulesFile, err)}
	}
	if !ok {
		return nil
	}
	found := docs.LintRules(ledger.RulesFile, b, 0).Findings
	for i := range found {
		if found[i].Level == kedge.LevelError {
			found[i].Level = kedge.LevelWarning
		}
	}
	return found
}

func (s *Maintenance) checkRepository(ctx context.Context, p *projects.Project) []kedge.Finding {
	if !p.Git || p.Store == nil {
		return nil
	}
	repo, err := s.home.Git(ctx, p)
	if err == nil {
		_, err = repo.Head(ctx)
	}
	if err != nil {
		return []kedge.Finding{projects.FindingOf(p.Dir, err)}
	}
	return nil
}

// checkEdits tells of hand edits that the next writing command will answer.
// Files that do not parse have been told already.
func (s *Maintenance) checkEdits(ctx context.Context, p *projects.Project) []kedge.Finding {
	if p.Store == nil {
		return nil
	}
	edits, err := s.pending(ctx, p)
	if err != nil {
		return []kedge.Finding{projects.FindingOf(p.Dir, err)}
	}
	broken := s.checkStateFiles(ctx, p)
	var found []kedge.Finding
	for _, e := range edits {
		if slices.ContainsFunc(broken, func(f kedge.Finding) bool {
			return f.Where == e.Path || placedIn(f.Where, e.Path)
		}) {
			continue
		}
		found = append(found, kedge.Finding{
			Level: kedge.LevelWarning, What: "edited by hand: " + e.Found, Where: e.Path,
			Fix: answer(p, e),
		})
	}
	return found
}

func placedIn(where, file string) bool {
	rest, ok := bytes.CutPrefix([]byte(where), []byte(file+":"))
	return ok && len(rest) > 0
}

// pending are the hand edits that were not answered yet.
func (s *Maintenance) pending(ctx context.Context, p *projects.Project) ([]kedge.HandEditData, error) {
	l, err := ledger.ReadSnapshot(ctx, p)
	if err != nil {
		return nil, err
	}
	edits := s.ledger.HandEdits(ctx, p, l)
	m, err := ledger.ReadMemory(ctx, p)
	if err != nil {
		return nil, err
	}
	found, err := s.ledger.FindMemoryEdits(ctx, p, m, kedge.ActorDaemon)
	return append(edits, found.Edits...), err
}

// checkOpenPlan tells that the plan which waits to be approved is not in its file.
func (s *Maintenance) checkOpenPlan(ctx context.Context, p *projects.Project) []kedge.Finding {
	if p.Store == nil {
		return nil
	}
	l, err := ledger.ReadSnapshot(ctx, p)
	if err != nil || !s.ledger.OpenPlanUnwritten(p, l) {
		return nil // checkFeatures tells what cannot be read
	}
	return []kedge.Finding{{
		Level: kedge.LevelWarning, What: fmt.Sprintf("this file lacks the plan %q, which waits for your approval; Kedge's journal still has the plan", l.Open.Title),
		Where: ledger.PlanFile, Fix: "write the file again: kedge rebuild",
	}}
}

// checkUnwritten brings up what it can, and tells the rest.
func (s *Maintenance) checkUnwritten(ctx context.Context, p *projects.Project) []kedge.Finding {
	if p.Store == nil || s.home.ReadOnly {
		return nil
	}
	found, err := s.ledger.SyncUnwritten(ctx, p)
	if err != nil {
		found = append(found, projects.FindingOf(p.Dir, err))
	}
	return found
}

// checkWork names the runs that are halted. Only whoever drives them knows.
func (s *Maintenance) checkWork(ctx context.Context, p *projects.Project) []kedge.Finding {
	return s.work.CheckRuns(ctx, p)
}
