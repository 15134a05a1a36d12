package hooks_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"kedge/internal/agents/catalog"
	"kedge/internal/agents/hooks"
)

var wish = hooks.Wish{Program: "/opt/kedge's/bin/kedge"}

// settings are files as people have them.
var settings = map[string]string{
	"no file":        "",
	"blank":          "\n\n",
	"empty":          "{}",
	"empty, spaced":  "{ }\n",
	"one line":       `{"model": "opus", "env": {"A": "b"}}`,
	"pretty":         "{\n  \"model\": \"opus\",\n  \"permissions\": {\n    \"allow\": []\n  }\n}\n",
	"tabs":           "{\n\t\"model\": \"opus\"\n}",
	"windows":        "{\r\n  \"model\": \"opus\"\r\n}\r\n",
	"mark":           "\ufeff{\"a\": 1}\n",
	"comments":       "// mine\n{\n  // the model\n  \"model\": \"opus\", // not sonnet\n  /* done */\n}\n",
	"comment inside": "{ // nothing yet\n}\n",
	"unknown keys":   "{\n  \"x-y\": [1, 2.5e3, null, true, \"a\\\"b\"],\n  \"model\": \"opus\"\n}\n",
	"empty hooks":    "{\n  \"hooks\": {}\n}\n",
	"empty list":     "{\n  \"hooks\": {\"Stop\": [], \"PreToolUse\": [ ]}\n}\n",
	"hooks of others": "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Bash\",\n        \"hooks\": [{\"type\": \"command\", \"command\": \"./mine.sh\"}]\n      }\n    ],\n" +
		"    \"Notification\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"say kedge hook claude\"}]}]\n  },\n  \"model\": \"opus\"\n}\n",
	"status line":  "{\n  \"statusLine\": {\"type\": \"command\", \"command\": \"echo it's \\\"me\\\" & you\", \"padding\": 0}\n}\n",
	"twice hooks":  "{\"hooks\": {\"Stop\": []}, \"hooks\": {}}",
	"after commas": "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": []},\n    ],\n  },\n}\n",
}

// of is the agent of a name; one that has no hooks is empty.
func of(name string) hooks.Agent {
	a, _ := catalog.HooksOf(name)
	return a
}

// edited are the agents in whose settings others have entries too.
func edited() []hooks.Agent {
	return slices.DeleteFunc(catalog.Hooks(), hooks.Agent.Whole)
}

// TestWholeFiles: a file that is Kedge's alone comes and goes whole; another's of the
// same name stays.
func TestWholeFiles(t *testing.T) {
	for _, agent := range catalog.Hooks() {
		if !agent.Whole() {
			continue
		}
		w := hooks.Wish{Program: "/opt/ke\"dge's/kedge", Home: "/srv/it's here"}
		in, err := agent.Insert("", w)
		if err != nil || !strings.Contains(in.Text, "hook") {
			t.Fatalf("%s: %q, %v", agent.Name, in.Text, err)
		}
		for program, want := range map[string]hooks.State{w.Program: hooks.Present, "/other/kedge": hooks.Differs} {
			if state, err := agent.Look(in.Text, hooks.Wish{Program: program, Home: w.Home}); err != nil || state != want {
				t.Errorf("%s, for %s: %s, %v", agent.Name, program, state, err)
			}
		}
		if back, ok := hooks.Undo(in.Text, in.Cuts); !ok || back != "" {
			t.Errorf("%s: taken back it is %q", agent.Name, back)
		}
		if out, err := agent.Remove(in.Text); err != nil || out != "" {
			t.Errorf("%s: left is %q, %v", agent.Name, out, err)
		}
		if _, err := agent.Insert("export const mine = 1\n", w); err == nil {
			t.Errorf("%s: another's file was replaced", agent.Name)
		}
		if _, err := agent.Remove("export const mine = 1\n"); err == nil {
			t.Errorf("%s: another's file was removed", agent.Name)
		}
	}
}

// TestSettingsStay: whatever the file is, Kedge's entries get in once, everything
// else stays, and taking them back gives the file, byte for byte.
func TestSettingsStay(t *testing.T) {
	for _, agent := range edited() {
		for name, text := range settings {
			t.Run(agent.Name+"/"+name, func(t *testing.T) {
				in, err := agent.Insert(text, wish)
				if err != nil {
					t.Fatal(err)
				}
				if state, err := agent.Look(in.Text, wish); err != nil || state != hooks.Present {
					t.Fatalf("it is %s, %v:\n%s", state, err, in.Text)
				}
				if back, ok := hooks.Undo(in.Text, in.Cuts); !ok || back != text {
					t.Errorf("taken back it is %q, was %q", back, text)
				}
				for _, line := range strings.Split(strings.Trim(text, "{}[], \t\r\n"), "\n") {
					if word := strings.TrimSpace(line); !strings.Contains(in.Text, word) && !strings.Contains(text, "statusLine") && !strings.Contains(word, "[]") && !strings.Contains(word, "{}") && !strings.Contains(word, "[ ]") {
						t.Errorf("lost: %q", word)
					}
				}
				again, err := agent.Insert(in.Text, wish)
				if err != nil || again.Text != in.Text || len(again.Cuts) > 0 {
					t.Errorf("the second time it changed to\n%s", again.Text)
				}
				out, err := agent.Remove(in.Text)
				if err != nil {
					t.Fatal(err)
				}
				if state, err := agent.Look(out, wish); err != nil || state != hooks.Absent {
					t.Errorf("after taking out it is %s, %v:\n%s", state, err, out)
				}
			})
		}
	}
}

// TestRemoveWithoutRecord: what others have changed meanwhile stays, and what was
// Kedge's goes.
func TestRemoveWithoutRecord(t *testing.T) {
	claude, _ := catalog.HooksOf("claude")
	for _, name := range []string{"one line", "pretty", "tabs", "windows", "comments", "hooks of others", "status line", "unknown keys"} {
		in, err := claude.Insert(settings[name], wish)
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.Replace(in.Text, `"model": "opus"`, `"model": "haiku"`, 1)
		want := strings.Replace(settings[name], `"model": "opus"`, `"model": "haiku"`, 1)
		if got, err := claude.Remove(changed); err != nil || got != want {
			t.Errorf("%s: %v, left is\n%s\nwant\n%s", name, err, got, want)
		}
	}
}

// TestMovedProgram: entries of another Kedge are replaced, not added to.
func TestMovedProgram(t *testing.T) {
	claude, _ := catalog.HooksOf("claude")
	old, err := claude.Insert(settings["status line"], hooks.Wish{Program: "/old/kedge-1.2"})
	if err != nil {
		t.Fatal(err)
	}
	if state, _ := claude.Look(old.Text, wish); state != hooks.Differs {
		t.Errorf("another program's are %s", state)
	}
	now, err := claude.Insert(old.Text, wish)
	if err != nil || strings.Contains(now.Text, "/old/") || strings.Count(now.Text, "hook claude") != strings.Count(old.Text, "hook claude") {
		t.Errorf("%v:\n%s", err, now.Text)
	}
	if got := claude.StatusCommand(now.Text); got != `echo it's "me" & you` {
		t.Errorf("the person's status line became %q", got)
	}
}

// TestWrittenAnew: an agent that writes its settings anew says the same; another
// command, time or matcher does not.
func TestWrittenAnew(t *testing.T) {
	for _, agent := range edited() {
		in, err := agent.Insert(settings["hooks of others"], wish)
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal([]byte(in.Text), &v); err != nil {
			t.Fatal(err)
		}
		for _, indent := range []string{"", "    ", "\t"} {
			b, err := json.MarshalIndent(v, "", indent) // and the names in another order
			if err != nil {
				t.Fatal(err)
			}
			if state, err := agent.Look(string(b), wish); err != nil || state != hooks.Present {
				t.Errorf("%s, indented by %q: %s, %v", agent.Name, indent, state, err)
			}
		}
		beside := strings.Replace(in.Text, `"hooks": [{"type": "command", "command": "'/opt`, `"hooks": [{"type": "command", "command": "mine"}, {"type": "command", "command": "'/opt`, 1)
		if state, _ := agent.Look(beside, wish); beside == in.Text || state != hooks.Present {
			t.Errorf("%s: with another command in the same entry: %s", agent.Name, state)
		}
		for _, change := range [][2]string{{`"timeout": `, `"timeout": 1`}, {" hook " + agent.Name, " hook " + agent.Name + " x"}, {`"type": "command", "command": "'`, `"type": "prompt", "command": "'`}} {
			other := strings.Replace(in.Text, change[0], change[1], 1)
			if state, _ := agent.Look(other, wish); other == in.Text || state != hooks.Differs {
				t.Errorf("%s, %s for %s: %s", agent.Name, change[1], change[0], state)
			}
		}
	}
}

// TestAnotherHome: the entries name the state folder that they belong to, whatever is
// in its name, and another one differs.
func TestAnotherHome(t *testing.T) {
	for _, agent := range edited() {
		w := hooks.Wish{Program: "/opt/kedge", Home: "/srv/it's here"}
		in, err := agent.Insert(settings["status line"], w)
		if err != nil {
			t.Fatal(err)
		}
		for home, want := range map[string]hooks.State{w.Home: hooks.Present, "": hooks.Differs, "/srv": hooks.Differs} {
			if state, err := agent.Look(in.Text, hooks.Wish{Program: w.Program, Home: home}); err != nil || state != want {
				t.Errorf("%s, for %q: %s, %v", agent.Name, home, state, err)
			}
		}
		if out, err := agent.Remove(in.Text); err != nil || strings.Contains(out, "kedge") {
			t.Errorf("%s: left is %q, %v", agent.Name, out, err)
		}
		if got := agent.StatusCommand(in.Text); agent.Name == "claude" && got != `echo it's "me" & you` {
			t.Errorf("the person's status line became %q", got)
		}
	}
}

func TestSettingsThatCannotBe(t *testing.T) {
	claude, _ := catalog.HooksOf("claude")
	for _, text := range []string{
		"[]", `{"hooks": []}`, `{"hooks": {"Stop": {}}}`, `{"a": }`, `{"a" 1}`, `{"a": 1 "b": 2}`, `{`, `{"a": "b}`, "/* x", `{"a": tru}`, `{} {}`,
		strings.Repeat("[", 1000), `{"a\q": 1}`,
	} {
		if in, err := claude.Insert(text, wish); err == nil {
			t.Errorf("%q became %q", text, in.Text)
		}
	}
}

func FuzzSettings(f *testing.F) {
	for _, text := range settings {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, agent := range edited() {
			in, err := agent.Insert(text, wish)
			if err != nil {
				continue
			}
			if len(in.Cuts) > 0 {
				if back, ok := hooks.Undo(in.Text, in.Cuts); !ok {
					t.Fatalf("not taken back: %q", in.Text)
				} else if again, err := agent.Insert(back, wish); err != nil || again.Text != in.Text {
					t.Fatalf("taken back and put in again: %q, %v", again.Text, err)
				}
			}
			out, err := agent.Remove(in.Text)
			if err != nil {
				t.Fatal(err)
			}
			if state, err := agent.Look(out, wish); err != nil || state != hooks.Absent {
				t.Fatalf("%s, %v: %q", state, err, out)
			}
		}
	})
}
