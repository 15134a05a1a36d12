package plan

import "kedge"

// UncheckedText says what it means that a feature has no check; empty where it has one.
func UncheckedText(f kedge.Definition) string {
	if len(f.Checks) > 0 {
		return ""
	}
	return string(f.ID) + " has no check, so Kedge cannot verify its work: the work will wait for your review" +
		" (kedge approve, kedge deny), and nothing of its run lands before that"
}

// AddCheck is the step that gives a feature a check.
func AddCheck(id kedge.FeatureID) kedge.NextStep {
	return kedge.Step("kedge", "feature", "amend", string(id), "--check", "COMMAND", "--reason", "WHY").For("give it a check")
}
