package execute_test

import (
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"kedge"
	"kedge/internal/core/run"
)

// pythonProject has a dependency that is in no commit and a service on a port.
var pythonProject = map[string]string{
	".gitignore":         "deps/\nwho.txt\n",
	".kedge/config.toml": "version = 1\n[worktree]\nsetup = \"mkdir -p deps && cp vendored.py deps/greet.py && pwd > who.txt\"\ninputs = [\"vendored.py\"]\n",
	".kedge/gate.toml": "version = 1\n[[check]]\nname = \"e2e\"\nkind = \"e2e\"\nrun = \"python3 ask.py\"\n" +
		"[[service]]\nname = \"web\"\nrun = \"PYTHONPATH=deps exec python3 serve.py\"\nready = \"tcp://127.0.0.1:{port}\"\ntimeout = \"5m\"\n",
	"vendored.py": "def greet(name):\n    return 'hello ' + name\n",
	"serve.py": "import http.server, os\nimport greet\n" +
		"class H(http.server.BaseHTTPRequestHandler):\n" +
		"    def do_GET(self):\n        self.send_response(200)\n        self.end_headers()\n        self.wfile.write(greet.greet(open('who.txt').read()).encode())\n" +
		"http.server.HTTPServer(('127.0.0.1', int(os.environ['KEDGE_PORT'])), H).serve_forever()\n",
	"ask.py": "import os, urllib.request\n" +
		"got = urllib.request.urlopen('http://127.0.0.1:' + os.environ['KEDGE_PORT']).read().decode()\n" +
		"assert got == 'hello ' + open('who.txt').read(), got\n",
}

// TestEightAtOnce: eight jobs with a service each, at the same time: every check
// meets the server of its own worktree.
func TestEightAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("eight whole jobs: not in a short run")
	}
	if _, err := osexec.LookPath("python3"); err != nil {
		t.Skip("no python3 on this machine")
	}
	y := newYard(t, pythonProject)
	base := y.head()
	const jobs = 8
	var commands [jobs][2]run.Command
	for i := range jobs {
		id := kedge.FeatureID(fmt.Sprintf("f%d", i+1))
		y.feature(id, own("test -e "+string(id)+".txt"))
		commands[i][0] = y.command(run.Prepare, i+1, run.Command{Feature: id, Base: base})
		commands[i][1] = y.command(run.Gate, i+1, run.Command{Feature: id, Base: base, Scope: "touched"})
	}
	var trees [jobs]string
	var wg sync.WaitGroup
	for i := range jobs {
		wg.Go(func() { trees[i] = y.work(i+1, commands[i]) })
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	tip := base
	for i, tree := range trees {
		id := kedge.FeatureID(fmt.Sprintf("f%d", i+1))
		in := y.integrated(run.Green, i+1, id, tip, tree)
		tip = y.want(run.OK, y.command(run.Commit, i+1, run.Command{Feature: id, Base: tip, Tree: in.Tree, Evidence: in.Evidence})).Commit
	}
	if n := y.git("-C", y.root, "rev-list", "--count", base+".."+tip); n != "8" {
		t.Errorf("%s commits of eight features", n)
	}
	files := y.git("-C", y.root, "ls-tree", "--name-only", tip)
	for i := range jobs {
		if !strings.Contains(files, fmt.Sprintf("f%d.txt", i+1)) {
			t.Errorf("the work of f%d is lost:\n%s", i+1, files)
		}
	}
}

// work is what an agent does between prepare and gate; it gives the gated tree.
func (y *yard) work(job int, c [2]run.Command) string {
	ev, err := y.x.Do(y.t.Context(), c[0], func(run.Input) {})
	if err != nil || ev.Outcome != run.OK {
		y.t.Errorf("job %d: prepared %+v, %v", job, ev, err)
		return ""
	}
	j, err := y.cfg.Slots.Job(runID, job)
	if err != nil {
		y.t.Error(err)
		return ""
	}
	if err := os.WriteFile(filepath.Join(y.slot(j.Slot), fmt.Sprintf("f%d.txt", job)), []byte("done\n"), 0o600); err != nil {
		y.t.Error(err)
	}
	ev, err = y.x.Do(y.t.Context(), c[1], func(run.Input) {})
	if err != nil || ev.Outcome != run.Green {
		y.t.Errorf("job %d: gated %+v, %v", job, ev, err)
	}
	return ev.Tree
}
