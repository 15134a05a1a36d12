package scripted

import (
	"context"
	"fmt"
	"strings"
)

// verb is one kind of action: what it needs and what it does. A nil end goes on.
type verb struct {
	name, takes, how string // its name, the fields that count, and what it does, for people
	path, text, line bool
	do               func(p *player, ctx context.Context, a Action) *end
}

// verbList are all actions, in the order in which people are told of them.
func verbList() []verb {
	return []verb{
		{name: "read", takes: "path", how: "look at a file", path: true, do: (*player).read},
		{name: "write", takes: "path, text", how: "write a file", path: true, do: (*player).write},
		{name: "append", takes: "path, text", how: "write at the end of one", path: true, do: (*player).appendTo},
		{name: "replace", takes: "path, old, new", how: "the first old in the file; an error when there is none", path: true, do: (*player).replace},
		{name: "remove", takes: "path", how: "delete a file, or a folder", path: true, do: (*player).remove},
		{name: "run", takes: "line, must", how: "a shell line; must: end with 1 when it fails", line: true, do: (*player).run},
		{name: "say", takes: "text", how: "tell you", text: true, do: (*player).say},
		{name: "step", takes: "text", how: "record a step", text: true, do: (*player).say},
		{name: "ask", takes: "text", how: "ask, and end with 0", text: true, do: (*player).ask},
		{name: "question", takes: "text", how: "what a planning session asks", text: true, do: (*player).say},
		{name: "plan", takes: "text", how: "the plan that a planning session gives", text: true, do: (*player).say},
		{name: "usage", takes: "usage", how: "report these figures, as they are", do: (*player).usage},
		{name: "grow", takes: "tokens", how: "use up context", do: (*player).grow},
		{name: "compact", how: "shorten the context", do: (*player).compact},
		{name: "loop", takes: "times, actions", how: "again and again", do: (*player).loop},
		{name: "pause", takes: "for", how: `for a time ("200ms")`, do: (*player).pause},
		{name: "wait", takes: "path", how: "until a file is there", path: true, do: (*player).wait},
		{name: "done", how: "say so, and end with 0", do: (*player).done},
		{name: "exit", takes: "code", how: "end", do: (*player).exit},
		{name: "crash", takes: "code or signal", how: `end with an error, or by a signal ("KILL", "SEGV")`, do: (*player).crash},
		{name: "hang", how: "do nothing for ever", do: (*player).hang},
		{name: "spin", how: "compute for ever", do: (*player).spin},
		{name: "ignore_signals", how: "HUP, INT and TERM, from now on", do: (*player).ignoreSignals},
		{name: "limit", takes: "for or until", how: "a provider's limit, and end with 1", do: (*player).limit},
		{name: "no_login", takes: "text", how: "not logged in, and end with 1", do: (*player).noLogin},
		{name: "weaken", takes: "path", how: "make the tests of a file skip (Go, Python, JavaScript)", path: true, do: (*player).weaken},
		{name: "cheat", takes: "what", how: "gate: a gate.toml that is always green; else every feature is completed in features.json", do: (*player).cheat},
		{name: "poison", takes: "path, text", how: "write into dependencies that git ignores", path: true, do: (*player).write},
		{name: "background", takes: "line, loud", how: "leave a process in a session of its own; loud: it keeps the output open", line: true, do: (*player).background},
		{name: "serve", takes: "port, path", how: "leave a server on a port (0: any); its number goes into path", do: (*player).serve},
		{name: "commit", takes: "branch, text", how: "commit everything, and move the branch there", do: (*player).commit},
	}
}

// verbs are all actions by name.
func verbs() map[string]verb {
	out := map[string]verb{}
	for _, v := range verbList() {
		out[v.name] = v
	}
	return out
}

// usage says how it is called.
const usage = "usage: kedge fakeagent SCRIPT [--one-shot FEATURE,FEATURE]"

// help is what --help prints.
func help() string {
	var b strings.Builder
	b.WriteString(usage + `

An agent without a model: it plays a script, for demos and tests. It is started like
any agent of kind "command", with the brief on its standard input. A script is JSON;
the first play that fits is played, and after its last action the agent says that it
is done and ends with 0:

  {"version": 1, "window": 20000, "overflow": "fail", "plays": [
    {"feature": "user-*", "attempt": 1, "purpose": "implement", "number": 1, "brief": "a text in it",
     "do": [{"do": "write", "path": "{{feature}}.txt", "text": "hello\n"}, {"do": "done"}]}]}

Actions, and the fields that count:

`)
	for _, v := range verbList() {
		fmt.Fprintf(&b, "  %-15s %-16s %s\n", v.name, v.takes, v.how)
	}
	return b.String()
}
