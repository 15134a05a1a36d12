package process

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"time"

	"kedge/internal/text/words"
)

// syntaxPatience is how long a shell may take to read a line.
const syntaxPatience = 10 * time.Second

// SyntaxError gives what the shell says about a line that it cannot parse; empty for one
// that it can, and where that cannot be found out. Nothing of the line runs.
func SyntaxError(line string) string {
	ctx, cancel := context.WithTimeout(context.Background(), syntaxPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-n", "-c", line)
	cmd.Dir, cmd.Env = "/", []string{"LC_ALL=C"}
	said, err := cmd.CombinedOutput()
	var failed *exec.ExitError
	if !errors.As(err, &failed) || failed.ExitCode() <= 0 { // no shell, or somebody ended it
		return ""
	}
	text := words.FirstLine(strings.TrimPrefix(strings.TrimSpace(string(said)), "/bin/"))
	if text == "" {
		return "sh: syntax error"
	}
	return text
}
