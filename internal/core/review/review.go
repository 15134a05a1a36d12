package review

import (
	"bytes"
	"fmt"
	"path"
	"strconv"
	"strings"

	"kedge"
	"kedge/internal/text/glob"
)

// File is a file that a change adds or changes; package history of git says what its
// fields are.
type File struct {
	Path string
	Mode string
	Was  string
	Had  string
	Size int64
	Head []byte
}

// The modes of git.
const (
	program   = "100755"
	link      = "120000"
	submodule = "160000"
)

// Why is what there is to say of a file.
type Why string

// The reasons. All but IsBinary and IsSubmodule wait for your approval.
const (
	Protected      Why = "protected"
	TooBig         Why = "too_big"
	IsExecutable   Why = "executable"
	IsArchive      Why = "archive"
	MadeExecutable Why = "made_executable"
	LeadsOut       Why = "leads_out"
	IsBinary       Why = "binary"
	IsSubmodule    Why = "submodule"
)

// Found is what was found of one file.
type Found struct {
	Path string
	Why  Why
	What string // in words
	New  bool   // there was nothing at the path

	Obeyed bool // of a protected file: no pattern names it, but an agent or a program obeys it

	under string // of a protected file: the folder, or the file, that is protected
}

// Waits tells whether the work waits for your approval because of it.
func (f Found) Waits() bool { return f.Why != IsBinary && f.Why != IsSubmodule }

// Finding says it as a verdict does.
func (f Found) Finding(fix string) kedge.Finding {
	out := kedge.Finding{Level: kedge.LevelInfo, What: f.What, Where: f.Path, Fix: fix}
	if f.Waits() {
		out.Level, out.Waits = kedge.LevelWarning, true
	}
	return out
}

// Files finds what there is to say of the files of a change. MaxBytes is the size above
// which a file waits; 0: none does.
func Files(files []File, maxBytes int64) []Found {
	var out []Found
	for _, f := range files {
		if found, ok := judge(f, maxBytes); ok {
			found.Path, found.New = f.Path, f.Was == ""
			out = append(out, found)
		}
	}
	return out
}

// judge looks at one file: first at what most needs a person. What was there before, under
// whatever name, is nothing new.
func judge(f File, maxBytes int64) (Found, bool) {
	verb := "was added"
	if f.Was != "" {
		verb = "was changed"
	}
	switch {
	case f.Mode == submodule:
		return Found{Why: IsSubmodule, What: "a submodule " + verb}, true
	case f.Mode == link:
		to, out := leadsOut(f)
		return Found{Why: LeadsOut, What: fmt.Sprintf("a link %s that leads out of the repository, to %s", verb, to)}, out && f.Had != link
	}
	size, kind, lfs := f.Size, KindOf(f.Path, f.Head), ""
	if n, ok := pointer(f.Head); ok {
		size, kind, lfs = n, Kind{Class: classOfName(f.Path)}, ", kept by Git LFS"
	}
	if kind.Class == Binary && f.Mode == program {
		kind = Kind{Executable, "unknown format"}
	}
	if f.Had != "" && (f.Had == program || f.Mode != program) {
		return Found{}, false
	}
	details := joined(kind.Name, Size(size)) + lfs
	switch {
	case maxBytes > 0 && size > maxBytes && f.Had == "":
		return Found{Why: TooBig, What: fmt.Sprintf("a file larger than %s %s: %s", Size(maxBytes), verb, details)}, true
	case kind.Class == Executable:
		return Found{Why: IsExecutable, What: fmt.Sprintf("an executable %s: %s", verb, details)}, true
	case f.Mode == program && f.Was != "" && f.Was != program && !isScript(f):
		return Found{Why: MadeExecutable, What: "a file that is not a script became executable"}, true
	case f.Had != "":
		return Found{}, false
	case kind.Class == Archive:
		return Found{Why: IsArchive, What: fmt.Sprintf("an archive %s: %s", verb, details)}, true
	case kind.Class == Binary:
		return Found{Why: IsBinary, What: fmt.Sprintf("a binary file %s: %s", verb, details)}, true
	}
	return Found{}, false
}

func joined(name, size string) string {
	if name == "" {
		return size
	}
	return name + ", " + size
}

// isScript: a text whose first line says what runs it, or whose name does.
func isScript(f File) bool {
	switch strings.ToLower(path.Ext(f.Path)) {
	case "", ".sh", ".bash", ".zsh", ".fish", ".py", ".rb", ".pl", ".js", ".mjs", ".cjs", ".ts", ".php", ".lua", ".tcl", ".awk", ".ps1", ".bat", ".cmd", ".command", ".run":
		return !isBinary(f.Head)
	}
	return bytes.HasPrefix(f.Head, []byte("#!"))
}

// leadsOut tells where a link leads, and whether that is outside the repository, or inside
// git's own folder.
func leadsOut(f File) (to string, out bool) {
	to = string(f.Head)
	at := path.Join(path.Dir(f.Path), to)
	own := strings.EqualFold(at, ".git") || len(at) > 4 && strings.EqualFold(at[:5], ".git/")
	return to, path.IsAbs(to) || at == ".." || strings.HasPrefix(at, "../") || own || strings.Contains(to, ":\\")
}

// pointer reads the size that a pointer of Git LFS names: the file itself is elsewhere.
func pointer(head []byte) (size int64, ok bool) {
	const most = 1024
	if len(head) > most || !bytes.HasPrefix(head, []byte("version https://git-lfs.github.com/spec/")) && !bytes.HasPrefix(head, []byte("version https://hawser.github.com/spec/")) {
		return 0, false
	}
	for line := range strings.Lines(string(head)) {
		if digits, found := strings.CutPrefix(strings.TrimSpace(line), "size "); found {
			n, err := strconv.ParseInt(digits, 10, 64)
			return n, err == nil && n >= 0
		}
	}
	return 0, false
}

// MB is what a megabyte of protect.max_file_mb is.
const MB = 1_000_000

// Size is a number of bytes for people.
func Size(n int64) string {
	const kb = 1000
	switch {
	case n >= MB:
		tenths := (n + MB/10 - 1) / (MB / 10) // rounded up: what is larger than 10 MB has more than 10
		return strings.TrimSuffix(fmt.Sprintf("%d.%d", tenths/10, tenths%10), ".0") + " MB"
	case n >= kb:
		return strconv.FormatInt(n/kb, 10) + " kB"
	case n == 1:
		return "1 byte"
	}
	return strconv.FormatInt(n, 10) + " bytes"
}

// Guarded finds out whether a path is protected: by a pattern, or because an agent or a
// program of people obeys it, in whatever folder. Obeyed tells that of a path from where
// they would look.
func Guarded(patterns []string, obeyed func(string) bool, file string) (Found, bool) {
	for _, p := range patterns {
		if glob.Match(p, file) {
			return Found{Path: file, Why: Protected, under: literal(clean(p))}, true
		}
	}
	for at, rest := "", file; obeyed != nil; {
		if obeyed(rest) {
			return Found{Path: file, Why: Protected, Obeyed: true, under: path.Join(at, first(rest))}, true
		}
		dir, below, ok := strings.Cut(rest, "/")
		if !ok {
			break
		}
		at, rest = path.Join(at, dir), below
	}
	return Found{}, false
}

func first(p string) string {
	dir, _, _ := strings.Cut(p, "/")
	return dir
}

// maxNamed is how many files are named in a reason.
const maxNamed = 10

// Reason says in a line what work waits for; empty: nothing.
func Reason(found []kedge.Finding) string {
	var parts []string
	for _, f := range found {
		if f.Waits {
			parts = append(parts, f.Where+" ("+f.What+")")
		}
	}
	if n := len(parts) - maxNamed; n > 0 {
		parts = append(parts[:maxNamed], strconv.Itoa(n)+" more")
	}
	if len(parts) == 0 {
		return ""
	}
	return "it needs your approval: " + strings.Join(parts, ", ")
}
