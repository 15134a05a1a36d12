package stats

import (
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// sample is one line of a metric: its labels, in order, and its value.
type sample struct {
	labels [][2]string
	value  float64
}

// metric is what Prometheus is told under one name.
type metric struct {
	name, kind, help string
	samples          []sample
}

// add sums values of the same labels.
func (m *metric) add(v float64, labels ...[2]string) {
	i := slices.IndexFunc(m.samples, func(s sample) bool { return slices.Equal(s.labels, labels) })
	if i < 0 {
		m.samples = append(m.samples, sample{labels: labels})
		i = len(m.samples) - 1
	}
	m.samples[i].value += v
}

// Prometheus writes the rows of a report by session in the text format of
// Prometheus, version 0.0.4: per agent and model. What is unknown is left out,
// and counted by metrics of its own. Project names whose they are; empty: all.
func Prometheus(w io.Writer, project string, r Report) error {
	var b strings.Builder
	for _, m := range prometheus(project, r) {
		if len(m.samples) == 0 {
			continue
		}
		b.WriteString("# HELP " + m.name + " " + m.help + "\n# TYPE " + m.name + " " + m.kind + "\n")
		for _, s := range m.samples {
			b.WriteString(m.name + labelText(s.labels) + " " + strconv.FormatFloat(millionths(s.value), 'g', -1, 64) + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// prometheus makes the metrics in the order in which they are written. What can
// fall is a gauge: a feature that regressed is verified no longer, and a session
// may tell later what it used.
func prometheus(project string, r Report) []metric {
	sessions := metric{"kedge_sessions_total", "counter", "Sessions that began.", nil}
	interruptions := metric{"kedge_interruptions_total", "counter", "Sessions that ended before their work was done, by cause.", nil}
	recovery := metric{"kedge_recovery_seconds_total", "counter", "Time until the work of interrupted sessions continued, by cause.", nil}
	productive := metric{"kedge_productive_seconds_total", "counter", "Time that sessions worked, from their first action on.", nil}
	tokens := metric{"kedge_tokens_total", "counter", "Tokens that sessions reported, by kind.", nil}
	cost := metric{"kedge_cost_usd_total", "counter", "Known cost of sessions in USD: as the agent reported it, else from prices.", nil}
	noTokens := metric{"kedge_unknown_usage_sessions", "gauge", "Sessions that reported no usage.", nil}
	noCost := metric{"kedge_unknown_cost_sessions", "gauge", "Sessions whose cost is unknown.", nil}
	features := metric{"kedge_verified_features", "gauge", "Features that are verified.", nil}
	lines := metric{"kedge_verified_lines", "gauge", "Lines added and removed by verified features, as far as they were counted.", nil}
	overhead := metric{"kedge_overhead_ratio", "gauge", "Recovery time divided by productive time.", nil}

	var own [][2]string
	if project != "" {
		own = [][2]string{{"project", project}}
	}
	for _, row := range r.Rows {
		with := func(more ...[2]string) [][2]string {
			return append(append(slices.Clone(own), [2]string{"agent", row.Agent}, [2]string{"model", row.Model}), more...)
		}
		sessions.add(float64(row.Sessions), with()...)
		for _, x := range row.Interruptions {
			interruptions.add(float64(x.Count), with([2]string{"cause", string(x.Cause)})...)
			recovery.add(x.Minutes*60, with([2]string{"cause", string(x.Cause)})...)
		}
		productive.add(row.ProductiveMinutes*60, with()...)
		if k := row.Kinds; k != nil {
			tokens.add(float64(k.Input), with([2]string{"kind", "input"})...)
			tokens.add(float64(k.CacheRead), with([2]string{"kind", "cache_read"})...)
			tokens.add(float64(k.CacheWrite), with([2]string{"kind", "cache_write"})...)
			tokens.add(float64(k.Output), with([2]string{"kind", "output"})...)
		}
		if row.USD != nil {
			cost.add(*row.USD, with()...)
		}
		noTokens.add(float64(row.UnknownTokens), with()...)
		noCost.add(float64(row.UnknownUSD), with()...)
		features.add(float64(row.VerifiedFeatures), with()...)
		if row.VerifiedLines != nil {
			lines.add(float64(*row.VerifiedLines), with()...)
		}
	}
	if r.Total.OverheadRate != nil {
		overhead.add(*r.Total.OverheadRate, own...)
	}
	return []metric{sessions, interruptions, recovery, productive, tokens, cost, noTokens, noCost, features, lines, overhead}
}

// millionths leaves out what adding up floating point numbers puts behind them. A large
// number has no digits left for them.
func millionths(v float64) float64 {
	if math.Abs(v) > 1e9 {
		return v
	}
	return math.Round(v*1e6) / 1e6
}

// labelText is labels as they stand behind a name.
func labelText(labels [][2]string) string {
	if len(labels) == 0 {
		return ""
	}
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
	var parts []string
	for _, l := range labels {
		parts = append(parts, l[0]+`="`+escape.Replace(l[1])+`"`)
	}
	return "{" + strings.Join(parts, ",") + "}"
}
