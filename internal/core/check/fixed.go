package check

import (
	"slices"
	"strings"
)

// constants are the programs whose result depends on what is typed alone.
var constants = []string{"true", "false", ":", "exit", "return", "echo", "printf", "sleep", "!", "{", "}"}

// Fixed tells whether a command gives the same result whatever the files of the project
// are, as far as can be told without running it: "false" is such a command.
func Fixed(line string) bool {
	if strings.ContainsAny(line, "$`") {
		return false // what stands there may be asked of the files
	}
	var one []shellWord
	list := shellWords(line)
	for i, w := range list {
		switch {
		case w.operator && strings.ContainsAny(w.text, "<>"):
			return false
		case !w.operator && !w.known && w.text != "":
			return false
		case !w.operator:
			one = append(one, w)
		}
		if (w.operator || i == len(list)-1) && len(one) > 0 {
			if !fixedCommand(one) {
				return false
			}
			one = nil
		}
	}
	return len(list) > 0
}

func fixedCommand(list []shellWord) bool {
	for len(list) > 1 && slices.Contains([]string{"!", "{", "exec", "command", "time"}, list[0].text) {
		list = list[1:]
	}
	switch name := list[0].text; {
	case slices.Contains(constants, name):
		return true
	case name == "test" || name == "[" || name == "[[":
		return !slices.ContainsFunc(list[1:], asksFiles)
	case (name == "sh" || name == "bash") && len(list) == 3 && list[1].text == "-c":
		return Fixed(list[2].text)
	}
	return false
}

// asksFiles tells whether a word of test is an operator that looks at files.
func asksFiles(w shellWord) bool {
	s := w.text
	if len(s) == 2 && s[0] == '-' {
		return s != "-n" && s != "-z" && s != "-a" && s != "-o"
	}
	return s == "-nt" || s == "-ot" || s == "-ef"
}
