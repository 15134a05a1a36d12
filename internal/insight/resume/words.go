package resume

import "strings"

// slashed is a path with the one kind of separator by which paths are compared.
func slashed(path string) string { return strings.ReplaceAll(path, `\`, "/") }

// baseOf gives the last element of a path, of either kind of separator.
func baseOf(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

// lastWord gives what a text that names a file by its path has as the last word: of
// a name with blanks it is no more than its end.
func lastWord(path string) string { return path[strings.LastIndexAny(path, `/\ `)+1:] }

// dirOf gives the path without its last element.
func dirOf(path string) string { return path[:max(strings.LastIndexAny(path, `/\`), 0)] }

// ends tells whether a path ends in word, at the border of an element or of a word
// of its name; both are slashed.
func ends(path, word string) bool {
	if !strings.HasSuffix(path, word) {
		return false
	}
	rest := len(path) - len(word)
	return rest == 0 || path[rest-1] == '/' || path[rest-1] == ' ' || strings.HasPrefix(word, "/")
}
