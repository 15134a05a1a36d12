package sessions

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"kedge/internal/cli/frame"
)

// inPager shows a text in the user's pager where it is longer than the terminal, and goes to
// the line that the text names; 0 is its beginning. Without a terminal, or without a pager,
// the text is printed from that line.
func inPager(env *frame.Env, text func(w io.Writer) (at int)) error {
	var all bytes.Buffer
	into, at := *env, 0
	into.RawOut = &all
	if err := into.Show(nil, func(w io.Writer) { at = text(w) }); err != nil {
		return err
	}
	out := env.RawOut
	if out == nil {
		out = env.Out
	}
	screen, isFile := out.(*os.File)
	pager := pagerOf(env)
	if _, rows := env.Size(); env.Term == nil || !isFile || pager == "" || bytes.Count(all.Bytes(), []byte("\n")) < rows {
		_, err := out.Write(fromLine(all.Bytes(), at))
		return err
	}
	return runPager(env, screen, pager, all.Bytes(), at)
}

// pagerOf is the command line of the pager; empty where there is none.
func pagerOf(env *frame.Env) string {
	pager := strings.TrimSpace(env.Getenv("PAGER"))
	if pager == "" {
		pager = "less"
	}
	program := strings.Fields(pager)[0]
	if program == "cat" || env.Look == nil || !env.Look(program) {
		return ""
	}
	return pager
}

// fromLine leaves out what stands above a line.
func fromLine(text []byte, line int) []byte {
	for ; line > 1; line-- {
		_, rest, ok := bytes.Cut(text, []byte("\n"))
		if !ok {
			return text
		}
		text = rest
	}
	return text
}

// runPager gives a text to the pager. less is told to show colours and at which line to
// begin; any other gets the text from there.
func runPager(env *frame.Env, screen *os.File, pager string, text []byte, at int) error {
	if filepath.Base(strings.Fields(pager)[0]) == "less" {
		if at > 1 {
			pager += " +" + strconv.Itoa(at)
		}
	} else {
		text = fromLine(text, at)
	}
	cmd := exec.Command("/bin/sh", "-c", pager) //nolint:gosec,noctx // the user's own command line; its end is theirs to choose
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = env.Environ, bytes.NewReader(text), screen, env.RawErr
	if env.Getenv("LESS") == "" {
		cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], "LESS=FRX")
	}
	code, err := frame.RunForwarding(cmd, true)
	if err == nil && code == 127 { // the shell found no such program
		_, err = screen.Write(text)
	}
	return err
}
