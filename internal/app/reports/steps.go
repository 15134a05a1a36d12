package reports

import (
	"cmp"
	"strconv"
	"strings"

	"kedge"
	"kedge/internal/core/run"
	"kedge/internal/text/words"
)

// wordsFor tells a step in one line; empty for what a person need not read.
// about is the command that the event answers.
func wordsFor(d run.Stepped, about run.Command) string {
	ev := d.Event
	text := happened(ev, about)
	if by, _ := caught(ev, about); by != "" {
		text = "the claim to be done was false; " + text
	}
	for _, c := range d.Commands() {
		if c.Kind == run.StartSession && c.Adopts == 0 {
			text = joined(text, startWords(c))
		}
		if c.WaitsForProvider() && c.Adopts == 0 {
			text = joined(text, waitWords(c))
		}
	}
	return text
}

// waitWords tells for how long a run waits for a provider.
func waitWords(c run.Command) string {
	at := c.At.Add(c.Wait).UTC().Format("15:04 UTC")
	if c.Until.IsZero() {
		return "waits for the provider, which did not say how long: tried again in " + words.Age(c.Wait) + " (" + at + "); to try now: kedge run --continue"
	}
	return "waits for the provider for " + words.Age(c.Wait) + " (until " + at + "); to try now: kedge run --continue"
}

// startWords tells the start of a session; a fresh one is the usual.
func startWords(c run.Command) string {
	text := "session starts (" + string(c.Purpose) + ", attempt " + strconv.Itoa(c.Attempt) + ")"
	if c.Resume != "" {
		text += " in the conversation of the one before: " + words.FirstLine(c.Reason)
	}
	if c.Route != "" {
		text += " with " + c.Route
	}
	return text
}

func joined(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, "; ")
}

// quiet are the events that only matter to the run itself.
var quiet = map[run.InputKind]bool{
	run.Marked: true, run.Notified: true, run.Noted: true, run.Checkpointed: true, run.Used: true, run.Briefed: true,
	run.TurnEnded: true, run.Ended: true, run.Told: true, run.Fired: true,
}

// happened tells an event without what followed from it.
func happened(ev run.Input, about run.Command) string {
	if ev.Outcome == run.Failed || ev.Outcome == run.Drifted {
		return string(about.Kind) + " could not be done: " + words.FirstLine(ev.Reason)
	}
	if quiet[ev.Kind] || ev.Outcome == run.WantCheckpoint && ev.Reason == run.SavesActs {
		return ""
	}
	switch ev.Kind {
	case run.Begun:
		return "the run begins at " + words.Hash(ev.Commit)
	case run.TakenOver:
		return "another daemon continues the run"
	case run.Proved:
		return withPlan(verdictWords(ev, about), ev.Text)
	case run.Gated, run.Integrated:
		return verdictWords(ev, about)
	case run.Exited, run.Signalled:
		return sessionWords(ev)
	case run.Inspected:
		return inspectWords(ev, about)
	case run.Committed:
		if about.Purpose == run.TakeBack {
			return "taken back as " + words.Hash(ev.Commit)
		}
		return "committed as " + words.Hash(ev.Commit)
	case run.Rechecked: // of an older Kedge
		return regressedWords(ev)
	case run.Ledgered:
		return ledgerWords(about)
	case run.Reverted:
		return "set aside, the worktree is back at " + words.Hash(about.Base)
	case run.Landed:
		return landWords(ev, about)
	case run.Said, run.Answered:
		return withText(withReason(map[run.InputKind]string{run.Said: "told", run.Answered: "answered"}[ev.Kind], ev), ev.Text)
	default:
		return withReason(strings.ReplaceAll(string(ev.Kind), "_", " "), ev)
	}
}

// withPlan adds which checks of the plan are red before the work, and what you can do: they
// keep the feature from being completed unless its work makes them green.
func withPlan(text, red string) string {
	red = words.FirstLine(red)
	switch {
	case red == "":
		return text
	case !strings.Contains(red, "by the plan: "): // none is due with this work
		return text + "; " + red
	}
	return text + "; warning: " + red + " (if this work is not to make it green: kedge run --pause, then correct a copy of .kedge/plan.md: kedge plan amend FILE --reason WHY)"
}

// inspectWords tells what became of looking at the changes of a session, and for
// a planning session at its plan.
func inspectWords(ev run.Input, about run.Command) string {
	planning := about.Purpose == run.MakePlan
	switch {
	case planning && ev.Outcome == run.Red:
		return "its plan has faults: " + words.FirstLine(ev.Failure)
	case planning && (ev.Outcome == run.Empty || ev.Outcome == run.Clean):
		return "" // it changed no file, as it should be
	case planning:
		return withReason("it changed files, which a planning session may not", ev)
	case ev.Outcome == run.Empty:
		return withReason("it changed nothing", ev)
	case ev.Outcome == run.Clean:
		return withReason("changes checked: ok", ev)
	case ev.Outcome == run.Outside:
		return withReason("changes checked: files outside its paths", ev)
	case ev.Outcome == run.Unapproved:
		return withReason("changes checked: they need your review", ev)
	}
	return withReason("changes looked at: "+strings.ReplaceAll(string(ev.Outcome), "_", " "), ev)
}

func withText(text, said string) string {
	if said = words.FirstLine(said); said != "" {
		text += ": " + said
	}
	return text
}

func withReason(text string, ev run.Input) string {
	if ev.Actor.IsHuman() {
		text += " by " + ev.Actor.Name()
	}
	if r := words.FirstLine(ev.Reason); r != "" {
		text += ": " + r
	}
	return text
}

// verdictWords tells what a gate, or the feature's own checks, said.
func verdictWords(ev run.Input, about run.Command) string {
	what := map[run.InputKind]string{run.Proved: "its checks before the work", run.Integrated: "merged and checked in full"}[ev.Kind]
	if about.Purpose == run.TakeBack {
		what = "without its work, checked in full"
	}
	if what == "" && about.Tree != "" {
		what = "the baseline"
	} else if what == "" {
		what = "checked"
	}
	if ev.Outcome == run.Outside {
		return "stopped at the gate: " + words.FirstLine(ev.Reason)
	}
	text := what + ": " + verdictWord(ev)
	if f := words.FirstLine(ev.Failure); f != "" {
		return text + ": " + f
	}
	return withReason(text, ev)
}

func verdictWord(ev run.Input) string {
	switch ev.Outcome {
	case run.Fails:
		return "red, as they must be"
	case run.CannotRun:
		return "cannot run here"
	case run.Regressed:
		return regressedWords(ev)
	case run.Empty:
		return "there is no check"
	default:
		return strings.ReplaceAll(string(ev.Outcome), "_", " ")
	}
}

func sessionWords(ev run.Input) string {
	switch ev.Outcome {
	case run.Finished:
		return "the agent says that it is done"
	case run.Asked:
		return "the agent asks: " + words.FirstLine(cmp.Or(ev.Text, ev.Reason))
	case run.HitLimit:
		return withReason("the session ended at a provider's limit", ev)
	case run.Noticed:
		return words.FirstLine(ev.Reason)
	case run.Killed:
		return "the session was killed"
	case run.Unapproved:
		return withReason("no session is started", ev)
	case run.WantCheckpoint:
		return withReason("a checkpoint of the session is asked for", ev)
	case run.WantHandover:
		return withReason("the session is asked to hand over", ev)
	default:
		return withReason("the session: "+strings.ReplaceAll(string(ev.Outcome), "_", " "), ev)
	}
}

func regressedWords(ev run.Input) string {
	if len(ev.Features) == 0 {
		return ""
	}
	var ids []string
	for _, id := range ev.Features {
		ids = append(ids, string(id))
	}
	return "red again: " + strings.Join(ids, ", ")
}

func ledgerWords(c run.Command) string {
	text := strings.ReplaceAll(string(c.Status), "_", " ")
	if c.Status == kedge.Completed && c.Evidence != "" {
		text += ", verified by " + string(c.Evidence)
	}
	if r := words.FirstLine(c.Reason); r != "" && c.Status != kedge.Completed {
		text += ": " + r
	}
	return text
}

func landWords(ev run.Input, about run.Command) string {
	switch {
	case ev.Outcome != run.OK:
		return "not landed: " + words.FirstLine(ev.Reason)
	case ev.Commit != "" && ev.Commit != about.Commit:
		return "nothing to land: branch \"" + ev.Text + "\" has the work in commits of its own"
	case ev.Text != "":
		return "landed: branch \"" + ev.Text + "\" has " + words.Hash(about.Commit)
	}
	return "landed: the branch is at " + words.Hash(about.Commit)
}
