package slot

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"kedge/internal/process/atomicfile"
)

// inode tells the files of a machine apart.
type inode struct{ device, number uint64 }

// mark tells a copy that nobody touched since it was made: no program sets the time at
// which a file was changed last.
type mark string

func markOf(path string) mark {
	var st unix.Stat_t
	if unix.Lstat(path, &st) != nil {
		return ""
	}
	sec, nsec := st.Ctim.Unix()
	return mark(fmt.Sprintf("%d %d.%09d", st.Ino, sec, nsec))
}

// readMarks reads which copies were made; none where that is not known.
func readMarks(file string) map[string]mark {
	text, _ := os.ReadFile(file) // unreadable: all is copied again
	out := map[string]mark{}
	for line := range strings.SplitSeq(string(text), "\x00") {
		if name, m, ok := strings.Cut(line, "\t"); ok {
			out[name] = mark(m)
		}
	}
	return out
}

// isCopied tells whether the worktree has a file as the checkout has it, and as it was
// copied. Links are made again: that costs nothing.
func (c *copier) isCopied(o original) bool {
	known := c.known[o.path]
	if known == "" || !o.info.Mode().IsRegular() || markOf(c.place(o.path)) != known {
		return false
	}
	now, err := c.to.Lstat(o.path)
	if err != nil || !now.Mode().IsRegular() || now.Size() != o.info.Size() || now.Mode().Perm() != o.info.Mode().Perm() || !now.ModTime().Equal(o.info.ModTime()) {
		return false
	}
	first, is := c.first[inodeOf(o.info)]
	if !is {
		return true
	}
	other, err := c.to.Lstat(first)
	return err == nil && os.SameFile(now, other)
}

// writeMarks says which copies were made, when all of them are: another name of a file
// changes when it was changed last.
func (c *copier) writeMarks(all []original) error {
	var b bytes.Buffer
	for _, o := range all {
		if o.info.Mode()&fs.ModeType != 0 {
			continue
		}
		if m := markOf(c.place(o.path)); m != "" {
			fmt.Fprintf(&b, "%s\t%s\x00", o.path, m)
		}
	}
	return atomicfile.Write(c.marks, b.Bytes(), 0o600)
}

func (c *copier) place(name string) string {
	return filepath.Join(c.to.Name(), filepath.FromSlash(name))
}

func inodeOf(info fs.FileInfo) inode {
	device, number, _ := identity(info)
	return inode{device, number}
}

func linksOf(info fs.FileInfo) uint64 {
	_, _, links := identity(info)
	return links
}
