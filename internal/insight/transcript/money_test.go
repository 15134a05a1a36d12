package transcript_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/agents/catalog"
	"kedge/internal/insight/audit"
	"kedge/internal/insight/stats"
)

// bill is what a model was used for, in tokens: input, cache reads, cache writes of five
// minutes, cache writes of an hour, output.
type bill [5]float64

// vendorPrices are those of https://platform.claude.com/docs/en/about-claude/pricing, in
// USD per million tokens, of the models in the corpus.
var vendorPrices = map[string]bill{
	"claude-opus-4-5-20251101":   {5, 0.5, 6.25, 10, 25},
	"claude-opus-4-6":            {5, 0.5, 6.25, 10, 25},
	"claude-sonnet-4-5-20250929": {3, 0.3, 3.75, 6, 15},
	"claude-haiku-4-5-20251001":  {1, 0.1, 1.25, 2, 5},
}

// billOf counts a transcript of Claude Code by its format alone. A reply is in several
// lines, one for each of its blocks, of which the last has all that it used; a reply to a
// sub-agent is in the news of its progress.
func billOf(t *testing.T, b []byte) (models map[string]bill, usd float64) {
	t.Helper()
	type message struct {
		ID, Model string
		Usage     *struct {
			Input  float64 `json:"input_tokens"`
			Read   float64 `json:"cache_read_input_tokens"`
			Output float64 `json:"output_tokens"`
			Write  struct {
				Short float64 `json:"ephemeral_5m_input_tokens"`
				Long  float64 `json:"ephemeral_1h_input_tokens"`
			} `json:"cache_creation"`
		}
	}
	type line struct {
		Message message
		Data    struct {
			Message struct{ Message message }
		}
	}
	last := map[string]message{}
	for text := range bytes.Lines(b) {
		var l line
		if json.Unmarshal(text, &l) != nil {
			continue // of another kind, with fields of the same names
		}
		for _, m := range []message{l.Message, l.Data.Message.Message} {
			if m.Usage != nil && m.Model != "<synthetic>" {
				last[m.ID] = m
			}
		}
	}
	models = map[string]bill{}
	for _, m := range last {
		price, known := vendorPrices[m.Model]
		if !known {
			t.Fatalf("no price of %s is written down here", m.Model)
		}
		sum := models[m.Model]
		for i, n := range [...]float64{m.Usage.Input, m.Usage.Read, m.Usage.Write.Short, m.Usage.Write.Long, m.Usage.Output} {
			sum[i] += n
			usd += n * price[i] / 1e6
		}
		models[m.Model] = sum
	}
	return models, usd
}

// near tells whether two figures are the same within a thousandth.
func near(a, b float64) bool { return math.Abs(a-b) <= 0.001*math.Max(math.Abs(a), math.Abs(b)) }

// carried are the prices that Kedge has.
func carried(t *testing.T) audit.Price {
	t.Helper()
	table, err := stats.EmbeddedPrices()
	if err != nil {
		t.Fatal(err)
	}
	return func(model, at string, u audit.Usage) *float64 {
		when, err := time.Parse(time.RFC3339, at)
		if err != nil {
			return nil
		}
		return table.Request(model, when, kedge.TokenKinds{Input: u.Input, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, CacheWriteHour: u.Hour, Output: u.Output})
	}
}

// TestMoneyOfRealSessions: the tokens of each model, by kind, and the money are those that
// a count by the format and the vendor's price list gives, in every session.
func TestMoneyOfRealSessions(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "money", "*.jsonl"))
	if err != nil || len(files) < 3 {
		t.Fatalf("%d excerpts, %v", len(files), err)
	}
	corpus := os.Getenv("KEDGE_CORPUS")
	if corpus == "" {
		corpus = filepath.Join("..", "..", "..", "..", "shared", "corpus")
	}
	whole, err := filepath.Glob(filepath.Join(corpus, "*.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if len(whole) == 0 {
		t.Run("whole sessions", func(t *testing.T) {
			t.Skipf("no *.jsonl.gz in %s, and KEDGE_CORPUS names no other folder: only the excerpts are counted again", corpus)
		})
	}
	for _, path := range append(files, whole...) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			b := unpacked(t, path)
			want, usd := billOf(t, b)
			f, _, err := catalog.Transcripts().Count(t.Context(), "claude", bytes.NewReader(b), carried(t))
			if err != nil {
				t.Fatal(err)
			}
			if f.USD == nil || !near(*f.USD, usd) || f.UnpricedCalls > 0 || f.UnknownUSD > 0 {
				t.Errorf("cost %v with %d unknown, counted again %v", deusd(f.USD), f.UnpricedCalls, usd)
			}
			if len(f.Models) != len(want) {
				t.Errorf("%d models, counted again %d", len(f.Models), len(want))
			}
			for _, m := range f.Models {
				short := m.CacheWriteTokens - m.CacheWriteHourTokens
				got := bill{float64(m.InputTokens), float64(m.CacheReadTokens), float64(short), float64(m.CacheWriteHourTokens), float64(m.OutputTokens)}
				for i := range got {
					if !near(got[i], want[m.Model][i]) {
						t.Errorf("%s used %v, counted again %v", m.Model, got, want[m.Model])
						break
					}
				}
			}
		})
	}
}

func deusd(v *float64) float64 {
	if v == nil {
		return -1
	}
	return *v
}

// TestRepliesInTwoFilesCountOnce: a session and its sub-agent's own transcript have the
// same replies, and so have a session and its fork: each counts once, where it belongs, by
// its last usage there.
func TestRepliesInTwoFilesCountOnce(t *testing.T) {
	reply := func(id string, output string) string {
		return `{"type":"assistant","timestamp":"2026-02-04T04:10:00.000Z","sessionId":"s","requestId":"req_` + id + `","message":{"id":"msg_` + id +
			`","model":"claude-opus-4-6","content":[],"usage":{"input_tokens":100,"output_tokens":` + output + `}}}` + "\n"
	}
	news := func(id string, output string) string {
		inner := strings.TrimSpace(reply(id, output))
		return `{"type":"progress","timestamp":"2026-02-04T04:10:01.000Z","sessionId":"s","data":{"type":"agent_progress","message":` + inner + `}}` + "\n"
	}
	side := strings.ReplaceAll(reply("sub", "5")+reply("sub", "70"), `"type":"assistant"`, `"type":"assistant","isSidechain":true,"agentId":"a"`)
	for _, c := range []struct {
		name  string
		files [][2]string // name and text
		want  []int64     // output tokens of each
		again []int64     // copied replies of each
	}{
		{"a sub-agent with its own file", [][2]string{{"s.jsonl", reply("1", "10") + news("sub", "5")}, {"agent-a.jsonl", side}}, []int64{10, 70}, []int64{1, 0}},
		{"without one", [][2]string{{"s.jsonl", reply("1", "10") + news("sub", "5") + news("sub", "6")}}, []int64{16}, []int64{0}},
		{"a fork", [][2]string{{"s.jsonl", reply("1", "3") + reply("1", "10") + reply("2", "20")}, {"t.jsonl", reply("1", "10") + reply("3", "30")}}, []int64{30, 30}, []int64{0, 1}},
		{"a fork that says so, listed first", [][2]string{
			{"a.jsonl", strings.Replace(reply("1", "10"), `"type"`, `"forkedFrom":{"sessionId":"s","messageUuid":"u"},"type"`, 1) + reply("3", "30")}, {"s.jsonl", reply("1", "10")},
		}, []int64{30, 10}, []int64{1, 0}},
		{"another request with an id that was used", [][2]string{{"s.jsonl", reply("1", "10")}, {"t.jsonl", strings.Replace(reply("1", "11"), "req_1", "req_2", 1)}}, []int64{10, 11}, []int64{0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			var list []audit.Figures
			for _, f := range c.files {
				path := filepath.Join(dir, f[0])
				if err := os.WriteFile(path, []byte(f[1]), 0o600); err != nil {
					t.Fatal(err)
				}
				opened, err := catalog.Transcripts().Open(t.Context(), path)
				if err != nil || len(opened) != 1 {
					t.Fatalf("%v, %v", opened, err)
				}
				g, err := catalog.Transcripts().CountFile(t.Context(), opened[0], carried(t), nil)
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, g)
			}
			audit.Once(list, carried(t))
			for i, g := range list {
				if orZero(g.OutputTokens) != c.want[i] || g.CopiedCalls != c.again[i] {
					t.Errorf("%s: %d tokens of output and %d copies, want %d and %d", c.files[i][0], orZero(g.OutputTokens), g.CopiedCalls, c.want[i], c.again[i])
				}
			}
		})
	}
}
