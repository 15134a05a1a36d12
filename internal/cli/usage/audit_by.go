package usage

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"kedge/internal/app/reports"
	"kedge/internal/cli/frame"
	"kedge/internal/insight/audit"
)

// groupsText is one table of groups, with the whole at its end.
func groupsText(w io.Writer, out reports.AuditReply, l look) {
	list := out.Groups
	if most := l.groups(); len(list) > most {
		if out.By == "day" {
			list = list[len(list)-most:]
		} else {
			list = list[:most]
		}
	}
	groupsTable(out.By, list, out.Total, l).Print(w)
	if more := len(out.Groups) - len(list); more > 0 {
		frame.Put(w, frame.Quiet, fmt.Sprintf("… %d more: %s\n", more, l.command("--by "+out.By+" --all")))
	}
	if note := groupsNote(out); note != "" {
		fmt.Fprintln(w)
		frame.Labelled(w, 0, "", note)
	}
}

// groups is how many groups are shown.
func (l look) groups() int {
	const least, around = 15, 6
	switch {
	case l.all || l.long:
		return 1 << 30
	case l.terminal:
		return max(least, l.rows-around)
	default:
		return 2 * least
	}
}

func groupsTable(by string, list []audit.Group, total audit.Figures, l look) *frame.Table {
	switch by {
	case "tool":
		return toolGroups(list)
	case "file":
		return fileGroups(list)
	default:
		return spentGroups(by, list, total, l)
	}
}

// spentGroups is what the sessions of days, models or agents used.
func spentGroups(by string, list []audit.Group, total audit.Figures, l look) *frame.Table {
	t := &frame.Table{Columns: []frame.Column{
		{Title: strings.ToUpper(by), Least: 24, Spare: true},
		{Title: "SESSIONS", Right: true},
		{Title: "REPLIES", Right: true, Drop: 4},
		{Title: "INPUT", Right: true, Drop: 3},
		{Title: "CACHE READS", Right: true, Drop: 1},
		{Title: "CACHE WRITES", Right: true, Drop: 2},
		{Title: "OUTPUT", Right: true},
		{Title: "TOKENS", Right: true},
		{Title: "COST", Right: true},
		{Title: "SHARE", Right: true},
		{Drop: 5},
	}}
	most := 0.0
	for _, g := range list {
		most = max(most, g.Share)
	}
	add := func(name string, role frame.Role, g audit.Group, bar string) {
		var spent audit.GroupSpent
		if g.Tokens != nil {
			spent = *g.Tokens
		}
		replies := int64(0)
		if g.Replies != nil {
			replies = *g.Replies
		}
		t.Add(frame.Cell{Text: name, Role: role}, frame.Cell{Text: frame.Thousands(int64(g.Sessions))}, frame.Cell{Text: frame.Thousands(replies)}, frame.Cell{Text: shortTokens(spent.Input)},
			frame.Cell{Text: shortTokens(spent.CacheRead)}, frame.Cell{Text: shortTokens(spent.CacheWrite)}, frame.Cell{Text: shortTokens(spent.Output)}, frame.Cell{Text: shortTokens(spent.Sum())},
			frame.Cell{Text: groupCost(g)}, frame.Cell{Text: shareText(g.Share)}, frame.Cell{Text: bar})
	}
	for _, g := range list {
		add(groupName(g), frame.Name, g, frame.Bar(int64(g.Share*1e6), int64(most*1e6), 12, l.utf8))
	}
	add("total", frame.Plain, wholeOf(total), "")
	return t
}

// wholeOf is the sum of sessions as a group.
func wholeOf(t audit.Figures) audit.Group {
	g := audit.Group{USD: t.USD, UnknownUSD: t.UnknownUSD, Tokens: &audit.GroupSpent{}, Replies: &t.Calls, Share: 1, Sessions: t.Sessions}
	for _, m := range t.Models {
		g.Tokens.Input += m.InputTokens
		g.Tokens.CacheRead += m.CacheReadTokens
		g.Tokens.CacheWrite += m.CacheWriteTokens
		g.Tokens.Output += m.OutputTokens
	}
	return g
}

// toolGroups is what tools cost.
func toolGroups(list []audit.Group) *frame.Table {
	t := &frame.Table{Columns: []frame.Column{
		{Title: "TOOL", Least: 16, Spare: true},
		{Title: "SESSIONS", Right: true, Drop: 2},
		{Title: "SCHEMA", Right: true},
		{Title: "CALLS", Right: true},
		{Title: "FAILED", Right: true, Drop: 1},
		{Title: "INPUT", Right: true},
		{Title: "OUTPUT", Right: true},
		{Title: "SHARE", Right: true},
		{Title: "COST", Right: true},
	}}
	for _, g := range list {
		x := g.Tool
		schema := ""
		switch {
		case x.SchemaChars != nil:
			schema = about(*x.SchemaChars)
		case x.Offered > 0:
			schema = "?"
		}
		t.Add(frame.Cell{Text: groupName(g), Role: frame.Name}, frame.Cell{Text: frame.Thousands(int64(g.Sessions))}, frame.Cell{Text: schema}, frame.Cell{Text: frame.Thousands(x.Calls)},
			frame.Cell{Text: someText(x.Failed)}, frame.Cell{Text: aboutSome(x.InputChars)}, frame.Cell{Text: aboutSome(x.ResultChars)},
			frame.Cell{Text: shareText(g.Share)}, frame.Cell{Text: aboutCost(g)})
	}
	return t
}

// fileGroups is what was read of files, and read again.
func fileGroups(list []audit.Group) *frame.Table {
	t := &frame.Table{Columns: []frame.Column{
		{Title: "FILE", Least: 32, Spare: true, Ends: true},
		{Title: "SESSIONS", Right: true, Drop: 3},
		{Title: "READS", Right: true},
		{Title: "AGAIN", Right: true},
		{Title: "EDITS", Right: true, Drop: 2},
		{Title: "TOKENS", Right: true},
		{Title: "STALE", Right: true, Drop: 1},
		{Title: "COST", Right: true},
	}}
	for _, g := range list {
		x := g.File
		t.Add(frame.Cell{Text: groupName(g), Role: frame.Name}, frame.Cell{Text: frame.Thousands(int64(g.Sessions))}, frame.Cell{Text: frame.Thousands(x.Reads)}, frame.Cell{Text: someText(x.Rereads)},
			frame.Cell{Text: someText(x.Edits)}, frame.Cell{Text: about(x.Chars)}, frame.Cell{Text: aboutSome(x.StaleChars)}, frame.Cell{Text: aboutCost(g)})
	}
	return t
}

// groupsNote says what the figures of a table are, where its head cannot.
func groupsNote(out reports.AuditReply) string {
	const carried = " COST estimates what it cost to keep %s in the context."
	switch out.By {
	case "tool":
		note := "Tokens are estimated from characters." + fmt.Sprintf(carried, "a tool's output")
		if slices.ContainsFunc(out.Groups, func(g audit.Group) bool { return g.Tool.Offered > 0 }) {
			note += " SCHEMA is the size of a tool's description, which every request contains."
		}
		return note
	case "file":
		return "Tokens are estimated from characters. STALE was read before the file was edited." + fmt.Sprintf(carried, "the text of a file")
	}
	return ""
}

func groupName(g audit.Group) string { return first(g.Key, "(unknown)") }

// groupCost is the cost of a group: ? is unknown, and + says that it is more.
func groupCost(g audit.Group) string {
	switch {
	case g.USD == nil:
		return "?"
	case g.UnknownUSD > 0:
		return cents(*g.USD) + "+"
	default:
		return cents(*g.USD)
	}
}

// aboutCost is a cost that is estimated from characters.
func aboutCost(g audit.Group) string {
	switch {
	case g.Tool != nil && g.Tool.Calls == 0:
		return ""
	case g.USD == nil:
		return "?"
	}
	return strings.Replace("~"+groupCost(g), "~<", "<", 1)
}

// shareText is a share as people read it.
func shareText(share float64) string { return frame.Percent(int64(share*1e6+0.5), 1e6) }

// someText is a number; nothing for none.
func someText(n int64) string {
	if n == 0 {
		return ""
	}
	return frame.Thousands(n)
}

func aboutSome(chars int64) string {
	if chars == 0 {
		return ""
	}
	return about(chars)
}
