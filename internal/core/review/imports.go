package review

import (
	"path"
	"strings"

	"kedge/internal/core/detect"
	"kedge/internal/text/lazyre"
)

// grammar is what the lines around tests mean in a language.
type grammar struct {
	imports *lazyre.Regexp // a statement that imports, at its place in the file; it may have many lines
	module  *lazyre.Regexp // what in such a statement names a module, and nothing in the file
	suites  *lazyre.Regexp // a line that begins a suite and does nothing else
}

var (
	quoted    = lazyre.New(`"[^"\n]*"|'[^'\n]*'`)
	importing = lazyre.New(`^(?:import|from|as|const|let|var|require|require_relative|use|pub|crate|self|super|type|static|typeof|default|include)$`)

	jsGrammar = &grammar{
		imports: lazyre.New(`(?m)^import\s[^;'"()=]*?["'][^"'\n]+["'][ \t]*;?[ \t]*$|^(?:const|let|var)\s+(?:\w+|\{[\w\s,:]*\})\s*=\s*require\s*\(\s*["'][^"'\n]+["']\s*\)(?:\.\w+)?[ \t]*;?[ \t]*$`),
		module:  lazyre.New(`\w+\s*:`),
		suites:  lazyre.New(`^(?:describe|context|suite)\s*\(\s*["'` + "`" + `][^(){}]*(?:\(\s*\)\s*=>|function\s*\(\s*\))\s*\{$`),
	}
	javaGrammar = &grammar{
		imports: lazyre.New(`(?m)^import\s+(?:static\s+)?[\w.]+(?:\.\*)?(?:\s+as\s+\w+)?[ \t]*;?[ \t]*$`),
		module:  lazyre.New(`\w+\s*\.`),
		suites:  lazyre.New(`^(?:@Nested\b\s*)?(?:(?:public|static|inner|final)\s+)*class\s+\w+[\w\s<>,():]*\{$|^@Nested$`),
	}
	grammars = map[string]*grammar{
		".py": {
			imports: lazyre.New(`(?m)^(?:import[ \t]+[\w.]+(?:[ \t]+as[ \t]+\w+)?(?:,[ \t]*[\w.]+(?:[ \t]+as[ \t]+\w+)?)*|from[ \t]+[\w.]+[ \t]+import[ \t]+(?:\([\w\s,]*\)|\w[\w \t,]*))[ \t]*$`),
			module:  lazyre.New(`\bfrom\s+[\w.]+\s|\b\w+\s*\.`),
			suites:  lazyre.New(`^class\s+(?:Test\w*\s*(?:\([\w., ]*\))?|\w+\s*\([\w., ]*TestCase\s*\))\s*:$`),
		},
		".rb": {
			imports: lazyre.New(`(?m)^require(?:_relative)?[ (]+["'][^"'\n]+["']\)?[ \t]*$`),
			suites:  lazyre.New(`^(?:(?:RSpec\.)?(?:describe|context|feature)\b[^{}#]*\bdo|class\s+[\w:]+\s*<\s*[\w:]+)$`),
		},
		".rs": {
			imports: lazyre.New(`(?m)^[ \t]*use\s+[\w:{}\s,*]+;[ \t]*$`),
			module:  lazyre.New(`\w+\s*::`),
			suites:  lazyre.New(`^(?:#\[cfg\(test\)\]|mod\s+\w+\s*\{)$`),
		},
		".php": {
			imports: lazyre.New(`(?m)^use\s+(?:function\s+|const\s+)?[\w\\]+(?:\s+as\s+\w+)?;[ \t]*$`),
			module:  lazyre.New(`\w*\\`),
		},
		".java": javaGrammar, ".kt": javaGrammar,
		".js": jsGrammar, ".jsx": jsGrammar, ".mjs": jsGrammar, ".cjs": jsGrammar, ".ts": jsGrammar, ".tsx": jsGrammar, ".mts": jsGrammar, ".cts": jsGrammar,
	}
	cIncludes = &grammar{imports: lazyre.New(`(?m)^#[ \t]*include[ \t]*<[^<>\n]+>[ \t]*$`)}
)

func grammarOf(name string) *grammar {
	ext := strings.ToLower(path.Ext(name))
	if g, ok := grammars[ext]; ok {
		return g
	}
	if strings.HasPrefix(ext, ".c") || strings.HasPrefix(ext, ".h") || ext == ".m" || ext == ".mm" {
		return cIncludes
	}
	return &grammar{}
}

// Imports gives the statements of a text that only import something, as places in it. What is not sure to
// do no more is none: the import of all names in Python, or a header of the project's own.
func Imports(name, bare string) [][]int {
	g := grammarOf(name)
	if g.imports == nil {
		return nil
	}
	return g.imports.FindAllStringIndex(bare, -1)
}

// Binds are the names that an import gives to what it imports.
func Binds(name, statement string) []string {
	g := grammarOf(name)
	statement = quoted.ReplaceAllString(statement, "")
	if g.module != nil {
		statement = g.module.ReplaceAllString(statement, " ")
	}
	var out []string
	for _, w := range detect.Words(statement) {
		if !importing.MatchString(w) {
			out = append(out, w)
		}
	}
	return out
}

var closing = lazyre.New(`^(?:[)}\]]+[;,]?|end)$`)

// Around tells whether a line only begins a suite of tests, or ends something.
func Around(name, line string) bool {
	g := grammarOf(name)
	return closing.MatchString(line) || g.suites != nil && g.suites.MatchString(line)
}
