package stats_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/insight/stats"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs:\n%s", name, got)
	}
}

func bySession(t *testing.T) stats.Report {
	t.Helper()
	return stats.Count(stats.Query{By: "session", Now: at(100), Price: prices}, work(t).j)
}

// The grammar of the text format of Prometheus, as far as it says what a line is.
var (
	commentLine = regexp.MustCompile(`^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$`)
	sampleLine  = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$`)
	labelPair   = regexp.MustCompile(`^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)`)
)

// parsePrometheus reads the text format and refuses what is not of it: a metric
// without help and type before its samples, or in two places, a name outside
// kedge_, a broken label, a value that is no number, the same series twice.
func parsePrometheus(text string) (map[string]float64, error) {
	out, types, current := map[string]float64{}, map[string]string{}, ""
	if !strings.HasSuffix(text, "\n") {
		return nil, fmt.Errorf("the last line has no end")
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if m := commentLine.FindStringSubmatch(line); m != nil {
			switch {
			case m[1] == "HELP" && types[m[2]] != "":
				return nil, fmt.Errorf("%s has two places", m[2])
			case m[1] == "HELP":
				current, types[m[2]] = m[2], "untyped"
			case m[2] != current || m[3] != "counter" && m[3] != "gauge":
				return nil, fmt.Errorf("type %q", line)
			default:
				types[m[2]] = m[3]
			}
			continue
		}
		m := sampleLine.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("no sample: %q", line)
		}
		if m[1] != current || types[current] == "untyped" || !strings.HasPrefix(m[1], "kedge_") {
			return nil, fmt.Errorf("a sample out of its place: %q", line)
		}
		if types[current] == "counter" != strings.HasSuffix(current, "_total") {
			return nil, fmt.Errorf("%s is a %s", current, types[current])
		}
		for rest := m[2]; rest != ""; {
			p := labelPair.FindString(rest)
			if p == "" {
				return nil, fmt.Errorf("labels %q", rest)
			}
			rest = rest[len(p):]
		}
		v, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			return nil, err
		}
		key := m[1] + "{" + m[2] + "}"
		if _, twice := out[key]; twice {
			return nil, fmt.Errorf("%s twice", key)
		}
		out[key] = v
	}
	return out, nil
}

func TestPrometheus(t *testing.T) {
	var b bytes.Buffer
	if err := stats.Prometheus(&b, `sh"op\`, bySession(t)); err != nil {
		t.Fatal(err)
	}
	got, err := parsePrometheus(b.String())
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	const who = `{project="sh\"op\\",agent="claude",model="big"`
	for key, want := range map[string]float64{
		"kedge_sessions_total" + who + "}":                                                         2,
		"kedge_verified_features" + who + "}":                                                      2,
		"kedge_verified_lines" + who + "}":                                                         100,
		"kedge_cost_usd_total" + who + "}":                                                         8,
		"kedge_tokens_total" + who + `,kind="output"}`:                                             1_000_000,
		"kedge_productive_seconds_total" + who + "}":                                               16 * 60,
		"kedge_unknown_cost_sessions" + who + "}":                                                  0,
		`kedge_overhead_ratio{project="sh\"op\\"}`:                                                 0,
		`kedge_interruptions_total{project="sh\"op\\",agent="codex",model="small",cause="killed"}`: 1,
		`kedge_unknown_cost_sessions{project="sh\"op\\",agent="codex",model="small"}`:              1,
	} {
		if v, ok := got[key]; !ok || v != want {
			t.Errorf("%s is %v, want %v", key, v, want)
		}
	}
	if _, ok := got[`kedge_cost_usd_total{project="sh\"op\\",agent="codex",model="small"}`]; ok {
		t.Error("an unknown cost has a sample")
	}
	golden(t, "prometheus.txt", b.Bytes())
	b.Reset()
	if err := stats.Prometheus(&b, "", stats.Count(stats.Query{By: "session", Now: monday})); err != nil || b.Len() != 0 {
		t.Errorf("of nothing: %q, %v", b.String(), err)
	}
}

// TestCountersNeverFall: when a feature regresses, only gauges fall.
func TestCountersNeverFall(t *testing.T) {
	p := work(t)
	series := func() map[string]float64 {
		var b bytes.Buffer
		if err := stats.Prometheus(&b, "p", stats.Count(stats.Query{By: "session", Now: at(100), Price: prices}, p.j)); err != nil {
			t.Fatal(err)
		}
		out, err := parsePrometheus(b.String())
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	before := series()
	p.add(70, kedge.FeatureStatus, kedge.FeatureStatusData{ID: "a", Status: kedge.Regressed})
	fell := 0
	for key, v := range series() {
		if v < before[key] {
			fell++
			if name, _, _ := strings.Cut(key, "{"); strings.HasSuffix(name, "_total") {
				t.Errorf("%s fell from %v to %v", name, before[key], v)
			}
		}
	}
	if fell != 2 {
		t.Errorf("%d series fell", fell)
	}
}

// FuzzPrometheusLabels: whatever an agent or a model is called, the text is of
// the format.
func FuzzPrometheusLabels(f *testing.F) {
	f.Add("claude", "a\"b\\c\nd")
	f.Fuzz(func(t *testing.T, agent, model string) {
		row := stats.Row{Agent: agent, Model: model}
		row.Sessions = 1
		var b bytes.Buffer
		if err := stats.Prometheus(&b, "p", stats.Report{Rows: []stats.Row{row}}); err != nil {
			t.Fatal(err)
		}
		if _, err := parsePrometheus(b.String()); err != nil {
			t.Errorf("%v\n%s", err, b.String())
		}
	})
}

func TestOTLP(t *testing.T) {
	b, err := stats.OTLP("shop", bySession(t), at(100))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "otlp.json", append(b, '\n'))
	type point struct {
		Attributes []struct {
			Key   string
			Value struct{ StringValue string }
		}
		Count        string
		Sum          float64
		BucketCounts []string
		AsDouble     float64
	}
	var doc struct {
		ResourceMetrics []struct {
			ScopeMetrics []struct {
				Metrics []struct {
					Name, Unit string
					Sum, Gauge struct{ DataPoints []point }
					Histogram  struct {
						AggregationTemporality int
						DataPoints             []point
					}
				}
			}
		}
	}
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, m := range doc.ResourceMetrics[0].ScopeMetrics[0].Metrics {
		if falls := strings.HasPrefix(m.Name, "kedge.verified."); falls != (len(m.Gauge.DataPoints) > 0) {
			t.Errorf("%s is of the wrong kind: what can fall is a gauge, and nothing else", m.Name)
		}
		for _, p := range slices.Concat(m.Histogram.DataPoints, m.Sum.DataPoints, m.Gauge.DataPoints) {
			var who []string
			for _, a := range p.Attributes {
				who = append(who, a.Key+"="+a.Value.StringValue)
			}
			found[m.Name+" "+strings.Join(who, " ")] = fmt.Sprint(m.Unit, " ", p.Count, " ", p.Sum, " ", p.AsDouble, " ", len(p.BucketCounts))
		}
	}
	const who = "gen_ai.provider.name=openai gen_ai.request.model=small gen_ai.agent.name=codex"
	for key, want := range map[string]string{
		"gen_ai.client.token.usage gen_ai.operation.name=invoke_agent gen_ai.provider.name=anthropic gen_ai.request.model=big gen_ai.agent.name=claude gen_ai.token.type=input": "{token} 2 1e+06 0 15",
		"gen_ai.client.token.usage gen_ai.operation.name=invoke_agent " + who + " gen_ai.token.type=output":                                                                     "{token} 1 500000 0 15",
		"gen_ai.client.operation.duration gen_ai.operation.name=invoke_agent " + who + " error.type=killed":                                                                     "s 1 600 0 15",
		"kedge.session.interruptions " + who + " kedge.cause=killed":                                                                                                            "{interruption}  0 1 0",
		"kedge.verified.features gen_ai.provider.name=anthropic gen_ai.request.model=big gen_ai.agent.name=claude":                                                              "{feature}  0 2 0",
	} {
		if found[key] != want {
			t.Errorf("%s is %q, want %q", key, found[key], want)
		}
	}
}

// TestOTLPBuckets: what is at a bound belongs below it.
func TestOTLPBuckets(t *testing.T) {
	row := stats.Row{Agent: "codex"}
	row.Kinds = &kedge.TokenKinds{Input: 1, CacheRead: 2, CacheWrite: 1, Output: 5}
	b, err := stats.OTLP("", stats.Report{Rows: []stats.Row{row}}, monday)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(b)), "")
	for _, want := range []string{`"bucketCounts":["0","1","0",`, `"bucketCounts":["0","0","1",`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
}
