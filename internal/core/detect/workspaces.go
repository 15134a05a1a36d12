package detect

import (
	"encoding/json"
	"io/fs"
	"path"
	"slices"
	"strings"

	"kedge/internal/text/lazyre"
)

// maxMembers bounds how many packages of a workspace are looked at.
const maxMembers = 300

// workspace gives the packages of a workspace; none: it is not one.
func (n *node) workspace() []packageJSON {
	var out []packageJSON
	for _, pattern := range n.patterns() {
		if strings.HasPrefix(pattern, "!") || strings.HasPrefix(pattern, "example") {
			continue
		}
		tries := []string{pattern}
		if base, deep := strings.CutSuffix(pattern, "/**"); deep {
			tries = []string{base, base + "/*", base + "/*/*"}
		}
		for _, try := range tries {
			for _, file := range n.glob(path.Join(try, "package.json")) {
				sub := &folder{fsys: n.fsys, dir: path.Join(n.dir, path.Dir(file))}
				if p, ok := sub.nodePackage(); ok && len(out) < maxMembers {
					out = append(out, p)
				}
			}
		}
	}
	return out
}

// workspaceLine is an entry of pnpm-workspace.yaml.
var workspaceLine = lazyre.New(`^\s*-\s*['"]?([^'"#]+?)['"]?\s*(#.*)?$`)

// patterns are where the packages of a workspace are.
func (n *node) patterns() []string {
	var out []string
	add := func(v any) {
		list, _ := v.([]any) // anything else names none
		for _, e := range list {
			if s, ok := e.(string); ok {
				out = append(out, s)
			}
		}
	}
	add(n.Workspaces)
	if m, ok := n.Workspaces.(map[string]any); ok {
		add(m["packages"])
	}
	var lerna struct {
		Packages []any `json:"packages"`
	}
	if json.Unmarshal([]byte(n.read("lerna.json")), &lerna) == nil {
		add(lerna.Packages)
	}
	inside := false
	for line := range strings.Lines(n.read("pnpm-workspace.yaml")) {
		line = strings.TrimRight(line, " \r\n")
		if line != "" && !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "-") && !strings.HasPrefix(line, "#") {
			inside = line == "packages:"
		}
		if m := workspaceLine.FindStringSubmatch(line); inside && m != nil {
			out = append(out, m[1])
		}
	}
	return out
}

// inMembers is the line that runs a script in every package of a workspace that has it;
// empty: none has.
func (n *node) inMembers(script string) string {
	has := func(p packageJSON) bool {
		_, text := p.reach(script)
		return text != "" && !noTest.MatchString(text) && !watch.MatchString(text)
	}
	if !slices.ContainsFunc(n.members, has) {
		return ""
	}
	switch {
	case strings.Contains(n.read("turbo.json"), `"`+script+`"`):
		return n.exec() + " turbo run " + script
	case n.has("nx.json"):
		return n.exec() + " nx run-many -t " + script
	case n.has("lerna.json"):
		return n.exec() + " lerna run " + script
	}
	switch n.runner {
	case "pnpm":
		return "pnpm -r run " + script
	case "bun":
		return "bun run --filter '*' " + script
	case "yarn":
		if n.berry() {
			return "yarn workspaces foreach -A run " + script
		}
		return "yarn workspaces run " + script
	}
	return "npm run " + script + " --workspaces --if-present"
}

func (f *folder) matches(pattern string) bool { return len(f.glob(pattern)) > 0 }

// glob lists the files of the folder that a pattern names, from the folder on.
func (f *folder) glob(pattern string) []string {
	sub, err := fs.Sub(f.fsys, f.dir)
	if err != nil {
		return nil
	}
	names, err := fs.Glob(sub, pattern)
	if err != nil {
		return nil
	}
	return names
}
