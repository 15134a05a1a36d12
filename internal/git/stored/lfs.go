package stored

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"kedge"
)

// LFS is the name of the filter in .gitattributes.
const LFS = "lfs"

// maxPointer bounds a pointer, as git-lfs does.
const maxPointer = 1024

// Pointer is what is committed in place of a file.
type Pointer struct {
	OID  string // SHA-256 of the content, in digits
	Size int64
}

var oids = regexp.MustCompile(`^[0-9a-f]{64}$`)

// ParsePointer reads a pointer; false for anything else. One with lines that Kedge does not know is a
// pointer too, whose content it does not know: its OID is empty.
func ParsePointer(text []byte) (Pointer, bool) {
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	version, is := strings.CutPrefix(lines[0], "version ")
	if len(text) >= maxPointer || !is || version != "https://git-lfs.github.com/spec/v1" && version != "https://hawser.github.com/spec/v1" {
		return Pointer{}, false
	}
	var p Pointer
	known := len(lines) == 3
	for _, line := range lines[1:] {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "oid":
			p.OID = strings.TrimPrefix(value, "sha256:")
		case "size":
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil || n < 0 {
				return Pointer{}, false
			}
			p.Size = n
		default:
			known = false
		}
	}
	if !oids.MatchString(p.OID) {
		return Pointer{}, false
	}
	if !known {
		p.OID = ""
	}
	return p, true
}

// Text is a pointer as it is committed.
func (p Pointer) Text() []byte {
	return []byte("version https://git-lfs.github.com/spec/v1\noid sha256:" + p.OID + "\nsize " + strconv.FormatInt(p.Size, 10) + "\n")
}

// LFSStore is the folder "lfs" of a git dir.
type LFSStore string

func (s LFSStore) file(oid string) string {
	return filepath.Join(string(s), "objects", oid[:2], oid[2:4], oid)
}

// Open gives the content that a pointer names; nil where the store does not have it whole.
func (s LFSStore) Open(p Pointer) (*os.File, error) {
	if p.OID == "" {
		return nil, nil //nolint:nilnil // none is no error
	}
	f, err := os.Open(s.file(p.OID))
	if err != nil {
		return nil, nil //nolint:nilnil,nilerr // what cannot be read is not there
	}
	sum := sha256.New()
	n, err := io.Copy(sum, f)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil || n != p.Size || hex.EncodeToString(sum.Sum(nil)) != p.OID {
		return nil, f.Close()
	}
	return f, nil
}

// Keep takes a content in, which is at its end when Keep returns, and gives its pointer.
func (s LFSStore) Keep(content io.Reader) (Pointer, error) {
	fail := func(err error) error {
		return kedge.Errorf(kedge.Internal, "cannot store a file for Git LFS: %w", err)
	}
	tmp := filepath.Join(string(s), "tmp")
	if err := os.MkdirAll(tmp, 0o755); err != nil {
		return Pointer{}, fail(err)
	}
	f, err := os.CreateTemp(tmp, "kedge-")
	if err != nil {
		return Pointer{}, fail(err)
	}
	defer func() { _ = os.Remove(f.Name()) }() // else it has its name
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, sum), content)
	p := Pointer{OID: hex.EncodeToString(sum.Sum(nil)), Size: n}
	to := s.file(p.OID)
	if was, e := os.Stat(to); err == nil && e == nil && was.Size() == n {
		return p, f.Close()
	}
	if err = errors.Join(err, f.Sync(), f.Chmod(0o444), f.Close()); err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o755)
	}
	if err == nil {
		err = os.Rename(f.Name(), to)
	}
	if err != nil {
		return Pointer{}, fail(err)
	}
	return p, nil
}

// GiveTo copies the objects that another store does not have.
func (s LFSStore) GiveTo(other LFSStore) error {
	found, err := filepath.Glob(filepath.Join(string(s), "objects", "??", "??", "*"))
	if err != nil {
		return kedge.Errorf(kedge.Internal, "cannot list the Git LFS files in %q: %w", string(s), err)
	}
	for _, file := range found {
		oid := filepath.Base(file)
		fi, err := os.Lstat(file)
		if err != nil || !oids.MatchString(oid) || !fi.Mode().IsRegular() {
			continue
		}
		if has, err := os.Stat(other.file(oid)); err == nil && has.Size() == fi.Size() {
			continue
		}
		in, err := os.Open(file)
		if err != nil {
			continue // nobody can read it
		}
		_, err = other.Keep(in)
		if err = errors.Join(err, in.Close()); err != nil {
			return err
		}
	}
	return nil
}

// IsGitLFS tells whether the commands of a filter are those of git-lfs, or none at all.
func IsGitLFS(commands ...string) bool {
	for _, c := range commands {
		if c != "" && !strings.HasPrefix(c, "git-lfs ") && !strings.HasPrefix(c, "git lfs ") {
			return false
		}
	}
	return true
}

// pointerOf is the pointer that a content begins with, where it is nothing else.
func pointerOf(content []byte) (Pointer, bool) {
	if len(content) == 0 || !bytes.HasPrefix(content, []byte("version ")) {
		return Pointer{}, false
	}
	return ParsePointer(content)
}
