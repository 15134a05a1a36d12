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

// member is a package of a room and what it does. The name "." is the room itself; a room without
// code of its own has a README.md.
type member struct{ name, does string }

// alsoPure are packages without effects in rooms that have some.
var alsoPure = []string{
	"insight/condense", "insight/failure", "insight/testguard", "insight/audit", "insight/stats", "insight/resume", "agents/hooks",
}

// rooms is the house, from the ground up. A package imports the nouns, packages of the
// rooms that its own room names, and packages that stand before it in its own room.
var rooms = []room{
	{"text", "small pure helpers for bytes and strings; they know nothing of features, runs or agents", "", true, []member{
		{"lazyre", "compiles regular expressions when they are first used"},
		{"words", "formats token counts, ages, plurals, shortened lines and short hashes; the sentences of a report, and the files that a text names"},
		{"strict", `reads JSON, and the "key: value" lines at the top of a Markdown file; refuses unknown and duplicate keys`},
		{"glob", "matches paths with patterns that may contain **"},
		{"plain", "makes untrusted text safe to show: removes escape sequences"},
		{"redact", "removes secrets from text"},
		{"page", "builds self-contained HTML pages and charts out of untrusted text"},
	}},
	{"core", "the rules of Kedge, as pure functions", "text", true, []member{
		{"check", "checks: the table of their forms and kinds, validation, display; what a shell line runs, checks, prints and writes"},
		{"config", "reads config.toml and gate.toml; holds what you set for a run; decides which agent a session gets, and why"},
		{"plan", "features and plans: parse, validate, order, lock, import, export"},
		{"memory", "decisions, risks, notes, rules, progress"},
		{"brief", "checkpoints, handoffs, and the text that a session starts with"},
		{"detect", "finds a project's own test and build commands; tells tests from source"},
		{"review", "decides by their content which files of a change wait for your approval; names other binary files; compares assertions; knows which tests a test runner runs, and what ends its run"},
		{"scaffold", "the files that `kedge init` writes, how to remove them, and the systemd or launchd unit of the daemon"},
		{"run", "decides what a run does next: Step(State, Input) (State, []Command)"},
		{"delta", "computes what one step of a run changed, so that the journal stores steps instead of whole states"},
		{"watch", "detects problems of a session: full context, repetition, no progress, spent budget, provider limit, work outside the feature"},
	}},
	{"insight", "evaluates the transcripts and outputs that sessions left", "text core", false, []member{
		{"failure", "finds the first failure in the output of a command; tells whether tests ran"},
		{"condense", "shortens a long output to the lines that matter"},
		{"testguard", "finds tests that a change weakened; combines old source with new tests, and new source with old tests"},
		{"audit", "computes what filled a context, what was repeated and what it cost"},
		{"stats", "computes interruptions, recovery time, and verified work per token and USD; holds the prices"},
		{"resume", "finds in a transcript what a fresh session needs to continue"},
		{"transcript", "reads the transcripts that agents leave on disk, in the format that each agent's profile gives"},
		{"history", "finds past conversations in the transcripts of all agents; its index is a cache without secrets"},
	}},
	{"screen", "what the screen of a terminal shows", "text", true, []member{
		{"vt", "the model of a terminal: reads what a program prints, computes the screen, writes it for another terminal"},
	}},
	{"process", "programs that Kedge starts, their terminals and their output", "text core screen", false, []member{
		{"atomicfile", "writes a file completely or not at all, even in a crash"},
		{".", "runs a shell line and ends every process that the line started; makes and stores the tokens of sessions and operators; your own terminal: size, raw mode, restore"},
		{"tape", "stores everything that a session prints, append-only; computes from it the screen of the terminal, with snapshots"},
		{"sandbox", "confines agents and checks"},
		{"output", "keeps, searches and exports the output of programs"},
		{"hold", "the holder process that keeps a session alive, its client, and the protocol between them"},
	}},
	{"git", "git repositories, through one hardened wrapper", "text process", false, []member{
		{"stored", "reads git's own files without starting git; stands in for git-lfs"},
		{"hardened", "starts git with safe settings, environment and locks; no other package may start git"},
		{"history", "reads and writes objects and refs"},
		{"checkout", "the files of a worktree, its index and its submodules"},
		{"salvage", "sets work aside and restores it"},
		{"worktree", "the worktrees of a repository and their branches"},
		{".", "a repository, with all operations of the packages above; finds the project that a folder belongs to"},
		{"slot", "the worktrees in which runs and sessions work"},
	}},
	{"journal", "the record of events on disk", "text core process", false, []member{
		{".", "the journal in SQLite: appends events, computes state from them (folds), searches"},
		{"spool", "stores events of hooks until the daemon reads them"},
	}},
	{"agents", "all that Kedge knows about each agent", "text core insight process git", false, []member{
		{"trust", "finds files in a repository that run code or steer agents"},
		{"hooks", "the messages between agents' hooks and Kedge; adds hooks to an agent's settings and removes them"},
		{".", "the interface of adapters, and the form of an agent's profile"},
		{"stream", "shared code of the adapters: splits and interprets the output of agents"},
		{"acp", "drives agents that speak the Agent Client Protocol"},
		{"claude", "Claude Code"},
		{"codex", "Codex, through its app server"},
		{"gemini", "Gemini CLI"},
		{"opencode", "OpenCode"},
		{"kilo", "Kilo, which is based on OpenCode"},
		{"qwen", "Qwen Code"},
		{"pi", "Pi"},
		{"copilot", "Copilot"},
		{"aider", "Aider"},
		{"command", "drives any program that reads a brief; the program may report with lines of the form KEDGE {json}"},
		{"catalog", "the list of all agents; the only package that names them all"},
		{"record", "reads the transcript or the kept output of a session, for any agent"},
	}},
	{"engine", "carries out runs", "text core insight process git journal agents", false, []member{
		{".", "the interfaces of engines and executors"},
		{"gate", "runs checks and services and gives verdicts; sets up worktrees"},
		{"local", "the engine in the daemon: a loop over the journal"},
		{"follow", "starts one session of an agent and follows it to its end"},
		{"strays", "finds and ends processes that a session left running; notices refs that moved while a session worked; names files of a worktree that are not in the commit; removes what checks left there"},
		{"execute", "carries out the commands of a run; one file per command"},
	}},
	{"app", "what each command does; the only room that combines the rules of core with effects", "*", false, []member{
		{"projects", "opens the projects of a KEDGE_HOME; every write of a command goes through it; starts background work"},
		{"ledger", "the state of the work in the journal, and the files under .kedge/ that show it"},
		{"features", "the feature list: show, change, import, export"},
		{"memory", "decisions, risks, notes, rules, recall"},
		{"maintenance", "doctor, backup, projects, salvage, worktrees, trust"},
		{"status", "status, drift, checkpoints, handoffs"},
		{"verify", "verdicts: `kedge gate` and `kedge feature submit`"},
		{"setup", "`kedge init`: sets Kedge up in a folder, and removes it"},
		{"sessions", "starts, finds, names, resumes and ends sessions"},
		{"landing", "compares the work of runs with your branch: what has landed, what may land"},
		{"reports", "audit, cost, stats, past conversations, the history of a commit, briefs of past sessions"},
		{"supply", "gives a run what it needs: rules, ledger, briefs, records, agents"},
		{"runs", "starts, shows and lands runs; passes your commands on to them"},
		{"planning", "plans: goals, answers, edits, approval, dropping"},
		{"attend", "watches the agents that you drive by hand, and answers their hooks"},
		{".", "joins the packages above; one method per command"},
		{"demo/scripted", "an agent that plays a script"},
		{"demo", "`kedge demo`: a whole run with the scripted agent"},
	}},
	{"server", "how other processes reach Kedge", "*", false, []member{
		{"daemon", "starts and ends the daemon; its lock and its socket"},
		{".", "the table of calls; HTTP over the socket, and its client"},
		{"hook", "the process that an agent starts for a hook"},
		{"mcp", "serves Kedge's tools to agents over the Model Context Protocol"},
	}},
	{"cli", "the command line: parses arguments and prints answers", "*", false, []member{
		{"frame", "shared by all commands: Env, calls, answers, errors, completion, figures"},
		{"sessions", "commands that start, watch, type into, end and search sessions"},
		{"usage", "commands that show where context, time and money went: audit, cost, stats and hygiene"},
		{"ledger", "commands for features, checks, decisions, notes and risks, and for the state of the work; exec"},
		{"runs", "commands for plans and runs, such as run, tell, approve and land"},
		{"maintenance", "commands for set-up, daemon, doctor, backup, projects, worktrees and salvage"},
		{".", "the root command and the table of all commands"},
	}},
	{"testkit", "helpers for tests; never linked into kedge", "*", false, []member{
		{"redacttest", "made-up secrets for tests of redaction"},
		{"gittest", "repositories for tests"},
		{"clitest", "answers the calls of commands from golden files"},
		{"sim", "simulates whole runs, with a model in place of git, agents and checks"},
		{"measure", "measures how well a brief predicts the files that are needed next"},
		{"modelserver", "a scripted model that speaks the protocols of the providers"},
		{"modelserver/serve", "the scripted model as a program, for manual tests"},
		{"agenttest", "tests that every adapter must pass"},
		{"enginetest", "tests that every engine must pass"},
		{"wholeruns", "tests of whole runs in one process"},
		{"replay", "replays the history of a git repository, each commit a feature, with honest and dishonest agents"},
	}},
}

// exceptions are the impure imports of pure packages, each with its reason.
var exceptions = map[string][]string{
	"kedge/internal/text/lazyre": {"sync"}, // compiles each pattern once
	"kedge/internal/text/redact": {"sync"}, // makes its lookup of clues once
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
