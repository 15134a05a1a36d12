// Package page builds self-contained pages of HTML: elements, charts in SVG, and the
// document around them with its one stylesheet.
//
// It promises that text from a repository or an agent stays text: only this package makes
// markup, it escapes every text and every attribute, and the document's policy allows no
// script, no image and no request. A page is readable in light and dark, and down to 360
// pixels.
package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"strings"

	"kedge/internal/text/plain"
)

//go:embed page.css
var styles string

// Node is a part of a page. Only this package makes one that is not plain text.
type Node struct{ html string }

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")

// Text is text of any origin.
func Text(s string) Node { return Node{escaper.Replace(plain.Text(s))} }

// Join puts parts behind each other.
func Join(parts ...Node) Node {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.html)
	}
	return Node{b.String()}
}

// El is an element with classes and what it holds.
func El(tag, class string, children ...Node) Node {
	var attributes []string
	if class != "" {
		attributes = []string{"class", class}
	}
	return with(tag, attributes, children...)
}

// with is an element with attributes: names and values in turn.
func with(tag string, attributes []string, children ...Node) Node {
	var b strings.Builder
	b.WriteString("<" + tag)
	for i := 0; i+1 < len(attributes); i += 2 {
		b.WriteString(" " + attributes[i] + `="` + escaper.Replace(plain.Line(attributes[i+1])) + `"`)
	}
	b.WriteString(">")
	for _, c := range children {
		b.WriteString(c.html)
	}
	b.WriteString("</" + tag + ">")
	return Node{b.String()}
}

// Link leads to a place of this page.
func Link(anchor, text string) Node { return with("a", []string{"href", "#" + anchor}, Text(text)) }

// Section is a titled part of a page; a note says what it is about, and the anchor is for Link.
func Section(anchor, title, note string, children ...Node) Node {
	head := []Node{with("h2", nil, Text(title))}
	if note != "" {
		head = append(head, El("span", "note", Text(note)))
	}
	attributes := []string{"class", "card", "aria-label", title}
	if anchor != "" {
		attributes = append(attributes, "id", anchor)
	}
	return with("section", attributes, El("header", "", head...), Join(children...))
}

// Fold is a part that is closed at first.
func Fold(summary Node, children ...Node) Node {
	return with("details", nil, with("summary", nil, summary), Join(children...))
}

// Fact is one figure with its name.
type Fact struct{ Value, Name string }

// Facts is a row of figures.
func Facts(list []Fact) Node {
	var items []Node
	for _, f := range list {
		items = append(items, El("div", "", El("dt", "", Text(f.Name)), El("dd", "", Text(f.Value))))
	}
	return El("dl", "facts", items...)
}

// Column is a column of a table.
type Column struct {
	Title string
	Right bool // numbers
	Wide  bool // takes the room that is left
	Least bool // goes on a phone
}

func (c Column) class() string {
	var list []string
	if c.Right {
		list = append(list, "num")
	}
	if c.Wide {
		list = append(list, "wide")
	}
	if c.Least {
		list = append(list, "least")
	}
	return strings.Join(list, " ")
}

// Table is a table of nodes.
func Table(columns []Column, rows [][]Node) Node {
	var head, body []Node
	titled := false
	for _, c := range columns {
		tag, attributes := "th", []string{"scope", "col"}
		if c.Title == "" {
			tag, attributes = "td", nil
		}
		if class := c.class(); class != "" {
			attributes = append(attributes, "class", class)
		}
		head = append(head, with(tag, attributes, Text(c.Title)))
		titled = titled || c.Title != ""
	}
	for _, row := range rows {
		var cells []Node
		for i, cell := range row {
			cells = append(cells, El("td", columns[i].class(), cell))
		}
		body = append(body, with("tr", nil, cells...))
	}
	whole := with("tbody", nil, body...)
	if titled {
		whole = Join(with("thead", nil, with("tr", nil, head...)), whole)
	}
	return El("div", "scroll", with("table", nil, whole))
}

// Document is the whole page.
func Document(title, subtitle string, body ...Node) []byte {
	sum := sha256.Sum256([]byte(styles))
	policy := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
	var b strings.Builder
	b.WriteString("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
	b.WriteString(`<meta http-equiv="Content-Security-Policy" content="` + policy + "\">\n")
	b.WriteString("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"color-scheme\" content=\"light dark\">\n")
	b.WriteString("<title>" + Text(title).html + "</title>\n<style>" + styles + "</style>\n</head>\n<body>\n<main>\n")
	b.WriteString(Join(with("h1", nil, Text(title)), El("p", "sub", Text(subtitle))).html + "\n")
	for _, part := range body {
		b.WriteString(part.html + "\n")
	}
	b.WriteString("</main>\n</body>\n</html>\n")
	return []byte(b.String())
}
