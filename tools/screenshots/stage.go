package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// stage is the scratch folder in which Kedge is built and works.
type stage struct{ dir string }

func (s stage) path(name string) string { return filepath.Join(s.dir, name) }

// build makes Kedge and the folder p, in which most commands are called.
func (s stage) build() error {
	if err := os.Mkdir(s.path("p"), 0o755); err != nil {
		return err
	}
	c := exec.Command("go", "build", "-trimpath", "-o", s.path("kedge"), "./cmd/kedge")
	c.Stderr = os.Stderr
	return c.Run()
}

// command is a call of Kedge in a folder, with a state folder of its own, in UTC and
// without the prices and settings of whoever makes the pictures.
func (s stage) command(home, dir string, args ...string) *exec.Cmd {
	c := exec.Command(s.path("kedge"), args...)
	c.Dir = s.path(dir)
	c.Env = append(os.Environ(), "KEDGE_HOME="+s.path(home), "KEDGE_PROJECT=", "XDG_CONFIG_HOME="+s.path("config"), "TZ=UTC", "TERM=xterm-256color")
	return c
}

// kedge calls Kedge in the folder p and gives what it printed, both streams in
// their order.
func (s stage) kedge(args ...string) (string, error) {
	out, err := s.command("home", "p", args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("kedge %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return string(out), nil
}

// features is how many features the demo works on here: enough for one to be
// verified, one to be caught and one to wait at the same time.
const features = "12"

// patience is how long a demo may take on a slow machine.
const patience = 10 * time.Minute

// demo plays kedge demo, and watches its run from a second terminal: a session of
// Kedge's own, whose output is kept. It gives the bytes of that terminal and the
// demo's story.
func (s stage) demo() (live, story string, err error) {
	var out bytes.Buffer
	demo := s.command("demo-home", "p", "demo", "--features", features, "--dir", s.path("d"))
	demo.Stdout, demo.Stderr = &out, &out
	if err := demo.Start(); err != nil {
		return "", "", err
	}
	live, watchErr := s.watch()
	if err := demo.Wait(); err != nil {
		return "", "", fmt.Errorf("kedge demo: %w: %s", err, out.String())
	}
	return live, out.String(), watchErr
}

// watch starts kedge run in a session as soon as the demo has a run, and gives what
// it printed until the run was over.
func (s stage) watch() (string, error) {
	if err := s.until(func() bool {
		b, err := s.command("d/state", "d/shop", "status", "--json").Output()
		return err == nil && bytes.Contains(b, []byte(`"id": "run-`))
	}); err != nil {
		return "", fmt.Errorf("the demo has no run: %w", err)
	}
	defer func() { _, _ = s.kedge("down") }()
	if _, err := s.kedge("new", "watch", "--", "sh", "-c", s.watcher()); err != nil {
		return "", err
	}
	live, err := s.kedge("logs", "watch", "--raw", "--follow")
	if err != nil {
		return "", err
	}
	return live, s.until(func() bool { // else its holder waits for a daemon to be told of the end
		list, err := s.kedge("ls", "--json")
		return err == nil && strings.Contains(list, `"state": "exited"`)
	})
}

// watcher is the command of the session: a person's terminal of the right size, in
// the demo's project. It is no agent, so it says nothing about a session.
func (s stage) watcher() string {
	return fmt.Sprintf("stty cols %d rows 30; unset KEDGE_SESSION KEDGE_TOKEN; cd %s; KEDGE_HOME=%s exec %s run",
		columns, s.path("d/shop"), s.path("d/state"), s.path("kedge"))
}

// until waits until something is so.
func (s stage) until(so func() bool) error {
	ask, end := time.NewTicker(200*time.Millisecond), time.After(patience)
	defer ask.Stop()
	for !so() {
		select {
		case <-ask.C:
		case <-end:
			return errors.New("not within " + patience.String())
		}
	}
	return nil
}
