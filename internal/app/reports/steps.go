package reports

import (
	"cmp"
	"strconv"
	"strings"

	"kedge"
	"kedge/internal/core/delta"
	"kedge/internal/core/run"
	"kedge/internal/text/lazyre"
	"kedge/internal/text/words"
)

// wordsFor tells a step in one line; empty for what a person need not read.
// about is the command that the event answers.
func wordsFor(d delta.Stepped, about run.Command) string {
	ev := d.Event
	text := happened(ev, about)
	if by, _ := caught(ev, about); by != "" {
		text = "the claim to be done was false; " + text
	}
	text = joined(text, doubtWords(d))
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

// doubtWords says why work that is green in full does not count yet: what its tests leave open.
func doubtWords(d delta.Stepped) string {
	if d.Event.Kind != run.Integrated || d.Event.Outcome != run.Green || d.Event.Moot {
		return ""
	}
	for _, c := range d.Commands() {
		switch {
		case c.Kind == run.Mark && c.Status == kedge.NeedsReview:
			return words.FirstLine(c.Reason)
		case c.Purpose == run.Repair && (c.Kind == run.Brief || c.Kind == run.Prepare):
			return words.FirstLine(cmp.Or(d.Event.Untested, c.Failure))
		}
	}
	return ""
}

// waitWords tells for how long a run waits for a provider.
func waitWords(c run.Command) string {
	at := c.At.Add(c.Wait).UTC().Format("15:04 UTC")
	if c.Until.IsZero() {
		return "waits for the provider, which did not say how long; tries again in " + words.Age(c.Wait) + " (" + at + "); to try now: kedge run --continue"
	}
	return "waits for the provider for " + words.Age(c.Wait) + " (until " + at + "); to try now: kedge run --continue"
}

// startWords tells the start of a session; a fresh one is the usual.
func startWords(c run.Command) string {
	text := "session starts (" + string(c.Purpose) + ", attempt " + strconv.Itoa(c.Attempt) + ")"
	if c.Route != "" {
		text += " with " + c.Route
	}
	if c.Resume != "" {
		return because(text+" in the conversation of the previous session", c.Reason)
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

// PlansAgain is the reason of an answer that is none: you want the plan made again.
const PlansAgain = "plan again"

// PlansOn is the reason of an answer that is none: planning can do without the one that it
// asked for.
const PlansOn = "plan on"

// happened tells an event without what followed from it.
func happened(ev run.Input, about run.Command) string {
	if ev.Outcome == run.Failed || ev.Outcome == run.Drifted {
		return because(cmp.Or(couldNot[about.Kind], "a step could not be done"), ev.Reason)
	}
	if quiet[ev.Kind] || ev.Outcome == run.WantCheckpoint && ev.Reason == run.SavesActs {
		return ""
	}
	switch ev.Kind {
	case run.Begun:
		return "the run starts from commit " + words.Hash(ev.Commit)
	case run.TakenOver:
		return "another daemon continues the run"
	case run.Prepared:
		return preparedWords(ev)
	case run.Proved:
		return withPlan(verdictWords(ev, about), ev.Text)
	case run.Gated, run.Integrated:
		return verdictWords(ev, about)
	case run.Exited, run.Signalled:
		return sessionWords(ev)
	case run.Parked:
		return "its work is kept, and another feature gets its worktree"
	case run.Inspected:
		return inspectWords(ev, about)
	case run.Committed:
		if about.Purpose == run.TakeBack {
			return "its work was reverted by commit " + words.Hash(ev.Commit)
		}
		return "committed as " + words.Hash(ev.Commit)
	case run.Rechecked: // of an older Kedge
		return regressedWords(ev)
	case run.Ledgered:
		return ledgerWords(about)
	case run.Reverted:
		if ev.Text == "" {
			return "its worktree is clean again"
		}
		return "its work is set aside as " + ev.Text + " (kedge salvage ls)"
	case run.Landed:
		return landWords(ev, about)
	case run.Said, run.Answered:
		if ev.Reason == PlansAgain {
			return withReason("planning was started again", run.Input{Actor: ev.Actor})
		}
		if ev.Reason == PlansOn {
			return "planning continues without an answer"
		}
		if ev.Kind == run.Answered {
			return because(withReason("answered", ev), ev.Text)
		}
		return because("message"+from(ev.Actor), ev.Text)
	default:
		return withReason(cmp.Or(youSaid[ev.Kind], words.Spaced(ev.Kind)), ev)
	}
}

// couldNot says of a command that it could not be carried out.
var couldNot = map[run.CommandKind]string{
	run.Prepare: "the worktree could not be prepared", run.Gate: "the checks could not be run", run.Prove: "the feature's checks could not be run",
	run.Brief: "the brief could not be written", run.StartSession: "the session could not start or continue", run.NextTurn: "the session could not continue",
	run.Tell: "the message could not be sent to the session", run.EndSession: "the session could not be ended", run.Checkpoint: "the checkpoint could not be saved",
	run.Park: "the worktree could not be given to another feature", run.Inspect: "the changes could not be checked", run.Integrate: "the work could not be merged", run.Commit: "the work could not be committed",
	run.Recheck: "completed features could not be checked", run.Note: "the note could not be saved", run.Mark: "the status could not be saved",
	run.Ledger: "the files under .kedge/ could not be committed", run.Revert: "the work could not be set aside", run.Land: "the work could not be landed",
	run.Timer: "the wait could not be started", run.Notify: "the notification could not be sent",
}

// youSaid are the words that a run got from you.
var youSaid = map[run.InputKind]string{
	run.PauseAsked: "paused", run.StopAsked: "stopped", run.LandAsked: "landing requested", run.Planned: "the features were updated",
	run.Amended: "its definition was changed", run.Accepted: "its work was accepted", run.Denied: "its work was refused", run.Barred: "blocked",
}

func preparedWords(ev run.Input) string {
	if ev.Outcome == run.CannotRun {
		return withReason("the set-up of the worktree cannot run here", ev)
	}
	return "worktree ready"
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
	return text + "; warning: " + red + " (if this work does not have to make it green: kedge run --pause; then correct a copy of .kedge/plan.md and run: kedge plan amend FILE --reason WHY)"
}

// inspectWords tells what became of looking at the changes of a session, and for
// a planning session at its plan.
func inspectWords(ev run.Input, about run.Command) string {
	planning := about.Purpose == run.MakePlan
	switch {
	case planning && ev.Outcome == run.Red:
		return because("its plan has mistakes", ev.Failure)
	case planning && (ev.Outcome == run.Empty || ev.Outcome == run.Clean):
		return "" // it changed no file, as it should be
	case planning:
		return withReason("the planning session changed files, which it must not do", ev)
	case ev.Outcome == run.Empty:
		return withReason("it changed nothing", ev)
	case ev.Outcome == run.Clean:
		return withReason("changes checked: ok", ev)
	case ev.Outcome == run.Outside:
		return withReason("changes checked: files outside its paths", ev)
	case ev.Outcome == run.Unapproved:
		return withReason("changes checked: they need your review", ev)
	}
	return withReason("changes checked: not allowed", ev)
}

// because adds the first line of a reason: after a colon, or after a semicolon where
// the text has a colon already.
func because(text, reason string) string {
	reason = words.FirstLine(reason)
	switch {
	case reason == "":
		return text
	case strings.Contains(text, ": "):
		return text + "; " + reason
	default:
		return text + ": " + reason
	}
}

func from(who kedge.Actor) string {
	if !who.IsHuman() {
		return ""
	}
	return " from " + who.Name()
}

func withReason(text string, ev run.Input) string {
	if ev.Actor.IsHuman() {
		text += " by " + ev.Actor.Name()
	}
	return because(text, ev.Reason)
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
		return because("stopped at the gate", ev.Reason)
	}
	text := what + ": " + verdictWord(ev)
	switch {
	case ev.Outcome == run.Tests:
		return text
	case ev.Kind == run.Gated && about.Purpose == run.FixFirst && about.Tree != "" && ev.Outcome == run.Green:
		return text + " now, so no session works on it"
	case ev.Moot && (ev.Outcome == run.Green || ev.Outcome == run.Empty):
		return because(text+", and nothing is left of its work", ev.Text)
	}
	if f := words.FirstLine(ev.Failure); f != "" {
		return because(text, f)
	}
	return withReason(text, ev)
}

func verdictWord(ev run.Input) string {
	switch ev.Outcome {
	case run.Fails:
		return "red, as they must be"
	case run.CannotRun, run.Broken:
		return "cannot run here"
	case run.Green:
		if ev.Kind == run.Proved {
			return "green already"
		}
		return "green"
	case run.Tests:
		return "green already; its new tests must show what the work does"
	case run.NoChecks:
		return "it has none"
	case run.Partial:
		return "green, but not all checks ran"
	case run.Void:
		return "the files changed meanwhile, so it does not count"
	case run.Conflicting:
		return "conflicts with other work"
	case run.Regressed:
		return regressedWords(ev)
	case run.Empty:
		return "there is no check"
	default:
		return words.Spaced(ev.Outcome)
	}
}

// signalKind is the kind of a signal in front of its reason: the reason says it all.
var signalKind = lazyre.New(`^[a-z_]+: `)

func sessionWords(ev run.Input) string {
	if ev.Kind == run.Signalled {
		ev.Reason = signalKind.ReplaceAllString(ev.Reason, "")
	}
	switch ev.Outcome {
	case run.Finished:
		return "the agent says that it is done"
	case run.Asked:
		return because("the agent asks", cmp.Or(ev.Text, ev.Reason))
	case run.HitLimit:
		return withReason("the session ended at a provider's limit", ev)
	case run.Noticed:
		return words.FirstLine(ev.Reason)
	case run.Killed:
		return "the session was killed"
	case run.Unapproved:
		return withReason("Kedge starts no session", ev)
	case run.Crashed:
		return withReason("the session ended with an error", ev)
	case run.Closed:
		return withReason("the session was ended", ev)
	case run.NoLogin:
		return withReason("the agent cannot work", ev)
	case run.Stalled:
		return withReason("the session is stuck", ev)
	case run.WantCheckpoint:
		return withReason("Kedge asks the session for a checkpoint", ev)
	case run.WantHandover:
		return withReason("Kedge asks the session to hand over to a fresh one", ev)
	default:
		return withReason("the session ended ("+words.Spaced(ev.Outcome)+")", ev)
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
	return strings.Join(ids, ", ") + " red again"
}

func ledgerWords(c run.Command) string {
	text := words.Spaced(c.Status)
	if c.Status == kedge.Completed && c.Evidence != "" {
		text += ", verified by " + string(c.Evidence)
	}
	switch {
	case c.Status != kedge.Completed:
		return because(text, c.Reason)
	case c.Feature == "" && c.Commit == "" && c.Reason != "": // a baseline that nobody mended
		return c.Reason
	default:
		return text
	}
}

func landWords(ev run.Input, about run.Command) string {
	switch {
	case ev.Outcome != run.OK:
		return because("not landed", ev.Reason)
	case ev.Reason != "":
		return "landed: branch \"" + ev.Text + "\" is at commit " + words.Hash(ev.Commit) + ", " + ev.Reason
	case ev.Commit != "" && ev.Commit != about.Commit:
		return "nothing to land: branch \"" + ev.Text + "\" has the work already, in commits of its own"
	case ev.Text != "":
		return "landed: branch \"" + ev.Text + "\" is at commit " + words.Hash(about.Commit)
	}
	return "landed: the branch is at commit " + words.Hash(about.Commit)
}
