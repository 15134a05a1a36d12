package plan

import (
	"slices"
	"strconv"
	"strings"

	"kedge"
	"kedge/internal/text/strict"
)

// The limits of what a planning session may say.
const (
	maxQuestion  = 1000 // bytes of one question
	maxAnswer    = 8000 // bytes of one answer
	maxQuestions = 50
	maxPlanText  = 256 << 10
)

// optional at the end of a question says that the plan can do without its
// answer.
const optional = "(optional)"

// AskedBy makes a question of what a planning session printed: one line, without
// a number of its own. It blocks unless it says that it does not. False for one
// that says nothing.
func AskedBy(text string) (kedge.Question, bool) {
	text = oneLine(text)
	if m := questionLine.FindStringSubmatch(text); m != nil {
		text = m[2]
	}
	text, free := strings.CutSuffix(text, optional)
	text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "(blocking)"))
	return kedge.Question{Text: text, Blocking: !free}, text != ""
}

// Ask adds a question to those that were asked; false when it is one of them
// already, or when there are too many.
func Ask(asked []kedge.Question, q kedge.Question) ([]kedge.Question, bool) {
	if len(asked) >= maxQuestions || slices.ContainsFunc(asked, func(o kedge.Question) bool { return o.Text == q.Text }) {
		return asked, false
	}
	for _, o := range asked {
		q.N = max(q.N, o.N)
	}
	q.N++
	return append(slices.Clone(asked), q), true
}

// Answered puts an answer to question n; NotFound when there is none, Invalid
// when the answer says nothing, or more than a plan can hold.
func Answered(asked []kedge.Question, n int, answer string) ([]kedge.Question, error) {
	if len(answer) > maxAnswer {
		return nil, kedge.Errorf(kedge.Invalid, "the answer to question %d is longer than %d bytes", n, maxAnswer).
			WithHint("put the answer into a file of the repository, then answer with the path of that file")
	}
	answer = flat(answer, maxAnswer)
	if answer == "" {
		return nil, kedge.Errorf(kedge.Invalid, "the answer to question %d is empty", n).WithHint("kedge answer %d TEXT", n)
	}
	out := slices.Clone(asked)
	for i := range out {
		if out[i].N == n {
			out[i].Answer = answer
			return out, nil
		}
	}
	return nil, kedge.Errorf(kedge.NotFound, "there is no question %d", n).WithHint("see the questions: kedge plan show")
}

// oneLine makes a question one line of bounded length.
func oneLine(s string) string { return flat(s, maxQuestion) }

// flat makes a text one line of at most so many bytes.
func flat(s string, limit int) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	if len(s) > limit {
		s = strings.ToValidUTF8(s[:limit], "")
	}
	return s
}

// Draft is the text of a plan that is not written yet: its questions, and the
// headings that wait for them.
func Draft(id kedge.PlanID, title string, status kedge.PlanStatus, questions []kedge.Question) []byte {
	var b strings.Builder
	b.WriteString("\n" + questionsText(questions))
	for _, name := range planFields {
		b.WriteString("\n## " + name + "\n")
	}
	return draftDoc(id, title, status, b.String())
}

func draftDoc(id kedge.PlanID, title string, status kedge.PlanStatus, body string) []byte {
	doc := strict.NewDoc(body,
		strict.Text("version", "1"), strict.Text("id", string(id)),
		strict.Text("title", title), strict.Text("status", string(status)))
	return doc.Bytes()
}

// questionsText writes the section of the questions; their answers follow them.
func questionsText(questions []kedge.Question) string {
	var b strings.Builder
	b.WriteString("## " + questionsHead + "\n\n")
	if len(questions) == 0 {
		b.WriteString("none\n")
	}
	for _, q := range questions {
		b.WriteString(strconv.Itoa(q.N) + ". " + oneLine(q.Text))
		if q.Blocking {
			b.WriteString(" (blocking)")
		}
		b.WriteString("\n   answer: " + flat(q.Answer, maxAnswer))
		b.WriteString("\n")
	}
	return strings.ReplaceAll(b.String(), "answer: \n", "answer:\n")
}

// FromSession makes a plan of what a planning session printed. Front matter is
// Kedge's, the questions are those that were asked and answered, with whatever
// the text asks beside them; the rest is the session's, byte for byte.
func FromSession(id kedge.PlanID, title, text string, asked []kedge.Question) (*Doc, error) {
	if len(text) > maxPlanText {
		return nil, kedge.Errorf(kedge.Invalid, "the plan is longer than the allowed %d bytes", maxPlanText).WithHint("move details into files of the repository, and name these files in the plan")
	}
	said, err := ParsePlan("plan", draftDoc("", "plan", kedge.PlanDrafting, "\n"+withoutFront(text)))
	if err != nil {
		return nil, err
	}
	for _, q := range said.Plan.Questions {
		if q.Answer == "" && q.Text != "" {
			q.Text, q.N = oneLine(q.Text), 0
			asked, _ = Ask(asked, q)
		}
	}
	body := "\n" + questionsText(asked) + "\n" + said.withoutQuestions()
	return ParsePlan(sessionFile, draftDoc(id, title, statusOf(asked), body))
}

// sessionFile is what findings about a session's plan name.
const sessionFile = "plan.md"

func statusOf(asked []kedge.Question) kedge.PlanStatus {
	if len(OpenQuestions(kedge.Plan{Questions: asked})) > 0 {
		return kedge.PlanWaiting
	}
	return kedge.PlanReady
}

// withoutFront takes front matter off, if the session wrote any.
func withoutFront(text string) string {
	text = strings.TrimLeft(strings.ToValidUTF8(strings.ReplaceAll(text, "\r\n", "\n"), "\uFFFD"), "\uFEFF \t\n")
	if rest, ok := strings.CutPrefix(text, "---\n"); ok {
		if _, body, ok := strings.Cut(rest, "\n---\n"); ok {
			return strings.TrimLeft(body, "\n")
		}
	}
	return text
}

// withoutQuestions is the text from the first heading on, the section of the
// questions left out.
func (d *Doc) withoutQuestions() string {
	var b strings.Builder
	for _, s := range d.sections() {
		if s.head != questionsHead {
			b.WriteString(strings.Join(d.lines[s.from-1:s.to], ""))
		}
	}
	return b.String()
}

// Faults says in one text what keeps a plan from being taken: its errors, with
// what to do about each. Empty when nothing does.
func (d *Doc) Faults(onPath func(program string) bool) string {
	var out []string
	for _, f := range d.Check(onPath) {
		if f.Level != kedge.LevelError {
			continue
		}
		text := f.Where + ": " + f.What
		if f.Fix != "" {
			text += " (" + f.Fix + ")"
		}
		out = append(out, text)
	}
	return strings.Join(out, "\n")
}

// PhaseBudget is the budget of a phase as numbers; one that cannot be read is
// none.
func PhaseBudget(ph kedge.Phase) kedge.Budget {
	b, _ := parseBudget(ph.Budget)
	return b
}

// Form is an empty plan as a planning session has to fill it in.
func Form() string {
	var b strings.Builder
	for _, name := range planFields {
		b.WriteString("## " + name + "\n\n")
	}
	b.WriteString("## Phase 1: title {#p1}\n\n- [ ] p1.1 what is to be done, in one line\n  check: COMMAND\n  paths: GLOB, GLOB\n")
	return b.String()
}

// SetStatus changes the status in the front matter, and nothing else.
func (d *Doc) SetStatus(status kedge.PlanStatus) {
	d.Plan.Status = status
	d.setFront("status", string(status))
}
