package review_test

import (
	"fmt"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/core/review"
)

// tarHeader is the first block of a tar of before there were marks: only its sum tells.
func tarHeader() string {
	b := []byte(strings.Repeat("\x00", 512))
	copy(b, "name.txt")
	copy(b[100:], "0000644\x00")
	copy(b[148:], "        ")
	sum := 0
	for _, c := range b {
		sum += int(c)
	}
	copy(b[148:], fmt.Sprintf("%06o\x00 ", sum))
	return string(b)
}

func TestKindOf(t *testing.T) {
	nul := "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	for _, tt := range []struct {
		name, head, want string
	}{
		{"app", "\x7fELF\x02\x01" + nul, "executable ELF"},
		{"lib.so.1", "\x7fELF\x01\x01" + nul, "executable ELF"},
		{"picture.png", "\x7fELF\x01\x01" + nul, "executable ELF"}, // the name lies
		{"a.txt", "MZ\x90" + nul + "PE", "executable Windows program"},
		{"memo.txt", "MZ is the beginning of a text\n", "text"},
		{"a", "\xcf\xfa\xed\xfe\x07" + nul, "executable Mach-O"},
		{"a", "\xca\xfe\xba\xbe\x00\x00\x00\x02" + nul, "executable Mach-O"},
		{"A.class", "\xca\xfe\xba\xbe\x00\x00\x00\x41" + nul, "executable Java class"},
		{"a.wasm", "\x00asm\x01\x00\x00\x00", "executable WebAssembly"},
		{"a.pyc", "\xcb\x0d\r\n" + nul, "executable Python bytecode"},
		{"a.pyc", "\x03\xf3\r\n" + nul, "executable Python bytecode"},
		{"dos.txt", "ab\r\ncd\r\n", "text"},
		{"classes.dex", "dex\n035\x00" + nul, "executable Android code"},
		{"a.beam", "FOR1\x00\x00\x00\x00BEAM" + nul, "executable Erlang code"},
		{"a.lnk", "L\x00\x00\x00\x01\x14\x02\x00" + nul, "executable Windows shortcut"},
		{"install.sh", "#!/bin/sh\ntail -n +3 $0 | tar x\nexit\n\x1f\x8b\x08\x00" + nul, "executable script with a binary payload"},
		{"app.pyz", "#!/usr/bin/env python3\nPK\x03\x04" + nul, "executable script with a binary payload"},
		{"run.sh", "#!/bin/sh\necho\n", "text"},
		{"a.zip", "PK\x03\x04" + nul, "archive zip"},
		{"a.jar", "PK\x03\x04" + nul, "archive zip"},
		{"notes.md", "PK\x03\x04" + nul, "archive zip"},
		{"empty.zip", "PK\x05\x06" + nul, "archive zip"},
		{"a.crate", "\x1f\x8b\x08" + nul, "archive gzip"},
		{"a.bz2", "BZh91AY&SY\x01\x02", "archive bzip2"},
		{"a.txt", "BZh is no archive\n", "text"},
		{"a.xz", "\xfd7zXZ\x00", "archive xz"},
		{"a.zst", "\x28\xb5\x2f\xfd\x01", "archive zstd"},
		{"a.7z", "7z\xbc\xaf\x27\x1c\x00", "archive 7z"},
		{"a.rar", "Rar!\x1a\x07\x01\x00", "archive rar"},
		{"a.deb", "!<arch>\ndebian-binary", "archive ar"},
		{"a.lzma", "\x5d\x00\x00\x80\x00\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00", "archive lzma"},
		{"a.cpio", "070701" + strings.Repeat("0", 104), "archive cpio"},
		{"numbers.txt", "070701 and so on" + strings.Repeat(" more", 20), "text"},
		{"a.tar", strings.Repeat("x", 257) + "ustar\x0000", "archive tar"},
		{"a.tar", tarHeader(), "archive tar"},
		{"a.iso", strings.Repeat("\x00", 0x8001) + "CD001", "archive ISO image"},
		{"a.br", "\x8b\x00\x80" + nul, "archive"},
		{"a.png", "\x89PNG\r\n\x1a\n" + nul, "binary PNG"},
		{"a.pdf", "%PDF-1.7\n%\xe2\xe3", "binary PDF"},
		{"a.dat", "\x01\x02" + nul, "binary"},
		{"utf16.txt", "\xff\xfea\x00b\x00", "text"},
		{"a.go", "package a\n", "text"},
		{"empty", "", "text"},
	} {
		k := review.KindOf(tt.name, []byte(tt.head))
		if got := strings.TrimSpace(string(k.Class) + " " + k.Name); got != tt.want {
			t.Errorf("%s %.12q is %q, want %q", tt.name, tt.head, got, tt.want)
		}
	}
}

const (
	elf  = "\x7fELF\x02\x01\x00\x00"
	zip  = "PK\x03\x04\x00\x00"
	png  = "\x89PNG\r\n\x1a\n\x00"
	blob = "\x01\x02\x00\x03"
	lfs  = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize %d\n"
)

func TestFiles(t *testing.T) {
	const file, program, link = "100644", "100755", "120000"
	for _, tt := range []struct {
		name string
		file review.File
		why  review.Why
		what string
	}{
		{"source", review.File{Path: "a.go", Mode: file, Head: []byte("package a\n")}, "", ""},
		{"a script", review.File{Path: "run", Mode: program, Head: []byte("#!/bin/sh\n")}, "", ""},
		{"an executable", review.File{Path: "x.txt", Mode: file, Head: []byte(elf)}, review.IsExecutable, "an executable was added: ELF, 8 bytes"},
		{"an executable changed", review.File{Path: "x", Mode: program, Was: program, Head: []byte(elf)}, review.IsExecutable, "an executable was changed: ELF, 8 bytes"},
		{"one that was there", review.File{Path: "y", Mode: file, Had: file, Head: []byte(elf)}, "", ""},
		{"one that was there, renamed", review.File{Path: "y", Mode: program, Had: program, Head: []byte(elf)}, "", ""},
		{"data that can be executed", review.File{Path: "x.dat", Mode: program, Head: []byte(blob)}, review.IsExecutable, "an executable was added: unknown format, 4 bytes"},
		{"data made executable", review.File{Path: "x.dat", Mode: program, Was: file, Had: file, Head: []byte(blob)}, review.IsExecutable, "an executable was changed: unknown format, 4 bytes"},
		{"data made executable under another name", review.File{Path: "new.dat", Mode: program, Had: file, Head: []byte(blob)}, review.IsExecutable, "an executable was added: unknown format, 4 bytes"},
		{"an archive made executable", review.File{Path: "x.zip", Mode: program, Was: file, Had: file, Head: []byte(zip)}, review.MadeExecutable, "a file that is not a script became executable"},
		{"a table made executable", review.File{Path: "x.csv", Mode: program, Was: file, Had: file, Head: []byte("a,b\n")}, review.MadeExecutable, "a file that is not a script became executable"},
		{"a script made executable", review.File{Path: "x.sh", Mode: program, Was: file, Had: file, Head: []byte("echo\n")}, "", ""},
		{"one with a first line", review.File{Path: "x.tool", Mode: program, Was: file, Had: file, Head: []byte("#!/bin/sh\n")}, "", ""},
		{"no longer executable", review.File{Path: "x", Mode: file, Was: program, Had: program, Head: []byte(elf)}, "", ""},
		{"an archive", review.File{Path: "a.zip", Mode: file, Head: []byte(zip)}, review.IsArchive, "an archive was added: zip, 6 bytes"},
		{"an archive changed", review.File{Path: "a.zip", Mode: file, Was: file, Head: []byte(zip)}, review.IsArchive, "an archive was changed: zip, 6 bytes"},
		{"an archive renamed", review.File{Path: "b.zip", Mode: file, Had: file, Head: []byte(zip)}, "", ""},
		{"an image", review.File{Path: "a.png", Mode: file, Head: []byte(png)}, review.IsBinary, "a binary file was added: PNG, 9 bytes"},
		{"an image replaced", review.File{Path: "a.png", Mode: file, Was: file, Head: []byte(png)}, review.IsBinary, "a binary file was changed: PNG, 9 bytes"},
		{"as big as allowed", review.File{Path: "a.txt", Mode: file, Size: 10_000_000}, "", ""},
		{"bigger", review.File{Path: "a.txt", Mode: file, Size: 10_000_001}, review.TooBig, "a file larger than 10 MB was added: 10.1 MB"},
		{"bigger, and there before", review.File{Path: "b.txt", Mode: file, Had: file, Size: 20_000_000}, "", ""},
		{"a big executable", review.File{Path: "a", Mode: program, Size: 12_345_678, Head: []byte(elf)}, review.TooBig, "a file larger than 10 MB was added: ELF, 12.4 MB"},
		{"a small file in LFS", review.File{Path: "a.psd", Mode: file, Head: fmt.Appendf(nil, lfs, 2000)}, review.IsBinary, "a binary file was added: 2 kB, kept by Git LFS"},
		{"a big file in LFS", review.File{Path: "a.psd", Mode: file, Head: fmt.Appendf(nil, lfs, 23_000_000)}, review.TooBig, "a file larger than 10 MB was added: 23 MB, kept by Git LFS"},
		{"an archive in LFS", review.File{Path: "a.tar.gz", Mode: file, Head: fmt.Appendf(nil, lfs, 20)}, review.IsArchive, "an archive was added: 20 bytes, kept by Git LFS"},
		{"text about LFS", review.File{Path: "a.md", Mode: file, Head: []byte("version https://git-lfs.github.com/spec/v1 is a line\n")}, "", ""},
		{"a link inside", review.File{Path: "a/b", Mode: link, Head: []byte("../c")}, "", ""},
		{"a link out", review.File{Path: "a/b", Mode: link, Head: []byte("../../c")}, review.LeadsOut, "a link was added that leads out of the repository, to ../../c"},
		{"an absolute link", review.File{Path: "b", Mode: link, Was: file, Head: []byte("/etc/passwd")}, review.LeadsOut, "a link was changed that leads out of the repository, to /etc/passwd"},
		{"a link to git's own", review.File{Path: "b", Mode: link, Head: []byte(".git/hooks")}, review.LeadsOut, "a link was added that leads out of the repository, to .git/hooks"},
		{"a link with dots in its name", review.File{Path: "b", Mode: link, Head: []byte("..c")}, "", ""},
		{"a submodule", review.File{Path: "sub", Mode: "160000"}, review.IsSubmodule, "a submodule was added"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.file.Size == 0 {
				tt.file.Size = int64(len(tt.file.Head))
			}
			got := review.Files([]review.File{tt.file}, 10_000_000)
			if tt.why == "" {
				if len(got) > 0 {
					t.Errorf("%+v", got)
				}
				return
			}
			if len(got) != 1 || got[0].Why != tt.why || got[0].What != tt.what || got[0].Path != tt.file.Path {
				t.Errorf("%+v, want %s %q", got, tt.why, tt.what)
			}
		})
	}
}

func TestNoLimit(t *testing.T) {
	if got := review.Files([]review.File{{Path: "a", Mode: "100644", Size: 1 << 40}}, 0); len(got) > 0 {
		t.Errorf("%+v", got)
	}
}

func TestNames(t *testing.T) {
	guarded := func(p string) review.Found {
		f, ok := review.Guarded([]string{".github/**", "Jenkinsfile", "db/migrations/**", ".aider*"}, func(s string) bool { return strings.HasPrefix(s, ".claude/") }, p)
		if !ok {
			t.Errorf("%s is not protected", p)
		}
		return f
	}
	ci, jenkins, sql, nested, aider := guarded(".github/workflows/ci.yml"), guarded("Jenkinsfile"), guarded("db/migrations/1.sql"), guarded("web/.claude/settings.json"), guarded(".aider.conf.yml")
	big := review.Found{Path: "data/a.zip", Why: review.TooBig}
	zipped := review.Found{Path: "data/a.zip", Why: review.IsArchive}
	hidden := review.Found{Path: "src/a.go", Why: review.IsArchive}
	out := review.Found{Path: "l", Why: review.LeadsOut}
	for _, tt := range []struct {
		pattern string
		found   review.Found
		want    bool
	}{
		{".github/workflows/ci.yml", ci, true},
		{"./.github/workflows/ci.yml", ci, true},
		{".github/**", ci, true},
		{".github/workflows/*.yml", ci, true},
		{".github/workflows", ci, true},
		{".github/workflows/*.yaml", ci, false}, // covers another file
		{"**", ci, false},
		{"*", jenkins, false},
		{"**/*", ci, false},
		{"**/*.yml", ci, false},
		{".git*/**", ci, false},
		{"Jenkins*", jenkins, false},
		{"Jenkinsfile", jenkins, true},
		{"db/**", sql, false}, // more than the protected folder
		{"db/migrations/**", sql, true},
		{"web/**", nested, false},
		{"web/.claude/**", nested, true},
		{".aider*", aider, false},
		{".aider.conf.yml", aider, true},
		{"data/a.zip", big, true},
		{"data/*.zip", big, false},
		{"data/**", zipped, false},
		{"data/*.zip", zipped, true},
		{"data/*", zipped, false},
		{"src/*.go", hidden, false},
		{"src/a.go", hidden, true},
		{"*", out, false},
		{"l", out, true},
	} {
		if got := review.Names([]string{tt.pattern}, tt.found); got != tt.want {
			t.Errorf("%q names %s: %t", tt.pattern, tt.found.Path, got)
		}
	}
}

func TestReasonIsBounded(t *testing.T) {
	if review.Reason(nil) != "" {
		t.Error("something waits")
	}
	var files []review.File
	for i := range 14 {
		files = append(files, review.File{Path: fmt.Sprintf("f%02d", i), Mode: "100644", Head: []byte(zip)})
	}
	files = append(files, review.File{Path: "a.png", Mode: "100644", Head: []byte(png)})
	var found []kedge.Finding
	for _, f := range review.Files(files, 0) {
		found = append(found, f.Finding("x"))
	}
	if last := found[len(found)-1]; last.Waits || last.Level != kedge.LevelInfo || !found[0].Waits || found[0].Level != kedge.LevelWarning {
		t.Errorf("%+v", found)
	}
	text := review.Reason(found)
	if !strings.HasPrefix(text, "it needs your approval: f00 (an archive was added: zip, 0 bytes), f01 ") || !strings.HasSuffix(text, "f09 (an archive was added: zip, 0 bytes), 4 more") {
		t.Error(text)
	}
}

// FuzzKindOf: no content is too short or too odd, and text stays text.
func FuzzKindOf(f *testing.F) {
	for _, s := range []string{elf, zip, png, "BZh", "FOR1", "\x5d\x00\x00", "070701", "\xca\xfe\xba\xbe", "\r\n\r\n", "#!"} {
		f.Add("a.b", []byte(s))
	}
	f.Fuzz(func(t *testing.T, name string, head []byte) {
		k := review.KindOf(name, head)
		if k.Class != review.Text && k.Class != review.Executable && k.Class != review.Archive && k.Class != review.Binary {
			t.Errorf("%+v", k)
		}
		review.Files([]review.File{{Path: name, Mode: "100755", Head: head, Size: int64(len(head))}}, 1)
	})
}
