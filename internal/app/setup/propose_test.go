package setup

import (
	"os"
	"path/filepath"
	"testing"
)

// TestPytestOfAnotherPython: a script on the PATH whose interpreter is another one is of no use to python3 -m.
func TestPytestOfAnotherPython(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		return file
	}
	mine, other := put("python3.11", "one"), put("python3.9", "another")
	if err := os.Symlink(mine, filepath.Join(dir, "python3")); err != nil {
		t.Fatal(err)
	}
	for script, there := range map[string]bool{
		"#!" + mine + "\nimport pytest\n":                          true,
		"#!" + filepath.Join(dir, "python3") + "\nimport pytest\n": true,
		"#!" + other + "\nimport pytest\n":                         false,
		"#!/usr/bin/env bash\nexec pyenv\n":                        true,
	} {
		put("pytest", script)
		if got := onPath(dir)("pytest"); got != there {
			t.Errorf("%q: %v", script, got)
		}
	}
	if onPath(dir)("tox") || onPath(t.TempDir())("pytest") {
		t.Error("a program is there that is not")
	}
}
