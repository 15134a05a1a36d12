package plan

import (
	"slices"
	"strconv"
	"strings"

	"kedge"
)

// span is where the answer to a question stands: the lines from its "answer:" to
// the end of it. An empty span is where one would be put.
type span struct{ n, from, to int }

// answerSpans finds the answers, by the rules of readQuestions.
func (d *Doc) answerSpans() []span {
	kept := len(d.problems)
	defer func() { d.problems = d.problems[:kept] }() // they were told when the text was read
	var out []span
	for _, s := range d.sections() {
		if s.head == questionsHead {
			out = append(out, d.spansIn(s)...)
		}
	}
	return out
}

func (d *Doc) spansIn(s section) []span {
	var out []span
	answering := false
	for i := s.from; i < s.to; i++ {
		line := d.bare(i)
		m := questionLine.FindStringSubmatch(line)
		switch indented := line != strings.TrimLeft(line, " \t"); {
		case m != nil:
			n, _ := strconv.Atoi(m[1])
			out, answering = append(out, span{n, i + 1, i + 1}), false
		case len(out) == 0 || !indented:
		case answering:
			out[len(out)-1].to = i + 1
		default:
			answering = strings.HasPrefix(strings.TrimSpace(line), "answer:")
			at := i + 1
			if answering {
				at = i
			}
			out[len(out)-1].from, out[len(out)-1].to = at, i+1
		}
	}
	return out
}

// WithAnswer puts the answer to question n into the text of a plan; every other
// line stays as it is. Invalid and NotFound are those of Answered.
func WithAnswer(file string, text []byte, n int, answer string) ([]byte, error) {
	d, err := ParsePlan(file, text)
	if err != nil {
		return nil, err
	}
	if _, err := Answered(d.Plan.Questions, n, answer); err != nil {
		return nil, err
	}
	spans := d.answerSpans()
	at := spans[slices.IndexFunc(spans, func(s span) bool { return s.n == n })]
	before := d.lines[at.from-1] // that of the question, or of its answer
	end := strings.TrimPrefix(before, strings.TrimRight(before, "\r\n"))
	if end == "" { // the text ends there
		end = "\n"
		d.lines[at.from-1] += end
	}
	d.lines = slices.Replace(d.lines, at.from, at.to, "   answer: "+flat(answer, maxAnswer)+end)
	return d.Bytes(), nil
}

// SameButAnswers tells whether two texts are the same plan, whatever is answered in
// them. White space at the end of lines, empty lines and the status say nothing.
func SameButAnswers(a, b []byte) bool {
	x, err := ParsePlan("", a)
	if err != nil {
		return string(a) == string(b)
	}
	y, err := ParsePlan("", b)
	return err == nil && x.Plan.ID == y.Plan.ID && x.Plan.Title == y.Plan.Title && slices.Equal(x.besideAnswers(), y.besideAnswers())
}

// besideAnswers are the lines of the body that are no part of an answer.
func (d *Doc) besideAnswers() []string {
	spans := d.answerSpans()
	var out []string
	for i := range d.lines {
		for len(spans) > 0 && spans[0].to <= i { // they stand in the order of the lines
			spans = spans[1:]
		}
		line := strings.TrimRight(d.lines[i], " \t\r\n")
		if line != "" && (len(spans) == 0 || i < spans[0].from) {
			out = append(out, line)
		}
	}
	return out
}

// Unanswered are the questions that nobody has answered, whether or not they block.
func Unanswered(questions []kedge.Question) []kedge.Question {
	return slices.DeleteFunc(slices.Clone(questions), func(q kedge.Question) bool { return q.Answer != "" })
}

// Optional are the questions that nobody has answered and the plan does without.
func Optional(questions []kedge.Question) []kedge.Question {
	return slices.DeleteFunc(Unanswered(questions), func(q kedge.Question) bool { return q.Blocking })
}
