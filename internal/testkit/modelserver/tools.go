package modelserver

import (
	"encoding/json"
	"path"
	"strings"
)

// names are the tools that do a deed, by the names that agents give them; the
// first that is offered is taken.
var names = map[Deed][]string{
	Write: {"Write", "write_file", "write", "create", "apply_patch"},
	Edit:  {"Edit", "replace", "edit", "apply_patch"},
	Read:  {"Read", "read_file", "read", "view"},
	Run:   {"Bash", "exec_command", "shell_command", "shell", "run_shell_command", "bash"},
	Ask:   {"AskUserQuestion", "request_user_input", "ask_user_question", "ask_user", "question"},
	Plan:  {"ExitPlanMode", "exit_plan_mode"},
	Agent: {"Agent", "Task", "agent", "task", "invoke_agent"},
}

// unseen are tools that are there and not offered before they are looked for, by
// those who have tool_search.
var unseen = map[Deed]struct {
	name   string
	schema Schema
}{
	Ask:  {"ask_user_question", Schema{Properties: map[string]Property{"questions": {Type: "array"}}}},
	Plan: {"exit_plan_mode", Schema{Properties: map[string]Property{"plan": {Type: "string"}}}},
}

// keys are the names that agents give to an argument.
var keys = map[string][]string{
	"path": {"file_path", "filePath", "path", "absolute_path", "target_file"},
	"text": {"content", "contents", "file_text", "text"},
	"old":  {"old_string", "oldString", "oldText", "old_str"},
	"new":  {"new_string", "newString", "newText", "new_str"},
	"line": {"command", "cmd", "script"},
	"kind": {"subagent_type", "agent_type"},
}

// on is the call as the request's agent understands it. A deed for which it
// offers no tool becomes a call of the first name all the same: that is what a
// confused model does.
func (c Call) on(r Request) ToolCall {
	if c.Do == Raw {
		return ToolCall{Name: c.Name, Args: string(c.Args), Custom: r.Tools[c.Name].Custom}
	}
	if c.Do == MCP {
		return c.behind(r)
	}
	name, tool := c.tool(r)
	if tool.Custom {
		return ToolCall{Name: name, Args: c.patch(), Custom: true}
	}
	if (c.Do == Write || c.Do == Edit) && name == names[c.Do][0] && r.Tools[name].Schema.Properties == nil {
		if shell, tool := (Call{Do: Run}).tool(r); tool.Schema.Properties != nil {
			return ToolCall{Name: shell, Args: arguments(Call{Do: Run, Line: c.shell()}.values(r.Dir()), tool.Schema)}
		}
	}
	values := c.values(r.Dir())
	if name == "request_user_input" { // it wants its questions named
		for _, q := range c.questions() {
			q["id"] = "q1"
			values["questions"] = []any{q}
		}
	}
	return ToolCall{Name: name, Args: arguments(values, tool.Schema)}
}

// behind is a call of a tool of an MCP server, by the name that the agent gives it;
// one that is not offered may be there all the same, under its server's name.
func (c Call) behind(r Request) ToolCall {
	for _, name := range []string{"mcp__" + c.Server + "__" + c.Name, "mcp_" + c.Server + "_" + c.Name, c.Server + "_" + c.Name, c.Server + "-" + c.Name} {
		if _, ok := r.Tools[name]; ok {
			return ToolCall{Name: name, Args: string(c.Args)}
		}
	}
	return ToolCall{Name: "mcp__" + c.Server + "__" + c.Name, Args: string(c.Args), Server: c.Server}
}

func (c Call) tool(r Request) (string, Tool) {
	for _, name := range names[c.Do] {
		if t, ok := r.Tools[name]; ok {
			return name, t
		}
	}
	if _, ok := r.Tools["tool_search"]; ok && unseen[c.Do].name != "" {
		return unseen[c.Do].name, Tool{Schema: unseen[c.Do].schema}
	}
	return names[c.Do][0], Tool{}
}

// shell writes a file where only a shell is offered.
func (c Call) shell() string {
	if c.Do == Edit {
		return "sed -i " + quote("s|"+c.Old+"|"+c.Text+"|") + " " + quote(c.Path)
	}
	return "mkdir -p " + quote(path.Dir(c.Path)) + " && printf %s " + quote(c.Text) + " > " + quote(c.Path)
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// patch is the call in the notation of apply_patch.
func (c Call) patch() string {
	var b strings.Builder
	b.WriteString("*** Begin Patch\n")
	if c.Do == Edit {
		b.WriteString("*** Update File: " + c.Path + "\n@@\n" + prefixed("-", c.Old) + prefixed("+", c.Text))
	} else {
		b.WriteString("*** Add File: " + c.Path + "\n" + prefixed("+", c.Text))
	}
	b.WriteString("*** End Patch\n")
	return b.String()
}

func prefixed(mark, text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(mark + strings.TrimSuffix(line, "\n") + "\n")
	}
	return b.String()
}

// values are the arguments by what they are; those under a name of keys get the
// tool's own.
func (c Call) values(dir string) map[string]any {
	at := c.Path
	if at != "" && !path.IsAbs(at) && dir != "" {
		at = path.Join(dir, at)
	}
	switch c.Do {
	case Write:
		return map[string]any{"path": at, "text": c.Text}
	case Edit:
		return map[string]any{"path": at, "old": c.Old, "new": c.Text}
	case Read:
		return map[string]any{"path": at}
	case Run:
		return map[string]any{"line": c.Line}
	case Ask:
		return map[string]any{"questions": c.questions(), "question": c.Text}
	case Plan:
		return map[string]any{"plan": c.Text}
	default:
		return map[string]any{"prompt": c.Text, "description": "part of the work", "kind": "general-purpose", "agent_name": "generalist"}
	}
}

func (c Call) questions() []map[string]any {
	options := []any{}
	for _, o := range c.Options {
		options = append(options, map[string]any{"label": o, "description": "take " + o})
	}
	return []map[string]any{{"question": c.Text, "header": "Question", "options": options, "multiSelect": false}}
}

// arguments writes the values under the names of the schema; what it demands
// beside them gets something of its type, and what it does not know is left out.
func arguments(values map[string]any, s Schema) string {
	out := map[string]any{}
	for name, v := range values {
		key, ok := s.key(name)
		if !ok {
			continue
		}
		if line, isText := v.(string); isText && s.Properties[key].Type == "array" {
			v = []string{"bash", "-lc", line}
		}
		out[key] = v
	}
	for _, key := range s.Required {
		if _, ok := out[key]; !ok {
			out[key] = something(s.Properties[key].Type)
		}
	}
	b, err := json.Marshal(out)
	if err != nil {
		return "{}" // of texts and lists: it cannot be
	}
	return string(b)
}

// key is the tool's name of an argument; a tool whose schema is not known gets
// the first.
func (s Schema) key(name string) (string, bool) {
	all := keys[name]
	if all == nil {
		all = []string{name}
	}
	if s.Properties == nil {
		return all[0], true
	}
	for _, key := range all {
		if _, ok := s.Properties[key]; ok {
			return key, true
		}
	}
	return "", false
}

func something(kind any) any {
	switch kind {
	case "boolean":
		return false
	case "number", "integer":
		return 1
	case "array":
		return []any{}
	case "object":
		return map[string]any{}
	default:
		return "by script"
	}
}
