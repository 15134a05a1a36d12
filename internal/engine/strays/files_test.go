package strays_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge/internal/engine/strays"
)

// tree makes a folder; a name that ends with a slash is an empty folder, one with a star a
// file that can be executed.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		mode := os.FileMode(0o644)
		if strings.HasSuffix(name, "*") {
			name, mode = strings.TrimSuffix(name, "*"), 0o755
		}
		file := filepath.Join(dir, name)
		if strings.HasSuffix(name, "/") {
			file = filepath.Join(file, "x")
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			continue
		}
		if err := os.WriteFile(file, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestFilesThatTheCommitHasNot(t *testing.T) {
	for _, tt := range []struct {
		name        string
		work, clean map[string]string
		same, other []string
		modules     []string
		failure     string
		want        string
	}{
		{"nothing", map[string]string{"a.py": "1", ".git": "gitdir: a"}, map[string]string{"a.py": "1", ".git": "gitdir: b"}, []string{"a.py"}, nil, nil, "", ""},
		{"what git ignores", map[string]string{"gen/api.py": "x"}, nil, nil, nil, nil, "", "gen/api.py is not in the commit (git ignores it)"},
		{"changed beside the commit", map[string]string{"node_modules/a/index.js": "patched"}, map[string]string{"node_modules/a/index.js": "as installed"}, nil, nil, nil, "", "node_modules/a/index.js was changed but is not in the commit (git ignores it)"},
		{"a submodule", map[string]string{"vendor/lib/l.py": "2", "vendor/lib/new.py": "n"}, map[string]string{"vendor/lib/l.py": "1"}, nil, nil, []string{"vendor/lib"}, "", "vendor/lib/l.py was changed but is not in the commit (submodule), vendor/lib/new.py is not in the commit (submodule)"},
		{"a mode", map[string]string{"run*": "#!"}, map[string]string{"run": "#!"}, []string{"run"}, nil, nil, "", "run can be executed only there (git does not see modes here: git update-index --chmod=+x)"},
		{"line endings", map[string]string{"a.txt": "a\r\n"}, map[string]string{"a.txt": "a\n"}, []string{"a.txt"}, nil, nil, "", "a.txt differs from what is in the commit (line endings or a git filter)"},
		{"an empty folder", map[string]string{"data/": ""}, nil, nil, nil, nil, "", "data/ is an empty folder, and git keeps none"},
		{"a repository in it", map[string]string{"dep/.git/HEAD": "ref", "dep/a.go": "x"}, nil, nil, nil, nil, "", "dep/ is a git repository of its own, so its files are not in the commit"},
		{"another feature's", map[string]string{"a.go": "old", "b.go": "mine"}, map[string]string{"a.go": "new"}, nil, []string{"a.go", "b.go"}, nil, "", ""},
		{"what a check removed", map[string]string{"a.go": "x"}, nil, []string{"a.go"}, nil, nil, "", ""},
		{"what tools keep", map[string]string{"__pycache__/a.pyc": "1", "x/.pytest_cache/v": "1", "build.log": "l", ".coverage": "c"}, nil, nil, nil, nil, "", ""},
		{"what programs write", map[string]string{"cache.db": "1\x00"}, map[string]string{"cache.db": "2\x00"}, nil, nil, nil, "", ""},
		{"what both built", map[string]string{"target/a.json": "1"}, map[string]string{"target/a.json": "2"}, nil, nil, nil, "", ""},
		{"a folder of the commit with such a name", map[string]string{"bin/a.sh": "1\r\n"}, map[string]string{"bin/a.sh": "1\n"}, []string{"bin/a.sh"}, nil, nil, "", "bin/a.sh differs from what is in the commit (line endings or a git filter)"},
		{"many files", map[string]string{"out/1": "", "out/2": "", "out/x/3": "", "out/x/4": ""}, nil, nil, nil, nil, "", "out/ is not in the commit (git ignores it)"},
		{"many files, one of them named", map[string]string{"out/1": "", "out/2": "", "out/x/3": "", "out/x/table.csv": ""}, nil, nil, nil, nil, "no such file: out/x/table.csv", "out/x/table.csv is not in the commit (git ignores it), out/ is not in the commit (git ignores it)"},
		{"what the failure names comes first", map[string]string{"a.json": "", "z.dat": ""}, nil, nil, nil, nil, "cannot open z.dat", "z.dat is not in the commit (git ignores it), a.json is not in the commit (git ignores it)"},
		{"no more than five", map[string]string{"1.py": "", "2.py": "", "3.py": "", "4.py": "", "5.py": "", "6.py": "", "7.py": ""}, nil, nil, nil, nil, "", "1.py is not in the commit (git ignores it), 2.py is not in the commit (git ignores it), 3.py is not in the commit (git ignores it), 4.py is not in the commit (git ignores it), 5.py is not in the commit (git ignores it), and 2 more"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q := strays.Pair{Work: tree(t, tt.work), Clean: tree(t, tt.clean), Same: set(tt.same), Other: set(tt.other), Modules: tt.modules, Failure: tt.failure}
			if got := strays.Text(strays.Files(q), func(string) bool { return true }); got != tt.want {
				t.Errorf("%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func set(list []string) map[string]bool {
	out := map[string]bool{}
	for _, s := range list {
		out[s] = true
	}
	return out
}

// TestLikely: what people write, and what the failure names, may well be why; what else
// lies about need not.
func TestLikely(t *testing.T) {
	q := strays.Pair{Work: tree(t, map[string]string{"a.py": "", "b.bin": "", "c.bin": ""}), Clean: t.TempDir(), Failure: "c.bin: not found"}
	got := ""
	for _, d := range strays.Files(q) {
		if d.Likely() {
			got += d.Path + " "
		}
	}
	if got != "c.bin a.py " {
		t.Error(got)
	}
}
