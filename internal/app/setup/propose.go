package setup

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"kedge"
	"kedge/internal/app/ledger"
	"kedge/internal/app/maintenance"
	"kedge/internal/core/check"
	"kedge/internal/core/detect"
	"kedge/internal/core/scaffold"
)

// onPath tells which programs a PATH has; nil where none is given.
func onPath(path string) detect.Has {
	if path == "" {
		return nil
	}
	return func(program string) bool {
		file := programOn(path, program)
		return file != "" && (program != "pytest" || ofPython(file, programOn(path, "python3")))
	}
}

// programOn is the file of a program, or empty.
func programOn(path, program string) string {
	for _, dir := range filepath.SplitList(path) {
		file := filepath.Join(dir, program)
		if fi, err := os.Stat(file); filepath.IsAbs(dir) && err == nil && fi.Mode().IsRegular() && fi.Mode().Perm()&0o111 != 0 {
			return file
		}
	}
	return ""
}

// ofPython tells whether a script was installed for this interpreter and not for another one, whose modules
// this one does not find. A file that names no interpreter is taken for one that can run.
func ofPython(script, python string) bool {
	b, err := os.ReadFile(script)
	first, _, _ := strings.Cut(string(b), "\n")
	other := strings.TrimPrefix(strings.TrimSpace(first), "#!")
	if err != nil || python == "" || first == other || !strings.HasPrefix(filepath.Base(other), "python") || !filepath.IsAbs(other) {
		return true
	}
	real := func(file string) string {
		if to, err := filepath.EvalSymlinks(file); err == nil {
			return to
		}
		return file
	}
	return real(other) == real(python)
}

// trials is what the folder of the site's trials is named by.
func (at *site) trials() string {
	if at.repo != nil {
		return at.repo.CommonDir()
	}
	return at.Root
}

// clearTrials takes away what a killed trial left; one that is under way is waited for.
// What cannot be removed is in nobody's way.
func (s *Setup) clearTrials(ctx context.Context, at *site) error {
	release, err := s.life.Alone(ctx, "trial in "+at.trials())
	if err != nil {
		return err
	}
	defer release()
	if err := maintenance.ClearTrials(ctx, s.home, at.repo, at.trials()); err != nil {
		s.home.Log.Warn("cannot delete the files that are left after kedge init tried the commands", "folder", at.Root, "error", err.Error())
	}
	return ctx.Err()
}

// leave takes out of the proposals what was tried and is to be left out, and what this
// machine cannot run. Another way that is green takes the place of what is left out. A
// service that no check asks any more goes with its checks.
func (pl *initPlan) leave(trials []Trial) {
	checks := pl.found.Checks
	pl.found.Checks = nil
	for _, c := range checks {
		t, tried := trialOf(trials, c.Name, check.Text(c))
		if !tried || !t.Left {
			pl.found.Checks = append(pl.found.Checks, c)
			continue
		}
		pl.left.Checks = append(pl.left.Checks, scaffold.LeftCheck{Check: c, Why: t.reason()})
		if other, found := greenWay(trials, c.Name); found && c.Run != "" {
			c.Run = other.Command
			pl.found.Checks = append(pl.found.Checks, c)
		}
	}
	for _, m := range pl.found.Missing {
		pl.left.Checks = append(pl.left.Checks, scaffold.LeftCheck{Check: m.Check, Why: m.Program + " is not on this machine"})
	}
	if t, tried := trialOf(trials, SetupName, pl.found.Setup); tried && t.Left {
		pl.left.Setup, pl.left.Why, pl.found.Setup = pl.found.Setup, t.reason(), ""
	}
	asks := func(c kedge.Check) bool { return check.KindOf(c).Services }
	if !slices.ContainsFunc(pl.found.Checks, asks) {
		pl.left.Services, pl.found.Services = pl.found.Services, nil
	}
}

// instead are the other ways to do what a check does.
func (pl initPlan) instead(name string) []kedge.Check {
	var out []kedge.Check
	for _, c := range pl.found.Instead {
		if c.Name == name {
			out = append(out, c)
		}
	}
	return out
}

// trialOf is the trial of a command; false: it was not tried.
func trialOf(trials []Trial, name, command string) (Trial, bool) {
	i := slices.IndexFunc(trials, func(t Trial) bool { return t.Name == name && t.Command == command })
	if i < 0 {
		return Trial{}, false
	}
	return trials[i], true
}

// greenWay is the other way to do what a red check does; false: none is green.
func greenWay(trials []Trial, name string) (Trial, bool) {
	i := slices.IndexFunc(trials, func(t Trial) bool { return t.Name == name && t.State == TrialGreen })
	if i < 0 {
		return Trial{}, false
	}
	return trials[i], true
}

// reason is why something is left out that was tried.
func (t Trial) reason() string {
	took := time.Duration(t.Seconds * float64(time.Second)).Round(100 * time.Millisecond)
	return strings.TrimSuffix(fmt.Sprintf("%s after %s when kedge init tried this command: %s", t.State, took, t.Why), ": ")
}

// leftOut lists what is left out, where gate.toml is new.
func (pl initPlan) leftOut() []LeftOut {
	out := []LeftOut{}
	if !pl.writes(scaffold.GateFile) {
		return out
	}
	if pl.left.Setup != "" {
		out = append(out, LeftOut{Name: SetupName, Command: pl.left.Setup, Why: pl.left.Why})
	}
	for _, c := range pl.left.Checks {
		out = append(out, LeftOut{Name: c.Name, Command: check.Text(c.Check), Why: c.Why})
	}
	return out
}

// planSetup decides what becomes of the set-up: a plain folder has no worktrees, and a
// config.toml of yours stays as it is. Where this folder lacks what it makes, the checks
// need it here too.
func (at *site) planSetup(pl *initPlan) {
	line := pl.found.Setup
	absent := func(name string) bool {
		_, err := os.Stat(filepath.Join(at.Root, filepath.FromSlash(name)))
		return err != nil
	}
	if line != "" && slices.ContainsFunc(pl.found.Made, absent) {
		pl.here = line
	}
	_, err := os.Stat(at.Path(scaffold.ConfigFile))
	if own := at.setup(); line != "" && err == nil && own == "" && at.repo != nil {
		pl.notes = append(pl.notes, fmt.Sprintf("Kedge did not change your %s; if fresh worktrees need a set-up command, write setup = %q under [worktree] in that file", scaffold.ConfigFile, line))
	}
	if at.repo == nil || err == nil {
		pl.found.Setup = ""
	}
}

// planIgnore gives the lines that .gitignore needs: those that take back that Kedge's files
// are ignored, and what set-up and checks write.
func (at *site) planIgnore(ctx context.Context, pl *initPlan) ([]string, error) {
	if at.repo == nil {
		return nil, nil
	}
	own := []string{
		scaffold.ConfigFile, scaffold.FeaturesFile, scaffold.GateFile, scaffold.ProgressFile, scaffold.RulesFile, scaffold.ValidateFile, scaffold.IgnoreFile,
		ledger.DecisionsDir + "/new.md", ledger.NotesDir + "/new.md",
	}
	seen, err := at.repo.NotIgnored(ctx, own)
	if err != nil {
		return nil, err
	}
	var lines []string
	if len(seen) < len(own) {
		lines = scaffold.OwnLines()
		pl.notes = append(pl.notes, fmt.Sprintf("git ignores files under %s/ that runs and clones need; Kedge adds %s to %s, so that git does not ignore these files",
			kedge.Dir, strings.Join(lines, " and "), scaffold.GitignoreFile))
	}
	if pl.writes(scaffold.GateFile) && len(pl.found.Ignore) > 0 {
		lines = append(lines, pl.found.Ignore...)
		pl.notes = append(pl.notes, fmt.Sprintf("the set-up or the checks write %s; Kedge adds these paths to %s, so that such changes do not make the checks' results invalid",
			strings.Join(pl.found.Ignore, ", "), scaffold.GitignoreFile))
	}
	return lines, nil
}
