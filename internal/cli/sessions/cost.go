package sessions

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/reports"
	"kedge/internal/cli/frame"
	"kedge/internal/text/lazyre"
	"kedge/internal/text/plain"
)

// Cost is kedge cost.
func Cost(env *frame.Env) *cobra.Command {
	var (
		by, since string
		all       bool
	)
	c := &cobra.Command{
		Use:   "cost",
		Short: "Show the tokens and the money that sessions used",
		Long: `Show the tokens and the money that this project's sessions used.

Tokens are what the agent reported: uncached input, cache writes and output.
If a session reported nothing, Kedge estimates its tokens from its output and
marks them with ~. The cost of such a session is unknown. For all other
sessions, the cost is what the agent reported. If the agent reported only
tokens, Kedge computes the cost from prices and marks it "estimated". Without
a price for the model, the cost is unknown, never 0.

Kedge has prices of Claude, GPT and Gemini models, each with its date and
source. Your own prices take precedence. They are in
$XDG_CONFIG_HOME/kedge/prices.toml (else ~/.config/kedge/prices.toml):

  version = 1
  [[price]]
  model = "name-of-a-model-*"
  since = "2026-01-31"
  input = 1.0           # USD per million tokens; also cache_read, cache_write
  output = 5.0`,
		Example: "  kedge cost                      by session\n  kedge cost --by feature\n  kedge cost --by day --since 7d",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			in := reports.CostRequest{By: by, All: all, Env: []string{"HOME=" + env.Getenv("HOME"), "XDG_CONFIG_HOME=" + env.Getenv("XDG_CONFIG_HOME")}}
			var err error
			if in.Since, err = sinceWhen(since, time.Now()); err != nil {
				return err
			}
			out, err := frame.Call[reports.CostReply](c.Context(), env, "cost", in)
			if err != nil {
				return err
			}
			if len(out.Rows) == 0 {
				env.Talk("no sessions")
			}
			return env.Show(out, func(w io.Writer) { costTable(w, out) })
		},
	}
	c.Flags().StringVar(&by, "by", reports.CostBy[0], "group by `what`: session, feature, phase, model, agent, route or day")
	c.Flags().StringVar(&since, "since", "", "count sessions since this `time`: a day (2026-01-31), or an age (7d, 12h)")
	c.Flags().BoolVar(&all, "all", false, "sessions of every project")
	_ = c.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(reports.CostBy, cobra.ShellCompDirectiveNoFileComp))
	return c
}

var ago = lazyre.New(`^(\d{1,5})([dhw])$`)

// sinceWhen reads a day, or how long ago.
func sinceWhen(s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if m := ago.FindStringSubmatch(s); m != nil {
		n, _ := strconv.Atoi(m[1]) // at most five digits
		unit := map[string]time.Duration{"h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour}[m[2]]
		return now.Add(-time.Duration(n) * unit).UTC(), nil
	}
	if t, err := time.Parse(time.DateOnly, s); err == nil {
		return t, nil
	}
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t, nil
	}
	return time.Time{}, kedge.Errorf(kedge.Invalid, "--since %q is neither a date nor an age", s).WithHint("--since 2026-01-31, or --since 7d")
}

func costTable(w io.Writer, out reports.CostReply) {
	if len(out.Rows) == 0 {
		return
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%s\tSESSIONS\tTOKENS\tUSD\t\n", strings.ToUpper(out.By))
	named := map[string]int{}
	for _, r := range out.Rows {
		named[r.Name]++
	}
	for _, r := range out.Rows {
		name := r.Key
		if r.Name != "" {
			name = r.Name
		}
		if r.Name != "" && named[r.Name] > 1 { // the name alone tells them not apart
			name += " (" + r.Key + ")"
		}
		if name == "" {
			name = "(none)"
		}
		costLine(t, plain.Line(name), r)
	}
	costLine(t, "total", out.Total)
	_ = t.Flush() // to the filter, whose errors show at its end
}

func costLine(w io.Writer, name string, r reports.CostRow) {
	note := ""
	if r.Estimated {
		note = "estimated"
	}
	if r.USD != nil && r.UnknownUSD > 0 {
		note += fmt.Sprintf(" without %d of unknown cost", r.UnknownUSD)
	}
	fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\n", name, r.Sessions, usedText(r.Tokens, r.Guessed, frame.ShortNumber), dollars(r.USD), note)
}

// usedText is what agents told, and behind ~ what is estimated of those that
// told nothing.
func usedText(told, guessed *int64, number func(int64) string) string {
	switch {
	case told != nil && guessed != nil:
		return number(*told) + " + ~" + number(*guessed)
	case told != nil:
		return number(*told)
	case guessed != nil:
		return "~" + number(*guessed)
	default:
		return "unknown"
	}
}
