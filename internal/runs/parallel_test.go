package runs_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/run"
	"kedge/internal/service"
)

// eight runs eight features at once and looks at what is left afterwards.
func eight(t *testing.T, files map[string]string, script, config, check string) {
	t.Helper()
	w := newWorld(t, files, script, config)
	for i := range 8 {
		id := fmt.Sprintf("f%d", i)
		w.feature(id, strings.ReplaceAll(check, "ID", id))
	}
	v := w.run(service.RunFlags{Parallel: 8})
	if v.State != run.StatusDone || v.Features.Completed != 8 {
		t.Fatalf("%s (%s): %+v\n%s", v.State, v.Reason, v.Features, w.story())
	}
	if got := strings.Fields(w.git("log", "--format=%(trailers:key=Kedge-Feature,valueonly)")); len(got) != 8 {
		t.Errorf("work commits for %v", got)
	}
	if left := w.worktrees(); len(left) != 0 {
		t.Errorf("worktrees are left: %v", left)
	}
	for _, s := range w.sessions() {
		if s.Live() {
			t.Errorf("session %s is left", s.ID)
		}
	}
}

func TestRow20EightAtOnceWithNode(t *testing.T) {
	need(t, "node")
	eight(t, map[string]string{
		".gitignore": "node_modules/\n",
		"server.js":  "const h=require('http');h.createServer((q,r)=>r.end('slot '+process.env.KEDGE_PORT)).listen(process.env.KEDGE_PORT,'127.0.0.1')\n",
		".kedge/gate.toml": `version = 1
[[check]]
name = "unit"
kind = "test"
run = "node -e \"require('dep')\""
[[service]]
name = "web"
run = "node server.js"
ready = "http://127.0.0.1:{port}/"
timeout = "5m"
[[check]]
name = "port"
kind = "http"
timeout = "5m"
http = { url = "http://127.0.0.1:{port}/", status = 200 }
`,
	}, `[{"do":[{"do":"run","line":"node -e \"require('dep')\"","must":true},{"do":"write","path":"{{feature}}.js","text":"exports.x=1\n"}]}]`,
		"[worktree]\nsetup = \"mkdir -p node_modules/dep && echo 'exports.x=1' > node_modules/dep/index.js\"\n", "test -f ID.js")
}

func TestRow20EightAtOnceWithPython(t *testing.T) {
	need(t, "python3")
	eight(t, map[string]string{
		".gitignore":       ".deps/\n__pycache__/\n",
		".kedge/gate.toml": "version = 1\n[[check]]\nname = \"unit\"\nkind = \"test\"\nrun = \"PYTHONPATH=.deps python3 -c 'import dep'\"\n",
	}, `[{"do":[{"do":"run","line":"PYTHONPATH=.deps python3 -c 'import dep'","must":true},{"do":"write","path":"{{feature}}.py","text":"x = 1\n"}]}]`,
		"[worktree]\nsetup = \"mkdir -p .deps && echo 'x = 1' > .deps/dep.py\"\n", "test -f ID.py")
}

func need(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("there is no %s on this machine", program)
	}
}

func TestConflictBetweenFeaturesIsRepaired(t *testing.T) {
	w := newWorld(t, map[string]string{"shared.txt": "0\n"}, `[{"purpose":"repair","do":[{"do":"write","path":"shared.txt","text":"both\n"},{"do":"write","path":"{{feature}}.txt","text":"ok\n"}]},
		{"do":[{"do":"write","path":"shared.txt","text":"{{feature}}\n"},{"do":"write","path":"{{feature}}.txt","text":"ok\n"}]}]`, "")
	w.feature("a", "test -f a.txt")
	w.feature("b", "test -f b.txt")
	w.want(w.run(service.RunFlags{Parallel: 2}), run.StatusDone, "", "a:completed b:completed")
	for _, id := range []kedge.FeatureID{"a", "b"} {
		if f := w.of(string(id)); f.Evidence == nil {
			t.Errorf("%s has no evidence", id)
		}
	}
}
