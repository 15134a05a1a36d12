package maintenance

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"kedge"
	"kedge/internal/app/projects"
	"kedge/internal/core/unit"
)

// LingerFindings is what the doctor says about a daemon that systemd starts: it
// ends with the user's last log-out unless the user lingers. Without the unit of
// `up --install` there is nothing to say. Tells is what `loginctl` says; an
// error means that nobody knows.
func LingerFindings(in unit.Input, tells func(user string) (string, error)) []kedge.Finding {
	u, err := unit.For(in)
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
			Level: kedge.LevelInfo, Where: u.Path, What: "it is not known whether the daemon stays after you log out",
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

// Linger asks loginctl for LingerFindings.
func Linger(ctx context.Context) func(user string) (string, error) {
	return func(user string) (string, error) {
		out, err := exec.CommandContext(ctx, "loginctl", "show-user", "--property=Linger", "--value", "--", user).Output()
		return string(out), err
	}
}

// checkLinger is LingerFindings for this process's own user and system.
func (s *Maintenance) checkLinger(ctx context.Context, _ *projects.Project) []kedge.Finding {
	in := unit.Input{
		System: runtime.GOOS, User: os.Getenv("USER"), Home: os.Getenv("HOME"), Config: os.Getenv("XDG_CONFIG_HOME"), Binary: "/kedge",
	}
	if os.Getenv("KEDGE_HOME") != "" || os.Getenv("XDG_STATE_HOME") != "" {
		in.State = s.home.Dir
	}
	return LingerFindings(in, Linger(ctx))
}
