package modelserver

import (
	"encoding/json"
	"strings"
	"testing"
)

// A deed becomes a call of the tool that is offered for it, with its own names.
func TestCallsOnTools(t *testing.T) {
	schema := func(required string, keys ...string) Tool {
		var props []string
		for _, k := range keys {
			name, kind, ok := strings.Cut(k, ":")
			if !ok {
				kind = "string"
			}
			props = append(props, `"`+name+`":{"type":"`+kind+`"}`)
		}
		var tool Tool
		if err := json.Unmarshal([]byte(`{"properties":{`+strings.Join(props, ",")+`},"required":[`+required+`]}`), &tool.Schema); err != nil {
			t.Fatal(err)
		}
		return tool
	}
	for _, c := range []struct {
		name  string
		call  Call
		tools map[string]Tool
		want  string
	}{
		{"claude write", Call{Do: Write, Path: "a/b", Text: "x"}, map[string]Tool{"Write": schema("", "file_path", "content")}, `Write {"content":"x","file_path":"/w/a/b"}`},
		{"absolute", Call{Do: Read, Path: "/a"}, map[string]Tool{"read_file": schema("", "absolute_path")}, `read_file {"absolute_path":"/a"}`},
		{"opencode run", Call{Do: Run, Line: "ls"}, map[string]Tool{"bash": schema(`"command","description"`, "command", "description")}, `bash {"command":"ls","description":"by script"}`},
		{"codex shell", Call{Do: Run, Line: "ls"}, map[string]Tool{"shell": schema("", "command:array")}, `shell {"command":["bash","-lc","ls"]}`},
		{"codex write", Call{Do: Write, Path: "a", Text: "x\n"}, map[string]Tool{"apply_patch": {Custom: true}}, "apply_patch *** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n"},
		{"write by shell", Call{Do: Write, Path: "a", Text: "it's"}, map[string]Tool{"exec_command": schema("", "cmd")}, `exec_command {"cmd":"mkdir -p '.' \u0026\u0026 printf %s 'it'\\''s' \u003e 'a'"}`},
		{"edit", Call{Do: Edit, Path: "a", Old: "b", Text: "c"}, map[string]Tool{"Edit": schema("", "file_path", "old_string", "new_string")}, `Edit {"file_path":"/w/a","new_string":"c","old_string":"b"}`},
		{"plan without argument", Call{Do: Plan, Text: "x"}, map[string]Tool{"ExitPlanMode": schema("", "other")}, `ExitPlanMode {}`},
		{"not offered", Call{Do: Run, Line: "ls"}, nil, `Bash {"command":"ls"}`},
		{"raw", Call{Do: Raw, Name: "Odd", Args: json.RawMessage(`{"a":1}`)}, nil, `Odd {"a":1}`},
		{"an MCP tool of claude", Call{Do: MCP, Server: "s", Name: "t", Args: json.RawMessage(`{}`)}, map[string]Tool{"mcp__s__t": {}}, `mcp__s__t {}`},
		{"an MCP tool that is not offered", Call{Do: MCP, Server: "s", Name: "t", Args: json.RawMessage(`{}`)}, nil, `mcp__s__t {}`},
		{
			"ask",
			Call{Do: Ask, Text: "which?", Options: []string{"a"}},
			map[string]Tool{"AskUserQuestion": schema("", "questions:array")},
			`AskUserQuestion {"questions":[{"header":"Question","multiSelect":false,"options":[{"description":"take a","label":"a"}],"question":"which?"}]}`,
		},
	} {
		r := Request{System: "# Environment\nPrimary working directory: /w\n", Tools: c.tools}
		if got := c.call.on(r); got.Name+" "+got.Args != c.want {
			t.Errorf("%s: %s %s, want %s", c.name, got.Name, got.Args, c.want)
		}
	}
}

func TestDir(t *testing.T) {
	for text, want := range map[string]string{
		"Working directory: /a/b\nmore":                          "/a/b",
		"<cwd>/c</cwd>":                                          "/c",
		"I'm currently working in the directory: /d":             "/d",
		"nothing of the kind":                                    "",
		" - Primary working directory: /tmp/x y":                 "/tmp/x",
		"You work in a directory. Working directory is: `/e/f`.": "/e/f",
	} {
		if got := (Request{Said: []string{text}}).Dir(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("/v1/messages", `{"model":"m","messages":[{"role":"user","content":[{"type":"tool_result","content":[{"text":"x"}]}]}],"tools":[{"name":"Bash"}]}`)
	f.Add("/v1/responses", `{"input":[{"role":"user","content":[{"text":"[[script:a]]"}]},{"output":"x"}],"tools":[{"type":"custom","name":"apply_patch"}]}`)
	f.Add("/v1/chat/completions", `{"messages":[{"role":"system","content":"Working directory: /w"},{"role":"user","content":"[[script:a]]"}]}`)
	f.Add("/v1beta/models/m:generateContent", `{"contents":[{"parts":[{"text":"x"}]}]}`)
	f.Fuzz(func(t *testing.T, path, body string) {
		p, _, ok := endpoint(path)
		if !ok {
			return
		}
		r, err := p.parse(path, []byte(body))
		if err != nil {
			return
		}
		m := NewModel()
		m.Play(r.Conversation(), Script{Turns: []Turn{{Text: "hi", Thinking: "hm", Calls: []Call{{Do: Write, Path: "a"}, {Do: Run}, {Do: Ask}}}}})
		a := m.Answer(r)
		if a.Usage.All()+a.Usage.Output <= 0 || a.Usage.CacheWrite < 0 {
			t.Errorf("counted %+v", a.Usage)
		}
		if _, err := json.Marshal(p.whole(a)); err != nil {
			t.Error(err)
		}
		for _, f := range p.stream(a) {
			if _, err := json.Marshal(f.data); err != nil {
				t.Error(err)
			}
		}
		m.Given(a)
	})
}
