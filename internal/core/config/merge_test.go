package config

import (
	"strings"
	"testing"

	"kedge"
)

func TestMergeRules(t *testing.T) {
	c, err := merged(t, `
[merge]
union = ["CHANGELOG.md", "docs/**/*.log", "go.sum"]
[[merge.regenerate]]
paths = ["package-lock.json"]
run = "npm install --package-lock-only"
[[merge.regenerate]]
paths = ["**/go.sum", "**/package-lock.json"]
run = "go mod tidy"
`)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"package-lock.json": "npm install --package-lock-only", "web/package-lock.json": "go mod tidy", "go.sum": "go mod tidy",
		"CHANGELOG.md": "union", "docs/a/b.log": "union", "docs/a/b.md": "", "sub/CHANGELOG.md": "",
	} {
		got := ""
		if r, ok := c.Merge.For(path); ok {
			got = r.Run
		} else if c.Merge.Unites(path) {
			got = "union"
		}
		if got != want || c.Merge.Regenerates(path) != (want != "" && want != "union") {
			t.Errorf("%s: %q, not %q", path, got, want)
		}
	}
}

func TestNeededRulesComeOnceAndInOrder(t *testing.T) {
	m := MergeRules{Regenerate: []Regenerate{{[]string{"a", "b"}, "one"}, {[]string{"c"}, "two"}, {[]string{"*"}, "three"}}}
	for files, want := range map[string]string{"": "", "b a": "one", "c b": "one two", "d a": "one three"} {
		got := ""
		for _, r := range m.Needed(strings.Fields(files)) {
			got += " " + r.Run
		}
		if strings.TrimSpace(got) != want {
			t.Errorf("%s: %s, not %s", files, got, want)
		}
	}
}

// TestMergeRulesOfTwoFiles: the project's entries replace yours, and take nothing of them over.
func TestMergeRulesOfTwoFiles(t *testing.T) {
	parse := func(text string) Config {
		c, err := ParseConfig("config.toml", []byte("version = 1\n"+text), limitedKinds)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	user := parse("[merge]\nunion = [\"NEWS\"]\n[[merge.regenerate]]\npaths = [\"a\", \"b\"]\nrun = \"one\"\n")
	c, err := Merge(user, parse("[[merge.regenerate]]\npaths = [\"c\"]\nrun = \"two\"\n"), limitedKinds)
	if err != nil || len(c.Merge.Regenerate) != 1 || strings.Join(c.Merge.Regenerate[0].Paths, " ") != "c" || !c.Merge.Unites("NEWS") {
		t.Errorf("%+v, %v", c.Merge, err)
	}
	if c, err = Merge(user, parse(""), limitedKinds); err != nil || len(c.Merge.Regenerate) != 1 || c.Merge.Regenerate[0].Run != "one" {
		t.Errorf("%+v, %v", c.Merge, err)
	}
}

func TestMergeRulesThatCannotWork(t *testing.T) {
	const first = "[[merge.regenerate]]\npaths = [\"a\"]\nrun = \"true\"\n"
	for _, c := range []struct{ name, text, want, hint string }{
		{"unknown", "[merge]\nunoin = [\"a\"]\n", `:3: unknown key "merge.unoin": did you mean merge.union?`, ""},
		{"unknown in an entry", first + "[[merge.regenerate]]\npath = [\"a\"]\nrun = \"x\"\n", `unknown key "merge.regenerate.path": did you mean merge.regenerate.paths?`, ""},
		{"no command", first + "[[merge.regenerate]]\npaths = [\"b\"]\n", ":5: an entry of \"merge.regenerate\" has no command that makes b", "run ="},
		{"blank command", "[[merge.regenerate]]\npaths = [\"b\"]\nrun = \" \"\n", ":4: an entry of \"merge.regenerate\" has no command", "run ="},
		{"no files", "[[merge.regenerate]]\nrun = \"true\"\n", "names no files", "paths ="},
		{"absolute", "[merge]\nunion = [\"/etc/passwd\"]\n", `:3: "merge.union" has a bad pattern: pattern "/etc/passwd" is absolute`, "edit config.toml"},
		{"outside", first + "[[merge.regenerate]]\nrun = \"true\"\npaths = [\"../lock\"]\n", `:7: "merge.regenerate[1].paths" has a bad pattern: pattern "../lock" has ".." in it`, ""},
		{"Kedge's own", "[merge]\nunion = [\".kedge/notes/x.md\"]\n", "Kedge writes its own files", ""},
		{"a pattern", "[merge]\nunion = [\"[\"]\n", "bad pattern", ""},
		{"a text", "[merge]\nunion = \"a\"\n", `"union" is a string`, ""},
	} {
		_, err := merged(t, c.text)
		if kedge.KindOf(err) != kedge.Invalid || !strings.Contains(err.Error(), c.want) || !strings.Contains(kedge.HintOf(err), c.hint) {
			t.Errorf("%s: %v, hint %q", c.name, err, kedge.HintOf(err))
		}
	}
}
