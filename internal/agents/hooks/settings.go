package hooks

import (
	"encoding/json"
	"path"
	"strings"

	"kedge"
)

// Wish is what is to be in an agent's settings.
type Wish struct {
	Program string // of Kedge, absolute
	Home    string // the state folder, where it is not the usual one; that of a session counts more
	Status  string // the status line that is in force elsewhere; shown before Kedge's
}

// State is what a settings file has of Kedge's.
type State string

// The states.
const (
	Absent  State = "absent"  // nothing
	Present State = "present" // all of it, as it is wished, however it is written
	Differs State = "differs" // something else of Kedge's: another program, or not all of it
)

// Changed is a text with what was changed in it.
type Changed struct {
	Text string
	Cuts []Cut
}

// Look tells what of Kedge's is in the text of an agent's settings.
func (a Agent) Look(text string, w Wish) (State, error) {
	if a.File != nil {
		return a.lookWhole(text, w)
	}
	root, err := parse(text)
	if err != nil {
		return "", err
	}
	found := a.own(text, root)
	status, chained := a.statusOf(text, root)
	if len(found) == 0 && !chained {
		return Absent, nil
	}
	if len(found) != len(a.Entries) || chained != a.StatusLine {
		return Differs, nil
	}
	for i, f := range found {
		if !a.isWished(text, f, a.Entries[i], w) {
			return Differs, nil
		}
	}
	if own, _ := ours(status, a.Name); chained && (own.program != w.Program || own.home != w.Home) {
		return Differs, nil
	}
	return Present, nil
}

// isWished tells whether an entry says what is wished. How it is written does not
// count, nor what others put beside it: agents write their settings anew.
func (a Agent) isWished(text string, f ownEntry, x Entry, w Wish) bool {
	m, _ := f.group.get("matcher")
	return f.event == x.Event && m.textOf(text) == x.Matcher && f.handlers.kids[f.handler].val.canonical(text) == plainOf(a.handler(x, w))
}

// Insert puts Kedge's entries at the end of the lists that are there, and its
// status line around the one that is there. What of Kedge's was there before is
// taken out first. Everything else stays, byte for byte.
func (a Agent) Insert(text string, w Wish) (Changed, error) {
	state, err := a.Look(text, w)
	if err != nil || state == Present {
		return Changed{Text: text}, err
	}
	if state == Differs {
		if text, err = a.Remove(text); err != nil {
			return Changed{}, err
		}
	}
	if a.File != nil {
		all := a.File(w)
		return Changed{Text: all, Cuts: []Cut{{Len: len(all), Old: text}}}, nil
	}
	e := &editor{text: text}
	if root, err := parse(text); err != nil {
		return Changed{}, err
	} else if root == nil {
		e.replace(len(text), 0, ownLine(text)+"{}\n")
	}
	for _, x := range a.Entries {
		if err := e.entry(x.Event, a.group(x, w)); err != nil {
			return Changed{}, err
		}
	}
	if a.StatusLine {
		if err := e.statusLine(a, w); err != nil {
			return Changed{}, err
		}
	}
	return Changed{Text: e.text, Cuts: e.cuts}, nil
}

// ownLine ends a comment that the text ends with.
func ownLine(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return ""
	}
	return "\n"
}

// group is one of Kedge's entries as it is written.
func (a Agent) group(x Entry, w Wish) string {
	var b strings.Builder
	b.WriteString("{")
	if x.Matcher != "" {
		b.WriteString(`"matcher": ` + Quoted(x.Matcher) + ", ")
	}
	b.WriteString(`"hooks": [` + a.handler(x, w) + "]}")
	return b.String()
}

// handler is what an entry has the agent run.
func (a Agent) handler(x Entry, w Wish) string {
	return `{"type": "command", "command": ` + Quoted(w.Command(a.Name)) + `, "timeout": ` + x.Timeout + "}"
}

// entry adds a group to the list of an event.
func (e *editor) entry(event, group string) error {
	root, err := parse(e.text)
	if err != nil {
		return err
	}
	if root.kind != '{' {
		return kedge.Errorf(kedge.Invalid, "the file does not contain a JSON object")
	}
	hooks, ok := root.get("hooks")
	if !ok {
		e.add(root, `"hooks": {}`)
		return e.entry(event, group)
	}
	if hooks.kind != '{' {
		return kedge.Errorf(kedge.Invalid, `the value of "hooks" is not a JSON object`)
	}
	list, ok := hooks.get(event)
	switch {
	case !ok:
		e.add(hooks, Quoted(event)+": ["+group+"]")
	case list.kind != '[':
		return kedge.Errorf(kedge.Invalid, "the value of %q under \"hooks\" is not a list", event)
	default:
		e.add(list, group)
	}
	return nil
}

// statusLine makes Kedge's the status line, around the one that was there.
func (e *editor) statusLine(a Agent, w Wish) error {
	root, err := parse(e.text)
	if err != nil {
		return err
	}
	line, ok := root.get("statusLine")
	if !ok {
		e.add(root, `"statusLine": {"type": "command", "command": `+Quoted(w.statusCommand(a.Name, w.Status))+"}")
		return nil
	}
	if c, ok := line.get("command"); ok && c.kind == '"' {
		e.replace(c.from, c.to-c.from, Quoted(w.statusCommand(a.Name, c.textOf(e.text))))
	}
	return nil // of another kind: it stays as it is
}

// Remove takes out what is Kedge's: its entries, lists that are empty without
// them, and its part of the status line.
func (a Agent) Remove(text string) (string, error) {
	if a.File != nil {
		_, err := a.lookWhole(text, Wish{})
		return "", err
	}
	e := &editor{text: text}
	for {
		root, err := parse(e.text)
		if err != nil {
			return "", err
		}
		found := a.own(e.text, root)
		if len(found) == 0 {
			break
		}
		e.cut(root, found[len(found)-1])
	}
	if err := e.restoreStatus(a); err != nil {
		return "", err
	}
	return e.text, nil
}

// cut takes one entry out, and what is empty without it.
func (e *editor) cut(root *node, f ownEntry) {
	switch {
	case len(f.handlers.kids) > 1:
		e.drop(f.handlers, f.handler)
		return
	case len(f.list.kids) > 1:
		e.drop(f.list, f.index)
		return
	case len(f.hooks.kids) > 1:
		e.drop(f.hooks, f.member)
		return
	}
	for i, k := range root.kids {
		if k.val == f.hooks {
			e.drop(root, i)
		}
	}
}

// restoreStatus leaves of Kedge's status line the one that it stood around.
func (e *editor) restoreStatus(a Agent) error {
	root, err := parse(e.text)
	if err != nil {
		return err
	}
	if _, chained := a.statusOf(e.text, root); !chained {
		return nil
	}
	for i, k := range root.kids {
		if k.key != "statusLine" {
			continue
		}
		c, _ := k.val.get("command")
		if own, _ := ours(c.textOf(e.text), a.Name); own.inner != "" {
			e.replace(c.from, c.to-c.from, Quoted(own.inner))
			return nil
		}
		e.drop(root, i)
		return nil
	}
	return nil
}

// ownEntry is where an entry of Kedge's stands.
type ownEntry struct {
	event    string
	hooks    *node // the object of all
	member   int   // the event in it
	list     *node // the event's groups
	index    int
	group    *node
	handlers *node
	handler  int
}

// own finds Kedge's entries, in the order in which it puts them in.
func (a Agent) own(text string, root *node) []ownEntry {
	hooks, ok := root.get("hooks")
	if !ok || hooks.kind != '{' {
		return nil
	}
	var out []ownEntry
	for m, event := range hooks.kids {
		for i, g := range event.val.elements() {
			handlers, _ := g.val.get("hooks")
			for j, h := range handlers.elements() {
				c, _ := h.val.get("command")
				if _, ok := ours(c.textOf(text), a.Name); ok {
					out = append(out, ownEntry{event.key, hooks, m, event.val, i, g.val, handlers, j})
				}
			}
		}
	}
	return a.inOrder(out)
}

// inOrder sorts what is found as the table has it; what it does not have comes
// last.
func (a Agent) inOrder(found []ownEntry) []ownEntry {
	var out, rest []ownEntry
	for _, x := range a.Entries {
		for _, f := range found {
			if f.event == x.Event {
				out = append(out, f)
			}
		}
	}
	for _, f := range found {
		if !a.has(f.event) {
			rest = append(rest, f)
		}
	}
	return append(out, rest...)
}

func (a Agent) has(event string) bool {
	for _, x := range a.Entries {
		if x.Event == event {
			return true
		}
	}
	return false
}

// elements are those of a list.
func (n *node) elements() []kid {
	if n == nil || n.kind != '[' {
		return nil
	}
	return n.kids
}

// statusOf is the command of the status line, and whether it is Kedge's.
func (a Agent) statusOf(text string, root *node) (string, bool) {
	line, _ := root.get("statusLine")
	c, _ := line.get("command")
	command := c.textOf(text)
	_, own := ours(command, a.Name)
	return command, own
}

// StatusCommand is the status line that the settings have, other than Kedge's;
// empty: none.
func (a Agent) StatusCommand(text string) string {
	root, err := parse(text)
	if a.File != nil || err != nil || !a.StatusLine {
		return ""
	}
	command, _ := a.statusOf(text, root)
	if own, is := ours(command, a.Name); is {
		return own.inner
	}
	return command
}

// HomeFlag is before the state folder that a hook belongs to, unless its session
// says another.
const HomeFlag = "--home="

// Command is what an agent runs for a hook.
func (w Wish) Command(agent string) string {
	line := shellQuoted(w.Program) + " hook " + agent
	if w.Home != "" {
		line += " " + HomeFlag + shellQuoted(w.Home)
	}
	return line
}

// statusCommand is what it runs for its status line.
func (w Wish) statusCommand(agent, inner string) string {
	line := w.Command(agent) + " statusline"
	if inner != "" {
		line += " " + shellQuoted(inner)
	}
	return line
}

// ownCommand is a command of Kedge's, taken apart.
type ownCommand struct {
	program string
	home    string
	inner   string // the status line that it stands around
}

// ours takes a command apart that is Kedge's.
func ours(line, agent string) (c ownCommand, ok bool) {
	program, rest, ok := shellWord(line)
	if !ok || !strings.HasPrefix(path.Base(program), "kedge") {
		return c, false
	}
	rest, ok = strings.CutPrefix(rest, " hook "+agent)
	if !ok || rest != "" && rest[0] != ' ' {
		return c, false
	}
	c.program = program
	if after, is := strings.CutPrefix(rest, " "+HomeFlag); is {
		if c.home, rest, ok = shellWord(after); !ok {
			return c, false
		}
	}
	if after, is := strings.CutPrefix(rest, " statusline "); is {
		c.inner, _, _ = shellWord(after)
	}
	return c, true
}

// shellQuoted is a word as a shell takes it for one.
func shellQuoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// shellWord takes the first word off a line, as shellQuoted wrote it.
func shellWord(line string) (word, rest string, ok bool) {
	if !strings.HasPrefix(line, "'") {
		word, _, _ = strings.Cut(line, " ")
		return word, strings.TrimPrefix(line, word), word != ""
	}
	var b strings.Builder
	for line = line[1:]; ; {
		part, after, found := strings.Cut(line, "'")
		if !found {
			return "", "", false
		}
		b.WriteString(part)
		if line, found = strings.CutPrefix(after, `\''`); !found {
			return b.String(), after, true
		}
		b.WriteByte('\'')
	}
}

// Quoted is a string of JSON, with < and & as they are.
func Quoted(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}
