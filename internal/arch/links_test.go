package arch

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// pages gives the Markdown pages of the documentation by their paths from the root of
// the repository.
func pages(t *testing.T) map[string]string {
	t.Helper()
	root := os.DirFS(filepath.Join("..", ".."))
	found := map[string]string{}
	read := func(name string) {
		b, err := fs.ReadFile(root, name)
		if err != nil {
			t.Fatal(err)
		}
		found[name] = string(b)
	}
	err := fs.WalkDir(root, "docs", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && path.Ext(name) == ".md" {
			read(name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	read("README.md")
	read("AGENTS.md")
	return found
}

// TestLinksLeadSomewhere: every relative link of the documentation leads to a file, and
// its #anchor to a heading of that file.
func TestLinksLeadSomewhere(t *testing.T) {
	all := pages(t)
	seen := 0
	for name, text := range all {
		for _, to := range links(text) {
			seen++
			if fault := broken(all, name, to); fault != "" {
				t.Errorf("%s: the link to %s: %s", name, to, fault)
			}
		}
	}
	if seen < 50 {
		t.Errorf("only %d links were found: this test looks for the wrong thing", seen)
	}
}

// broken says what is wrong with a link of a page; nothing when it leads somewhere.
func broken(all map[string]string, page, to string) string {
	file, anchor, _ := strings.Cut(to, "#")
	target := page
	if file != "" {
		target = path.Join(path.Dir(page), file)
	}
	if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(target))); err != nil {
		return "no such file"
	}
	if anchor != "" && path.Ext(target) == ".md" && !slices.Contains(anchors(all[target]), anchor) {
		return "no such heading"
	}
	return ""
}

var (
	linked  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	element = regexp.MustCompile(`(?:src|href|srcset)="([^"]+)"`)
	scheme  = regexp.MustCompile(`^[a-z]+:`)
)

// links gives the relative links of a page, without those in code.
func links(text string) []string {
	var out []string
	for _, line := range prose(text) {
		line = code.ReplaceAllString(line, "")
		for _, m := range slices.Concat(linked.FindAllStringSubmatch(line, -1), element.FindAllStringSubmatch(line, -1)) {
			if !scheme.MatchString(m[1]) {
				out = append(out, m[1])
			}
		}
	}
	return out
}

// prose gives the lines of a page that stand outside of fenced blocks.
func prose(text string) []string {
	var out []string
	fence := ""
	for _, line := range strings.Split(text, "\n") {
		m := fenced.FindStringSubmatch(line)
		switch {
		case fence != "" && m != nil && m[2] == "" && strings.HasPrefix(m[1], fence):
			fence = ""
		case fence == "" && m != nil:
			fence = m[1]
		case fence == "":
			out = append(out, line)
		}
	}
	return out
}

var (
	fenced  = regexp.MustCompile("^ {0,3}(```+|~~~+)([^`]*)$") // a line with more backquotes is prose
	code    = regexp.MustCompile("`[^`]*`")
	heading = regexp.MustCompile(`^#{1,6} +(.*?)(?: +#+)?$`)
	label   = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// anchors gives the names that the headings of a page have in links, as GitHub makes
// them: lower case, blanks as hyphens, no other punctuation, a number behind repeats.
func anchors(text string) []string {
	var out []string
	times := map[string]int{}
	for _, line := range prose(text) {
		m := heading.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		name := strings.Map(slugRune, strings.ToLower(label.ReplaceAllString(m[1], "$1")))
		n := times[name]
		times[name]++
		if n > 0 {
			name += "-" + strconv.Itoa(n)
		}
		out = append(out, name)
	}
	return out
}

func slugRune(r rune) rune {
	switch {
	case r == ' ':
		return '-'
	case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r):
		return r
	default:
		return -1
	}
}

func TestLinksOfAPage(t *testing.T) {
	text := "# The `run` loop: [why](x.md)?\n[a](b.md#c) `[no](code.md)` [web](https://example.org/) <img src=\"p.svg\">\n" +
		"```sh\n# no heading\n[no](fenced.md)\n```\n````md\n```\n# none\n````\n``` `code` ```\n## Same\n## Same ##\n"
	if got, want := links(text), []string{"x.md", "b.md#c", "p.svg"}; !slices.Equal(got, want) {
		t.Errorf("links are %q, want %q", got, want)
	}
	if got, want := anchors(text), []string{"the-run-loop-why", "same", "same-1"}; !slices.Equal(got, want) {
		t.Errorf("anchors are %q, want %q", got, want)
	}
}

// TestBrokenLinks: each way in which a link can lead nowhere is reported.
func TestBrokenLinks(t *testing.T) {
	all := map[string]string{"README.md": "# Top\n", "docs/README.md": "# Docs\n"}
	for to, want := range map[string]string{
		"docs/README.md#docs": "",
		"#top":                "",
		"internal/arch":       "",
		"docs/none.md":        "no such file",
		"docs/README.md#none": "no such heading",
		"#none":               "no such heading",
	} {
		if got := broken(all, "README.md", to); got != want {
			t.Errorf("%s: %q, want %q", to, got, want)
		}
	}
}
