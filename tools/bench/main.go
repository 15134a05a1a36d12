// Command bench measures Kedge beside a peer in the same run and prints the
// ratio: absolute times mean little on a shared machine. Each figure is the
// median of interleaved pairs, so that a slow moment hits both sides. A goal that
// is missed is exit code 1.
package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"kedge/internal/process/hold"
)

// pairs is how often each pair is measured.
const pairs = 9

func rounds() int { return sized(pairs, 1) }

// result is one line of the table. Ratio is ours to theirs; goal says what it
// should be, and holds whether it is.
type result struct {
	name, ours, theirs string
	ratio              float64
	goal               string
	holds              bool
}

// benches are the groups, by the name that selects them on the command line.
var benches = []struct {
	name string
	run  func(dir string) ([]result, error)
}{
	{"journal", benchJournal},
	{"open", benchOpen},
	{"call", benchCall},
	{"hook", benchHook},
	{"keep/attach", keeping(benchAttach)},
	{"keep/flood", keeping(benchFloodMemory)},
	{"keep/cat", keeping(benchCat)},
	{"keep/echo", keeping(benchEcho)},
	{"keep/create", keeping(benchCreate)},
	{"keep/idle", keeping(benchIdle)},
	{"search", benchSearch},
	{"screen", benchScreen},
	{"run", benchRun},
	{"look/audit", benchAudit},
	{"look/memory", benchAuditMemory},
	{"look/brief", benchBrief},
	{"look/files", benchFiles},
	{"look/usage", benchUsage},
	{"history", benchHistory},
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == "hold" {
		if err := hold.Main(context.Background(), os.Stdin, os.Stdout); err != nil {
			_, _ = os.Stderr.Write(hold.Complain(err))
			os.Exit(1)
		}
		return
	}
	if code, played := play(os.Args[1:]); played {
		os.Exit(code)
	}
	os.Exit(run(os.Args[1:]))
}

func run(only []string) int {
	code := 0
	fmt.Printf("%-52s %16s %16s %8s  %s\n", "", "kedge", "beside", "ratio", "goal")
	for _, b := range benches {
		group, _, _ := strings.Cut(b.name, "/")
		if len(only) > 0 && !slices.Contains(only, b.name) && !slices.Contains(only, group) {
			continue
		}
		missed, err := bench(b.run)
		if err != nil {
			fmt.Fprintf(os.Stderr, "bench %s: %v\n", b.name, err)
		}
		if missed > 0 || err != nil {
			code = 1
		}
	}
	return code
}

// bench prints one group and counts the goals it missed.
func bench(f func(dir string) ([]result, error)) (missed int, err error) {
	dir, err := os.MkdirTemp(".", ".bench-")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // best effort: it is ignored by git
	results, err := f(dir)
	for _, r := range results {
		verdict := "PASS"
		if !r.holds {
			verdict = "MISS"
			missed++
		}
		fmt.Printf("%-52s %16s %16s %8.2f  %s %s\n", r.name, r.ours, r.theirs, r.ratio, r.goal, verdict)
	}
	return missed, err
}

// interleave measures a and b in turn and gives the median of each.
func interleave(a, b func() (time.Duration, error)) (ma, mb time.Duration, err error) {
	var as, bs []time.Duration
	for range rounds() {
		da, err := a()
		if err != nil {
			return 0, 0, err
		}
		db, err := b()
		if err != nil {
			return 0, 0, err
		}
		as, bs = append(as, da), append(bs, db)
	}
	return median(as), median(bs), nil
}

// evenly measures a and b in turn, the one next of which less time has been measured: what is
// slow on this machine at one moment then slows down both, also where one takes many times as
// long. It gives the mean of each.
func evenly(a, b func() (time.Duration, error)) (ma, mb time.Duration, err error) {
	least := sized(3, 1)
	var sum [2]time.Duration
	var n [2]int
	for n[0] < least || n[1] < least || sum[1] < sum[0]*9/10 || sum[0] < sum[1]*9/10 {
		i, f := 0, a
		if sum[1] < sum[0] {
			i, f = 1, b
		}
		took, err := f()
		if err != nil {
			return 0, 0, err
		}
		sum[i] += took
		n[i]++
	}
	return sum[0] / time.Duration(n[0]), sum[1] / time.Duration(n[1]), nil
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// timed is how long f took.
func timed(f func() error) (time.Duration, error) {
	start := time.Now()
	err := f()
	return time.Since(start), err
}

func perSecond(d time.Duration) string {
	return fmt.Sprintf("%.0f/s", appends/d.Seconds())
}

func short(d time.Duration) string {
	return strings.Replace(d.Round(10*time.Microsecond).String(), "µ", "u", 1)
}
