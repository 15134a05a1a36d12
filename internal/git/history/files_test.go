package history_test

import (
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kedge/internal/git"
	"kedge/internal/testkit/gittest"
)

// TestFiles: what a change adds and changes, with modes, sizes and beginnings, whether git
// has the blobs in files of their own or in a pack, and whatever the attributes say.
func TestFiles(t *testing.T) {
	r := gittest.New(t)
	r.Write("same.bin", "\x00same")
	r.Write("moved.bin", "\x00moved")
	r.Write("mode", "#!/bin/sh\n")
	r.Write("gone", "gone\n")
	r.Write("kind", "a file\n")
	from := r.Commit("first")
	big := make([]byte, 5<<20)
	if _, err := rand.New(rand.NewSource(1)).Read(big); err != nil { // it cannot be packed small
		t.Fatal(err)
	}
	r.Must(os.WriteFile(filepath.Join(r.Dir, "big.bin"), big, 0o644))
	r.Must(os.WriteFile(filepath.Join(r.Dir, "hidden"), []byte("\x7fELF\x00"), 0o644))
	r.Write(".gitattributes", "* diff\n")
	r.Must(os.Rename(filepath.Join(r.Dir, "moved.bin"), filepath.Join(r.Dir, "new.bin")))
	r.Must(os.Chmod(filepath.Join(r.Dir, "mode"), 0o755))
	r.Must(os.Remove(filepath.Join(r.Dir, "gone")))
	r.Must(os.Remove(filepath.Join(r.Dir, "kind")))
	r.Must(os.Symlink("../out", filepath.Join(r.Dir, "kind")))
	to := r.Commit("second")
	want := []string{
		`.gitattributes 100644 was  had  size 7 "* diff\n"`,
		`big.bin 100644 was  had  size 5242880 ` + fmt.Sprintf("%q", big[:12]),
		`hidden 100644 was  had  size 5 "\x7fELF\x00"`,
		`kind 120000 was 100644 had  size 6 "../out"`,
		`mode 100755 was 100644 had 100644 size 10 "#!/bin/sh\n"`,
		`new.bin 100644 was  had 100644 size 6 "\x00moved"`,
	}
	for _, packed := range []bool{false, true} {
		if packed {
			r.Git("gc", "-q", "--prune=now")
		}
		files, err := r.Open().Files(t.Context(), from, to)
		r.Must(err)
		var got []string
		for _, f := range files {
			got = append(got, line(f))
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("packed %t:\n%s\nwant\n%s", packed, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func line(f git.File) string {
	return fmt.Sprintf("%s %s was %s had %s size %d %q", f.Path, f.Mode, f.Was, f.Had, f.Size, f.Head[:min(len(f.Head), 12)])
}
