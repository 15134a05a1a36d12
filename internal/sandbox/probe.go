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
		return kedge.Errorf(kedge.Blocked, "the sandbox %q does not work here: %s", b.Kind, reason(said.String(), err)).
			WithHint("let this system make user namespaces, or kind = \"none\" under [sandbox] in .kedge/config.toml")
	}
	return nil
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
		parts = append(parts, "confined by "+programs[b.Kind].name+": the work tree, its git dir and named folders are writable, the rest is read only")
		if b.Offline {
			parts = append(parts, "no network, beside services and e2e checks")
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
