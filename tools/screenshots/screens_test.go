package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge/internal/text/plain"
)

// TestScreens: every screen stands in the documentation at every size, in colour as a picture
// and without as a text. No line of a text is wider than the terminal, and those that promise to
// be one screen have no more lines than it.
func TestScreens(t *testing.T) {
	page, err := os.ReadFile("../../docs/screens.md")
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"run", "run-end"}
	for _, s := range shots {
		names = append(names, s.name)
	}
	for _, name := range names {
		for _, at := range sizes {
			file := name + "-" + at.String()
			b, err := os.ReadFile(filepath.Join("../..", texts, file+".txt"))
			if err != nil {
				t.Error(err)
				continue
			}
			lines := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
			for _, line := range lines {
				if n := plain.Cells(line); n > at.cols || strings.Contains(line, "\x1b") {
					t.Errorf("%s: a line of %d cells: %q", file, n, line)
				}
			}
			if len(lines) > at.rows && (name == "help" || name == "ls" || name == "run" || name == "run-end") {
				t.Errorf("%s has %d lines", file, len(lines))
			}
			if !strings.Contains(string(page), "pictures/"+file+".svg") || !strings.Contains(string(page), "screens/"+file+".txt") {
				t.Errorf("docs/screens.md does not show %s", file)
			}
			if _, err := os.Stat(filepath.Join("../..", places, file+".svg")); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestSettled: what differs each time has one form, as long as before.
func TestSettled(t *testing.T) {
	const was = "12:34:56 ses-01m7tvmcdwvqekgq8mscz9exsg 0123456789ab pid 23"
	if got, want := settled(was), "15:04:05 ses-01m7j3bvhjy22sa06441ydg9zb 4f1c2d9b0a7e pid 4711"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
