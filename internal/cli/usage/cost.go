package usage

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/app/reports"
	"kedge/internal/cli/frame"
	"kedge/internal/text/lazyre"
	"kedge/internal/text/plain"
)

// Cost is kedge cost.
func Cost(env *frame.Env) *cobra.Command {
	var since, until string
	in := reports.CostRequest{}
	c := &cobra.Command{
		Use:   "cost",
		Short: "Show the tokens and the money that sessions used",
		Long: `Show the tokens and the money that this project's sessions used. Kedge counts
the sessions that it started, and every session with a transcript on disk, each
one once. With --all, Kedge counts the sessions of every folder on this machine.
The command needs no project, no set-up and no daemon.

TOKENS are uncached input, cache writes and output. CACHE READ are the tokens
that the provider read from its cache. If an agent reported no tokens, Kedge
estimates them from its output and marks them with ~. The cost of such a session
is unknown.

If the agent did not report its cost, Kedge computes the cost of each reply
from the price of the model on that day. It marks this cost as "estimated". If
Kedge knows no price, it leaves the reply out of the sum and tells you.

A block is a window of five hours, as providers count their limits. A block
begins at the full hour before its first reply. Days, weeks and months are in
UTC.

Kedge has prices of the models that its agents offer, each with its date and
source. Your own prices take precedence. They are in
$XDG_CONFIG_HOME/kedge/prices.toml (else ~/.config/kedge/prices.toml):

  version = 1
  [[price]]
  model = "name-of-a-model-*"
  since = "2026-01-31"
  input = 1.0           # USD per million tokens; also cache_read, cache_write,
  output = 5.0          # cache_write_hour, and [[price.long]]`,
		Example: "  kedge cost                            by session\n  kedge cost --by day --since 7d\n  kedge cost --all --by block --since 1d\n  kedge cost --all --by month --agent claude",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			in.Env = transcriptEnv(env)
			var err error
			if in.Since, err = when("--since", since, time.Now()); err != nil {
				return err
			}
			if in.Until, err = when("--until", until, time.Now()); err != nil {
				return err
			}
			out, err := readingCall[reports.CostReply](c, env, "cost", in)
			if err != nil {
				return err
			}
			if len(out.Rows) == 0 {
				env.Talk("%s", noCost(out))
			}
			return env.Show(out, func(w io.Writer) { costTable(w, out) })
		},
	}
	c.Flags().StringVar(&in.By, "by", reports.CostBy[0], "group by `what`: "+strings.Join(reports.CostBy[:len(reports.CostBy)-1], ", ")+" or "+reports.CostBy[len(reports.CostBy)-1])
	c.Flags().StringVar(&since, "since", "", "count what was used since this `time`: a day (2026-01-31), or an age (7d, 12h)")
	c.Flags().StringVar(&until, "until", "", "count what was used before this `time`")
	c.Flags().StringVar(&in.Agent, "agent", "", "only sessions of this `agent`")
	c.Flags().BoolVar(&in.All, "all", false, "sessions of every project and folder")
	frame.CompleteFlag(c, "agent", frame.OneOf(catalog.Transcripts().Agents()...))
	_ = c.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(reports.CostBy, cobra.ShellCompDirectiveNoFileComp))
	return c
}

// noCost says why there is nothing to sum up.
func noCost(out reports.CostReply) string {
	switch {
	case out.Older != nil:
		return olderText(out.Older, "none of them from that time")
	case out.Elsewhere > 0:
		return "no agent had a session in this folder; " + strings.TrimSpace(elsewhereText(out.Elsewhere, "kedge cost --all"))
	default:
		return "Kedge found no session of an agent"
	}
}

var ago = lazyre.New(`^(\d{1,5})([dhw])$`)

// when reads the day of a flag, or how long ago.
func when(flag, s string, now time.Time) (time.Time, error) {
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
	return time.Time{}, kedge.Errorf(kedge.Invalid, "%s %q is neither a date nor an age", flag, s).WithHint("repeat your command with: %s 2026-01-31, or %s 7d", flag, flag)
}

func costTable(w io.Writer, out reports.CostReply) {
	for _, u := range out.Unread {
		fmt.Fprintf(w, "not read: %s: %s\n", plain.Line(u.File), plain.Line(u.Why))
	}
	if len(out.Rows) == 0 {
		return
	}
	t := &frame.Table{Columns: []frame.Column{
		{Title: strings.ToUpper(out.By), Least: 12}, {Title: "SESSIONS", Right: true, Drop: 1}, {Title: "TOKENS", Right: true}, {Title: "CACHE READ", Right: true, Drop: 2}, {Title: "USD", Right: true}, {},
	}}
	several := map[string]int{}
	agents := map[string]bool{}
	for _, r := range out.Rows {
		several[r.Name]++
		agents[r.Agent] = true
	}
	for _, r := range out.Rows {
		costLine(t, costName(r, several[r.Name] > 1, len(agents) > 1), r)
	}
	costLine(t, "total", out.Total)
	t.Print(w)
}

// costName is what a row is called: by its name, where that alone tells it apart.
func costName(r reports.CostRow, several, agents bool) string {
	const short = 8
	switch {
	case r.Block != nil:
		name := r.Block.From.Format("2006-01-02 15:04") + r.Block.To.Format("–15:04")
		if agents {
			name += " " + r.Agent
		}
		return name
	case r.Name != "" && several:
		return r.Name + " (" + r.Key + ")"
	case r.Name != "":
		return r.Name
	case r.Agent != "" && r.StartedAt != nil: // a session that Kedge did not start
		id := r.Key
		if strings.Count(id, "-") == 4 || len(id) > 2*short {
			id = id[:min(len(id), short)]
		}
		return r.StartedAt.Format(time.DateOnly) + " " + r.Agent + " " + id
	case r.Key == "":
		return "(none)"
	default:
		return r.Key
	}
}

func costLine(t *frame.Table, name string, r reports.CostRow) {
	var notes []string
	if r.Block != nil && r.Block.Active {
		notes = append(notes, "active")
	}
	if r.Estimated {
		notes = append(notes, "estimated")
	}
	if r.USD != nil && r.UnknownUSD > 0 {
		notes = append(notes, "without "+frame.Counted(r.UnknownUSD, "session")+" of unknown cost")
	}
	if r.Tokens != nil && r.Guessed == nil && r.UnknownTokens > 0 {
		notes = append(notes, "tokens of "+frame.Counted(r.UnknownTokens, "session")+" not known in full")
	}
	if len(r.Unpriced) > 0 {
		notes = append(notes, "no price of "+strings.Join(r.Unpriced, ", "))
	}
	read := "unknown"
	if r.Kinds != nil {
		read = frame.ShortNumber(r.Kinds.CacheRead)
	}
	t.Row(name, strconv.Itoa(r.Sessions), usedText(r.Tokens, r.Guessed, frame.ShortNumber), read, dollars(r.USD), strings.Join(notes, ", "))
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
