package memory

import (
	"strings"

	"kedge"
	"kedge/internal/text/strict"
)

var risksForm = form{keys: []string{"version"}, sections: []string{"Open", "Closed"}}

const risksTitle = "Risks"

// CheckRisk says what keeps r from being kept.
func CheckRisk(r kedge.Risk) error {
	if !kedge.ValidID("rsk", string(r.ID)) {
		return kedge.Errorf(kedge.Invalid, "%q is not the id of a risk", r.ID).WithHint("see the ids: kedge risk ls")
	}
	if err := firstError(checkLine("the risk", r.Text), checkDate(r.OpenedAt), checkActor(r.By)); err != nil {
		return err
	}
	switch {
	case r.ClosedAt == nil && r.Reason != "":
		return kedge.Errorf(kedge.Invalid, "risk %q is open, but has a reason for closing", r.ID)
	case r.ClosedAt == nil:
		return nil
	}
	return firstError(checkDate(*r.ClosedAt), checkLine("the reason for closing", r.Reason))
}

// checkLine is for a text that stands on one line but may say more than a title.
func checkLine(what, s string) error {
	switch {
	case s == "":
		return kedge.Errorf(kedge.Invalid, "%s is empty", what)
	case s != OneLine(s):
		return kedge.Errorf(kedge.Invalid, "%s must be one line of plain text, not %q", what, s)
	}
	return checkText(what, s)
}

// WriteRisks gives risks.md: the open ones first, each kind in the given order.
// It expects what CheckRisk accepts.
func WriteRisks(risks []kedge.Risk) []byte {
	var open, closed []string
	for _, r := range risks {
		if r.ClosedAt == nil {
			open = append(open, riskText(r))
		} else {
			closed = append(closed, riskText(r))
		}
	}
	return writeDocument([]strict.Field{strict.Text("version", version)}, risksTitle, "", []section{
		{name: "Open", text: strings.Join(open, "\n")},
		{name: "Closed", text: strings.Join(closed, "\n")},
	})
}

func riskText(r kedge.Risk) string {
	s := "- " + string(r.ID) + " " + r.Text + "\n  opened: " + formatTime(r.OpenedAt) + " by " + string(r.By)
	if r.ClosedAt != nil {
		s += "\n  closed: " + formatTime(*r.ClosedAt) + "\n  reason: " + r.Reason
	}
	return s
}

// ParseRisks reads risks.md. A risk without an id, or under the wrong heading,
// is refused.
func ParseRisks(file string, b []byte) ([]kedge.Risk, error) {
	doc, err := parseDocument(file, b, risksForm)
	if err != nil {
		return nil, err
	}
	if doc.title != risksTitle || doc.intro != "" {
		return nil, invalid(file, doc.line, "the file must begin with the title %q, with no text below it", risksTitle)
	}
	risks := []kedge.Risk{}
	lineOf := map[kedge.RiskID]int{}
	for _, s := range doc.sections {
		for _, it := range entries(s) {
			r, err := parseRisk(file, it, s.name == "Closed")
			if err != nil {
				return nil, err
			}
			if first, dup := lineOf[r.ID]; dup {
				return nil, invalid(file, it.line, "risk %q is already on line %d", r.ID, first)
			}
			lineOf[r.ID] = it.line
			risks = append(risks, r)
		}
	}
	return risks, nil
}

// entries cuts a section into groups of lines, one for each "- ".
func entries(s section) []item {
	var out []item
	n := s.at - 1
	for line := range strings.SplitSeq(s.text, "\n") {
		n++
		switch {
		case line == "":
		case strings.HasPrefix(line, "- ") || len(out) == 0:
			out = append(out, item{n, line})
		default:
			out[len(out)-1].text += "\n" + line
		}
	}
	return out
}

// parseRisk reads the lines that riskText wrote.
func parseRisk(file string, it item, closed bool) (kedge.Risk, error) {
	want := []string{"- ", "  opened: "}
	if closed {
		want = append(want, "  closed: ", "  reason: ")
	}
	lines := strings.Split(it.text, "\n")
	parts := make([]string, len(want))
	for i, prefix := range want {
		ok := false
		if i < len(lines) {
			parts[i], ok = strings.CutPrefix(lines[i], prefix)
		}
		if !ok {
			return kedge.Risk{}, invalid(file, it.line+i, "this line must begin with %q", prefix+"…").
				WithHint("restore the file, and change risks only with kedge risk add TEXT or kedge risk close ID --reason TEXT")
		}
	}
	if len(lines) > len(want) {
		return kedge.Risk{}, invalid(file, it.line+len(want), "unknown line %q", lines[len(want)])
	}
	r := riskOf(parts)
	if err := CheckRisk(r); err != nil {
		return kedge.Risk{}, invalid(file, it.line, "%w", err)
	}
	return r, nil
}

func riskOf(parts []string) kedge.Risk {
	var r kedge.Risk
	id, text, _ := strings.Cut(parts[0], " ")
	opened, by, _ := strings.Cut(parts[1], " by ")
	r.ID, r.Text, r.By = kedge.RiskID(id), text, kedge.Actor(by)
	r.OpenedAt = parseTime(opened)
	if len(parts) > 2 {
		at := parseTime(parts[2])
		r.ClosedAt, r.Reason = &at, parts[3]
	}
	return r
}
