package testguard

import (
	"slices"
	"strings"

	"kedge/internal/core/detect"
	"kedge/internal/text/lazyre"
)

var (
	cMacro    = lazyre.New(`(?m)^[ \t]*(?:(TEST(?:_F|_P|_CASE_METHOD|_CASE|_METHOD)?|TYPED_TEST(?:_P)?|TEMPLATE_TEST_CASE|SCENARIO|BOOST_(?:AUTO|FIXTURE|DATA)_TEST_CASE|START_TEST|DOCTEST_TEST_CASE|Test|Theory|CTEST2?|MU_TEST|UTEST|[A-Z][A-Z0-9]*_?TEST(?:_[A-Z0-9_]+)?|IGNORE_TEST|CTEST_SKIP|TEST_GROUP_RUNNER|RUN_TEST_GROUP|TEST_CASE_FIXTURE))\s*\(`)
	cFunction = lazyre.New(`(?m)^(?:static\s+|extern\s+|inline\s+|const\s+|CJSON_PUBLIC\s*\()*(?:unsigned\s+|struct\s+)?\w[\w:<>]*\)?[\s*&]+(\w+)\s*\(`)
	cRuns     = lazyre.New(`\b(?:RUN_TEST(?:_CASE)?|MU_RUN_TEST|cmocka_unit_test\w*|tcase_add_test|CU_add_test|CU_ADD_TEST|g_test_add_func|suite_add_tcase|mu_run_test|RUN|run_test|ADD_TEST)\s*\(([^;{}]*?)\)`)
	cNamed    = lazyre.New(`(?i)^(?:test_|test[A-Z])|_test$|_should_`)
	cIgnored  = lazyre.New(`\b(?:TEST_IGNORE(?:_MESSAGE)?|GTEST_SKIP|SKIP|skip)\s*\(`)
	cAssert   = lazyre.New(`\b(?:[A-Za-z_]*(?:ASSERT|EXPECT|assert|expect)\w*|CHECK\w*|REQUIRE\w*|FAIL|ADD_FAILURE|check\w*|verify\w*|[Rr]un_?[A-Za-z_]*[Tt]est\w*|must_\w+|fail\w*|ck_\w+|abort|mu_\w+)\s*\(|\breturn\s+(?:1|-1|EXIT_FAILURE)\s*;|\bexit\s*\(\s*(?:1|-1|EXIT_FAILURE)\s*\)`)
	cUnused   = lazyre.New(`^(?:if|for|while|switch|return|else|sizeof|do|typedef)$`)
)

// cTests reads googletest, Catch2, doctest, Boost.Test, Unity, Criterion, CMocka, Check and their
// kin: macros that begin a test, and functions that a runner is given or that are named as tests.
func cTests(src string) []test {
	c := coded(detect.CSyntax, src, quietAs(cTakes))
	lines := detect.LineCounter{Src: src}
	tests := append(cMacros(c), cFunctions(c)...)
	slices.SortStableFunc(tests, func(a, b test) int { return a.from - b.from })
	tests = apart(tests)
	whole, branches := c.Hooked(cHook, cIgnored), c.CompiledIf()
	for i := range tests {
		t := &tests[i]
		t.skip = max(t.skip, whole)
		if slices.ContainsFunc(branches, func(b [2]int) bool { return b[0] <= t.from && t.from < b[1] }) || c.RunsIn(t.name, cRuns, branches) {
			t.skip = max(t.skip, sometimes)
		}
		t.line = lines.At(t.from)
		if cIgnored.MatchString(c.Masked[t.from:t.to]) {
			t.skip = max(t.skip, sometimes)
		}
	}
	out := c.finish(tests, cAssert)
	out[len(out)-1].claims = append(out[len(out)-1].claims, c.ofMain(&lines)...)
	return out
}

var (
	cHook = lazyre.New(`\bvoid\s+(?:setUp|SetUp|suiteSetUp)\s*\([^)]*\)\s*(?:override\s*)?\{`)
)

var (
	cMain    = lazyre.New(`(?m)^(?:static\s+)?int\s+main\s*\([^)]*\)\s*\{`)
	cReturns = lazyre.New(`\breturn\b[^;{}]*;`)
	cNothing = lazyre.New(`^return\s*\(?\s*(?:0|EXIT_SUCCESS|true)\s*\)?\s*;$`)
)

// ofMain gives what a program of tests ends with, where that depends on them.
func (c code) ofMain(lines *detect.LineCounter) []claim {
	m := cMain.FindStringIndex(c.Masked)
	if m == nil {
		return nil
	}
	var out []claim
	end := c.Partner(m[1] - 1)
	for _, r := range cReturns.FindAllStringIndex(c.Masked[m[1]:end], -1) {
		if text := c.Bare[m[1]+r[0] : m[1]+r[1]]; !cNothing.MatchString(text) && !bareExit.MatchString(strings.Join(detect.Tokens(text), " ")) {
			out = append(out, claim{Asks: append([]string{"main"}, detect.Tokens(text)...), owner: "main", line: lines.At(m[1] + r[0])})
		}
	}
	return out
}

// apart drops tests that begin inside another: a macro in a body is no test.
func apart(tests []test) []test {
	end := -1
	return slices.DeleteFunc(tests, func(t test) bool {
		if t.from < end {
			return true
		}
		end = t.to
		return false
	})
}

func cMacros(c code) []test {
	var tests []test
	for _, m := range cMacro.FindAllStringSubmatchIndex(c.Masked, -1) {
		open := m[1] - 1
		end := c.Partner(open)
		word := part(c.Masked, m, 1)
		brace := c.Blanks(end)
		if brace >= len(c.Masked) || c.Masked[brace] != '{' {
			if word != "START_TEST" {
				continue
			}
			brace = end
		}
		t := test{name: strings.Join(detect.Tokens(c.Bare[open+1:max(open+1, end-1)]), " ")}
		t.fill(c, brace)
		if strings.HasPrefix(t.name, "DISABLED_") || strings.Contains(t.name, " DISABLED_") || word == "IGNORE_TEST" || word == "CTEST_SKIP" || strings.Contains(t.name, "[.]") || strings.Contains(t.name, "disabled = true") {
			t.name, t.skip = strings.Replace(t.name, "DISABLED_", "", 1), never
		}
		tests = append(tests, t)
	}
	return tests
}

// cFunctions are the functions that are tests. One that a file's runner does not name never runs,
// if it names others.
func cFunctions(c code) []test {
	run, others := map[string]bool{}, false
	for _, m := range cRuns.FindAllStringSubmatch(c.Masked, -1) {
		for _, w := range detect.Words(m[1]) {
			run[w], others = true, true
		}
	}
	var tests []test
	end := 0
	for _, m := range cFunction.FindAllStringSubmatchIndex(c.Masked, -1) {
		name := part(c.Masked, m, 1)
		if m[0] < end || cUnused.MatchString(name) || name == "main" {
			continue
		}
		brace := c.Blanks(c.Partner(m[1] - 1))
		if brace >= len(c.Masked) || c.Masked[brace] != '{' {
			continue
		}
		t := test{name: name}
		end = t.fill(c, brace)
		if !run[name] && !cNamed.MatchString(name) {
			continue
		}
		if others && !run[name] && strings.Count(c.Masked, name) < 2 {
			t.skip = never
		}
		tests = append(tests, t)
	}
	return tests
}
