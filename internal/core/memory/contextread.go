package memory

import (
	"slices"
	"strings"

	"kedge/internal/text/lazyre"
)

// contextChunk is a heading and what follows it up to the next one.
type contextChunk struct {
	part    ContextPart // empty: a heading that you wrote, or what stands before the first one
	heading string      // the line with its end; empty before the first heading
	blocks  []contextBlock
}

// contextBlock is a list item, a paragraph, a comment or blank lines, with all its bytes.
type contextBlock struct {
	kind blockKind
	raw  string
}

type blockKind string

const (
	itemBlock    blockKind = "item"
	proseBlock   blockKind = "prose"
	commentBlock blockKind = "comment"
	blankBlock   blockKind = "blank"
)

var (
	contextHeading = lazyre.New(`^ {0,3}#{1,6}[ \t]+(.+?)[ \t#]*$`)
	bullet         = lazyre.New(`^ ?([-*+]|[0-9]{1,9}[.)])[ \t]+\S`)
	bulletMark     = lazyre.New(`^ ?([-*+]|[0-9]{1,9}[.)])[ \t]+`)
)

// text is the block on one line, without its bullet.
func (b contextBlock) text() string {
	if b.kind == itemBlock {
		return OneLine(bulletMark.ReplaceAllString(b.raw, ""))
	}
	return OneLine(b.raw)
}

// text is everything that a chunk says below its heading, comments excepted.
func (c *contextChunk) text() string {
	var b strings.Builder
	for _, bl := range c.blocks {
		if bl.kind != commentBlock {
			b.WriteString(bl.raw)
		}
	}
	return Clean(b.String())
}

// addItem adds a list item below the last one of the chunk, or below its heading.
func (c *contextChunk) addItem(text string) {
	at := 0
	for i, b := range c.blocks {
		if b.kind == itemBlock || b.kind == commentBlock && at == i {
			at = i + 1
		}
	}
	if at > 0 {
		c.blocks[at-1].raw = lineEnded(c.blocks[at-1].raw)
	}
	c.blocks = slices.Insert(c.blocks, at, contextBlock{kind: itemBlock, raw: "- " + text + "\n"})
	if next := at + 1; next < len(c.blocks) && c.blocks[next].kind == proseBlock {
		c.blocks = slices.Insert(c.blocks, next, contextBlock{kind: blankBlock, raw: "\n"}) // else the paragraph would be part of the item
	}
}

func lineEnded(s string) string {
	if s == "" || strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "\n"
}

// contextPartOf tells which section a heading begins.
func contextPartOf(heading string) (ContextPart, bool) {
	m := contextHeading.FindStringSubmatch(strings.TrimRight(heading, "\r\n"))
	if m == nil {
		return "", false
	}
	name := strings.ToLower(strings.TrimRight(OneLine(m[1]), ": "))
	if name == "objective" {
		return ObjectivePart, true
	}
	for _, p := range contextParts {
		if strings.ToLower(string(p)) == name {
			return p, true
		}
	}
	return "", true
}

// splitContext cuts the file at its headings. What it gives has every byte of the file.
func splitContext(text string) []contextChunk {
	chunks, fence, fenced := []contextChunk{{}}, false, hasFences(text)
	for line := range strings.Lines(text) {
		last := &chunks[len(chunks)-1]
		if fenced && isFence(line) {
			fence = !fence
		}
		if part, is := contextPartOf(line); is && !fence {
			chunks = append(chunks, contextChunk{part: part, heading: line})
			continue
		}
		last.addLine(line, fence)
	}
	return chunks
}

func isFence(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "```") }

// hasFences tells whether every code fence is closed. If one is not, none counts: it
// would hide all headings below it.
func hasFences(text string) bool {
	n := 0
	for line := range strings.Lines(text) {
		if isFence(line) {
			n++
		}
	}
	return n%2 == 0
}

// addLine adds a line to the block that it belongs to.
func (c *contextChunk) addLine(line string, fence bool) {
	kind := proseBlock
	switch open := c.openBlock(); {
	case fence && open != nil && open.kind != blankBlock:
		open.raw += line
		return
	case blank(line):
		kind = blankBlock
	case bullet.MatchString(line):
		c.blocks = append(c.blocks, contextBlock{itemBlock, line})
		return
	case open != nil && (open.kind == itemBlock || open.kind == proseBlock):
		open.raw += line
		return
	case open != nil && open.kind == commentBlock && !strings.Contains(open.raw, "-->"):
		open.raw += line
		return
	case strings.HasPrefix(strings.TrimSpace(line), "<!--"):
		kind = commentBlock
	}
	c.blocks = append(c.blocks, contextBlock{kind, line})
}

func (c *contextChunk) openBlock() *contextBlock {
	if len(c.blocks) == 0 {
		return nil
	}
	return &c.blocks[len(c.blocks)-1]
}

// joinContext is the opposite of splitContext.
func joinContext(chunks []contextChunk) []byte {
	var b strings.Builder
	for _, c := range chunks {
		endLine(&b)
		b.WriteString(c.heading)
		for _, bl := range c.blocks {
			endLine(&b)
			b.WriteString(bl.raw)
		}
	}
	endLine(&b)
	return []byte(b.String())
}

// endLine ends a line that was not ended.
func endLine(b *strings.Builder) {
	if b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
		b.WriteString("\n")
	}
}
