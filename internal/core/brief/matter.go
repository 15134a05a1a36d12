package brief

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode"

	"kedge"
	"kedge/internal/text/glob"
	"kedge/internal/text/words"
)

// The most that is looked for, and given, of what may matter to a feature.
const (
	maxKeywords = 8
	maxLikely   = 12
	maxCommon   = 40 // files: a word that more of them contain tells nothing
	leastWord   = 4  // letters
)

// Keywords are the words that tell what a feature is about, those of its name first, in
// lower case and without a plural's ending.
func Keywords(f kedge.Feature) []string {
	var out []string
	texts := append([]string{f.Name, strings.ReplaceAll(string(f.ID), "-", " ")}, f.Acceptance...)
	for _, text := range append(append(texts, f.Description), f.Steps...) {
		for _, w := range wordsOf(text) {
			if len(out) < maxKeywords && !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	return out
}

// wordsOf splits a text, and names in it, into words that mean something.
func wordsOf(text string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(humps(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		w = strings.ToLower(w)
		if len(w) > leastWord {
			w = strings.TrimSuffix(w, "s")
		}
		if len([]rune(w)) >= leastWord && !slices.Contains(commonWords, w) {
			out = append(out, w)
		}
	}
	return out
}

// humps puts a space between the words of a name like OrderTotal.
func humps(text string) string {
	var b strings.Builder
	lower := false
	for _, r := range text {
		if lower && unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		b.WriteRune(r)
	}
	return b.String()
}

// commonWords are in the definition of every other feature.
var commonWords = strings.Fields(`add adds about after again all also and any are been before can change check code come does done each every exist
	feature file first from have into make must need new next not only other over same should some such test than that their them then there
	these they thing this those under until update used user using value want what when where which while will with work would write wrong your`)

// NoteMatters tells whether a note may help with a feature: it is about the feature or
// what that builds on, about files that it names, or it shares two of its words.
func NoteMatters(n kedge.Note, f kedge.Feature) bool {
	if n.Feature != "" && (n.Feature == f.ID || slices.Contains(f.Dependencies, n.Feature)) {
		return true
	}
	for _, file := range n.Files {
		named := func(p string) bool { return glob.Match(p, file) }
		if slices.ContainsFunc(f.Paths, named) || slices.Contains(f.Files, file) {
			return true
		}
	}
	has := wordsOf(n.Title + " " + n.RootCause + " " + n.Constraints + " " + n.DeadEnds + " " + strings.Join(n.Files, " "))
	shared := 0
	for _, w := range Keywords(f) {
		if slices.Contains(has, w) {
			shared++
		}
	}
	return shared >= 2
}

// Mention is a commit with the files that it changed.
type Mention struct {
	Commit, Message string
	Files           []string
}

// Likely is a file that may matter to a feature, and why.
type Likely struct {
	Path, Why string
	score     float64
}

// LikelyFiles ranks the files that a feature which names none is likely to need: by their
// names, by the commits that mention its words, and by what they contain (by word).
func LikelyFiles(keys, files []string, log []Mention, contain map[string][]string) []Likely {
	l := likely{keys: keys, there: map[string]bool{}, found: map[string]*Likely{}}
	for _, f := range files {
		l.there[f] = !kedge.IsOwnPath(f) && !foreign(f)
	}
	l.byName(files)
	l.byHistory(log)
	l.byContent(contain)
	return ranked(l.found)
}

// likely collects files under way.
type likely struct {
	keys  []string
	there map[string]bool // files that may be named
	found map[string]*Likely
}

// add counts a reason for a file; the first one is told.
func (l *likely) add(file string, score float64, why string) {
	if !l.there[file] {
		return
	}
	if l.found[file] == nil {
		l.found[file] = &Likely{Path: file, Why: why}
	}
	l.found[file].score += score
}

func (l *likely) byName(files []string) {
	for _, f := range files {
		named := wordsOf(f)
		for _, k := range l.keys {
			if slices.Contains(named, k) {
				l.add(f, 3, "its name has "+quoteWord(k))
			}
		}
	}
}

func (l *likely) byHistory(log []Mention) {
	for _, m := range log {
		said := wordsOf(m.Message)
		for _, k := range l.keys {
			if !slices.Contains(said, k) || len(m.Files) > maxCommon {
				continue
			}
			for _, f := range m.Files {
				l.add(f, 2, "changed by "+words.Hash(m.Commit)+", which mentions "+quoteWord(k))
			}
		}
	}
}

func (l *likely) byContent(contain map[string][]string) {
	for _, k := range l.keys {
		n := len(contain[k])
		if n > maxCommon {
			continue
		}
		for _, f := range contain[k] {
			l.add(f, 1+1/float64(n), "it contains "+quoteWord(k))
		}
	}
}

func quoteWord(w string) string { return "\"" + w + "\"" }

func ranked(found map[string]*Likely) []Likely {
	out := make([]Likely, 0, len(found))
	for _, l := range found {
		out = append(out, *l)
	}
	slices.SortFunc(out, func(a, b Likely) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.Path, b.Path))
	})
	return out[:min(len(out), maxLikely)]
}

// foreign tells whether a file is somebody else's, or made by a tool.
func foreign(file string) bool {
	for part := range strings.SplitSeq(path.Dir(file), "/") {
		if slices.Contains([]string{"vendor", "node_modules", "third_party", "dist", "build", "testdata"}, part) {
			return true
		}
	}
	return strings.HasSuffix(file, ".lock") || strings.HasSuffix(file, ".sum") || strings.Contains(path.Base(file), "-lock.")
}
