package sandbox

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
	"time"

	"kedge"
)

// probeLimit only guards against a tool that hangs.
const probeLimit = time.Minute

// Try runs nothing in the box, to see whether the system lets it be made: it may
// lack user namespaces, or forbid them.
func (b Box) Try(ctx context.Context) error {
	words := b.Prefix()
	if len(words) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	var said bytes.Buffer
	words = append(words, "/bin/sh", "-c", ":")
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	c.Dir, c.Stderr = "/", &said
	if err := c.Run(); err != nil {
		return broken(b.Kind, reason(said.String(), err))
	}
	return nil
}

// Unmade tells of a command that ended with a code and printed something whether it
// never ran, because the system does not let its box be made; then it says why. What
// the tool, or the program that sets limits, says whoever is in the box can print as
// well: it counts only where no box can be made now either.
func (b Box) Unmade(ctx context.Context, exit int, said string) error {
	if !b.saysUnmade(exit, strings.TrimSpace(said)) {
		return nil
	}
	return b.Try(ctx)
}

func (b Box) saysUnmade(exit int, said string) bool {
	head := ""
	switch {
	case exit != 0 && b.Kind == Bwrap:
		head = "bwrap: "
	case exit != 0 && b.Kind == Seatbelt:
		head = "sandbox-exec: "
	}
	if limited := "kedge limit: "; len(b.Limiter) > 0 && exit == limitFailed && strings.HasPrefix(said, limited) {
		head = limited
	}
	if head == "" || said == "" {
		return false
	}
	for line := range strings.Lines(said) {
		if !strings.HasPrefix(line, head) {
			return false
		}
	}
	return true
}

// limitFailed is the exit code of the program that sets limits when it cannot.
const limitFailed = 126

func broken(k Kind, why string) error {
	return kedge.Errorf(kedge.Blocked, "the sandbox %q does not work here: %s", k, why).
		WithHint("to work without a sandbox, set kind = \"none\" under [sandbox] in .kedge/config.toml; on Linux, you can allow user namespaces instead")
}

func reason(said string, err error) string {
	line, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	if line == "" {
		return err.Error()
	}
	return line
}

// Says tells in one line what is in force.
func (b Box) Says() string {
	var parts []string
	switch b.Kind {
	case Bwrap, Seatbelt:
		parts = append(parts, "confined by "+programs[b.Kind].name+": the worktree, its git dir and named folders are writable, the rest is read only")
		if b.Offline {
			parts = append(parts, "no network, except for services and e2e checks")
		} else {
			parts = append(parts, "with the network")
		}
	default:
		parts = append(parts, "not confined")
	}
	for _, w := range b.Limits.words() {
		if name, value, ok := strings.Cut(w, "="); ok {
			parts = append(parts, name+" at most "+value)
		}
	}
	return strings.Join(parts, "; ")
}
