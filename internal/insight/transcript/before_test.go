package transcript

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"strings"
	"testing"

	"kedge/internal/insight/audit"
)

func zipped(t *testing.T, s string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestFirstLines(t *testing.T) {
	for _, c := range []struct {
		in    string
		lines int
		want  string
		n     int
	}{
		{"a\nb\nc\n", 2, "a\nb\n", 2},
		{"a\nb\nc\n", 0, "", 0},
		{"a\nb\nc\n", 3, "a\nb\nc\n", 3},
		{"a\nb\nc\n", 9, "a\nb\nc\n", 3},
		{"a\nb\nc", 9, "a\nb\nc", 3},
		{"\n\nc", 2, "\n\n", 2},
		{"", 5, "", 0},
	} {
		for _, in := range []string{c.in, zipped(t, c.in)} {
			f, err := newFirstLines(strings.NewReader(in), c.lines)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(f)
			if err != nil || string(got) != c.want || f.n != c.n {
				t.Errorf("the first %d of %q: %q, %d lines (%v)", c.lines, c.in, got, f.n, err)
			}
		}
	}
}

// TestBefore: no entry of a later line is given, and the lines are counted.
func TestBefore(t *testing.T) {
	const line = `{"type":"user","uuid":"u","message":{"content":"x"}}` + "\n"
	for before, want := range map[int]int{1: 0, 3: 2, 5: 4, 9: 4} {
		said := 0
		m, err := Read(context.Background(), "claude", strings.NewReader(strings.Repeat(line, 4)), Options{Before: before}, func(e *audit.Entry) {
			if e.Kind == audit.UserText {
				said++
			}
		})
		if err != nil || said != want || m.Lines != want {
			t.Errorf("before %d: %d texts of %d lines (%v)", before, said, m.Lines, err)
		}
	}
}

// TestQueuedText: what was typed while the model worked is given, and not
// counted as text of the conversation.
func TestQueuedText(t *testing.T) {
	in := `{"type":"queue-operation","operation":"enqueue","timestamp":"2026-02-10T03:27:08.380Z","sessionId":"s","content":"not the \"docs\""}
{"type":"queue-operation","operation":"remove","timestamp":"2026-02-10T03:27:08.380Z","sessionId":"s"}
`
	var got []string
	c := audit.NewCounter("claude")
	_, err := Read(context.Background(), "claude", strings.NewReader(in), Options{Text: true}, func(e *audit.Entry) {
		c.Add(e)
		if e.Kind == audit.Queued {
			got = append(got, e.Text)
		}
	})
	if err != nil || len(got) != 1 || got[0] != `not the "docs"` {
		t.Errorf("%q (%v)", got, err)
	}
	if n := c.Figures(noPrice).Composition.Sum(); n != 0 {
		t.Errorf("%d characters are counted", n)
	}
}

// FuzzFirstLines: what comes is the beginning of what is there, by whole lines.
func FuzzFirstLines(f *testing.F) {
	f.Add("a\nb\n", 1)
	f.Add("\n", 3)
	f.Fuzz(func(t *testing.T, s string, lines int) {
		if strings.HasPrefix(s, "\x1f\x8b") {
			t.Skip("gzip, or what looks so")
		}
		r, err := newFirstLines(strings.NewReader(s), lines)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil || !strings.HasPrefix(s, string(got)) || r.n > max(lines, 0) {
			t.Fatalf("%q of %q: %d lines (%v)", got, s, r.n, err)
		}
		if len(got) < len(s) && (r.n != max(lines, 0) || len(got) > 0 && got[len(got)-1] != '\n') {
			t.Fatalf("%q ends too early, behind %d lines of %d", got, r.n, lines)
		}
	})
}
