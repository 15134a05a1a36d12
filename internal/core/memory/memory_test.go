package memory_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kedge"
	"kedge/internal/core/memory"
)

var update = flag.Bool("update", false, "rewrite testdata")

// at is the moment of everything in these tests.
var at = time.Date(2026, 3, 12, 9, 30, 0, 0, time.UTC)

// id makes an id that is the same in every run.
func id(prefix string, n byte) string {
	return prefix + "-" + strings.Repeat("0", 25) + string(n)
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s differs (run with -update if meant):\n%s", file, got)
	}
}

// wantInvalid checks that err is Invalid and starts with the given text.
func wantInvalid(t *testing.T, err error, want string) {
	t.Helper()
	if !kedge.Invalid.Is(err) || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %q…", err, want)
	}
}

func TestSlug(t *testing.T) {
	tests := []struct{ in, want string }{
		{"Required flags, not positional", "required-flags-not-positional"},
		{"  ../../etc/passwd  ", "etc-passwd"},
		{"", "untitled"},
		{"设计", "untitled"},
		{"Über 3 Fälle", "ber-3-f-lle"},
		{"a\x00b\nc", "a-b-c"},
		{strings.Repeat("x", 60), strings.Repeat("x", 40)},
		{"one two three four five six seven eight nine", "one-two-three-four-five-six-seven-eight"},
		{"--output=x", "output-x"},
	}
	for _, tt := range tests {
		if got := memory.Slug(tt.in); got != tt.want {
			t.Errorf("Slug(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func FuzzSlug(f *testing.F) {
	f.Add("A title: with things")
	f.Add("\xff\x00../..")
	f.Fuzz(func(t *testing.T, s string) {
		got := memory.Slug(s)
		if len(got) > 40 || !kedge.ValidName(got) || got != memory.Slug(got) {
			t.Errorf("Slug(%q) = %q", s, got)
		}
	})
}

func TestClean(t *testing.T) {
	tests := []struct{ in, want string }{
		{"\n\n a \t\r\nb\x1b[2J\n\n", " a\nb[2J"},
		{"a\u202eb\ufeff", "ab"},
		{"\xffx", "\ufffdx"},
		{" \n\t\n", ""},
	}
	for _, tt := range tests {
		if got := memory.Clean(tt.in); got != tt.want {
			t.Errorf("Clean(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestValidPath(t *testing.T) {
	tests := []struct {
		in   string
		want bool
	}{
		{"a.go", true},
		{"src/a b.go", true},
		{"new\nline", true},
		{"..a/b", true},
		{"", false},
		{".", false},
		{"..", false},
		{"../a", false},
		{"/etc/passwd", false},
		{"a//b", false},
		{"a/../b", false},
		{"a\x00b", false},
		{"\xff", false},
	}
	for _, tt := range tests {
		if got := memory.ValidPath(tt.in); got != tt.want {
			t.Errorf("ValidPath(%q) = %v", tt.in, got)
		}
	}
}
