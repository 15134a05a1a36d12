package condense

import (
	"strings"

	"kedge/internal/lazyre"
)

// filters are the programs that pass on, behind a pipe, lines of what another one
// printed.
var filters = lazyre.New(`^(?:e?grep|fgrep|rg|ag|ack|head|tail|sort|uniq|cat|tee|sed|awk|cut|tr|less|more|column|nl)\b`)

// source gives the command whose output is seen: the last statement of a line, and
// in it the program before the filters. "go test ./... | grep FAIL" is go test.
func source(command string) string {
	stages := lastPipeline(strings.TrimSpace(command))
	for i := len(stages) - 1; i > 0; i-- {
		if !filters.MatchString(bare(stages[i])) {
			return bare(stages[i])
		}
	}
	return bare(stages[0])
}

// bare is a command without what stands before its name.
func bare(command string) string {
	command = assigned.ReplaceAllString(strings.TrimSpace(command)+" ", "")
	return gitOption.ReplaceAllString(command, "git ")
}

// lastPipeline cuts the last statement of a line at its pipes. What stands in
// quotes is part of a word.
func lastPipeline(command string) []string {
	command = strings.TrimRight(command, " \t\n;")
	var stages []string
	var quote byte
	start := 0
	for i := 0; i < len(command); i++ {
		c := command[i]
		n, pipe := operator(command[i:])
		switch {
		case c == '\\' && quote != '\'':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case pipe:
			stages = append(stages, command[start:i])
			start, i = i+n, i+n-1
		case n > 0:
			stages, start, i = nil, i+n, i+n-1
		}
	}
	return append(stages, command[start:])
}

// operator gives the length of the operator at the beginning of a text, 0 where none
// is, and whether it is a pipe: all others end a statement.
func operator(text string) (n int, pipe bool) {
	for _, op := range []string{"&&", "||", "|&", "|", ";", "\n"} {
		if strings.HasPrefix(text, op) {
			return len(op), op == "|" || op == "|&"
		}
	}
	return 0, false
}
