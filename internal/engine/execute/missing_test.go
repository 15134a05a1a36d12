package execute_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge/internal/core/run"
)

// TestWhatTheCommitHasNot: where a check is green in the agent's worktree and red in the
// clean one, each file is named that is there and not in the commit, and why it is not.
func TestWhatTheCommitHasNot(t *testing.T) {
	const both = "green in the agent's worktree, red in a clean checkout: "
	for name, of := range map[string]struct {
		check string
		work  func(y *yard, slot string)
		says  string
	}{
		"git ignores it": {
			"test -e gen/api.txt", func(y *yard, slot string) { y.put(slot, "gen/api.txt", "x\n") },
			both + "gen/api.txt is not in the commit (git ignores it)\n",
		},
		"only this repository ignores it": {"test -e local.txt", func(y *yard, slot string) {
			y.put(y.root, ".git/info/exclude", "local.txt\n")
			y.put(slot, "local.txt", "x\n")
		}, both + "local.txt is not in the commit (git ignores it)\n"},
		"an empty folder": {
			"test -d data", func(y *yard, slot string) { y.must(os.Mkdir(filepath.Join(slot, "data"), 0o755)) },
			both + "data/ is an empty folder, and git keeps none\n",
		},
		"a submodule": {
			"grep -q 2 vendor/lib/l.py", func(y *yard, slot string) { y.put(slot, "vendor/lib/l.py", "2\n") },
			both + "vendor/lib/l.py was changed but is not in the commit (submodule)\n",
		},
		"nothing": {"test ! -e " + "$HOME/once && touch $HOME/once", func(*yard, string) {}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			y := newYard(t, map[string]string{".gitignore": "gen/\n"})
			lib := filepath.Join(t.TempDir(), "lib")
			y.git("init", "-q", "-b", "main", lib)
			y.put(lib, "l.py", "1\n")
			y.git("-C", lib, "add", "-A")
			y.git("-C", lib, "commit", "-qm", "lib")
			y.git("-C", y.root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", lib, "vendor/lib")
			y.git("-C", y.root, "commit", "-qm", "with lib")
			y.feature("one", own(of.check))
			base := y.head()
			y.prepared(1, "one", base)
			y.put(y.slot(1), "a.txt", "work\n")
			of.work(y, y.slot(1))
			tree := y.gated(run.Green, 1, "one", base).Tree
			ev := y.integrated(run.Red, 1, "one", base, tree)
			if of.says != "" && !strings.HasPrefix(ev.Failure, of.says+`check "`) {
				t.Errorf("it says %q", ev.Failure)
			}
			if of.says == "" && !strings.HasPrefix(ev.Failure, `check "`) {
				t.Errorf("it names something: %q", ev.Failure)
			}
		})
	}
}
