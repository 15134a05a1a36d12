package memory

import (
	"strconv"
	"strings"
	"time"

	"kedge"
	"kedge/internal/core/plan"
	"kedge/internal/text/glob"
	"kedge/internal/text/words"
)

// Approval is who approved a plan, and when.
type Approval struct {
	Plan kedge.PlanID
	By   kedge.Actor
	At   time.Time
}

// FromAnswers are the decisions that the answers of an approved plan lock: each says the
// answer, and its question is the reason. A question that a locked decision answers
// already gives none or, where you answered otherwise this time, one that supersedes it.
// So approving a plan that asks the same again makes no doubles.
func FromAnswers(p kedge.Plan, known []kedge.Decision, a Approval) []kedge.Decision {
	var out []kedge.Decision
	for _, q := range p.Questions {
		d, ok := decisionOf(q, append(known[:len(known):len(known)], out...), a)
		if ok && CheckDecision(d) == nil {
			out = append(out, d)
		}
	}
	return out
}

func decisionOf(q kedge.Question, known []kedge.Decision, a Approval) (kedge.Decision, bool) {
	question, answer := OneLine(q.Text), OneLine(q.Answer)
	if question == "" || answer == "" {
		return kedge.Decision{}, false
	}
	d := kedge.Decision{
		ID:     kedge.DecisionID(kedge.DeriveID("dec", a.At, string(a.Plan)+" question "+strconv.Itoa(q.N)+" "+question)),
		Status: kedge.DecisionLocked, Why: reasonOf(question, answer), Rejected: []kedge.Rejected{}, Reversibility: "easy",
		By: a.By, Date: a.At, AppliesTo: scopeOf(question),
	}
	d.Title = answerTitle(question, answer)
	for _, k := range known {
		switch {
		case k.Status != kedge.DecisionLocked:
		case asks(k, question) && saysSame(k, d):
			return d, false
		case asks(k, question):
			d.Supersedes, d.Reason = k.ID, "You gave another answer to the same question when you approved the plan "+string(a.Plan)+"."
		case strings.EqualFold(k.Title, d.Title):
			d.Title = clipTitle(answer + " (" + question + ")")
		}
	}
	return d, true
}

// standsAlone is how many words of an answer say something without the question.
const standsAlone = 3

// answerTitle is the answer, behind its question where it says nothing by itself, as
// "yes" does.
func answerTitle(question, answer string) string {
	if len(strings.Fields(answer)) >= standsAlone {
		return clipTitle(answer)
	}
	room := maxTitle - len(answer) - 1
	if room < 1 {
		return clipTitle(answer)
	}
	return words.ClipBytes(question, room) + " " + answer
}

func clipTitle(s string) string { return words.ClipBytes(s, maxTitle) }

// reasonOf is the question, with the whole answer where a title cannot hold it.
func reasonOf(question, answer string) string {
	if clipTitle(answer) == answer {
		return question
	}
	return question + "\n\n" + wholeAnswer + answer
}

const wholeAnswer = "The answer: "

// LongAnswer gives the question and the answer of a decision whose title cannot hold the
// answer; false for any other.
func LongAnswer(d kedge.Decision) (question, answer string, long bool) {
	question, answer, long = strings.Cut(d.Why, "\n\n"+wholeAnswer)
	return question, answer, long && clipTitle(answer) == d.Title
}

// asks tells whether the reason of a decision is the question.
func asks(d kedge.Decision, question string) bool {
	why, _, _ := strings.Cut(d.Why, "\n\n"+wholeAnswer)
	return strings.EqualFold(OneLine(why), question)
}

// saysSame compares what two decisions on one question say.
func saysSame(a, b kedge.Decision) bool {
	same := strings.EqualFold(a.Title, b.Title) || strings.HasPrefix(a.Title, b.Title+" (")
	return same && a.Why == b.Why
}

// scopeOf is what a question is about, where it says so: paths, and phases of the plan.
func scopeOf(question string) []string {
	s := plan.StatementOf(question)
	out := append([]string{}, s.Paths...)
	for _, name := range s.Phases {
		if entry := "phase " + name; glob.Valid(entry) == nil {
			out = append(out, entry)
		}
	}
	return out
}

// FromRisks are the risks that an approved plan opens. One that is open already is not
// opened again.
func FromRisks(p kedge.Plan, known []kedge.Risk, a Approval) []kedge.Risk {
	var out []kedge.Risk
	open := map[string]bool{}
	for _, r := range known {
		if r.ClosedAt == nil {
			open[strings.ToLower(r.Text)] = true
		}
	}
	for i, s := range p.Risks {
		r := kedge.Risk{
			ID:   kedge.RiskID(kedge.DeriveID("rsk", a.At, string(a.Plan)+" risk "+strconv.Itoa(i+1))),
			Text: OneLine(s.Text), OpenedAt: a.At, By: a.By,
		}
		if len(s.Phases) > 0 && plan.StatementOf(r.Text).Phases == nil {
			r.Text += " (phase " + strings.Join(s.Phases, ", ") + ")"
		}
		if len(s.Paths) > 0 && plan.StatementOf(r.Text).Paths == nil {
			r.Text += " (paths: " + strings.Join(s.Paths, ", ") + ")"
		}
		if key := strings.ToLower(r.Text); !open[key] && CheckRisk(r) == nil {
			open[key] = true
			out = append(out, r)
		}
	}
	return out
}
