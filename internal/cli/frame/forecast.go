package frame

import (
	"fmt"
	"math"
	"strings"
	"time"

	"kedge/internal/insight/stats"
)

// ForecastText is what open features may take, in one line.
func ForecastText(f stats.Forecast) string {
	if f.Features == 0 {
		return "no feature is open"
	}
	if f.Basis.Features == 0 {
		return "unknown until this project has a completed feature"
	}
	parts := []string{
		rangeText(f.Tokens, "tokens unknown", func(v float64) string { return ShortNumber(int64(math.Round(v))) }, " tokens"),
		rangeText(f.USD, "cost unknown", func(v float64) string { return "$" + USD(v) }, ""),
		rangeText(f.Hours, "time unknown", hoursText, ""),
	}
	return fmt.Sprintf("%s for %s; %s", strings.Join(parts, ", "), Counted(f.Features, "feature"), basisText(f.Basis))
}

// shortTime stands for every time that is too short to be compared.
const shortTime = "under a minute"

// hoursText is a time that work may take.
func hoursText(hours float64) string {
	if d := time.Duration(hours * float64(time.Hour)); d >= time.Minute {
		return Span(d)
	}
	return shortTime
}

// rangeText is a figure with its range.
func rangeText(r *stats.Range, unknown string, number func(float64) string, unit string) string {
	switch {
	case r == nil:
		return unknown
	case r.Low == nil || r.High == nil:
		return number(r.Likely) + unit + " (no range yet)"
	case number(*r.High) == shortTime:
		return shortTime
	default:
		return fmt.Sprintf("%s%s (%s to %s)", number(r.Likely), unit, number(*r.Low), number(*r.High))
	}
}

// basisText is where a forecast comes from.
func basisText(b stats.Basis) string {
	s := "based on " + Counted(b.Features, "completed feature")
	if b.Agent != "" {
		s += " by " + b.Agent
	}
	if b.Repaired > 0 {
		s += fmt.Sprintf(", %d of which took more than one session", b.Repaired)
	}
	return s
}

// CourseText is how far a run is off its forecast, in one line.
func CourseText(c stats.Course) string {
	if c.Forecast.Basis.Features == 0 {
		return "unknown: no feature was completed before the run began"
	}
	if c.OfRun {
		return "nothing to compare with: this forecast comes from the run itself"
	}
	if c.Done == 0 {
		return "not compared with the run yet: no feature is done"
	}
	var parts []string
	for _, f := range []struct {
		what string
		off  *float64
	}{{"tokens", c.Off.Tokens}, {"cost", c.Off.USD}, {"time", c.Off.Hours}} {
		switch {
		case f.what == "time" && isShort(c):
			parts = append(parts, f.what+" "+shortTime)
		case f.off != nil:
			parts = append(parts, f.what+" "+offText(*f.off))
		}
	}
	if len(parts) == 0 {
		return "not compared with the run: its tokens, cost and time are unknown"
	}
	if strings.HasSuffix(parts[0], "% over") || strings.HasSuffix(parts[0], "% under") {
		parts[0] += " the forecast"
	}
	return fmt.Sprintf("%d of %s done: %s", c.Done, Counted(c.Forecast.Features, "feature"), strings.Join(parts, ", "))
}

// isShort tells whether what is done took, and was forecast to take, no time that is worth
// comparing.
func isShort(c stats.Course) bool {
	if c.Spent.Hours == nil || c.Forecast.Hours == nil {
		return false
	}
	likely := c.Forecast.Hours.Likely * float64(c.Done) / float64(max(1, c.Forecast.Features))
	return hoursText(*c.Spent.Hours) == shortTime && hoursText(likely) == shortTime
}

// offText says how much more or less something is than was forecast.
func offText(off float64) string {
	switch percent := int(math.Round(100 * off)); {
	case percent >= 900:
		return fmt.Sprintf("%.0f times the forecast", 1+off)
	case percent > 200:
		return fmt.Sprintf("%.1f times the forecast", 1+off)
	case percent > 0:
		return fmt.Sprintf("%d%% over", percent)
	case percent < 0:
		return fmt.Sprintf("%d%% under", -percent)
	default:
		return "as forecast"
	}
}
