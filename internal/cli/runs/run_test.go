package runs_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"kedge"
	"kedge/internal/app/reports"
	"kedge/internal/app/runs"
	"kedge/internal/cli"
	"kedge/internal/cli/frame"
	"kedge/internal/core/run"
	"kedge/internal/server"
)

// runDesk answers the calls of `kedge run` as a daemon would.
type runDesk struct {
	t       *testing.T
	watches []watchAnswer // one for each time it is watched
	asked   []runs.RunWatchRequest
	started []runs.RunStartRequest
	named   []string
}

// watchAnswer is what one watch tells and how it ends.
type watchAnswer struct {
	lines []runs.RunLine
	end   runs.RunView
	err   error
	leave func() // before it ends
}

func (d *runDesk) Call(ctx context.Context, name string, in, out any, progress func(json.RawMessage)) error {
	d.named = append(d.named, name)
	if name != "run.watch" {
		if q, ok := in.(runs.RunStartRequest); ok {
			d.started = append(d.started, q)
		}
		return fill(d.t, out, runs.RunReply{Run: runs.RunView{ID: "run-1", State: run.StatusRunning}, Notes: []string{"a note"}})
	}
	d.asked = append(d.asked, in.(runs.RunWatchRequest))
	w := d.watches[0]
	d.watches = d.watches[1:]
	for _, l := range w.lines {
		b, err := json.Marshal(l)
		if err != nil {
			d.t.Fatal(err)
		}
		progress(b)
	}
	if w.leave != nil {
		w.leave()
		return ctx.Err()
	}
	if w.err != nil {
		return w.err
	}
	return fill(d.t, out, runs.RunReply{Run: w.end, Notes: []string{}})
}

func fill(t *testing.T, out any, v any) error {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return json.Unmarshal(b, out)
}

func stepLineOf(n int64, feature kedge.FeatureID, text string) runs.RunLine {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return runs.RunLine{Type: "step", Step: &reports.RunStep{N: n, At: at, Event: run.Gated, Feature: feature, Text: text}}
}

func (d *runDesk) main(ctx context.Context, tty bool, args ...string) (code int, out, talk string) {
	var o, e bytes.Buffer
	code = cli.Main(ctx, frame.Env{Args: args, Out: &o, Err: &e, ErrTTY: tty, Environ: []string{"A=1", "TERM=xterm"}, Call: d})
	return code, o.String(), e.String()
}

// TestRunWithoutATerminal: one line per step on stderr, the end on stdout; a
// daemon that dies on the way costs no step and shows none twice.
func TestRunWithoutATerminal(t *testing.T) {
	d := &runDesk{t: t, watches: []watchAnswer{
		{lines: []runs.RunLine{stepLineOf(3, "a", "one"), stepLineOf(4, "a", "")}, err: kedge.Errorf(kedge.Internal, "%w", server.ErrBroken)},
		{
			lines: []runs.RunLine{stepLineOf(3, "a", "one"), stepLineOf(5, "", "two\x1b[31m")},
			end:   runs.RunView{ID: "run-1", State: run.StatusDone, Reason: "all 1 features are done", Resting: true},
		},
	}}
	code, out, talk := d.main(t.Context(), false, "run", "--parallel", "2")
	if code != 0 || out != "done: all 1 features are done\n" {
		t.Errorf("code %d, printed %q", code, out)
	}
	if want := "note: a note\n03:04:05  a: one\n03:04:05  two[31m\n"; talk != want {
		t.Errorf("said %q, want %q", talk, want)
	}
	if len(d.asked) != 2 || d.asked[1].After != 4 || d.asked[1].Run != "run-1" {
		t.Errorf("watched with %+v", d.asked)
	}
	if len(d.started) != 1 || d.started[0].Flags.Parallel != 2 || d.started[0].Env[0] != "A=1" {
		t.Errorf("started with %+v", d.started)
	}
}

// TestF1RunOutlivesManyDaemons: a daemon that dies again and again without a step
// between is borne for a while, and not for ever.
func TestF1RunOutlivesManyDaemons(t *testing.T) {
	broken := watchAnswer{err: kedge.Errorf(kedge.Internal, "%w", server.ErrBroken)}
	synctest.Test(t, func(t *testing.T) {
		d := &runDesk{t: t, watches: append(slices.Repeat([]watchAnswer{broken}, 20), watchAnswer{end: runs.RunView{State: run.StatusDone}})}
		if code, _, talk := d.main(t.Context(), false, "run"); code != 0 || len(d.watches) != 0 {
			t.Errorf("code %d, said %q", code, talk)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		d := &runDesk{t: t, watches: slices.Repeat([]watchAnswer{broken}, 10_000)}
		if code, _, talk := d.main(t.Context(), false, "run"); code != 1 || !strings.Contains(talk, "the daemon ended") {
			t.Errorf("code %d, said %q", code, talk)
		}
	})
}

// TestF1RunWaitsForTheNextDaemon: that one does not come up at once ends nothing;
// that none may be started here does.
func TestF1RunWaitsForTheNextDaemon(t *testing.T) {
	away := func(kind kedge.Kind) error {
		c := server.Client{HTTP: &http.Client{Transport: deaf{}}, Again: func(context.Context) (*http.Client, error) {
			return nil, kedge.Errorf(kind, "the daemon did not start").WithHint("kedge up --foreground")
		}}
		return c.Call(t.Context(), "run.watch", server.Envelope{}, nil, nil)
	}
	for name, c := range map[string]struct {
		kind  kedge.Kind
		times int
		code  int
		left  int
	}{
		"a restart":    {kedge.Internal, 20, 0, 0},
		"for ever":     {kedge.Internal, 10_000, 1, -1},
		"in a session": {kedge.Blocked, 20, 5, 20},
	} {
		t.Run(name, func(t *testing.T) {
			none := watchAnswer{err: away(c.kind)}
			synctest.Test(t, func(t *testing.T) {
				d := &runDesk{t: t, watches: append(slices.Repeat([]watchAnswer{none}, c.times), watchAnswer{end: runs.RunView{State: run.StatusDone}})}
				code, _, talk := d.main(t.Context(), false, "run")
				if code != c.code || c.left >= 0 && len(d.watches) != c.left {
					t.Errorf("code %d with %d tries left, said %q", code, len(d.watches), talk)
				}
				if code != 0 && (!strings.Contains(talk, "the daemon did not start") || !strings.Contains(talk, "kedge up --foreground")) {
					t.Errorf("said %q", talk)
				}
			})
		})
	}
}

// deaf is a socket on which nobody listens.
type deaf struct{}

func (deaf) RoundTrip(*http.Request) (*http.Response, error) { return nil, syscall.ECONNREFUSED }

// TestRunExitCodes: each end of a run has its code, and says what to do next.
func TestRunExitCodes(t *testing.T) {
	for kind, want := range map[kedge.Kind]int{
		"": 0, kedge.Internal: 1, kedge.Conflict: 4, kedge.Blocked: 5, kedge.Red: 6, kedge.OverBudget: 7, kedge.Interrupted: 130,
	} {
		d := &runDesk{t: t, watches: []watchAnswer{{end: runs.RunView{State: run.StatusStopped, Reason: "why", Kind: kind, NextSteps: []kedge.NextStep{kedge.Step("kedge", "run", "--continue")}}}}}
		code, out, talk := d.main(t.Context(), false, "run")
		if code != want || out != "stopped: why\n" || !strings.HasSuffix(talk, "next: kedge run --continue\n") {
			t.Errorf("%q: code %d, printed %q, said %q", kind, code, out, talk)
		}
	}
}

// TestRunJSON: JSON Lines, each with its type; the last one is the end.
func TestRunJSON(t *testing.T) {
	view := runs.RunView{ID: "run-1", State: run.StatusRunning}
	d := &runDesk{t: t, watches: []watchAnswer{{
		lines: []runs.RunLine{stepLineOf(1, "a", "one"), {Type: "run", Run: &view}},
		end:   runs.RunView{ID: "run-1", State: run.StatusOverBudget, Kind: kedge.OverBudget},
	}}}
	code, out, talk := d.main(t.Context(), true, "run", "--json")
	if code != 7 || talk != "" {
		t.Errorf("code %d, said %q", code, talk)
	}
	var types []string
	for line := range strings.Lines(out) {
		var l struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		types = append(types, l.Type)
	}
	if got := strings.Join(types, " "); got != "step run end" {
		t.Errorf("the lines are %q", got)
	}
}

// TestRunDetaches: Ctrl-C leaves, with 130, and says how to come back.
func TestRunDetaches(t *testing.T) {
	for _, json := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		d := &runDesk{t: t, watches: []watchAnswer{{lines: []runs.RunLine{stepLineOf(1, "a", "one")}, leave: cancel}}}
		args := []string{"run"}
		if json {
			args = append(args, "--json")
		}
		code, out, talk := d.main(ctx, false, args...)
		if code != 130 {
			t.Errorf("code %d, said %q", code, talk)
		}
		if json && !strings.Contains(out, `{"type":"detached"`) || !json && !strings.Contains(talk, "the run continues. To watch it again: kedge run;") {
			t.Errorf("printed %q, said %q", out, talk)
		}
	}
}

// TestRunWords: what is said to a run, and flags that mean nothing.
func TestRunWords(t *testing.T) {
	for _, c := range []struct {
		args string
		call string
		code int
	}{
		{"run --pause", "run.pause", 0},
		{"run --stop", "run.stop", 0},
		{"run --continue --detach", "run.continue", 0},
		{"run --detach", "run.start", 0},
		{"tell a b c", "run.tell", 0},
		{"approve a", "run.approve steps", 0},
		{"deny a --reason r", "run.deny steps", 0},
		{"run --pause --stop", "", 2},
		{"run --parallel 0", "", 2},
		{"run --budget-usd -1", "", 2},
		{"tell a", "", 2},
	} {
		d := &runDesk{t: t}
		code, _, talk := d.main(t.Context(), false, strings.Fields(c.args)...)
		if code != c.code || strings.Join(d.named, " ") != c.call {
			t.Errorf("%s: code %d, calls %q, said %q", c.args, code, d.named, talk)
		}
	}
}

// TestRunEndIsSaidOnce: the reason of the end stands below the table, not in it.
func TestRunEndIsSaidOnce(t *testing.T) {
	d := &runDesk{t: t, watches: []watchAnswer{{end: runs.RunView{ID: "run-1", State: run.StatusDone, Reason: "all done", Resting: true}}}}
	if _, out, talk := d.main(t.Context(), true, "run"); out != "done: all done\n" || strings.Contains(talk, "all done") {
		t.Errorf("printed %q, said %q", out, talk)
	}
}

// TestRunOnATerminal: no line per step, a table instead, and the end below it.
func TestRunOnATerminal(t *testing.T) {
	d := &runDesk{t: t, watches: []watchAnswer{{
		lines: []runs.RunLine{stepLineOf(1, "a", "one")},
		end:   runs.RunView{ID: "run-1", State: run.StatusDone, Resting: true},
	}}}
	code, out, talk := d.main(t.Context(), true, "run")
	if code != 0 || out != "done\n" || strings.Count(talk, "Ctrl-C detaches") != 2 || !strings.HasSuffix(talk, "\x1b[5A\x1b[J\x1b[?2026l") || !strings.Contains(talk, "03:04:05  a: one") {
		t.Errorf("code %d, printed %q, said %q", code, out, talk)
	}
}

// TestDetachedRunSaysHowToComeBack: which run it is, and how to watch, hold and
// end it.
func TestDetachedRunSaysHowToComeBack(t *testing.T) {
	d := &runDesk{t: t}
	code, out, talk := d.main(t.Context(), false, "run", "--detach")
	if code != 0 || out != "run-1 running\n" {
		t.Errorf("code %d, printed %q", code, out)
	}
	for _, want := range []string{"kedge run (", "kedge status", "kedge run --pause", "kedge run --stop"} {
		if !strings.Contains(talk, want) {
			t.Errorf("no %q in %q", want, talk)
		}
	}
}

// TestRunOnADumbTerminal: one that knows no codes gets lines, as a pipe does.
func TestRunOnADumbTerminal(t *testing.T) {
	for _, name := range []string{"TERM=dumb", "A=1"} {
		d := &runDesk{t: t, watches: []watchAnswer{{lines: []runs.RunLine{stepLineOf(1, "a", "one")}, end: runs.RunView{State: run.StatusDone, Resting: true}}}}
		var o, e bytes.Buffer
		code := cli.Main(t.Context(), frame.Env{Args: []string{"run"}, Out: &o, Err: &e, ErrTTY: true, Environ: []string{name}, Call: d})
		if code != 0 || e.String() != "note: a note\n03:04:05  a: one\n" {
			t.Errorf("%s: code %d, said %q", name, code, e.String())
		}
	}
}
