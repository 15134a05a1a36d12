package brief

import (
	"slices"

	"kedge"
)

// shortHash is how many hex digits of a SHA-256 a checkpoint keeps.
const shortHash = 8

// Hash is the hash under which a checkpoint remembers a file's content.
func Hash(content []byte) string { return hash(string(content))[:shortHash] }

// Compare says of each file whether it still is what was known of it. hash gives
// the present Hash of a path, false when there is no such file.
func Compare(files []kedge.FileRef, hash func(path string) (string, bool)) []kedge.FileRef {
	out := slices.Clone(files)
	for i, f := range out {
		now, ok := hash(f.Path)
		switch {
		case !ok:
			out[i].State = kedge.FileGone
		case now != f.SHA256:
			out[i].State = kedge.FileChanged
		default:
			out[i].State = kedge.FileUnchanged
		}
	}
	return out
}
