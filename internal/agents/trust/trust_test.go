package trust_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/agents/trust"
)

// commit is a tree of these files; "-> x" is a link.
func commit(files map[string]string) *trust.Commit {
	var entries []trust.Entry
	for _, name := range slices.Sorted(maps.Keys(files)) {
		kind := trust.Plain
		if strings.HasPrefix(files[name], "-> ") {
			kind = trust.Link
		}
		entries = append(entries, trust.Entry{Path: name, Kind: kind})
	}
	return trust.OfCommit(entries, func(name string) ([]byte, error) {
		return []byte(strings.TrimPrefix(files[name], "-> ")), nil
	})
}

// folder is the same on the disk.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		to, link := strings.CutPrefix(text, "-> ")
		err := os.WriteFile(path, []byte(text), 0o644)
		if link {
			err = os.Remove(path)
			if err == nil {
				err = os.Symlink(to, path)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func untracked(string) (bool, error) { return false, nil }

func names(f trust.Found) string {
	var out []string
	for _, x := range f.Files {
		out = append(out, x.Path)
	}
	for _, v := range f.Variables {
		out = append(out, v.Path+":"+v.Name)
	}
	return strings.Join(out, " ")
}

func TestT6WhatIsFound(t *testing.T) {
	for name, x := range map[string]struct {
		files map[string]string
		want  string
	}{
		"nothing":           {map[string]string{"main.go": "x", "AGENTS.md": "do", "CLAUDE.md": "@AGENTS.md", ".github/workflows/ci.yml": "x"}, ""},
		"claude":            {map[string]string{".claude/settings.json": "{}", ".claude/hooks/a.sh": "PATH=/x", ".mcp.json": "{}"}, ".claude/hooks/a.sh .claude/settings.json .mcp.json"},
		"large letters":     {map[string]string{".Claude/settings.json": "{}"}, ".Claude/settings.json"},
		"others":            {map[string]string{".codex/config.toml": "", ".gemini/settings.json": "{}", "opencode.jsonc": "{}", ".opencode/plugin/x.js": ""}, ".codex/config.toml .gemini/settings.json .opencode/plugin/x.js opencode.jsonc"},
		"editors":           {map[string]string{".vscode/tasks.json": "{}", ".vscode/launch.json": "{}", ".devcontainer/devcontainer.json": "{}"}, ".devcontainer/devcontainer.json .vscode/tasks.json"},
		"env, harmless":     {map[string]string{".env": "PORT=1\nAPI_KEY=x\n# ANTHROPIC_BASE_URL=http://x\n", ".env.example": "NODE_OPTIONS=x"}, ""},
		"env, blocked":      {map[string]string{".env": "export ANTHROPIC_BASE_URL=http://x\nLD_PRELOAD=./x.so\n"}, ".env:ANTHROPIC_BASE_URL .env:LD_PRELOAD"},
		"env, behind a CR":  {map[string]string{".env": "# x\rANTHROPIC_BASE_URL=http://x\r# y\u2028NODE_OPTIONS=z"}, ".env:ANTHROPIC_BASE_URL .env:NODE_OPTIONS"},
		"env, of agents":    {map[string]string{".env": "AIDER_LINT_CMD=./x\nCODE_ASSIST_ENDPOINT=http://x\n"}, ".env:AIDER_LINT_CMD .env:CODE_ASSIST_ENDPOINT"},
		"aider":             {map[string]string{".aider.model.settings.yml": "- name: m\n  extra_params:\n    api_base: http://x\n"}, ".aider.model.settings.yml .aider.model.settings.yml:api_base"},
		"mise":              {map[string]string{"mise.local.toml": "", ".mise.local.toml": "", ".mise/config.toml": "", ".config/mise/conf.d/a.toml": "", ".config/mise.toml": "", ".config/other": "", "mise/x": ""}, ".config/mise.toml .config/mise/conf.d/a.toml .mise.local.toml .mise/config.toml mise.local.toml"},
		"settings, blocked": {map[string]string{".claude/settings.json": `{"env": {"NODE_OPTIONS": "--require ./x", "GIT_SSH_COMMAND": "x"}}`}, ".claude/settings.json .claude/settings.json:GIT_SSH_COMMAND .claude/settings.json:NODE_OPTIONS"},
		"a provider":        {map[string]string{"opencode.json": `{"provider":{"x":{"options":{"baseURL":"http://x"}}}}`, ".codex/config.toml": "base_url = \"http://x\"\n"}, ".codex/config.toml opencode.json .codex/config.toml:base_url opencode.json:baseURL"},
		"a link":            {map[string]string{".claude": "-> tools/claude", "tools/claude/settings.json": "{}", "tools/other": "x"}, ".claude tools/claude/settings.json"},
	} {
		t.Run(name, func(t *testing.T) {
			of, err := catalog.Trust().Scan(commit(x.files))
			if err != nil || names(of) != x.want {
				t.Errorf("of a commit: %q, %v; want %q", names(of), err, x.want)
			}
			on, err := catalog.Trust().ScanDir(folder(t, x.files), untracked)
			if err != nil || names(on) != x.want {
				t.Errorf("on the disk: %q, %v; want %q", names(on), err, x.want)
			}
			if !slices.Equal(of.Items(), on.Items()) {
				t.Errorf("a commit and its worktree differ:\n%v\n%v", of.Items(), on.Items())
			}
		})
	}
}

// TestT6OneByteIsAnotherContent: an approval is of exactly what a person saw.
func TestT6OneByteIsAnotherContent(t *testing.T) {
	scan := func(text string) trust.Found {
		f, err := catalog.Trust().Scan(commit(map[string]string{".claude/settings.json": text, ".env": text}))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	one := scan("NODE_OPTIONS=a\n")
	known := map[kedge.Trusted]bool{}
	for _, i := range one.Items() {
		known[i] = true
	}
	approved := func(i kedge.Trusted) bool { return known[i] }
	if left := one.Without(approved); !left.None() {
		t.Errorf("approved and asked again: %v", left.Items())
	}
	if left := scan("NODE_OPTIONS=a\r\n").Without(approved); !left.None() {
		t.Errorf("the end of lines is the system's: %v", left.Items())
	}
	other := scan("NODE_OPTIONS=b\n")
	if left := other.Without(approved); len(left.Items()) != 3 || other.Hash() == one.Hash() {
		t.Errorf("another byte, and only %v asks", left.Items())
	}
	if left := scan("NODE_OPTIONS=a\nMORE=1\n").Without(approved); len(left.Files) != 1 || len(left.Variables) != 0 {
		t.Errorf("another line leaves the variable approved and not the file: %v", left.Items())
	}
}

// TestT6InstalledOrBroughtAlong: what OpenCode installs for itself is passed over, and
// nothing of it that came with the repository.
func TestT6InstalledOrBroughtAlong(t *testing.T) {
	files := map[string]string{
		".opencode/plugin/x.js": "", ".opencode/node_modules/a/b.js": "", ".opencode/package.json": "{}", ".opencode/bun.lock": "",
		".opencode/package-lock.json": "{}", ".opencode/.gitignore": "", ".claude/worktrees/a/x": "",
	}
	all := strings.Join(slices.Sorted(maps.Keys(files)), " ")
	if f, err := catalog.Trust().Scan(commit(files)); err != nil || names(f) != all {
		t.Errorf("of a commit: %q, %v; want %q", names(f), err, all)
	}
	dir := folder(t, files)
	for _, x := range []struct {
		tracked []string
		want    string
	}{
		{nil, ".opencode/package.json .opencode/plugin/x.js"},
		{[]string{".opencode/node_modules"}, ".opencode/node_modules/a/b.js .opencode/package.json .opencode/plugin/x.js"},
		{[]string{".opencode/bun.lock", ".claude/worktrees"}, ".claude/worktrees/a/x .opencode/bun.lock .opencode/package.json .opencode/plugin/x.js"},
	} {
		f, err := catalog.Trust().ScanDir(dir, func(name string) (bool, error) { return slices.Contains(x.tracked, name), nil })
		if err != nil || names(f) != x.want {
			t.Errorf("on the disk with %q: %q, %v; want %q", x.tracked, names(f), err, x.want)
		}
	}
	broken := kedge.Errorf(kedge.Internal, "no git")
	if _, err := catalog.Trust().ScanDir(dir, func(string) (bool, error) { return false, broken }); err == nil {
		t.Error("nobody could tell, and it was passed over")
	}
}

// TestT6WhatCannotBeKnown is refused: nobody can approve it.
func TestT6WhatCannotBeKnown(t *testing.T) {
	many := map[string]string{}
	for i := range 2100 {
		many[".claude/"+strings.Repeat("x", i%50)+string(rune('a'+i%26))+strings.Repeat("y", i/50)] = ""
	}
	for name, tree := range map[string]*trust.Commit{
		"a link out":    commit(map[string]string{".claude": "-> ../elsewhere"}),
		"a link to all": commit(map[string]string{".claude/x": "-> .."}),
		"absolute":      commit(map[string]string{".mcp.json": "-> /etc/passwd"}),
		"a repository":  trust.OfCommit([]trust.Entry{{Path: ".claude", Kind: trust.Other}}, nil),
		"too many":      commit(many),
	} {
		if _, err := catalog.Trust().Scan(tree); !kedge.Blocked.Is(err) || kedge.HintOf(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	dir := folder(t, map[string]string{".claude": "-> /etc"})
	if _, err := catalog.Trust().ScanDir(dir, untracked); !kedge.Blocked.Is(err) {
		t.Errorf("a link out of a folder: %v", err)
	}
	loop := folder(t, map[string]string{".claude": "-> .codex", ".codex": "-> .claude"})
	if f, err := catalog.Trust().ScanDir(loop, untracked); err != nil || len(f.Files) != 2 {
		t.Errorf("links in a circle: %v, %v", names(f), err)
	}
}

func TestT6Commands(t *testing.T) {
	f, err := catalog.Trust().Scan(commit(map[string]string{
		".claude/settings.json": `{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"touch \"x\""}]}]}}`,
	}))
	if err != nil || len(f.Files) != 1 || !slices.Equal(f.Files[0].Runs, []string{`touch \"x\"`}) {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestT6BlockedVariables(t *testing.T) {
	for _, name := range []string{"ANTHROPIC_BASE_URL", "OPENAI_API_BASE", "baseURL", "base_url", "BASE_URL", "openaiBaseUrl", "MY_BASEURL", "NODE_OPTIONS", "LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "GIT_DIR", "PATH", "https_proxy", "KEDGE_HOME", "BASH_ENV", "AIDER_TEST_CMD", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"} {
		if catalog.Trust().Blocked(name) == "" {
			t.Errorf("%s may be set", name)
		}
	}
	for _, name := range []string{"PORT", "API_KEY", "DATABASE_URL", "databaseUrl", "DATABASEURL", "path", "git_url", "NODE_ENV", "ENV", "ENDPOINT", "endpoint"} {
		if why := catalog.Trust().Blocked(name); why != "" {
			t.Errorf("%s may not be set: %s", name, why)
		}
	}
}

func FuzzScan(f *testing.F) {
	f.Add(`{"env":{"PATH":"x"}}`)
	f.Add("export NODE_OPTIONS=\"a\"\nbase_url = 'x'\n")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := catalog.Trust().Scan(commit(map[string]string{".claude/settings.json": "{" + text, ".env": "#" + text}))
		if err != nil {
			t.Skipf("a text that is refused: %v", err)
		}
		b, err := catalog.Trust().Scan(commit(map[string]string{".claude/settings.json": "{" + text, ".env": "#" + text}))
		if err != nil || a.Hash() != b.Hash() || !slices.Equal(a.Items(), b.Items()) || len(a.Files) != 1 {
			t.Errorf("the same text, and not the same: %v, %v, %v", a.Items(), b.Items(), err)
		}
	})
}

// TestT6WhatWorkBrings: hooks of git run for people, so that only work which brings
// them asks; and a path alone says whether somebody heeds it.
func TestT6WhatWorkBrings(t *testing.T) {
	files := map[string]string{
		".husky/pre-commit": "", ".githooks/pre-push": "", "lefthook.yml": "", ".pre-commit-config.yaml": "", ".envrc": "", ".env": "A=1", "package.json": "{}", "huskyx/a": "",
	}
	of, err := catalog.Trust().Scan(commit(files))
	if err != nil || names(of) != ".envrc" {
		t.Errorf("of a repository: %q, %v", names(of), err)
	}
	work, err := catalog.Trust().ScanWork(commit(files))
	if want := ".envrc .githooks/pre-push .husky/pre-commit .pre-commit-config.yaml lefthook.yml"; err != nil || names(work) != want {
		t.Errorf("of work: %q, %v; want %q", names(work), err, want)
	}
	for path, want := range map[string]bool{
		".envrc": true, ".ENVRC": true, ".claude/hooks/a.sh": true, ".vscode/tasks.json": true, ".husky/pre-commit": true,
		".env": false, ".envrcs": false, "docs/.envrc": false, ".vscode/launch.json": false, "package.json": false, "": false,
	} {
		if catalog.Trust().Heeds(path) != want {
			t.Errorf("Heeds(%q) is %v", path, !want)
		}
	}
}

// TestT6HooksOfGitInWork: every name under which Lefthook reads its settings, and what
// can be executed, is found in work and in no session's tree.
func TestT6HooksOfGitInWork(t *testing.T) {
	var entries []trust.Entry
	for _, in := range []string{"", ".", ".config/"} {
		for _, name := range []string{"lefthook", "lefthook-local"} {
			for _, ending := range []string{".yml", ".yaml", ".toml", ".json", ".jsonc"} {
				entries = append(entries, trust.Entry{Path: in + name + ending, Kind: trust.Plain})
			}
		}
	}
	entries = append(entries, trust.Entry{Path: ".lefthook/pre-commit/a.sh", Kind: trust.Program}, trust.Entry{Path: ".config/other.yml", Kind: trust.Plain})
	tree := trust.OfCommit(entries, func(string) ([]byte, error) { return []byte("x"), nil })
	f, err := catalog.Trust().ScanWork(tree)
	if err != nil || len(f.Files) != len(entries)-1 {
		t.Fatalf("%d files of %d: %s, %v", len(f.Files), len(entries), names(f), err)
	}
	for _, file := range f.Files {
		if file.Exec != strings.HasSuffix(file.Path, ".sh") || file.Exec != file.Trusted().Exec {
			t.Errorf("%s: executable %v", file.Path, file.Exec)
		}
	}
	if f, err := catalog.Trust().Scan(tree); err != nil || !f.None() {
		t.Errorf("of a session's tree: %s, %v", names(f), err)
	}
}
