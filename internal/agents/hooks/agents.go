// Package hooks owns what Kedge and the hooks of coding agents say to each other:
// which entries stand in an agent's settings and how they get in and out, what an
// agent tells on a hook's input, and how an answer is written that it understands.
// It promises that of a settings file nothing is changed that is not Kedge's
// (names it does not know, order, comments, blanks), that putting entries in twice
// is putting them in once, and that they come out again. It is pure: texts go in
// and come out; nothing is read, written or decided by the clock.
package hooks

// Agent is a coding program with hooks, as far as Kedge uses them.
type Agent struct {
	Name    string
	entries []entry
	status  bool              // it has a status line that a command makes
	whole   func(Wish) string // the file is Kedge's alone, and this is its text; nil: entries among others'

	Replaces bool // what a tool gave can be replaced before the model sees it
	Focuses  bool // what is said before a compaction reaches whoever summarises
}

// entry is a hook that Kedge wants.
type entry struct {
	event   string
	matcher string
	timeout string
}

// Agents are those whose settings Kedge knows.
func Agents() []Agent { return []Agent{claude(), codex(), gemini(), opencode(), copilot()} }

// Find gives the agent of a name.
func Find(name string) (Agent, bool) {
	for _, a := range Agents() {
		if a.Name == name {
			return a, true
		}
	}
	return Agent{}, false
}

// How long an agent waits for Kedge, in seconds: usually, and while a gate runs.
// Kedge itself gives up before.
const (
	usual = "30"
	gated = "900"
)

// changing are the tools that the mode of planning is held against.
const changing = "Bash|Edit|MultiEdit|Write|NotebookEdit|mcp__.*"

func claude() Agent {
	return Agent{
		Name: "claude", status: true, Replaces: true, Focuses: true,
		entries: []entry{
			{"SessionStart", "", usual},
			{"PreToolUse", changing, usual},
			{"PostToolUse", "", usual},
			{"PostToolUseFailure", "", usual},
			{"PreCompact", "", usual},
			{"PostCompact", "", usual},
			{"Stop", "", gated},
			{"SessionEnd", "", usual},
		},
	}
}

func codex() Agent {
	return Agent{
		Name: "codex",
		entries: []entry{
			{"SessionStart", "", usual},
			{"PreToolUse", "", usual},
			{"PostToolUse", "", usual},
			{"PreCompact", "", usual},
			{"PostCompact", "", usual},
			{"Stop", "", gated},
		},
	}
}

func gemini() Agent {
	const inMillis = "000"
	return Agent{
		Name: "gemini",
		entries: []entry{
			{"SessionStart", "", usual + inMillis},
			{"AfterTool", "", usual + inMillis},
			{"PreCompress", "", usual + inMillis},
			{"AfterAgent", "", gated + inMillis},
			{"SessionEnd", "", usual + inMillis},
		},
	}
}
