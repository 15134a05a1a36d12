package usage

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kedge/internal/app/reports"
	"kedge/internal/cli/frame"
	"kedge/internal/insight/audit"
	"kedge/internal/text/page"
)

// How much a page tells.
const (
	pageDetails = 40 // sessions that open
	pageRows    = 25 // of a table
)

// auditPage is an audit as a page with charts.
func auditPage(out reports.AuditReply, project string, now time.Time) []byte {
	rows := auditRows(out.Sessions)
	t := out.Total
	subtitle := fmt.Sprintf("%s%s, %s. Made by kedge audit on %s; all times are UTC.", sessionsText(out.Sessions), ofAgents(out.Sessions), spanDays(t.StartedAt, t.EndedAt), now.UTC().Format("2 Jan 2006"))
	body := []page.Node{
		page.Nav("Parts of this page", "filled", "What filled the context", "changes", "What to change", "days", "Cost per "+daysUnit(out.Days), "sessions", "Sessions", "files", "Files", "commands", "Commands", "tools", "Tools"),
		pageFacts(out, rows),
		page.Section("filled", "What filled the context", fmt.Sprintf("%s characters, %s tokens", frame.Thousands(t.Sources.Sum()), frame.AboutTokens(t.Sources.Sum())), filledShares(t)),
		page.Section("changes", "What would have saved most", "these overlap, so their sum can exceed the total", changeSteps(out.Changes)),
	}
	if days := costColumns(out.Days); len(days) > 1 {
		body = append(body, page.Section("days", "Cost per "+daysUnit(out.Days), moneyText(t), page.Columns("Cost over time", days, costAxis(days))))
	} else {
		body = append(body, page.Section("days", "Cost per day", "", page.El("p", "", page.Text("All of it on one day: "+moneyText(t)+"."))))
	}
	body = append(body,
		page.Section("sessions", "Sessions", "the most expensive first; the curve shows the size of the context at each reply", sessionEntries(rows, out)),
		page.Section("files", "Files that filled contexts", "read again: files that a session had read before", filesTable(t.FilesAgain)),
		page.Section("commands", "Commands run again and again", "sorted by the characters of their repeated output", commandsTable(t.CommandsAgain)),
		page.Section("tools", "What tools cost", "input and output in tokens, estimated from characters", toolsTable(out.Tools)),
		page.El("p", "note", page.Text(pageNote)))
	return page.Document("Where context and money went: "+project, subtitle, body...)
}

const pageNote = "The agents reported the tokens of contexts and replies. For parts of a context, Kedge estimates one token for every four characters. " +
	"If an agent did not report a cost, Kedge computes it from list prices. A cost with + lacks a part for which Kedge knows no price. " +
	"The cost to carry a file or a tool's output is its share of the cost of all later replies that had it in their context."

// pageFacts are the figures at the top.
func pageFacts(out reports.AuditReply, rows []auditRow) page.Node {
	t := out.Total
	tokens := int64(0)
	for _, m := range t.Models {
		tokens += m.InputTokens + m.CacheReadTokens + m.CacheWriteTokens + m.OutputTokens
	}
	list := []page.Fact{{Value: "unknown", Name: "cost"}}
	if t.USD != nil {
		name := "cost"
		if t.Estimated {
			name = "cost, estimated"
		}
		value := dollar(*t.USD)
		if t.UnknownUSD > 0 { // a model without a price, or calls whose usage is unknown
			value += "+"
			name += ", partly unknown"
		}
		list[0] = page.Fact{Value: value, Name: name}
	}
	list = append(list, page.Fact{Value: frame.Thousands(int64(len(rows))), Name: "sessions"}, page.Fact{Value: shortTokens(tokens), Name: "tokens, cache reads too"})
	if t.MaxContextTokens != nil {
		list = append(list, page.Fact{Value: shortTokens(*t.MaxContextTokens), Name: "largest context"})
	}
	return page.Facts(append(list,
		page.Fact{Value: frame.Thousands(t.Compactions), Name: "compactions"},
		page.Fact{Value: frame.Percent(t.StaleReadChars, t.Composition.Sum()), Name: "of contexts was stale"},
		page.Fact{Value: frame.Percent(t.Rereads, t.Reads), Name: "of reads were repeats"},
		page.Fact{Value: frame.Percent(t.RepeatedCommands, t.Commands), Name: "of commands were repeats"}))
}

func filledShares(t audit.Figures) page.Node {
	var parts []page.Part
	for _, s := range sourcesOf(t) {
		if s.chars > 0 {
			parts = append(parts, page.Part{Name: s.name, Class: s.class, Note: s.note, Value: float64(s.chars), Said: about(s.chars) + " tokens"})
		}
	}
	return page.Shares("What filled the context", parts)
}

// sessionEntries is a line for each session, of which the first ones open.
func sessionEntries(rows []auditRow, out reports.AuditReply) page.Node {
	most := 1.0
	for _, r := range rows {
		if r.MaxContextTokens != nil {
			most = max(most, float64(*r.MaxContextTokens))
		}
	}
	var list []page.Entry
	for i, r := range rows {
		e := page.Entry{
			Name: shortID(r.ID, look{}), Note: whenText(r.Figures), Text: askText(r, look{terminal: true}),
			Picture: smallCurve(r.Figures, most),
			Figures: []page.Fact{{Value: rowCost(r), Name: "cost"}, {Value: frame.Percent(r.StaleReadChars, r.Composition.Sum()), Name: "stale"}, {Value: sizeText(r.Figures), Name: "context"}},
		}
		if i < pageDetails {
			e.Inside = insideOf(r)
		}
		list = append(list, e)
	}
	return page.Entries("Sessions", list)
}

// whenText is the day of a session and how long it took.
func whenText(f audit.Figures) string {
	return strings.Trim(shortDay(f.StartedAt)+", "+lengthText(f), ", ")
}

func sizeText(f audit.Figures) string {
	if f.MaxContextTokens == nil {
		return "?"
	}
	return shortTokens(*f.MaxContextTokens)
}

func smallCurve(f audit.Figures, most float64) page.Node {
	var values []float64
	for _, p := range f.Curve {
		values = append(values, float64(p.Tokens))
	}
	return page.Curve(curveSaid(f), values, most, compactionMarks(f))
}

// curveSaid is a curve in words.
func curveSaid(f audit.Figures) string {
	if len(f.Curve) == 0 {
		return "Context unknown"
	}
	text := fmt.Sprintf("Context from %s to %s tokens over %s", shortTokens(f.Curve[0].Tokens), sizeText(f), replies(f.Calls))
	if f.Compactions > 0 {
		text += ", " + frame.Counted(int(f.Compactions), "compaction")
	}
	return text
}

func compactionMarks(f audit.Figures) []page.Mark {
	var marks []page.Mark
	for _, c := range f.Compacted {
		at := 0
		for i, p := range f.Curve {
			if p.Reply <= c.Reply {
				at = i
			}
		}
		said := "Compacted after reply " + frame.Thousands(c.Reply)
		if c.Before != nil && c.After != nil {
			said += fmt.Sprintf(": from %s to %s tokens", frame.Thousands(*c.Before), frame.Thousands(*c.After))
		}
		marks = append(marks, page.Mark{At: at, Said: said})
	}
	return marks
}

// insideOf is what a session's line opens to.
func insideOf(r auditRow) page.Node {
	f := r.Figures
	parts := []page.Node{page.El("div", "", page.El("h3", "", page.Text("Context over time")), bigCurve(f))}
	if why := costShares(r); why != nil {
		parts = append(parts, page.El("div", "", page.El("h3", "", page.Text("Why it cost "+rowCost(r))), page.Shares("What it cost", why)))
	}
	if len(f.Largest) > 0 {
		var lines [][]page.Node
		for _, x := range f.Largest {
			lines = append(lines, []page.Node{page.El("span", "note", page.Text(x.Tool)), fillingName(x), page.Text(frame.Thousands(x.Times) + "×"), page.Heat(float64(x.Chars), float64(f.Largest[0].Chars), about(x.Chars)), page.Text(about(x.Chars))})
		}
		parts = append(parts, page.El("div", "full", page.El("h3", "", page.Text("What filled it most, by name")),
			page.Table([]page.Column{{Title: "Tool", Least: true}, {Title: "What"}, {Title: "Times", Right: true, Least: true}, {Title: "", Wide: true, Least: true}, {Title: "Tokens", Right: true}}, lines)))
	}
	said := []string{"Session " + r.ID, "of " + r.Agent}
	if r.Model != "" {
		said = append(said, "with "+r.Model)
	}
	if f.Dir != "" {
		said = append(said, "in "+f.Dir)
	}
	if for_ := workedFor(f); for_ != "" {
		said = append(said, "for "+for_)
	}
	return page.Join(page.Join(parts...), page.El("p", "full note", page.Text(strings.Join(said, ", ")+".")))
}

func fillingName(x audit.Filling) page.Node {
	if x.Tool == audit.ReadTool {
		return page.Path(x.Name)
	}
	return page.El("span", "mono", page.Text(first(x.Name, x.Tool+", all calls")))
}

func bigCurve(f audit.Figures) page.Node {
	if f.MaxContextTokens == nil {
		return page.El("p", "empty", page.Text("The transcript does not say how large the context was."))
	}
	var dots []page.Dot
	for _, p := range f.Curve {
		said := fmt.Sprintf("reply %s: %s tokens", frame.Thousands(p.Reply), frame.Thousands(p.Tokens))
		if at, ok := timeOf(&p.At); ok {
			said += ", " + at.Format("2 Jan 15:04")
		}
		dots = append(dots, page.Dot{X: float64(p.Reply), Y: float64(p.Tokens), Said: said})
	}
	from, to := clocks(f)
	top := *f.MaxContextTokens
	return page.Plot{
		Label: curveSaid(f), Dots: dots, Top: float64(top), Marks: compactionMarks(f),
		X: page.Axis{Low: from, Middle: replies(f.Calls), High: to},
		Y: page.Axis{Low: "0", Middle: shortTokens(top / 2), High: shortTokens(top), Unit: "tokens of context, by reply; dashed: compacted"},
	}.Draw()
}

// costShares is what a cost is made of; nil where that is unknown.
func costShares(r auditRow) []page.Part {
	k := r.Kinds
	if k == nil || r.USD == nil || *r.USD <= 0 {
		return nil
	}
	f := r.Figures
	parts := []page.Part{
		{Name: "context sent again", Class: "talk", Value: k.CacheRead, Said: cents(k.CacheRead), Note: fmt.Sprintf("%s × %s tokens", replies(f.Calls), shortTokens(f.Given()/max(f.Calls, 1)))},
		{Name: "new context", Class: "reads", Value: k.CacheWrite, Said: cents(k.CacheWrite), Note: shortTokens(written(f)) + " tokens written to the cache"},
		{Name: "not cached", Class: "schemas", Value: k.Input, Said: cents(k.Input)},
		{Name: "output", Class: "output", Value: k.Output, Said: cents(k.Output), Note: strings.TrimSuffix(tokensText(f.OutputTokens), " of")},
	}
	if r.agents > 0 && r.usd != nil && *r.usd > *r.USD {
		parts = append(parts, page.Part{Name: frame.Counted(r.agents, "sub-agent"), Class: "stale", Value: *r.usd - *r.USD, Said: cents(*r.usd - *r.USD)})
	}
	return slices.DeleteFunc(parts, func(p page.Part) bool { return p.Value <= 0 })
}

func filesTable(list []audit.FileUse) page.Node {
	var rows [][]page.Node
	most := int64(0)
	for _, u := range list {
		most = max(most, u.RereadChars)
	}
	for _, u := range list[:min(pageRows, len(list))] {
		rows = append(rows, []page.Node{
			page.Path(u.Path), page.Text(frame.Thousands(u.Reads)), page.Text(frame.Thousands(u.Rereads)), page.Text(someText(u.Edits)),
			page.Heat(float64(u.RereadChars), float64(most), about(u.RereadChars)+" tokens read again"), page.Text(about(u.RereadChars)), page.Text(about(u.StaleChars)),
		})
	}
	return tableOr("No session read a file again.", []page.Column{
		{Title: "File"},
		{Title: "Reads", Right: true},
		{Title: "Again", Right: true, Least: true},
		{Title: "Edits", Right: true, Least: true},
		{Title: "", Wide: true, Least: true},
		{Title: "Tokens again", Right: true},
		{Title: "Stale", Right: true, Least: true},
	}, rows)
}

func commandsTable(list []audit.CommandUse) page.Node {
	var rows [][]page.Node
	most := int64(0)
	for _, u := range list {
		most = max(most, u.RepeatedChars)
	}
	for _, u := range list[:min(pageRows, len(list))] {
		rows = append(rows, []page.Node{
			page.El("span", "mono", page.Text(u.Command)), page.Text(frame.Thousands(u.Runs)), page.Text(someText(u.Failed)), page.Text(someText(u.SameWay)),
			page.Heat(float64(u.RepeatedChars), float64(most), about(u.RepeatedChars)+" tokens again"), page.Text(about(u.RepeatedChars)),
		})
	}
	return tableOr("No session ran a command again.", []page.Column{
		{Title: "Command"},
		{Title: "Runs", Right: true},
		{Title: "Failed", Right: true, Least: true},
		{Title: "The same way", Right: true, Least: true},
		{Title: "", Wide: true, Least: true},
		{Title: "Tokens again", Right: true},
	}, rows)
}

func toolsTable(list []audit.Group) page.Node {
	var rows [][]page.Node
	most := 0.0
	for _, g := range list {
		most = max(most, g.Share)
	}
	for _, g := range list[:min(pageRows, len(list))] {
		x := g.Tool
		schema := ""
		if x.SchemaChars != nil {
			schema = about(*x.SchemaChars)
		} else if x.Offered > 0 {
			schema = "?"
		}
		rows = append(rows, []page.Node{
			page.El("span", "mono", page.Text(groupName(g))), page.Text(frame.Thousands(x.Calls)), page.Text(someText(x.Failed)), page.Text(schema), page.Text(about(x.InputChars)), page.Text(about(x.ResultChars)),
			page.Heat(g.Share, most, shareText(g.Share)+" of contexts"), page.Text(shareText(g.Share)), page.Text(aboutCost(g)),
		})
	}
	return tableOr("No session called a tool.", []page.Column{
		{Title: "Tool"},
		{Title: "Calls", Right: true},
		{Title: "Failed", Right: true, Least: true},
		{Title: "Schema", Right: true, Least: true},
		{Title: "Input", Right: true, Least: true},
		{Title: "Output", Right: true},
		{Title: "", Wide: true, Least: true},
		{Title: "Share", Right: true, Least: true},
		{Title: "Cost to carry", Right: true},
	}, rows)
}

func tableOr(none string, columns []page.Column, rows [][]page.Node) page.Node {
	if len(rows) == 0 {
		return page.El("p", "empty", page.Text(none))
	}
	for i := len(columns) - 1; i >= 0; i-- {
		if !slices.ContainsFunc(rows, func(row []page.Node) bool { return row[i] != page.Text("") }) { // nothing is known for it
			columns = slices.Delete(columns, i, i+1)
			for j := range rows {
				rows[j] = slices.Delete(rows[j], i, i+1)
			}
		}
	}
	return page.Table(columns, rows)
}

func changeSteps(list []audit.Change) page.Node {
	if len(list) == 0 {
		return page.El("p", "empty", page.Text("Nothing stands out."))
	}
	var parts []page.Part
	for _, c := range list {
		parts = append(parts, page.Part{Class: "blue", Note: c.Do, Value: c.Share, Said: fmt.Sprintf("%s tokens, %s of the context", about(c.Chars), shareText(c.Share))})
	}
	return page.Steps("What would have saved most", parts, 1)
}
