package agent

import (
	"strconv"
	"strings"
)

// question is one that a program puts to people.
type question struct {
	ID       string `json:"id"`
	Question string `json:"question"`
	Options  []struct {
		Label string `json:"label"`
	} `json:"options"`
}

// text is the question with what can be chosen.
func (q question) text() string {
	var labels []string
	for _, o := range q.Options {
		labels = append(labels, o.Label)
	}
	if len(labels) == 0 {
		return q.Question
	}
	return q.Question + " (" + strings.Join(labels, " / ") + ")"
}

// choose is the option that an answer names; else the answer as it is.
func (q question) choose(answer string) string {
	answer = strings.TrimSpace(answer)
	for _, o := range q.Options {
		if strings.EqualFold(o.Label, answer) {
			return o.Label
		}
	}
	return answer
}

// questionsText is all that was asked, numbered where it is more than one.
func questionsText(all []question) string {
	if len(all) == 1 {
		return all[0].text()
	}
	var lines []string
	for i, q := range all {
		lines = append(lines, strconv.Itoa(i+1)+". "+q.text())
	}
	return strings.Join(lines, "\n")
}

// answersTo gives each question its answer: of several, the line that begins with
// its number, else the whole text.
func answersTo(all []question, text string) []string {
	out := make([]string, len(all))
	for i, q := range all {
		out[i] = q.choose(text)
		for line := range strings.Lines(text) {
			number, rest, ok := strings.Cut(strings.TrimSpace(line), ".")
			if ok && len(all) > 1 && number == strconv.Itoa(i+1) {
				out[i] = q.choose(rest)
			}
		}
	}
	return out
}
