package plan_test

import (
	"bytes"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/check"
	"kedge/internal/core/plan"
)

const planID = kedge.PlanID("pln-00000000000000000000000000")

func parse(t testing.TB, text string) *plan.Doc {
	t.Helper()
	d, err := plan.ParsePlan("plan.md", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func everywhere(string) bool { return true }

// level keeps the findings of one level, one per line.
func level(findings []kedge.Finding, l kedge.Level) string {
	var out []kedge.Finding
	for _, f := range findings {
		if f.Level == l {
			out = append(out, f)
		}
	}
	return whats(out)
}

func TestRow33PlanRoundTrip(t *testing.T) {
	text := string(read(t, "plan.md"))
	for name, in := range map[string]string{
		"as written": text,
		"crlf":       strings.ReplaceAll(text, "\n", "\r\n"),
		"no newline": strings.TrimSuffix(text, "\n"),
		"empty body": "---\nversion: 1\ntitle: x\nstatus: drafting\n---\n",
	} {
		if got := parse(t, in).Bytes(); string(got) != in {
			t.Errorf("%s: written back differently:\n%q\nwant\n%q", name, got, in)
		}
	}
}

func TestRow33Checklist(t *testing.T) {
	golden(t, "checklist.golden.txt", []byte(strings.Join(plan.Checklist(parse(t, string(read(t, "plan.md"))).Plan), "\n")+"\n"))
}

func TestParsePlanReadsEverything(t *testing.T) {
	p := parse(t, string(read(t, "plan.md"))).Plan
	if len(p.Questions) != 2 || !p.Questions[0].Blocking || p.Questions[0].Answer != "required" || p.Questions[0].Text != "Are the flags positional or required?" {
		t.Errorf("questions %+v", p.Questions)
	}
	if q := p.Questions[1]; q.Blocking || q.Answer != "" || q.Text != "Which exit code for no match?\nIt must not be 1, scripts use that." {
		t.Errorf("question 2: %+v", q)
	}
	if len(p.Fields) != 6 || p.Fields[0].Text != "The matcher decides fuzziness by length." || p.Fields[0].Line != 15 {
		t.Errorf("fields %+v", p.Fields)
	}
	if len(p.Phases) != 2 || p.Phases[0].Budget != "200k" || p.Phases[0].Model != "opus" || p.Phases[0].Prompt != "keep the public API as it is" {
		t.Errorf("phases %+v", p.Phases)
	}
	if it := p.Phases[0].Items[1]; !it.Done || len(it.Checks) != 2 || it.After[0] != "p1.1" || it.ID != "p1.2" {
		t.Errorf("item %+v", it)
	}
	if it := p.Phases[0].Items[0]; strings.Join(it.Paths, "|") != "parser/**|cmd/parse.go" {
		t.Errorf("paths %q", it.Paths)
	}
}

func TestParsePlanRefuses(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"none", "# A plan\n", "plan.md:1"},
		{"version", "---\nversion: 2\ntitle: x\nstatus: drafting\n---\n", `plan.md:2: version is "2"`},
		{"status", "---\nversion: 1\ntitle: x\nstatus: started\n---\n", `plan.md:4: "started" is not a status`},
		{"no status", "---\nversion: 1\ntitle: x\n---\n", "not a status"},
		{"id", "---\nversion: 1\nid: 7\nstatus: drafting\n---\n", `plan.md:3: "7" is not an id`},
		{"all at once", "---\nversion: 3\nid: 7\nstatus: x\n---\n", `plan.md:4: "x" is not a status of a plan; a draft has "status: drafting"; plan.md:3: "7"`},
		{"unknown", "---\nversion: 1\nowner: x\n---\n", "plan.md:3"},
		{"duplicate", "---\nversion: 1\nversion: 1\n---\n", "plan.md:3"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := plan.ParsePlan("plan.md", []byte(tc.in))
			mustErr(t, err, kedge.Invalid, tc.want)
			if hint := kedge.HintOf(err); !strings.Contains(hint, "kedge plan new") || !strings.Contains(hint, "docs/reference/plan-format.md") {
				t.Errorf("the hint %q does not say where the form is", hint)
			}
		})
	}
}

func TestRow10GoodPlanPasses(t *testing.T) {
	findings := parse(t, string(read(t, "plan.md"))).Check(everywhere)
	if plan.Failed(findings) {
		t.Fatalf("errors:\n%s", whats(findings))
	}
	if got, want := whats(findings), "plan.md:11 question 2 is not answered"; got != want {
		t.Errorf("findings %q, want %q", got, want)
	}
}

// Every fixed field is asked for by name when it is missing, empty or out of
// its place.
func TestRow10EveryFieldIsRequired(t *testing.T) {
	text := string(read(t, "plan.md"))
	fields := []string{"Root cause", "Files expected to change", "Assumptions", "Invariants", "Risks", "Validation"}
	for i, name := range fields {
		next := "## Phase 1"
		if i+1 < len(fields) {
			next = "## " + fields[i+1] + "\n"
		}
		from, to := strings.Index(text, "## "+name+"\n"), strings.Index(text, next)
		missing := text[:from] + text[to:]
		if got := level(parse(t, missing).Check(everywhere), kedge.LevelError); !strings.HasSuffix(got, `field "`+name+`" is missing`) {
			t.Errorf("without %q: %s", name, got)
		}
		empty := text[:from] + "## " + name + "\n\n" + text[to:]
		if got := level(parse(t, empty).Check(everywhere), kedge.LevelError); !strings.HasSuffix(got, `field "`+name+`" is empty`) {
			t.Errorf("empty %q: %s", name, got)
		}
		moved := text[:from] + text[to:] + "\n" + text[from:to]
		if got := level(parse(t, moved).Check(everywhere), kedge.LevelError); !strings.Contains(got, `field "`+name+`" comes after`) {
			t.Errorf("moved %q: %s", name, got)
		}
	}
}

func TestRow10ValidationCommandsExist(t *testing.T) {
	text := strings.Replace(string(read(t, "plan.md")), "`go test ./...`", "`no-such-tool --all`", 1)
	findings := parse(t, text).Check(func(p string) bool { return p != "no-such-tool" })
	want := `plan.md:42 field "Validation": the program "no-such-tool" of the command "no-such-tool --all" does not exist`
	if got := level(findings, kedge.LevelError); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestCheckPlanFindsFaults(t *testing.T) {
	text := string(read(t, "plan.md"))
	for _, tc := range []struct{ name, from, to, level, want string }{
		{"title", "title: Strict matching by default", "title:", "error", "the plan has no title"},
		{"unknown heading", "## Risks", "## Riscs", "error", `plan.md:32 Kedge does not know the heading "Riscs"`},
		{"twice", "## Risks", "## Invariants", "error", `field "Invariants" appears twice`},
		{"swapped", "## Assumptions", "## Risks", "error", `stands after "Risks"`},
		{"unnumbered question", "1. Are", "- Are", "error", "is not a numbered question"},
		{"no questions", "## Questions\n", "", "error", `the heading "Questions" is missing`},
		{"blocking", "answer: required", "answer:", "warning", "question 1 is not answered and blocks the approval"},
		{"question number", "2. Which", "1. Which", "error", "two questions have the number 1"},
		{"phase number", "## Phase 2: matcher {#p2}", "## Phase 3: matcher {#p3}", "error", `phase 3 should be phase 2`},
		{"phase id", "{#p2}", "{#p3}", "error", `the phase's id is "p3" and should be "p2"`},
		{"phase title", "## Phase 2: matcher", "## Phase 2:", "error", "phase 2 has no title"},
		{"attribute", "model=opus", "size=opus", "error", `unknown attribute "size"`},
		{"budget", "budget=200k", "budget=lots", "error", `has the budget "lots"`},
		{"item of another phase", "p2.1 strict", "p1.7 strict", "error", `item "p1.7" needs an id such as p2.1`},
		{"item twice", "p1.2 validate", "p1.1 validate", "error", `two items have the id "p1.1"`},
		{"item number", "p1.2 validate", "p1.02 validate", "error", `item "p1.02" needs an id such as p1.1`},
		{"item text", "p1.1 add parser options", "p1.1", "error", `item "p1.1" has no text`},
		{"item key", "  paths:", "  path:", "error", `unknown key "path"`},
		{"empty key", "  check: none", "  check:", "error", `"check" of item "p2.2" is empty`},
		{"after nothing", "after: p2.1, p1.2", "after: p2.7", "error", `comes after "p2.7", which does not exist`},
		{"after later", "after: p1.1", "after: p2.1", "error", `"p2.1" of a later phase`},
		{"after itself", "after: p1.1", "after: p1.2", "error", "p1.2 → p1.2"},
		{"no items", "- [ ] p2.1 strict and fuzzy matchers\n  check: go test ./match\n- [ ] p2.2 look at it with the team\n  check: none\n  after: p2.1, p1.2\n", "", "error", `phase "p2" has no items`},
		{"bad glob", "parser/**, ", "parser/[, ", "error", `has the path "parser/["`},
		{"no check", "  check: none\n", "", "warning", `item "p2.2" has no check`},
		{"prose in a phase", "  check: none", "  check: none\n  see http below\n  https://x.invalid/a", "warning", "Kedge does not understand this line"},
		{"key in an item", "p1.1 add parser options", "p1.1 add parser options, check: go test", "error", `plan.md:49 Kedge does not read "check:" inside a text: put it on a line of its own, indented`},
		{"key at the margin", "  after: p1.1", "after: p1.1", "error", `Kedge does not read "after:" inside a text`},
		{"comment without end", "## Validation", "<!-- ## Validation", "error", "plan.md:40 a comment has no end"},
		{"only a comment", "The public API stays.", "<!-- The public API stays.\n-->", "error", `field "Invariants" is empty`},
		{"text before", "## Questions", "hello\n## Questions", "warning", "text before the first heading"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if !strings.Contains(text, tc.from) {
				t.Fatalf("the plan has no %q", tc.from)
			}
			d := parse(t, strings.Replace(text, tc.from, tc.to, 1))
			findings := d.Check(everywhere)
			if got := level(findings, kedge.Level(tc.level)); !strings.Contains(got, tc.want) {
				t.Errorf("findings:\n%s\nwant %q", whats(findings), tc.want)
			}
			if len(d.Check(everywhere)) != len(findings) {
				t.Error("a second look finds something else")
			}
		})
	}
	none := parse(t, text[:strings.Index(text, "## Phase 1")]).Check(everywhere)
	if !strings.Contains(whats(none), "the plan has no phase") {
		t.Errorf("no phase: %s", whats(none))
	}
}

func TestOpenQuestions(t *testing.T) {
	text := strings.Replace(string(read(t, "plan.md")), "answer: required", "answer:", 1)
	open := plan.OpenQuestions(parse(t, text).Plan)
	if len(open) != 1 || open[0].N != 1 {
		t.Errorf("open: %+v", open)
	}
}

func TestFreezeAndProgress(t *testing.T) {
	d := parse(t, string(read(t, "plan.md")))
	frozen, hash := d.Freeze(planID, "4f1c2ab")
	golden(t, "frozen.golden.md", frozen)
	if len(hash) != 64 {
		t.Errorf("hash %q", hash)
	}
	again, sameHash := parse(t, string(frozen)).Freeze(planID, "4f1c2ab")
	if !bytes.Equal(frozen, again) || hash != sameHash {
		t.Error("a frozen plan freezes to something else")
	}

	want := strings.Replace(string(frozen), "- [ ] p1.2", "- [x] p1.2", 1)
	half := parse(t, string(frozen)).Progress(kedge.PlanApproved, func(item string) bool { return item == "p1.2" })
	if string(half) != want {
		t.Errorf("ticking changed more than one mark:\n%s", half)
	}
	all := parse(t, string(frozen)).Progress(kedge.PlanDone, everywhere)
	if strings.Contains(string(all), "- [ ] p1") || !strings.Contains(string(all), "status: done\n") {
		t.Errorf("all done:\n%s", all)
	}
	back := parse(t, string(half)).Progress(kedge.PlanApproved, func(string) bool { return false })
	if !bytes.Equal(back, frozen) {
		t.Error("a box that is no longer done stays ticked")
	}
}

func TestFeaturesOfAPlan(t *testing.T) {
	p := parse(t, string(read(t, "plan.md"))).Plan
	free := func(kedge.FeatureID) bool { return false }
	made := plan.Features(p, free)
	im := plan.Imported{Features: made}
	if err := plan.Validate(asFeatures(im)); err != nil {
		t.Fatal(err)
	}
	golden(t, "plan-features.golden.json", plan.WriteFeatures(plan.FeatureFile{Features: asFeatures(im)}))
	if made[1].Claim != kedge.Completed || made[0].Claim != "" {
		t.Errorf("claims %q %q", made[0].Claim, made[1].Claim)
	}
	if got, want := ids(plan.Order(asFeatures(im))), "p1.1 p1.2 p2.1 p2.2"; got != want {
		t.Errorf("order %s, want %s", got, want)
	}
	if len(plan.Items(p)) != len(made) {
		t.Errorf("%d items, %d features", len(plan.Items(p)), len(made))
	}
}

func TestFeaturesOfASecondPlanGetTheirOwnIDs(t *testing.T) {
	p := parse(t, string(read(t, "plan.md"))).Plan
	taken := map[kedge.FeatureID]bool{"p2.1": true, "strict-matching-by-default-p1.1": true}
	made := asFeatures(plan.Imported{Features: plan.Features(p, func(id kedge.FeatureID) bool { return taken[id] })})
	if made[0].ID != "strict-matching-by-default-2-p1.1" || made[1].Dependencies[0] != made[0].ID {
		t.Errorf("ids %s", ids(made))
	}
	if err := plan.Validate(made); err != nil {
		t.Error(err)
	}
}

func TestPhaseBudgets(t *testing.T) {
	text := string(read(t, "plan.md"))
	for in, want := range map[string]kedge.Budget{
		"200000": {Tokens: 200000}, "200k": {Tokens: 200000}, "2M": {Tokens: 2000000}, "$5": {USD: 5}, "2.5usd": {USD: 2.5},
	} {
		d := parse(t, strings.Replace(text, "budget=200k", "budget="+in, 1))
		if findings := d.Check(everywhere); plan.Failed(findings) {
			t.Errorf("%s: %s", in, whats(findings))
		}
		if got := plan.PhaseBudget(d.Plan.Phases[0]); got != want {
			t.Errorf("%s: %+v, want %+v", in, got, want)
		}
		if own := plan.Features(d.Plan, func(kedge.FeatureID) bool { return false })[0].Budget; own != (kedge.Budget{}) {
			t.Errorf("%s: an item has what its whole phase may cost: %+v", in, own)
		}
	}
	for _, in := range []string{"0", "-5", "5eur", "$", "$-1", "k", "NaNusd", "9999999999999999999"} {
		d := parse(t, strings.Replace(text, "budget=200k", "budget="+in, 1))
		if !plan.Failed(d.Check(everywhere)) {
			t.Errorf("budget %q was accepted", in)
		}
	}
}

func TestCommands(t *testing.T) {
	field := "Run these:\n\n- `go vet ./...` then `go test ./...`\n* npm test\n1. make check\n- [ ] ./run.sh\n\n```sh\n# a comment\n$ cargo test\n\n(cd x && make)\n```\nplain command"
	want := "go vet ./...|go test ./...|npm test|make check|./run.sh|cargo test|(cd x && make)"
	if got := strings.Join(plan.Commands(field), "|"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := strings.Join(plan.Commands("go vet ./...\n\nmake\n"), "|"); got != "go vet ./...|make" {
		t.Errorf("bare lines: %s", got)
	}
}

func TestPrograms(t *testing.T) {
	for in, want := range map[string]string{
		"go test ./...": "go",
		"CGO_ENABLED=0 GOFLAGS='-mod=mod' go build":     "go",
		"cd web && npm ci && npm test":                  "npm",
		"go vet ./... || true; golangci-lint run | tee": "go golangci-lint tee",
		"./gradlew check > out.txt 2>&1":                "./gradlew",
		"! grep -r TODO src":                            "grep",
		"(cd x; make)":                                  "make",
		"if test -f x; then pytest -q; fi":              "pytest",
		"$GO test":                                      "",
		"$(which go) test && ls":                        "ls",
		"`which go` test":                               "",
		`"go" test "a; rm b"`:                           "go",
		`my\ tool x`:                                    "my tool",
		"for f in *.sh; do bash $f; done":               "",
		"[ -d x ] && make # then rest":                  "make",
		"exec 3>log node a.js":                          "node",
		"":                                              "",
		"a &\nb":                                        "a b",
		"<in.txt sort":                                  "sort",
		"go test && go vet":                             "go",
	} {
		if got := strings.Join(check.Programs(in), " "); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzPrograms(f *testing.F) {
	for _, s := range []string{"go test ./...", "a 'b", `a "b\`, "$(", "`", "2>&1", "\\", "a;b|c&&d", "> x y"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, p := range check.Programs(s) {
			if p == "" {
				t.Fatalf("an empty program in %q", s)
			}
		}
		_ = plan.Commands(s)
	})
}

func FuzzParsePlan(f *testing.F) {
	f.Add(string(read(f, "plan.md")))
	f.Add("---\nversion: 1\ntitle: x\nstatus: drafting\n---\n## Phase 1: a {#p1}\n- [ ] p1.1 b\n- [x] p1.1\n  check:\n```\n- [ ] p1.2 c")
	f.Add(string(plan.Template("x")))
	f.Add("---\nversion: 1\ntitle: x\nstatus: drafting\n---\n```\n<!--\n```\n<!-- a -->\n## Risks\n<!-- b\n```\n-->\nc\n<!--")
	f.Add("---\nversion: 1\ntitle: x\nstatus: ready\n---\n## Questions\n1. a (blocking)\n   answer: b\n  c\n## Questions\n")
	f.Fuzz(func(t *testing.T, s string) {
		d, err := plan.ParsePlan("plan.md", []byte(s))
		if err != nil {
			return
		}
		if string(d.Bytes()) != s {
			t.Fatalf("written back as %q", d.Bytes())
		}
		if findings := d.Check(everywhere); !plan.Failed(findings) {
			features := asFeatures(plan.Imported{Features: plan.Features(d.Plan, func(kedge.FeatureID) bool { return false })})
			if err := plan.Validate(features); err != nil {
				t.Fatalf("a plan that passes makes features that do not: %v", err)
			}
		}
		frozen, hash := d.Freeze(planID, "base")
		again := parse(t, string(frozen))
		if _, same := again.Freeze(planID, "base"); same != hash {
			t.Fatal("frozen twice, two hashes")
		}
		done := again.Progress(kedge.PlanApproved, everywhere)
		if len(done) < len(frozen)-8 {
			t.Fatalf("progress lost text: %q", done)
		}
		_ = plan.Checklist(again.Plan)
	})
}
