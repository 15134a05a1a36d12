package gate_test

import (
	"maps"
	"reflect"
	"testing"

	"kedge"
)

func TestT17ProtectedPaths(t *testing.T) {
	protect := []string{"**/*_check.txt", ".kedge/**", ".github/**", ".claude/**"}
	for _, tt := range []struct {
		name    string
		changed []string
		guard   kedge.Level
		want    map[string]kedge.Level // by path
		marker  kedge.Marker
	}{
		{"changed", []string{"M a/x_check.txt"}, "", map[string]kedge.Level{"a/x_check.txt": "error"}, kedge.TestFailure},
		{"deleted", []string{"D a/x_check.txt"}, "", map[string]kedge.Level{"a/x_check.txt": "error"}, kedge.TestFailure},
		{"another type", []string{"T a/x_check.txt"}, "", map[string]kedge.Level{"a/x_check.txt": "error"}, kedge.TestFailure},
		{"added", []string{"A a/x_check.txt"}, "", map[string]kedge.Level{}, kedge.ValidationOK},
		{"added where only people add", []string{"A .github/ci.yml", "A .kedge/skills/x/SKILL.md"}, "", map[string]kedge.Level{".github/ci.yml": "error", ".kedge/skills/x/SKILL.md": "error"}, kedge.TestFailure},
		{"the gate itself", []string{"M .kedge/gate.toml"}, "", map[string]kedge.Level{".kedge/gate.toml": "error"}, kedge.TestFailure},
		{"the gate itself, by a person", []string{"M .kedge/gate.toml", "A .claude/settings.json"}, kedge.LevelWarning, map[string]kedge.Level{".kedge/gate.toml": "warning", ".claude/settings.json": "warning"}, kedge.ValidationOK},
		{"a protected file, by a person", []string{"M a/x_check.txt"}, kedge.LevelWarning, map[string]kedge.Level{"a/x_check.txt": "error"}, kedge.TestFailure},
		{"what Kedge projects", []string{"M .kedge/features.json", "A .kedge/notes/n.md"}, "", map[string]kedge.Level{}, kedge.ValidationOK},
		{"anything else", []string{"M main.c"}, "", map[string]kedge.Level{}, kedge.ValidationOK},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q := request(t, kedge.Check{Name: "unit", Run: "true"})
			q.Repo, q.Protect, q.Guard = changed(tt.changed...), protect, tt.guard
			v := mustRun(t, q)
			got := map[string]kedge.Level{}
			for _, f := range v.Findings {
				got[f.Where] = f.Level
				if f.Fix == "" || f.What == "" {
					t.Errorf("finding %+v does not say what to do", f)
				}
			}
			if !reflect.DeepEqual(got, tt.want) || v.Verdict != tt.marker {
				t.Errorf("%s with %v, want %s with %v", v.Verdict, got, tt.marker, tt.want)
			}
			if v.Checks[0].Skipped != "" || v.Partial {
				t.Errorf("a finding does not keep the checks from running: %+v", v.Checks[0])
			}
		})
	}
}

const twoTests = "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { t.Fatal(1) }\n\nfunc TestB(t *testing.T) { t.Fatal(2) }\n"

const oneTest = "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { t.Fatal(1) }\n"

func TestT17WeakenedTests(t *testing.T) {
	for _, tt := range []struct {
		name    string
		changed []string
		files   map[string]string
		red     bool
	}{
		{"a test taken out", []string{"M a_test.go"}, map[string]string{"base:a_test.go": twoTests, "tree:a_test.go": oneTest}, true},
		{"a test put in", []string{"M a_test.go"}, map[string]string{"base:a_test.go": oneTest, "tree:a_test.go": twoTests}, false},
		{"a file deleted", []string{"D a_test.go"}, map[string]string{"base:a_test.go": twoTests}, true},
		{"a file moved", []string{"D a_test.go", "A b/a_test.go"}, map[string]string{"base:a_test.go": twoTests, "tree:b/a_test.go": twoTests}, false},
		{"a file moved, less a test", []string{"D a_test.go", "A b/a_test.go"}, map[string]string{"base:a_test.go": twoTests, "tree:b/a_test.go": oneTest}, true},
		{"a new file", []string{"A a_test.go"}, map[string]string{"tree:a_test.go": oneTest}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q := request(t, kedge.Check{Name: "unit", Run: "true"})
			r := changed(tt.changed...)
			r.files = tt.files
			q.Repo = r
			v := mustRun(t, q)
			if (v.Verdict == kedge.TestFailure) != tt.red || (len(v.Findings) > 0) != tt.red {
				t.Errorf("%s, findings %+v", v.Verdict, v.Findings)
			}
		})
	}
}

// What a person writes into a file of people's is no tampering: the advice is to
// commit it, never to undo it. An agent is told to undo it.
func TestPeoplesFilesAreMeant(t *testing.T) {
	const file, vouch = ".kedge/gate.toml", "kedge gate --all"
	for _, tt := range []struct {
		name, change string
		guard        kedge.Level
		head         map[string]string
		what, fix    string
	}{
		{"changed by a person", "M " + file, kedge.LevelWarning, map[string]string{"HEAD:" + file: "old"}, "has changes that are not committed yet", "git commit -m 'settings of Kedge' -- " + file},
		{"added by a person", "A " + file, kedge.LevelWarning, nil, "not committed yet", "git add -- " + file + " && git commit -m 'settings of Kedge' -- " + file},
		{"committed by a person", "M " + file, kedge.LevelWarning, map[string]string{"HEAD:" + file: "x"}, "changed since the last green verdict", vouch},
		{"changed by an agent", "M " + file, kedge.LevelError, map[string]string{"HEAD:" + file: "old"}, "a protected file was changed", "git restore --source=base -- " + file},
		{"deleted by a person", "D " + file, kedge.LevelWarning, nil, "a protected file was deleted", "git restore --source=base -- " + file},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q := request(t, kedge.Check{Name: "unit", Run: "true"})
			r := changed(tt.change)
			maps.Copy(r.files, tt.head)
			q.Repo, q.Protect, q.Guard = r, []string{".kedge/**"}, tt.guard
			want := []kedge.Finding{{Level: tt.guard, What: tt.what, Where: file, Fix: tt.fix}}
			if v := mustRun(t, q); !reflect.DeepEqual(v.Findings, want) {
				t.Errorf("%+v, want %+v", v.Findings, want)
			}
		})
	}
}
