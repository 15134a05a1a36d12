package memory_test

import (
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/memory"
)

// seedRules is the rules file of the first seed document.
const seedRules = `# 1. Hard architectural constraints
- Do not introduce new service boundaries.
- Preserve public API contracts.
- Prefer existing domain services over new abstractions.
# 2. Code modification rules
- Edit the minimum number of files.
- Keep migrations backward compatible.
# 3. Validation loop
After every code change:
1. Run unit tests for touched modules.
2. Run integration tests for affected flows.
3. Run build command.
4. Retry once only if failure is understood.
5. Stop and explain if failure persists.
`

func TestRow6RulesLint(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string // "line what" of each finding
	}{
		{"the seed's rules", seedRules, nil},
		{"CRLF, a title and prose", "# Rules\r\nRead these.\r\n\r\n## 1) Constraints\r\n* A\r\n\r\n## 2) Editing\r\n* B\r\n\r\n## 3) Validation\r\n```sh\r\n# 9. not a heading\r\nmake test\r\n```\r\n", nil},
		{"a style rule last among the constraints", strings.Replace(seedRules, "# 2.", "- Use tabs, not spaces.\n# 2.", 1), nil},
		{
			"a style rule before a hard constraint",
			strings.Replace(seedRules, "- Do not", "- Use camelCase naming.\n- Do not", 1),
			[]string{"2 the rule about style \"Use camelCase naming.\" comes before the hard constraint on line 5"},
		},
		{
			"a style section before the constraints",
			"# Style\n- Indent with two spaces.\n" + seedRules,
			[]string{"2 a rule is outside the three sections", "2 the rule about style \"Indent with two spaces.\" comes before the hard constraint on line 6"},
		},
		{
			"edit rules before constraints",
			"# 2. Code modification\n- Use prettier.\n# 1. Constraints\n- Keep the API.\n# 3. Validation\nrun make\n",
			[]string{"3 section 1 (constraints) comes after section 2", "2 the rule about style \"Use prettier.\" comes before the hard constraint on line 4"},
		},
		{
			"no validation section", seedRules[:strings.Index(seedRules, "# 3.")],
			[]string{"7 section 3 (validation loop) is missing"},
		},
		{
			"an empty validation section", seedRules[:strings.Index(seedRules, "After")],
			[]string{"8 section 3 (validation loop) is empty"},
		},
		{
			"wrong numbers", strings.Replace(seedRules, "# 3. Validation", "# 4. Validation", 1),
			[]string{"10 a rule is outside the three sections", "14 section 3 (validation loop) is missing"},
		},
		{
			"twice", seedRules + "# 3. Validation\nonce more\n",
			[]string{"15 section 3 appears twice: it is on line 8 already"},
		},
		{
			"nothing", "", []string{
				"1 section 1 (constraints) is missing", "1 section 2 (code modification) is missing",
				"1 section 3 (validation loop) is missing",
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := memory.LintRules("rules.md", []byte(tt.in), 0)
			if r.OK != (len(tt.want) == 0) || len(r.Findings) != len(tt.want) {
				t.Fatalf("ok %v, findings %+v, want %q", r.OK, r.Findings, tt.want)
			}
			for i, f := range r.Findings {
				line, what, _ := strings.Cut(tt.want[i], " ")
				if f.Where != "rules.md:"+line || !strings.HasPrefix(f.What, what) || f.Level != kedge.LevelError || f.Fix == "" {
					t.Errorf("finding %+v, want %q", f, tt.want[i])
				}
			}
		})
	}
}

func TestRow7RulesCap(t *testing.T) {
	long := strings.Replace(seedRules, "# 2.", strings.Repeat("- Keep it simple.\n", 400)+"# 2.", 1)
	r := memory.LintRules("rules.md", []byte(long), 0)
	if r.OK || r.Cap != 1500 || r.Tokens <= 1500 || len(r.Findings) != 1 {
		t.Fatalf("report %+v", r)
	}
	if f := r.Findings[0]; f.Where != "rules.md:1" || !strings.Contains(f.What, "tokens, and at most 1500 are allowed") {
		t.Errorf("finding %+v", f)
	}
	if r := memory.LintRules("rules.md", []byte(long), 5000); !r.OK || r.Cap != 5000 {
		t.Errorf("with a cap of 5,000: %+v", r)
	}
	if r := memory.LintRules("rules.md", []byte(seedRules), 20); r.OK {
		t.Errorf("with a cap of 20: %+v", r)
	}
}

// FuzzLintRules: every finding has a line of the file, and a fix.
func FuzzLintRules(f *testing.F) {
	f.Add([]byte(seedRules))
	f.Add([]byte("```\n# 1. Constraints\n~~~"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := memory.LintRules("rules.md", b, 0)
		if r.OK != (len(r.Findings) == 0) {
			t.Errorf("ok %v with findings %v", r.OK, r.Findings)
		}
		for _, f := range r.Findings {
			if !strings.HasPrefix(f.Where, "rules.md:") || f.Where == "rules.md:0" || f.Fix == "" {
				t.Errorf("finding %+v", f)
			}
		}
	})
}
