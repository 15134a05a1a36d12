// Package scaffold owns what `kedge init` adds to a project: the files under .kedge/ and
// the few lines in files that belong to the user. It promises that text of the user
// stays, byte for byte, that adding twice is adding once, and that exactly what was added
// can be removed again. It also owns the systemd and launchd text that starts the daemon.
// It is pure: texts come in and go out; it reads and writes nothing.
package scaffold

import (
	"bytes"
	_ "embed" // the texts
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"kedge"
	"kedge/internal/core/check"
)

// The files under .kedge/ that init writes when they are missing.
const (
	ConfigFile   = kedge.ConfigFile
	GateFile     = kedge.GateFile
	RulesFile    = kedge.RulesFile
	FeaturesFile = kedge.FeaturesFile
	ProgressFile = kedge.ProgressFile
	ValidateFile = kedge.ValidateFile
	IgnoreFile   = kedge.IgnoreFile
)

// ignoreText keeps what a killed Kedge leaves behind, until the next one sweeps
// it up, out of every commit.
const ignoreText = ".kedge-tmp-*\n"

//go:embed template/config.toml
var configText string

//go:embed template/gate.toml
var gateText string

//go:embed template/gate-more.toml
var gateMore string

//go:embed template/rules.md
var rulesText string

//go:embed template/validate
var validateText string

// Input is what the texts depend on.
type Input struct {
	Agent    string          // for unattended work; empty leaves it open
	Agents   []string        // that it can be
	Protect  []string        // patterns of files that an agent may not touch
	Checks   []kedge.Check   // the project's own, for gate.toml
	Services []kedge.Service // likewise
	Left     Left            // what is proposed and not switched on
	Setup    string          // of fresh worktrees; empty: none
	Features []byte          // features.json as the journal has it
	Progress []byte          // progress.md likewise
}

// File is a file of Kedge's own: written whole, and only when it is missing.
type File struct {
	Path string
	Perm fs.FileMode
	Text string
}

// Files gives Kedge's own files.
func Files(in Input) []File {
	return []File{
		{ConfigFile, 0o644, configFile(in)},
		{FeaturesFile, 0o644, string(in.Features)},
		{GateFile, 0o644, Gate(in.Checks, in.Services, in.Left)},
		{ProgressFile, 0o644, string(in.Progress)},
		{RulesFile, 0o644, rulesText},
		{ValidateFile, 0o755, validateText},
		{IgnoreFile, 0o644, ignoreText},
	}
}

// configFile lists the agents and what is protected, and names the one for unattended work, if there is one, in a
// table that is otherwise an example.
func configFile(in Input) string {
	protected := make([]string, len(in.Protect))
	for i, pattern := range in.Protect {
		protected[i] = quote(pattern)
	}
	text := strings.NewReplacer("AGENTS", strings.Join(in.Agents, ", "), "PROTECTED", strings.Join(protected, ", ")).Replace(configText)
	text = in.worktree(text)
	if in.Agent == "" {
		return text
	}
	return strings.Replace(text, "# [run]\n# agent = \"claude\"                  #",
		fmt.Sprintf("[run]\n%-35s #", "agent = "+quote(in.Agent)), 1)
}

// Gate writes gate.toml with the given checks and services, and what is left out.
func Gate(checks []kedge.Check, services []kedge.Service, left Left) string {
	return withKinds(gateText) + Tables(checks, services) + left.tables() + withKinds(gateMore)
}

// Tables writes checks and services as gate.toml has them.
func Tables(checks []kedge.Check, services []kedge.Service) string {
	var b strings.Builder
	for _, c := range checks {
		fmt.Fprintf(&b, "\n[[check]]\nname = %s\nkind = %s\n%s", quote(c.Name), quote(string(c.Kind)), form(c))
	}
	for _, v := range services {
		fmt.Fprintf(&b, "\n[[service]]\nname = %s\nrun = %s\n", quote(v.Name), quote(v.Run))
		if v.Ready != "" {
			fmt.Fprintf(&b, "ready = %s\n", quote(v.Ready))
		}
	}
	return b.String()
}

// form is what a check does.
func form(c kedge.Check) string {
	switch {
	case c.HTTP != nil:
		return fmt.Sprintf("http = { url = %s, status = %d }\n", quote(c.HTTP.URL), c.HTTP.Status)
	case c.TCP != "":
		return "tcp = " + quote(c.TCP) + "\n"
	default:
		return "run = " + quote(c.Run) + "\n"
	}
}

// withKinds fills in the kinds of check, and those that need the project's services.
func withKinds(text string) string {
	all := check.KindNames()
	served := slices.DeleteFunc(slices.Clone(all), func(k kedge.CheckKind) bool { return !check.Named(k).Services })
	return strings.NewReplacer("{kinds}", check.Comma(all), "{served}", check.Comma(served)).Replace(text)
}

// quote makes a TOML basic string. JSON's escapes are among TOML's; DEL alone
// may stand bare in the one and not in the other.
func quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\x7f", `\u007f`)
}
