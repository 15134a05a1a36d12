package hooks

import (
	"encoding/json"
	"slices"
	"strings"

	"kedge"
)

// node is a value of a JSON text, by its place in it. Comments and commas after
// the last member, which some agents allow, are passed over.
type node struct {
	kind     byte // '{', '[', '"', or 0 for what has no inside
	from, to int
	kids     []kid
}

// kid is a member of an object or an element of a list.
type kid struct {
	key   string
	from  int // of the key, or of the element
	val   *node
	comma int // after it; -1: none
}

// maxDepth bounds how deep a settings file is nested.
const maxDepth = 100

type scanner struct {
	text string
	at   int
}

// parse reads a whole text; an empty one is nil.
func parse(text string) (*node, error) {
	s := &scanner{text: text}
	if strings.HasPrefix(text, "\ufeff") {
		s.at = len("\ufeff")
	}
	if err := s.space(); err != nil || s.at == len(text) {
		return nil, err
	}
	n, err := s.value(0)
	if err != nil {
		return nil, err
	}
	if err := s.space(); err != nil {
		return nil, err
	}
	if s.at < len(text) {
		return nil, s.bad("text after the end")
	}
	return n, nil
}

func (s *scanner) bad(what string) error {
	line := 1 + strings.Count(s.text[:min(s.at, len(s.text))], "\n")
	return kedge.Errorf(kedge.Invalid, "line %d: %s", line, what)
}

// space passes over blanks and comments.
func (s *scanner) space() error {
	for s.at < len(s.text) {
		rest := s.text[s.at:]
		switch {
		case strings.ContainsRune(" \t\r\n", rune(rest[0])):
			s.at++
		case strings.HasPrefix(rest, "//"):
			i := strings.IndexByte(rest, '\n')
			if i < 0 {
				i = len(rest)
			}
			s.at += i
		case strings.HasPrefix(rest, "/*"):
			i := strings.Index(rest[2:], "*/")
			if i < 0 {
				return s.bad("a comment without an end")
			}
			s.at += i + 4
		default:
			return nil
		}
	}
	return nil
}

func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

func (s *scanner) value(depth int) (*node, error) {
	if depth > maxDepth {
		return nil, s.bad("nested too deep")
	}
	switch c := s.peek(); c {
	case '{', '[':
		return s.inside(c, depth)
	case '"':
		return s.word()
	default:
		return s.scalar()
	}
}

// inside reads an object or a list.
func (s *scanner) inside(open byte, depth int) (*node, error) {
	n := &node{kind: open, from: s.at}
	s.at++
	for {
		if err := s.space(); err != nil {
			return nil, err
		}
		if c := s.peek(); c == open+2 { // } and ] are two behind { and [
			s.at++
			n.to = s.at
			return n, nil
		}
		if len(n.kids) > 0 && n.kids[len(n.kids)-1].comma < 0 {
			return nil, s.bad("a comma is missing")
		}
		k, err := s.kid(open == '{', depth)
		if err != nil {
			return nil, err
		}
		n.kids = append(n.kids, k)
	}
}

func (s *scanner) kid(named bool, depth int) (kid, error) {
	k := kid{from: s.at, comma: -1}
	if named {
		if s.peek() != '"' {
			return k, s.bad("a name in quotes is missing")
		}
		name, err := s.word()
		if err != nil {
			return k, err
		}
		k.key = decoded(s.text[name.from:name.to])
		if err := s.space(); err != nil {
			return k, err
		}
		if s.peek() != ':' {
			return k, s.bad("a colon is missing")
		}
		s.at++
		if err := s.space(); err != nil {
			return k, err
		}
	}
	var err error
	if k.val, err = s.value(depth + 1); err != nil {
		return k, err
	}
	if err := s.space(); err != nil {
		return k, err
	}
	if s.peek() == ',' {
		k.comma = s.at
		s.at++
	}
	return k, nil
}

// word reads a string.
func (s *scanner) word() (*node, error) {
	n := &node{kind: '"', from: s.at}
	for s.at++; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '\\':
			s.at++
		case '"':
			s.at++
			n.to = s.at
			if !json.Valid([]byte(s.text[n.from:n.to])) {
				return nil, s.bad("a malformed string")
			}
			return n, nil
		}
	}
	s.at = len(s.text)
	return nil, s.bad("a string without an end")
}

// scalar reads a number, true, false or null.
func (s *scanner) scalar() (*node, error) {
	n := &node{from: s.at}
	for s.at < len(s.text) && !strings.ContainsRune(",]}:/ \t\r\n\"{[", rune(s.text[s.at])) {
		s.at++
	}
	n.to = s.at
	if !json.Valid([]byte(s.text[n.from:n.to])) {
		return nil, s.bad("no JSON")
	}
	return n, nil
}

// decoded is the text of a string in quotes.
func decoded(quoted string) string {
	var v string
	_ = json.Unmarshal([]byte(quoted), &v) // the scanner took it for valid
	return v
}

// get is the member of a name; of several the last, as most programs have it.
func (n *node) get(key string) (*node, bool) {
	if n == nil || n.kind != '{' {
		return nil, false
	}
	for i := len(n.kids) - 1; i >= 0; i-- {
		if n.kids[i].key == key {
			return n.kids[i].val, true
		}
	}
	return nil, false
}

// textOf is the text of a string; empty for anything else.
func (n *node) textOf(text string) string {
	if n == nil || n.kind != '"' {
		return ""
	}
	return decoded(text[n.from:n.to])
}

// canonical is a value as what it means: without blanks and comments, the names of
// objects in their order.
func (n *node) canonical(text string) string {
	if n == nil {
		return ""
	}
	switch n.kind {
	case '"':
		return Quoted(decoded(text[n.from:n.to]))
	case '{', '[':
		parts := make([]string, 0, len(n.kids))
		for _, k := range n.kids {
			part := k.val.canonical(text)
			if n.kind == '{' {
				part = Quoted(k.key) + ":" + part
			}
			parts = append(parts, part)
		}
		if n.kind == '{' {
			slices.Sort(parts)
		}
		return string(n.kind) + strings.Join(parts, ",") + string(n.kind+2)
	default:
		return text[n.from:n.to]
	}
}

// plainOf is the canonical form of a text of Kedge's own.
func plainOf(text string) string {
	n, err := parse(text)
	if err != nil {
		return text
	}
	return n.canonical(text)
}
