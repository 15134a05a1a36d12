package hold

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"kedge"
)

// Start starts a holder, as the program and arguments given, and connects to it
// when its session runs. The holder is a process of its own session: it stays
// when the caller dies. A session that cannot start leaves no process behind.
func Start(ctx context.Context, holder []string, spec Spec) (*Client, error) {
	if err := spec.check(); err != nil {
		return nil, err
	}
	lock, err := lockFolder(spec.Dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = lock.Close() }() // the holder has it too
	b, err := json.Marshal(spec)
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "encode the session: %w", err)
	}
	errs, err := os.OpenFile(filepath.Join(spec.Dir, "holder.err"), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "open the holder's messages: %w", err)
	}
	defer func() { _ = errs.Close() }()                                              // the holder has it too
	cmd := exec.CommandContext(context.WithoutCancel(ctx), holder[0], holder[1:]...) // it outlives whoever starts it
	cmd.Dir, cmd.Stdin, cmd.Stderr = "/", bytes.NewReader(b), errs
	cmd.Env, cmd.ExtraFiles = holderEnv(os.Environ()), []*os.File{lockFD - 3: lock}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "open a pipe: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, kedge.Errorf(kedge.Internal, "start a holder: %w", err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "ready\n" {
		return nil, failed(cmd, spec)
	}
	go func() { _ = cmd.Wait() }() // reaps it if we live longer than it does
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readyLimit)
	defer cancel()
	return Dial(ctx, spec.Dir) // whatever ctx says: the session runs, and to give an error would be untrue
}

// readyLimit only guards against waiting for ever: a holder that said that it is
// ready answers.
const readyLimit = 2 * time.Minute

// failed says why a holder did not become ready, in its own words.
func failed(cmd *exec.Cmd, spec Spec) error {
	_ = cmd.Wait()
	b, _ := os.ReadFile(filepath.Join(spec.Dir, "holder.err"))
	var told struct {
		Kind    kedge.Kind `json:"kind"`
		Message string     `json:"message"`
	}
	if json.Unmarshal(lastLine(b), &told) == nil && told.Message != "" {
		return kedge.Errorf(told.Kind, "%s", told.Message)
	}
	why := strings.TrimSpace(string(b))
	if why == "" {
		why = cmd.ProcessState.String()
	}
	return kedge.Errorf(kedge.Internal, "the holder did not start: %s", why)
}

func lastLine(b []byte) []byte {
	lines := bytes.Split(bytes.TrimSpace(b), []byte("\n"))
	return lines[len(lines)-1]
}

// Complain writes why a holder could not start, for the one who started it.
func Complain(err error) []byte {
	b, _ := json.Marshal(map[string]string{"kind": string(kedge.KindOf(err)), "message": err.Error()}) // two strings always encode
	return append(b, '\n')
}

// holderEnv is what the holder process itself gets: nothing of the session's.
func holderEnv(environ []string) []string {
	var out []string
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		if name == "PATH" || name == "TMPDIR" || name == "GOTRACEBACK" || strings.HasPrefix(name, "KEDGE_TEST_") {
			out = append(out, kv)
		}
	}
	return out
}
