package testguard_test

import (
	"strings"
	"testing"

	"kedge/internal/insight/testguard"
)

const rustBefore = `pub fn add(a: i32, b: i32) -> i32 { a + b }

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn adds() { assert_eq!(add(2, 2), 4); }
}
`

const rustAfter = `pub fn add(a: i32, b: i32) -> i32 { a - b }

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn adds() { assert_eq!(add(2, 2), 0); }
}
`

// TestHalves shows which version of each file stands in which corner.
func TestHalves(t *testing.T) {
	src, tst := "package a\n\nfunc F() int { return 1 }\n", goHead+"func TestF(t *testing.T) {\n\tif F() != 1 {\n\t\tt.Error()\n\t}\n}\n"
	newSrc, newTst := strings.Replace(src, "1", "2", 1), strings.Replace(tst, "1", "2", 1)
	added := tst + "\nfunc TestG(t *testing.T) {\n\tif F() == 7 {\n\t\tt.Error()\n\t}\n}\n"
	pkg := `{"name": "a", "scripts": {"test": "tap", "build": "x"}}`
	newPkg := `{"name": "a", "version": "2", "scripts": {"test": "true", "build": "x"}}`
	for _, c := range []struct {
		name                string
		changes             []testguard.Change
		oldSource, oldTests string // the files as they stand, or why the corner is not run
	}{
		{"both", []testguard.Change{change("a.go", src, newSrc), change("a_test.go", tst, newTst)}, "a.go old, a_test.go new", "a.go new, a_test.go old"},
		{"only source", []testguard.Change{change("a.go", src, newSrc)}, "!no new or changed tests", "!keeps every existing test"},
		{"only tests", []testguard.Change{change("a_test.go", tst, newTst)}, "!no source", "!no source"},
		{"new test file", []testguard.Change{change("a.go", src, newSrc), change("b_test.go", "", tst)}, "a.go old, b_test.go new", "!keeps every existing test"},
		{"test added to a file", []testguard.Change{change("a.go", src, newSrc), change("a_test.go", tst, added)}, "a.go old, a_test.go new", "!keeps every existing test"},
		{"TestMain added", []testguard.Change{change("a.go", src, newSrc), change("main_test.go", "", goHead+"func TestMain(m *testing.M) { m.Run() }\n")}, "a.go old, main_test.go new", "a.go new, main_test.go old"},
		{"conftest added", []testguard.Change{change("a.py", "x = 1\n", "x = 2\n"), change("conftest.py", "", "import os\n")}, "a.py old, conftest.py new", "a.py new, conftest.py old"},
		{"test deleted", []testguard.Change{change("a.go", src, newSrc), change("a_test.go", tst, "")}, "!no new or changed tests", "a.go new, a_test.go old"},
		{"golden", []testguard.Change{change("a.go", src, newSrc), change("testdata/a.golden", "1", "2")}, "a.go old, testdata/a.golden new", "a.go new, testdata/a.golden old"},
		{"docs go along", []testguard.Change{change("a.go", src, newSrc), change("a_test.go", tst, newTst), change("README.md", "a", "b")}, "a.go old, a_test.go new, README.md new", "a.go new, a_test.go old, README.md new"},
		{"dependencies go along", []testguard.Change{change("a.go", src, newSrc), change("a_test.go", tst, newTst), change("go.mod", "a", "b")}, "a.go old, a_test.go new, go.mod new", "a.go new, a_test.go old, go.mod new"},
		{"dependencies are source", []testguard.Change{change("a_test.go", tst, newTst), change("go.mod", "a", "b")}, "a_test.go new, go.mod old", "a_test.go old, go.mod new"},
		{"rust", []testguard.Change{change("src/lib.rs", rustBefore, rustAfter)}, "src/lib.rs mixed a + b 0", "src/lib.rs mixed a - b 4"},
		{"rust only source", []testguard.Change{change("src/lib.rs", rustBefore, strings.Replace(rustBefore, "a + b", "b + a", 1))}, "!no new or changed tests", "!keeps every existing test"},
		{"rust only tests", []testguard.Change{change("src/lib.rs", rustBefore, strings.Replace(rustBefore, "4", "0", 1))}, "!no source", "!no source"},
		{"rust first tests", []testguard.Change{change("src/lib.rs", rustBefore[:strings.Index(rustBefore, "#[cfg")], rustBefore)}, "!no source", "!no source"},
		{"rust new file", []testguard.Change{change("src/lib.rs", rustBefore, strings.Replace(rustBefore, "a + b", "b + a", 1)), change("src/new.rs", "", rustBefore)}, "!part of new source files", "!keeps every existing test"},
		{"script of package.json", []testguard.Change{change("package.json", pkg, newPkg), change("a.js", "1", "2")}, "package.json new, a.js old", `package.json mixed "test": "tap" "version": "2", a.js new`},
		{"Makefile", []testguard.Change{change("Makefile", "all:\n\tcc a.c\n\ntest: all\n\t./a\n", "all:\n\tcc b.c\n\ntest:\n\ttrue\n"), change("a.c", "1", "2")}, "Makefile new, a.c old", "Makefile mixed cc b.c ./a, a.c new"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := testguard.Halves(c.changes, nil)
			compareCorner(t, "old source", got.OldSource, c.oldSource)
			compareCorner(t, "old tests", got.OldTests, c.oldTests)
		})
	}
}

func change(path, before, after string) testguard.Change {
	return testguard.Change{Path: path, Before: version(before), After: version(after)}
}

func compareCorner(t *testing.T, name string, got testguard.Corner, want string) {
	t.Helper()
	if why, ok := strings.CutPrefix(want, "!"); ok {
		if !strings.Contains(got.Same, why) || got.Files != nil {
			t.Errorf("%s: not run because %q, want %q", name, got.Same, why)
		}
		return
	}
	files := strings.Split(want, ", ")
	if got.Same != "" || len(got.Files) != len(files) {
		t.Fatalf("%s: %+v", name, got)
	}
	for i, f := range got.Files {
		path, rest, _ := strings.Cut(files[i], " ")
		stands, parts, _ := strings.Cut(rest, " ")
		is := map[testguard.Stands]string{testguard.Old: "old", testguard.New: "new", testguard.Mixed: "mixed"}[f.Stands]
		if f.Path != path || is != stands {
			t.Errorf("%s: %s stands %s, want %s", name, f.Path, is, files[i])
		}
		for _, p := range strings.Fields(parts) {
			if !strings.Contains(string(f.Text), p) {
				t.Errorf("%s: %s has no %q:\n%s", name, f.Path, p, f.Text)
			}
		}
	}
}

func FuzzHalves(f *testing.F) {
	names := []string{"src/lib.rs", "package.json", "Makefile", "pyproject.toml", "a_test.go", "a.c"}
	f.Add(0, rustBefore, rustAfter)
	f.Add(1, `{"scripts": {"test": "tap"}}`, `{"scripts": null}`)
	f.Add(2, "test:\n\ttrue", "a: b\ntest: a")
	f.Add(3, "[tool.pytest]\nx = 1\n[a]", "[tool")
	f.Fuzz(func(t *testing.T, n int, before, after string) {
		c := testguard.Change{Path: names[((n%len(names))+len(names))%len(names)], Before: []byte(before), After: []byte(after)}
		got := testguard.Halves([]testguard.Change{c}, nil)
		for _, corner := range []testguard.Corner{got.OldSource, got.OldTests} {
			if corner.Same == "" && len(corner.Files) != 1 || corner.Same != "" && corner.Files != nil {
				t.Errorf("a corner with %+v", corner)
			}
		}
		same := testguard.Halves([]testguard.Change{{Path: c.Path, Before: c.Before, After: c.Before}}, nil)
		for _, file := range append(same.OldSource.Files, same.OldTests.Files...) {
			if file.Stands == testguard.Mixed {
				t.Errorf("an unchanged file is mixed: %q", file.Text)
			}
		}
	})
}
