package stats

import (
	"kedge"
	"kedge/internal/core/run"
	"kedge/internal/core/watch"
)

// Cause is why a session ended before its work was done.
type Cause string

// The causes. Each interruption has one.
const (
	Timeout        Cause = "timeout"         // it had its time
	Stalled        Cause = "stalled"         // it did nothing, or span
	ClosedTerminal Cause = "closed_terminal" // its terminal hung up
	Reconnect      Cause = "reconnect"       // when Kedge came back there was nobody to connect to
	Crash          Cause = "crash"           // its program ended with an error
	Killed         Cause = "killed"          // somebody ended it, or its holder, by a signal
	OutOfMemory    Cause = "out_of_memory"   //
	Reboot         Cause = "reboot"          // of the machine
	PromptDrift    Cause = "prompt_drift"    // it went against what was decided
	FullContext    Cause = "full_context"    // its context was full, or too old
	Circling       Cause = "circling"        // it did the same again and again, or worse and worse
	ProviderLimit  Cause = "provider_limit"  //
	Budget         Cause = "budget"          // its tokens were spent
	NoAgent        Cause = "no_agent"        // its program could not be started, or was not logged in
	Unknown        Cause = "unknown"
)

// cures are the cheapest thing to do about each cause.
var cures = map[Cause]string{
	Timeout:        "split the feature; or give sessions more time: budget.session_wall in .kedge/config.toml",
	Stalled:        "see where it stood still: kedge logs NAME; run what takes long as a check or a service",
	ClosedTerminal: "start it with kedge new NAME -- COMMAND: it continues when the terminal closes",
	Reconnect:      "let the daemon run and log sessions in again: kedge up --install",
	Crash:          "see its last output: kedge logs NAME; update the agent",
	Killed:         "find who ends it: kedge logs NAME; start it with kedge new NAME -- COMMAND, apart from other programs",
	OutOfMemory:    "run fewer sessions at once: run.parallel in .kedge/config.toml",
	Reboot:         "start Kedge when you log in: kedge up --install; runs then continue by themselves",
	PromptDrift:    "lock what you decided: kedge decide TITLE --why REASON",
	FullContext:    "plan smaller features; leave out tools that are never called: kedge audit",
	Circling:       "give the feature a check that names the failure",
	ProviderLimit:  "let sessions wait by themselves: kedge onlimit NAME wait; or route work to a second agent",
	Budget:         "raise the budget in .kedge/config.toml, or plan smaller features",
	NoAgent:        "install the agent or log in to it, then: kedge doctor",
	Unknown:        "see how it ended: kedge show SESSION",
}

// signals are the causes by what was noticed of a session before it was ended.
var signals = map[watch.SignalKind]Cause{
	watch.Pressure:  FullContext,
	watch.Age:       FullContext,
	watch.Budget:    Budget,
	watch.Circling:  Circling,
	watch.Quality:   Circling,
	watch.Stall:     Stalled,
	watch.Drift:     PromptDrift,
	watch.Scope:     PromptDrift,
	watch.Confusion: PromptDrift,
	watch.Provider:  ProviderLimit,
}

// interruption gives the cause for which a session ended before its work was
// done; false when it did not. Resumed says that another session took it up.
func (s *session) interruption(resumed bool) (Cause, bool) {
	if s.ended.IsZero() {
		return "", false
	}
	if s.Run != "" && s.result != "" {
		return s.runCause()
	}
	if s.State == kedge.SessionInterrupted {
		return s.endCause(), true
	}
	if resumed && s.ExitCode != nil && *s.ExitCode != 0 && s.Cause != causeKilled {
		return Crash, true
	}
	return "", false
}

// runCause is what the run says of the end. What a person ended, and what ended
// with a question, was not interrupted.
func (s *session) runCause() (Cause, bool) {
	switch s.result {
	case run.HitLimit:
		return ProviderLimit, true
	case run.NoLogin:
		return NoAgent, true
	case run.Killed:
		return s.endCause(), true
	case run.Crashed:
		if s.Cause == causeMemory {
			return OutOfMemory, true
		}
		return Crash, true
	case run.Failed, run.Drifted:
		return Unknown, true
	case run.Closed:
		return s.askedCause()
	default:
		return "", false
	}
}

// askedCause is why Kedge asked the session to end.
func (s *session) askedCause() (Cause, bool) {
	if s.timed {
		return Timeout, true
	}
	if s.signal == "" {
		return "", false
	}
	if c, ok := signals[s.signal]; ok {
		return c, true
	}
	return Unknown, true
}

// The causes that holders write down, as package hold has them.
const (
	causeKilled   = "killed"
	causeMemory   = "out_of_memory"
	causeReboot   = "reboot"
	causeLost     = "lost"
	causeNoStart  = "did not start"
	signalledFrom = 128 // what an exit code adds to the number of a signal
)

// endCause is what the holder, or its absence, says of the end.
func (s *session) endCause() Cause {
	switch s.Cause {
	case causeReboot:
		return Reboot
	case causeMemory:
		return OutOfMemory
	case causeLost:
		return Reconnect
	case causeNoStart:
		return NoAgent
	case causeKilled:
		return s.killedBy()
	default:
		return Unknown
	}
}

// killers are the causes by signals that nobody sends to end a program: the others
// are somebody's.
var killers = map[string]Cause{
	"SIGHUP":  ClosedTerminal,
	"SIGSEGV": Crash, "SIGABRT": Crash, "SIGBUS": Crash, "SIGFPE": Crash, "SIGILL": Crash, "SIGTRAP": Crash, "SIGSYS": Crash, "SIGEMT": Crash,
}

// numbered are the signals whose numbers mean the same on every system, for
// journals that have no names.
var numbered = map[int]string{1: "SIGHUP", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 8: "SIGFPE", 11: "SIGSEGV"}

// killedBy tells signals apart: some are the program's own doing.
func (s *session) killedBy() Cause {
	name := s.killer
	if name == "" && s.ExitCode != nil {
		name = numbered[*s.ExitCode-signalledFrom]
	}
	if c, ok := killers[name]; ok {
		return c
	}
	return Killed
}
