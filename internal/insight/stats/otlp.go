package stats

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"kedge"
)

// The names of OpenTelemetry's conventions for generative AI, as their
// repository semantic-conventions-genai has them (status: development).
const (
	genAITokens   = "gen_ai.client.token.usage"
	genAIDuration = "gen_ai.client.operation.duration"

	attrOperation = "gen_ai.operation.name"
	attrProvider  = "gen_ai.provider.name"
	attrModel     = "gen_ai.request.model"
	attrAgent     = "gen_ai.agent.name"
	attrTokenType = "gen_ai.token.type"
	attrError     = "error.type"

	invokeAgent = "invoke_agent" // a session is one invocation of an agent
)

// The bounds of the buckets that the conventions ask for.
var (
	tokenBounds    = []float64{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864}
	durationBounds = []float64{0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}
)

// otlp and what follows is the JSON of OTLP, as far as it is used: numbers of 64
// bits are strings there, enumerations numbers.
type otlp struct {
	ResourceMetrics []resourceMetrics `json:"resourceMetrics"`
}

type resourceMetrics struct {
	Resource     resource       `json:"resource"`
	ScopeMetrics []scopeMetrics `json:"scopeMetrics"`
}

type resource struct {
	Attributes []attribute `json:"attributes"`
}

type scopeMetrics struct {
	Scope   scope        `json:"scope"`
	Metrics []otelMetric `json:"metrics"`
}

type scope struct {
	Name string `json:"name"`
}

type otelMetric struct {
	Name        string     `json:"name"`
	Description string     `json:"description"`
	Unit        string     `json:"unit"`
	Sum         *otelSum   `json:"sum,omitempty"`
	Gauge       *otelGauge `json:"gauge,omitempty"`
	Histogram   *histogram `json:"histogram,omitempty"`
}

// cumulative is the number of AGGREGATION_TEMPORALITY_CUMULATIVE.
const cumulative = 2

type otelSum struct {
	Temporality int         `json:"aggregationTemporality"`
	Monotonic   bool        `json:"isMonotonic"`
	DataPoints  []dataPoint `json:"dataPoints"`
}

// otelGauge is what can fall: it has no beginning.
type otelGauge struct {
	DataPoints []dataPoint `json:"dataPoints"`
}

type dataPoint struct {
	Attributes []attribute `json:"attributes"`
	Start      string      `json:"startTimeUnixNano,omitempty"` // of a sum
	Time       string      `json:"timeUnixNano"`
	Value      float64     `json:"asDouble"`
}

type histogram struct {
	Temporality int              `json:"aggregationTemporality"`
	DataPoints  []histogramPoint `json:"dataPoints"`
}

type histogramPoint struct {
	Attributes []attribute `json:"attributes"`
	Start      string      `json:"startTimeUnixNano"`
	Time       string      `json:"timeUnixNano"`
	Count      string      `json:"count"`
	Sum        float64     `json:"sum"`
	Buckets    []string    `json:"bucketCounts"`
	Bounds     []float64   `json:"explicitBounds"`
	Min        float64     `json:"min"`
	Max        float64     `json:"max"`

	values []float64
}

type attribute struct {
	Key   string         `json:"key"`
	Value attributeValue `json:"value"`
}

type attributeValue struct {
	String string `json:"stringValue"`
}

func attr(key, value string) attribute {
	return attribute{Key: key, Value: attributeValue{String: value}}
}

// OTLP gives the rows of a report by session as metrics of OpenTelemetry: the
// JSON that a collector takes at /v1/metrics. Each session is one operation. What
// is unknown is left out.
func OTLP(project string, r Report, now time.Time) ([]byte, error) {
	res := resource{Attributes: []attribute{attr("service.name", "kedge")}}
	if project != "" {
		res.Attributes = append(res.Attributes, attr("kedge.project", project))
	}
	m := &otelMaker{now: nano(now), start: nano(now)}
	for _, row := range r.Rows {
		if row.StartedAt != nil {
			m.start = nano(*row.StartedAt)
			break // they are in the order of time
		}
	}
	out := otlp{ResourceMetrics: []resourceMetrics{{Resource: res, ScopeMetrics: []scopeMetrics{{Scope: scope{Name: "kedge"}, Metrics: m.metrics(r)}}}}}
	return json.MarshalIndent(out, "", "  ")
}

func nano(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

// otelMaker makes data points of one span of time.
type otelMaker struct{ start, now string }

func (m *otelMaker) metrics(r Report) []otelMetric {
	tokens, duration := &histogram{Temporality: cumulative}, &histogram{Temporality: cumulative}
	interruptions, recovery, productive, cost := sum(), sum(), sum(), sum()
	features, lines := &otelGauge{}, &otelGauge{}
	for _, row := range r.Rows {
		who := row.attributes()
		op := append([]attribute{attr(attrOperation, invokeAgent)}, who...)
		if k := row.Kinds; k != nil {
			m.record(tokens, float64(allInput(*k)), append(slices.Clone(op), attr(attrTokenType, "input")))
			m.record(tokens, float64(k.Output), append(slices.Clone(op), attr(attrTokenType, "output")))
		}
		if row.StartedAt != nil && row.EndedAt != nil {
			for _, x := range row.Interruptions {
				op = append(op, attr(attrError, string(x.Cause)))
			}
			m.record(duration, max(0, row.EndedAt.Sub(*row.StartedAt).Seconds()), op)
		}
		for _, x := range row.Interruptions {
			why := append(slices.Clone(who), attr("kedge.cause", string(x.Cause)))
			m.count(interruptions, float64(x.Count), why)
			m.count(recovery, x.Minutes*60, why)
		}
		m.count(productive, row.ProductiveMinutes*60, who)
		m.stand(features, float64(row.VerifiedFeatures), who)
		if row.USD != nil {
			m.count(cost, *row.USD, who)
		}
		if row.VerifiedLines != nil {
			m.stand(lines, float64(*row.VerifiedLines), who)
		}
	}
	all := []otelMetric{
		{Name: genAITokens, Unit: "{token}", Description: "Tokens that sessions used; input has cache reads and writes.", Histogram: tokens.done(tokenBounds)},
		{Name: genAIDuration, Unit: "s", Description: "How long sessions that ended lasted.", Histogram: duration.done(durationBounds)},
		{Name: "kedge.session.interruptions", Unit: "{interruption}", Description: "Sessions that ended before their work was done.", Sum: interruptions},
		{Name: "kedge.recovery.duration", Unit: "s", Description: "Time until the work of interrupted sessions continued.", Sum: recovery},
		{Name: "kedge.productive.duration", Unit: "s", Description: "Time that sessions worked.", Sum: productive},
		{Name: "kedge.cost", Unit: "USD", Description: "Known cost of sessions.", Sum: cost},
		{Name: "kedge.verified.features", Unit: "{feature}", Description: "Features that are verified.", Gauge: features},
		{Name: "kedge.verified.lines", Unit: "{line}", Description: "Lines that verified features added and removed.", Gauge: lines},
	}
	return slices.DeleteFunc(all, otelMetric.empty)
}

func (m otelMetric) empty() bool {
	return m.Sum != nil && len(m.Sum.DataPoints) == 0 || m.Gauge != nil && len(m.Gauge.DataPoints) == 0 || m.Histogram != nil && len(m.Histogram.DataPoints) == 0
}

func sum() *otelSum { return &otelSum{Temporality: cumulative, Monotonic: true} }

// attributes say whose figures they are.
func (r Row) attributes() []attribute {
	out := []attribute{attr(attrProvider, provider(r.Model, r.Agent))}
	if r.Model != "" {
		out = append(out, attr(attrModel, r.Model))
	}
	if r.Agent != "" {
		out = append(out, attr(attrAgent, r.Agent))
	}
	return out
}

func allInput(k kedge.TokenKinds) int64 { return k.Input + k.CacheRead + k.CacheWrite }

// record adds a value to the point with these attributes.
func (m *otelMaker) record(h *histogram, v float64, attrs []attribute) {
	i := slices.IndexFunc(h.DataPoints, func(p histogramPoint) bool { return slices.Equal(p.Attributes, attrs) })
	if i < 0 {
		h.DataPoints = append(h.DataPoints, histogramPoint{Attributes: attrs, Start: m.start, Time: m.now})
		i = len(h.DataPoints) - 1
	}
	h.DataPoints[i].values = append(h.DataPoints[i].values, v)
}

// count adds to the sum with these attributes.
func (m *otelMaker) count(s *otelSum, v float64, attrs []attribute) {
	s.DataPoints = add(s.DataPoints, v, dataPoint{Attributes: attrs, Start: m.start, Time: m.now})
}

// stand adds to what stands now with these attributes.
func (m *otelMaker) stand(g *otelGauge, v float64, attrs []attribute) {
	g.DataPoints = add(g.DataPoints, v, dataPoint{Attributes: attrs, Time: m.now})
}

// add adds to the point that has the attributes of another, or to that one.
func add(list []dataPoint, v float64, to dataPoint) []dataPoint {
	i := slices.IndexFunc(list, func(p dataPoint) bool { return slices.Equal(p.Attributes, to.Attributes) })
	if i < 0 {
		i = len(list)
		list = append(list, to)
	}
	list[i].Value = millionths(list[i].Value + v)
	return list
}

// done puts the values into buckets: one holds what is at most its bound and
// above the bound before.
func (h *histogram) done(bounds []float64) *histogram {
	for i := range h.DataPoints {
		p := &h.DataPoints[i]
		counts := make([]int, len(bounds)+1)
		for _, v := range p.values {
			at, _ := slices.BinarySearch(bounds, v)
			counts[at]++
			p.Sum = millionths(p.Sum + v)
		}
		for _, n := range counts {
			p.Buckets = append(p.Buckets, strconv.Itoa(n))
		}
		p.Count, p.Bounds = strconv.Itoa(len(p.values)), bounds
		p.Min, p.Max = slices.Min(p.values), slices.Max(p.values)
	}
	return h
}

// providers are the names that the conventions have, by how models are called.
var providers = []struct{ start, name string }{
	{"claude", "anthropic"},
	{"gpt", "openai"},
	{"o1", "openai"},
	{"o3", "openai"},
	{"o4", "openai"},
	{"codex", "openai"},
	{"gemini", "gcp.gemini"},
	{"deepseek", "deepseek"},
	{"grok", "x_ai"},
	{"mistral", "mistral_ai"},
	{"devstral", "mistral_ai"},
	{"codestral", "mistral_ai"},
	{"kimi", "moonshot_ai"},
}

// provider is whose model it is, by its name, else by the agent's; "unknown"
// where neither tells: the conventions require a value.
func provider(model, agent string) string {
	for _, name := range []string{model, agent} {
		for _, p := range providers {
			if strings.HasPrefix(strings.ToLower(name), p.start) {
				return p.name
			}
		}
	}
	return "unknown"
}
