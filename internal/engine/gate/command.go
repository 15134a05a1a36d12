package gate

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"kedge"
	"kedge/internal/core/check"
	"kedge/internal/insight/failure"
	"kedge/internal/process"
)

// runCommand runs a shell line and says what came of it. A line that somebody
// killed says nothing of the work: it is run again.
func (g *gate) runCommand(ctx context.Context, s step, res *kedge.CheckResult) error {
	leaves := check.Leaves(s.check)
	seen := g.evidenceNow(leaves)
	log := res.Log
	out, err := g.runLine(ctx, s, res)
	for try := 2; err == nil && killed(out) && try <= mostTries; try++ {
		g.find(kedge.LevelWarning, "a check was killed, and ran again", s.check.Name, "nothing to do")
		res.Log = strings.TrimSuffix(log, ".log") + "-" + strconv.Itoa(try) + ".log"
		out, err = g.runLine(ctx, s, res)
	}
	if err != nil {
		return err
	}
	res.Exit = out.Exit
	res.Evidence = g.keepEvidence(leaves, seen, strings.TrimSuffix(log, ".log"))
	text, err := ReadLog(res.Log)
	if err != nil {
		return err
	}
	if err := g.Box.Unmade(ctx, out.Exit, text); err != nil {
		return err
	}
	g.judge(s, out, text, res)
	return nil
}

// mostTries is how often a line is started that is killed each time.
const mostTries = 3

// killed tells whether a line was ended by somebody else: not by what it did
// wrong itself, nor for want of memory, which there would not be more of.
func killed(out process.Result) bool {
	if out.End != process.Signalled || out.NoMemory {
		return false
	}
	switch syscall.Signal(out.Exit - signalBase) {
	case syscall.SIGKILL, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT:
		return true
	default:
		return false
	}
}

// signalBase is what a shell adds to the number of a signal.
const signalBase = 128

// runLine runs the line once, or takes it up where it was started before.
func (g *gate) runLine(ctx context.Context, s step, res *kedge.CheckResult) (process.Result, error) {
	line, err := g.Runner.Start(ctx, process.Spec{
		Line: s.line, Under: g.under(res.Kind), Dir: g.Dir, Env: g.environ(res.Kind), Log: res.Log, Timeout: check.Timeout(s.check),
	})
	if err != nil {
		return process.Result{}, err
	}
	out, err := line.Wait()
	if err == nil && out.End == process.Stopped {
		err = cause(ctx)
	}
	if at := line.Since(); err == nil && !at.IsZero() {
		res.Started = at
	}
	return out, err
}

// under is what confines a check. One that asks the project's services has the
// network that they have.
func (g *gate) under(kind kedge.CheckKind) []string {
	if check.Named(kind).Services {
		return g.Box.Online().Prefix()
	}
	return g.Box.Prefix()
}

// judge decides whether a command that has ended is red.
func (g *gate) judge(s step, out process.Result, text string, res *kedge.CheckResult) {
	noTests := check.Named(res.Kind).Tests && failure.NoTests(s.line, text)
	if n, ok := failure.Ran(text); ok && check.Named(res.Kind).Tests {
		res.Tests = &n
	}
	waits := check.WaitsFor(s.line, text)
	switch {
	case waits != "" && out.Exit == 0:
		g.find(kedge.LevelWarning, "the check waits for "+waits+", which is not there yet", s.check.Name, "nothing to do: it runs as soon as the file is there")
	case out.End == process.TimedOut:
		res.FirstFailure = timedOut(s, text)
	case noTests && s.own:
		res.FirstFailure = &kedge.Failure{Message: fmt.Sprintf("no test ran: %s", s.line)}
	case noTests && (out.Exit == 0 || nothingToRun(s.line, text, out.Exit)):
		g.find(kedge.LevelWarning, "no test ran", s.check.Name, "write a test, or correct the check's command in .kedge/gate.toml")
	case out.Exit != 0:
		res.FirstFailure = firstFailure(s.line, text, out.Exit)
	}
}

func firstFailure(line, text string, exit int) *kedge.Failure {
	f, ok := failure.First(line, text)
	if !ok {
		f.Message = fmt.Sprintf("exit %d and no output", exit)
	}
	return &f
}

func timedOut(s step, text string) *kedge.Failure {
	f, ok := failure.First(s.line, text)
	said := fmt.Sprintf("timed out after %v", check.Timeout(s.check))
	if ok {
		said += "\n" + f.Message
	}
	f.Message = said
	return &f
}

// environ is what a check or service gets on top of the request's environment.
func (g *gate) environ(kind kedge.CheckKind) []string {
	set := map[string]string{"KEDGE_SLOT": g.Slot, "KEDGE_BASE": g.Base}
	if len(g.Services) > 0 && check.Named(kind).Services {
		set["KEDGE_PORT"] = strconv.Itoa(g.ports[g.Services[0].Name])
	}
	return withEnv(g.Env, set)
}

// told are variables that tools get unless you set them. Python leaves no compiled files
// beside the sources: they would change the tree that is being judged. CTest shows what a
// test that failed printed: without it there is no first failure to show.
var told = []string{"PYTHONDONTWRITEBYTECODE=1", "CTEST_OUTPUT_ON_FAILURE=1"}

// withEnv sets variables.
func withEnv(env []string, set map[string]string) []string {
	out := slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		_, replaced := set[name]
		return replaced
	})
	for _, tell := range told {
		name, _, _ := strings.Cut(tell, "=")
		if !slices.ContainsFunc(out, func(kv string) bool { return strings.HasPrefix(kv, name+"=") }) {
			out = append(out, tell)
		}
	}
	for _, name := range []string{"KEDGE_SLOT", "KEDGE_BASE", "KEDGE_PORT"} {
		if v, ok := set[name]; ok {
			out = append(out, name+"="+v)
		}
	}
	return out
}

// maxRead bounds what is looked at of a log, half of it from each end.
const maxRead = 16 << 20

// ReadLog gives the log of a check, or both ends of one that is very long.
func ReadLog(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", kedge.Errorf(kedge.Internal, "cannot read the log of a check: %w", err)
	}
	defer func() { _ = f.Close() }() // only read
	info, err := f.Stat()
	if err != nil {
		return "", kedge.Errorf(kedge.Internal, "cannot read the log of a check: %w", err)
	}
	if info.Size() <= maxRead {
		b, err := io.ReadAll(io.LimitReader(f, maxRead))
		return string(b), err
	}
	head, err := io.ReadAll(io.NewSectionReader(f, 0, maxRead/2))
	if err != nil {
		return "", kedge.Errorf(kedge.Internal, "cannot read the log of a check: %w", err)
	}
	tail, err := io.ReadAll(io.NewSectionReader(f, info.Size()-maxRead/2, maxRead/2))
	return string(head) + "\n" + string(tail), err
}
