package scaffold_test

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/core/config"
	"kedge/internal/core/memory"
	"kedge/internal/core/scaffold"
)

func text(t *testing.T, in scaffold.Input, path string) string {
	t.Helper()
	for _, f := range scaffold.Files(in) {
		if f.Path == path {
			return f.Text
		}
	}
	t.Fatalf("no file %q", path)
	return ""
}

func TestConfigIsTheDefault(t *testing.T) {
	got, err := config.ParseConfig("config.toml", []byte(text(t, scaffold.Input{}, scaffold.ConfigFile)), catalog.Kinds())
	if err != nil {
		t.Fatal(err)
	}
	merged, err := config.Merge(config.Config{}, got, catalog.Kinds())
	if err != nil || !reflect.DeepEqual(merged.Run, config.Default(catalog.Kinds()).Run) || !reflect.DeepEqual(merged.Budget, config.Default(catalog.Kinds()).Budget) {
		t.Errorf("got %+v, %v", merged, err)
	}
}

func TestConfigNamesTheAgent(t *testing.T) {
	for _, agent := range []string{"claude", "a", strings.Repeat("long-", 10)} {
		got, err := config.ParseConfig("config.toml", []byte(text(t, scaffold.Input{Agent: agent}, scaffold.ConfigFile)), catalog.Kinds())
		if err != nil || got.Run.Agent != agent {
			t.Errorf("%q: %q, %v", agent, got.Run.Agent, err)
		}
	}
}

// TestConfigListsTheAgents: who looks into the file sees what to choose from.
func TestConfigListsTheAgents(t *testing.T) {
	if got := text(t, scaffold.Input{Agents: []string{"a", "b"}}, scaffold.ConfigFile); !strings.Contains(got, "\n# a, b.\n") || strings.Contains(got, "AGENTS") {
		t.Errorf("got\n%s", got)
	}
}

// uncommented is a template with its example lines switched on.
func uncommented(text string) string {
	example := regexp.MustCompile(`(?m)^# ((?:\[|[a-z_]+ = ).*)$`)
	return example.ReplaceAllString(text, "$1")
}

func TestConfigExamplesAreTrue(t *testing.T) {
	want := config.Default(catalog.Kinds())
	on := uncommented(text(t, scaffold.Input{Protect: want.Protect.Paths}, scaffold.ConfigFile))
	got, err := config.ParseConfig("config.toml", []byte(on), catalog.Kinds())
	if err != nil {
		t.Fatal(err)
	}
	if got.Budget != want.Budget || got.Context.Checkpoint != want.Context.Checkpoint || got.Context.Handover != want.Context.Handover ||
		got.Context.CompactTokens != want.Context.CompactTokens || got.Worktree.Submodules != want.Worktree.Submodules {
		t.Errorf("a value shown as the default is not: %+v", got)
	}
	if !slices.Equal(got.Protect.Paths, want.Protect.Paths) {
		t.Errorf("protected are %q, not %q", got.Protect.Paths, want.Protect.Paths)
	}
	if want.Run.Agent = "claude"; got.Run != want.Run {
		t.Errorf("run is %+v, want %+v", got.Run, want.Run)
	}
	if strings.Count(on, "# ") < 10 || got.Agents["bot"].Kind != "command" {
		t.Error("the examples were not switched on: this test looks at nothing")
	}
}

func TestGateHoldsTheChecks(t *testing.T) {
	checks := []kedge.Check{
		{Name: "test", Kind: kedge.CheckTest, Run: "go test ./..."},
		{Name: "web-ui-build", Kind: kedge.CheckBuild, Run: "cd 'it'\\''s \"x\"' && \\run <a> \t\x7f\n true"},
	}
	for _, want := range [][]kedge.Check{{}, checks[:1], checks} {
		got, err := config.ParseGate("gate.toml", []byte(scaffold.Gate(want, nil, scaffold.Left{})))
		if err != nil || !reflect.DeepEqual(got.Checks, want) && len(want)+len(got.Checks) > 0 {
			t.Errorf("got %+v, %v; want %+v", got.Checks, err, want)
		}
	}
}

func TestGateExamplesAreTrue(t *testing.T) {
	on := uncommented(scaffold.Gate(nil, nil, scaffold.Left{}))
	on = strings.Replace(on, "run = \"go test ./...\"  ", "# ", 1) // one of run and touched
	got, err := config.ParseGate("gate.toml", []byte(on))
	if err != nil || len(got.Checks) != 2 || len(got.Services) != 1 || config.ReadyTimeout(got.Services[0]) != config.DefaultReady {
		t.Errorf("%+v, %v\n%s", got, err, on)
	}
}

func TestRulesPassTheirLint(t *testing.T) {
	r := memory.LintRules("rules.md", []byte(text(t, scaffold.Input{}, scaffold.RulesFile)), 0)
	if !r.OK || len(r.Findings) > 0 || r.Tokens > 400 {
		t.Errorf("%+v", r)
	}
}

func TestFilesAreGivenAsTheyAre(t *testing.T) {
	in := scaffold.Input{Features: []byte("F"), Progress: []byte("P")}
	if text(t, in, scaffold.FeaturesFile) != "F" || text(t, in, scaffold.ProgressFile) != "P" {
		t.Error("a projection was changed")
	}
	for _, f := range scaffold.Files(in) {
		if want := f.Path == scaffold.ValidateFile; (f.Perm&0o100 != 0) != want {
			t.Errorf("%s: %v", f.Path, f.Perm)
		}
		if !strings.HasPrefix(f.Path, ".kedge/") {
			t.Errorf("%s is not Kedge's to write whole", f.Path)
		}
	}
}

// People's texts around which everything must stay as it is.
var texts = []string{
	"", "\n", "a", "a\n", "a\n\n", "a\r\nb\r\n", "a\r\n\r\n", "# Title\n\ntext\n", "*.txt text", "*.txt text\n", "@OTHER.md\n",
	"say @AGENTS.md somewhere\n", "x .kedge/progress.md merge=union\n",
}

func TestInsertAndCutLeaveNoTrace(t *testing.T) {
	for _, p := range scaffold.Pieces(true) {
		for _, old := range texts {
			with, inserted := p.Insert(old)
			if !strings.HasPrefix(with, old) || inserted == "" || !p.In(with) || !p.Current(with) {
				t.Errorf("%s: %q became %q", p.Path, old, with)
			}
			if again, more := p.Insert(with); again != with || more != "" {
				t.Errorf("%s: a second time %q became %q", p.Path, with, again)
			}
			if out, ok := p.Cut(with, inserted); !ok || out != old {
				t.Errorf("%s: %q was not given back: %q, %v", p.Path, old, out, ok)
			}
			later := with + "later\n"
			if out, ok := p.Cut(later, inserted); !ok || out != old+"later\n" {
				t.Errorf("%s: with lines added, %q became %q, %v", p.Path, later, out, ok)
			}
			if out, ok := p.Cut(with, ""); !ok || p.In(out) || !strings.HasPrefix(out, old) {
				t.Errorf("%s: without a record, %q became %q, %v", p.Path, with, out, ok)
			}
		}
	}
}

func TestWhatIsThereStays(t *testing.T) {
	for i, there := range []string{
		"x\n" + scaffold.BeginMarker + "\nan older text\n" + scaffold.EndMarker + "\ny\n",
		"x\n@./AGENTS.md\n",
		"/.kedge/progress.md -merge\n",
	} {
		p := scaffold.Pieces(true)[i]
		if out, inserted := p.Insert(there); out != there || inserted != "" {
			t.Errorf("%s: %q became %q", p.Path, there, out)
		}
		if out, ok := p.Cut(there, ""); ok || out != there {
			t.Errorf("%s: somebody's own text was cut: %q", p.Path, out)
		}
		if p.Current(there) {
			t.Errorf("%s: %q is not what Kedge writes", p.Path, there)
		}
	}
}

func TestAttributesAreForGitOnly(t *testing.T) {
	is := func(p scaffold.Piece) bool { return p.Path == scaffold.AttributesFile }
	if !slices.ContainsFunc(scaffold.Pieces(true), is) || slices.ContainsFunc(scaffold.Pieces(false), is) {
		t.Error("the attributes belong to git and to nothing else")
	}
}

func FuzzInsertCut(f *testing.F) {
	for _, s := range texts {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, old string) {
		for _, p := range scaffold.Pieces(true) {
			with, inserted := p.Insert(old)
			if inserted == "" {
				if with != old {
					t.Fatalf("%q became %q", old, with)
				}
				continue
			}
			if out, ok := p.Cut(with, inserted); !ok || out != old {
				t.Fatalf("%q came back as %q", old, out)
			}
		}
	})
}
