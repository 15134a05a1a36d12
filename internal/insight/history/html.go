package history

import (
	"strconv"
	"strings"

	"kedge/internal/text/page"
	"kedge/internal/text/plain"
)

// HTML writes a conversation as a page that needs nothing but itself. Tools, thoughts and
// what the program wrote are folded.
func HTML(head, about string, list []Message) []byte {
	var cards []page.Node
	for i := 0; i < len(list); {
		n := i + 1
		for n < len(list) && turn(&list[n]) == turn(&list[i]) {
			n++
		}
		cards = append(cards, card(list[i:n]))
		i = n
	}
	return page.Document(head, about, cards...)
}

// turn is whose turn a message belongs to.
func turn(m *Message) Who {
	switch m.Who {
	case Thinking, Tool, Agent:
		return Agent
	default:
		return m.Who
	}
}

// card is one turn.
func card(list []Message) page.Node {
	first := &list[0]
	name := map[Who]string{You: "You", Agent: "Agent", Summary: "Summary of what came before", Program: "The program"}[turn(first)]
	note := strings.TrimPrefix(stampText(first), ", ")
	if note != "" {
		note += " · "
	}
	var parts []page.Node
	for i := 0; i < len(list); {
		if list[i].Call == nil {
			parts = append(parts, saidNode(&list[i]))
			i++
			continue
		}
		n := i
		for n < len(list) && list[n].Call != nil {
			n++
		}
		parts = append(parts, calls(list[i:n]))
		i = n
	}
	body := page.El("div", turnClass(first), parts...)
	if w := turn(first); w == Program || w == Summary {
		body = page.Fold(page.Text(firstLine(orElse(first.Text, "the context was replaced by a summary"))), body)
	}
	return page.Section("L"+strconv.Itoa(first.Line), name, note+"line "+strconv.Itoa(first.Line), body)
}

// turnClass tells what a person said from the rest.
func turnClass(m *Message) string {
	if m.Who == You {
		return "turn yours"
	}
	return "turn"
}

func orElse(s, otherwise string) string {
	if strings.TrimSpace(s) == "" {
		return otherwise
	}
	return s
}

func saidNode(m *Message) page.Node {
	switch {
	case m.Compacted:
		return page.El("p", "note", page.Text("The context was replaced by a summary here."))
	case m.Who == Thinking:
		return page.Fold(page.El("span", "note", page.Text("Thinking: "+clip(plain.Line(firstLine(m.Text)), 80)+"…")), page.El("div", "turn note", prose(m.Text)))
	default:
		return prose(m.Text)
	}
}

// calls are tool calls that follow each other.
func calls(list []Message) page.Node {
	var nodes []page.Node
	for i := range list {
		nodes = append(nodes, callNode(list[i].Call))
	}
	return page.El("div", "calls", nodes...)
}

// callNode is a line that unfolds to the input, the diff and the result. Diffs are open.
func callNode(c *Call) page.Node {
	outcome := "note"
	if c.Failed {
		outcome = "bad"
	}
	head := []page.Node{page.El("b", "", page.Text(c.Tool)), page.Text(" "), page.El("code", "", page.Text(clip(plain.Line(c.What), 200)))}
	if added, removed := c.Changed(); added+removed > 0 {
		head = append(head, page.El("span", "ok", page.Text(" +"+strconv.Itoa(added))), page.El("span", "bad", page.Text(" −"+strconv.Itoa(removed))))
	}
	head = append(head, page.El("span", outcome, page.Text(" · "+c.Outcome())))
	var inside []page.Node
	if text := orElse(c.Input, c.What); strings.Contains(text, "\n") || len(text) > 200 {
		inside = append(inside, pre(clip(text, resultSize)))
	}
	if len(c.Diff) > 0 {
		inside = append(inside, page.El("pre", "diff rows", diffNodes(c.Diff)...))
	}
	if c.Result != "" {
		inside = append(inside, pre(c.Result))
		if c.Chars > resultSize {
			inside = append(inside, page.El("p", "note", page.Text("of "+strconv.Itoa(c.Chars)+" characters, only the first are shown")))
		}
	}
	return page.Fold(page.Join(head...), inside...)
}

func diffNodes(diff []DiffLine) []page.Node {
	var nodes []page.Node
	for _, l := range diff {
		class := map[byte]string{'+': "ok", '-': "bad"}[l.Kind]
		nodes = append(nodes, page.El("span", class, page.Text(string(l.Kind)+l.Text+"\n")))
	}
	return nodes
}
