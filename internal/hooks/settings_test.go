package hooks_test

import (
	"strings"
	"testing"

	"kedge/internal/hooks"
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

// TestSettingsStay: whatever the file is, Kedge's entries get in once, everything
// else stays, and taking them back gives the file, byte for byte.
func TestSettingsStay(t *testing.T) {
	for _, agent := range hooks.Agents() {
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
	claude, _ := hooks.Find("claude")
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
	claude, _ := hooks.Find("claude")
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

func TestSettingsThatCannotBe(t *testing.T) {
	claude, _ := hooks.Find("claude")
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
		for _, agent := range hooks.Agents() {
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
