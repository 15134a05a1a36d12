package frame_test

import (
	"strings"
	"testing"
	"time"

	"kedge/internal/cli/frame"
	"kedge/internal/insight/stats"
)

// took are features that took so long each.
func took(each ...time.Duration) []stats.Spent {
	out := make([]stats.Spent, len(each))
	for i, d := range each {
		out[i].Hours = d.Hours()
	}
	return out
}

func TestRow119ForecastOfShortSessions(t *testing.T) {
	for _, x := range []struct {
		past []stats.Spent
		want string
	}{
		{took(20 * time.Millisecond), "under a minute (no range yet) for 2 features; based on 1 completed feature"},
		{took(0, time.Second, 2*time.Second), "under a minute for 2 features; based on 3 completed features"},
		{took(time.Second, time.Minute, 5*time.Minute), "2m (1m to 6m) for 2 features"},
		{took(time.Second, 2*time.Second, 3*time.Minute), "under a minute (under a minute to 3m) for 2 features"},
		{took(time.Hour), "2h00m (no range yet) for 2 features"},
	} {
		if got := frame.ForecastText(stats.Foresee(x.past, 2, 1, "")); !strings.Contains(got, ", "+x.want) {
			t.Errorf("%q, not %q", got, x.want)
		}
	}
}

func TestRow119HowFarItIsOff(t *testing.T) {
	for _, x := range []struct {
		past, done []stats.Spent
		want       string
	}{
		{took(20 * time.Millisecond), took(900 * time.Millisecond), "1 of 3 features done: time under a minute"},
		{took(0), took(time.Second), "1 of 3 features done: time under a minute"},
		{took(time.Hour), took(90 * time.Minute), "time 50% over the forecast"},
		{took(time.Hour), took(30 * time.Minute), "time 50% under the forecast"},
		{took(time.Hour), took(3 * time.Hour), "time 200% over the forecast"},
		{took(time.Hour), took(210 * time.Minute), "time 3.5 times the forecast"},
		{took(time.Minute), took(45 * time.Minute), "time 45 times the forecast"},
		{nil, took(time.Hour), "nothing to compare with: this forecast comes from the run itself"},
		{nil, took(time.Hour, time.Hour, time.Hour), "unknown: no feature was completed before the run began"},
	} {
		if got := frame.CourseText(stats.Along(x.past, x.done, 3, 1, "")); !strings.HasSuffix(got, x.want) {
			t.Errorf("%q, not %q", got, x.want)
		}
	}
}

// TestRow119TheFirstRunForecastsItsRest: once a feature is done, what the others may take
// is not unknown any more.
func TestRow119TheFirstRunForecastsItsRest(t *testing.T) {
	c := stats.Along(nil, took(time.Hour), 3, 1, "")
	if got := frame.ForecastText(c.Forecast); !c.OfRun || !strings.Contains(got, "2h00m (no range yet) for 2 features; based on 1 completed feature") {
		t.Errorf("%q", got)
	}
}
