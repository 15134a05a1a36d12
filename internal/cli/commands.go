package cli

import (
	"github.com/spf13/cobra"
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
	make func(*Env) *cobra.Command
}

// areas is the whole command line, in the order of the help.
var areas = []area{
	{"start", "Set up:", []maker{{"init", newInit}, {"hooks", newHooks}, {"up", newUp}, {"down", newDown}}},
	{"sessions", "Sessions:", []maker{
		{"new", newNew},
		{"ls", newLs},
		{"attach", newAttach},
		{"send", newSend},
		{"logs", newLogs},
		{"kill", newKill},
		{"rename", newRename},
		{"resume", newResume},
		{"search", newSearch},
		{"export", newExport},
	}},
	{"drive", "Driving:", []maker{
		{"run", newRun}, {"tell", newTell}, {"answer", newAnswer}, {"approve", newApprove}, {"deny", newDeny}, {"land", newLand}, {"explain", newExplain}, {"demo", newDemo},
	}},
	{"ledger", "The ledger:", []maker{
		{"next", newNext}, {"ready", newReady}, {"features", newFeatures}, {"feature", newFeature}, {"plan", newPlan},
	}},
	{"memory", "Memory:", []maker{
		{"decide", newDecide}, {"risk", newRisk}, {"remember", newRemember}, {"recall", newRecall}, {"notes", newNotes}, {"rules", newRules},
	}},
	{"place", "Leaving and coming back:", []maker{
		{"status", newStatus}, {"prime", newPrime}, {"checkpoint", newCheckpoint}, {"handoff", newHandoff},
	}},
	{"look", "Looking:", []maker{{"audit", newAudit}, {"brief", newBrief}, {"cost", newCost}, {"stats", newStats}}},
	{"checks", "Checks:", []maker{{"gate", newGate}, {"exec", newExec}}},
	{"agents", "For agents:", []maker{{"mcp", newMCP}}},
	{"git", "Worktrees and salvage:", []maker{{"salvage", newSalvage}, {"worktree", newWorktree}}},
	{"care", "Looking after it:", []maker{{"doctor", newDoctor}, {"rebuild", newRebuild}, {"backup", newBackup}, {"project", newProject}, {"version", newVersion}}},
}

// addCommands adds the one command that the arguments name, or all of them
// where they name none: for help, completion, and what is misspelt.
func addCommands(root *cobra.Command, env *Env) {
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
