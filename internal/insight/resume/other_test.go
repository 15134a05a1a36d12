package resume_test

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"kedge/internal/insight/audit"
	"kedge/internal/insight/resume"
	"kedge/internal/testkit/measure"
)

// dress gives a session another shape: how its entries look, and what a file's name
// in a brief of it stands for in the session itself.
type dress struct {
	dir  string
	wear func(audit.Entry) []audit.Entry
	bare func(path string) string
}

// dressed measures briefs of a session in another shape.
type dressed struct {
	*resume.Picker
	dress
}

func (d dressed) Add(e *audit.Entry) {
	for _, x := range d.wear(*e) {
		d.Picker.Add(&x)
	}
}

func (d dressed) Look() ([]string, int) {
	out := d.Brief(d.dir, resume.DefaultBudget)
	list := make([]string, len(out.Files))
	for i, path := range out.Files {
		list[i] = d.bare(path)
	}
	return list, out.Tokens
}

// renamed gives every text of a session other words for some.
func renamed(dir string, there, back *strings.Replacer) dress {
	return dress{
		dir: there.Replace(dir),
		wear: func(e audit.Entry) []audit.Entry {
			e.Text, e.Path, e.Command = there.Replace(e.Text), there.Replace(e.Path), there.Replace(e.Command)
			return []audit.Entry{e}
		},
		bare: back.Replace,
	}
}

// windows gives whole paths the form of that system; texts name them in both.
func windows(dir string) dress {
	const drive = `C:\Users\me\shop`
	path := func(s string) string {
		if rest, ok := strings.CutPrefix(s, dir+"/"); ok {
			return drive + `\` + strings.ReplaceAll(rest, "/", `\`)
		}
		return s
	}
	return dress{
		dir: drive,
		wear: func(e audit.Entry) []audit.Entry {
			e.Path = path(e.Path)
			e.Text, e.Command = strings.ReplaceAll(e.Text, dir+"/", drive+`\`), strings.ReplaceAll(e.Command, dir+"/", drive+`\`)
			return []audit.Entry{e}
		},
		bare: func(s string) string {
			if rest, ok := strings.CutPrefix(s, drive+`\`); ok {
				return dir + "/" + strings.ReplaceAll(rest, `\`, "/")
			}
			return s
		},
	}
}

// codex has files read by commands and changed by patches, under names below its
// folder.
func codex(dir string) dress {
	rel := func(s string) string { return strings.TrimPrefix(s, dir+"/") }
	return dress{
		dir: dir,
		wear: func(e audit.Entry) []audit.Entry {
			if e.Kind != audit.ToolCall {
				return []audit.Entry{e}
			}
			switch e.Act {
			case audit.Read:
				e.Tool, e.Act, e.Command, e.Path = "exec_command", audit.Shell, `bash -lc sed -n '1,200p' "`+rel(e.Path)+`"`, ""
			case audit.Edit:
				e.Tool, e.Path = "apply_patch", rel(e.Path)
				e.Text = "*** Begin Patch\n*** Update File: " + e.Path + "\n@@\n-a\n+b\n*** End Patch"
			case audit.Shell:
				e.Tool, e.Command = "exec_command", "bash -lc "+e.Command
			case audit.Other:
			}
			return []audit.Entry{e}
		},
		bare: func(s string) string {
			if s == "" || strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~") {
				return s
			}
			return dir + "/" + s
		},
	}
}

// mixed names every other call's file below the folder of the session.
func mixed(dir string) dress {
	n := 0
	return dress{
		dir: dir,
		wear: func(e audit.Entry) []audit.Entry {
			if e.Path != "" {
				if n++; n%2 == 0 {
					e.Path = strings.TrimPrefix(e.Path, dir+"/")
				}
			}
			return []audit.Entry{e}
		},
		bare: codex(dir).bare,
	}
}

// asIs changes nothing.
func asIs(dir string) dress {
	return dress{dir: dir, wear: func(e audit.Entry) []audit.Entry { return []audit.Entry{e} }, bare: func(s string) string { return s }}
}

// after gives the entries from the nth part on: a transcript whose beginning is gone.
func after(entries []audit.Entry, part, of int) []audit.Entry { return entries[len(entries)*part/of:] }

// joined gives two sessions as one.
func joined(a, b []audit.Entry) []audit.Entry {
	list := slices.Clone(a)
	last := 0
	if len(a) > 0 {
		last = a[len(a)-1].Line
	}
	for _, e := range b {
		e.Line += last
		list = append(list, e)
	}
	return list
}

// TestCorpusInOtherShapes: the measure does not hang on the form of the sessions at hand:
// other systems, languages, programs, names with blanks. They are the same 16 sessions
// each time, renamed, cut and joined, by whose figures files are ordered: they say
// nothing of how sessions fare that nobody saw.
func TestCorpusInOtherShapes(t *testing.T) {
	list := realSessions(t)
	replace := func(pairs ...string) func(string) dress {
		back := slices.Clone(pairs)
		slices.Reverse(back)
		return func(dir string) dress {
			return renamed(dir, strings.NewReplacer(pairs...), strings.NewReplacer(back...))
		}
	}
	for _, c := range []struct {
		name  string
		dress func(dir string) dress
		take  func(i int) []audit.Entry
		least float64 // in ten; 0 is what real sessions must reach
	}{
		{"as they are", asIs, nil, 0},
		{"Python", replace(".go", ".py", "_test", "_spec"), nil, 0},
		{"TypeScript", replace(".go", ".tsx", "_test", ".spec"), nil, 0},
		{"folders with blanks", replace("/Users/", "/Users/My Name/Work Items/"), nil, 0},
		{"names with blanks", replace("manual_commit", "manual commit", "_test.go", " test.go", "/Users/", "/My Users/"), nil, 0},
		{"Windows", windows, nil, 0},
		{"Codex", codex, nil, 0},
		{"names below the folder and whole ones", mixed, nil, 0},
		{"without their first third", asIs, func(i int) []audit.Entry { return after(list[i].entries, 1, 3) }, 0},
		{"joined with the one before", asIs, func(i int) []audit.Entry {
			return joined(list[(i+len(list)-1)%len(list)].entries, list[i].entries)
		}, 0},
		{"joined with the three before", asIs, func(i int) []audit.Entry {
			var all []audit.Entry
			for back := 3; back >= 0; back-- {
				all = joined(all, list[(i+len(list)-back)%len(list)].entries)
			}
			return all
		}, 0.93}, // much of what it knows is of other work
	} {
		t.Run(c.name, func(t *testing.T) {
			var all, recency measure.Sum
			for i, s := range list {
				entries := s.entries
				if c.take != nil {
					entries = c.take(i)
				}
				cuts := measure.Random(entries, 30, uint64(4200+i))
				all.Add(measure.Session(entries, cuts, dressed{resume.New(), c.dress(s.dir)})...)
				recency.Add(measure.Session(entries, cuts, measure.NewRecency())...)
			}
			ten, twenty := all.Shares()
			old, _ := recency.Shares()
			t.Logf("%d cuts, %d files: %.2f%% in ten, %.2f%% in twenty, at most %d tokens; hard: %d of %d in ten, %d of %d in twenty; recency %.2f%% in ten", all.Cuts, all.Needed, ten*100, twenty*100, all.MostTokens,
				all.HardTen, all.HardNeeded, all.HardTwenty, all.HardNeeded20, old*100)
			if ten < cmp.Or(c.least, 0.97) || ten < old || twenty < 0.99 || all.MostTokens > resume.DefaultBudget {
				t.Errorf("%.2f%% in ten, %.2f%% in twenty, %d tokens", ten*100, twenty*100, all.MostTokens)
			}
		})
	}
}

// shapes is a small session, so that the shapes are tried without the real ones too.
func shapes() []audit.Entry {
	const dir = "/Users/me/shop"
	var list []audit.Entry
	call := func(act audit.Act, tool, path, command string) {
		in, _ := json.Marshal(map[string]string{"file_path": path, "command": command}) // strings
		list = append(list, audit.Entry{Kind: audit.ToolCall, Tool: tool, Act: act, Path: path, Command: command, Text: string(in)})
	}
	list = append(list, audit.Entry{Kind: audit.UserText, Text: "make the totals in cart/total.go right, see docs/notes.md"})
	for _, f := range []string{"a.go", "b.go", "c.go", "d.go"} {
		call(audit.Read, "Read", dir+"/old/"+f, "")
	}
	call(audit.Read, "Read", dir+"/docs/notes.md", "")
	call(audit.Read, "Read", dir+"/cart/total.go", "")
	call(audit.Edit, "Edit", dir+"/cart/total.go", "")
	call(audit.Read, "Read", dir+"/cart/total_test.go", "")
	call(audit.Edit, "Edit", dir+"/cart/total_test.go", "")
	call(audit.Shell, "Bash", "", "go test "+dir+"/cart/total_test.go")
	for i := range list {
		list[i].Line = i + 1
	}
	return list
}

// TestShapes: a session in any shape gives the same files in the first places.
func TestShapes(t *testing.T) {
	const dir = "/Users/me/shop"
	for name, make := range map[string]func(string) dress{
		"as it is": asIs, "Windows": windows, "Codex": codex, "mixed": mixed,
		"blanks": func(dir string) dress {
			return renamed(dir, strings.NewReplacer("/Users/", "/My Users/", "total_test", "total test"), strings.NewReplacer("/My Users/", "/Users/", "total test", "total_test"))
		},
	} {
		r := dressed{resume.New(), make(dir)}
		for _, e := range shapes() {
			r.Add(&e)
		}
		files, _ := r.Look()
		if len(files) != 7 {
			t.Errorf("%s: %d files: %q", name, len(files), files)
			continue
		}
		got := slices.Sorted(slices.Values(files[:3]))
		if want := []string{dir + "/cart/total.go", dir + "/cart/total_test.go", dir + "/docs/notes.md"}; !slices.Equal(got, want) {
			t.Errorf("%s: first are %q", name, files)
		}
	}
}
