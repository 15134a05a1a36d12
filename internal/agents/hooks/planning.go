package hooks

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// Planning is what is denied while an agent plans.
const Planning = "This session plans: it may read, and change nothing. Show the plan first."

// Denied tells whether a tool may not run: the agent plans, and the tool is not
// known to only read. Agents hold this themselves, except where a host or a rule
// of the user's allows more.
func (ev Input) Denied() bool {
	if ev.Mode != "plan" || slices.Contains(reading(), ev.Tool) || ev.writesPlan() {
		return false
	}
	line := ev.Line()
	return line == "" || !readsOnly(line)
}

// writesPlan tells of a plan that is written where the agent keeps its plans, by one
// of the tools that write the one file they name.
func (ev Input) writesPlan() bool {
	if !slices.Contains([]string{"Write", "Edit", "MultiEdit", "write", "edit"}, ev.Tool) || ev.Line() != "" {
		return false
	}
	var in struct {
		Path string `json:"file_path"`
		File string `json:"filePath"`
	}
	if json.Unmarshal(ev.Input, &in) != nil || (in.Path == "") == (in.File == "") {
		return false // an agent has one of them
	}
	file := path.Clean(cmp.Or(in.Path, in.File))
	dir := path.Dir(file) + "/"
	return path.IsAbs(file) && strings.HasSuffix(file, ".md") &&
		slices.ContainsFunc(ev.Agent.PlanFolders, func(f string) bool { return strings.Contains(dir, f) })
}

// reading are tools that change nothing.
func reading() []string {
	return []string{
		"Read", "Grep", "Glob", "LS", "WebFetch", "WebSearch", "ToolSearch", "NotebookRead", "TodoWrite", "TaskCreate", "TaskGet", "TaskList",
		"TaskUpdate", "TaskOutput", "Agent", "Task", "AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "BashOutput", "update_plan", "view_image",
		"read", "grep", "glob", "list", "webfetch", "websearch", "codesearch", "todowrite", "todoread", "task", "question", "skill", "lsp", "plan_exit", "plan_enter", // of OpenCode
	}
}

// readsOnly tells of a command line that every program in it is known to only
// read. What is not plain is taken to write.
func readsOnly(line string) bool {
	all, plain := commands(line)
	return plain && !slices.ContainsFunc(all, func(words []word) bool { return len(words) == 0 || !readsOnlyWords(words) })
}

func readsOnlyWords(words []word) bool {
	args := words[1:]
	switch words[0].text {
	case "ls", "cat", "head", "tail", "wc", "grep", "egrep", "fgrep", "pwd", "which", "stat", "du", "df", "echo", "true", "cd", "cut", "tr", "nl", "diff", "cmp", "basename", "dirname", "realpath", "readlink", "jq":
		return true
	case "file":
		return !anyOf(args, "C", "--c")
	case "find":
		return !anyOf(args, "", "-exec", "-ok", "-delete", "-fprint", "-fls")
	case "rg":
		return !anyOf(args, "", "--pre", "--hostname-bin")
	case "sort":
		return !anyOf(args, "o", "--o", "--co")
	case "git":
		return len(args) > 0 && gitReadsOnly(args[0].text, args[1:])
	default:
		return false
	}
}

// gitReadsOnly is the same of a command of git, which takes long options shortened.
func gitReadsOnly(command string, args []word) bool {
	short := ""
	if command == "grep" {
		short = "O"
	}
	return slices.Contains([]string{"status", "log", "diff", "show", "blame", "ls-files", "rev-parse", "grep", "describe", "shortlog"}, command) &&
		!anyOf(args, short, "--ou", "-O", "--op", "--ext", "--textc")
}

// anyOf tells whether an argument begins with one of these, has one of the letters
// among its short options, or cannot be told.
func anyOf(args []word, letters string, prefixes ...string) bool {
	return slices.ContainsFunc(args, func(w word) bool {
		shorts := strings.HasPrefix(w.text, "-") && !strings.HasPrefix(w.text, "--")
		return w.open || shorts && strings.ContainsAny(w.text, letters) ||
			slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(w.text, p) })
	})
}
