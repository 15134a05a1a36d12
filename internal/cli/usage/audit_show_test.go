package usage

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"kedge/internal/app/reports"
	"kedge/internal/cli/frame"
	"kedge/internal/insight/audit"
)

var update = flag.Bool("update", false, "write the golden files")

// made is a session of so many replies that reads, edits and runs things. Every reply is
// given a longer context, until it is compacted.
func made(id, agent, model, day, goal string, replies, compactAt int) audit.Figures {
	c := audit.NewCounter(agent, audit.Names{})
	at := func(i int) string {
		t, _ := time.Parse(time.DateOnly, day) // a literal of this file
		return t.Add(9*time.Hour + time.Duration(i)*97*time.Second).Format("2006-01-02T15:04:05.000Z")
	}
	tokens := int64(40_000)
	for i := range replies {
		call := fmt.Sprint(id, i)
		c.Add(&audit.Entry{Kind: audit.Reply, Reply: call, Asked: call, Model: model, At: at(i), Usage: &audit.Usage{Input: 10, CacheRead: tokens - 2000, CacheWrite: 2000, Output: 400}})
		tokens += 1800
		file := []string{"/w/shop/internal/order/order.go", "/w/shop/internal/a-long-name-of-a-folder/of-a-package/with_a_file_in_it.go", "/w/shop/README.md"}[i%3]
		e := audit.Entry{Kind: audit.ToolCall, Call: call, Chars: 60, At: at(i)}
		switch i % 4 {
		case 0, 1:
			e.Tool, e.Act, e.Path = "Read", audit.Read, file
		case 2:
			e.Tool, e.Act, e.Command = "Bash", audit.Shell, []string{"go test ./...", "npm run e2e -- --project=chromium --reporter=line"}[i%8/4]
		default:
			e.Tool, e.Act, e.Path = "Edit", audit.Edit, file
		}
		c.Add(&e)
		c.Add(&audit.Entry{Kind: audit.ToolResult, Call: call, Chars: 2400 + 100*(i%7), Failed: i%8 == 2, Text: "FAIL order_test.go:3", At: at(i)})
		if i == compactAt {
			c.Add(&audit.Entry{Kind: audit.Compaction, Line: 10 * i, At: at(i)})
			tokens = 22_000
		}
	}
	c.Add(&audit.Entry{Kind: audit.Offered, Tool: "Read", Chars: 1800})
	c.Add(&audit.Entry{Kind: audit.Offered, Tool: "mcp__db__query", Chars: audit.NoSchema})
	f := c.Figures(madePrice, "rules", "tool_schemas")
	f.ID, f.Goal, f.Dir, f.File = id, goal, "/w/shop", "/home/ada/.claude/projects/-w-shop/"+id+".jsonl"
	return f
}

// madePrice is a price list of one model.
func madePrice(model, _ string, u audit.Usage) *float64 {
	if model != "claude-sonnet-4-6" {
		return nil
	}
	usd := (float64(u.Input)*3 + float64(u.CacheRead)*0.3 + float64(u.CacheWrite)*3.75 + float64(u.Output)*15) / 1e6
	return &usd
}

const hostile = "\x1b[31m<script>alert(1)</script> 日本語の長い依頼 & \"more\"\u202e"

// madeReply is an answer with sessions of two agents, sub-agents, a run, and one whose model
// has no price.
func madeReply(by string, list ...audit.Figures) reports.AuditReply {
	if list == nil {
		const model = "claude-sonnet-4-6"
		list = []audit.Figures{
			made("13da966e-44f7-4a36-8060-ca40451e4561", "claude", model, "2026-01-09", "Number session folders from 1", 120, 80),
			made("545b45d4-729e-4d0b-8e6b-45cb65d43f00", "claude", model, "2026-01-12", hostile, 70, -1),
			made("agent-a1b2c3", "claude", model, "2026-01-12", "Look for callers", 12, -1),
			made("0442a060-edc3-4307-bddb-11a2951fd1a1", "codex", "gpt-unknown", "2026-01-30", "Review the change in this branch", 30, -1),
			made("24a274a3-0317-440d-b17a-41e83ee34fec", "claude", model, "2026-02-03", "# Where this work stands", 20, -1),
			made("60b38d1e-f048-428b-89da-e5dca96614d4", "claude", model, "2026-02-03", "Fix the race in checkpoints", 9, -1),
			made("75c838dd-10e3-40cf-8df3-17f9955149f8", "claude", model, "2026-02-11", "fix lint", 3, -1),
			{ID: "e0cf01c8", Agent: "aider", Sessions: 1},
		}
		list[2].Parent = list[1].ID
		list[4].Feature, list[4].Run, list[4].Session = "tax-rules", "run-7dvmx", "tax-rules-1"
	}
	name := func(_ *audit.Figures, path string) string { return strings.TrimPrefix(path, "/w/shop/") }
	audit.Divide(list, madePrice)
	for i := range list {
		f := &list[i]
		f.FilesAgain, f.CommandsAgain = audit.ReadAgain(list[i:i+1], name, 5), audit.RunAgain(list[i:i+1], 5)
		f.Largest = audit.Largest(f, 10)
		for j := range f.Largest {
			f.Largest[j].Name = name(f, f.Largest[j].Name)
		}
	}
	out := reports.AuditReply{Sessions: list, Total: audit.Total(list)}
	out.Total.FilesAgain, out.Total.CommandsAgain = audit.ReadAgain(list, name, 20), audit.RunAgain(list, 20)
	out.Changes, out.Unused = audit.Advise(out.Total), audit.Unused(out.Total)
	out.Days, out.Tools = audit.Grouped("day", list, madePrice, name), audit.Grouped("tool", list, madePrice, name)
	if by != "" {
		out.By, out.Groups = by, audit.Grouped(by, list, madePrice, name)
	}
	return out
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "audit", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; got:\n%s\nwrite it: go test ./internal/cli/sessions -run Audit -update", name, got)
	}
}

var colourCodes = regexp.MustCompile("\x1b\\[[0-9]*m")

// TestAuditOnTerminals: what a terminal shows, in sizes that people have. Nothing is wider
// than the terminal, and the overview fits into 80x24 with the prompt below it.
func TestAuditOnTerminals(t *testing.T) {
	for name, out := range map[string]reports.AuditReply{
		"many": madeReply(""), "one": madeReply("", madeReply("").Sessions[0]), "with-agents": madeReply("", madeReply("").Sessions[1:3]...),
		"by-day": madeReply("day"), "by-model": madeReply("model"), "by-tool": madeReply("tool"), "by-file": madeReply("file"),
	} {
		for _, c := range []struct {
			size          string
			cols, rows    int
			colours, utf8 bool
			all           bool
		}{
			{"80x24", 80, 24, false, true, false},
			{"80x24-colour", 80, 24, true, true, false},
			{"80x24-ascii", 80, 24, false, false, false},
			{"140x40", 140, 40, false, true, false},
			{"pipe", 0, 40, false, true, false},
			{"long", 80, 24, false, true, true},
		} {
			if c.size != "80x24" && c.size != "140x40" && name != "many" && name != "one" {
				continue
			}
			p := frame.NewPage(c.cols, c.colours)
			auditText(p, out, look{utf8: c.utf8, terminal: c.cols > 0, rows: c.rows, long: c.all})
			golden(t, name+"-"+c.size+".txt", p.String())
			lines := strings.Split(strings.TrimSuffix(colourCodes.ReplaceAllString(p.String(), ""), "\n"), "\n")
			for _, line := range lines {
				if c.cols > 0 && frame.Cells(line) > c.cols {
					t.Errorf("%s at %s: %d cells: %s", name, c.size, frame.Cells(line), line)
				}
			}
			if name == "many" && c.rows == 24 && !c.all && len(lines) >= c.rows {
				t.Errorf("%s at %s: %d lines", name, c.size, len(lines))
			}
		}
	}
}

// Costs order sessions with their sub-agents' and without: unknown ones come last.
func TestAuditRows(t *testing.T) {
	rows := auditRows(madeReply("").Sessions)
	var got []string
	for _, r := range rows {
		got = append(got, shortID(r.ID, look{})+" "+rowCost(r))
	}
	if len(rows) != 7 || rows[1].agents != 1 || rows[1].usd == rows[1].USD || rows[6].ID != "e0cf01c8" || rowCost(rows[5]) != "?" {
		t.Errorf("%q", got)
	}
	lone := auditRows(madeReply("").Sessions[2:3])
	if len(lone) != 1 || lone[0].ID != "agent-a1b2c3" {
		t.Errorf("a sub-agent alone: %+v", lone)
	}
}

func TestMoneyText(t *testing.T) {
	usd := 1.5
	for want, f := range map[string]audit.Figures{
		"cost unknown": {}, "$1.50": {USD: &usd}, "$1.50 (estimated)": {USD: &usd, Estimated: true},
		"at least $1.50 (estimated; 2 sessions without a price)": {USD: &usd, Estimated: true, UnknownUSD: 2},
	} {
		if got := moneyText(f); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
