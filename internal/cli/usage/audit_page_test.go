package usage

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"kedge/internal/app/reports"
	"kedge/internal/insight/audit"
)

var (
	pageStyle   = regexp.MustCompile(`(?s)<style>.*?</style>`)
	pagePolicy  = regexp.MustCompile(`sha256-[^']*`)
	pagePicture = regexp.MustCompile(`(?s)<svg class="([^"]*)" role="img" aria-label="([^"]*)".*?</svg>`)
	pageBreak   = regexp.MustCompile(`</(tr|li|section|div|p|header|summary|h[1-3]|figure|thead|table)>`)
)

// structure is a page without its stylesheet and with its pictures in words, in lines.
func structure(b []byte) string {
	s := pageStyle.ReplaceAllString(string(b), "<style/>")
	s = pagePolicy.ReplaceAllString(s, "sha256-SUM")
	s = pagePicture.ReplaceAllString(s, "[$1: $2]")
	return pageBreak.ReplaceAllString(s, "$0\n")
}

// TestAuditPage: the page of sessions of several agents, with sub-agents, a run, a model
// without a price and texts that want to be markup.
func TestAuditPage(t *testing.T) {
	now := time.Date(2026, 2, 12, 0, 0, 0, 0, time.UTC)
	got := string(auditPage(madeReply(""), "shop", now))
	golden(t, "page.html", structure([]byte(got)))
	for _, bad := range []string{"<script", "\x1b", "\u202e", "http://", "https://", "src=", " style=", "NaN", "Inf"} {
		if strings.Contains(got, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	if n := strings.Count(got, "<details>"); n != 7 {
		t.Errorf("%d sessions open", n)
	}
	for _, tag := range []string{"section", "details", "table", "svg", "div", "li", "span"} {
		if a, b := strings.Count(got, "<"+tag+" ")+strings.Count(got, "<"+tag+">"), strings.Count(got, "</"+tag+">"); a != b {
			t.Errorf("%d <%s>, %d closed", a, tag, b)
		}
	}
}

// A page of nothing that is known is whole, and no picture of it divides by nothing.
func TestAuditPageOfLittle(t *testing.T) {
	now := time.Date(2026, 2, 12, 0, 0, 0, 0, time.UTC)
	got := string(auditPage(madeReply("", audit.Figures{ID: "x", Agent: "aider", Sessions: 1}), "shop", now))
	if strings.Contains(got, "NaN") || strings.Contains(got, "Inf") || !strings.Contains(got, "No session read a file again.") {
		t.Errorf("%s", structure([]byte(got)))
	}
}

// Many sessions make a page that a browser opens: only those that cost most open.
func TestAuditPageOfMany(t *testing.T) {
	one := made("session-0000", "claude", "claude-sonnet-4-6", "2026-01-09", "work", 40, -1)
	var list []audit.Figures
	for i := range 300 {
		f := one
		f.ID = fmt.Sprintf("session-%04d", i)
		list = append(list, f)
	}
	b := auditPage(madeReply("", list...), "shop", time.Time{})
	if n := strings.Count(string(b), "<details>"); n != pageDetails || len(b) > 2<<20 {
		t.Errorf("%d sessions open, %d bytes", n, len(b))
	}
}

// Days without a session stand on the chart too; many days become weeks, then months.
func TestCostColumns(t *testing.T) {
	usd := func(v float64) *float64 { return &v }
	for name, c := range map[string]struct {
		days []audit.Group
		want string
	}{
		"days":   {[]audit.Group{{Key: "2026-01-30", USD: usd(1)}, {Key: "2026-02-02", USD: usd(2.5), UnknownUSD: 1}}, "day: 30 Jan $1.00, 31 Jan $0.00, 1 Feb $0.00, 2 Feb $2.50+"},
		"weeks":  {[]audit.Group{{Key: "2026-01-01", USD: usd(1)}, {Key: "2026-01-04", USD: usd(1)}, {Key: "2026-03-15", USD: usd(2)}}, "week: week of 29 Dec 2025 $2.00, week of 5 Jan 2026 $0.00"},
		"months": {[]audit.Group{{Key: "2024-01-31", USD: usd(1)}, {Key: "2026-03-15", USD: usd(2)}}, "month: Jan 2024 $1.00, Feb 2024 $0.00"},
		"none":   {[]audit.Group{{Key: "", USD: usd(1)}}, "day: "},
	} {
		var list []string
		for _, b := range costColumns(c.days) {
			list = append(list, b.Name+" "+b.Said)
		}
		if got := daysUnit(c.days) + ": " + strings.Join(list, ", "); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s", name, got)
		}
	}
	if n := len(costColumns([]audit.Group{{Key: "2024-01-31"}, {Key: "2026-03-15"}})); n != 27 {
		t.Errorf("%d months", n)
	}
}

// TestPageOfACostNotKnownInFull: the first figure of the page says so, whether a price is
// missing or calls that nobody wrote down.
func TestPageOfACostNotKnownInFull(t *testing.T) {
	usd := 2.0
	for _, c := range []struct {
		lacks int
		want  string
	}{{0, "$2.00<"}, {1, "$2.00+<"}} {
		out := reports.AuditReply{Total: audit.Figures{USD: &usd, UnknownUSD: c.lacks}}
		if got := string(auditPage(out, "shop", time.Date(2026, 2, 12, 0, 0, 0, 0, time.UTC))); !strings.Contains(got, c.want) {
			t.Errorf("the page does not say %s", c.want)
		}
	}
}
