package hardened

import (
	"slices"
	"strings"
	"unicode"

	"kedge"
)

// values says what a setting may be. Whatever a repository's configuration
// holds was written by anybody: a value is handed on only when it is one that
// git knows, since a line break in it could end a line of ours.
type values struct {
	words []string // in lower case; nil is any text on one line
	hint  string
}

var (
	truth         = []string{"true", "false", "yes", "no", "on", "off", "1", "0", ""}
	booleans      = values{truth, "true or false"}
	plainText     = values{nil, "text on one line"}
	objectFormats = values{[]string{"sha1", "sha256"}, "sha1 or sha256"}
	refStorages   = values{[]string{"files", "reftable"}, "files or reftable"}
)

// contentKeys decide how files and blobs correspond. They run nothing. Whether
// there are symbolic links is not among them: the scratch git dir is made of
// them, and a false "no" would store a file of code as a link.
var contentKeys = map[string]values{
	"core.excludesfile":      plainText,
	"core.autocrlf":          {append([]string{"input"}, truth...), "true, false or input"},
	"core.eol":               {[]string{"lf", "crlf", "native"}, "lf, crlf or native"},
	"core.filemode":          booleans,
	"core.ignorecase":        booleans,
	"core.precomposeunicode": booleans,
}

// check is Invalid for a value that may not be handed on.
func (v values) check(key, value string) error {
	if isPlain(value) && (v.words == nil || slices.Contains(v.words, strings.ToLower(value))) {
		return nil
	}
	return kedge.Errorf(kedge.Invalid, "the git setting %s is %q, which is not %s", key, value, v.hint).
		WithHint("see where it is set: git config --show-origin --get-all %s", key)
}

// isPlain tells whether a text has no control characters.
func isPlain(s string) bool { return !strings.ContainsFunc(s, unicode.IsControl) }
