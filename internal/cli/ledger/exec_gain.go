package ledger

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"kedge"
	"kedge/internal/cli/frame"
	"kedge/internal/process/output"
	"kedge/internal/text/words"
)

// execGain is `exec --gain --json`.
type execGain struct {
	Since    *time.Time    `json:"since"` // of the first command; null: none
	Runs     int           `json:"runs"`
	Tokens   int           `json:"tokens"` // of the whole outputs, estimated
	Shown    int           `json:"shown"`  // of what was printed of them
	Saved    int           `json:"saved"`
	Commands []commandGain `json:"commands"` // the one that saved most first
}

// commandGain is what all runs of one command saved.
type commandGain struct {
	Command string `json:"command"`
	Runs    int    `json:"runs"`
	Tokens  int    `json:"tokens"`
	Shown   int    `json:"shown"`
	Saved   int    `json:"saved"`
}

// showGain tells what condensing saved.
func showGain(env *frame.Env, args []string) error {
	if len(args) > 0 {
		return kedge.Errorf(kedge.Invalid, "--gain takes no command: it only shows how many tokens earlier commands saved").
			WithHint("to see how many: kedge exec --gain; to run the command: %s", execStep(args))
	}
	list, err := output.Gains(env.Home)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		env.Talk("no tokens are saved yet; to run a command and print what matters: kedge exec -- COMMAND")
	}
	g := gainOf(list)
	return env.Show(g, func(w io.Writer) { gainTable(w, g) })
}

func gainOf(list []output.Gain) execGain {
	g := execGain{Commands: []commandGain{}}
	at := map[string]int{}
	for _, one := range list {
		i, there := at[one.Command]
		if !there {
			i = len(g.Commands)
			at[one.Command] = i
			g.Commands = append(g.Commands, commandGain{Command: one.Command})
		}
		c := &g.Commands[i]
		c.Runs, c.Tokens, c.Shown, c.Saved = c.Runs+1, c.Tokens+one.Tokens, c.Shown+one.Shown, c.Saved+one.Tokens-one.Shown
		g.Runs, g.Tokens, g.Shown, g.Saved = g.Runs+1, g.Tokens+one.Tokens, g.Shown+one.Shown, g.Saved+one.Tokens-one.Shown
		if g.Since == nil || one.At.Before(*g.Since) {
			g.Since = &one.At
		}
	}
	slices.SortStableFunc(g.Commands, func(a, b commandGain) int {
		return cmp.Or(cmp.Compare(b.Saved, a.Saved), cmp.Compare(a.Command, b.Command))
	})
	return g
}

// mostGains is how many commands the table has.
const mostGains = 15

func gainTable(w io.Writer, g execGain) {
	if g.Runs == 0 {
		return
	}
	fmt.Fprintf(w, "about %s of %s saved (%d%%) in %s since %s\n\n", frame.Thousands(int64(g.Saved))+" tokens", frame.Thousands(int64(g.Tokens)), percent(g.Saved, g.Tokens),
		words.Count(g.Runs, "command"), g.Since.Local().Format(time.DateOnly))
	t := frame.Table{Columns: []frame.Column{{Title: "COMMAND", Least: 12}, {Title: "RUNS", Right: true}, {Title: "TOKENS", Right: true}, {Title: "PRINTED", Right: true, Drop: 1}, {Title: "SAVED", Right: true}}}
	for i, c := range g.Commands {
		if i == mostGains {
			break
		}
		t.Row(c.Command, strconv.Itoa(c.Runs), strconv.Itoa(c.Tokens), strconv.Itoa(c.Shown), strconv.Itoa(percent(c.Saved, c.Tokens))+"%")
	}
	t.Print(w)
	if more := len(g.Commands) - mostGains; more > 0 {
		fmt.Fprintf(w, "and %s; all of them: kedge exec --gain --json\n", words.Count(more, "more command"))
	}
}

func percent(part, whole int) int {
	if whole == 0 {
		return 0
	}
	return 100 * part / whole
}
