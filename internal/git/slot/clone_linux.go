package slot

import (
	"io"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// fill makes an empty file one with the blocks of another, on a disk that shares blocks
// between files; else with its bytes.
func fill(out, in *os.File) error {
	if unix.IoctlFileClone(int(out.Fd()), int(in.Fd())) == nil {
		return nil
	}
	_, err := io.Copy(out, in)
	return err
}

// identity says which file it is, and how many names it has.
func identity(info fs.FileInfo) (device, number, links uint64) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, 0
	}
	return st.Dev, st.Ino, uint64(st.Nlink) //nolint:unconvert // of another width on other machines
}
