package glob_test

import (
	"path"
	"strings"
	"testing"
	"unicode/utf8"

	"kedge"
	"kedge/internal/text/glob"
)

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"a.go", "a.go", true},
		{"a.go", "b/a.go", false},
		{"./a.go", "a.go", true},
		{"dir/", "dir", true},
		{"*.go", "a.go", true},
		{"*.go", "x/a.go", false},
		{"go.*", "go.mod", true},
		{"src/models/Order*", "src/models/Order.ts", true},
		{"src/models/Order*", "src/models/Order/x.ts", false},
		{"**", "a", true},
		{"**", "a/b/c", true},
		{"**", "", false},
		{"**/x", "x", true},
		{"**/x", "a/b/x", true},
		{"**/x", "a/b/xx", false},
		{"**/*_test.go", "a_test.go", true},
		{"**/*_test.go", "a/b/c_test.go", true},
		{"**/*_test.go", "a/b/c.go", false},
		{"dir/**", "dir/a", true},
		{"dir/**", "dir/a/b", true},
		{"dir/**", "dir", false},
		{"dir/**", "dirx/a", false},
		{".github/**", ".github/workflows/ci.yml", true},
		{"a/**/b", "a/b", true},
		{"a/**/b", "a/x/y/b", true},
		{"a/**/b", "a/x/y/c", false},
		{"a/**/b/**/c", "a/b/b/x/c", true},
		{"**/a/**/a", "a/a", true},
		{"**/**/a", "a", true},
		{"src**", "srcs", true},
		{"src**", "src/a", false},
		{"?.go", "é.go", true},
		{"?.go", "ab.go", false},
		{"[a-c].go", "b.go", true},
		{"[!a-c].go", "b.go", false},
		{"[^a-c].go", "d.go", true},
		{"[]a].go", "].go", true},
		{"[a-].go", "-.go", true},
		{`[\]].go`, "].go", true},
		{`\*.go`, "*.go", true},
		{`\*.go`, "a.go", false},
		{"[a", "[a", false},
		{"a//b", "a/b", false},
		{"*", "", false},
		{"a*b*c", "aXbXbXc", true},
		{"a*b*c", "aXbXbX", false},
	} {
		if got := glob.Match(c.pattern, c.path); got != c.want {
			t.Errorf("Match(%q, %q) = %v, want %v", c.pattern, c.path, got, c.want)
		}
	}
}

func TestMatchDoesNotBlowUp(t *testing.T) {
	// Each of these needs more steps than there are atoms with naive recursion.
	if glob.Match(strings.Repeat("*a", 200)+"b", strings.Repeat("a", 2000)) {
		t.Error("a star pattern matched without its last character")
	}
	if glob.Match(strings.Repeat("**/a/", 100)+"b", strings.Repeat("a/", 500)+"a") {
		t.Error("a deep pattern matched without its last element")
	}
	if !glob.Overlap(strings.Repeat("*a", 200), strings.Repeat("a*", 200)) {
		t.Error("two star patterns were found to be apart")
	}
}

func TestValid(t *testing.T) {
	for _, ok := range []string{"a", "**", "a/**/b", "[a-z]*", `a\[b`, "./a", "dir/", "**.go"} {
		if err := glob.Valid(ok); err != nil {
			t.Errorf("Valid(%q) = %v", ok, err)
		}
	}
	for _, bad := range []string{"", "/a", "a//b", "../a", "a/./b", "[a", "[]", `a\`} {
		err := glob.Valid(bad)
		if !kedge.Invalid.Is(err) || kedge.HintOf(err) == "" {
			t.Errorf("Valid(%q) = %v, want an invalid error with a hint", bad, err)
		}
		if glob.Match(bad, "a") {
			t.Errorf("the invalid pattern %q matched", bad)
		}
	}
}

func TestOverlap(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"a", "a", true},
		{"a", "b", false},
		{"**", "x/y", true},
		{"src/**", "src/a.go", true},
		{"src/**", "lib/**", false},
		{"src/**", "**/*.go", true},
		{"*.go", "*.ts", false},
		{"*.go", "a*", true},
		{"a/*/c", "a/b/*", true},
		{"a/*/c", "a/b", false},
		{"a/**/z", "a/b/c", false},
		{"a/**/z", "**/y/z", true},
		{"[ab].go", "[cd].go", true}, // two classes: unsure
		{"[ab].go", "c.go", false},
		{"?", "ab", false},
		{"[a", "**", false},
	} {
		if got := glob.Overlap(c.a, c.b); got != c.want {
			t.Errorf("Overlap(%q, %q) = %v, want %v", c.a, c.b, got, c.want)
		}
		if glob.Overlap(c.a, c.b) != glob.Overlap(c.b, c.a) {
			t.Errorf("Overlap(%q, %q) depends on the order", c.a, c.b)
		}
	}
}

func FuzzGlob(f *testing.F) {
	for _, s := range [][3]string{
		{"**/*_test.go", "a/**", "a/b_test.go"}, {"[a-c]?*", `\*`, "b"}, {"a/**/b", "**/b", "a/x/b"}, {"[^]x]", "[!a-]", "-"}, {"\x8e*", "?", "\xc3"},
	} {
		f.Add(s[0], s[1], s[2])
	}
	f.Fuzz(func(t *testing.T, a, b, name string) {
		if len(a)+len(b)+len(name) > 2000 {
			return
		}
		if glob.Match(a, name) && glob.Match(b, name) && !glob.Overlap(a, b) {
			t.Errorf("%q matches %q and %q, which are said to be apart", name, a, b)
		}
		if glob.Match(a, name) && strings.TrimLeft(a, "/") == a && glob.Valid(a) != nil {
			t.Errorf("the invalid pattern %q matches %q", a, name)
		}
		if strings.Contains(a, "**") || strings.Contains(a, "/") || strings.Contains(name, "/") || name == "" || glob.Valid(a) != nil || strings.Contains(a, "[!") {
			return
		}
		if !utf8.ValidString(a) || !utf8.ValidString(name) {
			return // path.Match goes by bytes there, inside characters too
		}
		if want, err := path.Match(a, name); err == nil && want != glob.Match(a, name) {
			t.Errorf("Match(%q, %q) = %v, unlike path.Match", a, name, !want)
		}
	})
}
