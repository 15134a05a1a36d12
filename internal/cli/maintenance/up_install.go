package maintenance

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"kedge"
	"kedge/internal/cli/frame"
	"kedge/internal/core/scaffold"
	"kedge/internal/process/atomicfile"
)

// installReply is `up --install --json`.
type installReply struct {
	File    string   `json:"file"`
	Written bool     `json:"written"` // false: it was there as it should be, or was only shown
	Text    string   `json:"text"`
	Run     []string `json:"run"`
}

// installUnit writes the unit that starts the daemon, or only shows it. It runs
// nothing: what is told to the system is a person's to say.
func installUnit(env *frame.Env, printed bool) error {
	u, err := unitOf(env)
	if err != nil {
		return err
	}
	r := installReply{File: u.Path, Text: u.Text, Run: u.Run}
	if printed {
		return env.Show(r, func(w io.Writer) { fmt.Fprintf(w, "%s", u.Text) })
	}
	if r.Written, err = writeUnit(u); err != nil {
		return err
	}
	return env.Show(r, func(w io.Writer) {
		if r.Written {
			fmt.Fprintf(w, "wrote %s\nnow run these commands in this order (sessions keep running):\n", u.Path)
		} else {
			fmt.Fprintf(w, "%s exists already; to use it, run these commands in this order:\n", u.Path)
		}
		for _, line := range u.Run {
			fmt.Fprintf(w, "  %s\n", line)
		}
	})
}

func unitOf(env *frame.Env) (scaffold.Unit, error) {
	exe, err := os.Executable()
	if err != nil {
		return scaffold.Unit{}, kedge.Errorf(kedge.Internal, "Kedge cannot find out where its own program file is: %w", err)
	}
	in := scaffold.UnitInput{
		System: runtime.GOOS, Home: env.Getenv("HOME"), Config: env.Getenv("XDG_CONFIG_HOME"), Binary: exe, User: env.Getenv("USER"),
	}
	if in.User == "" {
		in.User = env.Getenv("LOGNAME")
	}
	if env.Getenv("KEDGE_HOME") != "" || env.Getenv("XDG_STATE_HOME") != "" {
		in.State = env.Home
	}
	return scaffold.UnitFor(in)
}

// writeUnit writes the file, unless it is there. One that somebody else made is
// left alone.
func writeUnit(u scaffold.Unit) (written bool, err error) {
	old, err := os.ReadFile(u.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return false, kedge.Errorf(kedge.Invalid, "cannot read %q: %w", u.Path, err)
	case string(old) == u.Text:
		return false, nil
	case !strings.Contains(string(old), scaffold.UnitMark):
		return false, kedge.Errorf(kedge.Conflict, "%q exists, and Kedge did not write it", u.Path).WithHint("see what Kedge would write: kedge up --install --print")
	}
	if err := os.MkdirAll(filepath.Dir(u.Path), 0o755); err != nil {
		return false, kedge.Errorf(kedge.Invalid, "cannot make the folder of %q: %w", u.Path, err)
	}
	return true, atomicfile.Write(u.Path, []byte(u.Text), 0o644)
}
