package sessions

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"kedge"
	"kedge/internal/agents"
	"kedge/internal/agents/catalog"
	"kedge/internal/core/config"
	"kedge/internal/process"
	"kedge/internal/process/hold"
)

// Installed is the program of an agent that was found, with its version.
type Installed struct {
	Name     string // of the agent
	Program  string // its path
	Version  string // empty: it does not say
	Standing agents.VersionState
	Known    agents.Versions
}

// versionLimit is how long a program may take to say its version.
const versionLimit = 20 * time.Second

// Installed asks the program of a route for its version. It gives false for an agent
// whose versions Kedge does not know, for a missing program, and for a file of the
// repository, which Kedge does not run just to ask.
func (s *Manager) Installed(ctx context.Context, cfg config.Config, route string, env []string) (Installed, bool) {
	name, _, _ := strings.Cut(route, ":")
	a, err := cfg.Agent(name)
	if err != nil {
		return Installed{}, false
	}
	got := Installed{Name: name, Known: catalog.Of(a.Kind).Versions}
	argv := a.Command
	if len(argv) == 0 {
		argv = []string{a.Kind}
	}
	if len(got.Known.Tried) == 0 || strings.Contains(argv[0], "/") && !filepath.IsAbs(argv[0]) {
		return Installed{}, false
	}
	if got.Program, err = hold.LookPath(argv[0], s.home.Dir, env); err != nil {
		return Installed{}, false
	}
	got.Version = s.versionOf(ctx, append([]string{got.Program}, argv[1:]...), env)
	got.Standing = got.Known.Judge(got.Version)
	return got, true
}

// versionOf runs a program to say its version, in a folder that holds nothing of a
// repository. All that is read is the number; nothing of it is left behind.
func (s *Manager) versionOf(ctx context.Context, argv, env []string) string {
	dir, err := os.MkdirTemp("", "kedge-version")
	if err != nil {
		return ""
	}
	defer func() { _ = os.RemoveAll(dir) }() // a name in the system's own folder for such
	log, limit := filepath.Join(dir, "said"), versionLimit
	if s.with.VersionLimit > 0 {
		limit = s.with.VersionLimit
	}
	_, err = process.Run(ctx, process.Spec{Line: "exec " + quoted(append(argv, "--version")) + " < /dev/null", Dir: dir, Env: env, Log: log, Limit: 4096, Timeout: limit})
	if err != nil {
		return ""
	}
	said, err := os.ReadFile(log)
	if err != nil {
		return ""
	}
	return agents.VersionIn(string(said))
}

// quoted makes a shell line of words.
func quoted(words []string) string {
	var out []string
	for _, w := range words {
		out = append(out, "'"+strings.ReplaceAll(w, "'", `'\''`)+"'")
	}
	return strings.Join(out, " ")
}

// Text says what Kedge knows of the version.
func (i Installed) Text() string {
	switch i.Standing {
	case agents.Tried:
		return fmt.Sprintf("agent %q has version %s, and Kedge was tested with this version", i.Name, i.Version)
	case agents.TooOld:
		return fmt.Sprintf("agent %q has version %s, and Kedge needs at least %s; in older versions, %s", i.Name, i.Version, i.Known.Oldest, i.Known.Broken)
	case agents.NeverTried:
		return fmt.Sprintf("agent %q has version %s, and Kedge was tested only with %s; some things may work differently", i.Name, i.Version, strings.Join(i.Known.Tried, ", "))
	default:
		return fmt.Sprintf("Kedge cannot find out the version of agent %q: the command \"%s --version\" does not print it", i.Name, i.Program)
	}
}

// Refuse gives an error if the version is known to be broken, else nil.
func (i Installed) Refuse() error {
	if i.Standing != agents.TooOld {
		return nil
	}
	return kedge.Errorf(kedge.Blocked, "%s", i.Text()).WithHint("%s", i.Known.Update)
}

// Finding gives the doctor's finding about the version.
func (i Installed) Finding() kedge.Finding {
	f := kedge.Finding{Level: kedge.LevelWarning, What: i.Text(), Where: i.Program}
	switch i.Standing {
	case agents.Tried:
		f.Level = kedge.LevelInfo
	case agents.TooOld:
		f.Level, f.Fix = kedge.LevelError, i.Known.Update
	default: // a warning
	}
	return f
}
