package wholeruns_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/app/supply"
	"kedge/internal/core/run"
)

// eight runs eight features at once and looks at what is left afterwards.
func eight(t *testing.T, files map[string]string, script, config, check string) {
	t.Helper()
	w := newWorld(t, files, script, config)
	for i := range 8 {
		id := fmt.Sprintf("f%d", i)
		w.feature(id, strings.ReplaceAll(check, "ID", id))
	}
	v := w.run(supply.Flags{Parallel: 8})
	if v.State != run.StatusDone || v.Features.Completed != 8 {
		t.Fatalf("%s (%s): %+v\n%s", v.State, v.Reason, v.Features, w.story())
	}
	if got := strings.Fields(w.git("log", "--format=%(trailers:key=Kedge-Feature,valueonly)")); len(got) != 8 {
		t.Errorf("work commits for %v", got)
	}
	if left := w.worktrees(); len(left) != 0 {
		t.Errorf("worktrees are left: %v", left)
	}
	dirs := map[string]bool{w.dir: true}
	for _, s := range w.sessions() {
		if s.Live() {
			t.Errorf("session %s is left", s.ID)
		}
		dirs[s.Dir] = true
	}
	if len(dirs) != 9 {
		t.Errorf("eight sessions at once worked in %v", dirs)
	}
}

// atOnce is an action that is over when eight sessions are there.
func atOnce(t *testing.T) string {
	t.Helper()
	return `{"do":"run","line":"cd ` + t.TempDir() + ` && touch $KEDGE_FEATURE && set -- * && until [ $# -ge 8 ]; do sleep 0.3; set -- *; done","must":true}`
}

func TestRow20EightAtOnceWithNode(t *testing.T) {
	need(t, "node")
	pids := filepath.Join(t.TempDir(), "pids")
	eight(t, map[string]string{
		".gitignore": "node_modules/\n",
		"server.js":  "require('fs').appendFileSync('" + pids + "',process.pid+'\\n');require('http').createServer((q,r)=>r.end(process.cwd())).listen(process.env.KEDGE_PORT,'127.0.0.1')\n",
		"ask.js":     "require('http').get('http://127.0.0.1:'+process.env.KEDGE_PORT,r=>{let at='';r.on('data',b=>at+=b);r.on('end',()=>process.exit(at==process.cwd()?0:1))})\n",
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
[[check]]
name = "own-port"
kind = "e2e"
run = "node ask.js"
timeout = "5m"
`,
	}, `[{"do":[`+atOnce(t)+`,{"do":"run","line":"node -e \"require('dep')\"","must":true},{"do":"write","path":"{{feature}}.js","text":"exports.x=1\n"}]}]`,
		"[worktree]\nsetup = \"mkdir -p node_modules/dep && echo 'exports.x=1' > node_modules/dep/index.js\"\n", "test -f ID.js")
	b, err := os.ReadFile(pids)
	if err != nil || len(strings.Fields(string(b))) < 8 {
		t.Fatalf("servers %q: %v", b, err)
	}
	for _, pid := range strings.Fields(string(b)) { // the number may be somebody else's by now
		if args := argsOf(pid); strings.Contains(args, "server.js") {
			t.Errorf("process %s is left: %s", pid, args)
		}
	}
}

// argsOf is the command line of a process; empty where there is none of this number.
func argsOf(pid string) string {
	if _, err := os.Stat("/proc/self/cmdline"); err == nil {
		b, _ := os.ReadFile("/proc/" + pid + "/cmdline") // that there is none is what is wanted
		return strings.ReplaceAll(string(b), "\x00", " ")
	}
	b, _ := exec.Command("ps", "-o", "args=", "-p", pid).Output()
	return string(b)
}

func TestRow20EightAtOnceWithPython(t *testing.T) {
	need(t, "python3")
	eight(t, map[string]string{
		".gitignore":       ".deps/\n__pycache__/\n",
		".kedge/gate.toml": "version = 1\n[[check]]\nname = \"unit\"\nkind = \"test\"\nrun = \"PYTHONPATH=.deps python3 -c 'import dep'\"\n",
	}, `[{"do":[`+atOnce(t)+`,{"do":"run","line":"PYTHONPATH=.deps python3 -c 'import dep'","must":true},{"do":"write","path":"{{feature}}.py","text":"x = 1\n"}]}]`,
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
	w.want(w.run(supply.Flags{Parallel: 2}), run.StatusDone, "", "a:completed b:completed")
	for _, id := range []kedge.FeatureID{"a", "b"} {
		if f := w.of(string(id)); f.Evidence == nil {
			t.Errorf("%s has no evidence", id)
		}
	}
}
