package hooks

import "strings"

// word is a word of a command line as the program gets it.
type word struct {
	text string
	open bool // the shell may make an option of it that cannot be seen here
}

// commands are the programs with their words that a command line runs, as a shell
// reads it; false for what is not plain: other redirections than of errors to
// nowhere, variables, substitutions, jobs, groups.
func commands(line string) ([][]word, bool) {
	l := lexer{rest: line}
	for l.rest != "" {
		if !l.step() {
			return nil, false
		}
	}
	l.endWord()
	return append(l.done, l.words), true
}

// lexer reads a command line from its beginning.
type lexer struct {
	rest   string
	word   word
	inWord bool // also of an empty word in quotes
	words  []word
	done   [][]word
}

func (l *lexer) step() bool {
	if n := nowhere(l.rest); n > 0 && !l.inWord {
		l.rest = l.rest[n:]
		return true
	}
	for _, sep := range []string{"&&", "||", ";", "|"} {
		if rest, ok := strings.CutPrefix(l.rest, sep); ok {
			l.endWord()
			l.done, l.words, l.rest = append(l.done, l.words), nil, rest
			return true
		}
	}
	c := l.rest[0]
	l.rest = l.rest[1:]
	switch c {
	case ' ', '\t':
		l.endWord()
		return true
	case '\'':
		return l.single()
	case '"':
		return l.double()
	case '\\':
		return l.escaped()
	case '>', '<', '&', '(', ')', '$', '`', '\n', '\r':
		return false
	case '*', '?', '[', '{':
		l.word.open = l.word.open || l.word.text == "" || l.word.text[0] == '-'
	}
	l.add(string([]byte{c}))
	return true
}

// nowhere is how long a redirection of errors is that the line begins with.
func nowhere(line string) int {
	for _, r := range []string{"2>&1", "2>/dev/null"} {
		if rest, ok := strings.CutPrefix(line, r); ok && (rest == "" || strings.ContainsRune(" \t;|", rune(rest[0]))) {
			return len(r)
		}
	}
	return 0
}

func (l *lexer) add(text string) {
	l.word.text += text
	l.inWord = true
}

func (l *lexer) endWord() {
	if l.inWord {
		l.words = append(l.words, l.word)
	}
	l.word, l.inWord = word{}, false
}

// single reads on to the end of single quotes.
func (l *lexer) single() bool {
	text, rest, ok := strings.Cut(l.rest, "'")
	l.add(text)
	l.rest = rest
	return ok && !strings.Contains(text, "\n")
}

// double reads on to the end of double quotes.
func (l *lexer) double() bool {
	l.add("")
	for l.rest != "" {
		c := l.rest[0]
		l.rest = l.rest[1:]
		switch {
		case c == '"':
			return true
		case c == '$', c == '`', c == '\n':
			return false
		case c == '\\' && l.rest != "" && strings.Contains("$`\"\\", l.rest[:1]):
			c, l.rest = l.rest[0], l.rest[1:]
		}
		l.add(string([]byte{c}))
	}
	return false
}

// escaped reads the character after a backslash.
func (l *lexer) escaped() bool {
	if l.rest == "" || l.rest[0] == '\n' || l.rest[0] == '\r' {
		return false
	}
	l.add(l.rest[:1])
	l.rest = l.rest[1:]
	return true
}
