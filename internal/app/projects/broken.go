package projects

import (
	"errors"
	"io/fs"
	"os"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/core/config"
	"kedge/internal/core/scaffold"
	"kedge/internal/text/lazyre"
)

// placed finds the file and line that an error begins with.
var placed = lazyre.New(`^([^\s:][^:]*:\d+): `)

// FindingOf makes a finding from an error. Where is used if the error names no line.
func FindingOf(where string, err error) kedge.Finding {
	f := kedge.Finding{Level: kedge.LevelError, What: err.Error(), Where: where, Fix: kedge.HintOf(err)}
	if m := placed.FindStringSubmatch(f.What); m != nil {
		f.Where, f.What = m[1], f.What[len(m[0]):]
	}
	return f
}

// BrokenSettings are the mistakes in the settings: in the user-wide config.toml, in the
// project's config.toml and gate.toml, and between the first two.
func BrokenSettings(p *Project, userFile string) []kedge.Finding {
	found := []kedge.Finding{}
	take := func(where string, err error) {
		if err != nil {
			found = append(found, FindingOf(where, err))
		}
	}
	var user, ours config.Config
	b, err := os.ReadFile(userFile)
	if err == nil {
		user, err = config.ParseConfig(userFile, b, catalog.Kinds())
	}
	if !errors.Is(err, fs.ErrNotExist) {
		take(userFile, err)
	}
	b, there, err := p.Read(scaffold.ConfigFile)
	if there && err == nil {
		ours, err = config.ParseConfig(scaffold.ConfigFile, b, catalog.Kinds())
	}
	take(scaffold.ConfigFile, err)
	if len(found) == 0 {
		_, err = config.Merge(user, ours, catalog.Kinds())
		take(scaffold.ConfigFile, err)
	}
	b, there, err = p.Read(scaffold.GateFile)
	if there && err == nil {
		_, err = parseGate(b)
	}
	take(scaffold.GateFile, err)
	return found
}
