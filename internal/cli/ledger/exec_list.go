package ledger

import (
	"io"
	"strconv"
	"strings"
	"time"

	"kedge"
	"kedge/internal/cli/frame"
	"kedge/internal/process/output"
)

// execList is `exec --list --json`.
type execList struct {
	Outputs []output.Record `json:"outputs"` // the newest first
}

// listExecs shows the commands whose output is kept.
func listExecs(env *frame.Env, args []string) error {
	if len(args) > 0 {
		return kedge.Errorf(kedge.Invalid, "--list takes no command: it only lists the commands that ran before").
			WithHint("to list these commands: kedge exec --list; to run the command: %s", execStep(args))
	}
	list, err := output.List(env.Home)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		env.Talk("there is no saved output; to run a command and keep its output: kedge exec -- COMMAND")
	}
	return env.Show(execList{Outputs: list}, func(w io.Writer) { execTable(w, list) })
}

func execTable(w io.Writer, list []output.Record) {
	if len(list) == 0 {
		return
	}
	t := frame.Table{Columns: []frame.Column{{Title: "ID"}, {Title: "STARTED"}, {Title: "EXIT", Right: true}, {Title: "SIZE", Right: true, Drop: 1}, {Title: "COMMAND", Least: 20}}}
	for _, r := range list {
		t.Row(string(r.ID), r.StartedAt.Local().Format(time.DateTime), strconv.Itoa(r.Exit), frame.Bytes(r.Bytes), strings.Join(r.Command, " "))
	}
	t.Print(w)
}
