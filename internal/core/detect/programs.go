package detect

import (
	"slices"
	"strings"

	"kedge/internal/text/lazyre"
)

// commands are the single commands of shell lines.
func commands(lines string) []string {
	return strings.FieldsFunc(lines, func(r rune) bool { return strings.ContainsRune("&|;()\n", r) })
}

// builtin are words of a shell, and what every machine has.
var builtin = []string{"cd", "export", "test", "[", "true", "false", "echo", "exit", "sh", "set", "if", "then", "else", "fi", "for", "do", "done", "mkdir", "rm", "cp", "env", "{", "}", "!"}

// assigned is a variable that is set for one command.
var assigned = lazyre.New(`^[A-Za-z_][A-Za-z0-9_]*=`)

// Programs are the programs that a shell line starts, as far as their names stand in it.
// The wrappers of Gradle and Maven stand for Java.
func Programs(line string) []string {
	var out []string
	for _, command := range commands(line) {
		words := strings.Fields(command)
		for len(words) > 0 && assigned.MatchString(words[0]) {
			words = words[1:]
		}
		if len(words) > 1 && words[0] == "sh" {
			words = words[1:]
		}
		if len(words) == 0 {
			continue
		}
		program := words[0]
		switch program[strings.LastIndexByte(program, '/')+1:] {
		case "gradlew", "mvnw":
			program = "java"
		}
		if !strings.ContainsAny(program, "/$\"'`{}<>") && !slices.Contains(builtin, program) && !slices.Contains(out, program) {
			out = append(out, program)
		}
	}
	return out
}

// there tells whether this machine has a program.
func (f *folder) there(program string) bool { return f.programs == nil || f.programs(program) }

// lacks is a program that a line needs and this machine does not have; empty: none.
func (f *folder) lacks(line string) string {
	for _, program := range Programs(line) {
		if !f.there(program) {
			return program
		}
	}
	return ""
}

// missingNotes say which checks are left out for want of a program.
func missingNotes(list []Missing) []string {
	var programs, out []string
	lines := map[string][]string{}
	for _, m := range list {
		programs = joined(programs, []string{m.Program})
		lines[m.Program] = append(lines[m.Program], "`"+m.Check.Run+"`")
	}
	for _, program := range programs {
		out = append(out, program+" is not installed, so Kedge left out: "+strings.Join(lines[program], ", ")+
			"; install it, then uncomment the check in .kedge/gate.toml")
	}
	return out
}
