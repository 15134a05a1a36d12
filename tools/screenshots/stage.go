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
	c := exec.Command("go", "build", "-o", s.path("kedge"), "./cmd/kedge")
	c.Stderr = os.Stderr
	return c.Run()
}

// command is a call of Kedge in a folder, with a state folder of its own, in UTC and
// without the prices and settings of whoever makes the pictures.
func (s stage) command(home, dir string, args ...string) *exec.Cmd {
	c := exec.Command(s.path("kedge"), args...)
	c.Dir = s.path(dir)
	c.Env = append(os.Environ(), "KEDGE_HOME="+s.path(home), "KEDGE_PROJECT=", "XDG_CONFIG_HOME="+s.path("config"), "CLAUDE_CONFIG_DIR="+s.path("claude"), "TZ=UTC", "TERM=xterm-256color")
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

// demo plays kedge demo, and watches its run at terminals of several sizes: sessions of
// Kedge's own, whose output is kept. It gives what each of them showed, and the demo's story.
func (s stage) demo(at ...size) (watched map[size]string, story string, err error) {
	var out bytes.Buffer
	demo := s.command("demo-home", "p", "demo", "--features", features, "--dir", s.path("d"))
	demo.Stdout, demo.Stderr = &out, &out
	if err := demo.Start(); err != nil {
		return nil, "", err
	}
	watched, watchErr := s.watch(at)
	if err := demo.Wait(); err != nil {
		return nil, "", fmt.Errorf("kedge demo: %w: %s", err, out.String())
	}
	return watched, out.String(), watchErr
}

// watch starts kedge run in sessions as soon as the demo has a run, and gives what each of
// them printed until the run was over.
func (s stage) watch(at []size) (map[size]string, error) {
	if err := s.until(func() bool {
		b, err := s.command("d/state", "d/shop", "status", "--json").Output()
		return err == nil && bytes.Contains(b, []byte(`"id": "run-`))
	}); err != nil {
		return nil, fmt.Errorf("the demo has no run: %w", err)
	}
	for _, size := range at {
		if err := s.begin("watch-"+size.String(), size, "d/state", "d/shop", "", "run"); err != nil {
			return nil, err
		}
	}
	watched := map[size]string{}
	for _, size := range at {
		live, err := s.kedge("logs", "watch-"+size.String(), "--raw", "--follow")
		if err != nil {
			return nil, err
		}
		watched[size] = live
	}
	return watched, nil
}

// begin calls Kedge in a session: at a person's terminal of a size, in a folder and with a
// state folder. The session is no agent, so it says nothing about itself.
func (s stage) begin(name string, at size, home, dir, setting string, args ...string) error {
	_, err := s.kedge("new", name, "--", "sh", "-c", fmt.Sprintf("stty cols %d rows %d; unset KEDGE_SESSION KEDGE_TOKEN; cd %s; exec env %s KEDGE_HOME=%s %s %s",
		at.cols, at.rows, s.path(dir), setting, s.path(home), s.path("kedge"), strings.Join(args, " ")))
	return err
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
