package usage

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/reports"
	"kedge/internal/cli/frame"
	"kedge/internal/insight/stats"
	"kedge/internal/text/plain"
	"kedge/internal/text/words"
)

// statsFlags are what the command is asked for.
type statsFlags struct {
	by, since             string
	all, prometheus, otel bool
}

// Stats is kedge stats.
func Stats(env *frame.Env) *cobra.Command {
	var f statsFlags
	c := &cobra.Command{
		Use:   "stats",
		Short: "Show interruptions, recovery, and verified work per dollar",
		Long:  statsLong,
		Example: `  kedge stats                       by week
  kedge stats --by model --since 30d
  kedge stats --by session --json
  kedge stats --prometheus          for a node exporter's text file
  kedge stats --otel | curl -s -H 'Content-Type: application/json' --data-binary @- http://127.0.0.1:4318/v1/metrics`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			in, err := f.request(env, c.Flags().Changed("by"))
			if err != nil {
				return err
			}
			out, err := frame.Call[reports.StatsReply](c.Context(), env, "stats", in)
			if err != nil {
				return err
			}
			return f.show(env, out)
		},
	}
	c.Flags().StringVar(&f.by, "by", stats.By[0], "group by `what`: "+strings.Join(stats.By[:len(stats.By)-1], ", ")+" or "+stats.By[len(stats.By)-1])
	c.Flags().StringVar(&f.since, "since", "", "count sessions since this `time`: a day (2026-01-31), or an age (7d, 12h)")
	c.Flags().BoolVar(&f.all, "all", false, "sessions of every project")
	c.Flags().BoolVar(&f.prometheus, "prometheus", false, "print metrics as Prometheus text")
	c.Flags().BoolVar(&f.otel, "otel", false, "print OpenTelemetry metrics as JSON")
	frame.CompleteFlag(c, "by", frame.OneOf(stats.By...))
	return c
}

// request is what to ask for; other programs get the figures of every session.
func (f *statsFlags) request(env *frame.Env, divided bool) (reports.StatsRequest, error) {
	in := reports.StatsRequest{By: f.by, All: f.all, Env: []string{"HOME=" + env.Getenv("HOME"), "XDG_CONFIG_HOME=" + env.Getenv("XDG_CONFIG_HOME")}}
	switch {
	case f.prometheus && f.otel:
		return in, kedge.Errorf(kedge.Invalid, "use only one of --prometheus and --otel").WithHint("kedge stats --otel")
	case f.prometheus && env.JSON:
		return in, kedge.Errorf(kedge.Invalid, "--prometheus and --json cannot be combined").WithHint("for metrics in JSON: kedge stats --otel")
	case (f.prometheus || f.otel) && f.since != "":
		return in, kedge.Errorf(kedge.Invalid, "--since cannot be combined with --prometheus or --otel: metrics always count from the beginning").WithHint("repeat your command without --since")
	case (f.prometheus || f.otel) && divided:
		return in, kedge.Errorf(kedge.Invalid, "--by cannot be combined with --prometheus or --otel: their figures are always divided by agent and model").WithHint("repeat your command without --by")
	case f.prometheus || f.otel:
		in.By = "session"
	}
	var err error
	in.Since, err = when("--since", f.since, time.Now())
	return in, err
}

func (f *statsFlags) show(env *frame.Env, out reports.StatsReply) error {
	switch {
	case f.prometheus:
		return stats.Prometheus(env.Out, out.Project, stats.Report{Total: out.Figures, Rows: out.Rows})
	case f.otel:
		return otelOut(env.Out, out)
	}
	if out.Sessions == 0 && out.VerifiedFeatures == 0 {
		env.Talk("there are no sessions to count")
	}
	cols := env.Width()
	text := frame.Folded(env, 13, func(w io.Writer, out reports.StatsReply) { statsText(w, out, cols) })
	return env.Show(out, func(w io.Writer) { text(w, out) })
}

func otelOut(w io.Writer, out reports.StatsReply) error {
	b, err := stats.OTLP(out.Project, stats.Report{Total: out.Figures, Rows: out.Rows}, time.Now())
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot encode the metrics: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s\n", plain.JSON(b))
	return err
}

// statsText is one screen: what it all came to, then divided, then the causes.
// A terminal of cols characters that is too narrow for the table gets it in two.
func statsText(w io.Writer, out reports.StatsReply, cols int) {
	if out.Sessions == 0 && out.VerifiedFeatures == 0 {
		return
	}
	row := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%-12s %s\n", name, fmt.Sprintf(format, args...))
	}
	row("sessions", "%d, %d interrupted", out.Sessions, out.Interrupted)
	row("overhead", "%s: %s of recovery, %s of productive time", percentOf(out.OverheadRate), minutesText(out.RecoveryMinutes), minutesText(out.ProductiveMinutes))
	if out.AbsentMinutes > 0 {
		row("absent", "%s after interruptions, in which nobody continued the work", minutesText(out.AbsentMinutes))
	}
	row("verified", "%s, %s", frame.Counted(out.VerifiedFeatures, "feature"), linesText(out.Figures))
	row("per Mtok", "%s features, %s lines (%s tokens, %s read from caches)", rateText(out.FeaturesPerMTok), rateText(out.LinesPerMTok), usedText(out.Tokens, out.Guessed, frame.Thousands), cachedText(out.Kinds))
	row("per USD", "%s features, %s lines (%s%s)", rateText(out.FeaturesPerUSD), rateText(out.LinesPerUSD), usd(out.USD), estimatedText(out.Figures))
	unknownText(row, out.Figures)
	statsTable(w, out, cols)
	causesText(w, out.Figures)
}

// unknownText says what the figures lack.
func unknownText(row func(name, format string, args ...any), f stats.Figures) {
	if f.UnknownTokens > 0 || f.UnknownUSD > 0 {
		row("unknown", "the tokens of %s, the cost of %s", frame.Counted(f.UnknownTokens, "session"), frame.Counted(f.UnknownUSD, "session"))
	}
	if f.SilentSessions > 0 {
		row("silent", "%s reported no activity, so Kedge counts the time in which they printed", frame.Counted(f.SilentSessions, "session"))
	}
}

func statsTable(w io.Writer, out reports.StatsReply, cols int) {
	titles := []string{strings.ToUpper(out.By), "SESSIONS", "INTERRUPTED", "RECOVERY", "PRODUCTIVE", "OVERHEAD", "FEATURES", "LINES", "TOKENS", "USD", "PER MTOK", "PER USD"}
	var rows [][]string
	for _, r := range out.Rows {
		rows = append(rows, []string{
			plain.Line(first(first(r.Name, r.Key), "(none)")), strconv.Itoa(r.Sessions), strconv.Itoa(r.Interrupted), minutesText(r.RecoveryMinutes),
			minutesText(r.ProductiveMinutes), percentOf(r.OverheadRate), strconv.Itoa(r.VerifiedFeatures), knownText(r.VerifiedLines),
			usedText(r.Tokens, r.Guessed, frame.Thousands), dollars(r.USD), rateText(r.FeaturesPerMTok), rateText(r.FeaturesPerUSD),
		})
	}
	const times = 6 // where the columns about work begin
	whole := columns(titles, rows, 1, len(titles))
	if cols == 0 || whole.Width() <= cols {
		printBelow(w, whole)
		return
	}
	printBelow(w, columns(titles, rows, 1, times))
	printBelow(w, columns(titles, rows, times, len(titles)))
}

func printBelow(w io.Writer, t *frame.Table) {
	fmt.Fprintln(w)
	t.Print(w)
}

// columns is a table of some columns, after the first, which names the rows.
func columns(titles []string, rows [][]string, from, to int) *frame.Table {
	t := &frame.Table{Columns: []frame.Column{{Title: titles[0], Least: 12}}}
	for _, title := range titles[from:to] {
		t.Columns = append(t.Columns, frame.Column{Title: title, Right: true})
	}
	for _, r := range rows {
		t.Row(append([]string{r[0]}, r[from:to]...)...)
	}
	return t
}

// causesText ranks what interrupted by the minutes that it cost.
func causesText(w io.Writer, f stats.Figures) {
	if len(f.Interruptions) == 0 {
		return
	}
	fmt.Fprint(w, "\nWhat interrupted sessions, by the minutes lost:\n")
	for _, x := range f.Interruptions {
		lost := minutesText(x.Minutes)
		if x.Open == x.Count {
			lost = "unknown"
		}
		note := ""
		if x.Open > 0 {
			note = fmt.Sprintf(", %d not continued", x.Open)
		}
		fmt.Fprintf(w, "  %-16s %s, %d×%s\n", words.Spaced(x.Cause), lost, x.Count, note)
		if x.Cure != "" {
			fmt.Fprintf(w, "  %-16s %s\n", "", x.Cure)
		}
	}
}

// minutesText is a time in the unit that shows it best.
func minutesText(m float64) string {
	switch {
	case m == 0:
		return "0 min"
	case m < 1:
		return fmt.Sprintf("%.1f s", m*60)
	case m < 120:
		return fmt.Sprintf("%.1f min", m)
	default:
		return fmt.Sprintf("%.1f h", m/60)
	}
}

// percentOf is a rate in percent; one far above the whole is told as so many times.
func percentOf(v *float64) string {
	switch {
	case v == nil:
		return "unknown"
	case *v >= 10:
		return rateText(v) + "×"
	default:
		return fmt.Sprintf("%.1f%%", *v*100)
	}
}

// cachedText is what was read from caches, which no other figure of tokens contains.
func cachedText(k *kedge.TokenKinds) string {
	if k == nil {
		return "unknown"
	}
	return frame.Thousands(k.CacheRead)
}

func rateText(v *float64) string {
	if v == nil {
		return "unknown"
	}
	if *v >= 100 {
		return frame.Thousands(int64(math.Round(*v)))
	}
	return fmt.Sprintf("%.3g", *v)
}

func dollars(v *float64) string {
	if v == nil {
		return "unknown"
	}
	return frame.USD(*v)
}

// knownText is a number, or that it is unknown.
func knownText(n *int64) string {
	if n == nil {
		return "unknown"
	}
	return frame.Thousands(*n)
}

func linesText(f stats.Figures) string {
	text := knownText(f.VerifiedLines) + " changed lines"
	if f.VerifiedLines != nil && f.UnknownLines > 0 {
		text += fmt.Sprintf(" (unknown for %s)", frame.Counted(f.UnknownLines, "feature"))
	}
	return text
}

func estimatedText(f stats.Figures) string {
	if f.Estimated {
		return ", estimated"
	}
	return ""
}

const statsLong = `Show how often sessions were interrupted and by what, how long recovery took,
and how much verified work the tokens and the money gave.

A session was interrupted if it ended before its work was done. A session that
you ended, or that ended with a question, was not interrupted. The causes:

  timeout, stalled         its time was up; it printed nothing for too long
  closed_terminal          its terminal hung up (SIGHUP)
  reconnect                it was no longer there when the daemon restarted
  crash                    its program ended with an error
  killed                   a signal from outside
  out_of_memory, reboot    the machine ran out of memory, or restarted
  prompt_drift             it went against a decision, left its feature, or
                           planned when it should work
  full_context             its context was full, or not compacted for too long
  circling                 it repeated itself, or made things worse
  budget                   its tokens were spent
  provider_limit           the provider refused
  no_agent                 its program did not start, or was not logged in
  unknown                  the cause was not recorded

Recovery is the time until the work continues. In a run, it begins when Kedge
notices the interruption. After a provider's limit, it begins when the limit
ends. In all other cases, it begins when you start the next session. It ends
when the next session first writes a file or runs a command (its first
productive action). If the next session is interrupted before that, its own
recovery begins at that moment, so no minute counts twice. Only a session of
the same run can continue the work of a run.

Absence is the time before recovery begins, and the time in which a run was
halted or waited for you. Kedge shows it separately. An interruption is open if
no session continued the work: its minutes are unknown.

Productive minutes go from a session's first productive action to its end. For
a session that does not report what it does, Kedge counts the time in which it
printed, including pauses of up to a minute. If two sessions work at the same
time, both count in full. Overhead is recovery divided by productive minutes.
The cause with the most lost minutes comes first, with the cheapest way to avoid
it.

A feature is verified if it is completed, with evidence. It counts for the
session that last worked on it, with the lines that the work added and removed.
If a figure is unknown, every rate that needs the figure is unknown too, and
not 0.

--prometheus prints Prometheus text: counters kedge_…_total by project, agent
and model. Values that can become smaller are gauges: kedge_verified_features,
kedge_verified_lines, kedge_unknown_usage_sessions,
kedge_unknown_cost_sessions and kedge_overhead_ratio.

--otel prints OTLP JSON, which an OpenTelemetry collector accepts at
/v1/metrics. The metrics gen_ai.client.token.usage and
gen_ai.client.operation.duration follow OpenTelemetry's conventions for
generative AI, which are still in development. Kedge's own metrics are
kedge.session.interruptions, kedge.recovery.duration,
kedge.productive.duration, kedge.cost, kedge.verified.features and
kedge.verified.lines. Each session is one operation invoke_agent, with
gen_ai.provider.name, gen_ai.request.model, gen_ai.agent.name,
gen_ai.token.type and error.type (the cause).

--prometheus and --otel count from the first session on, so you cannot combine
them with --since. They omit unknown values. Kedge sends nothing anywhere.`
