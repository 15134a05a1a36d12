package hold

import (
	"context"
	"time"

	"kedge"
)

// Sample is what was seen of a session at one moment.
type Sample struct {
	At  time.Time
	CPU time.Duration // that its processes have used so far
	End int64         // of its tape
}

// Activity is what a session does, by what it prints and computes. Whether it
// waits for a person only its agent can say (LastSaid).
type Activity string

// The activities. Unknown: it has not been watched for long enough.
const (
	Unknown  Activity = ""
	Working  Activity = "working"  // it printed something
	Spinning Activity = "spinning" // it prints nothing and computes
	Hung     Activity = "hung"     // it does neither
)

// spinShare is the part of one processor that counts as computing: more than
// what a program that waits needs to look around.
const spinShare = 20 // one 20th

// Judge tells what a session does, from samples in order of time: it is quiet
// when nothing was printed for at least as long as quiet before the last sample.
func Judge(samples []Sample, quiet time.Duration) Activity {
	if len(samples) == 0 {
		return Unknown
	}
	last := samples[len(samples)-1]
	since := last
	for i := len(samples) - 1; i >= 0; i-- {
		if samples[i].End != last.End {
			return judgeQuiet(since, last, quiet, Working)
		}
		since = samples[i]
	}
	return judgeQuiet(since, last, quiet, Unknown)
}

// judgeQuiet judges the time without output, from since to last; when that is
// too short it is what it would be otherwise.
func judgeQuiet(since, last Sample, quiet time.Duration, otherwise Activity) Activity {
	silent := last.At.Sub(since.At)
	switch {
	case silent < quiet:
		return otherwise
	case last.CPU-since.CPU >= silent/spinShare:
		return Spinning
	default:
		return Hung
	}
}

// Sample looks at the session now, which is at. It is NotFound where the system
// does not tell how much its processes compute.
func (c *Client) Sample(ctx context.Context, at time.Time) (Sample, error) {
	if tick == 0 {
		return Sample{}, kedge.Errorf(kedge.NotFound, "this system does not report how much CPU time a session uses")
	}
	st, err := c.State(ctx)
	if err != nil {
		return Sample{}, err
	}
	s := Sample{At: at, End: st.End}
	for _, p := range kinOf(c.Greeting.Holder.PID) {
		s.CPU += time.Duration(p.ticks) * tick
	}
	return s, nil
}
