package replay

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"kedge"
	"kedge/internal/app/demo/scripted"
	"kedge/internal/core/detect"
	core "kedge/internal/core/run"
	"kedge/internal/text/glob"
)

// Outcome is what became of a feature in a run.
type Outcome string

// The outcomes.
const (
	Completed Outcome = "completed"
	Waits     Outcome = "waits" // for a person, with or without work
	Blocked   Outcome = "blocked"
	Pending   Outcome = "pending"
	Stuck     Outcome = "in progress" // and nobody works on it
)

// Try is one run of one feature, and what came of it.
type Try struct {
	Commit    string   `json:"commit"`
	Subject   string   `json:"subject"`
	Feature   string   `json:"feature"`
	Plant     string   `json:"plant"` // empty: the honest work
	Check     string   `json:"check"`
	Holds     bool     `json:"holds"` // green before the work too
	Outcome   Outcome  `json:"outcome"`
	Reason    string   `json:"reason"` // as Kedge gave it
	Run       string   `json:"run"`    // how the run ended
	Code      int      `json:"code"`
	Next      []string `json:"next"`
	Why       string   `json:"why"` // the kind of the reason
	Sessions  int      `json:"sessions"`
	Seconds   float64  `json:"seconds"`
	Verdict   Verdict  `json:"verdict"`
	Note      string   `json:"note,omitempty"`
	Different []string `json:"different,omitempty"` // files in which the branch is not what it should be
}

// Verdict is what the replay says of a try.
type Verdict string

// The verdicts.
const (
	Right        Verdict = "right"
	FalsePass    Verdict = "false pass"
	Untold       Verdict = "check cannot tell" // passed, and the feature's check is green on it by itself
	FalseRefusal Verdict = "false refusal"
	WaitsForNone Verdict = "waits without need"
	WaitsRightly Verdict = "waits with need" // the source is red with the tests of before
	Unseen       Verdict = "refused unseen"  // a plant, for a reason that would have refused the honest work too
	DeadEnd      Verdict = "dead end"        // a next step failed, or there is none
	Wrong        Verdict = "wrong"           // exit code, tree or lost work
)

// Result is what came of a history.
type Result struct {
	Project   string   `json:"project"`
	Commits   int      `json:"commits"`
	Tries     []Try    `json:"tries"`
	Minutes   float64  `json:"minutes"`
	Different []string `json:"different"` // files in which the end is not the real one
	Broken    string   `json:"broken"`    // why it was not replayed to its end
}

// Play replays a history in a folder that is its own, with a binary of Kedge. Said receives what it
// does, step by step.
func Play(ctx context.Context, program string, p Project, dir string, said func(format string, args ...any)) (Result, error) {
	begun := time.Now()
	r := Result{Project: p.Name}
	err := r.play(ctx, program, p, dir, said)
	r.Minutes = time.Since(begun).Minutes()
	if err != nil {
		r.Broken = err.Error()
		err = fmt.Errorf("%s: %w", p.Name, err)
	}
	return r, err
}

func (r *Result) play(ctx context.Context, program string, p Project, dir string, said func(format string, args ...any)) error {
	s, err := newStage(ctx, program, p, dir, said)
	if s != nil {
		defer s.leave(ctx)
	}
	if err != nil {
		return err
	}
	r.Commits = len(s.h.commits)
	for i, c := range s.h.commits {
		tries, err := s.commit(ctx, i)
		r.Tries = append(r.Tries, tries...)
		if err != nil {
			return fmt.Errorf("commit %d (%.12s): %w", i+1, c.ID, err)
		}
	}
	r.Different, err = s.differs(ctx, s.h.commits[len(s.h.commits)-1].ID)
	return err
}

// task is a feature that a commit was made.
type task struct {
	i     int
	id    string
	check string
	holds bool
	made  bool     // Kedge knows it
	named []string // the files that it is limited to, because it has to name them
	paths []string // these, or others for a plant
}

// commit plays one commit: its plant, if it has one, and then the honest work.
func (s *stage) commit(ctx context.Context, i int) ([]Try, error) {
	if !slices.ContainsFunc(s.h.commits[i].Files, func(f File) bool { return !s.apart(f.Path) }) {
		return nil, nil // nothing that counts is changed
	}
	t, err := s.task(ctx, i)
	if err != nil {
		return nil, err
	}
	sown, err := s.planted(ctx, i)
	if err != nil {
		return nil, err
	}
	var tries []Try
	for _, p := range slices.DeleteFunc(slices.Clone(sown), func(p planted) bool { return p.after }) {
		t.paths = t.named
		if p.paths {
			t.paths = literal(s.h.commits[i])
		}
		if t.made && p.paths {
			t.id, t.made = t.id+"-limited", false
		}
		play := s.dishonest
		if p.twin {
			play = s.twins
		}
		try, err := play(ctx, &t, p.plant, p.work)
		tries = append(tries, try)
		if err != nil || p.whole {
			return tries, err
		}
	}
	honest, err := s.honest(ctx, &t)
	tries = append(tries, honest)
	for _, p := range slices.DeleteFunc(sown, func(p planted) bool { return !p.after }) {
		if err != nil || honest.Outcome != Completed {
			break
		}
		var try Try
		try, err = s.again(ctx, t, p.plant, p.work)
		tries = append(tries, try)
	}
	return tries, err
}

// task decides what feature a person would make of a commit.
func (s *stage) task(ctx context.Context, i int) (task, error) {
	c := s.h.commits[i]
	t := task{i: i, id: fmt.Sprintf("c%03d", i+1)}
	added, err := s.h.git(ctx, append([]string{"diff", "--no-renames", "-U0", c.Parent, c.ID, "--"}, append(c.of(detect.Tests), ":(exclude)*.snap")...)...)
	if err != nil {
		return t, err
	}
	if t.check, t.holds = s.p.check(c, added); !t.holds {
		t.holds, err = s.greenBefore(ctx, t)
		if err != nil {
			return t, err
		}
	}
	if slices.ContainsFunc(c.Files, func(f File) bool { return guarded(f.Path) }) {
		t.named = literal(c)
		t.paths = t.named
	}
	return t, nil
}

// guarded are files that a feature has to name before an agent may change them.
func guarded(name string) bool {
	return slices.ContainsFunc([]string{".github/**", ".circleci/**", ".gitlab-ci.yml", ".travis.yml", "appveyor.yml", "Jenkinsfile", ".vscode/**"},
		func(g string) bool { return glob.Match(g, name) })
}

// literal are globs of exactly the files of a commit.
func literal(c Commit) []string {
	var out []string
	for _, f := range c.Files {
		out = append(out, f.Path)
	}
	return out
}

// planted is a plant with its work on a commit.
type planted struct {
	plant
	work []scripted.Action
}

// planted chooses the plants of a commit: those that the project names for it, or else one in turn among
// those that fit.
func (s *stage) planted(ctx context.Context, i int) ([]planted, error) {
	if s.p.At != nil {
		return s.named(ctx, i)
	}
	if (i+1)%or(s.p.Every, 1) != 0 {
		return nil, nil
	}
	for n := range plants {
		pl := plants[(s.turn+n)%len(plants)]
		if len(s.p.Plant) > 0 && !slices.Contains(s.p.Plant, pl.name) {
			continue
		}
		work, err := pl.work(s, ctx, i)
		if err != nil {
			return nil, fmt.Errorf("plant %q: %w", pl.name, err)
		}
		if work != nil {
			s.turn += n + 1
			return []planted{{pl, work}}, nil
		}
	}
	return nil, nil
}

// named are the plants that the project names for a commit. Each has to fit.
func (s *stage) named(ctx context.Context, i int) ([]planted, error) {
	var out []planted
	for _, name := range s.p.At[i+1] {
		pl, ok := plantNamed(name)
		if !ok {
			return nil, fmt.Errorf("there is no plant %q", name)
		}
		work, err := pl.work(s, ctx, i)
		if err != nil {
			return nil, fmt.Errorf("plant %q: %w", name, err)
		}
		if work == nil {
			return nil, fmt.Errorf("plant %q does not fit", name)
		}
		out = append(out, planted{pl, work})
	}
	return out, nil
}

// add makes the feature, unless it is there.
func (s *stage) add(ctx context.Context, t *task) error {
	if t.made {
		return nil
	}
	t.made = true
	subject := s.h.commits[t.i].Subject
	args := []string{"feature", "add", t.id, "--name", kedgeName(subject), "--check", t.check}
	if t.holds {
		args = append(args, "--prove", "holds")
	}
	for _, p := range t.paths {
		args = append(args, "--path", p)
	}
	return s.must(ctx, args...)
}

// kedgeName makes a name of a subject.
func kedgeName(subject string) string {
	r := []rune(strings.TrimSpace(subject))
	return string(r[:min(len(r), 200)])
}

// run plays the agent's work on a feature in one run, and reads what came of it.
func (s *stage) run(ctx context.Context, t task, plant string, work []scripted.Action, more ...string) (Try, error) {
	c := s.h.commits[t.i]
	try := Try{Commit: c.ID, Subject: c.Subject, Feature: t.id, Plant: plant, Check: t.check, Holds: t.holds, Verdict: Right}
	if err := s.script(work); err != nil {
		return try, err
	}
	begun := time.Now()
	e, err := s.play(ctx, more...)
	try.Seconds = time.Since(begun).Seconds()
	if err != nil {
		return try, err
	}
	try.Run, try.Code, try.Next, try.Sessions = strings.TrimSpace(e.state+": "+e.reason), e.code, e.next, e.sessions
	return try, s.look(ctx, &try)
}

// look reads what Kedge says of a feature now.
func (s *stage) look(ctx context.Context, try *Try) error {
	f, err := s.feature(ctx, try.Feature)
	if err != nil {
		return err
	}
	switch f.Feature.Status {
	case kedge.Completed:
		try.Outcome = Completed
	case kedge.NeedsReview:
		try.Outcome = Waits
	case kedge.BlockedWork:
		try.Outcome = Blocked
	case kedge.InProgress:
		if try.Outcome = Stuck; strings.HasPrefix(try.Run, string(core.StatusWaiting)) {
			try.Outcome = Waits // a run holds it
		}
	default:
		try.Outcome = Outcome(f.Feature.Status)
	}
	try.Reason = f.Reason
	if try.Outcome != Completed && try.Reason == "" {
		try.Reason = or(f.Why, try.Run)
	}
	try.Why = why(try.Reason)
	return nil
}

// reasons are the kinds of reasons, by what they say. Their words change; the kinds do not.
var reasons = []struct {
	kind string
	says *regexp.Regexp
}{
	{"green before", regexp.MustCompile(`green before`)},
	{"nothing changed", regexp.MustCompile(`nothing was changed|no change|already`)},
	{"outside", regexp.MustCompile(`outside its paths`)},
	{"breaks another", regexp.MustCompile(`breaks feature|red again`)},
	{"test weakened", regexp.MustCompile(`assert(s|ion|ed)?\b.*\b(less|gone|nothing)|is now skipped|was deleted|weaken`)},
	{"corner", regexp.MustCompile(`old (source|tests)|(tests|source) of before|corner`)},
	{"crashed", regexp.MustCompile(`crashed`)},
	{"red", regexp.MustCompile(`\bred\b`)},
}

// why gives the kind of a reason, or the reason.
func why(reason string) string {
	for _, r := range reasons {
		if r.says.MatchString(reason) {
			return r.kind
		}
	}
	return reason
}
