package cli

import (
	"github.com/spf13/cobra"

	"kedge/internal/cli/frame"
	"kedge/internal/cli/ledger"
	"kedge/internal/cli/maintenance"
	"kedge/internal/cli/runs"
	"kedge/internal/cli/sessions"
	"kedge/internal/cli/usage"
)

// area is a titled group of commands in the help.
type area struct {
	id, title string
	commands  []maker
}

// maker makes one command. The name stands here too, so that a call of one
// command does not have to make them all: that would take longer than the rest
// of its start.
type maker struct {
	name string
	make func(*frame.Env) *cobra.Command
}

// areas is the whole command line, in the order of the help.
var areas = []area{
	{"start", "Set up:", []maker{{"init", maintenance.Init}, {"hooks", maintenance.Hooks}, {"up", maintenance.Up}, {"down", maintenance.Down}}},
	{"sessions", "Sessions:", []maker{
		{"new", sessions.New},
		{"ls", sessions.Ls},
		{"show", sessions.Show},
		{"attach", sessions.Attach},
		{"send", sessions.Send},
		{"logs", sessions.Logs},
		{"kill", sessions.Kill},
		{"rename", sessions.Rename},
		{"pin", sessions.Pin},
		{"unpin", sessions.Unpin},
		{"resume", sessions.Resume},
		{"fresh", sessions.Fresh},
		{"onlimit", sessions.OnLimit},
		{"search", sessions.Search},
		{"export", sessions.Export},
	}},
	{"drive", "Runs:", []maker{
		{"run", runs.Run}, {"tell", runs.Tell}, {"answer", runs.Answer}, {"approve", runs.Approve}, {"deny", runs.Deny}, {"land", runs.Land}, {"explain", runs.Explain}, {"demo", runs.Demo},
	}},
	{"ledger", "Features and plans:", []maker{
		{"next", ledger.Next}, {"ready", ledger.Ready}, {"features", ledger.Features}, {"feature", ledger.Feature}, {"plan", runs.Plan},
	}},
	{"memory", "Memory:", []maker{
		{"decide", ledger.Decide}, {"risk", ledger.Risk}, {"remember", ledger.Remember}, {"recall", ledger.Recall}, {"notes", ledger.Notes}, {"rules", ledger.Rules},
	}},
	{"place", "Where the work stands:", []maker{
		{"status", ledger.Status}, {"prime", ledger.Prime}, {"checkpoint", ledger.Checkpoint}, {"handoff", ledger.Handoff},
	}},
	{"look", "History, cost and figures:", []maker{{"audit", usage.Audit}, {"history", sessions.History}, {"brief", sessions.Brief}, {"cost", usage.Cost}, {"forecast", runs.Forecast}, {"hygiene", usage.Hygiene}, {"stats", usage.Stats}, {"statusline", usage.Statusline}}},
	{"checks", "Checks:", []maker{{"gate", ledger.Gate}, {"exec", ledger.Exec}}},
	{"agents", "For agents:", []maker{{"mcp", maintenance.MCP}, {"operator", maintenance.Operator}}},
	{"git", "Worktrees and set-aside work:", []maker{{"salvage", maintenance.Salvage}, {"worktree", maintenance.Worktree}}},
	{"care", "Maintenance:", []maker{{"doctor", maintenance.Doctor}, {"rebuild", maintenance.Rebuild}, {"backup", maintenance.Backup}, {"restore", maintenance.Restore}, {"project", maintenance.Project}, {"version", maintenance.Version}}},
}

// addCommands adds the one command that the arguments name, or all of them
// where they name none: for help, completion, and what is misspelt.
func addCommands(root *cobra.Command, env *frame.Env) {
	only := ""
	if len(env.Args) > 0 {
		only = known(env.Args[0])
	}
	root.CompletionOptions.DisableDefaultCmd = only != ""
	for _, a := range areas {
		root.AddGroup(&cobra.Group{ID: a.id, Title: a.title})
		for _, m := range a.commands {
			if only == "" || m.name == only {
				c := m.make(env)
				c.GroupID = a.id
				root.AddCommand(c)
			}
		}
	}
}

// known gives the name back if it is a command's.
func known(name string) string {
	for _, a := range areas {
		for _, m := range a.commands {
			if m.name == name {
				return name
			}
		}
	}
	return ""
}
