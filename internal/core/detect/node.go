package detect

import (
	"encoding/json"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/text/lazyre"
)

// packageJSON is what is read of package.json; other people's file, so
// everything else in it is passed over.
type packageJSON struct {
	PackageManager  string            `json:"packageManager"`
	Scripts         map[string]string `json:"scripts"`
	Dependencies    map[string]any    `json:"dependencies"`
	DevDependencies map[string]any    `json:"devDependencies"`
	Workspaces      any               `json:"workspaces"`
}

func (f *folder) nodePackage() (p packageJSON, ok bool) {
	return p, f.has("package.json") && json.Unmarshal([]byte(f.read("package.json")), &p) == nil
}

// node is a project of Node while it is looked at.
type node struct {
	*folder
	packageJSON
	runner  string
	members []packageJSON // of a workspace
	checks  []kedge.Check
	run     []string // the scripts that the checks run
}

func nodeChecks(f *folder) []kedge.Check {
	if !f.has("package.json") {
		return nil
	}
	var p packageJSON
	if err := json.Unmarshal([]byte(f.read("package.json")), &p); err != nil {
		f.note("package.json cannot be read: " + err.Error())
		return nil
	}
	n := &node{folder: f, packageJSON: p, runner: nodeRunner(f, p), checks: []kedge.Check{}}
	n.members = n.workspace()
	n.test()
	n.more("build", "build")
	n.more("lint", "lint", "eslint", "lint:js", "check")
	n.more("types", "typecheck", "type-check", "check-types", "types:check", "test:types", "tsc")
	n.endToEnd()
	if len(n.checks) == 0 {
		f.note("package.json has no script test, build or lint that could be a check")
		return n.checks
	}
	n.install()
	return n.checks
}

func nodeRunner(f *folder, p packageJSON) string {
	switch {
	case f.has("pnpm-lock.yaml"):
		return "pnpm"
	case f.has("yarn.lock"):
		return "yarn"
	case f.has("bun.lock", "bun.lockb"):
		return "bun"
	case f.has("package-lock.json", "npm-shrinkwrap.json"):
		return "npm"
	}
	runner, _, _ := strings.Cut(p.PackageManager, "@")
	if slices.Contains([]string{"pnpm", "yarn", "bun"}, runner) {
		return runner
	}
	return "npm"
}

var (
	// noTest is what `npm init` puts in the place of a test.
	noTest = lazyre.New(`no test specified`)
	watch  = lazyre.New(`--watch(All)?(\s|$|=true)|\b(nx|turbo) watch\b`)
	// changedOnly runs what changed since some branch: on that branch it runs nothing.
	changedOnly = lazyre.New(`\bnx affected\b|\bturbo\b[^&|;]*(--affected|--filter=?\s*['"]?\[)|\blerna\b[^&|;]*--since\b`)
)

// test adds the script that tests, of the package or of a workspace's members.
func (n *node) test() {
	for _, script := range []string{"test", "test:ci", "test:all", "test:unit", "tests", "unit"} {
		_, text := n.reach(script)
		switch {
		case text == "":
		case noTest.MatchString(text):
			n.note("the test script of package.json is npm's placeholder, not a test")
		case watch.MatchString(text):
			n.note("the " + script + " script of package.json is not used: it watches for changes and never ends")
		default:
			n.add(test(n.testLine(script, text)), script)
			return
		}
	}
	if line := n.inMembers("test"); line != "" {
		n.checks = append(n.checks, test(line))
	}
}

func (n *node) testLine(script, text string) string {
	switch other := n.whole(script); {
	case strings.Contains(text, "react-scripts test"):
		return "CI=true " + n.runner + " run " + script // it watches otherwise
	case other != script:
		return n.runner + " run " + other
	case script != "test" || n.runner == "bun": // `bun test` is bun's own runner, not the script
		return n.runner + " run " + script
	}
	return n.runner + " test"
}

// whole is the script that runs everything, where the one of this name runs what changed.
func (n *node) whole(script string) string {
	if _, text := n.reach(script); !changedOnly.MatchString(text) {
		return script
	}
	for _, other := range []string{script + ":all", script + ":ci", script + "-all", "ci:" + script} {
		if _, text := n.reach(other); text != "" && !changedOnly.MatchString(text) {
			return other
		}
	}
	n.note("the script " + script + " of package.json tests only what changed since another branch")
	return script
}

// add adds a check that runs a script.
func (n *node) add(c kedge.Check, script string) {
	n.checks, n.run = append(n.checks, c), append(n.run, script)
}

// more adds the first script of these that no check runs already, as a check.
func (n *node) more(name string, scripts ...string) {
	for _, script := range scripts {
		_, text := n.reach(script)
		if text == "" || watch.MatchString(text) {
			continue
		}
		if !slices.ContainsFunc(n.run, func(by string) bool { return n.covers(by, script) }) {
			n.add(kedge.Check{Name: name, Kind: kedge.CheckBuild, Run: n.runner + " run " + n.whole(script)}, script)
		}
		return
	}
	if line := n.inMembers(scripts[0]); line != "" && name != "types" {
		n.checks = append(n.checks, kedge.Check{Name: name, Kind: kedge.CheckBuild, Run: line})
	}
}

var (
	playwright = lazyre.New(`\bplaywright test\b`)
	cypress    = lazyre.New(`\bcypress run\b`)
)

// endToEnd adds what drives the application in a browser, where no check does that yet.
func (n *node) endToEnd() {
	behind := ""
	for _, script := range n.run {
		_, text := n.reach(script)
		behind += text + "\n"
	}
	for _, tool := range []struct {
		name, line string
		runs       *lazyre.Regexp
		scripts    []string
		leaves     []string
	}{
		{"playwright", "playwright test", playwright, []string{"test:e2e", "e2e", "test:playwright", "playwright", "test:integration", "integration"}, []string{"test-results/", "playwright-report/"}},
		{"cypress", "cypress run", cypress, []string{"test:e2e", "e2e", "cy:run", "cypress:run", "test:cypress", "cypress"}, []string{"cypress/videos/", "cypress/screenshots/"}},
	} {
		line := ""
		if n.matches(tool.name+".config.*") || n.has("cypress.json") && tool.name == "cypress" {
			line = n.exec() + " " + tool.line
		}
		for _, script := range slices.Backward(tool.scripts) {
			if _, text := n.reach(script); tool.runs.MatchString(text) {
				line = n.runner + " run " + script
			}
		}
		if line == "" || tool.runs.MatchString(behind) {
			continue
		}
		n.checks = append(n.checks, kedge.Check{Name: "e2e-" + tool.name, Kind: kedge.CheckE2E, Run: line})
		for _, left := range tool.leaves {
			n.leaves(left)
		}
	}
}

// exec starts a program of the project's packages.
func (n *node) exec() string {
	switch n.runner {
	case "pnpm":
		return "pnpm exec"
	case "yarn":
		return "yarn"
	case "bun":
		return "bunx"
	}
	return "npx"
}

// berry tells whether Yarn is of version 2 or later.
func (n *node) berry() bool {
	return n.has(".yarnrc.yml") || strings.HasPrefix(n.PackageManager, "yarn@") && !strings.HasPrefix(n.PackageManager, "yarn@1")
}

// install proposes how packages come into a fresh worktree: by the lock file, where there
// is one. Hooks of git that a package installs would be those of every worktree.
func (n *node) install() {
	if len(n.Dependencies)+len(n.DevDependencies)+len(n.members) == 0 && n.Workspaces == nil {
		return
	}
	locked := n.has("package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb")
	line := n.runner + " install"
	switch {
	case n.runner == "npm" && locked:
		line = "npm ci"
	case n.runner == "npm":
		line = "npm install --no-package-lock"
	case locked && n.runner == "yarn" && n.berry():
		line += " --immutable"
	case locked:
		line += " --frozen-lockfile"
	}
	if hooks := n.Scripts["prepare"] + n.Scripts["postinstall"]; strings.Contains(hooks, "husky") {
		line = "HUSKY=0 " + line
	}
	if n.runner == "yarn" && n.berry() && !strings.Contains(n.read(".yarnrc.yml"), "node-modules") {
		n.prepares(line) // Plug'n'Play has no folder of packages
		return
	}
	n.prepares(line, "node_modules")
	n.leaves("node_modules/")
}
