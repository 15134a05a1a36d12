package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxPaths bounds the names that are kept of one text.
const maxPaths = 300

// maxScan bounds how much of one text is looked at for names, in bytes.
const maxScan = 32 << 10

// Paths gives the words of a text that may name a file, each once, in their
// order: "strategy/common.go:12: oops" gives "strategy/common.go". What begins
// with a variable ("$i.js") names nothing.
func Paths(text string) []string {
	if len(text) > maxScan {
		text = text[:maxScan]
	}
	var list []string
	seen := map[string]bool{}
	for len(text) > 0 && len(list) < maxPaths {
		start := strings.IndexFunc(text, inPath)
		if start < 0 {
			break
		}
		variable := start > 0 && text[start-1] == '$'
		text = text[start:]
		end := strings.IndexFunc(text, func(r rune) bool { return !inPath(r) })
		if end < 0 {
			end = len(text)
		}
		word := strings.TrimRight(strings.TrimPrefix(slashed(text[:end]), "./"), ".-/")
		text = text[end:]
		if NamesFile(word) && !variable && !seen[word] {
			seen[word] = true
			list = append(list, word)
		}
	}
	return list
}

func inPath(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(`_-./+@~\`, r)
	default:
		return unicode.IsLetter(r)
	}
}

// bareName tells whether it is the name of a file without an ending.
func bareName(base string) bool {
	switch base {
	case "Makefile", "Dockerfile", "LICENSE", "README", "Justfile", "justfile", "Gemfile", "Rakefile":
		return true
	default:
		return false
	}
}

// NamesFile tells whether a word has the form of a file's name: an ending of at
// most eight characters that begins with a letter.
func NamesFile(word string) bool {
	if strings.HasPrefix(word, "//") || len(word) > 300 {
		return false
	}
	base := baseOf(word)
	if bareName(base) {
		return true
	}
	dot := strings.LastIndexByte(base, '.')
	if dot < 0 || dot == len(base)-1 || len(base)-dot-1 > 8 {
		return false
	}
	for i, c := range []byte(base[dot+1:]) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// fileEndings are those of names that are files wherever they stand, between
// spaces.
const fileEndings = " go mod sum js jsx ts tsx mjs cjs vue svelte py pyi rb rs java kt swift c h cc cpp hpp cs php lua ex exs erl hs ml scala clj sql sh bash zsh" +
	" fish ps1 md mdx txt rst json jsonl yaml yml toml ini cfg conf xml html css scss less proto graphql tf nix gradle lock csv tsv ipynb txtar "

// SurelyFile tells whether a word of a shell command is a file's name, and not a
// host, a range of commits or a call.
func SurelyFile(word string) bool {
	base := baseOf(word)
	ending := base[strings.LastIndexByte(base, '.')+1:]
	return bareName(base) || !strings.HasPrefix(base, ".") && strings.Contains(fileEndings, " "+ending+" ")
}

// slashed is a path with the one kind of separator by which paths are compared.
func slashed(path string) string { return strings.ReplaceAll(path, `\`, "/") }

// baseOf gives the last element of a path, of either kind of separator.
func baseOf(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }
