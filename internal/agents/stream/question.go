package stream

import (
	"strconv"
	"strings"

	"kedge/internal/core/watch"
)

// Questions are those that a program puts to people at once.
type Questions []Question

// Question is one of them, as programs write it.
type Question struct {
	ID       string `json:"id"`
	Question string `json:"question"`
	Options  []struct {
		Label string `json:"label"`
	} `json:"options"`
}

// text is the question with what can be chosen.
func (q Question) text() string {
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
func (q Question) choose(answer string) string {
	answer = strings.TrimSpace(answer)
	for _, o := range q.Options {
		if strings.EqualFold(o.Label, answer) {
			return o.Label
		}
	}
	return answer
}

// Ask is the event of a session that waits for the answers; id is what the program
// calls the call by which it asks.
func (all Questions) Ask(id string) []watch.Act {
	return []watch.Act{{Kind: watch.Ask, ID: id, Text: Cut(all.text())}}
}

// Later are the events of a planning session, which goes on without the answers:
// the next one has them.
func (all Questions) Later() []watch.Act {
	var out []watch.Act
	for _, q := range all {
		out = append(out, watch.Act{Kind: watch.Question, Text: Cut(q.text())})
	}
	return out
}

// text is all that was asked, numbered where it is more than one.
func (all Questions) text() string {
	if len(all) == 1 {
		return all[0].text()
	}
	var lines []string
	for i, q := range all {
		lines = append(lines, strconv.Itoa(i+1)+". "+q.text())
	}
	return strings.Join(lines, "\n")
}

// Answers gives each question its answer, by place: of several, the line that
// begins with its number, else the whole text.
func (all Questions) Answers(text string) []string {
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
