package brief

import (
	"slices"
	"strings"
	"unicode"

	"kedge"
	"kedge/internal/text/lazyre"
	"kedge/internal/text/words"
)

// filler are the words that a commit message can have without saying what was done.
var filler = strings.Fields(`wip fix fixes fixed fixing bug bugs bugfix hotfix patch update updates updated change changes changed
	stuff misc tmp temp test tests testing commit commits save saved progress work working done more minor cleanup clean up it its
	the an and some thing things small final checkpoint todo initial code edit edits tweak tweaks refactor refactoring again now
	try ok yes please another new of in for to on with this that my chore feat feature implement implemented implementation
	add added adding remove removed various several other session task`)

var (
	trailerLine = lazyre.New(`^(?:Kedge-[A-Za-z]+|Signed-off-by|Co-authored-by|Change-Id|Reviewed-by): `)
	checkedBy   = "Checked by:"
)

// Describes tells whether a commit message says what was done: its subject, or a line of
// its body, has words beside those that could stand in any message. Trailers say nothing
// about it, nor do the commands that checked it, unless the subject names what they check.
func Describes(message string) bool {
	subject, body, _ := strings.Cut(strings.TrimSpace(message), "\n")
	if saysMore(subject, 2) {
		return true
	}
	named, checks := saysMore(subject, 1), false
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		checks = line == checkedBy || checks && line != ""
		if (named || !checks) && !trailerLine.MatchString(line) && saysMore(line, 3) {
			return true
		}
	}
	return false
}

// saysMore tells whether a line has so many words, and one among them that is no filler.
func saysMore(line string, least int) bool {
	n, telling := 0, false
	for _, w := range strings.FieldsFunc(line, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_.-/'", r)
	}) {
		w = strings.ToLower(strings.Trim(w, "_.-/'"))
		if strings.IndexFunc(w, unicode.IsLetter) < 0 {
			continue
		}
		n++
		if wide := strings.TrimFunc(w, func(r rune) bool { return r < unicode.MaxLatin1 }); len([]rune(wide)) >= 4 {
			n += least // a script that may part no words
		}
		telling = telling || !slices.Contains(filler, w)
	}
	return n >= least && telling
}

// mostNamed is how many files the title of a commit names.
const mostNamed = 2

// CommitText is the message of a work commit without its trailers. Where neither its title
// nor its body says what was done, the title names the files that it changes.
func CommitText(title, closing string, f *kedge.Feature, files func() ([]string, error)) (string, error) {
	body := CommitBody(closing, f)
	text := strings.TrimSpace(title + "\n\n" + body)
	if Describes(text) {
		return text, nil
	}
	list, err := files()
	if err != nil || len(list) == 0 {
		return text, err
	}
	named := strings.Join(list[:min(len(list), mostNamed)], ", ")
	if more := len(list) - mostNamed; more > 0 {
		named += " and " + words.Count(more, "more file")
	}
	title = words.Clip(commitLine(title+": change "+named), commitWidth)
	return strings.TrimSpace(title + "\n\n" + body), nil
}
