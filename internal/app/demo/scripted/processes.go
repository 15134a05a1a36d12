package scripted

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func (p *player) run(ctx context.Context, a Action) *end {
	cmd := p.shell(ctx, a.Line)
	out, err := cmd.CombinedOutput()
	if e := p.called("Bash", a.Line, nil, string(out), err != nil); e != nil {
		return e
	}
	if err != nil && a.Must {
		return &end{1}
	}
	return nil
}

func (p *player) shell(ctx context.Context, line string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", line)
	cmd.Dir = p.w.Dir
	return cmd
}

// background leaves a process behind: of a session of its own, and without a
// parent.
func (p *player) background(_ context.Context, a Action) *end {
	redirect := "</dev/null >/dev/null 2>&1"
	if a.Loud {
		redirect = "</dev/null"
	}
	cmd := p.shell(context.Background(), "( "+a.Line+" ) "+redirect+" &")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if a.Loud {
		cmd.Stdout, cmd.Stderr = p.w.Out, p.w.Err
	}
	err := cmd.Run()
	return p.called("Bash", a.Line+" &", nil, "", err != nil)
}

// serve leaves a server behind. The port is bound before the agent goes on, so
// that it answers from then on.
func (p *player) serve(_ context.Context, a Action) *end {
	input := "serve " + strconv.Itoa(a.Port)
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:"+strconv.Itoa(a.Port))
	if err != nil {
		return p.called("Bash", input, nil, err.Error(), true)
	}
	defer func() { _ = l.Close() }() // the server has its own
	if err := p.leaveServer(l.(*net.TCPListener)); err != nil {
		return p.called("Bash", input, nil, err.Error(), true)
	}
	if a.Path != "" {
		_, port, _ := net.SplitHostPort(l.Addr().String())
		return p.put("Write", a.Path, port+"\n", port)
	}
	return p.called("Bash", input, nil, "serving", false)
}

func (p *player) leaveServer(l *net.TCPListener) error {
	f, err := l.File()
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	cmd := exec.CommandContext(context.Background(), p.w.Program[0], slices.Concat(p.w.Program[1:], []string{serveFlag})...)
	cmd.ExtraFiles = []*os.File{f}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}

// commit does what an agent may think that it may do: commit on its own, and put
// a branch of the user's there.
func (p *player) commit(ctx context.Context, a Action) *end {
	line := "git add -A && git -c user.name=agent -c user.email=agent@example.com commit -q --allow-empty -m " + quote(a.Text)
	if a.Branch != "" {
		line += " && git update-ref " + quote("refs/heads/"+a.Branch) + " HEAD"
	}
	return p.run(ctx, Action{Line: line})
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// pollEvery is how often wait looks.
const pollEvery = 10 * time.Millisecond

func (p *player) wait(ctx context.Context, a Action) *end {
	t := time.NewTicker(pollEvery)
	defer t.Stop()
	for {
		if _, err := os.Lstat(p.file(a.Path)); err == nil {
			return nil
		}
		select {
		case <-t.C:
		case <-ctx.Done():
			return &end{130}
		}
	}
}

func (p *player) pause(ctx context.Context, a Action) *end {
	d, _ := time.ParseDuration(a.For) // checked by Parse
	return idle(ctx, d)
}

func idle(ctx context.Context, d time.Duration) *end {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return &end{130}
	}
}

// ever is longer than any session.
const ever = 10 * 365 * 24 * time.Hour

func (p *player) hang(ctx context.Context, _ Action) *end { return idle(ctx, ever) }

func (p *player) spin(ctx context.Context, _ Action) *end {
	sum := bytes.Repeat([]byte{1}, 4096)
	for ctx.Err() == nil {
		for i := range sum {
			sum[i] = sum[i]*31 + byte(i)
		}
	}
	return &end{130}
}

func (p *player) ignoreSignals(context.Context, Action) *end {
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM)
	return nil
}

// crashSignals are those that a script can name.
var crashSignals = map[string]syscall.Signal{
	"KILL": syscall.SIGKILL, "TERM": syscall.SIGTERM, "SEGV": syscall.SIGSEGV, "ABRT": syscall.SIGABRT,
}

func (p *player) crash(ctx context.Context, a Action) *end {
	sig, ok := crashSignals[a.Signal]
	if !ok {
		return &end{max(a.Code, 1)}
	}
	signal.Reset(sig)
	_ = syscall.Kill(os.Getpid(), sig) // to ourselves
	return p.hang(ctx, a)
}
