package gate_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/engine/gate"
)

// module writes a Go module in which b imports a, c imports a in its tests
// only, and d stands alone.
func module(t *testing.T, q *gate.Request) {
	t.Helper()
	for name, text := range map[string]string{
		"go.mod":          "module m\n\ngo 1.21\n",
		"a/a.go":          "package a\n\nfunc A() int { return 1 }\n",
		"a/testdata/x":    "x",
		"b/b.go":          "package b\n\nimport \"m/a\"\n\nvar B = a.A()\n",
		"c/c.go":          "package c\n",
		"c/c_test.go":     "package c_test\n\nimport (\n\t\"testing\"\n\n\t\"m/b\"\n)\n\nfunc TestC(t *testing.T) { _ = b.B }\n",
		"d/d.go":          "package d\n\nimport _ \"embed\"\n\n//go:embed text.txt\nvar Text string\n",
		"d/text.txt":      "text",
		"docs/readme.txt": "text",
	} {
		write(t, filepath.Join(q.Dir, name), text)
	}
	q.Env = append(q.Env, "GOFLAGS=-mod=mod", "GOPROXY=off", "GOTOOLCHAIN=local", "GO111MODULE=on", "GOWORK=off", "CGO_ENABLED=0")
}

func TestRow12TouchedPackages(t *testing.T) {
	for _, tt := range []struct {
		name     string
		changed  []string
		line     string
		selected []string
		skipped  string
	}{
		{
			"a package and all that need it",
			[]string{"a/a.go"},
			"echo m/a m/b m/c",
			[]string{"a/a.go -> m/a, m/b, m/c"},
			"",
		},
		{"two files", []string{"d/d.go", "c/c_test.go"}, "echo m/c m/d", []string{"c/c_test.go -> m/c", "d/d.go -> m/d"}, ""},
		{"test data", []string{"a/testdata/x"}, "echo m/a", []string{"a/testdata/x -> m/a"}, ""},
		{"an embedded file", []string{"d/text.txt"}, "echo m/d", []string{"d/text.txt -> m/d"}, ""},
		{"the module file", []string{"a/a.go", "go.mod"}, "echo ./...", []string{"go.mod -> ./..."}, ""},
		{"a package that is gone", []string{"D old/old.go"}, "echo ./...", []string{"old/old.go -> ./..."}, ""},
		{"no package", []string{"docs/readme.txt"}, "echo ./...", []string{}, "none of its files changed"},
		{"nothing", nil, "echo ./...", []string{}, "none of its files changed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q := request(t, kedge.Check{Name: "unit", Touched: "echo {packages}"})
			module(t, &q)
			r := changed(tt.changed...)
			q.Repo = sorted(r)
			c := mustRun(t, q).Checks[0]
			if c.Command != tt.line || !reflect.DeepEqual(c.Selected, tt.selected) || c.Skipped != tt.skipped {
				t.Errorf("command %q, selected %q, skipped %q", c.Command, c.Selected, c.Skipped)
			}
		})
	}
}

// sorted puts the changes in the order in which git gives them.
func sorted(r *fakeRepo) *fakeRepo {
	list := r.changes["base..tree"]
	for i := range list {
		for j := i; j > 0 && list[j].Path < list[j-1].Path; j-- {
			list[j], list[j-1] = list[j-1], list[j]
		}
	}
	return r
}

func TestTouchedWithoutAGoModuleRunsEverything(t *testing.T) {
	q := request(t, kedge.Check{Name: "unit", Touched: "echo {packages}"})
	q.Env = append(q.Env, "GOPROXY=off", "GOTOOLCHAIN=local", "GOWORK=off")
	q.Repo = changed("a/a.go")
	c := mustRun(t, q).Checks[0]
	if c.Command != "echo ./..." || len(c.Selected) != 1 || !strings.HasPrefix(c.Selected[0], "a/a.go -> ./...") {
		t.Errorf("command %q, selected %q", c.Command, c.Selected)
	}
}

func TestTouchedPathsAreWords(t *testing.T) {
	names := []string{"-rf", "a b.txt", "it's.js", "$(touch canary)", "x;touch canary", "new\nline"}
	q := request(t, kedge.Check{Name: "unit", Touched: `for f in {paths}; do test -f "$f" || { echo "no $f"; exit 1; }; done`})
	for _, n := range names {
		write(t, filepath.Join(q.Dir, n), "x")
	}
	q.Repo = changed(append([]string{"D gone.txt"}, prefixed("M ", names)...)...)
	v := mustRun(t, q)
	if !v.Green() {
		t.Errorf("%+v: %s", v.Checks[0], read(t, v.Checks[0].Log))
	}
	if strings.Contains(v.Checks[0].Command, "gone.txt") {
		t.Error("a deleted file is handed to the check")
	}
	if _, err := os.Stat(filepath.Join(q.Dir, "canary")); err == nil {
		t.Error("a file name was run")
	}
}

func prefixed(prefix string, list []string) []string {
	var out []string
	for _, s := range list {
		out = append(out, prefix+s)
	}
	return out
}

func TestTouchedInAFullGate(t *testing.T) {
	q := request(t,
		kedge.Check{Name: "only", Touched: "echo {packages} {paths}"},
		kedge.Check{Name: "both", Touched: "echo {packages}", Run: "echo all of it"},
	)
	q.Repo, q.Scope = changed(), gate.Full
	v := mustRun(t, q)
	if v.Partial || v.Checks[0].Command != "echo ./... ." || v.Checks[1].Command != "echo all of it" {
		t.Errorf("%+v", v)
	}
}
