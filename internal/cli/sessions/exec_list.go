package sessions

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"kedge"
	"kedge/internal/cli/frame"
	"kedge/internal/process/output"
	"kedge/internal/text/plain"
)

// execList is `exec --list --json`.
type execList struct {
	Outputs []output.Record `json:"outputs"` // the newest first
}

// listExecs shows the commands whose output is kept.
func listExecs(env *frame.Env, args []string) error {
	if len(args) > 0 {
		return kedge.Errorf(kedge.Invalid, "--list takes no command: it only lists the commands that ran before").
			WithHint("to list them: kedge exec --list; to run the command: %s", execStep(args))
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
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "ID\tSTARTED\tEXIT\tSIZE\tCOMMAND\n")
	for _, r := range list {
		fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\n", r.ID, r.StartedAt.Local().Format(time.DateTime), r.Exit, frame.Bytes(r.Bytes), plain.Line(strings.Join(r.Command, " ")))
	}
	_ = t.Flush() // a closed pipe is the reader's choice
}
