// Package stored reads what git has stored in plain files: an object in its own file, a
// tree, an index. This saves starting git a hundred times for each feature of a run. It
// promises the same result as git: it checks an object against its name and an index
// against its checksum, and leaves every unusual form to git. It follows no
// configuration, replacement or alternate.
//
// It also stands in for git-lfs, whose program never runs. On checkout, it writes the
// content that a pointer names; on commit, it stores the content and commits the pointer.
// It writes an object before it returns its pointer, and never replaces a pointer by an
// incomplete object. It writes nothing else, and never talks to a network: if an object
// is not in the git dir, its pointer stays.
package stored

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1" //nolint:gosec // the name of an object in git
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// maxObject bounds what is read: git reads what is bigger.
const maxObject = 4 << 20

// sum is the hash that makes names of this many digits.
func sum(digits int) hash.Hash {
	if digits == 2*sha256.Size {
		return sha256.New()
	}
	return sha1.New() //nolint:gosec // as above
}

// Object reads an object by its full name from the file of its own that it has in a
// folder of objects; false when git has to be asked.
func Object(objects, name string) (kind string, body []byte, ok bool) {
	if len(name) != 2*sha1.Size && len(name) != 2*sha256.Size {
		return "", nil, false
	}
	// what stands there may be somebody's pipe, which nothing may wait for
	f, err := os.OpenFile(filepath.Join(objects, name[:2], name[2:]), os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", nil, false
	}
	defer func() { _ = f.Close() }() // it was only read
	if fi, err := f.Stat(); err != nil || !fi.Mode().IsRegular() || fi.Size() > maxObject {
		return "", nil, false
	}
	return parseObject(io.LimitReader(f, maxObject), name)
}

// Head reads the beginning of a blob, at most n bytes, and its size, however big it is;
// false when git has to be asked.
func Head(objects, name string, n int) (head []byte, size int64, ok bool) {
	if len(name) != 2*sha1.Size && len(name) != 2*sha256.Size {
		return nil, 0, false
	}
	f, err := os.OpenFile(filepath.Join(objects, name[:2], name[2:]), os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, false
	}
	defer func() { _ = f.Close() }() // it was only read
	if fi, err := f.Stat(); err != nil || !fi.Mode().IsRegular() {
		return nil, 0, false
	}
	z, err := zlib.NewReader(f)
	if err != nil {
		return nil, 0, false
	}
	return headOf(z, name, n)
}

// maxHeader bounds the line before the content of an object.
const maxHeader = 32

// headOf reads all of an object, so that it can be held against its name, and keeps its
// beginning.
func headOf(z io.Reader, name string, n int) (head []byte, size int64, ok bool) {
	h := sum(len(name))
	z = io.TeeReader(z, h)
	first, err := io.ReadAll(io.LimitReader(z, int64(maxHeader+n)))
	if err != nil {
		return nil, 0, false
	}
	more, err := io.Copy(io.Discard, z)
	line, body, cut := bytes.Cut(first, []byte{0})
	digits, blob := strings.CutPrefix(string(line), "blob ")
	size, bad := strconv.ParseInt(digits, 10, 64)
	if err != nil || bad != nil || !cut || !blob || int64(len(body))+more != size || hex.EncodeToString(h.Sum(nil)) != name {
		return nil, 0, false
	}
	return body[:min(len(body), n)], size, true
}

func parseObject(packed io.Reader, name string) (kind string, body []byte, ok bool) {
	z, err := zlib.NewReader(packed)
	if err != nil {
		return "", nil, false
	}
	text, err := io.ReadAll(io.LimitReader(z, maxObject+1))
	if err != nil || len(text) > maxObject {
		return "", nil, false
	}
	head, body, ok := bytes.Cut(text, []byte{0})
	kind, size, split := strings.Cut(string(head), " ")
	if n, err := strconv.Atoi(size); !ok || !split || err != nil || n != len(body) {
		return "", nil, false
	}
	h := sum(len(name))
	_, _ = h.Write(text) // never fails
	return kind, body, hex.EncodeToString(h.Sum(nil)) == name
}

// Entry is a line of a tree. Mode has six digits, as git shows it.
type Entry struct {
	Mode, Name, SHA string
}

// Type is what an entry is of.
func (e Entry) Type() string {
	switch e.Mode {
	case "040000":
		return "tree"
	case "160000":
		return "commit"
	default:
		return "blob"
	}
}

// Tree reads the body of a tree whose names have this many digits; false also for
// one with a name that leads out of its folder, or into a git dir.
func Tree(body []byte, digits int) ([]Entry, bool) {
	var out []Entry
	for len(body) > 0 {
		head, rest, ok := bytes.Cut(body, []byte{0})
		mode, name, split := strings.Cut(string(head), " ")
		if !ok || !split || !plainName(name) || len(mode) < 5 || len(mode) > 6 || len(rest) < digits/2 {
			return nil, false
		}
		if len(mode) == 5 {
			mode = "0" + mode
		}
		out = append(out, Entry{Mode: mode, Name: name, SHA: hex.EncodeToString(rest[:digits/2])})
		body = rest[digits/2:]
	}
	return out, true
}

func plainName(name string) bool {
	switch name {
	case "", ".", "..":
		return false
	default:
		return !strings.EqualFold(name, ".git") && !strings.Contains(name, "/")
	}
}

// TreeName is the name of the tree with these entries, whatever their order; false
// for names or entries that no tree can have.
func TreeName(entries []Entry, digits int) (string, bool) {
	sorted := slices.Clone(entries)
	slices.SortFunc(sorted, func(a, b Entry) int { return strings.Compare(a.order(), b.order()) })
	var body bytes.Buffer
	for i, e := range sorted {
		sha, err := hex.DecodeString(e.SHA)
		if err != nil || len(e.SHA) != digits || e.Name == "" || strings.ContainsAny(e.Name, "/\x00") || i > 0 && sorted[i-1].Name == e.Name {
			return "", false
		}
		body.WriteString(strings.TrimPrefix(e.Mode, "0") + " " + e.Name + "\x00")
		body.Write(sha)
	}
	h := sum(digits)
	_, _ = io.WriteString(h, "tree "+strconv.Itoa(body.Len())+"\x00")
	_, _ = h.Write(body.Bytes())
	return hex.EncodeToString(h.Sum(nil)), true
}

// order is what git sorts a tree by: a folder as if its name ended with a slash.
func (e Entry) order() string {
	if e.Mode == "040000" {
		return e.Name + "/"
	}
	return e.Name
}
