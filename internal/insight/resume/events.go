package resume

import (
	"encoding/json"
	"strings"

	"kedge/internal/core/watch"
	"kedge/internal/insight/audit"
	"kedge/internal/text/redact"
	"kedge/internal/text/words"
)

// Event takes one thing that a session did, as its adapter told it: the same as
// Add, where there is no transcript. Paths below dir, the folder that it works in,
// are kept without it. Events have no lines, so nothing of them names one.
func (p *Picker) Event(ev watch.Act, dir string) {
	p.WorksIn(dir)
	switch ev.Kind {
	case watch.Say, watch.Ask, watch.Question:
		p.Add(&audit.Entry{Kind: audit.AssistantText, Text: ev.Text})
	case watch.Step:
		p.entries++
		p.step.recorded = cut(redact.Text(ev.Text), maxItem)
	case watch.Call:
		p.Add(entryOf(ev, dir))
		if actOf(ev.Tool) == audit.Edit {
			for _, path := range ev.Paths {
				p.alsoEdits(below(dir, path))
			}
		}
	case watch.Result:
		p.Add(&audit.Entry{Kind: audit.ToolResult, Call: ev.ID, Text: ev.Output, Failed: ev.Failed})
	default:
	}
}

// alsoEdits takes a further file of the call that was taken last.
func (p *Picker) alsoEdits(path string) {
	if f := p.files.byKey[slashed(path)]; f == nil || f.lastAt[actEdit] < p.n {
		p.touch(path, actEdit)
	}
}

// entryOf is a call as a transcript would have it.
func entryOf(ev watch.Act, dir string) *audit.Entry {
	e := &audit.Entry{Kind: audit.ToolCall, Call: ev.ID, Tool: ev.Tool, Act: actOf(ev.Tool), Text: ev.Input}
	var in struct {
		FilePath     string          `json:"file_path"`
		AbsolutePath string          `json:"absolute_path"`
		Path         string          `json:"path"`
		CamelPath    string          `json:"filePath"`
		Notebook     string          `json:"notebook_path"`
		Command      json.RawMessage `json:"command"`
	}
	bare := json.Unmarshal([]byte(ev.Input), &in) != nil // a text of its own, or cut off
	switch e.Act {
	case audit.Read, audit.Edit:
		e.Path = firstOf(in.FilePath, in.AbsolutePath, in.Path, in.CamelPath, in.Notebook)
		if len(ev.Paths) > 0 {
			e.Path = ev.Paths[0]
		}
		if first, _, _ := strings.Cut(ev.Input, "\n"); e.Path == "" && bare && words.NamesFile(first) {
			e.Path = first
		}
		e.Path = below(dir, e.Path)
	case audit.Shell:
		if e.Command = lineOf(in.Command); bare {
			e.Command = ev.Input
		}
	case audit.Other:
	}
	return e
}

// lineOf gives a command: a line, or a list of words.
func lineOf(raw json.RawMessage) string {
	var line string
	var list []string
	_ = json.Unmarshal(raw, &line) // of another form: not a line
	if line == "" && json.Unmarshal(raw, &list) == nil {
		line = strings.Join(list, " ")
	}
	return line
}

func firstOf(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}

// actOf tells what a tool does by its name, of all programs.
func actOf(tool string) audit.Act {
	switch strings.ToLower(tool) {
	case "read", "read_file", "view":
		return audit.Read
	case "edit", "write", "multiedit", "notebookedit", "write_file", "replace", "create", "str_replace", "patch", "apply_patch":
		return audit.Edit
	case "bash", "shell", "run_shell_command", "exec_command", "shell_command", "local_shell":
		return audit.Shell
	default:
		return audit.Other
	}
}
