package audit

import "slices"

// Total is the sum of sessions. What they do not have in common is empty; the
// largest context is the largest of all; a cost that is unknown is left out and counted.
func Total(list []Figures) Figures {
	t := Figures{ID: "total", Tools: []Tool{}, Models: []ModelUse{}, Unseen: []string{}, Curve: []Point{}, Compacted: []Compacted{}}
	t.MaxContextTokens, t.OutputTokens = ptr(int64(0)), ptr(int64(0))
	tools, models := map[string]*Tool{}, map[string]*ModelUse{}
	var order []string
	for i, f := range list {
		t.Agent = common(i, t.Agent, f.Agent)
		t.Model = common(i, t.Model, f.Model)
		t.times(f)
		t.Offered = addOffers(t.Offered, f.Offered)
		t.Estimated = t.Estimated || f.Estimated
		t.counts(f)
		t.USD = plus(t.USD, f.USD)
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
			tools[x.Name].Failed += x.Failed
			tools[x.Name].InputChars += x.InputChars
			tools[x.Name].CarriedChars += x.CarriedChars
		}
		for _, m := range f.Models {
			if models[m.Model] == nil {
				models[m.Model] = &ModelUse{Model: m.Model}
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
	if t.Calls == 0 {
		t.USD = ptr(0.0)
	}
	t.Quality = QualityAt(t.MaxContextTokens)
	t.Kinds = allKinds(list)
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
	m.CacheWriteHourTokens += n.CacheWriteHourTokens
	m.OutputTokens += n.OutputTokens
	m.UnpricedCalls += n.UnpricedCalls
	m.USD = plus(m.USD, n.USD)
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
	f.Sessions += g.Sessions
	f.UnpricedCalls += g.UnpricedCalls
	f.UnknownUSD += g.UnknownUSD
	f.CopiedCalls += g.CopiedCalls
	f.PartialUsage = f.PartialUsage || g.PartialUsage
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
func plus[T int64 | float64](a, b *T) *T {
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
	c.System += d.System
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
