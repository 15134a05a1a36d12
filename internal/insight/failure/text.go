package failure

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"kedge/internal/text/lazyre"
	"kedge/internal/text/plain"
)

const (
	maxLine  = 400     // bytes of a line that is shown
	maxRead  = 4 << 10 // bytes of a line that is looked at
	maxLines = 1 << 20 // lines that are looked at: half of them from the end
)

// clean cuts an output into lines without escape sequences, control characters
// and invalid UTF-8. Of more lines than most it leaves out those in the middle.
func clean(out string, most int) []string {
	count := strings.Count(out, "\n") + 1
	lines := make([]string, 0, min(count, most))
	skip := max(count-most, 0)
	for n := 0; out != ""; n++ {
		line, rest, _ := strings.Cut(out, "\n")
		out = rest
		if n >= most/2 && n < most/2+skip {
			continue
		}
		lines = append(lines, cleanLine(line))
	}
	return lines
}

// cleanLine gives what a terminal would show in the end: after a carriage return
// a line is written anew.
func cleanLine(line string) string {
	line = strings.TrimRight(line, "\r")
	if len(line) > maxRead {
		line = line[:maxRead]
	}
	if i := strings.LastIndexByte(line, '\r'); i >= 0 {
		line = line[i+1:]
	}
	if plain.ASCII(line) {
		return line
	}
	return Unescaped(rewritten(line))
}

// rewritten gives what stands after the last order to go to the beginning of the line,
// unless only escape sequences do.
func rewritten(line string) string {
	for _, home := range []string{"\x1b[1G", "\x1b[G"} {
		if i := strings.LastIndex(line, home); i >= 0 && !blank(Unescaped(line[i:])) {
			line = line[i+len(home):]
		}
	}
	return line
}

// Unescaped is a line without escape sequences and control characters but tabs.
func Unescaped(line string) string {
	if plain.ASCII(line) {
		return line
	}
	return plain.Text(string(plain.Stripped([]byte(line))))
}

// shorten keeps MaxLines lines, without blank ones at the ends and never two
// blank ones in a row, and says so when it left some out.
func shorten(lines []string) []string {
	var out []string
	for _, l := range lines {
		l = cut(strings.TrimRight(l, " \t"))
		if l == "" && (len(out) == 0 || out[len(out)-1] == "") {
			continue
		}
		out = append(out, l)
	}
	if n := len(out); n > 0 && out[n-1] == "" {
		out = out[:n-1]
	}
	if len(out) > MaxLines {
		out = append(out[:MaxLines-1:MaxLines-1], "…")
	}
	return out
}

// cut bounds a line without splitting a character.
func cut(s string) string {
	if len(s) <= maxLine {
		return s
	}
	n := maxLine - len("…")
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// dedent removes the blanks that all lines begin with.
func dedent(lines []string) []string {
	least := -1
	for _, l := range lines {
		if n := indent(l); strings.TrimSpace(l) != "" && (least < 0 || n < least) {
			least = n
		}
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = l[min(max(least, 0), indent(l)):]
	}
	return out
}

// indent counts the blanks that a line begins with.
func indent(s string) int { return len(s) - len(strings.TrimLeft(s, " \t")) }

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// until gives the lines from start up to the first one that stop accepts, at
// most as many as could ever matter for one failure.
// What follows a complaint of make is of another program.
func until(lines []string, start int, stop func(string) bool) []string {
	end := start
	for end < len(lines) && end < start+maxBlock && !stop(lines[end]) && (end == start || !makeComplains(lines[end])) {
		end++
	}
	return lines[min(start, len(lines)):end]
}

// above gives the lines above one, from behind the last that stop accepts, at most
// as many as could ever matter for one failure.
func above(lines []string, at int, stop func(string) bool) []string {
	start := at
	for start > 0 && start > at-maxBlock && !stop(lines[start-1]) {
		start--
	}
	return lines[start:at]
}

// placeIn gives the first place of the project that a pattern finds in the lines: the
// first group is the file, the second the line. One elsewhere is better than none.
func placeIn(lines []string, pattern *lazyre.Regexp) (file, line string) {
	for _, l := range lines {
		m := pattern.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		if ours(m[1]) {
			return m[1], m[2]
		}
		if file == "" {
			file, line = m[1], m[2]
		}
	}
	return file, line
}

// maxBlock bounds how many lines are taken for one failure's report.
const maxBlock = 400

func join(lines []string) string { return strings.Join(lines, "\n") }

// number reads a line number; what is not one is 0, unknown.
func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// foreign are parts of paths that belong to a runtime or a dependency: a frame
// there is not where the project failed.
var foreign = []string{
	"/site-packages/", "/dist-packages/", "/lib/python", "<frozen", "<string>", "<internal:",
	"node_modules/", "node:", "internal/modules/", "internal/process/", "ext:", "https://", "http://",
	"/rustc/", "/.cargo/registry/", "/rustlib/",
	"/pkg/mod/", "_testmain.go",
	"/gems/", "/lib/ruby/", "/usr/bin/", "/usr/share/php/", "vendor/",
}

// ours tells whether a path is likely the project's own.
func ours(path string) bool {
	for _, f := range foreign {
		if strings.Contains(path, f) {
			return false
		}
	}
	return path != "" && !goRoot.MatchString(path)
}

// goRoot is where the standard library stands: below go/src, in a folder that is
// not named after a host.
var goRoot = lazyre.New(`/go[^/]*/src/[^/.]+/`)
