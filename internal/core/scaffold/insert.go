package scaffold

import (
	_ "embed" // the block
	"strings"

	"kedge"
)

// Files of the user's that init adds a few lines to.
const (
	AttributesFile = ".gitattributes"
	AgentsFile     = "AGENTS.md"
	ClaudeFile     = "CLAUDE.md"
)

// The markers around Kedge's block; the rest of the file is the user's.
const (
	BeginMarker = "<!-- kedge:begin -->"
	EndMarker   = "<!-- kedge:end -->"
)

//go:embed template/agents.md
var block string

// Piece is some lines of Kedge's in a file of the user's.
type Piece struct {
	Path  string
	text  string
	there func(line string) bool // a line that says that it is there already
	apart bool                   // set off by a blank line
}

// Pieces gives them in the order in which they are put in. The attributes are
// for git alone.
func Pieces(git bool) []Piece {
	pieces := []Piece{
		{Path: AgentsFile, text: block, apart: true, there: func(line string) bool {
			return line == BeginMarker || line == EndMarker
		}},
		{Path: ClaudeFile, text: "@" + AgentsFile + "\n", apart: true, there: func(line string) bool {
			return line == "@"+AgentsFile || line == "@./"+AgentsFile
		}},
	}
	if !git {
		return pieces
	}
	return append(pieces, Piece{Path: AttributesFile, text: ProgressFile + " merge=union\n", there: func(line string) bool {
		pattern, _, _ := strings.Cut(line, " ")
		return strings.TrimPrefix(pattern, "/") == ProgressFile
	}})
}

// GitignoreFile is the one at the top of a repository.
const GitignoreFile = ".gitignore"

// OwnLines take Kedge's files out of what .gitignore ignores: what it should commit must not
// be ignored. The second line is for patterns that name everything.
func OwnLines() []string { return []string{"!/" + kedge.Dir + "/", "!/" + kedge.Dir + "/**"} }

// IgnorePiece puts lines into .gitignore.
func IgnorePiece(lines []string) Piece {
	text := strings.Join(lines, "\n") + "\n"
	return Piece{Path: GitignoreFile, text: text, there: func(line string) bool { return line == lines[0] }}
}

// IgnoredBy is the piece that was inserted into .gitignore; false: none was.
func IgnoredBy(inserted string) (Piece, bool) {
	lines := strings.Split(strings.Trim(lineFeeds(inserted), "\n"), "\n")
	if lines[0] == "" {
		return Piece{}, false
	}
	return IgnorePiece(lines), true
}

// In tells whether the piece, or something in its place, is in the text.
func (p Piece) In(text string) bool {
	for line := range strings.Lines(text) {
		if p.there(strings.TrimSpace(line)) {
			return true
		}
	}
	return false
}

// Current tells whether the text holds the piece as this Kedge writes it.
func (p Piece) Current(text string) bool { return strings.Contains(lineFeeds(text), p.text) }

// Insert puts the piece at the end of text, in the way the text ends its lines.
// Inserted is what was added, empty when the piece was there.
func (p Piece) Insert(text string) (out, inserted string) {
	if p.In(text) {
		return text, ""
	}
	inserted = p.text
	if text != "" {
		if p.apart && !strings.HasSuffix(lineFeeds(text), "\n\n") {
			inserted = "\n" + inserted
		}
		if !strings.HasSuffix(text, "\n") {
			inserted = "\n" + inserted
		}
	}
	if strings.Contains(text, "\r\n") {
		inserted = strings.ReplaceAll(inserted, "\n", "\r\n")
	}
	return text + inserted, inserted
}

// Cut takes the piece out again: what was inserted, if that is known and still
// there, else the piece as this Kedge writes it. ok is false when the text holds
// neither, because somebody changed it.
func (p Piece) Cut(text, inserted string) (out string, ok bool) {
	for _, cut := range []string{inserted, p.text, strings.ReplaceAll(p.text, "\n", "\r\n")} {
		if i := strings.LastIndex(text, cut); cut != "" && i >= 0 && wholeLines(text, i, cut) {
			return text[:i] + text[i+len(cut):], true
		}
	}
	return text, false
}

// wholeLines tells whether cut at i is not a part of a longer line.
func wholeLines(text string, i int, cut string) bool {
	return i == 0 || text[i-1] == '\n' || cut[0] == '\n' || cut[0] == '\r'
}

// lineFeeds is a text with the ends of lines that git has.
func lineFeeds(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }
