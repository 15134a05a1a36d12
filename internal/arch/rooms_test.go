package arch

import (
	"slices"
	"strings"
)

// room is one folder of internal: what happens in it, which rooms its packages may
// import, and its packages in the order in which they may import each other.
type room struct {
	name     string
	sign     string // what happens here
	imports  string // the rooms below that it may import, besides the nouns; * is all of them
	pure     bool   // no os, net, sql, goroutines or clock
	packages []member
}

// member is a package of a room and what it does. The name "." is the room itself.
type member struct{ name, does string }

// alsoPure are packages without effects in rooms that have some.
var alsoPure = []string{
	"insight/condense", "insight/testguard", "insight/audit", "insight/stats", "insight/resume", "agents/hooks",
}

// rooms is the house, from the ground up. A package imports the nouns, packages of the
// rooms that its own room names, and packages that stand before it in its own room.
var rooms = []room{
	{"text", "small pure helpers over bytes and strings; no business words", "", true, []member{
		{".", "says what happens in this room; no code"},
		{"lazyre", "regular expressions, compiled at their first use"},
		{"words", "token counts, ages, counted nouns, cut lines, short hashes"},
		{"environ", "values out of an environment list"},
		{"strictjson", "JSON that refuses unknown and duplicate keys"},
		{"glob", "path patterns with **"},
		{"frontmatter", `"key: value" blocks at the top of a Markdown file`},
		{"plain", "untrusted text, made safe to show; removes escape sequences"},
		{"redact", "removes secrets from text"},
	}},
	{"core", "the rules: pure functions over values", "text", true, []member{
		{".", "says what happens in this room; no code"},
		{"check", "what a valid check is: the table of forms and kinds, validation, how a check is shown"},
		{"config", "config.toml and gate.toml; which agent a session gets, and why"},
		{"plan", "features and plans: parse, validate, order, freeze, import, export"},
		{"memory", "decisions, risks, notes, rules, progress"},
		{"brief", "checkpoints, handoffs, what a session reads when it starts"},
		{"detect", "finds a project's own test and build commands"},
		{"scaffold", "the files that init writes, how to remove them, and what starts the daemon"},
		{"run", "what a run does next: Step(State, Input) (State, []Command)"},
		{"watch", "signals from what a session does: pressure, circling, stall, budget, scope"},
	}},
	{"insight", "reads what sessions left", "text core", false, []member{
		{".", "says what happens in this room; no code"},
		{"condense", "the first failure, or all that matters, of a command's output"},
		{"testguard", "finds tests that a change weakened"},
		{"audit", "what filled a context, what repeated, what it cost"},
		{"stats", "interruptions, recovery, verified work per token and USD; prices"},
		{"resume", "what a fresh session needs to continue from a transcript"},
		{"transcript", "reads the transcripts that agents leave on disk, by the formats in their profiles"},
	}},
	{"process", "programs that run beside Kedge, their terminals and what they print", "text core", false, []member{
		{"atomicfile", "writes whole files that survive a crash"},
		{".", "runs a shell line and leaves nothing of it behind; the token of a session"},
		{"term", "the terminal that you sit at"},
		{"tape", "everything a session printed, append-only"},
		{"wire", "the protocol of a holder"},
		{"sandbox", "what confines agents and checks"},
		{"output", "searches, exports and keeps what programs printed"},
		{"hold", "the holder process that keeps a session alive, and its client"},
	}},
	{"git", "repositories, through one hardened wrapper", "text process", false, []member{
		{"place", "finds the project of a folder"},
		{"stored", "reads what git stores in plain files"},
		{"hardened", "starts git: settings, environment, locks; nothing else may"},
		{"history", "objects and refs"},
		{"checkout", "the files of a worktree and its index"},
		{"salvage", "work that was set aside"},
		{"worktree", "the worktrees of a repository and their branches"},
		{".", "a repository and everything that Kedge does with one"},
		{"slot", "the worktrees in which runs and sessions work"},
	}},
	{"journal", "the record on disk", "text core process", false, []member{
		{".", "the journal in SQLite: append, fold, search"},
		{"spool", "events that hooks left for the daemon"},
	}},
	{"agents", "all that Kedge knows of each agent", "text core insight process git", false, []member{
		{"trust", "finds files in a repository that run code or steer agents"},
		{"hooks", "what agents' hooks and Kedge say to each other, and how they get into settings"},
		{".", "the contract of adapters, and the profile of an agent"},
		{"stream", "what adapters' readers are made of"},
		{"acp", "drives what speaks the Agent Client Protocol"},
		{"claude", "Claude Code"},
		{"codex", "Codex, over its app server"},
		{"gemini", "Gemini CLI"},
		{"opencode", "OpenCode"},
		{"kilo", "Kilo, which grew from OpenCode"},
		{"qwen", "Qwen Code"},
		{"pi", "Pi"},
		{"copilot", "Copilot"},
		{"aider", "Aider"},
		{"command", "drives any program that reads a brief and prints KEDGE lines"},
		{"catalog", "the one list of all agents, and what follows from it"},
		{"record", "reads what a session left, from any agent"},
	}},
	{"engine", "carries runs out", "text core insight process git journal agents", false, []member{
		{".", "the contract of engines and executors"},
		{"gate", "runs checks and services, gives verdicts; sets worktrees up"},
		{"local", "the engine in the daemon: a loop over the journal"},
		{"follow", "starts one session of an agent and follows it to its end"},
		{"execute", "carries out the commands of a run, one file each"},
	}},
	{"app", "what each command does; the only place where rules meet effects", "*", false, []member{
		{"projects", "the opened projects of a KEDGE_HOME, the way of every write, background work"},
		{"ledger", "the work as the journal has it, and the files that follow it"},
		{"features", "the feature list: show, change, import, export"},
		{"memory", "decisions, risks, notes, rules, recall"},
		{"maintenance", "doctor, backup, projects, salvage, worktrees, trust"},
		{"status", "status, drift, checkpoints, handoffs"},
		{"verify", "verdicts: the gate, and submitted features"},
		{"setup", "init: puts Kedge into a folder and removes it"},
		{"sessions", "starts, finds, names, resumes and ends sessions"},
		{"landing", "how the work of runs relates to your branch"},
		{"reports", "audit, cost, stats, the story of a commit, briefs of past sessions"},
		{"supply", "what a run works with: rules, ledger, briefs, records, agents"},
		{"runs", "starts runs, passes on what you say, lands them, shows them"},
		{"planning", "plans: by goal, answers, edits, approval, drops"},
		{"attend", "answers the hooks of agents that you drive by hand"},
		{".", "one method per command, made of the parts above"},
		{"demo/scripted", "an agent that plays a script"},
		{"demo", "the whole story with the scripted agent"},
	}},
	{"server", "everything that speaks to Kedge from outside", "*", false, []member{
		{"daemon", "lock, socket and life of the daemon"},
		{".", "the table of calls; HTTP over the socket, and its client"},
		{"hook", "the process that an agent starts for a hook"},
		{"mcp", "the tools of a session over the Model Context Protocol"},
	}},
	{"cli", "arguments in, text out", "*", false, []member{
		{"frame", "what every command stands on: Env, calls, answers, errors, completion, figures"},
		{"sessions", "sessions: start, watch, speak to, end, search; what they did and cost"},
		{"ledger", "features, checks, memory, and where you left off"},
		{"runs", "plans and runs, and what you say to them"},
		{"maintenance", "set up, daemon, doctor, backup, projects, worktrees, salvage"},
		{".", "the root command and the table of all commands"},
	}},
	{"testkit", "what tests stand on; never linked into kedge", "*", false, []member{
		{".", "says what happens in this room; no code"},
		{"redacttest", "made-up secrets"},
		{"gittest", "repositories for tests"},
		{"clitest", "answers the calls of commands with goldens"},
		{"sim", "plays whole runs against a model of the world"},
		{"measure", "how well a brief foresees the next files"},
		{"modelserver", "a scripted model behind the protocols of the providers"},
		{"modelserver/serve", "that model as a program, for trials by hand"},
		{"agenttest", "the conformance suite of adapters"},
		{"enginetest", "the conformance suite of engines"},
		{"wholeruns", "stories of whole runs"},
	}},
}

// exceptions are the impure imports of pure packages, each with its reason.
var exceptions = map[string][]string{
	"kedge/internal/text/lazyre": {"sync"}, // compiles each pattern once
}

// home is the place of a package in the table.
type home struct {
	room  int // the index in rooms
	order int // the index among the room's packages
}

// homes gives the place of every package by its import path.
func homes() map[string]home {
	out := map[string]home{}
	for i, r := range rooms {
		for j, e := range r.packages {
			out[pathOf(r, e)] = home{i, j}
		}
	}
	return out
}

func pathOf(r room, e member) string {
	if e.name == "." {
		return "kedge/internal/" + r.name
	}
	return "kedge/internal/" + r.name + "/" + e.name
}

// mayEnter tells whether packages of one room may import packages of another.
func mayEnter(from, to int) bool {
	if from == to {
		return true
	}
	if to > from || rooms[to].name == "testkit" {
		return false
	}
	names := strings.Fields(rooms[from].imports)
	for _, n := range names {
		if n == "*" || n == rooms[to].name {
			return true
		}
	}
	return false
}

// refused says why a package may not import another one of this module, or "".
func refused(all map[string]home, from, to string) string {
	a, known := all[from]
	b, ours := all[to]
	switch {
	case !known || !ours:
		return ""
	case !mayEnter(a.room, b.room):
		return "room " + rooms[a.room].name + " may not import room " + rooms[b.room].name
	case a.room == b.room && b.order >= a.order:
		return "inside a room a package imports those that stand before it in the table"
	}
	return ""
}

// isPure tells whether a package may have no effects: by its room, or by itself.
func isPure(all map[string]home, path string) bool {
	h, ok := all[path]
	return ok && (rooms[h.room].pure || slices.Contains(alsoPure, strings.TrimPrefix(path, "kedge/internal/")))
}
