package slot

import (
	"fmt"
	"strings"

	"kedge"
	"kedge/internal/text/words"
)

// LandAgain asks for landing once more, behind a step that changes what was in the way.
func LandAgain() kedge.NextStep { return kedge.Step("kedge", "land") }

// Got says that the branch moved on.
func (m Meeting) Got() string {
	return m.Branch + " got " + words.Count(m.Own, "new commit") + " since the run began"
}

// Refusal says why the two cannot be merged, and how you bring the work in by hand; empty: they
// can.
func (m Meeting) Refusal() (reason string, next []kedge.NextStep) {
	switch {
	case m.Way == Behind:
		return "", nil
	case m.Busy == "MERGE_HEAD":
		commit := kedge.Step("git", "commit", "--no-edit").AndThen(LandAgain())
		return "a merge is not finished in your checkout", []kedge.NextStep{commit.For("finish the merge, once it has no conflicts"), kedge.Step("git", "merge", "--abort").AndThen(LandAgain()).For("or leave it")}
	case m.Busy != "":
		return "a git command is not finished in your checkout (" + m.Busy + ")", []kedge.NextStep{kedge.Step("git", "status").For("see how to finish or abort it")}
	case m.InRun:
		return m.Got() + ", and your checkout is on the run's own branch, into which Kedge must merge", []kedge.NextStep{kedge.Step("git", "switch", m.Branch).AndThen(LandAgain())}
	case m.Way == Rewritten && len(m.Lost) == 0:
		return "the commits of " + m.Branch + " and those of the run have nothing in common", m.ByHand()
	case m.Way == Rewritten:
		base := words.Hash(m.Lost[0].SHA)
		reason = fmt.Sprintf("branch %s was rewritten since the run began: it no longer has commit %s (%s)", m.Branch, base, words.FirstLine(m.Lost[0].Message))
		pick := kedge.Step("git", "cherry-pick", base+".."+Branch(m.Run)).AndThen(LandAgain())
		return reason, []kedge.NextStep{m.there(pick).For("put the commits of the run on top of your branch")}
	case len(m.Conflicts) > 0:
		by := m.ByHand()
		by[0].Why = "merge the work of the run; git stops, and marks the conflicts in these files"
		return m.Got() + ", and a merge conflicts in: " + strings.Join(m.Conflicts, ", "), []kedge.NextStep{by[0], m.finish(), by[1]}
	default:
		return "", nil
	}
}

// finish ends a merge whose conflicts you have resolved.
func (m Meeting) finish() kedge.NextStep {
	commit := kedge.Step("git", "commit", "--no-edit").AndThen(LandAgain())
	return kedge.Step("git", append([]string{"add", "--"}, m.Conflicts...)...).AndThen(commit).For("once you have resolved them: finish the merge")
}

// ByHand are the ways to bring the work in yourself.
func (m Meeting) ByHand() []kedge.NextStep {
	return []kedge.NextStep{
		m.there(kedge.Step("git", "merge", Branch(m.Run))).For("merge the work of the run into your branch"),
		m.there(kedge.Step("git", "merge", "-s", "ours", Branch(m.Run))).For("or, if your branch already has what you want of that work, record that in git"),
	}
}

// MendSteps merge the two in your checkout, where you can mend what is red in that.
func (m Meeting) MendSteps() []kedge.NextStep {
	return []kedge.NextStep{
		m.there(kedge.Step("git", "merge", "--no-ff", "--no-commit", Branch(m.Run))).For("merge the work of the run into your checkout, without a commit"),
		kedge.Step("kedge", "gate", "--all").For("see what is red there, and fix it"),
		kedge.Step("git", "commit", "-a", "--no-edit").AndThen(LandAgain()).For("once it is green: finish the merge"),
	}
}

// there is a step on the branch: it begins with a switch where another one is checked out.
func (m Meeting) there(step kedge.NextStep) kedge.NextStep {
	if m.Here {
		return step
	}
	return kedge.Step("git", "switch", m.Branch).AndThen(step)
}
