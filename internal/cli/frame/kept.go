package frame

import (
	"os"

	"kedge/internal/text/plain"
)

// shownFiles is how many kept files are listed by name.
const shownFiles = 10

// KeptFiles lists the files that a check left and that Kedge kept: where each is and how
// large. Their content is never shown.
func KeptFiles(paths []string) []string {
	var out []string
	for _, p := range paths[:min(len(paths), shownFiles)] {
		out = append(out, plain.Line(p)+" ("+sizeOf(p)+")")
	}
	if more := len(paths) - shownFiles; more > 0 {
		out = append(out, "and "+Counted(more, "more file"))
	}
	return out
}

func sizeOf(path string) string {
	info, err := os.Lstat(path)
	if err != nil {
		return "removed"
	}
	return Bytes(info.Size())
}
