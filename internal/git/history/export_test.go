package history

import "kedge/internal/git/hardened"

// PlainAll tells whether all files of a tree can be listed without git.
func PlainAll(r *Repo, tree string) bool {
	_, ok := r.plainAll(tree)
	return ok
}

// ParseAll reads what git says of trees and what differs between them.
func ParseAll(s string) int {
	f := hardened.Fields([]byte(s))
	return len(parseDiff(f)) + len(parseTree(f))
}
