package review

import (
	"path"
	"strings"

	"kedge/internal/text/glob"
)

// Names tells whether patterns that you approved name a file explicitly: by its path, by
// the path of the folder that is protected or of one below it, or by the ending that files
// of its class have. A pattern that covers everything names nothing.
func Names(patterns []string, f Found) bool {
	for _, p := range patterns {
		p = clean(p)
		switch {
		case p == f.Path:
			return true
		case !glob.Match(p, f.Path) && !strings.HasPrefix(f.Path, p+"/"):
		case f.Why == Protected && f.under != "" && within(literal(p), f.under):
			return true
		case (f.Why == IsExecutable || f.Why == IsArchive) && namesEnding(p, f.Path):
			return true
		}
	}
	return false
}

func clean(pattern string) string { return path.Clean(strings.TrimPrefix(pattern, "./")) }

// literal is the folder, or file, at the beginning of a pattern that has no special
// character; empty where there is none.
func literal(pattern string) string {
	if !special(pattern) {
		return pattern
	}
	var out []string
	for _, elem := range strings.Split(pattern, "/") {
		if special(elem) {
			break
		}
		out = append(out, elem)
	}
	return strings.Join(out, "/")
}

func special(s string) bool { return strings.ContainsAny(s, `*?[\`) }

// within tells whether a path is a folder or below it.
func within(p, folder string) bool { return p == folder || strings.HasPrefix(p, folder+"/") }

// namesEnding tells whether a pattern ends like the file, and so only executables or
// archives do: *.zip names what it lets in, *.go does not.
func namesEnding(pattern, file string) bool {
	ext := path.Ext(file)
	return ext != "" && !special(ext) && strings.HasSuffix(pattern, ext) && classOfName(file) != Binary
}
