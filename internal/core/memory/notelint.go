package memory

import (
	"strings"

	"kedge"
	"kedge/internal/text/lazyre"
	"kedge/internal/text/plain"
)

// LintNote refuses a note that would teach nothing: one with no decision, no
// file and no command in it ("Matching done"). Shortness is no fault: "Strict by
// default, fuzzy flag optional" decides two things in six words.
//
// A file is an entry of Files changed, or a word that looks like a path: it has
// a slash between names, or a name with an extension. A command is text between
// backquotes, a line after "$ ", a flag, or a well-known tool followed by a word.
// A decision is a sentence with a word that binds (must, never, by default,
// instead of, because, at most …) and at least two words that say what about:
// wordsOf that only report that something went well, or that any sentence has, do
// not count. The words are English; a note in another language passes by naming
// a file or a command, which is what the finding's fix says.
//
// The finding's Where is the given one: a file, a file and line, or a flag.
func LintNote(where string, n kedge.Note) []kedge.Finding {
	text := strings.Join([]string{n.Title, n.RootCause, n.Constraints, n.Validation, n.DeadEnds}, "\n")
	if len(n.Files) > 0 || mentionsFile(text) || mentionsCommand(text) || decides(text) {
		return nil
	}
	return []kedge.Finding{{
		Level: kedge.LevelError,
		What:  "the note \"" + plain.Line(n.Title) + "\" has no decision, no file and no command in it",
		Where: where,
		Fix:   "say what was decided and why, or name a file, or give the command between backquotes",
	}}
}

// LintNoteFile reads a note and lints it; a note that cannot be read is itself a
// finding.
func LintNoteFile(file string, b []byte) []kedge.Finding {
	n, err := ParseNote(file, b)
	if err != nil {
		return []kedge.Finding{findingOf(err)}
	}
	return LintNote(file+":1", n)
}

// findingOf turns "file:line: message" into a finding.
func findingOf(err error) kedge.Finding {
	where, what, ok := strings.Cut(err.Error(), ": ")
	if !ok {
		where, what = "", err.Error()
	}
	return kedge.Finding{Level: kedge.LevelError, What: what, Where: where, Fix: kedge.HintOf(err)}
}

var (
	pathWord    = lazyre.New(`^(\.{0,2}/)?[\w@.+-]+(/[\w@.+*-]+)+/?$`)
	fileWord    = lazyre.New(`^\.?[\w+-]+(\.[\w+-]+)*\.([a-z][a-z0-9]{0,5}|[A-Z]{1,4})(:\d+)*$`)
	commandText = lazyre.New("(?m)`[^`\n]+`|^\\s*\\$ \\S|(^|\\s)--[a-z][\\w-]+\\b")
)

// mentionsFile finds a path or a file name. "and/or" and "i.e." are neither: a
// path of plain words needs a second slash, a dot or a dash.
func mentionsFile(text string) bool {
	for word := range strings.FieldsSeq(text) {
		word = strings.Trim(word, "`'\"()[]{}<>,;!?")
		word = strings.TrimRight(word, ".:")
		if fileWord.MatchString(word) && !abbreviations.has(strings.ToLower(word)) {
			return true
		}
		if pathWord.MatchString(word) && (strings.Count(word, "/") > 1 || strings.ContainsAny(word, "._-*@")) {
			return true
		}
	}
	return false
}

const abbreviations wordList = "i.e|e.g|a.m|p.m|a.k.a|p.s|n.b|u.s"

// mentionsCommand finds something that can be typed.
func mentionsCommand(text string) bool {
	if commandText.MatchString(text) {
		return true
	}
	for line := range strings.SplitSeq(text, "\n") {
		words := strings.Fields(line)
		for i, w := range words {
			if i+1 < len(words) && tools.has(w+" "+strings.TrimRight(words[i+1], ".,;:")) {
				return true
			}
		}
	}
	return false
}

// tools are commands that are recognised without backquotes: a tool's name alone
// ("go", "make") is too often just a word.
const tools wordList = `go test|go build|go vet|go run|go generate|npm test|npm run|npm ci|npm install|npx tsc|pnpm test|pnpm run
	yarn test|yarn build|yarn run|cargo test|cargo build|cargo clippy|cargo check|make test|make build|make check|make lint
	pytest tests|python -m|mvn test|mvn verify|gradle test|gradle build|docker compose|docker build|git bisect|git revert
	kedge gate|kedge run`

// decides finds a sentence that decides something.
func decides(text string) bool {
	for _, sentence := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(".;!?\n", r) }) {
		binding, about := false, map[string]bool{}
		for _, w := range wordsOf(sentence) {
			switch {
			case bindingWords.has(w):
				binding = true
			case !emptyWords.has(w):
				about[w] = true
			}
		}
		if binding && len(about) >= 2 {
			return true
		}
	}
	return false
}

func wordsOf(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '\'' || r > 0x7f)
	})
}

const bindingWords wordList = `default|defaults|optional|required|mandatory|must|never|always|only|instead|rather|prefer|preferred|over
	because|since|unless|until|except|without|cannot|can't|chose|chosen|choose|decided|decision|keep|kept|avoid|avoids|reject|rejected
	forbid|forbidden|allow|allowed|disallow|disallowed|require|requires|limit|limited|capped|most|least|exactly|not|no|don't|shall
	deprecated|opt|explicit|explicitly|implicit|strict|should|before|after|per|replaced|replaces|moved|stays`

const emptyWords wordList = `a|an|the|this|that|these|those|it|its|is|are|was|were|be|been|being|has|have|had|do|does|did|and|or|but|if|then|so
	to|of|in|on|at|for|from|by|with|as|into|up|out|off|we|i|you|he|she|they|them|my|our|your|there|here|now|just|very|too|also|again
	all|any|some|each|every|everything|anything|nothing|something|more|else|still|already|yet|well|good|great|fine|nice|ok|okay|right
	done|finished|finish|complete|completed|completes|ready|works|work|working|worked|fix|fixed|fixes|fixing|implemented|implement
	implements|update|updated|updates|change|changed|changes|add|added|adds|make|made|makes|pass|passes|passed|passing|green|successful
	successfully|success|issue|issues|problem|problems|bug|bugs|error|errors|thing|things|stuff|task|tasks|code|feature|features|tests
	test|tested|testing|remaining|left|expected|needed|needs|need|can|could|will|would|may|might|problem's|any more|anymore|progress
	resolved|resolve|solved|cleaned|cleanup|improved|improvements|todo|wip|note|notes|see|above|below|further|new|old`

// wordList is a list of words that a person can read: separated by "|" or line
// breaks. It is searched as it stands, so that no command pays for making a set
// of it.
type wordList string

const wordBreaks = "|\n\t"

func (l wordList) has(word string) bool {
	if word == "" || strings.ContainsAny(word, wordBreaks) {
		return false
	}
	for from := 0; ; {
		at := strings.Index(string(l[from:]), word)
		if at < 0 {
			return false
		}
		begin, end := from+at, from+at+len(word)
		if l.breaks(begin-1) && l.breaks(end) {
			return true
		}
		from = begin + 1
	}
}

// breaks tells whether no word goes on at i.
func (l wordList) breaks(i int) bool {
	return i < 0 || i == len(l) || strings.IndexByte(wordBreaks, l[i]) >= 0
}
