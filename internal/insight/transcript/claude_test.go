package transcript_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kedge/internal/agents/catalog"
	"kedge/internal/insight/audit"
	"kedge/internal/insight/transcript"
)

// sample is a short session with one of everything: a side chain, a synthetic
// reply, a reply over two lines, a reread, a stale read, a failed and a repeated
// command, a compaction, a broken line, an unknown one, escapes of all kinds.
func sample(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "claude.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func counted(t testing.TB, agent string, b []byte) audit.Figures {
	t.Helper()
	f, _, err := catalog.Transcripts().Count(t.Context(), agent, bytes.NewReader(b), noPrice)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestClaudeByHand: the figures of the sample, counted by hand.
func TestClaudeByHand(t *testing.T) {
	f := counted(t, "claude", sample(t))
	want := map[string][2]int64{
		"calls":             {f.Calls, 5 + 1}, // one to a sub-agent
		"max context":       {*f.MaxContextTokens, 60 + 7000 + 100},
		"start":             {*f.StartTokens, 10 + 2000 + 3000},
		"output":            {*f.OutputTokens, 50 + 20 + 30 + 40 + 60 + 1},
		"compactions":       {f.Compactions, 1},
		"reads":             {f.Reads, 3},
		"rereads":           {f.Rereads, 1},
		"reread chars":      {f.RereadChars, 6},
		"stale":             {f.StaleReadChars, 10},
		"commands":          {f.Commands, 3},
		"failed commands":   {f.FailedCommands, 1},
		"repeated commands": {f.RepeatedCommands, 1},
		"repeated chars":    {f.RepeatedChars, 3},
		"skipped":           {f.SkippedLines, 2},
		"thinking":          {f.Composition.Thinking, 4},
		"assistant":         {f.Composition.AssistantText, 4},
		"user":              {f.Composition.UserText, 5 + 7 + 3},
		"rules":             {f.Sources.Rules, 3},
		"results":           {f.Composition.ToolResult, 10 + 6 + 4 + 2 + 9 + 3 + 5},
		"reads kept":        {f.Sources.FileReads, 6 + 5},
		"stale reads":       {f.Sources.StaleReads, 10},
		"actions to edit":   {*f.ActionsToEdit, 1},
		"read to edit":      {*f.CharsToEdit, 10},
	}
	for name, v := range want {
		if v[0] != v[1] {
			t.Errorf("%s = %d, want %d", name, v[0], v[1])
		}
	}
	if f.USD != nil {
		t.Errorf("a cost of %v, and no price is known", *f.USD)
	}
	if f.Model != "claude-opus-4-6" || f.ID != "5e551011" {
		t.Errorf("model %q, id %q", f.Model, f.ID)
	}
	agree(t, f, countNaive(sample(t)))
}

// agree compares with the second count, every figure of it.
func agree(t *testing.T, f audit.Figures, n *naive) {
	t.Helper()
	if f.Composition != n.composition {
		t.Errorf("composition %+v, counted again %+v", f.Composition, n.composition)
	}
	pairs := map[string][2]int64{
		"calls": {f.Calls, n.calls}, "max context": {orZero(f.MaxContextTokens), n.maxContext}, "output": {orZero(f.OutputTokens), n.output},
		"compactions": {f.Compactions, n.compactions}, "skipped": {f.SkippedLines, n.skipped}, "reads": {f.Reads, n.reads},
		"rereads": {f.Rereads, n.rereads}, "stale": {f.StaleReadChars, n.stale}, "commands": {f.Commands, n.commands},
		"failed": {f.FailedCommands, n.failed}, "repeated": {f.RepeatedCommands, n.repeated},
		"row 22: sources": {f.Sources.Sum(), n.composition.Sum()},
	}
	for name, v := range pairs {
		if v[0] != v[1] {
			t.Errorf("%s = %d, counted again %d", name, v[0], v[1])
		}
	}
	if f.Sources != n.sources || f.Model != n.model() {
		t.Errorf("sources %+v of %q, counted again %+v of %q", f.Sources, f.Model, n.sources, n.model())
	}
	if f.ID != n.id || deref(f.StartedAt) != n.first || deref(f.EndedAt) != n.last {
		t.Errorf("%s from %s to %s, counted again %s from %s to %s", f.ID, deref(f.StartedAt), deref(f.EndedAt), n.id, n.first, n.last)
	}
	if len(f.Models) != len(n.kinds) {
		t.Errorf("%d models, counted again %d", len(f.Models), len(n.kinds))
	}
	for _, m := range f.Models {
		got := naiveSpent{m.Model, m.InputTokens, m.CacheReadTokens, m.CacheWriteTokens, m.CacheWriteHourTokens, m.OutputTokens}
		if got != n.kinds[m.Model] {
			t.Errorf("used %+v, counted again %+v", got, n.kinds[m.Model])
		}
	}
	if len(f.Tools) != len(n.tools) {
		t.Errorf("%d tools, counted again %d", len(f.Tools), len(n.tools))
	}
	for _, tool := range f.Tools {
		again := n.tools[tool.Name]
		if tool.Calls != again.Calls || tool.ResultChars != again.ResultChars || tool.InputChars != again.InputChars || tool.Failed != again.Failed || tool.CarriedChars != n.carried(tool.Name) {
			t.Errorf("tool %+v, counted again %+v, carried %d", tool, again, n.carried(tool.Name))
		}
	}
}

func orZero(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// TestRow22Corpus: on real sessions, whole, cut and damaged, every figure is
// that of a second count which shares no code with the first.
func TestRow22Corpus(t *testing.T) {
	dir := os.Getenv("KEDGE_CORPUS")
	if dir == "" {
		t.Skip("KEDGE_CORPUS names no folder with transcripts of Claude Code (*.jsonl, *.jsonl.gz)")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d transcripts in KEDGE_CORPUS, %v", len(files), err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			b := unpacked(t, path)
			agree(t, counted(t, "claude", b), countNaive(b))
			for seed := range uint64(3) {
				d := damage(b, rand.New(rand.NewPCG(seed, 22)))
				agree(t, counted(t, "claude", d), countNaive(d))
				m := mutate(b, rand.New(rand.NewPCG(seed, 23)))
				agree(t, counted(t, "claude", m), countNaive(m))
			}
		})
	}
}

// TestRow22Mutated: lines of kinds that nobody knows, of sub-agents, twice, in another
// order, with compactions anywhere and characters cut in two are counted as the
// definitions say.
func TestRow22Mutated(t *testing.T) {
	for seed := range uint64(300) {
		m := mutate(sample(t), rand.New(rand.NewPCG(seed, 22)))
		agree(t, counted(t, "claude", m), countNaive(m))
	}
}

// mutate changes whole lines of a transcript, and bytes inside of texts.
func mutate(b []byte, r *rand.Rand) []byte {
	lines := bytes.Split(bytes.TrimSpace(b), []byte("\n"))
	odd := []string{
		`{"type":"future-kind","payload":{"a":[1,{"b":null}]},"timestamp":"2026-02-04T04:10:00.000Z"}`,
		`{"type":"system","subtype":"compact_boundary","timestamp":"2026-02-04T04:10:00.000Z"}`,
		`{"type":"user","isCompactSummary":true,"message":{"content":"gr\u00fc\u00dfe \ud83d\ude00 \ud83d"}}`,
		`{"type":"user","isMeta":true,"message":{"content":[{"type":"text","text":"rule"},{"type":"image","source":{}}]}}`,
		`{"type":"assistant","message":{"id":"m-new","model":"<synthetic>","content":[{"type":"text","text":"none"}],"usage":{"output_tokens":7}}}`,
		`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"nobody","content":"lost","is_error":true}]}}`,
		`{"type":"assistant","isSidechain":true,"message":{"id":"side","content":[{"type":"text","text":"another"}]}}`,
		`{"type":"assistant","isSidechain":true,"message":{"id":"side","model":"small","usage":{"input_tokens":3,"output_tokens":40}}}`,
		`{"type":"progress","data":{"type":"agent_progress","message":{"type":"assistant","requestId":"q","message":{"id":"nested","model":"small","content":[{"type":"text","text":"far"}],"usage":{"input_tokens":5,"cache_creation_input_tokens":900,"cache_creation":{"ephemeral_5m_input_tokens":100,"ephemeral_1h_input_tokens":800},"output_tokens":7}}}}}`,
		`{"type":"progress","data":{"type":"agent_progress","message":{"type":"user","message":{"content":"its brief, and \"usage\""}}}}`,
		`{"type":"user","message":{"content":"cut ` + "\xe2\x82" + `"}}`, "   ", "[]", "null", `"text"`,
	}
	for range 3 + r.IntN(30) {
		at := r.IntN(len(lines))
		switch r.IntN(5) {
		case 0:
			lines = slices.Insert(lines, at, []byte(odd[r.IntN(len(odd))]))
		case 1:
			lines = slices.Insert(lines, r.IntN(len(lines)), lines[at]) // the same ids again, earlier or later
		case 2:
			other := r.IntN(len(lines))
			lines[at], lines[other] = lines[other], lines[at]
		case 3:
			lines[at] = bytes.Replace(lines[at], []byte(`"isSidechain":false`), []byte(`"isSidechain":true`), 1)
		case 4:
			if i := bytes.IndexByte(lines[at], ' '); i >= 0 {
				lines[at] = slices.Clone(lines[at])
				lines[at][i] = "\xff\xc3\xed\x80"[r.IntN(4)]
			}
		}
	}
	return bytes.Join(lines, []byte("\n"))
}

// TestRow22Damaged does the same with the sample.
func TestRow22Damaged(t *testing.T) {
	for seed := range uint64(300) {
		d := damage(sample(t), rand.New(rand.NewPCG(seed, 22)))
		agree(t, counted(t, "claude", d), countNaive(d))
	}
}

func unpacked(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(path, ".gz") {
		return b
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if b, err = io.ReadAll(z); err != nil {
		t.Fatal(err)
	}
	return b
}

// damage cuts the end off, and puts bytes into the middle that do not belong
// there.
func damage(b []byte, r *rand.Rand) []byte {
	b = slices.Clone(b[:len(b)-r.IntN(len(b)/2)])
	for range 1 + r.IntN(20) {
		if at := r.IntN(len(b)); !unread(b, at) {
			b[at] = "\x00\"{}[],:\\\nx5"[r.IntN(12)]
		}
	}
	return b
}

// unread tells whether a byte stands behind the beginning of what nobody reads in its line.
func unread(b []byte, at int) bool {
	line := b[bytes.LastIndexByte(b[:at], '\n')+1 : at]
	return bytes.Contains(line, []byte(`"toolUseResult":`)) || bytes.Contains(line, []byte(`"snapshot":`))
}

// TestDamagedWhereNobodyReads: a line whose damage is in what nobody reads is counted.
func TestDamagedWhereNobodyReads(t *testing.T) {
	const line = `{"type":"user","sessionId":"s","uuid":"u","toolUseResult":{"stdout":"%s"},"message":{"content":"one two"}}` + "\n"
	for _, text := range []string{`whole`, "a\x00b", `\q`, `\u12`, "\xff"} {
		g := counted(t, "claude", fmt.Appendf(nil, line, text))
		if g.SkippedLines != 0 || g.Composition.UserText != 7 {
			t.Errorf("%q: %d lines skipped, %d characters", text, g.SkippedLines, g.Composition.UserText)
		}
	}
	if g := counted(t, "claude", fmt.Appendf(nil, line, `cut"`)); g.SkippedLines != 1 {
		t.Errorf("%d lines skipped where nobody knows what ends where", g.SkippedLines)
	}
}

// TestUnpacksGzip: a transcript may be packed.
func TestUnpacksGzip(t *testing.T) {
	var w bytes.Buffer
	z := gzip.NewWriter(&w)
	if _, err := z.Write(sample(t)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if f := counted(t, "claude", w.Bytes()); f.Calls != 6 {
		t.Errorf("%d calls in the packed sample", f.Calls)
	}
	cut := counted(t, "claude", w.Bytes()[:w.Len()-100])
	if cut.Calls > 6 {
		t.Errorf("%d calls in a part of it", cut.Calls)
	}
}

// TestLongLine: a line beyond the bound is skipped and counted, and the next
// one is read.
func TestLongLine(t *testing.T) {
	long := `{"type":"user","message":{"content":"` + strings.Repeat("x", transcript.MaxLine) + `"}}` + "\n"
	f := counted(t, "claude", []byte(long+`{"type":"user","message":{"content":"next"}}`))
	if f.SkippedLines != 1 || f.Composition.UserText != 4 {
		t.Errorf("skipped %d lines, %d characters", f.SkippedLines, f.Composition.UserText)
	}
}

// TestTwice: of a key that stands in an object twice the last counts, whatever
// kind of value the first was.
func TestTwice(t *testing.T) {
	for _, line := range []string{
		`{"type":"user","message":{"content":"first"},"message":{"content":"é"}}`,
		`{"type":"user","message":{"content":"first","content":[{"type":"text","text":"xy"},7,{"type":"text","text":"z"}]}}`,
		`{"type":"user","message":{"content":[{"type":"text","text":"xy"}],"content":null}}`,
		`{"type":"user","message":{"content":[{"type":"text","text":"xy"}]},"message":"none"}`,
		`{"type":"user","message":{"content":[{"type":"text","text":"xy","text":5}]}}`,
		`{"type":"user","message":{"content":[{"type":"tool_result","content":[{"type":"text","text":"\ud83d"},"b",{"text":"\ude00","type":"text"}],"tool_use_id":"a"}]}}`,
		`{"type":"user","message":{"content":[{"type":"tool_result","content":[{"type":"text","text":"ab"}],"content":"c"}]}}`,
		`{"type":"assistant","message":{"id":"m","usage":{"output_tokens":5},"usage":{"input_tokens":3},"content":[]}}`,
		`{"type":"assistant","message":{"id":"m","usage":{"output_tokens":5},"content":[{"type":"thinking","thinking":"\u00e9\n"}]}}`,
	} {
		agree(t, counted(t, "claude", []byte(line)), countNaive([]byte(line)))
	}
}

// TestStamp: what has the form of entries stays, and only where it is a time.
func TestStamp(t *testing.T) {
	for given, want := range map[string]string{
		"2026-01-06T13:32:06.938Z": "2026-01-06T13:32:06.938Z", "2026-10-31T23:59:59.000Z": "2026-10-31T23:59:59.000Z",
		"2026-02-30T13:32:06.938Z": "", "2026-13-06T13:32:06.938Z": "", "2026-00-06T13:32:06.938Z": "", "2026-01-00T13:32:06.938Z": "",
		"2026-01-06T24:32:06.938Z": "", "2026-01-06T13:60:06.938Z": "", "2026-01-06T13:32:60.938Z": "", "2026-01-06t13:32:06.938Z": "",
		"2026-01-06T13:32:06Z": "2026-01-06T13:32:06.000Z", "2026-01-06T13:32:06.938+02:00": "2026-01-06T11:32:06.938Z", "": "",
	} {
		if got := transcript.Stamp(given); got != want {
			t.Errorf("stamp(%q) = %q, want %q", given, got, want)
		}
	}
}

// TestTexts: entries carry their text where it is asked for, and no other way.
func TestTexts(t *testing.T) {
	var said []string
	_, err := catalog.Transcripts().Read(t.Context(), "claude", bytes.NewReader(sample(t)), transcript.Options{Text: true}, func(e *audit.Entry) {
		if e.Kind == audit.UserText {
			said = append(said, e.Text)
		}
	})
	if err != nil || !slices.Equal(said, []string{"fix é", "hey", "summary"}) {
		t.Errorf("said %q, %v", said, err)
	}
}

func FuzzClaude(f *testing.F) {
	f.Add(sample(f))
	f.Add([]byte(`{"type":"assistant","message":{"id":"a","content":[{"type":"tool_use","input":{"a":"\ud83d\ude00\u0001/"}}]}}`))
	f.Add([]byte("{}\n[]\n{\"message\":7}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		g := counted(t, "claude", b)
		if g.Composition.Sum() != g.Sources.Sum() {
			t.Errorf("composition %+v, sources %+v", g.Composition, g.Sources)
		}
	})
}
