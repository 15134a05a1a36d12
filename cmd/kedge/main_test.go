package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"kedge"
	"kedge/internal/process/sandbox"
	"kedge/internal/server/daemon"
)

func TestMain(m *testing.M) {
	testscript.Main(quiet{m}, map[string]func(){
		"kedge":      func() { os.Exit(run(patience)) }, // no test is about how fast a machine is
		"kedge-next": next,
		"counter":    counter,
		"flooder":    flooder,
		"oldholder":  oldHolder,
		"listen":     listen,
		"serve":      serve,
		"clock":      func() { fmt.Println(time.Now().UTC().Format("2006-01-02T15:04:05.000Z")) }, // not every date has milliseconds
	})
}

// listen is a service that accepts connections on KEDGE_PORT and says nothing.
func listen() {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", net.JoinHostPort("127.0.0.1", os.Getenv("KEDGE_PORT")))
	for err == nil {
		var c net.Conn
		if c, err = l.Accept(); err == nil {
			err = c.Close()
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// serve is a service that answers requests on KEDGE_PORT with the files of its folder.
func serve() {
	s := http.Server{Addr: net.JoinHostPort("127.0.0.1", os.Getenv("KEDGE_PORT")), Handler: http.FileServer(http.Dir(".")), ReadHeaderTimeout: time.Minute}
	fmt.Fprintln(os.Stderr, s.ListenAndServe())
	os.Exit(1)
}

// quiet runs the tests, and not the commands this binary also is, without the
// settings of whoever runs them: no git configuration, no GIT_DIR of a hook, no
// folders of XDG, no session of Kedge. KEDGE_TEST_… stays: it is meant for them.
type quiet struct{ *testing.M }

func (q quiet) Run() int {
	if err := errors.Join(quietEnvironment(), atOnce()); err != nil {
		panic(err)
	}
	return q.M.Run()
}

// atOnce makes more tests run at once than there are processors, unless somebody said how
// many: most of the time a script waits for its daemon, an agent or git.
func atOnce() error {
	flag.Parse()
	said := false
	flag.Visit(func(f *flag.Flag) { said = said || f.Name == "test.parallel" })
	if said {
		return nil
	}
	return flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0)))
}

func quietEnvironment() error {
	settings := goSettings() // before what it depends on is gone
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		theirs := strings.HasPrefix(name, "GIT_") || strings.HasPrefix(name, "XDG_") || strings.HasPrefix(name, "KEDGE_")
		if theirs && !strings.HasPrefix(name, "KEDGE_TEST_") {
			if err := os.Unsetenv(name); err != nil {
				return err
			}
		}
	}
	for name, value := range settings {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	if err := os.Setenv("GORACE", prompt); err != nil {
		return err
	}
	return os.Setenv("GIT_CONFIG_NOSYSTEM", "1")
}

// prompt keeps the race detector from making every command wait for a second
// before it ends; races are reported when they are seen.
const prompt = "atexit_sleep_ms=0"

// goSettings is what go in a script needs, whose HOME is another one, to be as
// warm and as far from the network as go is here. Without go there is none.
func goSettings() map[string]string {
	out, err := exec.CommandContext(context.Background(), "go", "env", "-json", "GOCACHE", "GOMODCACHE", "GOFLAGS", "GOPROXY").Output()
	settings := map[string]string{}
	if err != nil || json.Unmarshal(out, &settings) != nil {
		return nil
	}
	return settings
}

// TestScript runs every script: each has its own KEDGE_HOME, HOME and git
// identity, and its daemon is gone when it ends.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE") != "",
		Setup:               setup,
		Condition:           condition,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"json":  jsonHas,
			"code":  exitCode,
			"await": await,
			"edit":  edit,
			"mode":  mode,
			"doc":   docExample,
			"docs":  docPage,
		},
	})
}

// condition is what scripts may ask for beside what testscript knows: bwrap, that
// bubblewrap is here and the system lets it make a box.
func condition(cond string) (bool, error) {
	if cond != "bwrap" {
		return false, fmt.Errorf("there is no condition %q", cond)
	}
	tool, err := exec.LookPath("bwrap")
	if err != nil {
		return false, nil //nolint:nilerr // that is the answer
	}
	box := sandbox.Box{Kind: sandbox.Bwrap, Tool: tool, Dir: "/", Temp: []string{"/tmp"}}
	return box.Try(context.Background()) == nil, nil
}

func setup(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, ".home")
	state := filepath.Join(env.WorkDir, ".kedge-home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	config := "[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o600); err != nil {
		return err
	}
	for _, kv := range []string{
		"HOME=" + home, "KEDGE_HOME=" + state, "XDG_CONFIG_HOME=", "XDG_STATE_HOME=", "XDG_RUNTIME_DIR=",
		"KEDGE_SESSION=", "KEDGE_PROJECT=", "GIT_CONFIG_NOSYSTEM=1", "NO_COLOR=1", "USER=ada", "LOGNAME=ada",
		"GOCACHE=" + os.Getenv("GOCACHE"), "GOMODCACHE=" + os.Getenv("GOMODCACHE"),
		"GOFLAGS=" + os.Getenv("GOFLAGS"), "GOPROXY=" + os.Getenv("GOPROXY"), "GORACE=" + prompt,
	} {
		k, v, _ := strings.Cut(kv, "=")
		env.Setenv(k, v)
	}
	env.Defer(func() { stopDaemon(state); endSessions(env.T().(testing.TB), state) })
	return nil
}

// stopDaemon ends the script's daemon; a script that has none is fine.
func stopDaemon(home string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := daemon.Stop(ctx, home); err != nil && !kedge.NotFound.Is(err) {
		panic("a script's daemon did not stop: " + err.Error())
	}
}
