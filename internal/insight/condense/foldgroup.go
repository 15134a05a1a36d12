package condense

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"kedge/internal/text/lazyre"
)

// The complaints of ESLint are shown by rule, those of tsc by file: what they have in
// common once, then every place with what is its own. Nothing but quoted source goes.

// groupFrom is from how many complaints on they are grouped.
const groupFrom = 10

// leastFolder is how long the name of a folder is that is not written before every file.
const leastFolder = 8

const (
	byRule = "grouped by rule"
	byFile = "grouped by file"
)

var (
	lintHead = lazyre.New(`^(?:[A-Za-z]:)?[^\s:][^:]*\.\w+$`)
	lintItem = lazyre.New(`^\s+(\d+):(\d+)\s+(error|warning|✖|⚠|×|‼)\s+(\S.*?)(?:\s{2,}(\S+))?\s*$`)
	tscItem  = lazyre.New(`^(\S[^(]*)\((\d+),(\d+)\): (error|warning) (TS\d+): (.*)$|^(\S.*?):(\d+):(\d+) - (error|warning) (TS\d+): (.*)$`)
	tscQuote = lazyre.New(`^\s*\d+ |^\s*~+\s*$|^\s*\d+$`)
	varying  = lazyre.New("'[^']*'|\"[^\"]*\"|`[^`]*`|\\b\\d+\\b")
)

// complaint is one of many of its kind.
type complaint struct {
	file, place, severity, code, said string
	more                              []string // lines below it
	own                               string   // what it does not share with its kind
}

// group puts the complaints of a linter or a type checker together.
func (f *folding) group() {
	if f.mode != reporting {
		return
	}
	f.groupLint()
	f.groupTypes()
	f.groupBlocks()
}

// groupLint finds a file's name with complaints below it, over and over.
func (f *folding) groupLint() {
	from, to, file := -1, 0, ""
	var list []complaint
	for i := range f.lines {
		l := f.lines[i].text
		switch m := lintMatch(l); {
		case m != nil && file != "":
			list = append(list, complaint{file: file, place: m[1] + ":" + m[2], severity: m[3], code: m[5], said: m[4]})
			to = i + 1
		case blank(l):
		case i+1 < len(f.lines) && lintMatch(f.lines[i+1].text) != nil && lintHead.MatchString(l):
			if file = l; from < 0 {
				from = i
			}
		default: // something else: what was found is all
			f.replace(from, to, list, byRule)
			from, file, list = -1, "", nil
		}
	}
	f.replace(from, to, list, byRule)
}

func lintMatch(l string) []string {
	if c := firstByte(l); c < '0' || c > '9' || l[0] != ' ' {
		return nil
	}
	return lintItem.FindStringSubmatch(l)
}

// groupTypes finds the complaints of tsc, with the lines below each.
func (f *folding) groupTypes() {
	from, to := -1, 0
	var list []complaint
	for i := range f.lines {
		l := f.lines[i].text
		var m []string
		if strings.Contains(l, " TS") {
			m = tscItem.FindStringSubmatch(l)
		}
		switch {
		case m != nil:
			if m[1] == "" {
				m = m[6:]
			}
			if list = append(list, complaint{file: m[1], place: m[2] + ":" + m[3], severity: m[4], code: m[5], said: m[6]}); from < 0 {
				from = i
			}
			to = i + 1
		case from < 0 || blank(l):
		case tscQuote.MatchString(l):
			to = i + 1
		case indent(l) >= 2:
			last := &list[len(list)-1]
			last.more = append(last.more, l)
			to = i + 1
		default:
			f.replace(from, to, list, byFile)
			from, list = -1, nil
		}
	}
	f.replace(from, to, list, byFile)
}

// replace writes the complaints of the lines from i to end in groups, where that is shorter.
func (f *folding) replace(i, end int, list []complaint, kind string) {
	if len(list) < groupFrom {
		return
	}
	text := writeByRule(list)
	if kind == byFile {
		text = writeByFile(list)
	}
	size := 0
	for _, l := range f.lines[i:end] {
		size += len(l.text) + 1
	}
	if len(text) >= size {
		return
	}
	for k := i; k < end; k++ {
		f.lines[k].is, f.lines[k].gone, f.lines[k].kind = finding, true, kind
	}
	f.lines[end-1].instead = text
}

// kindOf are complaints that say the same but for what varies.
type kindOf struct{ severity, code, said, more string }

func (c complaint) kind() kindOf {
	return kindOf{c.severity, c.code, varying.ReplaceAllString(c.said, "…"), strings.Join(c.more, "\n")}
}

// inOrder gives the groups of a list, in the order of their first.
func inOrder[K comparable](list []complaint, key func(complaint) K) [][]complaint {
	at := map[K]int{}
	var groups [][]complaint
	for _, c := range list {
		k := key(c)
		n, there := at[k]
		if !there {
			n = len(groups)
			at[k] = n
			groups = append(groups, nil)
		}
		groups[n] = append(groups[n], c)
	}
	return groups
}

// writeByRule gives errors first, and the most frequent first.
func writeByRule(list []complaint) string {
	groups := inOrder(list, complaint.kind)
	slices.SortStableFunc(groups, func(a, b []complaint) int {
		return cmp.Or(cmp.Compare(rankOf(a[0].severity), rankOf(b[0].severity)), len(b)-len(a))
	})
	var b strings.Builder
	dir := commonFolder(list)
	if dir != "" {
		b.WriteString("the files below are in " + dir + "\n")
	}
	for _, g := range groups {
		said := common(g)
		b.WriteString(g[0].severity)
		if g[0].code != "" {
			b.WriteString(" " + g[0].code)
		}
		fmt.Fprintf(&b, " (%d): %s\n", len(g), said)
		for _, in := range inOrder(g, func(c complaint) string { return c.file }) {
			b.WriteString("  " + strings.TrimPrefix(in[0].file, dir) + " " + placesOf(in) + "\n")
		}
	}
	return b.String()
}

// commonFolder is the folder that all files are in, if it is worth a line.
func commonFolder(list []complaint) string {
	dir := path.Dir(list[0].file) + "/"
	same := true
	for _, c := range list {
		same = same && c.file == list[0].file
		for !strings.HasPrefix(c.file, dir) {
			if dir = path.Dir(strings.TrimSuffix(dir, "/")) + "/"; len(dir) < leastFolder {
				return ""
			}
		}
	}
	if same || len(dir) < leastFolder {
		return ""
	}
	return dir
}

func rankOf(severity string) int {
	if severity == "error" || severity == "✖" || severity == "×" {
		return 0
	}
	return 1
}

// writeByFile gives the files in their order, and in each what is wrong in its order.
func writeByFile(list []complaint) string {
	var b strings.Builder
	seen := map[string]string{} // by code what was said
	for _, in := range inOrder(list, func(c complaint) string { return c.file }) {
		b.WriteString(in[0].file + "\n")
		for _, g := range inOrder(in, complaint.kind) {
			said := common(g)
			if first, there := seen[g[0].code]; !there {
				seen[g[0].code] = said
			} else if first == said && len(opening(said))+len(asAbove) < len(said) {
				said = opening(said) + asAbove
			}
			fmt.Fprintf(&b, "  %s %s: %s", g[0].severity, g[0].code, said)
			if len(g) == 1 {
				fmt.Fprintf(&b, " at %s\n", placesOf(g))
			} else {
				fmt.Fprintf(&b, " (%d)\n    %s\n", len(g), placesOf(g))
			}
			for _, m := range g[0].more {
				b.WriteString("  " + m + "\n")
			}
		}
	}
	return b.String()
}

// placesOf are the places of complaints, each with what is its own.
func placesOf(list []complaint) string {
	places := make([]string, len(list))
	for i, c := range list {
		places[i] = strings.TrimSpace(c.place + " " + c.own)
	}
	return strings.Join(places, ", ")
}

// common gives what all of a group say, with … for what each one has of its own, which
// is put with it.
func common(g []complaint) string {
	parts := make([][]string, len(g))
	for k, c := range g {
		for _, at := range varying.FindAllStringIndex(c.said, -1) {
			parts[k] = append(parts[k], c.said[at[0]:at[1]])
		}
	}
	differs := make([]bool, len(parts[0]))
	for k := range g {
		for i := range min(len(differs), len(parts[k])) {
			differs[i] = differs[i] || parts[k][i] != parts[0][i]
		}
	}
	for k := range g {
		var own []string
		for i, v := range parts[k] {
			if i >= len(differs) || differs[i] {
				own = append(own, v)
			}
		}
		g[k].own = strings.Join(own, " ")
	}
	n := -1
	return varying.ReplaceAllStringFunc(g[0].said, func(v string) string {
		if n++; differs[n] {
			return "…"
		}
		return v
	})
}
