package runs

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"kedge/internal/app/runs"
	"kedge/internal/app/supply"
	"kedge/internal/cli/frame"
	"kedge/internal/insight/stats"
	"kedge/internal/text/plain"
)

// Forecast is kedge forecast.
func Forecast(env *frame.Env) *cobra.Command {
	var flags supply.Flags
	c := &cobra.Command{
		Use:   "forecast",
		Short: "Show what the open features may cost, and how far a run is off",
		Long: `Show the tokens, the money and the time that the open features may take.

The forecast is based on the features that this project has completed, each
with all its attempts and repairs. Kedge multiplies the median for one feature
by the number of open features. The range in parentheses uses the lower and the
upper quartile instead of the median. If the agent of the run completed at
least 3 of these features, only those count. Time is the time of sessions and
checks, divided by the number of features that a run works on at once. The time
in which a run waits for you or for a provider does not count. If past sessions
did not report a figure, it is unknown.

While a run works, Kedge shows the forecast from the start of the run. A second
line compares the completed features with this forecast. kedge run and kedge
status show the same.`,
		Example: "  kedge forecast\n  kedge forecast --parallel 4\n  kedge forecast --json",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := frame.Positive(c, "parallel", flags.Parallel, 2); err != nil {
				return err
			}
			in := runs.ForecastRequest{Flags: flags, Env: []string{"HOME=" + env.Getenv("HOME"), "XDG_CONFIG_HOME=" + env.Getenv("XDG_CONFIG_HOME")}}
			return frame.Ask(c.Context(), env, "forecast", in, frame.Folded(env, 10, forecastText))
		},
	}
	c.Flags().StringVar(&flags.Agent, "agent", "", "the `agent`, or agent:model (default: [run] agent in config.toml)")
	c.Flags().IntVar(&flags.Parallel, "parallel", 0, "work on this `number` of features at once")
	return c
}

func forecastText(w io.Writer, out runs.ForecastReply) {
	fmt.Fprintf(w, "%-9s %s\n", "forecast", plain.Line(frame.ForecastText(out.Forecast)))
	if out.Run != "" {
		fmt.Fprintf(w, "%-9s %s\n", "run", plain.Line(frame.CourseText(out.Course)))
	}
}

// sayForecast says at the start of a run what it may take, and how far it is off where
// it has worked before.
func sayForecast(env *frame.Env, out runs.RunReply) {
	c := out.Run.Forecast
	if c == nil || c.Forecast.Features == 0 || out.Run.Resting {
		return
	}
	env.Talk("forecast: %s", plain.Line(frame.ForecastText(c.Forecast)))
	if c.Done > 0 {
		env.Talk("forecast: %s", plain.Line(frame.CourseText(*c)))
	}
}

// offNow is a line about the forecast for a run that has another feature done; empty
// where there is nothing new to say.
func offNow(before, now runs.RunView) string {
	c := now.Forecast
	if c == nil || c.Forecast.Basis.Features == 0 || before.Forecast == nil || c.Done <= before.Forecast.Done {
		return ""
	}
	return "forecast: " + plain.Line(paceText(*c))
}

// paceText is how far a run is off its forecast or, where it had none, what the rest of it
// may take.
func paceText(c stats.Course) string {
	if c.OfRun || c.Done == 0 {
		return frame.ForecastText(c.Forecast)
	}
	return frame.CourseText(c)
}

// forecastLine is the forecast in the table of a run.
func forecastLine(v runs.RunView) string {
	c := v.Forecast
	if c == nil || c.Forecast.Features == 0 || c.Forecast.Basis.Features == 0 {
		return "" // there is none, which was said when the run began
	}
	if c.OfRun || c.Done == 0 {
		return "left  " + paceText(*c)
	}
	return "pace  " + paceText(*c)
}
