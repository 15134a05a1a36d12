package memory_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/core/memory"
)

// later are the facts after some work: a feature is done, and one more is in the log.
func later() memory.Facts {
	f := facts()
	f.Features = slices.Clone(f.Features)
	f.Features[1].Status = kedge.Completed
	f.Log = append(slices.Clone(f.Log), memory.LogEntry{At: at.Add(time.Hour), Text: "order-entity completed"})
	return f
}

// inserted puts a paragraph behind a line of a file; n counts lines.
func inserted(text, paragraph string, n int) string {
	lines := strings.SplitAfter(text, "\n")
	n %= len(lines)
	return strings.Join(lines[:n], "") + "\n" + paragraph + "\n\n" + strings.Join(lines[n:], "")
}

// FuzzRow93ParagraphsStay: a paragraph at any place of progress.md, also inside a block,
// is there byte for byte after the facts were written again, with later facts too.
func FuzzRow93ParagraphsStay(f *testing.F) {
	f.Add("Mind the gap.", 3)
	f.Add("- login: fails on one browser\n  and on another", 7)
	f.Add("two\r\nlines\r", 12)
	f.Add("  ### a heading\n\n\nand more  ", 30)
	f.Fuzz(func(t *testing.T, paragraph string, n int) {
		if n < 0 || strings.TrimSpace(paragraph) == "" || strings.Contains(paragraph, "<!-- kedge:") || looksGenerated(paragraph) {
			t.Skip("blank, or what Kedge writes itself: only your paragraphs are kept; the seeds above run")
		}
		text := inserted(string(memory.WriteProgress(nil, facts())), paragraph, n)
		for _, now := range []memory.Facts{facts(), later()} {
			got := string(memory.WriteProgress([]byte(text), now))
			if !strings.Contains(got, "\n"+withoutBlankEnd(paragraph)+"\n") {
				t.Fatalf("%q is not as it was in\n%s", paragraph, got)
			}
			if again := string(memory.WriteProgress([]byte(got), now)); again != got {
				t.Fatalf("not stable:\n%q\n%q", got, again)
			}
			if edits := memory.ProgressEdits([]byte(got), now); len(edits) > 0 {
				t.Fatalf("edits %q", edits)
			}
		}
	})
}

// withoutBlankEnd is a paragraph without the blank lines below it.
func withoutBlankEnd(paragraph string) string {
	lines := strings.Split(paragraph, "\n")
	for strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return strings.Join(lines, "\n")
}

// looksGenerated tells whether a paragraph has a line that is a heading or a fact of
// Kedge's.
func looksGenerated(paragraph string) bool {
	known := memory.WriteProgress(nil, later())
	return slices.ContainsFunc(strings.Split(paragraph, "\n"), func(l string) bool {
		l = strings.TrimSpace(l)
		id, _, isItem := strings.Cut(l, ": ")
		return strings.HasPrefix(l, "## ") || isItem && strings.HasPrefix(id, "- ") && strings.Contains(string(known), id) ||
			strings.HasPrefix(l, "- 2026-") || strings.HasPrefix(l, "- dec-") || strings.HasPrefix(l, "- rsk-")
	})
}

func TestRow93ParagraphsStayWhereTheyWere(t *testing.T) {
	first := string(memory.WriteProgress(nil, facts()))
	order := "- order-entity: The order-entity; needs a virtual orderTotal\n"
	mine := strings.Replace(first, order, order+"\nAsk the shop first.\n\n- todo: of mine\n", 1)
	if got := string(memory.WriteProgress([]byte(mine), facts())); got != mine {
		t.Errorf("it became\n%s", got)
	}
	got := string(memory.WriteProgress([]byte(mine), later()))
	if !strings.Contains(got, "<!-- kedge:begin in-progress -->\n\nAsk the shop first.\n\n- todo: of mine\n<!-- kedge:end in-progress") {
		t.Errorf("it became\n%s", got)
	}
	crlf := strings.ReplaceAll(first, "## Known", "Mine,\r\non two lines.\r\n\r\n## Known")
	if got := string(memory.WriteProgress([]byte(crlf), facts())); got != crlf {
		t.Errorf("of other line ends it made\n%q", got)
	}
}

func TestRow93GeneratedLinesComeBack(t *testing.T) {
	good := string(memory.WriteProgress(nil, later()))
	logged := "- " + at.UTC().Format(time.RFC3339Nano) + " user-entity completed\n"
	for _, tt := range []struct{ name, old, new string }{
		{"a fact is changed", "- old: regressed: The old\n", "- old: fine\n"},
		{"a fact is removed", "- old: regressed: The old\n", ""},
		{"a begin marker is removed", "<!-- kedge:begin known-issues -->\n", ""},
		{"a heading is removed", "## Completed\n", ""},
		{"a log line is removed", logged, ""},
		{"a log line is changed", logged, strings.Replace(logged, "completed", "never", 1)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			edited := strings.Replace(good, tt.old, tt.new, 1)
			if edited == good {
				t.Fatalf("%q is not in\n%s", tt.old, good)
			}
			got := string(memory.WriteProgress([]byte(edited), later()))
			if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(good), " ") {
				t.Errorf("it became\n%s", got)
			}
		})
	}
}
