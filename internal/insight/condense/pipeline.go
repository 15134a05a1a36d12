package condense

import (
	"strings"

	"kedge/internal/text/lazyre"
)

// filters are the programs that pass on, behind a pipe, lines of what another one
// printed. Behind xargs they are none: there they print on their own.
var filters = lazyre.New(`^(?:e?grep|fgrep|rg|ag|ack|head|tail|sort|uniq|cat|tee|sed|awk|cut|tr|less|more|column|nl)\b`)

// quiet are the programs that print nothing, or a line of their own.
var quiet = lazyre.New(`^(?:cd|pushd|popd|export|unset|set|shopt|source|\.|mkdir|rm|cp|mv|touch|chmod|true|false|:|echo|printf|sleep|test|\[|exit|wait|#)(?:\s|$)`)

// sources gives the commands whose output is seen: of every statement of a line that
// prints, the program before the filters. "cd x && go test ./... | grep FAIL" is go
// test.
func sources(command string) []string {
	var list []string
	for _, stages := range statements(command) {
		if s := source(stages); s != "" && !quiet.MatchString(s) {
			list = append(list, s)
		}
	}
	return list
}

// Name is what a command runs in two words, as "go test", so that its runs can be counted:
// the program whose output is seen first, and what it is told to do.
func Name(command string) string {
	list := sources(command)
	if len(list) == 0 {
		list = []string{bare(command)}
	}
	words := strings.Fields(list[0])
	if len(words) == 0 {
		return ""
	}
	name := words[0][strings.LastIndexByte(words[0], '/')+1:]
	if len(words) > 1 && verb.MatchString(words[1]) {
		name += " " + words[1]
	}
	return name
}

// verb is what a program is told to do, unlike a file or a flag.
var verb = lazyre.New(`^[a-z][a-z-]*$`)

// source gives the program of a pipeline whose output is seen.
func source(stages []string) string {
	for i := len(stages) - 1; i > 0; i-- {
		if s := bare(stages[i]); !filters.MatchString(s) || strings.HasPrefix(strings.TrimSpace(stages[i]), "xargs ") {
			return s
		}
	}
	return bare(stages[0])
}

// bare is a command without what stands before its name.
func bare(command string) string {
	command = assigned.ReplaceAllString(strings.TrimSpace(command)+" ", "")
	return strings.TrimSpace(gitOption.ReplaceAllString(command, "git "))
}

// statements cuts a line into its statements, and each at its pipes. What stands in
// quotes is part of a word.
func statements(command string) [][]string {
	var list [][]string
	var stages []string
	var quote byte
	start := 0
	for i := 0; i < len(command); i++ {
		c := command[i]
		switch {
		case c == '\\' && quote != '\'':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		default:
			n, pipe := operator(command, i)
			if n == 0 {
				continue
			}
			stages = append(stages, command[start:i])
			start, i = i+n, i+n-1
			if !pipe {
				list, stages = append(list, stages), nil
			}
		}
	}
	return append(list, append(stages, command[start:]))
}

// operator gives the length of the operator at a place of a command, 0 where none is,
// and whether it is a pipe: all others end a statement.
func operator(command string, at int) (n int, pipe bool) {
	for _, op := range []string{"&&", "||", "|&", "|", ";", "\n"} {
		if strings.HasPrefix(command[at:], op) {
			return len(op), op == "|" || op == "|&"
		}
	}
	redirects := at > 0 && command[at-1] == '>' || strings.HasPrefix(command[at:], "&>")
	if command[at] == '&' && !redirects {
		return 1, false
	}
	return 0, false
}
