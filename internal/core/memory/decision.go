package memory

import (
	"strings"

	"kedge"
	"kedge/internal/text/glob"
	"kedge/internal/text/strict"
)

// reasonSection holds why a decision replaces another, withdrawnSection why one
// was taken back; only such a one has it.
const (
	reasonSection    = "Reason for superseding"
	withdrawnSection = "Withdrawn"
)

var (
	decisionForm = form{
		keys:     []string{"version", "id", "status", "reversibility", "supersedes", "by", "date", "applies_to"},
		lists:    []string{"applies_to"},
		sections: []string{"Why", "Rejected", reasonSection, withdrawnSection},
		optional: []string{reasonSection, withdrawnSection},
	}
	decisionStatuses = []string{string(kedge.DecisionProposed), string(kedge.DecisionLocked), string(kedge.DecisionSuperseded)}
	reversibilities  = []string{"easy", "hard", "one-way"}
)

// DecisionFile names the file of a decision in .kedge/decisions.
func DecisionFile(d kedge.Decision) string { return string(d.ID) + "-" + Slug(d.Title) + ".md" }

// CheckDecision says what keeps d from being kept. It looks at d alone; see
// Conflicts for the others.
func CheckDecision(d kedge.Decision) error { return firstProblem(decisionProblems(d)).err }

func decisionProblems(d kedge.Decision) []problem {
	return []problem{
		{"id", checkDecisionID(d.ID)},
		{"status", oneOf("a status of a decision", string(d.Status), decisionStatuses)},
		{"reversibility", oneOf("a reversibility", d.Reversibility, reversibilities)},
		{"supersedes", checkSupersedes(d)},
		{"by", checkActor(d.By)},
		{"date", checkDate(d.Date)},
		{"title", checkTitle("the title", d.Title)},
		{"Why", checkWhy(d)},
		{reasonSection, checkText("the reason for superseding", d.Reason)},
		{withdrawnSection, checkWithdrawn(d)},
		{"Rejected", checkRejected(d.Rejected)},
		{"applies_to", checkScope(d.AppliesTo)},
	}
}

func checkDecisionID(id kedge.DecisionID) error {
	if !kedge.ValidID("dec", string(id)) {
		return kedge.Errorf(kedge.Invalid, "%q is not the id of a decision", id).WithHint("see the ids: kedge decide ls")
	}
	return nil
}

func checkWhy(d kedge.Decision) error {
	if d.Why == "" {
		return kedge.Errorf(kedge.Invalid, "decision %q has no reason", d.Title).WithHint("kedge decide TITLE --why TEXT")
	}
	return checkText("the reason", d.Why)
}

// checkSupersedes holds a decision to "supersedes with a reason".
func checkSupersedes(d kedge.Decision) error {
	switch {
	case d.Supersedes == "" && d.Reason == "":
		return nil
	case d.Supersedes == "":
		return kedge.Errorf(kedge.Invalid, "decision %q gives a reason for replacing another decision, but does not name the other decision", d.Title).
			WithHint("name the replaced decision: --supersedes ID; to see the ids: kedge decide ls")
	case d.Supersedes == d.ID:
		return kedge.Errorf(kedge.Invalid, "decision %q cannot supersede itself", d.ID)
	case d.Reason == "":
		return kedge.Errorf(kedge.Invalid, "decision %q supersedes decision %q, but gives no reason", d.Title, d.Supersedes).
			WithHint("add the reason: --reason TEXT")
	}
	return checkDecisionID(d.Supersedes)
}

// checkWithdrawn: what was taken back holds no longer.
func checkWithdrawn(d kedge.Decision) error {
	if d.Withdrawn != "" && d.Status != kedge.DecisionSuperseded {
		return kedge.Errorf(kedge.Invalid, "decision %q cannot be both withdrawn and %s", d.ID, d.Status)
	}
	return checkText("the reason for withdrawing", d.Withdrawn)
}

func checkRejected(rejected []kedge.Rejected) error {
	if len(rejected) > maxItems {
		return kedge.Errorf(kedge.Invalid, "a decision can have at most %d rejected alternatives", maxItems).WithHint("put the others into the reason: --why TEXT")
	}
	for _, r := range rejected {
		if got, err := ParseRejected(r.What + ": " + r.Reason); err != nil || got != r {
			return kedge.Errorf(kedge.Invalid, "the rejected alternative %q or its reason %q is empty, or not one line of plain text", r.What, r.Reason).WithHint(`write both as one line, like this: "what: reason"`)
		}
	}
	return nil
}

func checkScope(scope []string) error {
	if len(scope) > maxItems {
		return kedge.Errorf(kedge.Invalid, "a decision can apply to at most %d paths and topics", maxItems).WithHint("name a folder instead of its files, for example: --applies-to 'cmd/**'")
	}
	for _, s := range scope {
		if err := checkTitle("an entry of applies_to", s); err != nil {
			return err
		}
		if err := glob.Valid(s); err != nil {
			return err
		}
	}
	return nil
}

// ParseRejected reads "what: reason", the form in which people give a rejected
// path and in which a document holds it.
func ParseRejected(s string) (kedge.Rejected, error) {
	what, reason, ok := strings.Cut(OneLine(s), ": ")
	if !ok || what == "" || reason == "" {
		return kedge.Rejected{}, kedge.Errorf(kedge.Invalid, "the rejected alternative %q has no reason", s).
			WithHint(`write the alternative and its reason like this: "what: reason"`)
	}
	return kedge.Rejected{What: what, Reason: reason}, nil
}

// Conflicts gives the locked decisions that d contradicts: those with the same
// title, or with an overlapping scope, which d does not supersede. A decision
// that is not locked contradicts nothing.
func Conflicts(existing []kedge.Decision, d kedge.Decision) []kedge.Decision {
	var found []kedge.Decision
	if d.Status != kedge.DecisionLocked {
		return nil
	}
	for _, e := range existing {
		if e.Status == kedge.DecisionLocked && e.ID != d.ID && e.ID != d.Supersedes && meets(e, d) {
			found = append(found, e)
		}
	}
	return found
}

func meets(a, b kedge.Decision) bool {
	if strings.EqualFold(a.Title, b.Title) {
		return true
	}
	for _, x := range a.AppliesTo {
		for _, y := range b.AppliesTo {
			if scopesMeet(x, y) {
				return true
			}
		}
	}
	return false
}

// scopesMeet compares two entries of applies_to. An entry is a topic, a path or
// a pattern, and which of these a plain word is cannot be told: so it is all of
// them, and also stands for what lies below the folder of that name.
func scopesMeet(a, b string) bool {
	return strings.EqualFold(a, b) || glob.Overlap(a, b) || glob.Overlap(a+"/**", b) || glob.Overlap(a, b+"/**")
}

// DecidedAgainst gathers what locked decisions rejected, in the order of the
// decisions, each path once: what a fresh session must not try again.
func DecidedAgainst(ds []kedge.Decision) []kedge.Rejected {
	out := []kedge.Rejected{}
	seen := map[string]bool{}
	for _, d := range ds {
		if d.Status != kedge.DecisionLocked {
			continue
		}
		for _, r := range d.Rejected {
			if key := strings.ToLower(r.What); !seen[key] {
				seen[key] = true
				out = append(out, r)
			}
		}
	}
	return out
}

// StillRejected leaves out of a list that was written down earlier what only
// superseded decisions rejected: the one that replaced them may have chosen
// exactly that.
func StillRejected(ds []kedge.Decision, list []kedge.Rejected) []kedge.Rejected {
	holds, past := map[kedge.Rejected]bool{}, map[kedge.Rejected]bool{}
	for _, d := range ds {
		for _, r := range d.Rejected {
			if d.Status == kedge.DecisionLocked {
				holds[r] = true
			} else {
				past[r] = true
			}
		}
	}
	out := []kedge.Rejected{}
	for _, r := range list {
		if holds[r] || !past[r] {
			out = append(out, r)
		}
	}
	return out
}

// WriteDecision gives the file of a decision. It expects what CheckDecision
// accepts.
func WriteDecision(d kedge.Decision) []byte {
	sections := []section{{name: "Why", text: d.Why}, {name: "Rejected", text: rejectedText(d.Rejected)}}
	if d.Reason != "" {
		sections = append(sections, section{name: reasonSection, text: d.Reason})
	}
	if d.Withdrawn != "" {
		sections = append(sections, section{name: withdrawnSection, text: d.Withdrawn})
	}
	return writeDocument([]strict.Field{
		strict.Text("version", version),
		strict.Text("id", string(d.ID)),
		strict.Text("status", string(d.Status)),
		strict.Text("reversibility", d.Reversibility),
		strict.Text("supersedes", string(d.Supersedes)),
		strict.Text("by", string(d.By)),
		strict.Text("date", formatTime(d.Date)),
		strict.List("applies_to", d.AppliesTo),
	}, d.Title, "", sections)
}

func rejectedText(rejected []kedge.Rejected) string {
	lines := make([]string, len(rejected))
	for i, r := range rejected {
		lines[i] = "- " + r.What + ": " + r.Reason
	}
	return strings.Join(lines, "\n")
}

// ParseDecision reads the file of a decision.
func ParseDecision(file string, b []byte) (kedge.Decision, error) {
	doc, err := parseDocument(file, b, decisionForm)
	if err != nil {
		return kedge.Decision{}, err
	}
	if doc.intro != "" {
		return kedge.Decision{}, invalid(file, doc.line+1, "there is text between the title and section %q", "Why")
	}
	rejected, err := parseRejectedItems(&doc)
	if err != nil {
		return kedge.Decision{}, err
	}
	d := kedge.Decision{
		ID: kedge.DecisionID(doc.text("id")), Status: kedge.DecisionStatus(doc.text("status")), Title: doc.title,
		Why: doc.section("Why").text, Rejected: rejected, Reversibility: doc.text("reversibility"),
		Supersedes: kedge.DecisionID(doc.text("supersedes")), Reason: doc.section(reasonSection).text,
		Withdrawn: doc.section(withdrawnSection).text,
		By:        kedge.Actor(doc.text("by")), Date: parseTime(doc.text("date")), AppliesTo: doc.list("applies_to"),
	}
	return d, doc.place(firstProblem(decisionProblems(d)))
}

func parseRejectedItems(doc *document) ([]kedge.Rejected, error) {
	out := []kedge.Rejected{}
	items, err := doc.items(doc.section("Rejected"))
	for _, it := range items {
		r, err := ParseRejected(it.text)
		if err != nil {
			return nil, invalid(doc.file, it.line, "%w", err)
		}
		out = append(out, r)
	}
	return out, err
}
