package memory

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"kedge"
)

// ContextEdit is a difference between AGENT_CONTEXT.md and the ledger. Decision is what
// a new line becomes; Objective what a new objective is. Else the edit is only reported:
// Restored tells that Kedge puts the line back or takes it out.
type ContextEdit struct {
	Found     string
	Decision  *kedge.Decision
	Objective string
	Restored  bool
}

// Signed is who made the edits of a file, and when.
type Signed struct {
	By kedge.Actor
	At time.Time
}

// ContextOrigin is where the text of AGENT_CONTEXT.md comes from. Touched tells that
// somebody edited the file here: only then is a missing line one that was removed, and not
// one that this checkout never had. Committed is the file of the last commit: what stands
// there may be anybody's. Told are the edits that were reported before and not imported.
type ContextOrigin struct {
	Touched   bool
	Committed []byte
	Told      []string
}

// ContextEdits compares AGENT_CONTEXT.md with the ledger. New lines that were written here
// become decisions. One replaces a locked decision only where it has its title.
func ContextEdits(text []byte, f ContextFacts, by Signed, from ContextOrigin) []ContextEdit {
	r := contextReader{f: f, by: by, touched: from.Touched, committed: splitContext(string(from.Committed)), told: from.Told, decisions: slices.Clone(f.Decisions)}
	chunks := splitContext(string(text))
	for _, c := range chunks {
		switch {
		case c.part == ObjectivePart:
			r.objective(c)
		case c.part != "":
			r.items(c, chunks)
		}
	}
	if from.Touched {
		r.removed(chunks)
	}
	return r.out
}

// contextReader collects edits; decisions are those of the ledger with the new ones.
type contextReader struct {
	f         ContextFacts
	by        Signed
	touched   bool
	committed []contextChunk
	told      []string
	decisions []kedge.Decision
	out       []ContextEdit
}

func (r *contextReader) objective(c contextChunk) {
	text := c.text()
	key := contextKey(ObjectivePart, text)
	static := key == contextKey(ObjectivePart, noObjective) || key == contextKey(ObjectivePart, openFeatures)
	switch {
	case text == "" || static || key == contextKey(ObjectivePart, r.f.objective()):
	case r.f.held(ObjectivePart, key) && !r.touched: // an older text of the file
	case len(text) > maxText:
		r.out = append(r.out, ContextEdit{Found: "the objective is too long to import; it stays in the file"})
	default:
		r.out = append(r.out, ContextEdit{Found: "the objective: " + OneLine(text), Objective: text})
	}
}

// items looks at the lines of a section.
func (r *contextReader) items(c contextChunk, all []contextChunk) {
	prose := false
	for _, b := range c.blocks {
		prose = prose || b.kind == proseBlock
		key := contextKey(c.part, b.text())
		switch {
		case b.kind != itemBlock || r.holds(c.part, key):
		case r.f.held(c.part, key):
			if r.touched {
				r.out = append(r.out, ContextEdit{Found: `"` + b.text() + `" is no longer in force and is removed; to decide it again: kedge decide TITLE --why WHY`, Restored: true})
			}
		default:
			r.take(c.part, b.text(), all)
		}
	}
	if prose {
		r.out = append(r.out, ContextEdit{Found: `text under "` + string(c.part) + `" stays in the file but is not imported: only list items are; write it as "- …"`})
	}
}

func (r *contextReader) holds(part ContextPart, key string) bool {
	f := r.f
	f.Decisions = r.decisions
	return slices.ContainsFunc(f.lines(part), func(l contextLine) bool { return contextKey(part, l.text) == key })
}

// take makes a decision of a new line, or says why none can be made.
func (r *contextReader) take(part ContextPart, text string, all []contextChunk) {
	refuse := func(why string) {
		r.out = append(r.out, ContextEdit{Found: staysBecause(text, why)})
	}
	if utf8.RuneCountInString(text) > maxContext {
		refuse("it is longer than 1000 characters")
		return
	}
	d, reworded := r.constraint(text, all)
	if part == AgainstPart {
		d, reworded = r.against(text, all), ""
	}
	if err := CheckDecision(d); err != nil {
		refuse(err.Error())
		return
	}
	if c := Conflicts(r.decisions, d); len(c) > 0 {
		refuse("it contradicts " + string(c[0].ID) + ", which is locked")
		return
	}
	if o := r.alreadyAgainst(d); o != "" {
		refuse(string(o) + " already decided against it, for another reason")
		return
	}
	came := hasItem(r.committed, part, text)
	if old := cmp.Or(d.Supersedes, reworded); old != "" && (reworded != "" || came || !r.touched || r.wasTold(text, old)) {
		refuse(wouldReplace(old))
		return
	}
	if came {
		refuse("it is part of a commit, so someone else may have written it; if you agree: kedge decide TITLE --why WHY")
		return
	}
	for i := range r.decisions {
		if r.decisions[i].ID == d.Supersedes {
			r.decisions[i].Status = kedge.DecisionSuperseded
		}
	}
	r.decisions = append(r.decisions, d)
	r.out = append(r.out, ContextEdit{Found: what(part) + text, Decision: &d})
}

func staysBecause(text, why string) string {
	return `"` + clip(text) + `" stays in the file and is not imported: ` + why
}

func wouldReplace(old kedge.DecisionID) string {
	return "it would replace " + string(old) + ", which is locked; if you agree: kedge decide TITLE --why WHY --supersedes " + string(old) + " --reason WHY"
}

// wasTold tells whether a line was reported as one that would replace a decision. It stays
// that also where Kedge has put the line of the decision back beside it.
func (r *contextReader) wasTold(text string, old kedge.DecisionID) bool {
	return slices.Contains(r.told, staysBecause(text, wouldReplace(old)))
}

func what(part ContextPart) string {
	if part == AgainstPart {
		return "decided against: "
	}
	return "a constraint: "
}

// decision is a locked decision with a title and a reason.
func (r *contextReader) decision(title, why string) kedge.Decision {
	if why == "" {
		why = handWhy
	}
	return kedge.Decision{
		ID: kedge.DecisionID(kedge.DeriveID("dec", r.by.At, title+"\x00"+why)), Status: kedge.DecisionLocked, Title: titleOf(title), Why: why,
		Rejected: []kedge.Rejected{}, Reversibility: "easy", By: r.by.By, Date: r.by.At.UTC(), AppliesTo: []string{},
	}
}

// constraint is the decision of a line under "Constraints". A line with the title of a
// locked decision replaces that decision. Reworded is the locked decision that the line
// seems to be another wording of: only you can tell whether it is.
func (r *contextReader) constraint(text string, all []contextChunk) (d kedge.Decision, reworded kedge.DecisionID) {
	title, why := splitReason(ConstraintsPart, text)
	if utf8.RuneCountInString(title) > maxTitle {
		title, why = text, text
	}
	d = r.decision(title, why)
	same, alike := r.replaced(d, text, all)
	if same != nil {
		return superseding(d, *same), ""
	}
	return d, alike
}

func superseding(d, old kedge.Decision) kedge.Decision {
	d.Supersedes, d.Reason = old.ID, "changed in AGENT_CONTEXT.md by hand"
	d.AppliesTo, d.Reversibility = old.AppliesTo, old.Reversibility
	if len(d.Rejected) == 0 {
		d.Rejected = old.Rejected
	}
	return d
}

// replaced is the locked decision with the title of a new line; else the one that has most
// words in common with it, where these are many. Only decisions whose line is missing are
// looked at.
func (r *contextReader) replaced(d kedge.Decision, text string, all []contextChunk) (same *kedge.Decision, alike kedge.DecisionID) {
	share := 0.0
	for i, o := range r.decisions {
		line := constraintText(o)
		if o.Status != kedge.DecisionLocked || line == "" || hasItem(all, ConstraintsPart, line) && !r.wasTold(text, o.ID) {
			continue
		}
		if strings.EqualFold(o.Title, d.Title) {
			return &r.decisions[i], ""
		}
		if s := commonWords(line, text); s >= rewordedWords && s > share {
			alike, share = o.ID, s
		}
	}
	return nil, alike
}

// commonWords is the share of the words of two texts that both have.
func commonWords(a, b string) float64 {
	in, both := map[string]int{}, 0
	for _, w := range strings.Fields(strings.ToLower(a)) {
		in[w] |= 1
	}
	for _, w := range strings.Fields(strings.ToLower(b)) {
		in[w] |= 2
	}
	for _, n := range in {
		if n == 3 {
			both++
		}
	}
	return float64(both) / float64(max(len(in), 1))
}

// against is the decision of a line under "Decided Against".
func (r *contextReader) against(text string, all []contextChunk) kedge.Decision {
	what, reason := splitReason(AgainstPart, text)
	if reason == "" {
		reason = handWhy
	}
	d := r.decision(againstTitle+what, reason)
	d.Rejected = []kedge.Rejected{{What: what, Reason: reason}}
	for _, o := range r.decisions {
		if o.Status == kedge.DecisionLocked && strings.EqualFold(o.Title, d.Title) && constraintText(o) == "" && !hasItem(all, AgainstPart, againstText(o.Rejected[0])) {
			return superseding(d, o)
		}
	}
	return d
}

// alreadyAgainst is the locked decision, other than the one that d replaces, which
// rejected the same path.
func (r *contextReader) alreadyAgainst(d kedge.Decision) kedge.DecisionID {
	for _, rej := range d.Rejected {
		if id := rejecter(r.decisions, rej); id != "" && id != d.Supersedes {
			return id
		}
	}
	return ""
}

// removed reports the lines of the ledger that were taken out of the file.
func (r *contextReader) removed(chunks []contextChunk) {
	f := r.f
	f.Decisions = r.decisions
	for _, part := range contextParts[1:] {
		for _, l := range f.lines(part) {
			if hasItem(chunks, part, l.text) {
				continue
			}
			how := "Kedge restores it, because it is in the plan"
			if l.from != "" {
				how = "to drop it: kedge decide withdraw " + string(l.from) + " --reason WHY"
			}
			r.out = append(r.out, ContextEdit{Found: `"` + clip(l.text) + `" was removed by hand; ` + how, Restored: true})
		}
	}
}

func hasItem(chunks []contextChunk, part ContextPart, text string) bool {
	key := contextKey(part, text)
	return slices.ContainsFunc(chunks, func(c contextChunk) bool {
		return c.part == part && slices.ContainsFunc(c.blocks, func(b contextBlock) bool {
			return b.kind == itemBlock && contextKey(part, b.text()) == key
		})
	})
}
