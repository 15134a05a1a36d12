package maintenance

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/core/scaffold"
)

// LingerFindings warns if systemd ends the daemon with your last log-out, because your
// user does not linger. It gives nothing if `up --install` did not install the unit.
// Tells asks loginctl; an error means unknown.
func LingerFindings(in scaffold.UnitInput, tells func(user string) (string, error)) []kedge.Finding {
	u, err := scaffold.UnitFor(in)
	if err != nil || in.System != "linux" {
		return nil
	}
	if _, err := os.Stat(u.Path); err != nil {
		return nil
	}
	said, err := tells(in.User)
	switch {
	case err != nil:
		return []kedge.Finding{{
			Level: kedge.LevelInfo, Where: u.Path, What: "unknown whether the daemon keeps running after you log out",
			Fix: "loginctl show-user " + in.User + " --property=Linger",
		}}
	case strings.TrimSpace(said) == "yes":
		return nil
	default:
		return []kedge.Finding{{
			Level: kedge.LevelWarning, Where: u.Path, What: "the daemon ends when you log out: lingering is off",
			Fix: "loginctl enable-linger " + in.User,
		}}
	}
}

// Linger gives the function that asks loginctl, for LingerFindings.
func Linger(ctx context.Context) func(user string) (string, error) {
	return func(user string) (string, error) {
		out, err := exec.CommandContext(ctx, "loginctl", "show-user", "--property=Linger", "--value", "--", user).Output()
		return string(out), err
	}
}

// checkLinger is LingerFindings for this process's own user and system.
func (s *Maintenance) checkLinger(ctx context.Context, _ *projects.Project) []kedge.Finding {
	in := scaffold.UnitInput{
		System: runtime.GOOS, User: os.Getenv("USER"), Home: os.Getenv("HOME"), Config: os.Getenv("XDG_CONFIG_HOME"), Binary: "/kedge",
	}
	if os.Getenv("KEDGE_HOME") != "" || os.Getenv("XDG_STATE_HOME") != "" {
		in.State = s.home.Dir
	}
	return LingerFindings(in, Linger(ctx))
}
