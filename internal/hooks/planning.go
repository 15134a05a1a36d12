package hooks

import (
	"slices"
	"strings"
)

// Planning is what is denied while an agent plans.
const Planning = "This session plans: it may read, and change nothing. Show the plan first."

// Denied tells whether a tool may not run: the agent plans, and the tool is not
// known to only read. Agents hold this themselves, except where a host or a rule
// of the user's allows more.
func (ev Event) Denied() bool {
	if ev.Mode != "plan" || slices.Contains(reading(), ev.Tool) {
		return false
	}
	line := ev.Line()
	return line == "" || !readsOnly(line)
}

// reading are tools that change nothing.
func reading() []string {
	return []string{
		"Read", "Grep", "Glob", "LS", "WebFetch", "WebSearch", "ToolSearch", "NotebookRead", "TodoWrite", "TaskCreate", "TaskGet", "TaskList",
		"TaskUpdate", "TaskOutput", "Agent", "Task", "AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "BashOutput", "update_plan", "view_image",
	}
}

// readsOnly tells of a command line that every program in it is known to only
// read. What is not plain is taken to write.
func readsOnly(line string) bool {
	for _, hidden := range []string{">", "`", "$(", "<(", "\n", "&>"} {
		if strings.Contains(strings.ReplaceAll(strings.ReplaceAll(line, "2>&1", ""), "2>/dev/null", ""), hidden) {
			return false
		}
	}
	line = strings.NewReplacer("&&", "\x00", "||", "\x00", ";", "\x00", "|", "\x00", "2>&1", "", "2>/dev/null", "").Replace(line)
	if strings.Contains(line, "&") {
		return false
	}
	for part := range strings.SplitSeq(line, "\x00") {
		if words := strings.Fields(part); len(words) == 0 || !readsOnlyWords(words) {
			return false
		}
	}
	return true
}

func readsOnlyWords(words []string) bool {
	bad := func(prefixes ...string) bool {
		return slices.ContainsFunc(words[1:], func(w string) bool {
			return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(w, p) })
		})
	}
	switch words[0] {
	case "ls", "cat", "head", "tail", "wc", "grep", "egrep", "fgrep", "pwd", "which", "file", "stat", "du", "df", "echo", "true", "cd", "cut", "tr", "nl", "diff", "cmp", "basename", "dirname", "realpath", "readlink", "jq":
		return true
	case "find":
		return !bad("-exec", "-ok", "-delete", "-fprint", "-fls")
	case "rg":
		return !bad("--pre")
	case "sort":
		return !bad("-o", "--o", "--compress-program")
	case "git":
		return len(words) > 1 && slices.Contains([]string{"status", "log", "diff", "show", "blame", "ls-files", "rev-parse", "grep", "describe", "shortlog"}, words[1]) &&
			!bad("--output", "-O", "--open-files", "--ext-diff", "--textconv")
	default:
		return false
	}
}
