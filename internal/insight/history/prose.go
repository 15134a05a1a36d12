package history

import (
	"slices"
	"strings"

	"kedge/internal/text/page"
)

// prose is a text as people and models write it: blocks of code in fences, titles, lists
// and paragraphs, with code and stress within the lines.
func prose(text string) page.Node {
	var nodes []page.Node
	var block []string
	fence := ""
	end := func(class string) {
		if len(block) == 0 {
			return
		}
		table, is := tableOf(block)
		switch {
		case class == "pre":
			nodes = append(nodes, pre(strings.Join(block, "\n")))
		case is:
			nodes = append(nodes, table)
		default:
			nodes = append(nodes, page.El("p", "say", inline(strings.Trim(strings.Join(block, "\n"), "\n"))))
		}
		block = nil
	}
	for _, l := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(l)
		switch {
		case fence == "" && strings.HasPrefix(trimmed, "```"):
			end("p")
			fence = trimmed[:longest(trimmed[:leading(trimmed)], '`')]
		case fence != "" && strings.HasPrefix(trimmed, fence) && strings.Trim(trimmed, "`") == "":
			end("pre")
			fence = ""
		case fence != "":
			block = append(block, l)
		case strings.HasPrefix(trimmed, "# "), strings.HasPrefix(trimmed, "## "), strings.HasPrefix(trimmed, "### "), strings.HasPrefix(trimmed, "#### "):
			end("p")
			nodes = append(nodes, page.El("h3", "", inline(strings.TrimLeft(trimmed, "# "))))
		case trimmed == "":
			end("p")
		case tableRow(trimmed) && (len(block) == 0 || !tableRow(strings.TrimSpace(block[0]))):
			end("p")
			block = append(block, l)
		case len(block) > 0 && tableRow(strings.TrimSpace(block[0])) && !tableRow(trimmed):
			end("p")
			block = append(block, l)
		default:
			block = append(block, l)
		}
	}
	if fence != "" {
		end("pre")
	}
	end("p")
	return page.Join(nodes...)
}

// leading is how many backticks a line begins with.
func leading(s string) int { return len(s) - len(strings.TrimLeft(s, "`")) }

// inline sets code and stress apart.
func inline(s string) page.Node {
	var nodes []page.Node
	for s != "" {
		i := strings.IndexAny(s, "`*")
		if i < 0 {
			break
		}
		mark, tag := s[i:i+1], "code"
		if strings.HasPrefix(s[i:], "**") {
			mark, tag = "**", "strong"
		}
		rest := s[i+len(mark):]
		j := strings.Index(rest, mark)
		if mark == "*" || j <= 0 || strings.Contains(rest[:j], "\n") {
			nodes = append(nodes, page.Text(s[:i+len(mark)]))
			s = rest
			continue
		}
		inside := page.Text(rest[:j])
		if tag == "strong" {
			inside = inline(rest[:j])
		}
		nodes = append(nodes, page.Text(s[:i]), page.El(tag, "", inside))
		s = rest[j+len(mark):]
	}
	return page.Join(append(nodes, page.Text(s))...)
}

// rows is how long the lines of a block are at most that stay one line each: on a narrow
// screen one looks along them, and columns stay columns.
const rows = 160

// pre is a block of text as it stands.
func pre(text string) page.Node {
	class := ""
	if strings.Contains(text, "\n") && !slices.ContainsFunc(strings.Split(text, "\n"), func(l string) bool { return len(l) > rows }) {
		class = "rows"
	}
	return page.El("pre", class, page.Text(text))
}

// tableRow tells whether a line is one of a table in Markdown.
func tableRow(l string) bool { return len(l) > 2 && l[0] == '|' && l[len(l)-1] == '|' }

// tableOf is a table in Markdown: a row of names, one of dashes, and the others.
func tableOf(block []string) (page.Node, bool) {
	if len(block) < 3 || strings.Trim(block[1], "|-: \t") != "" || !strings.Contains(block[1], "-") {
		return page.Node{}, false
	}
	var columns []page.Column
	for _, name := range cells(block[0]) {
		columns = append(columns, page.Column{Title: strings.Trim(name, "*`")})
	}
	var list [][]page.Node
	for _, l := range block[2:] {
		if !tableRow(strings.TrimSpace(l)) {
			return page.Node{}, false
		}
		row := make([]page.Node, len(columns))
		for i, c := range cells(l) {
			if i >= len(row) {
				return page.Node{}, false
			}
			row[i] = inline(c)
		}
		list = append(list, row)
	}
	return page.Table(columns, list), true
}

// cells are those of a row.
func cells(l string) []string {
	l = strings.TrimSpace(l)
	if !tableRow(l) {
		return nil
	}
	list := strings.Split(strings.ReplaceAll(l[1:len(l)-1], `\|`, "\x00"), "|")
	for i := range list {
		list[i] = strings.TrimSpace(strings.ReplaceAll(list[i], "\x00", "|"))
	}
	return list
}
