package audit

import "slices"

// Total is the sum of sessions. What they do not have in common is empty; the
// largest context is the largest of all; one unknown cost makes the sum unknown.
func Total(list []Figures) Figures {
	t := Figures{ID: "total", Tools: []Tool{}, Models: []ModelUse{}, Unseen: []string{}}
	t.MaxContextTokens, t.OutputTokens, t.USD = ptr(int64(0)), ptr(int64(0)), ptr(0.0)
	tools, models := map[string]*Tool{}, map[string]*ModelUse{}
	var order []string
	for i, f := range list {
		t.Agent = common(i, t.Agent, f.Agent)
		t.Model = common(i, t.Model, f.Model)
		t.times(f)
		t.Offered = addOffers(t.Offered, f.Offered)
		t.Estimated = t.Estimated || f.Estimated
		t.counts(f)
		if f.Calls > 0 {
			t.USD = add(t.USD, f.USD)
		}
		for _, u := range f.Unseen {
			if !slices.Contains(t.Unseen, u) {
				t.Unseen = append(t.Unseen, u)
			}
		}
		for _, x := range f.Tools {
			if tools[x.Name] == nil {
				tools[x.Name] = &Tool{Name: x.Name}
			}
			tools[x.Name].Calls += x.Calls
			tools[x.Name].ResultChars += x.ResultChars
		}
		for _, m := range f.Models {
			if models[m.Model] == nil {
				models[m.Model] = &ModelUse{Model: m.Model, USD: ptr(0.0)}
				order = append(order, m.Model)
			}
			models[m.Model].add(m)
		}
	}
	for _, x := range tools {
		t.Tools = append(t.Tools, *x)
	}
	sortTools(t.Tools)
	for _, name := range order {
		t.Models = append(t.Models, *models[name])
	}
	t.Quality = QualityAt(t.MaxContextTokens)
	return t
}

func common(i int, have, next string) string {
	if i == 0 || have == next {
		return next
	}
	return ""
}

func (m *ModelUse) add(n ModelUse) {
	m.Calls += n.Calls
	m.InputTokens += n.InputTokens
	m.CacheReadTokens += n.CacheReadTokens
	m.CacheWriteTokens += n.CacheWriteTokens
	m.OutputTokens += n.OutputTokens
	m.USD = add(m.USD, n.USD)
}

func (f *Figures) times(g Figures) {
	if g.StartedAt != nil && (f.StartedAt == nil || *g.StartedAt < *f.StartedAt) {
		f.StartedAt = g.StartedAt
	}
	if g.EndedAt != nil && (f.EndedAt == nil || *g.EndedAt > *f.EndedAt) {
		f.EndedAt = g.EndedAt
	}
}

func (f *Figures) counts(g Figures) {
	f.Calls += g.Calls
	f.Compactions += g.Compactions
	f.Reads += g.Reads
	f.Rereads += g.Rereads
	f.RereadChars += g.RereadChars
	f.StaleReadChars += g.StaleReadChars
	f.Commands += g.Commands
	f.FailedCommands += g.FailedCommands
	f.RepeatedCommands += g.RepeatedCommands
	f.RepeatedChars += g.RepeatedChars
	f.LongChars += g.LongChars
	f.SkippedLines += g.SkippedLines
	f.Composition.add(g.Composition)
	f.Sources.add(g.Sources)
	f.ActionsToEdit = plus(f.ActionsToEdit, g.ActionsToEdit)
	f.CharsToEdit = plus(f.CharsToEdit, g.CharsToEdit)
	f.OutputTokens = known(f.OutputTokens, g.OutputTokens)
	if g.MaxContextTokens != nil && f.MaxContextTokens != nil && *g.MaxContextTokens > *f.MaxContextTokens {
		f.MaxContextTokens = g.MaxContextTokens
	}
	f.StartTokens = plus(f.StartTokens, g.StartTokens)
}

// plus adds what is there: a session without an edit has nothing to add.
func plus(a, b *int64) *int64 {
	if b == nil {
		return a
	}
	if a == nil {
		return ptr(*b)
	}
	return ptr(*a + *b)
}

// known adds figures of which an unknown one makes the sum unknown.
func known(a, b *int64) *int64 {
	if a == nil || b == nil {
		return nil
	}
	return ptr(*a + *b)
}

func (c *Composition) add(d Composition) {
	c.ToolResult += d.ToolResult
	c.ToolInput += d.ToolInput
	c.Thinking += d.Thinking
	c.AssistantText += d.AssistantText
	c.UserText += d.UserText
}

func (s *Sources) add(d Sources) {
	s.Rules += d.Rules
	s.ToolSchemas += d.ToolSchemas
	s.FileReads += d.FileReads
	s.StaleReads += d.StaleReads
	s.ToolOutput += d.ToolOutput
	s.FailedAttempts += d.FailedAttempts
	s.Dialogue += d.Dialogue
}
