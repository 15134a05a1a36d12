package demo

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"kedge"
	"kedge/internal/app/features"
	"kedge/internal/app/reports"
	"kedge/internal/app/runs"
	"kedge/internal/app/sessions"
	"kedge/internal/app/status"
	"kedge/internal/core/run"
	"kedge/internal/text/words"
)

// Config is what a demo needs.
type Config struct {
	Program  string   // the kedge to show
	Dir      string   // an empty folder, in which everything happens
	Environ  []string // the caller's
	Features int      // how many of the thirty; 0: all
	Say      func(format string, args ...any)
}

// Report is what happened: `demo --json`.
type Report struct {
	Features      int            `json:"features"`
	Verified      int            `json:"verified"`
	Sessions      int            `json:"sessions"`
	DaemonKills   int            `json:"daemon_kills"`
	AgentKills    int            `json:"agent_kills"`
	Window        int64          `json:"window"`
	FirstTurn     Range          `json:"first_turn_context"`
	MaxContext    int64          `json:"max_context"`
	Tokens        int64          `json:"tokens"`
	WithCache     int64          `json:"tokens_with_cache"` // every token that was read, at every turn
	PerMTok       float64        `json:"verified_features_per_mtok"`
	Caught        []Caught       `json:"caught"`
	OneShot       OneShot        `json:"one_shot"`
	Seconds       float64        `json:"seconds"`
	Commits       int            `json:"commits"` // work commits on the user's branch
	Interruptions []Interruption `json:"interruptions"`
	End           runs.RunView   `json:"run"`
}

// Range is the least, the middle and the most of something.
type Range struct {
	Min    int64 `json:"min"`
	Median int64 `json:"median"`
	Max    int64 `json:"max"`
}

// Caught is what an agent tried and what came of it.
type Caught struct {
	Feature kedge.FeatureID `json:"feature"`
	Tried   string          `json:"tried"`
	Found   string          `json:"found"`
}

// Interruption is something that was killed.
type Interruption struct {
	What      string `json:"what"`
	Completed int    `json:"completed"` // features that were done by then
}

// OneShot is the same work in one long session.
type OneShot struct {
	Verified   int     `json:"verified"`
	Tokens     int64   `json:"tokens"`
	WithCache  int64   `json:"tokens_with_cache"`
	MaxContext int64   `json:"max_context"`
	Said       string  `json:"said"` // its last word
	PerMTok    float64 `json:"verified_features_per_mtok"`
}

// Run shows the whole story in cfg.Dir. An error is something that a sound build
// does not do: a feature that is not verified, a cheat that was not caught.
func Run(ctx context.Context, cfg Config) (Report, error) {
	began := time.Now()
	s, err := newStage(ctx, cfg)
	if err != nil {
		return Report{}, err
	}
	defer s.clear()
	for _, part := range []func(context.Context) error{s.project, s.drive, s.count, s.oneShot} {
		if err := part(ctx); ctx.Err() != nil {
			return s.report, kedge.Errorf(kedge.Interrupted, "the demo was stopped before its end: %w", ctx.Err())
		} else if err != nil {
			return s.report, lookAtFiles(err)
		}
	}
	s.report.Seconds = time.Since(began).Seconds()
	if err := s.judge(); err != nil {
		return s.report, lookAtFiles(err)
	}
	s.say("4. What happened.")
	return s.report, nil
}

// lookAtFiles adds what to do about a demo that failed: its own files tell more than kedge doctor
// does, which looks at the project that you are in.
func lookAtFiles(err error) error {
	if kedge.HintOf(err) != "" {
		return err
	}
	return kedge.Errorf(kedge.KindOf(err), "%w", err).WithHint("repeat the demo and keep its files: kedge demo --dir FOLDER")
}

// killAfter is how many features are done when the daemon is killed.
func (s *stage) killAfter() int { return max(1, len(s.names)/4) }

// drive runs kedge run to its end, and kills what is to be killed on the way.
func (s *stage) drive(ctx context.Context) error {
	s.say("2. kedge run: two features at a time. Each gets a short session and a git worktree of its own.")
	s.say("   A feature counts as verified when Kedge itself ran its checks, all were green, and Kedge committed the work.")
	for range mostRuns {
		waited, err := s.take(ctx)
		if !waited || !s.denied {
			return err
		}
		// Nothing else was left when you decided: what you reopened is for the next kedge run.
		if err := s.until(ctx, "the work on "+cheat+" no longer waits for you", func() (bool, error) { return s.pendingAgain(ctx) }); err != nil {
			return err
		}
	}
	return kedge.Errorf(kedge.Internal, "the demo started kedge run %d times, and it still waits for you", mostRuns)
}

// mostRuns bounds how often the demo starts a run again that had nothing left to do but to wait.
const mostRuns = 4

// pendingAgain reopens the denied feature if the run set it aside only after you had reopened it.
func (s *stage) pendingAgain(ctx context.Context) (bool, error) {
	var f features.FeatureShowReply
	if err := s.ask(ctx, &f, "feature", "show", cheat); err != nil {
		return false, err
	}
	if f.Feature.Status != kedge.BlockedWork {
		return f.Feature.Status != kedge.NeedsReview, nil
	}
	_, err := s.kedge(ctx, "feature", "reopen", cheat, "--reason", "build it without touching money_test.go")
	return false, err
}

// needsYou is the exit code of a run that waits for you.
const needsYou = 5

// take is one kedge run, followed to its end; waited tells that it ended because it waits for you.
func (s *stage) take(ctx context.Context) (waited bool, err error) {
	cmd := s.command(ctx, s.shop(), "run", "--json")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return false, kedge.Errorf(kedge.Internal, "the demo cannot start kedge run: %w", err)
	}
	var errs strings.Builder
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		return false, kedge.Errorf(kedge.Internal, "the demo cannot start kedge run: %w", err)
	}
	err = s.follow(ctx, out)
	_, _ = io.Copy(io.Discard, out) // so that it can end
	if end := cmd.Wait(); err == nil && end != nil {
		waited = cmd.ProcessState.ExitCode() == needsYou
		err = kedge.Errorf(kedge.Internal, "the demo ran \"kedge run\", and this command failed: %w: %s", end, errs.String())
	}
	return waited, err
}

// line is one line of `run --json`.
type line struct {
	Type string           `json:"type"`
	Step *reports.RunStep `json:"step"`
	Run  *runs.RunView    `json:"run"`
}

func (s *stage) follow(ctx context.Context, out io.Reader) error {
	lines := bufio.NewReader(out)
	for {
		b, err := lines.ReadBytes('\n')
		if err != nil {
			return nil //nolint:nilerr // the end of it, or its death: the exit code tells
		}
		var l line
		if err := json.Unmarshal(b, &l); err != nil {
			return kedge.Errorf(kedge.Internal, "the demo cannot read what \"kedge run --json\" printed: %w: %s", err, b)
		}
		switch {
		case l.Type == "end":
			s.report.End = *l.Run
		case l.Run != nil:
			err = s.atStanding(ctx, *l.Run)
		case l.Step != nil:
			err = s.atStep(ctx, *l.Step)
		}
		if err != nil {
			return err
		}
	}
}

// atStanding kills the daemon once enough is done.
func (s *stage) atStanding(ctx context.Context, v runs.RunView) error {
	done := v.Features.Completed
	if done > s.done {
		s.done = done
	}
	if s.report.DaemonKills > 0 || done < s.killAfter() || v.Resting {
		return nil
	}
	var st status.Reply
	if err := s.ask(ctx, &st, "status"); err != nil {
		return err
	}
	if st.Daemon == nil || st.Daemon.PID <= 1 {
		return kedge.Errorf(kedge.Internal, "the demo cannot show a crash of Kedge's background process (the daemon), because no daemon runs")
	}
	if err := syscall.Kill(st.Daemon.PID, syscall.SIGKILL); err != nil {
		return kedge.Errorf(kedge.Internal, "the demo cannot kill Kedge's background process (the daemon): %w", err)
	}
	s.report.DaemonKills++
	s.report.Interruptions = append(s.report.Interruptions, Interruption{What: "daemon", Completed: done})
	s.say("   killed   Kedge's background process, the daemon (kill -9 %d), after %d of %d features. Agents and checks keep running. The next daemon continues with them", st.Daemon.PID, done, len(s.names))
	return nil
}

// atStep shows what is worth a line, remembers what was caught, and kills the
// agent that hangs.
func (s *stage) atStep(ctx context.Context, st reports.RunStep) error {
	switch {
	case st.Event == run.Ledgered && strings.HasPrefix(st.Text, "completed"):
		s.verified++
		if s.verified%5 == 0 {
			s.say("   %d/%d verified", s.verified, len(s.names))
		}
	case st.Feature == hanger && strings.Contains(st.Text, "session starts") && s.report.AgentKills == 0:
		return s.killAgent(ctx)
	case s.tried(st):
		c := s.report.Caught[len(s.report.Caught)-1]
		s.say("   caught   the agent of feature %q %s: %s", c.Feature, c.Tried, plainly(c.Found))
		if c.Feature == cheat {
			return s.refuse(ctx)
		}
	}
	return nil
}

// refuse is what you do about work that changes tests: you deny it, and have it done again. The
// run goes on meanwhile.
func (s *stage) refuse(ctx context.Context) error {
	err := s.until(ctx, "the work on "+cheat+" waits for you", func() (bool, error) {
		var f features.FeatureShowReply
		err := s.ask(ctx, &f, "feature", "show", cheat)
		return f.Feature.Status == kedge.NeedsReview, err
	})
	if err != nil {
		return err
	}
	if _, err := s.kedge(ctx, "deny", cheat, "--reason", "leave the tests of others alone"); err != nil {
		return err
	}
	_, err = s.kedge(ctx, "feature", "reopen", cheat, "--reason", "build it without touching money_test.go")
	if err == nil {
		s.denied = true
		s.say("   denied   the work, as you would: kedge deny %s --reason WHY, then: kedge feature reopen %s. A fresh session builds the feature again", cheat, cheat)
	}
	return err
}

// tried tells whether the step caught one of the two that cheat.
func (s *stage) tried(st reports.RunStep) bool {
	what := map[kedge.FeatureID]string{liar: "said \"all done\" and had done nothing", cheat: "made a test skip"}[st.Feature]
	bad := st.Outcome == run.Red || st.Outcome == run.Empty || st.Event == run.Integrated && strings.Contains(st.Text, "existing tests")
	known := slices.ContainsFunc(s.report.Caught, func(c Caught) bool { return c.Feature == st.Feature })
	if what == "" || !bad || known || st.Event != run.Gated && st.Event != run.Inspected && st.Event != run.Integrated {
		return false
	}
	s.report.Caught = append(s.report.Caught, Caught{Feature: st.Feature, Tried: what, Found: st.Text})
	return true
}

// killAgent waits until the session that hangs is there, and kills its program.
func (s *stage) killAgent(ctx context.Context) error {
	pid := 0
	err := s.until(ctx, "the agent of "+hanger+" runs", func() (bool, error) {
		var list sessions.SessionListReply
		err := s.ask(ctx, &list, "ls")
		for _, ses := range list.Sessions {
			if ses.Name == hanger && ses.Live() && ses.PID > 1 && ses.Bytes > 0 {
				pid = ses.PID
			}
		}
		return pid > 0, err
	})
	if err != nil {
		return err
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return kedge.Errorf(kedge.Internal, "the demo cannot kill an agent: %w", err)
	}
	s.report.AgentKills++
	s.report.Interruptions = append(s.report.Interruptions, Interruption{What: "agent", Completed: s.done})
	s.say("   killed   the agent of feature %q, which hangs (kill -9 %d). A fresh session continues", hanger, pid)
	return nil
}

// until polls; the deadline only guards against hanging.
func (s *stage) until(ctx context.Context, what string, ok func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		if done, err := ok(); done || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return kedge.Errorf(kedge.Internal, "the demo waited 3 minutes, but this did not happen: %s", what)
		}
	}
}

// judge says what a sound build would not have done.
func (s *stage) judge() error {
	r := s.report
	switch {
	case r.Verified != r.Features:
		return kedge.Errorf(kedge.Internal, "the demo failed: Kedge verified only %d of %d features", r.Verified, r.Features)
	case r.DaemonKills == 0 || r.AgentKills == 0:
		return kedge.Errorf(kedge.Internal, "the demo failed: it should kill one daemon and one agent, and it killed %d daemons and %d agents", r.DaemonKills, r.AgentKills)
	case len(r.Caught) != 2:
		return kedge.Errorf(kedge.Internal, "the demo failed: Kedge caught %d of the 2 agents that cheated", len(r.Caught))
	case r.Commits != r.Features:
		return kedge.Errorf(kedge.Internal, "the demo failed: Kedge made %d commits for %d features", r.Commits, r.Features)
	}
	return nil
}

func (s *stage) say(format string, args ...any) { s.cfg.Say(format, args...) }

// write puts files below a folder.
func write(dir string, files map[string]string) error {
	for name, text := range files {
		path := dir + "/" + name
		if err := os.MkdirAll(path[:strings.LastIndexByte(path, '/')], 0o755); err != nil {
			return kedge.Errorf(kedge.Internal, "the demo cannot make its project: %w", err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return kedge.Errorf(kedge.Internal, "the demo cannot make its project: %w", err)
		}
	}
	return nil
}

// perMillion is how many of something there are to a million tokens.
func perMillion(n int, tokens int64) float64 {
	if tokens == 0 {
		return 0
	}
	return float64(n) * 1e6 / float64(tokens)
}

// plainly is what was found without the words of a tool, which hold long paths.
func plainly(s string) string {
	s = strings.TrimPrefix(s, "the claim to be done was false; ")
	s = strings.TrimPrefix(s, "checked: ")
	s = strings.TrimPrefix(s, "merged and checked in full: green; ")
	s, _, _ = strings.Cut(s, " is red: ")
	s, _, _ = strings.Cut(s, " (")
	s = strings.TrimPrefix(s, "red; ")
	if strings.HasPrefix(s, "check ") {
		s += " is red"
	}
	const most = 100
	return words.Clip(s, most)
}

// Text tells the report.
func (r Report) Text(w io.Writer) {
	row := func(name, kedge, shot string) { fmt.Fprintf(w, "  %-36s %-24s %s\n", name, kedge, shot) }
	row("", "kedge run", "one long session")
	row("verified features", fmt.Sprintf("%d/%d", r.Verified, r.Features), fmt.Sprintf("%d/%d", r.OneShot.Verified, r.Features))
	row("sessions", fmt.Sprint(r.Sessions), "1")
	row("interruptions survived", fmt.Sprintf("%d (daemon %d, agent %d)", r.DaemonKills+r.AgentKills, r.DaemonKills, r.AgentKills), "none happened")
	row("context at the first turn, tokens", fmt.Sprintf("%d to %d", r.FirstTurn.Min, r.FirstTurn.Max), "not measured")
	row(fmt.Sprintf("largest context (limit %d), tokens", r.Window), fmt.Sprint(r.MaxContext), fmt.Sprint(r.OneShot.MaxContext))
	row("new tokens, for all these features", fmt.Sprint(r.Tokens), fmt.Sprint(r.OneShot.Tokens))
	row("tokens read, counted at each turn", fmt.Sprint(r.WithCache), fmt.Sprint(r.OneShot.WithCache))
	row("features per million tokens read", fmt.Sprintf("%.0f", perMillion(r.Verified, r.WithCache)),
		fmt.Sprintf("%.0f", perMillion(r.OneShot.Verified, r.OneShot.WithCache)))
	if r.OneShot.Said != "" {
		fmt.Fprintf(w, "\n  the long session ended with: %s\n", r.OneShot.Said)
	}
	for _, c := range r.Caught {
		fmt.Fprintf(w, "  caught: the agent of feature %q %s: %s\n", c.Feature, c.Tried, plainly(c.Found))
	}
	fmt.Fprintf(w, "\n%d/%d verified\n", r.Verified, r.Features)
}
