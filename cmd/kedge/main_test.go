package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"kedge"
	"kedge/internal/daemon"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"kedge":      main,
		"kedge-next": next,
		"counter":    counter,
	})
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
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"json":  jsonHas,
			"code":  exitCode,
			"await": await,
		},
	})
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
		"GOCACHE=" + os.Getenv("GOCACHE"),
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
