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
		{name: "read", takes: "path", how: "read a file", path: true, do: (*player).read},
		{name: "write", takes: "path, text", how: "write a file", path: true, do: (*player).write},
		{name: "append", takes: "path, text", how: "append to a file", path: true, do: (*player).appendTo},
		{name: "replace", takes: "path, old, new", how: "replace the first occurrence of old by new; fails if there is none", path: true, do: (*player).replace},
		{name: "remove", takes: "path", how: "delete a file, or a folder", path: true, do: (*player).remove},
		{name: "run", takes: "line, must", how: "run a shell line; with must, end with exit code 1 if it fails", line: true, do: (*player).run},
		{name: "say", takes: "text", how: "print a message for you", text: true, do: (*player).say},
		{name: "step", takes: "text", how: "record a step", text: true, do: (*player).say},
		{name: "ask", takes: "text", how: "ask you a question, and end with exit code 0", text: true, do: (*player).ask},
		{name: "question", takes: "text", how: "ask a question of a planning session", text: true, do: (*player).say},
		{name: "plan", takes: "text", how: "hand in the plan of a planning session", text: true, do: (*player).say},
		{name: "usage", takes: "usage", how: "report exactly these figures", do: (*player).usage},
		{name: "grow", takes: "tokens", how: "use up context", do: (*player).grow},
		{name: "compact", how: "shorten the context", do: (*player).compact},
		{name: "loop", takes: "times, actions", how: "repeat the actions this many times (0: for ever)", do: (*player).loop},
		{name: "pause", takes: "for", how: `wait for this time ("200ms")`, do: (*player).pause},
		{name: "wait", takes: "path", how: "wait until this file exists", path: true, do: (*player).wait},
		{name: "done", how: `say "done", and end with exit code 0`, do: (*player).done},
		{name: "exit", takes: "code", how: "end with this exit code", do: (*player).exit},
		{name: "crash", takes: "code or signal", how: `end with an error, or by a signal ("KILL", "SEGV")`, do: (*player).crash},
		{name: "hang", how: "do nothing for ever", do: (*player).hang},
		{name: "spin", how: "compute for ever", do: (*player).spin},
		{name: "ignore_signals", how: "ignore HUP, INT and TERM from now on", do: (*player).ignoreSignals},
		{name: "limit", takes: "for or until", how: "report a provider's limit, and end with exit code 1", do: (*player).limit},
		{name: "no_login", takes: "text", how: "report that the login is missing, and end with exit code 1", do: (*player).noLogin},
		{name: "weaken", takes: "path", how: "make the tests of a file skip (Go, Python, JavaScript)", path: true, do: (*player).weaken},
		{name: "cheat", takes: "what", how: "gate: write a gate.toml that is always green; otherwise: mark every feature as completed in features.json", do: (*player).cheat},
		{name: "poison", takes: "path, text", how: "write into dependencies that git ignores", path: true, do: (*player).write},
		{name: "background", takes: "line, loud", how: "start a process with setsid and leave it running; with loud, it keeps the output open", line: true, do: (*player).background},
		{name: "serve", takes: "port, path", how: "start a server on this port (0: any free one) and leave it running; write its port to the file path", do: (*player).serve},
		{name: "commit", takes: "branch, text", how: "commit everything; with branch, move that branch to the commit", do: (*player).commit},
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
