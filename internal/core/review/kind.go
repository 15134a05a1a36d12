package review

import (
	"bytes"
	"encoding/binary"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Class is what kind of content a file has, as far as a reviewer cares.
type Class string

// The classes. Text is what a diff shows.
const (
	Text       Class = "text"
	Executable Class = "executable" // a machine or an interpreter runs it, and no diff shows what it does
	Archive    Class = "archive"    // it contains other files
	Binary     Class = "binary"
)

// Kind is what a file is by its content. Name is what people call the format; empty:
// unknown.
type Kind struct {
	Class Class
	Name  string
}

// magic is how the content of a format begins.
type magic struct {
	at    int
	bytes string
	kind  Kind
	more  func(head []byte) bool // nil: the bytes are enough
}

func exe(name string) Kind     { return Kind{Executable, name} }
func archive(name string) Kind { return Kind{Archive, name} }
func other(name string) Kind   { return Kind{Binary, name} }

// magics are the formats that are known by how they begin, the first that fits counts.
var magics = []magic{
	{0, "\x7fELF", exe("ELF"), nil},
	{0, "MZ", exe("Windows program"), isBinary},
	{0, "\xfe\xed\xfa\xce", exe("Mach-O"), nil},
	{0, "\xfe\xed\xfa\xcf", exe("Mach-O"), nil},
	{0, "\xce\xfa\xed\xfe", exe("Mach-O"), nil},
	{0, "\xcf\xfa\xed\xfe", exe("Mach-O"), nil},
	{0, "\xca\xfe\xba\xbe", exe("Java class"), isClass},
	{0, "\xca\xfe\xba\xbe", exe("Mach-O"), nil},
	{0, "\xca\xfe\xba\xbf", exe("Mach-O"), nil},
	{0, "\x00asm", exe("WebAssembly"), nil},
	{0, "dex\n0", exe("Android code"), nil},
	{0, "BC\xc0\xde", exe("LLVM bitcode"), nil},
	{0, "\xde\xc0\x17\x0b", exe("LLVM bitcode"), nil},
	{0, "\x1bLua", exe("Lua bytecode"), nil},
	{0, "\x1bLJ", exe("Lua bytecode"), nil},
	{8, "BEAM", exe("Erlang code"), isForm},
	{0, "YARB", exe("Ruby bytecode"), isBinary},
	{0, "\xc6\x1f\xbc\x03\xc1\x03\x19\x1f", exe("Hermes bytecode"), nil},
	{0, "L\x00\x00\x00\x01\x14\x02\x00", exe("Windows shortcut"), nil},
	{0, ";ELC", exe("Emacs bytecode"), isBinary},
	{2, "\r\n", exe("Python bytecode"), isPyc},
	{0, "#!", exe("script with a binary payload"), isBinary},

	{0, "PK\x03\x04", archive("zip"), nil},
	{0, "PK\x05\x06", archive("zip"), nil},
	{0, "PK\x07\x08", archive("zip"), nil},
	{0, "\x1f\x8b", archive("gzip"), nil},
	{0, "\x1f\x9d", archive("compress"), nil},
	{0, "BZh", archive("bzip2"), isBzip2},
	{0, "\xfd7zXZ\x00", archive("xz"), nil},
	{0, "\x5d\x00\x00", archive("lzma"), isLzma},
	{0, "LZIP\x01", archive("lzip"), nil},
	{0, "\x28\xb5\x2f\xfd", archive("zstd"), nil},
	{0, "\x04\x22\x4d\x18", archive("lz4"), nil},
	{0, "\xff\x06\x00\x00sNaPpY", archive("snappy"), nil},
	{0, "7z\xbc\xaf\x27\x1c", archive("7z"), nil},
	{0, "Rar!\x1a\x07", archive("rar"), nil},
	{0, "!<arch>\n", archive("ar"), nil},
	{0, "!<thin>\n", archive("ar"), nil},
	{0, "070701", archive("cpio"), isCpio},
	{0, "070702", archive("cpio"), isCpio},
	{0, "070707", archive("cpio"), isCpio},
	{0, "\xc7\x71", archive("cpio"), nil},
	{0, "\xed\xab\xee\xdb", archive("rpm"), nil},
	{0, "MSCF\x00\x00\x00\x00", archive("cab"), nil},
	{0, "xar!", archive("xar"), isBinary},
	{0, "Cr24", archive("Chrome extension"), isBinary},
	{0, "hsqs", archive("squashfs"), isBinary},
	{0x8001, "CD001", archive("ISO image"), nil},
	{257, "ustar", archive("tar"), nil},
	{0, "", archive("tar"), isTar},

	{0, "\x89PNG\r\n\x1a\n", other("PNG"), nil},
	{0, "\xff\xd8\xff", other("JPEG"), nil},
	{0, "GIF8", other("GIF"), isBinary},
	{0, "RIFF", other("RIFF"), isBinary},
	{0, "%PDF-", other("PDF"), nil},
	{0, "SQLite format 3\x00", other("SQLite"), nil},
	{0, "wOFF", other("font"), isBinary},
	{0, "wOF2", other("font"), isBinary},
	{0, "\x00\x01\x00\x00\x00", other("font"), nil},
	{0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", other("Microsoft Office"), nil},
	{0, "PAR1", other("Parquet"), isBinary},
	{4, "ftyp", other("video"), isBinary},
	{0, "OggS", other("Ogg"), isBinary},
	{0, "ID3", other("MP3"), isBinary},
}

// byName are the classes of binary content without a beginning of its own, by the end of
// the file's name. For what is stored elsewhere (Git LFS) it is all that is known.
var byName = []struct {
	class Class
	ends  []string
}{
	{Executable, []string{
		".exe", ".dll", ".com", ".msi", ".scr", ".sys", ".so", ".dylib", ".o", ".obj", ".class", ".pyc", ".pyo", ".pyd", ".wasm", ".elf", ".bin.elf", ".node", ".ko", ".efi",
	}},
	{Archive, []string{
		".zip", ".jar", ".war", ".ear", ".aar", ".whl", ".egg", ".crate", ".gem", ".nupkg", ".apk", ".ipa", ".deb", ".rpm", ".pkg", ".dmg", ".iso", ".cab", ".a", ".lib",
		".tar", ".gz", ".tgz", ".bz2", ".tbz2", ".xz", ".txz", ".zst", ".lz", ".lz4", ".lzma", ".br", ".z", ".7z", ".rar", ".cpio", ".vsix", ".crx", ".xpi", ".phar", ".asar",
	}},
}

// classOfName is the class that a name announces; Binary where it announces none.
func classOfName(name string) Class {
	for _, b := range byName {
		if slices.Contains(b.ends, strings.ToLower(path.Ext(name))) {
			return b.class
		}
	}
	return Binary
}

// KindOf tells what a file is, by how its content begins. The name helps only with formats
// that have no beginning of their own.
func KindOf(name string, head []byte) Kind {
	for _, m := range magics {
		if len(head) >= m.at+len(m.bytes) && string(head[m.at:m.at+len(m.bytes)]) == m.bytes && (m.more == nil || m.more(head)) {
			return m.kind
		}
	}
	if !isBinary(head) {
		return Kind{Class: Text}
	}
	return Kind{Class: classOfName(name)}
}

// isBinary: no text has a NUL, but for UTF-16, which announces itself.
func isBinary(head []byte) bool {
	wide := bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff"))
	return bytes.IndexByte(head, 0) >= 0 && !wide
}

// isClass tells a Java class from a Mach-O file for several processors, which begins in
// the same way: there the number of processors follows, here a version that is never so small.
func isClass(head []byte) bool {
	return len(head) >= 8 && binary.BigEndian.Uint32(head[4:])&0xffff >= 40
}

// isForm: Erlang's code is one form of a format that has others.
func isForm(head []byte) bool { return bytes.HasPrefix(head, []byte("FOR1")) }

// isPyc: before the line end, Python writes its version: from 20 000 up to 3.0, around
// 3 000 since.
func isPyc(head []byte) bool {
	v := binary.LittleEndian.Uint16(head)
	return isBinary(head) && (v >= 2900 && v < 5000 || v >= 20_000 && v < 63_000)
}

func isBzip2(head []byte) bool {
	return len(head) >= 10 && head[3] >= '1' && head[3] <= '9' && (string(head[4:10]) == "1AY&SY" || string(head[4:10]) == "\x17rE8P\x90")
}

// isLzma: behind the size of the dictionary, the size of the content, or that it is unknown.
func isLzma(head []byte) bool {
	return len(head) > 13 && (string(head[5:13]) == strings.Repeat("\xff", 8) || head[11] == 0 && head[12] == 0)
}

func isCpio(head []byte) bool {
	return len(head) >= 76 && strings.Trim(string(head[:76]), "0123456789abcdefABCDEF") == ""
}

// isTar: an old tar has no mark, but a sum over its header.
func isTar(head []byte) bool {
	const header, field, end = 512, 148, 156
	if len(head) < header || head[0] == 0 {
		return false
	}
	text := strings.Trim(string(head[field:end]), " \x00")
	want, err := strconv.ParseUint(text, 8, 32)
	if err != nil {
		return false
	}
	sum := uint64(0)
	for i, b := range head[:header] {
		if i >= field && i < end {
			b = ' '
		}
		sum += uint64(b)
	}
	return sum == want
}
