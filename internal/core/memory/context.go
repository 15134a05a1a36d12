package memory

import (
	"slices"
	"strings"

	"kedge"
	"kedge/internal/text/words"
)

// AGENT_CONTEXT.md says what a fresh session must know: the objective, the constraints
// and what was decided against. Kedge writes the lines that the ledger has, and leaves
// every other line where it is.

// ContextPart is one of the sections of AGENT_CONTEXT.md.
type ContextPart string

// The sections, with their headings.
const (
	ObjectivePart   ContextPart = "Current Objective"
	ConstraintsPart ContextPart = "Constraints"
	AgainstPart     ContextPart = "Decided Against"
)

var contextParts = []ContextPart{ObjectivePart, ConstraintsPart, AgainstPart}

const contextHead = "<!-- Kedge writes this file from its ledger. Your next command imports what you change here. -->\n# Agent context\n"

// Objectives that Kedge writes where nobody set one.
const (
	noObjective   = "None yet: write it here, or make a plan."
	openFeatures  = "Complete the open features in .kedge/features.json."
	handWhy       = "written into AGENT_CONTEXT.md by hand"
	againstTitle  = "Decided against "
	maxContext    = 1000 // characters of one line
	rewordedWords = 0.5  // the share of words that two wordings of one line have in common
)

// ContextFacts are what AGENT_CONTEXT.md is generated from.
type ContextFacts struct {
	Objective  string // that you set or a plan has; empty: none
	Open       bool   // there are features to complete
	Invariants []string
	Decisions  []kedge.Decision
	Earlier    []string // objectives and invariants that held once
}

// contextLine is a generated line of a section, and the decision that it comes from.
type contextLine struct {
	text string
	from kedge.DecisionID // empty: the plan
}

// lines are the generated lines of a section.
func (f ContextFacts) lines(part ContextPart) []contextLine {
	var out []contextLine
	switch part {
	case ConstraintsPart:
		for _, inv := range f.Invariants {
			out = append(out, contextLine{text: OneLine(inv)})
		}
		for _, d := range f.Decisions {
			if text := constraintText(d); d.Status == kedge.DecisionLocked && text != "" {
				out = append(out, contextLine{text, d.ID})
			}
		}
	case AgainstPart:
		for _, r := range DecidedAgainst(f.Decisions) {
			out = append(out, contextLine{text: againstText(r), from: rejecter(f.Decisions, r)})
		}
	case ObjectivePart:
	}
	for i := range out {
		out[i].text = safe(out[i].text)
	}
	return slices.DeleteFunc(out, func(l contextLine) bool { return l.text == "" })
}

// objective is the text of the first section.
func (f ContextFacts) objective() string {
	switch {
	case f.Objective != "":
		return plainObjective(f.Objective)
	case f.Open:
		return openFeatures
	default:
		return noObjective
	}
}

// plainObjective is an objective without lines that begin a section, a comment or code.
func plainObjective(s string) string {
	lines := strings.Split(Clean(strings.ReplaceAll(s, "<!--", "&lt;!--")), "\n")
	for i, l := range lines {
		for contextHeading.MatchString(l) {
			l = strings.TrimPrefix(strings.TrimLeft(l, " "), "#")
		}
		lines[i] = l
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// held tells whether a text of a section once came from the ledger and does no longer.
func (f ContextFacts) held(part ContextPart, key string) bool {
	if slices.ContainsFunc(f.Earlier, func(s string) bool { return contextKey(part, OneLine(s)) == key }) {
		return true
	}
	for _, d := range f.Decisions {
		if part == ConstraintsPart && contextKey(part, constraintText(d)) == key {
			return true
		}
		if part == AgainstPart && slices.ContainsFunc(d.Rejected, func(r kedge.Rejected) bool { return contextKey(part, againstText(r)) == key }) {
			return true
		}
	}
	return part == ObjectivePart && (key == contextKey(part, noObjective) || key == contextKey(part, openFeatures))
}

// constraintText is a decision as a constraint; empty when all that it says is what was
// decided against.
func constraintText(d kedge.Decision) string {
	why, _, _ := strings.Cut(d.Why, "\n")
	why = words.Clip(OneLine(why), maxContext)
	start, cut := strings.CutSuffix(d.Title, "…")
	switch {
	case len(d.Rejected) == 1 && d.Title == titleOf(againstTitle+d.Rejected[0].What):
		return ""
	case cut && strings.HasPrefix(why, start):
		return why
	case why == handWhy || why == "":
		return d.Title
	default:
		return d.Title + " (" + why + ")"
	}
}

// againstText is a rejected path as a line. It is read back as the same path.
func againstText(r kedge.Rejected) string {
	if r.Reason == handWhy {
		return r.What
	}
	text := r.What + " (" + words.Clip(r.Reason, maxContext) + ")"
	if what, _ := splitReason(AgainstPart, text); what != r.What {
		return r.What + ": " + r.Reason
	}
	return text
}

// rejecter is the locked decision that rejected a path first.
func rejecter(ds []kedge.Decision, r kedge.Rejected) kedge.DecisionID {
	for _, d := range ds {
		if d.Status == kedge.DecisionLocked && slices.ContainsFunc(d.Rejected, func(o kedge.Rejected) bool { return strings.EqualFold(o.What, r.What) }) {
			return d.ID
		}
	}
	return ""
}

// titleOf cuts a text to the length of a title.
func titleOf(text string) string { return words.Clip(text, maxTitle) }

// splitReason cuts a line into what it says and the reason in brackets behind it; for
// what was decided against also behind a colon or a dash.
func splitReason(part ContextPart, text string) (what, reason string) {
	text = OneLine(text)
	if what, reason, ok := bracketed(text); ok && !(part == AgainstPart && strings.Contains(what, ": ")) {
		return what, reason
	}
	if part == AgainstPart {
		for _, sep := range []string{": ", " — ", " – "} {
			if what, reason, ok := strings.Cut(text, sep); ok && strings.TrimSpace(what) != "" && strings.TrimSpace(reason) != "" {
				return strings.TrimSpace(what), strings.TrimSpace(reason)
			}
		}
	}
	return text, ""
}

// bracketed cuts "what (reason)", whatever brackets the reason has in it.
func bracketed(text string) (what, reason string, ok bool) {
	if !strings.HasSuffix(text, ")") {
		return "", "", false
	}
	depth := 0
	for i := len(text) - 1; i > 0; i-- {
		switch text[i] {
		case ')':
			depth++
		case '(':
			depth--
		}
		if depth == 0 {
			what, reason = strings.TrimSpace(text[:i]), strings.TrimSpace(text[i+1:len(text)-1])
			return what, reason, what != "" && reason != "" && strings.HasSuffix(text[:i], " ")
		}
	}
	return "", "", false
}

// contextKey is the same for two spellings of one line.
func contextKey(part ContextPart, text string) string {
	if part == ObjectivePart {
		return strings.ToLower(OneLine(plainObjective(text)))
	}
	what, reason := splitReason(part, safe(text))
	return strings.ToLower(what + "\x00" + reason)
}

// WriteContext brings AGENT_CONTEXT.md up to date: it adds the lines of the ledger that
// are missing and removes those that no longer hold. Every other line stays where it is.
// Written twice with the same facts it gives the same bytes.
func WriteContext(old []byte, f ContextFacts) []byte {
	if len(strings.TrimSpace(string(old))) == 0 {
		old = []byte(contextHead)
	}
	chunks := splitContext(string(old))
	for _, part := range contextParts {
		i := slices.IndexFunc(chunks, func(c contextChunk) bool { return c.part == part })
		if i < 0 {
			chunks = append(chunks, contextChunk{part: part, heading: "\n## " + string(part) + "\n"})
			i = len(chunks) - 1
		}
		if part == ObjectivePart {
			chunks[i].setObjective(f)
		}
	}
	for _, part := range contextParts[1:] {
		chunks = setLines(chunks, part, f)
	}
	return joinContext(chunks)
}

// setObjective replaces an objective that came from the ledger, and leaves one that you wrote.
func (c *contextChunk) setObjective(f ContextFacts) {
	key := contextKey(ObjectivePart, c.text())
	if key == contextKey(ObjectivePart, f.objective()) || c.text() != "" && !f.held(ObjectivePart, key) {
		return
	}
	blocks := slices.DeleteFunc(c.blocks, func(b contextBlock) bool { return b.kind == proseBlock || b.kind == itemBlock })
	at := slices.IndexFunc(blocks, func(b contextBlock) bool { return b.kind == blankBlock })
	if at < 0 {
		at = len(blocks)
	}
	c.blocks = slices.Insert(blocks, at, contextBlock{kind: proseBlock, raw: f.objective() + "\n"})
}

// setLines adds and removes generated lines in the sections of a name; there may be
// several after a merge.
func setLines(chunks []contextChunk, part ContextPart, f ContextFacts) []contextChunk {
	want, there := f.lines(part), map[string]bool{}
	holds := func(key string) bool {
		return slices.ContainsFunc(want, func(l contextLine) bool { return contextKey(part, l.text) == key })
	}
	first := -1
	for i := range chunks {
		if chunks[i].part != part {
			continue
		}
		if first < 0 {
			first = i
		}
		chunks[i].blocks = slices.DeleteFunc(chunks[i].blocks, func(b contextBlock) bool {
			key := contextKey(part, b.text())
			if b.kind != itemBlock {
				return false
			}
			there[key] = true
			return !holds(key) && f.held(part, key)
		})
	}
	for _, l := range want {
		if key := contextKey(part, l.text); !there[key] {
			there[key] = true
			chunks[first].addItem(l.text)
		}
	}
	return chunks
}

// ContextWords gives the lines of AGENT_CONTEXT.md that the ledger does not have.
func ContextWords(text []byte, f ContextFacts) []string {
	var out []string
	empty := WriteContext(nil, f)
	known := map[string]bool{}
	for line := range strings.SplitSeq(string(empty), "\n") {
		known[OneLine(line)] = true
	}
	for _, c := range splitContext(string(text)) {
		if c.part == "" && !known[OneLine(c.heading)] {
			out = append(out, OneLine(c.heading))
		}
		for _, b := range c.blocks {
			if b.kind == blankBlock || known[OneLine(b.raw)] || c.part != "" && c.knows(b, f) {
				continue
			}
			out = append(out, OneLine(b.raw))
		}
	}
	return out
}

// knows tells whether a block of a section comes from the ledger, now or once.
func (c *contextChunk) knows(b contextBlock, f ContextFacts) bool {
	key := contextKey(c.part, b.text())
	if c.part == ObjectivePart {
		key = contextKey(c.part, c.text())
		return key == contextKey(c.part, f.objective()) || f.held(c.part, key)
	}
	return b.kind == itemBlock && (f.held(c.part, key) ||
		slices.ContainsFunc(f.lines(c.part), func(l contextLine) bool { return contextKey(c.part, l.text) == key }))
}
