package testguard

import (
	"path"
	"slices"
	"strings"

	"kedge/internal/core/detect"
	"kedge/internal/text/lazyre"
)

// defined finds what a source file declares, beyond the words that untested.go knows: functions in C and
// Java, methods, and what JavaScript exports.
var defined = lazyre.New(`(?m)\b(?:func|def|class|function|fn|type|struct|interface|enum|trait|module|object|protocol|record|fun|sub|const|static|val|var|macro_rules!|define|defmodule|attr_\w+)\s+(?:\([^)\n]*\)\s*)?(?:[\w<>?*]+\.)*:?([\pL_][\pL\pN_]*)` +
	`|^[ \t]*(?:[\w*&<>:,\[\]]+[ \t]+)+[*&]*(\w+)[ \t]*\([^;{}]*\)\s*(?:\w+\s*)?\{` +
	`|^[ \t]*(?:async[ \t]+|static[ \t]+|get[ \t]+|set[ \t]+)*(\w+)[ \t]*\([^;{}\n]*\)[ \t]*\{` +
	`|^[ \t]*(\w+):[ \t]*(?:\{|function\b|async\b|\()` +
	`|\b(?:exports|prototype|\w+)\.(\w+)[ \t]*=[ \t]*(?:async\b|function\b|\(|[\w.]+\.bind\b|\w+[ \t]*=>)|^([A-Za-z_]\w*)[ \t]*=[^=]`)

// notSymbols are words that look declared and are not.
var notSymbols = map[string]bool{"if": true, "for": true, "while": true, "switch": true, "catch": true, "return": true, "else": true, "function": true, "constructor": true, "new": true}

// symbol is something that a source file declares, with the lines behind its declaration.
type symbol struct {
	name string
	body []string
}

// goneNames are names that the source of a change declared and has no longer. Whether source that did
// not change has one is asked only when it matters, and once.
type goneNames struct {
	names     map[string]bool
	mentioned func(name string) bool
}

// has tells whether no source has a name any more.
func (g goneNames) has(name string) bool {
	gone := g.names[name]
	if gone && g.mentioned != nil && g.mentioned(name) {
		delete(g.names, name)
		return false
	}
	return gone
}

// removed gives the names that the source of a change declared and that it has no longer: no
// changed source mentions them. One whose body is still there has only got another name, and its
// tests may not go.
func (g Guard) removed(changes []Change) map[string]bool {
	var was, is []symbol
	words := map[string]bool{}
	for _, c := range changes {
		if detect.SideOf(c.Path, g.Tests) != detect.Source || !detect.IsSource(c.Path) || len(c.Before) > detect.MaxSource || len(c.After) > detect.MaxSource {
			continue
		}
		was = append(was, symbols(c.Path, c.Before)...)
		is = append(is, symbols(c.Path, c.After)...)
		for _, w := range detect.Words(detect.WithoutTests(c.Path, string(c.After))) {
			words[w] = true
		}
		if c.After != nil {
			words[stem(c.Path)] = true
		}
	}
	out := map[string]bool{}
	fresh := added(is, was)
	for _, s := range was {
		if len(s.name) > 2 && !detect.Common(s.name) && !notSymbols[s.name] && !words[s.name] && !renamed(s, fresh) {
			out[s.name] = true
		}
	}
	return out
}

func stem(name string) string { return strings.TrimSuffix(path.Base(name), path.Ext(name)) }

// maxBody is how many lines behind a declaration are looked at.
const maxBody = 30

func symbols(name string, src []byte) []symbol {
	if src == nil {
		return nil
	}
	out := []symbol{{name: stem(name), body: detect.CodeLines(string(src[:min(len(src), 20_000)]))}}
	text := detect.WithoutTests(name, string(src))
	found := defined.FindAllStringSubmatchIndex(text, -1)
	for i, m := range found {
		end := len(text)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		for g := 1; g < len(m)/2; g++ {
			if m[2*g] >= 0 {
				lines := detect.CodeLines(text[m[1]:max(m[1], min(end, m[1]+4000))])
				out = append(out, symbol{name: text[m[2*g]:m[2*g+1]], body: lines[:min(len(lines), maxBody)]})
			}
		}
	}
	return out
}

// renamed tells whether a declaration that was not there before has the body of one that is gone, or
// nearly its name.
func renamed(s symbol, fresh []symbol) bool {
	if len(fresh)*max(len(s.body), 1) > maxPairs {
		return false
	}
	words := nameWords(s.name)
	for _, n := range fresh {
		if len(s.body) > 1 && len(n.body) > 1 && 2*keptLines(s.body, n.body) > len(s.body) || alike(words, nameWords(n.name)) {
			return true
		}
	}
	return false
}

// added are the declarations whose names are new.
func added(is, was []symbol) []symbol {
	old := map[string]bool{}
	for _, w := range was {
		old[w.name] = true
	}
	return slices.DeleteFunc(is, func(s symbol) bool { return old[s.name] })
}

var nameParts = lazyre.New(`[A-Z]+[a-z]*|[a-z]+`)

// nameWords are the words that a name is made of, without numbers.
func nameWords(name string) []string {
	var out []string
	for _, m := range nameParts.FindAllStringIndex(name, -1) {
		out = append(out, strings.ToLower(name[m[0]:m[1]]))
	}
	return out
}

// alike tells whether more than half of the words of two names are the same.
func alike(a, b []string) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	same := keptLines(a, b)
	return 2*same > len(a)+len(b)-same
}
