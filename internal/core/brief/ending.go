package brief

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"kedge"
	"kedge/internal/text/words"
)

// Ending is what is known of a session of a run that ended before its work was done:
// what Kedge saw, and what its agent said.
type Ending struct {
	ID      kedge.CheckpointID
	Session kedge.SessionID
	Feature kedge.FeatureID
	At      time.Time
	Task    string // the feature and its name, or what else the session was for

	Why      string         // why it ended
	Own      *kedge.Handoff // that the agent saved itself; nil: it did not
	Closing  string         // the last that the agent said
	Changed  []string       // paths, not committed
	SetAside bool           // what it changed is no longer in the worktree
	InFlight string         // what it was doing
	Tried    string         // its last command, where that failed, with the result
	Next     string         // what would come next, by what it did and said
	RuledOut []kedge.Rejected
	Failure  string // the first failure of the checks after its work; empty: they did not run, or were green
	Conflict string // of its work with what was done meanwhile; empty: none
	Checks   int    // that ran after its work
	Green    int    // of these
	Question string // that it waits for
	Command  string // with which the work continues
	Risks    []string
}

// The most that a handoff has of each of its parts.
const (
	maxEnding      = 400 // bytes
	maxEndingFiles = 12
	maxEndingList  = 4
)

// HandoffOf makes the handoff of such a session. The agent's own words come first where
// it gave any; what Kedge knows stands behind them.
func HandoffOf(e Ending) kedge.Handoff {
	own := kedge.Handoff{}
	if e.Own != nil {
		own = *e.Own
	}
	h := kedge.Handoff{
		ID: e.ID, Session: e.Session, Feature: e.Feature, At: e.At, Percent: e.percent(),
		State:       sentences(own.State, e.state()),
		Files:       firstOf(slices.DeleteFunc(merged(own.Files, e.Changed), func(p string) bool { return !validPath(p) }), maxEndingFiles),
		Approach:    sentences(own.Approach, e.approach()),
		Constraints: own.Constraints,
		RuledOut:    append(own.RuledOut[:len(own.RuledOut):len(own.RuledOut)], firstOf(e.RuledOut, maxEndingList)...),
		Next:        sentences(own.Next, e.next()),
		BlockedOn:   sentences(own.BlockedOn, words.ClipBytes(line(e.Question), maxEnding)),
		Risks:       e.Risks,
	}
	return shortened(h)
}

// shortened drops what matters least until the handoff is under its cap.
func shortened(h kedge.Handoff) kedge.Handoff {
	for {
		fit, ok := FitHandoff(h)
		switch {
		case ok:
			return fit
		case len(h.RuledOut) > 0:
			h.RuledOut = h.RuledOut[:len(h.RuledOut)-1]
		case len(h.Constraints) > 0:
			h.Constraints = h.Constraints[:len(h.Constraints)-1]
		case len(h.Files) > 1:
			h.Files = h.Files[:len(h.Files)-1]
		case max(len(h.State), len(h.Approach), len(h.Next), len(h.BlockedOn)) > maxEnding/2:
			h.State, h.Approach, h.Next = words.ClipBytes(h.State, maxEnding/2), words.ClipBytes(h.Approach, maxEnding/2), words.ClipBytes(h.Next, maxEnding/2)
			h.BlockedOn = words.ClipBytes(h.BlockedOn, maxEnding/2)
		case len(h.Files) > 0:
			h.Files = nil // a path longer than all else
		default:
			return fit
		}
	}
}

// percent is what the agent says, else how many of the checks were green after its
// work. That is never all of it: it was not done.
func (e Ending) percent() int {
	switch {
	case e.Own != nil:
		return e.Own.Percent
	case e.Checks > 0:
		return min(100*e.Green/e.Checks, 90)
	default:
		return 0
	}
}

func (e Ending) state() string {
	did := "It changed nothing"
	if n := len(e.Changed); n > 0 {
		did = "It changed " + words.Count(n, "file")
		if e.SetAside {
			did += ", set aside (kedge salvage ls)"
		}
	}
	checked := "not checked yet"
	switch {
	case e.Conflict != "":
		checked = words.ClipBytes(line(e.Conflict), maxEnding/2)
	case e.Failure != "":
		checked = "red: " + words.ClipBytes(line(e.Failure), maxEnding/2)
	case e.Checks > 0:
		checked = strconv.Itoa(e.Green) + " of " + words.Count(e.Checks, "check") + " green"
	}
	return line(e.Task) + ". " + did + "; " + checked + ". It ended: " + words.ClipBytes(line(e.Why), maxEnding/2)
}

// approach is what the agent said and did last.
func (e Ending) approach() string {
	var parts []string
	if said := words.ClipBytes(line(e.Closing), maxEnding/2); said != "" {
		parts = append(parts, "It said last: "+said)
	}
	if e.InFlight != "" {
		parts = append(parts, "In flight: "+words.ClipBytes(line(e.InFlight), maxEnding/2))
	}
	if e.Tried != "" {
		parts = append(parts, "Tried: "+words.ClipBytes(line(e.Tried), maxEnding/2))
	}
	if len(parts) == 0 && e.Own == nil {
		return "unknown: the agent said nothing"
	}
	return strings.Join(parts, "; ")
}

func (e Ending) next() string {
	switch {
	case e.Conflict != "":
		return "Resolve the conflict, so that both sides keep what they are for"
	case e.Failure != "":
		return "Find the cause of the first failure, then make it green: " + words.ClipBytes(line(e.Failure), maxEnding)
	case e.Own != nil:
		return ""
	case e.Next != "":
		return words.ClipBytes(line(e.Next), maxEnding)
	case e.Command != "":
		return "Continue with " + line(e.Task) + ": " + line(e.Command)
	default:
		return "Continue with " + line(e.Task)
	}
}

// sentences joins what is said of the same thing.
func sentences(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, ". ")
}

// merged is the first list, and what only the second has.
func merged(a, b []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, s := range append(a[:len(a):len(a)], b...) {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

func firstOf[T any](list []T, n int) []T { return list[:min(len(list), n)] }
