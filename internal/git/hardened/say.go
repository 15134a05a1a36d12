package hardened

import (
	"fmt"
	"os"
	"strings"

	"kedge/internal/text/words"
)

// Quote makes a path safe to paste into a shell.
func Quote(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:@") == "" && s != "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// OrNone shows an object name, shortened; "no commit" for an empty one.
func OrNone(sha string) string {
	if sha == "" {
		return "no commit"
	}
	return "commit " + words.Hash(sha)
}

// Some shows the first of many.
func Some(paths []string, most int) string {
	shown := strings.Join(paths[:min(most, len(paths))], ", ")
	if n := len(paths) - most; n > 0 {
		shown += fmt.Sprintf(" and %d more", n)
	}
	return shown
}

// Exists tells whether there is anything at a path, if only a link to nowhere.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
