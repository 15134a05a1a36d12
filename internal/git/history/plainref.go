package history

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"kedge/internal/git/hardened"
)

// plainHead reads HEAD from its file, the usual case. False when git has to be
// asked: a ref that is packed, a branch without a commit, another way of storing
// refs.
func (r *Repo) plainHead() (Head, bool) {
	text, ok := readPlain(filepath.Join(r.g.GitDir(), "HEAD"))
	if !ok {
		return Head{}, false
	}
	if hardened.CheckSHA("commit", text) == nil {
		return Head{Commit: text, Detached: true}, true
	}
	ref, ok := strings.CutPrefix(text, "ref: ")
	if !ok {
		return Head{}, false
	}
	sha, ok := r.looseRef(ref)
	return Head{Branch: strings.TrimPrefix(ref, "refs/heads/"), Commit: sha}, ok
}

// looseRef reads a branch, or a ref of Kedge's, from the file of its own that it
// has since it was moved last; false when git has to be asked. A file goes before
// what is packed.
func (r *Repo) looseRef(ref string) (string, bool) {
	if !strings.HasPrefix(ref, "refs/heads/") && !strings.HasPrefix(ref, "refs/kedge/") || hardened.CheckRef(ref) != nil {
		return "", false
	}
	sha, ok := readPlain(filepath.Join(r.g.CommonDir(), filepath.FromSlash(ref)))
	return sha, ok && hardened.CheckSHA("commit", sha) == nil
}

// noRef tells for certain that there is no such ref: neither in a file of its own nor
// among the packed ones, looked at in this order, in which git moves them.
func (r *Repo) noRef(ref string) bool {
	if !strings.HasPrefix(ref, "refs/heads/") && !strings.HasPrefix(ref, "refs/kedge/") || hardened.CheckRef(ref) != nil {
		return false
	}
	if hardened.Exists(filepath.Join(r.g.CommonDir(), "reftable")) || hardened.Exists(filepath.Join(r.g.CommonDir(), filepath.FromSlash(ref))) {
		return false
	}
	packed, err := os.ReadFile(filepath.Join(r.g.CommonDir(), "packed-refs"))
	if err != nil {
		return os.IsNotExist(err)
	}
	return !bytes.Contains(packed, []byte(" "+ref+"\n"))
}

// readPlain reads a line from a file that is no link.
func readPlain(file string) (string, bool) {
	fi, err := os.Lstat(file)
	if err != nil || !fi.Mode().IsRegular() || fi.Size() > 4096 {
		return "", false
	}
	text, err := os.ReadFile(file)
	return strings.TrimSuffix(string(text), "\n"), err == nil
}
