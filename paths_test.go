package kedge_test

import (
	"testing"

	"kedge"
)

func TestWhosePathItIs(t *testing.T) {
	for p, want := range map[string]struct{ own, generated, user, temporary bool }{
		".kedge":                        {own: true},
		".kedge/":                       {own: true},
		"./.kedge":                      {own: true},
		".kedge/x":                      {own: true},
		".kedge//x":                     {own: true},
		"./.kedge/./x":                  {own: true},
		"src/../.kedge/x":               {own: true},
		".kedge/id":                     {own: true},
		".kedge/.kedge-tmp-1":           {own: true, generated: true, temporary: true},
		".kedge/notes/.kedge-tmp-1":     {own: true, generated: true, temporary: true},
		".kedge/.kedge-tmp-1/x":         {own: true},
		".kedge/features.json":          {own: true, generated: true},
		"./.kedge/features.json":        {own: true, generated: true},
		".kedge/features.json.orig":     {own: true},
		".kedge/plan.md":                {own: true, generated: true},
		".kedge/risks.md":               {own: true, generated: true},
		".kedge/progress.md":            {own: true, generated: true},
		".kedge/checkpoint.md":          {own: true, generated: true},
		".kedge/handoff.md":             {own: true, generated: true},
		".kedge/decisions":              {own: true, generated: true},
		".kedge/decisions/1-strict.md":  {own: true, generated: true},
		".kedge/decisionsX":             {own: true},
		".kedge/notes/a/b.md":           {own: true, generated: true},
		"AGENT_CONTEXT.md":              {own: true, generated: true},
		".kedge/config.toml":            {own: true, user: true},
		".kedge/gate.toml":              {own: true, user: true},
		".kedge/rules.md":               {own: true, user: true},
		".kedge/validate":               {own: true, user: true},
		".kedge/.gitignore":             {own: true, user: true},
		".kedge/skills/review/SKILL.md": {own: true, user: true},
		".kedge/Config.toml":            {own: true},
		".kedgeX":                       {},
		".kedge.toml":                   {},
		".kedge-tmp-1":                  {},
		"kedge/x":                       {},
		".Kedge/gate.toml":              {},
		".KEDGE":                        {},
		"a/.kedge/x":                    {},
		"a/AGENT_CONTEXT.md":            {},
		"agent_context.md":              {},
		".kedge/../src/x":               {},
		"../.kedge/x":                   {},
		"/.kedge/x":                     {},
		"":                              {},
		".":                             {},
	} {
		if kedge.IsOwnPath(p) != want.own || kedge.IsGenerated(p) != want.generated || kedge.IsUserFile(p) != want.user || kedge.IsTemporary(p) != want.temporary {
			t.Errorf("%q: own %v, generated %v, user's %v; want %+v", p, kedge.IsOwnPath(p), kedge.IsGenerated(p), kedge.IsUserFile(p), want)
		}
	}
}
