package stored_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge/internal/git/stored"
)

const oid = "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393"

func TestParsePointer(t *testing.T) {
	const head = "version https://git-lfs.github.com/spec/v1\n"
	for text, want := range map[string]struct {
		oid string
		is  bool
	}{
		head + "oid sha256:" + oid + "\nsize 12345\n":                                 {oid, true},
		head + "oid sha256:" + oid + "\nsize 12345":                                   {oid, true},
		"version https://hawser.github.com/spec/v1\noid sha256:" + oid + "\nsize 1\n": {oid, true},
		head + "ext-0-foo sha256:" + oid + "\noid sha256:" + oid + "\nsize 1\n":       {"", true},
		head + "oid sha256:" + oid + "\nsize -1\n":                                    {},
		head + "oid sha256:../../" + oid[6:] + "\nsize 1\n":                           {},
		head + "is a line about Git LFS\n":                                            {},
		head + strings.Repeat("x", 1024):                                              {},
		"":                                                                            {},
	} {
		if p, is := stored.ParsePointer([]byte(text)); is != want.is || p.OID != want.oid {
			t.Errorf("%q is %+v, %v; want %+v", text, p, is, want)
		}
	}
}

func FuzzParsePointer(f *testing.F) {
	f.Add([]byte("version https://git-lfs.github.com/spec/v1\noid sha256:" + oid + "\nsize 12345\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if p, is := stored.ParsePointer(text); is && p.OID != "" {
			if again, is := stored.ParsePointer(p.Text()); !is || again != p {
				t.Errorf("%q is %+v, and what it is written as is %+v", text, p, again)
			}
		}
	})
}

// packets are lists and contents as git sends them.
func packets(parts ...any) string {
	var b strings.Builder
	for _, part := range parts {
		switch part := part.(type) {
		case []string:
			for _, line := range part {
				fmt.Fprintf(&b, "%04x%s\n", len(line)+5, line)
			}
		case string:
			for len(part) > 0 {
				n := min(len(part), 1000)
				fmt.Fprintf(&b, "%04x%s", n+4, part[:n])
				part = part[n:]
			}
		}
		b.WriteString("0000")
	}
	return b.String()
}

var greeting = []any{[]string{"git-filter-client", "version=2"}, []string{"capability=clean", "capability=smudge", "capability=delay"}}

// TestFilter: what a file has becomes a pointer, and the other way round; what is damaged or
// not there stays a pointer; git is told that it went well each time.
func TestLFSFilter(t *testing.T) {
	store := stored.LFSStore(filepath.Join(t.TempDir(), "lfs"))
	big := strings.Repeat("0123456789", 200_000)
	p, err := store.Keep(strings.NewReader(big))
	if err != nil {
		t.Fatal(err)
	}
	bad, err := store.Keep(strings.NewReader("bad"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(string(store), "objects", bad.OID[:2], bad.OID[2:4], bad.OID)
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("BAD"), 0o644); err != nil {
		t.Fatal(err)
	}
	none := stored.Pointer{OID: oid, Size: 12345}
	wrote := filepath.Join(t.TempDir(), "wrote")
	for name, of := range map[string]struct{ command, content, want string }{
		"clean a file":             {"clean", big, string(p.Text())},
		"clean a pointer":          {"clean", string(none.Text()), string(none.Text())},
		"clean an empty file":      {"clean", "", ""},
		"smudge":                   {"smudge", string(p.Text()), big},
		"smudge what is not there": {"smudge", string(none.Text()), string(none.Text())},
		"smudge what is damaged":   {"smudge", string(bad.Text()), string(bad.Text())},
		"smudge what is none":      {"smudge", "words", "words"},
	} {
		t.Run(name, func(t *testing.T) {
			in := packets(append(greeting[:2:2], []string{"command=" + of.command, "pathname=x.bin"}, of.content)...)
			var out bytes.Buffer
			f := stored.LFSFilter{Store: store, Wrote: wrote}
			if err := f.Serve(strings.NewReader(in), &out); err != nil {
				t.Fatal(err)
			}
			got, ok := strings.CutPrefix(out.String(), packets([]string{"git-filter-server", "version=2"}, []string{"capability=clean", "capability=smudge"}, []string{"status=success"}))
			content := ""
			for strings.HasPrefix(got, "0000") == false {
				var n int
				if _, err := fmt.Sscanf(got[:4], "%x", &n); err != nil {
					t.Fatal(err)
				}
				content, got = content+got[4:n], got[n:]
			}
			if !ok || content != of.want || got != "00000000" {
				t.Errorf("%d bytes in, %d bytes out and then %q; want %d bytes", len(of.content), len(content), got, len(of.want))
			}
		})
	}
	if b, err := os.ReadFile(wrote); err != nil || string(b) != "x.bin\x00" {
		t.Errorf("written are %q, %v", b, err)
	}
}

func FuzzLFSFilter(f *testing.F) {
	f.Add([]byte(packets(append(greeting[:2:2], []string{"command=clean", "pathname=x"}, "content")...)))
	f.Add([]byte("0003"))
	f.Fuzz(func(t *testing.T, in []byte) {
		filter := stored.LFSFilter{Store: stored.LFSStore(t.TempDir())}
		_ = filter.Serve(bytes.NewReader(in), &bytes.Buffer{}) // whatever it says, it ends
	})
}

// TestIsProgram: whatever is not git-lfs has to be approved.
func TestIsGitLFS(t *testing.T) {
	for command, want := range map[string]bool{"": true, "git-lfs clean -- %f": true, "git lfs smudge %f": true, "git-crypt clean": false, "git-lfs-evil": false} {
		if got := stored.IsGitLFS(command); got != want {
			t.Errorf("%q: %v", command, got)
		}
	}
	if stored.IsGitLFS("git-lfs clean -- %f", "evil") {
		t.Error("one of its commands is another program")
	}
}
