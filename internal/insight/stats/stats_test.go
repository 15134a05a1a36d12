package stats_test

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
	"time"

	"kedge"
	"kedge/internal/core/delta"
	"kedge/internal/core/run"
	"kedge/internal/insight/stats"
)

// monday is the first moment of the week 2026-W03.
var monday = time.Date(2026, 1, 12, 0, 0, 0, 0, time.UTC)

// past is a journal that is being written.
type past struct {
	t *testing.T
	j *stats.Journal
}

func newPast(t *testing.T) *past { return &past{t: t, j: stats.NewJournal()} }

// at is so many minutes after monday.
func at(minutes float64) time.Time {
	return monday.Add(time.Duration(minutes * float64(time.Minute)))
}

func (p *past) add(minutes float64, typ kedge.EventType, data any) {
	p.t.Helper()
	ev, err := kedge.NewEvent(typ, kedge.ActorDaemon, data)
	if err != nil {
		p.t.Fatal(err)
	}
	ev.At = at(minutes)
	if err := p.j.Take(ev); err != nil {
		p.t.Fatal(err)
	}
}

func (p *past) start(minutes float64, s kedge.Session) {
	s.State, s.StartedAt = kedge.SessionRunning, at(minutes)
	p.add(minutes, kedge.SessionStarted, s)
}

func (p *past) act(minutes float64, id kedge.SessionID) {
	p.add(minutes, kedge.SessionActed, kedge.SessionActedData{ID: id, First: kedge.ActAction, FirstAct: kedge.FirstAct{At: at(minutes)}})
}

func (p *past) use(minutes float64, id kedge.SessionID, model string, tokens int64, usd *float64) {
	p.add(minutes, kedge.SessionUsed, kedge.SessionUsedData{
		ID: id, Model: model, Tokens: &tokens, USD: usd, Kinds: &kedge.TokenKinds{Input: tokens / 2, Output: tokens / 2},
	})
}

func (p *past) end(minutes float64, id kedge.SessionID, state kedge.SessionState, cause string, code int) {
	d := kedge.SessionEndedData{ID: id, State: state, Cause: cause}
	if code >= 0 {
		d.ExitCode = &code
	}
	p.add(minutes, kedge.SessionEnded, d)
}

// step is a step of run "r": an event of a command, and new commands.
func (p *past) step(minutes float64, ev run.Input, issued ...run.Command) {
	d := delta.Stepped{Run: "r", Event: ev}
	d.Delta.Issued = issued
	p.add(minutes, kedge.RunStepped, d)
}

func (p *past) count() stats.Report {
	return stats.Count(stats.Query{By: "week", Now: at(7 * 24 * 60)}, p.j)
}

// plainly are interruptions without what was absent and the cures.
func plainly(list []stats.Interruption) []stats.Interruption {
	out := slices.Clone(list)
	for i := range out {
		out[i].Absent, out[i].Cure = 0, ""
	}
	return out
}

func near(got *float64, want float64) bool { return got != nil && math.Abs(*got-want) < 1e-9 }

// TestRow61OverheadPerWeek: sessions, interrupted ones, recovery until the first
// productive action of the session that took the work up again, productive
// minutes, and their rate, week by week.
func TestRow61OverheadPerWeek(t *testing.T) {
	p := newPast(t)
	p.start(0, kedge.Session{ID: "a1", Run: "r", Feature: "a"})
	p.act(10, "a1")
	p.end(40, "a1", kedge.SessionInterrupted, "killed", 137)
	p.start(44, kedge.Session{ID: "a2", Run: "r", Feature: "a"})
	p.act(46, "a2")
	p.end(76, "a2", kedge.SessionExited, "exited", 0)
	const week = 7 * 24 * 60
	p.start(week, kedge.Session{ID: "b1", Run: "r", Feature: "b"})
	p.act(week+1, "b1")
	p.end(week+5, "b1", kedge.SessionExited, "exited", 0)
	r := stats.Count(stats.Query{By: "week", Now: at(2 * week)}, p.j)
	if len(r.Rows) != 2 || r.Rows[0].Key != "2026-W03" || r.Rows[1].Key != "2026-W04" {
		t.Fatalf("rows %+v", r.Rows)
	}
	first, second := r.Rows[0], r.Rows[1]
	if first.Sessions != 2 || first.Interrupted != 1 || first.RecoveryMinutes != 6 || first.ProductiveMinutes != 60 || !near(first.OverheadRate, 0.1) {
		t.Errorf("first week %+v", first.Figures)
	}
	if second.Sessions != 1 || second.Interrupted != 0 || second.RecoveryMinutes != 0 || second.ProductiveMinutes != 4 || !near(second.OverheadRate, 0) {
		t.Errorf("second week %+v", second.Figures)
	}
	if r.Total.Sessions != 3 || r.Total.RecoveryMinutes != 6 || r.Total.ProductiveMinutes != 64 || !near(r.Total.OverheadRate, 6.0/64) {
		t.Errorf("total %+v", r.Total)
	}
	later := stats.Count(stats.Query{By: "week", Since: at(week), Now: at(2 * week)}, p.j)
	if later.Total.Sessions != 1 || len(later.Rows) != 1 {
		t.Errorf("since the second week: %+v", later)
	}
}

// TestNoMinuteIsLostTwice: a session that is interrupted before it did anything
// does not make the one before it cost more.
func TestNoMinuteIsLostTwice(t *testing.T) {
	p := newPast(t)
	p.start(0, kedge.Session{ID: "a1", Run: "r", Feature: "a"})
	p.act(1, "a1")
	p.end(10, "a1", kedge.SessionInterrupted, "killed", 137)
	p.start(12, kedge.Session{ID: "a2", Run: "r", Feature: "a"})
	p.use(13, "a2", "m", 10, nil)
	p.end(15, "a2", kedge.SessionInterrupted, "reboot", -1)
	p.start(16, kedge.Session{ID: "a3", Run: "r", Feature: "a"})
	p.act(20, "a3")
	r := p.count()
	want := []stats.Interruption{{Cause: stats.Killed, Count: 1, Minutes: 5}, {Cause: stats.Reboot, Count: 1, Minutes: 5}}
	if r.Total.RecoveryMinutes != 10 || !slices.Equal(plainly(r.Total.Interruptions), want) {
		t.Errorf("%+v", r.Total)
	}
}

// TestRecoveryKeepsToTheRun: the sessions of a later run are no recovery of an
// earlier one, and neither is the time in which a person was waited for.
func TestRecoveryKeepsToTheRun(t *testing.T) {
	p := newPast(t)
	session := func(from float64, id kedge.SessionID, of kedge.RunID, feature kedge.FeatureID, to float64) {
		p.start(from, kedge.Session{ID: id, Run: of, Feature: feature})
		p.act(from+1, id)
		p.end(to, id, kedge.SessionInterrupted, "killed", 137)
	}
	session(0, "a1", "q", "a", 10) // the last of its run
	p.step(1000, run.Input{Kind: run.Begun})
	session(1000, "a2", "r", "a", 1010)
	halt := func(minutes float64, kind run.InputKind, h run.Halt) {
		d := delta.Stepped{Run: "r", Event: run.Input{Kind: kind}}
		d.Delta.Head.Halt = h
		p.add(minutes, kedge.RunStepped, d)
	}
	halt(1012, run.PauseAsked, run.Paused)
	halt(1412, run.Continued, "")
	p.start(1413, kedge.Session{ID: "a3", Run: "r", Feature: "a"})
	p.act(1415, "a3")
	want := []stats.Interruption{{Cause: stats.Killed, Count: 2, Minutes: 5, Open: 1}}
	if r := p.count().Total; r.RecoveryMinutes != 5 || !slices.Equal(plainly(r.Interruptions), want) {
		t.Errorf("%+v", r)
	}
}

// TestRecoveryLeavesOutWhatAJobWaits: a job that is stuck until a person goes on,
// and one that was given up until a person reopened it, are not recovering while
// the others work.
func TestRecoveryLeavesOutWhatAJobWaits(t *testing.T) {
	p := newPast(t)
	step := func(minutes float64, ev run.Input, phase run.Phase, jobs ...int) {
		d := delta.Stepped{Run: "r", Event: ev}
		d.Delta.Head.Status, d.Delta.Jobs, d.Delta.Worked = run.StatusRunning, jobs, []run.Job{{ID: 1, Phase: phase}}
		d.Delta.Issued = []run.Command{{Kind: run.StartSession, Epoch: 3, Job: 1}}
		p.add(minutes, kedge.RunStepped, d)
	}
	step(0, run.Input{Kind: run.Begun}, run.Working, 1, 2)
	p.start(0, kedge.Session{ID: "s1", Run: "r", Feature: "a"})
	step(0, run.Input{Kind: run.Used, Epoch: 3, Session: "s1"}, run.Working, 1, 2)
	p.end(10, "s1", kedge.SessionInterrupted, "reboot", -1)
	step(11, run.Input{Kind: run.Exited, Epoch: 3, Session: "s1", Outcome: run.Killed}, run.Stuck, 1, 2)
	step(21, run.Input{Kind: run.Continued}, run.Saving, 1, 2)
	step(23, run.Input{Kind: run.Used}, run.Done, 2)
	step(43, run.Input{Kind: run.Reopened}, run.Preparing, 1, 2)
	p.start(46, kedge.Session{ID: "s2", Run: "r", Feature: "a"})
	p.act(47, "s2")
	want := []stats.Interruption{{Cause: stats.Reboot, Count: 1, Minutes: 1 + 2 + 4}}
	if r := p.count().Total; !slices.Equal(plainly(r.Interruptions), want) {
		t.Errorf("%+v", r.Interruptions)
	}
}

// TestSilentSessions: one that does not tell what it does counts by what it
// printed, and whoever resumes with it went on when it started.
func TestSilentSessions(t *testing.T) {
	p := newPast(t)
	p.start(0, kedge.Session{ID: "a1", Name: "shell"})
	p.end(60, "a1", kedge.SessionInterrupted, "reboot", -1)
	p.start(65, kedge.Session{ID: "a2", Name: "shell", Previous: "a1"})
	p.end(70, "a2", kedge.SessionExited, "exited", 0)
	p.start(80, kedge.Session{ID: "b1"})
	p.end(81, "b1", kedge.SessionInterrupted, "lost", -1)
	if got := p.j.Silent(); !slices.Equal(got, []kedge.SessionID{"a1", "a2", "b1"}) {
		t.Fatalf("silent %v", got)
	}
	var prints stats.Prints
	prints.Add(at(2)) // more than a minute after its beginning
	for m := range 24 {
		prints.Add(at(30 + float64(m)/2))
	}
	prints.Add(at(59.5)) // half a minute before its end
	p.j.Printed("a1", prints)
	r := p.count().Total
	if r.SilentSessions != 3 || r.RecoveryMinutes != 0 || r.AbsentMinutes != 5 || r.ProductiveMinutes != 11.5+0.5+5+1 {
		t.Errorf("%+v", r)
	}
	want := []stats.Interruption{{Cause: stats.Reboot, Count: 1}, {Cause: stats.Reconnect, Count: 1, Open: 1}}
	if !slices.Equal(plainly(r.Interruptions), want) {
		t.Errorf("interruptions %+v", r.Interruptions)
	}
	if r.Tokens != nil || r.USD != nil || r.UnknownTokens != 3 || r.UnknownUSD != 3 || r.FeaturesPerMTok != nil || r.FeaturesPerUSD != nil {
		t.Errorf("what nobody told is known: %+v", r)
	}
}

// TestRow61ProductiveTimeIsTimeThatPassed: many short sessions are not productive
// for longer than they lasted, and a clock that was set adds nothing.
func TestRow61ProductiveTimeIsTimeThatPassed(t *testing.T) {
	for name, printed := range map[string][]float64{
		"short":                    {0.05, 0.2},
		"with a clock that is set": {-300, -299.5, -299, 0.1, 300, 300.5, 301},
	} {
		p := newPast(t)
		for i, id := range []kedge.SessionID{"a", "b", "c"} {
			from := float64(i)
			p.start(from, kedge.Session{ID: id})
			var prints stats.Prints
			for _, m := range printed {
				prints.Add(at(from + m))
			}
			p.j.Printed(id, prints)
			p.end(from+0.25, id, kedge.SessionExited, "exited", 0)
		}
		if r := p.count(); r.Total.ProductiveMinutes != 0.75 {
			t.Errorf("%s: %v productive minutes of 0.75", name, r.Total.ProductiveMinutes)
		}
	}
}

// TestRow62EveryInterruptionHasOneCause: how a session ended, as holders and runs
// write it down, and what that is called.
func TestRow62EveryInterruptionHasOneCause(t *testing.T) {
	type end struct {
		state  kedge.SessionState
		cause  string
		code   int
		result run.Outcome // empty: not of a run
		signal string      // for which it was to be ended
		fired  bool        // its time was over
		want   stats.Cause // empty: not interrupted
	}
	const exited, interrupted = kedge.SessionExited, kedge.SessionInterrupted
	for name, c := range map[string]end{
		"done":                 {exited, "exited", 0, run.Finished, "", false, ""},
		"a question":           {exited, "exited", 0, run.Asked, "", false, ""},
		"ended by a person":    {exited, "killed", 143, run.Closed, "", false, ""},
		"its time was over":    {exited, "killed", 143, run.Closed, "", true, stats.Timeout},
		"stalled":              {exited, "killed", 143, run.Closed, "stalled", false, stats.Stalled},
		"drift":                {exited, "killed", 143, run.Closed, "prompt_drift", false, stats.PromptDrift},
		"a full context":       {exited, "killed", 143, run.Closed, "pressure", false, stats.FullContext},
		"in circles":           {exited, "killed", 143, run.Closed, "circling", false, stats.Circling},
		"its tokens":           {exited, "killed", 143, run.Closed, "budget", false, stats.Budget},
		"something newer":      {exited, "killed", 143, run.Closed, "newer", false, stats.Unknown},
		"limit":                {exited, "exited", 1, run.HitLimit, "", false, stats.ProviderLimit},
		"crash":                {exited, "exited", 3, run.Crashed, "", false, stats.Crash},
		"crash for memory":     {interrupted, "out_of_memory", 137, run.Crashed, "", false, stats.OutOfMemory},
		"killed":               {interrupted, "killed", 137, run.Killed, "", false, stats.Killed},
		"hung up":              {interrupted, "killed", 129, run.Killed, "", false, stats.ClosedTerminal},
		"reboot":               {interrupted, "reboot", -1, run.Killed, "", false, stats.Reboot},
		"lost":                 {interrupted, "lost", -1, run.Killed, "", false, stats.Reconnect},
		"no program":           {exited, "exited", 1, run.NoLogin, "", false, stats.NoAgent},
		"a fault of Kedge":     {exited, "exited", 1, run.Failed, "", false, stats.Unknown},
		"kept, killed":         {interrupted, "killed", 137, "", "", false, stats.Killed},
		"kept, fault":          {interrupted, "killed", 139, "", "", false, stats.Crash},
		"kept, hung up":        {interrupted, "killed", 129, "", "", false, stats.ClosedTerminal},
		"kept, its holder":     {interrupted, "killed", -1, "", "", false, stats.Killed},
		"kept, memory":         {interrupted, "out_of_memory", 137, "", "", false, stats.OutOfMemory},
		"kept, not started":    {interrupted, "did not start", -1, "", "", false, stats.NoAgent},
		"kept, nobody knows":   {interrupted, "", -1, "", "", false, stats.Unknown},
		"kept, error, resumed": {exited, "exited", 1, "", "", false, stats.Crash},
		"kept, done":           {exited, "exited", 0, "", "", false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPast(t)
			first := kedge.Session{ID: "s1"}
			if c.result != "" {
				first.Run = "r"
				p.step(0, run.Input{Kind: run.Begun}, run.Command{Kind: run.StartSession, Epoch: 3, Job: 1}, run.Command{Kind: run.Timer, Epoch: 4, Job: 1})
			}
			p.start(0, first)
			if c.result != "" {
				p.step(0, run.Input{Kind: run.Used, Epoch: 3, Session: "s1"})
			}
			if c.signal != "" {
				p.add(1, kedge.SessionSignalled, kedge.SessionSignalledData{ID: "s1", Signal: c.signal, Advice: "handoff"})
			}
			if c.fired {
				p.step(1, run.Input{Kind: run.Fired, Epoch: 4})
			}
			p.end(2, "s1", c.state, c.cause, c.code)
			if c.result != "" {
				p.step(2, run.Input{Kind: run.Exited, Epoch: 3, Session: "s1", Outcome: c.result})
			}
			p.start(3, kedge.Session{ID: "s2", Previous: "s1"})
			r := p.count().Total
			if n := p.j.Interrupted(); n != r.Interrupted {
				t.Errorf("%d alone, %d among the others", n, r.Interrupted)
			}
			if c.want == "" {
				if r.Interrupted != 0 || len(r.Interruptions) != 0 {
					t.Errorf("%+v", r.Interruptions)
				}
				return
			}
			want := []stats.Interruption{{Cause: c.want, Count: 1, Minutes: 1}}
			if r.AbsentMinutes > 0 { // of a session that its user drives
				want[0].Minutes = 0
			}
			if r.Interrupted != 1 || !slices.Equal(plainly(r.Interruptions), want) {
				t.Errorf("%+v, want %+v", r.Interruptions, want)
			}
		})
	}
}

// TestRow62SignalsByName: the name of a signal counts, whatever number it has
// where the session ran: 10 is SIGBUS on one system and SIGUSR1 on another.
func TestRow62SignalsByName(t *testing.T) {
	for name, want := range map[string]stats.Cause{
		"SIGBUS": stats.Crash, "SIGUSR1": stats.Killed, "SIGHUP": stats.ClosedTerminal, "SIGSYS": stats.Crash, "": stats.Killed,
	} {
		p := newPast(t)
		p.start(0, kedge.Session{ID: "s"})
		code := 128 + 10
		p.add(1, kedge.SessionEnded, kedge.SessionEndedData{ID: "s", State: kedge.SessionInterrupted, Cause: "killed", ExitCode: &code, Signal: name})
		if r := p.count().Total; len(r.Interruptions) != 1 || r.Interruptions[0].Cause != want {
			t.Errorf("%q: %+v, want %s", name, r.Interruptions, want)
		}
	}
}

// TestRow62CausesAreRankedByMinutes: what cost most comes first, however often it
// happened; what nobody took up again has no minutes.
func TestRow62CausesAreRankedByMinutes(t *testing.T) {
	p := newPast(t)
	now := 0.0
	interrupt := func(id, cause string, code int, recovery float64) {
		p.start(now, kedge.Session{ID: kedge.SessionID(id), Feature: kedge.FeatureID(id)})
		p.end(now+1, kedge.SessionID(id), kedge.SessionInterrupted, cause, code)
		p.start(now+1, kedge.Session{ID: kedge.SessionID(id + "+"), Feature: kedge.FeatureID(id)})
		p.act(now+1+recovery, kedge.SessionID(id+"+"))
		p.end(now+1+recovery, kedge.SessionID(id+"+"), kedge.SessionExited, "exited", 0)
		now += 100
	}
	interrupt("a", "killed", 137, 2)
	interrupt("b", "killed", 137, 3)
	interrupt("c", "reboot", -1, 30)
	interrupt("d", "killed", 129, 4)
	p.start(now, kedge.Session{ID: "e"})
	p.end(now+1, "e", kedge.SessionInterrupted, "out_of_memory", 137)
	want := []stats.Interruption{
		{Cause: stats.Reboot, Count: 1, Minutes: 30},
		{Cause: stats.Killed, Count: 2, Minutes: 5},
		{Cause: stats.ClosedTerminal, Count: 1, Minutes: 4},
		{Cause: stats.OutOfMemory, Count: 1, Open: 1},
	}
	if r := p.count().Total; !slices.Equal(plainly(r.Interruptions), want) || r.Interrupted != 5 || r.RecoveryMinutes != 39 {
		t.Errorf("%+v", r)
	}
}

// work is a past with two models, of which one has a price.
func work(t *testing.T) *past {
	t.Helper()
	p := newPast(t)
	evidence, told := kedge.EvidenceID("evd-1"), 2.0
	done := func(minutes float64, id kedge.FeatureID, ses kedge.SessionID, files ...kedge.FileChange) {
		p.add(minutes, kedge.WorkInspected, kedge.Inspection{ID: string(id), Feature: id, Session: ses, Files: files})
		p.add(minutes, kedge.FeatureStatus, kedge.FeatureStatusData{ID: id, Status: kedge.Completed, Evidence: &evidence})
	}
	p.start(0, kedge.Session{ID: "s1", Name: "a", Run: "r", Feature: "a", Agent: "claude"})
	p.use(1, "s1", "big", 500_000, &told)
	p.act(2, "s1")
	p.end(10, "s1", kedge.SessionExited, "exited", 0)
	done(11, "a", "s1", kedge.FileChange{Added: 30, Removed: 10}, kedge.FileChange{Added: 2})
	p.start(20, kedge.Session{ID: "s2", Name: "b", Run: "r", Feature: "b", Agent: "claude"})
	p.use(21, "s2", "big", 1_500_000, nil)
	p.act(22, "s2")
	p.end(30, "s2", kedge.SessionExited, "exited", 0)
	done(31, "b", "s2", kedge.FileChange{Added: 58})
	p.start(40, kedge.Session{ID: "s3", Name: "c", Run: "r", Feature: "c", Agent: "codex"})
	p.use(41, "s3", "small", 1_000_000, nil)
	p.act(42, "s3")
	p.end(50, "s3", kedge.SessionInterrupted, "killed", 137)
	done(51, "c", "s3", kedge.FileChange{Added: 1})
	p.add(60, kedge.FeatureStatus, kedge.FeatureStatusData{ID: "c", Status: kedge.Regressed}) // it counts no longer
	none := kedge.EvidenceID("")
	p.add(61, kedge.FeatureStatus, kedge.FeatureStatusData{ID: "d", Status: kedge.Completed, Evidence: &none}) // accepted, not verified
	return p
}

// prices knows big: 4 USD for a million tokens.
func prices(model string, _ time.Time, use kedge.TokenKinds) *float64 {
	if model != "big" {
		return nil
	}
	usd := float64(use.Input+use.Output) * 4 / 1e6
	return &usd
}

// TestRow24VerifiedWorkPerTokenAndUSD: features and lines per million tokens and
// per USD, in all, by agent, by model and by session.
func TestRow24VerifiedWorkPerTokenAndUSD(t *testing.T) {
	p := work(t)
	q := stats.Query{By: "model", Now: at(100), Price: prices}
	r := stats.Count(q, p.j)
	if len(r.Rows) != 2 || r.Rows[0].Key != "big" || r.Rows[1].Key != "small" {
		t.Fatalf("rows %+v", r.Rows)
	}
	big, small := r.Rows[0], r.Rows[1]
	if big.VerifiedFeatures != 2 || *big.VerifiedLines != 100 || *big.Tokens != 2_000_000 || !near(big.USD, 8) || !big.Estimated {
		t.Errorf("big %+v", big.Figures)
	}
	if !near(big.FeaturesPerMTok, 1) || !near(big.LinesPerMTok, 50) || !near(big.FeaturesPerUSD, 0.25) || !near(big.LinesPerUSD, 12.5) {
		t.Errorf("rates of big %+v", big.Figures)
	}
	if small.VerifiedFeatures != 0 || !near(small.FeaturesPerMTok, 0) || small.USD != nil || small.FeaturesPerUSD != nil || small.UnknownUSD != 1 {
		t.Errorf("small %+v", small.Figures)
	}
	total := r.Total
	if total.VerifiedFeatures != 2 || !near(total.FeaturesPerMTok, 2.0/3) || !near(total.USD, 8) || total.FeaturesPerUSD != nil {
		t.Errorf("total %+v: one cost is unknown, and so is what a USD gave", total)
	}
	q.By = "agent"
	if r := stats.Count(q, p.j); len(r.Rows) != 2 || r.Rows[0].Key != "claude" || r.Rows[0].VerifiedFeatures != 2 || r.Rows[1].Key != "codex" {
		t.Errorf("by agent %+v", r.Rows)
	}
	q.By = "session"
	r = stats.Count(q, p.j)
	if len(r.Rows) != 3 || r.Rows[0].Key != "s1" || r.Rows[0].Name != "a" || !near(r.Rows[0].FeaturesPerUSD, 0.5) || !near(r.Rows[0].LinesPerMTok, 84) {
		t.Errorf("by session %+v", r.Rows)
	}
	if r.Rows[2].Interrupted != 1 || r.Rows[2].Agent != "codex" {
		t.Errorf("the last session %+v", r.Rows[2])
	}
}

// TestRow24UnknownTokensOfARun: where a session of a run told no usage, nobody
// knows what a token gave; a shell that was kept beside it does not matter.
func TestRow24UnknownTokensOfARun(t *testing.T) {
	p := work(t)
	p.start(70, kedge.Session{ID: "shell", Agent: "bash"})
	if r := p.count().Total; r.FeaturesPerMTok == nil || r.UnknownTokens != 1 {
		t.Errorf("with a shell: %+v", r)
	}
	p.start(80, kedge.Session{ID: "s4", Run: "r", Feature: "e", Agent: "bot"})
	if r := p.count().Total; r.FeaturesPerMTok != nil || r.LinesPerMTok != nil || r.UnknownTokens != 2 || *r.Tokens != 3_000_000 {
		t.Errorf("with a silent agent: %+v", r)
	}
}

func TestNothingIsUnknownOrZero(t *testing.T) {
	b, err := json.Marshal(stats.Count(stats.Query{By: "week", Now: monday}).Total)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"sessions":0,"interrupted":0,"recovery_minutes":0,"absent_minutes":0,"productive_minutes":0,"overhead_rate":null,"interruptions":[],` +
		`"verified_features":0,"verified_lines":0,"tokens":null,"estimated_tokens":null,"kinds":null,"usd":null,"estimated":false,` +
		`"verified_features_per_mtok":null,"verified_lines_per_mtok":null,"verified_features_per_usd":null,"verified_lines_per_usd":null,` +
		`"silent_sessions":0,"unknown_tokens":0,"unknown_usd":0,"unknown_lines":0}`
	if string(b) != want {
		t.Errorf("%s", b)
	}
}

func TestBrokenEventsAreReported(t *testing.T) {
	err := stats.NewJournal().Take(kedge.Event{Seq: 7, Type: kedge.SessionStarted, Data: []byte("{")})
	if !kedge.Internal.Is(err) {
		t.Errorf("%v", err)
	}
	if err := stats.NewJournal().Take(kedge.Event{Type: "newer", Data: []byte("{")}); err != nil {
		t.Errorf("a type that is not known: %v", err)
	}
}

// TestRow61AbsenceIsNoRecovery: recovery begins when somebody could go on: when the
// provider's limit was over, or when the user came back. What was before is shown apart.
func TestRow61AbsenceIsNoRecovery(t *testing.T) {
	p := newPast(t)
	p.start(0, kedge.Session{ID: "mine"})
	p.act(1, "mine")
	p.end(10, "mine", kedge.SessionInterrupted, "killed", 129)
	p.start(490, kedge.Session{ID: "next", Previous: "mine"}) // the morning after
	p.act(493, "next")
	if r := p.count().Total; r.RecoveryMinutes != 3 || r.AbsentMinutes != 480 || len(r.Interruptions) != 1 || r.Interruptions[0].Absent != 480 {
		t.Errorf("a user who was away: %+v", r)
	}

	p = newPast(t)
	step := func(minutes float64, ev run.Input, phase run.Phase) {
		d := delta.Stepped{Run: "r", Event: ev}
		d.Delta.Head.Status, d.Delta.Jobs, d.Delta.Worked = run.StatusRunning, []int{1}, []run.Job{{ID: 1, Phase: phase}}
		d.Delta.Issued = []run.Command{{Kind: run.StartSession, Epoch: 3, Job: 1}}
		p.add(minutes, kedge.RunStepped, d)
	}
	step(0, run.Input{Kind: run.Begun}, run.Working)
	p.start(0, kedge.Session{ID: "s1", Run: "r", Feature: "a"})
	step(0, run.Input{Kind: run.Used, Epoch: 3, Session: "s1"}, run.Working)
	p.end(10, "s1", kedge.SessionExited, "exited", 1)
	step(11, run.Input{Kind: run.Exited, Epoch: 3, Session: "s1", Outcome: run.HitLimit}, run.Limited)
	step(131, run.Input{Kind: run.Continued}, run.Briefing)
	p.start(132, kedge.Session{ID: "s2", Run: "r", Feature: "a"})
	p.act(134, "s2")
	r := p.count().Total
	if r.RecoveryMinutes != 4 || r.AbsentMinutes != 120 || len(r.Interruptions) != 1 || r.Interruptions[0].Cause != stats.ProviderLimit {
		t.Errorf("a provider's limit: %+v", r)
	}
}
