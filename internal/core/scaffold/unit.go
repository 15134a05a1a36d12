package scaffold

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"
	"unicode/utf8"

	"kedge"
)

// UnitMark is in every file that this package makes, so that it is known again.
const UnitMark = "Written by Kedge for its daemon"

// UnitInput is what a unit depends on.
type UnitInput struct {
	System string // as runtime.GOOS calls it
	User   string // whose daemon it is
	Home   string // HOME
	Config string // XDG_CONFIG_HOME; may be empty
	Binary string // absolute path of kedge
	State  string // KEDGE_HOME; empty: the usual place
}

// Unit is the file to make and what to run then.
type Unit struct {
	Name string   // as the system's own commands call it
	Path string   // where the file belongs
	Text string   // what is in it
	Run  []string // commands for a person, in order
}

// UnitFor makes the unit for a system; Invalid for one that has neither systemd nor
// launchd.
func UnitFor(in UnitInput) (Unit, error) {
	switch {
	case !path.IsAbs(in.Home):
		return Unit{}, kedge.Errorf(kedge.Invalid, "Kedge cannot install the daemon as a service: HOME is %q, not an absolute path", in.Home).WithHint("export HOME=/absolute/path/of/your/home")
	case !path.IsAbs(in.Binary):
		return Unit{}, kedge.Errorf(kedge.Invalid, "Kedge cannot install the daemon as a service: the path of the kedge program is %q, not an absolute path", in.Binary)
	case strings.ContainsAny(in.Binary+in.State, "\x00\n\r"):
		return Unit{}, kedge.Errorf(kedge.Invalid, "Kedge cannot install the daemon as a service: the path of its program or of its state folder has a line break").WithHint("move the program, or set KEDGE_HOME to a folder without a line break in its path")
	}
	switch in.System {
	case "linux":
		return systemd(in), nil
	case "darwin":
		return launchd(in), nil
	default:
		return Unit{}, kedge.Errorf(kedge.Invalid, "Kedge cannot install the daemon as a service on %s", in.System).WithHint("start it yourself: kedge up")
	}
}

// suffix tells the daemons of several state folders apart.
func (in UnitInput) suffix(separator string) string {
	if in.State == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(in.State))
	return separator + hex.EncodeToString(sum[:4])
}

// systemd: KillMode=process leaves the holders, and with them every session,
// when the daemon is stopped or restarted. Exit code 4 means that another daemon
// serves the folder; trying again would not help.
func systemd(in UnitInput) Unit {
	u := Unit{Name: "kedge" + in.suffix("-") + ".service"}
	config := in.Config
	if !path.IsAbs(config) {
		config = path.Join(in.Home, ".config")
	}
	u.Path = path.Join(config, "systemd", "user", u.Name)
	environment := ""
	if in.State != "" {
		environment = "Environment=" + quoteSystemd("KEDGE_HOME="+in.State) + "\n"
	}
	u.Text = "# " + UnitMark + "; without this line the file is yours, and Kedge leaves it alone.\n" +
		"[Unit]\nDescription=Kedge daemon: keeps sessions and long work alive\n\n" +
		"[Service]\nType=exec\nExecStart=" + quoteSystemd(in.Binary) + " up --foreground\n" + environment +
		"KillMode=process\nRestart=on-failure\nRestartPreventExitStatus=4\n\n" +
		"[Install]\nWantedBy=default.target\n"
	u.Run = []string{
		"kedge down",
		"systemctl --user daemon-reload",
		"systemctl --user enable --now " + u.Name,
		"loginctl enable-linger " + in.User,
	}
	return u
}

// quoteSystemd quotes one word; specifiers begin with a percent sign. Variables
// are replaced neither in the path of a program nor in an assignment.
func quoteSystemd(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%").Replace(s) + `"`
}

// launchd: AbandonProcessGroup is its word for leaving the holders.
func launchd(in UnitInput) Unit {
	u := Unit{Name: "dev.kedge.daemon" + in.suffix(".")}
	u.Path = path.Join(in.Home, "Library", "LaunchAgents", u.Name+".plist")
	environment := ""
	if in.State != "" {
		environment = "\t<key>EnvironmentVariables</key>\n\t<dict>\n\t\t<key>KEDGE_HOME</key>\n\t\t" + text(in.State) + "\n\t</dict>\n"
	}
	u.Text = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- ` + UnitMark + ` -->
<plist version="1.0">
<dict>
	<key>Label</key>
	` + text(u.Name) + `
	<key>ProgramArguments</key>
	<array>
		` + text(in.Binary) + `
		<string>up</string>
		<string>--foreground</string>
	</array>
` + environment + `	<key>RunAtLoad</key>
	<true/>
	<key>KeepAlive</key>
	<dict>
		<key>SuccessfulExit</key>
		<false/>
	</dict>
	<key>AbandonProcessGroup</key>
	<true/>
</dict>
</plist>
`
	u.Run = []string{
		"kedge down",
		"launchctl bootstrap gui/$(id -u) " + shellQuote(u.Path),
	}
	return u
}

func text(s string) string {
	return "<string>" + escaped(s) + "</string>"
}

// escaped is s as XML text. What XML has no way to say, control characters and
// broken UTF-8, becomes U+FFFD. (encoding/xml would do, at a cost that every
// command pays when it starts.)
func escaped(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff {
			return utf8.RuneError
		}
		return r
	}, s)
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;", "\t", "&#x9;", "\n", "&#xA;", "\r", "&#xD;").Replace(s)
}

func shellQuote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
