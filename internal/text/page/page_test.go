package page_test

import (
	"strings"
	"testing"

	"kedge/internal/text/page"
)

const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)> ' & ]]> javascript:` + "\x1b[31m\u202e"

func sample() []byte {
	rows := [][]page.Node{{page.Text(hostile), page.Link(hostile, hostile)}}
	return page.Document(hostile, hostile,
		page.Section(hostile, hostile, hostile,
			page.Facts([]page.Fact{{hostile, hostile}}),
			page.Table([]page.Column{{Title: hostile}, {Title: "B", Right: true, Wide: true}}, rows),
			page.Fold(page.Text(hostile), page.El("pre", "", page.Text(hostile))),
			page.Shares(hostile, []page.Part{{Name: hostile, Class: "stale", Note: hostile, Value: 3, Said: hostile}, {Name: "x", Class: "reads", Value: 1, Said: "1"}}),
			page.Curve(hostile, []float64{1, 5, 3}, 5, []page.Mark{{At: 1, Said: hostile}}),
			page.Bars(hostile, []page.Bar{{Name: hostile, Said: hostile, Parts: []page.Part{{Name: hostile, Class: "a1", Value: 2, Said: hostile}}}}),
			page.Legend([]page.Part{{Name: hostile, Class: "a1"}}),
			page.Heat(1, 2, hostile)),
		page.Nav(hostile, hostile, hostile),
		page.Steps(hostile, []page.Part{{Class: "blue", Note: hostile, Said: hostile, Value: 1}}, 2),
		page.Entries(hostile, []page.Entry{{Name: hostile, Note: hostile, Text: hostile, Picture: page.Text(hostile), Figures: []page.Fact{{Value: hostile, Name: hostile}}, Inside: page.Path(hostile)}, {Name: hostile}}),
		page.Plot{Label: hostile, Dots: []page.Dot{{X: 1, Y: 1, Said: hostile}, {X: 2, Y: 5, Said: hostile}}, Top: 5, X: page.Axis{Low: hostile}, Y: page.Axis{Unit: hostile}, Marks: []page.Mark{{At: 9, Said: hostile}}}.Draw(),
		page.Columns(hostile, []page.Bar{{Name: hostile, Said: hostile, Parts: []page.Part{{Value: 1}}}}, page.Axis{High: hostile}))
}

// Text of any origin stays text, wherever on the page it stands.
func TestTextStaysText(t *testing.T) {
	got := string(sample())
	for _, bad := range []string{"<script", "<img", "onerror=alert(1)>", "\x1b", "\u202e"} {
		if strings.Contains(got, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	if n := strings.Count(got, "&lt;script&gt;"); n < 15 {
		t.Errorf("the text stands %d times", n)
	}
	for _, part := range strings.Split(got, "<")[1:] {
		if tag, _, _ := strings.Cut(part, ">"); strings.Count(tag, `"`)%2 != 0 {
			t.Errorf("an attribute ends early: <%s>", tag)
		}
	}
}

// Nothing on the page may run or ask for anything, whatever else is on it.
func TestPolicyAllowsNothing(t *testing.T) {
	got := string(sample())
	if !strings.Contains(got, `content="default-src 'none'; style-src 'sha256-`) {
		t.Error("no policy")
	}
	for _, bad := range []string{"http://", "https://", "url(", "@import", " style=", "src="} {
		if strings.Contains(strings.ReplaceAll(got, "img src=x", ""), bad) {
			t.Errorf("the page has %q", bad)
		}
	}
}

// A picture of nothing is a sentence, and no picture divides by nothing.
func TestPicturesOfNothing(t *testing.T) {
	got := string(page.Document("t", "s", page.Shares("", nil), page.Curve("", []float64{1}, 1, nil), page.Curve("", []float64{0, 0}, 0, nil), page.Bars("", nil), page.Heat(0, 0, "none"), page.Plot{}.Draw(), page.Columns("", nil, page.Axis{}), page.Steps("", nil, 0), page.Entries("", nil)))
	if strings.Contains(got, "NaN") || strings.Contains(got, "Inf") || strings.Contains(got, "<svg") {
		t.Errorf("%s", got)
	}
}

// What is above the top of a picture is drawn at its top.
func TestCurveStaysInItsPicture(t *testing.T) {
	got := string(page.Document("t", "s", page.Curve("c", []float64{0, 500}, 100, nil)))
	if !strings.Contains(got, `points="0.0,40.0 300.0,2.0"`) {
		t.Errorf("%s", got)
	}
}
