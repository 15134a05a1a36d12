package detect

import (
	"path"
	"slices"
	"strings"

	"kedge/internal/text/lazyre"
)

var (
	// callsScript is a script that another one of package.json runs.
	callsScript = lazyre.New(`(?:^|[\s;&|("'])(?:npm|pnpm|yarn|bun|node)\s+(?:(?:run|run-script|--run)\s+)?(?:-{1,2}[\w=-]+\s+)*([A-Za-z][\w:.@/*-]*)`)
	// callsSeveral are the tools that run several.
	callsSeveral = lazyre.New(`\b(?:run-s|run-p|npm-run-all2?)\s+([^;&|]+)`)
	callsNamed   = lazyre.New(`\bnpm:([\w:.*-]+)`) // as concurrently has them
)

// reach gives the names of the scripts that one runs, itself among them, and the lines of
// all of them; empty: there is no such script.
func (p packageJSON) reach(script string) (names []string, text string) {
	var visit func(name string)
	visit = func(name string) {
		line := p.Scripts[name]
		if line == "" || slices.Contains(names, name) {
			return
		}
		names, text = append(names, name), text+line+"\n"
		for _, called := range p.called(line) {
			visit(called)
		}
		visit("pre" + name)
		visit("post" + name)
	}
	visit(script)
	return names, text
}

// maxCalled bounds how many scripts a pattern in a line stands for.
const maxCalled = 200

// called are the scripts that a line names, and other words.
func (p packageJSON) called(line string) []string {
	var words []string
	for _, m := range callsScript.FindAllStringSubmatch(line, -1) {
		words = append(words, m[1])
	}
	for _, m := range callsSeveral.FindAllStringSubmatch(line, -1) {
		words = append(words, strings.Fields(m[1])...)
	}
	for _, m := range callsNamed.FindAllStringSubmatch(line, -1) {
		words = append(words, m[1])
	}
	var out []string
	for _, word := range words {
		word = strings.Trim(word, `"'`)
		if word == "t" || word == "tst" {
			word = "test"
		}
		if !strings.Contains(word, "*") {
			out = append(out, word)
			continue
		}
		for name := range p.Scripts {
			if fits, err := path.Match(word, name); err == nil && fits && len(out) < maxCalled {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out)
	return out
}

// lookers are programs that look at sources and say what is wrong. That one of them runs
// behind a script is enough: nobody runs it twice.
var lookers = lazyre.New(`\b(eslint|prettier|standard|xo|biome|oxlint|tslint|stylelint|jshint|tsc|vue-tsc|svelte-check|flow)\b`)

// looksWith are those that lines start.
func looksWith(lines string) []string {
	var out []string
	for _, m := range lookers.FindAllStringSubmatch(lines, -1) {
		out = append(out, m[1])
	}
	return out
}

// covers tells whether a script runs all that another one would: it calls it, or the
// other one only starts programs that look at sources and that the first starts too.
func (p packageJSON) covers(by, script string) bool {
	names, text := p.reach(by)
	if slices.Contains(names, script) || slices.Contains(tasks(text), script) {
		return true
	}
	_, other := p.reach(script)
	tools := looksWith(other)
	if len(tools) == 0 || len(tools) < len(starts(other)) {
		return strings.Contains(text, strings.TrimSpace(p.Scripts[script]))
	}
	have := looksWith(text)
	return !slices.ContainsFunc(tools, func(t string) bool { return !slices.Contains(have, t) })
}

// tasks are what lines ask the tools of a workspace to run in its packages.
func tasks(lines string) []string {
	var out []string
	for _, command := range commands(lines) {
		if workspaceTool.MatchString(command) {
			out = append(out, strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(" ,=\"'", r) })...)
		}
	}
	return out
}

var workspaceTool = lazyre.New(`\b(nx|turbo|lerna)\s+run`)

// starts are the commands of some lines that are not scripts of package.json.
func starts(text string) []string {
	var out []string
	for _, command := range commands(text) {
		if words := strings.Fields(command); len(words) > 0 && !callsScript.MatchString(" "+command) {
			out = append(out, words[0])
		}
	}
	return out
}
