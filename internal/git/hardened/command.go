package hardened

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"kedge"
	"kedge/internal/process"
	"kedge/internal/text/plain"
)

// overrides are the settings that every call has, in the repository and in
// the scratch git dir alike. Values may not depend on the repository.
var overrides = []string{
	"core.fsmonitor=false",
	"core.hooksPath=/dev/null",
	"core.pager=cat",
	"core.editor=false",
	"sequence.editor=false",
	"core.askPass=",
	"core.sshCommand=false",
	"core.gitProxy=",
	"core.alternateRefsCommand=false",
	"core.attributesFile=/dev/null",
	"core.fsync=all",
	"core.fsyncMethod=batch",
	"core.splitIndex=false",
	"core.untrackedCache=false",
	"core.trustctime=true",
	"core.checkStat=default",
	"core.filesRefLockTimeout=0", // we wait ourselves
	"core.packedRefsTimeout=0",
	"core.safecrlf=false",
	"core.quotePath=true",
	"index.sparse=false",
	"credential.helper=",
	"commit.gpgSign=false",
	"tag.gpgSign=false",
	"gpg.program=false",
	"log.showSignature=false",
	"diff.external=",
	"diff.ignoreSubmodules=none",
	"interactive.diffFilter=",
	"protocol.allow=never",
	"protocol.ext.allow=never",
	"fetch.recurseSubmodules=false",
	"submodule.recurse=false",
	"gc.auto=0",
	"maintenance.auto=false",
	"i18n.commitEncoding=UTF-8",
	"worktree.guessRemote=false",
}

// passed are the variables taken over from the outside; everything else that
// git sees is named in environment.
var passed = []string{"PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR"}

// userConfig are the variables that say where the user's own configuration is;
// only the call that reads it sees them.
var userConfig = []string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"}

// Call is one execution of git.
type Call struct {
	Dir   string   // where it runs; empty is the worktree, or the git dir
	Env   []string // added to the environment
	Conf  []string // added to overrides
	Stdin []byte
	Args  []string
	Mode  Mode
	Magic bool // for a command that refuses literal pathspecs; it gets "./" names
}

// Mode says whose configuration a call sees.
type Mode int

// The modes.
const (
	inRepository Mode = iota // the repository's, hardened
	InScratch                // our own: Env names the scratch git dir
	readingUser              // the user's and the repository's; only for `git config`
)

// failure is git's own refusal.
type failure struct {
	name   string
	exit   int
	stderr string
}

func (f *failure) Error() string {
	msg := plain.Line(firstLine(f.stderr))
	if msg == "" {
		msg = fmt.Sprintf("exit %d", f.exit)
	}
	return fmt.Sprintf("git %s: %s", f.name, msg)
}

// ExitCode is git's exit code behind err; 0 when there was no such failure.
func ExitCode(err error) int {
	if f, ok := errors.AsType[*failure](err); ok {
		return f.exit
	}
	return 0
}

// StderrHas tells whether git's complaint contains one of the texts.
func StderrHas(err error, texts ...string) bool {
	f, ok := errors.AsType[*failure](err)
	return ok && slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(f.stderr, s) })
}

// Do runs one command in the repository, waiting for lock files.
func (g *Git) Do(ctx context.Context, args ...string) ([]byte, error) {
	return g.Run(ctx, Call{Args: args})
}

// once runs git a single time.
func (g *Git) once(ctx context.Context, c Call) ([]byte, error) {
	args := []string{"--no-pager", "--literal-pathspecs"}
	for _, kv := range append(append(overrides[:len(overrides):len(overrides)], g.safe...), c.Conf...) {
		args = append(args, "-c", kv)
	}
	if c.Magic {
		args = slices.DeleteFunc(args, func(a string) bool { return a == "--literal-pathspecs" })
	}
	if c.Mode == readingUser {
		args = nil
	}
	if c.Dir == "" {
		c.Dir = g.workDir()
	}
	if c.Mode != InScratch {
		if err := g.astray(c.Dir); err != nil {
			return nil, err
		}
	}
	cmd := exec.CommandContext(ctx, "git", append(args, c.Args...)...)
	cmd.Dir = c.Dir
	cmd.Env, cmd.ExtraFiles = g.environment(c), held(ctx)
	cmd.Stdin = bytes.NewReader(c.Stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	// A git that is asked to end takes its lock files away; a killed one does not.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Run(); err != nil {
		if ee, ok := errors.AsType[*exec.ExitError](err); ok && ee.ExitCode() < 0 {
			g.opt.memory.killed.Add(1)
		}
		return stdout.Bytes(), g.explain(ctx, c, err, stderr.String())
	}
	return stdout.Bytes(), nil
}

func (g *Git) workDir() string {
	if g.root != "" {
		return g.root
	}
	return g.gitDir
}

func (g *Git) explain(ctx context.Context, c Call, err error, stderr string) error {
	if ctx.Err() != nil {
		return kedge.Errorf(kedge.Interrupted, "git %s was interrupted: %w", c.Args[0], ctx.Err())
	}
	if errors.Is(err, exec.ErrNotFound) {
		return kedge.Errorf(kedge.NotFound, "git is not installed").WithHint("install git 2.38 or newer")
	}
	if ee, ok := errors.AsType[*exec.ExitError](err); ok {
		fail := &failure{name: c.Args[0], exit: ee.ExitCode(), stderr: stderr}
		if fail.exit == 129 { // an option that it does not know
			return kedge.Errorf(kedge.Invalid, "this git is too old: %w", fail).WithHint("install git 2.38 or newer")
		}
		return kedge.Errorf(kedge.Internal, "%w", fail)
	}
	return kedge.Errorf(kedge.Internal, "git %s could not run in %q: %w", c.Args[0], c.Dir, err)
}

// environment is built from nothing, so that no variable of ours or of an agent
// leads git anywhere.
func (g *Git) environment(c Call) []string {
	names := passed
	env := []string{
		"LANG=C", "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_ATTR_NOSYSTEM=1",
		"GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1", "GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE=/dev/null",
		"GIT_EDITOR=false", "GIT_ASKPASS=", "SSH_ASKPASS=", "GIT_PAGER=cat",
		"GIT_COMMITTER_NAME=" + Kedge.Name, "GIT_COMMITTER_EMAIL=" + Kedge.Email,
		"GIT_AUTHOR_NAME=" + Kedge.Name, "GIT_AUTHOR_EMAIL=" + Kedge.Email,
	}
	if c.Mode == readingUser {
		names = append(userConfig[:len(userConfig):len(userConfig)], passed...)
	} else {
		env = append(env, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null")
	}
	if g.gitDir != "" && c.Mode == inRepository {
		env = append(env, "GIT_DIR="+g.gitDir)
		if g.root != "" {
			env = append(env, "GIT_WORK_TREE="+g.root)
		}
	}
	for _, name := range names {
		if v, ok := process.LookupEnv(g.opt.Env, name); ok {
			env = append(env, name+"="+v)
		}
	}
	return append(env, c.Env...)
}

func firstLine(s string) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "warning:") && !strings.HasPrefix(line, "hint:") {
			return line
		}
	}
	return strings.TrimSpace(s)
}

// Fields splits the output of a -z command.
func Fields(out []byte) []string {
	s := strings.TrimSuffix(string(out), "\x00")
	if s == "" {
		return nil
	}
	return strings.Split(s, "\x00")
}
