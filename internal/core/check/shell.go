package check

import (
	"slices"
	"strings"
)

// builtins need no program; a command may follow the first four.
var builtins = []string{
	"!", "exec", "command", "time",
	"cd", "echo", "printf", "test", "[", "[[", "true", "false", ":", ".", "source", "export", "unset", "set", "shift",
	"read", "eval", "exit", "return", "wait", "trap", "ulimit", "umask", "alias", "local", "kill", "pwd", "type", "hash",
	"if", "then", "else", "elif", "fi", "do", "done", "while", "until", "{", "}", "(", ")", "esac",
}

// prefixes are the builtins behind which the command itself follows.
var prefixes = []string{"!", "exec", "command", "time", "if", "then", "else", "elif", "do", "while", "until", "{", "("}

// Programs gives the programs that a shell line would start, as far as can be
// told without running it: nothing that comes from a variable, a substitution or
// behind "for" and "case" is guessed at.
func Programs(command string) []string {
	var out []string
	expect := true // the next word is a command's name
	skip := false  // the next word is a redirection's target
	for _, w := range shellWords(command) {
		switch {
		case w.operator && strings.ContainsAny(w.text, "<>"):
			skip = true
		case w.operator:
			expect, skip = true, false
		case skip:
			skip = false
		case !expect || isAssignment(w):
		case !w.quoted && slices.Contains([]string{"for", "case", "select", "function"}, w.text):
			return out
		case slices.Contains(builtins, w.text):
			expect = slices.Contains(prefixes, w.text)
		default:
			expect = false
			if w.known && !slices.Contains(out, w.text) {
				out = append(out, w.text)
			}
		}
	}
	return out
}

func isAssignment(w shellWord) bool {
	name, _, ok := strings.Cut(w.text, "=")
	return ok && name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// shellWord is a word or an operator. known: its text does not depend on a
// variable, a substitution or a pattern.
type shellWord struct {
	text     string
	operator bool
	quoted   bool
	known    bool
}

// shellWords cuts a line as sh would, without expanding anything.
func shellWords(s string) []shellWord {
	l := &lexer{src: s}
	for l.at < len(s) {
		l.step()
	}
	l.flush()
	return l.out
}

type lexer struct {
	src    string
	at     int
	out    []shellWord
	word   strings.Builder
	inWord bool
	quoted bool
	vague  bool
}

func (l *lexer) flush() {
	if l.inWord {
		l.out = append(l.out, shellWord{text: l.word.String(), quoted: l.quoted, known: !l.vague && l.word.Len() > 0})
	}
	l.word.Reset()
	l.inWord, l.quoted, l.vague = false, false, false
}

func (l *lexer) step() {
	c := l.src[l.at]
	switch {
	case c == '\\':
		if l.at+1 < len(l.src) && l.src[l.at+1] != '\n' {
			l.add(l.src[l.at+1])
		}
		l.at += 2
	case c == '\'' || c == '"':
		l.quote(c)
	case c == '$' && strings.HasPrefix(l.src[l.at:], "$("):
		l.inWord, l.vague = true, true
		l.at = closing(l.src, l.at+1)
	case c == '`':
		l.inWord, l.vague = true, true
		l.at = after(l.src, l.at+1, '`')
	case c == '#' && !l.inWord:
		l.at = after(l.src, l.at, '\n')
	case strings.IndexByte(" \t\r", c) >= 0:
		l.flush()
		l.at++
	case strings.IndexByte("\n;&|()<>", c) >= 0:
		l.operator(c)
	default:
		l.vague = l.vague || strings.IndexByte("$*?[", c) >= 0 && !l.opensTest(c)
		l.add(c)
		l.at++
	}
}

// opensTest tells whether a bracket is the command "[" or "[[" and no pattern.
func (l *lexer) opensTest(c byte) bool { return c == '[' && strings.Trim(l.word.String(), "[") == "" }

func (l *lexer) add(c byte) {
	l.inWord = true
	l.word.WriteByte(c)
}

func (l *lexer) operator(c byte) {
	if c == '<' || c == '>' { // a number before it is a descriptor and no word
		if strings.Trim(l.word.String(), "0123456789") == "" {
			l.inWord = false
		}
	}
	l.flush()
	if c == '&' && len(l.out) > 0 && l.out[len(l.out)-1].text == ">" { // 2>&1
		l.at++
		return
	}
	l.out = append(l.out, shellWord{text: string(c), operator: true})
	l.at++
}

func (l *lexer) quote(q byte) {
	l.inWord, l.quoted = true, true
	for l.at++; l.at < len(l.src) && l.src[l.at] != q; l.at++ {
		c := l.src[l.at]
		if q == '"' && c == '\\' && l.at+1 < len(l.src) {
			l.at++
			c = l.src[l.at]
		} else if q == '"' && (c == '$' || c == '`') {
			l.vague = true
		}
		l.word.WriteByte(c)
	}
	l.at++
}

// after is the position behind the next c, or the end.
func after(s string, from int, c byte) int {
	if i := strings.IndexByte(s[from:], c); i >= 0 {
		return from + i + 1
	}
	return len(s)
}

// closing is the position behind the bracket that closes the one at from.
func closing(s string, from int) int {
	depth := 0
	for i := from; i < len(s); i++ {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}
